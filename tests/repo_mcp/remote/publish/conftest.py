"""Stores of objects on servers of this machine, behind a link that can be made toxic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from repo_mcp.remote.publish import ObjectStore, open_store
from tests.repo_mcp.remote.publish.servers import programs
from tests.repo_mcp.remote.publish.servers.toxic_link import ToxicLink, tcp


class ServedStore(NamedTuple):
    """An empty prefix on a server, and the link to that."""

    url: str
    link: ToxicLink

    def open(self) -> ObjectStore:
        """The store, to publish to."""
        return open_store(self.url, write=True)


@pytest.fixture(scope="session")
def moto_port() -> Iterator[int]:
    with programs.moto_server() as port:
        yield port


@pytest.fixture(scope="session")
def azurite_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with programs.azurite(tmp_path_factory.mktemp("azurite")) as port:
        yield port


@pytest.fixture(scope="session")
def gcs_port() -> Iterator[int]:
    with programs.fake_gcs() as port:
        yield port


@pytest.fixture
def s3(moto_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedStore]:
    """A bucket on a server of S3."""
    programs.new_bucket(moto_port)
    with ToxicLink(tcp(moto_port)) as link:
        for name, value in programs.s3_variables(link.port).items():
            monkeypatch.setenv(name, value)
        yield ServedStore("s3://bucket/team/repo", link)


@pytest.fixture
def azure(azurite_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedStore]:
    """A container on Azure's emulator."""
    programs.new_container(azurite_port)
    with ToxicLink(tcp(azurite_port)) as link:
        for name, value in programs.azure_variables(link.port).items():
            monkeypatch.setenv(name, value)
        yield ServedStore("az://container/team/repo", link)


@pytest.fixture
def gcs(gcs_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedStore]:
    """A bucket on an emulator of Google Cloud Storage."""
    bucket = programs.new_gcs_bucket(gcs_port)
    with ToxicLink(tcp(gcs_port)) as link:
        for name, value in programs.gcs_variables(link.port).items():
            monkeypatch.setenv(name, value)
        yield ServedStore(f"gs://{bucket}/team/repo", link)


@pytest.fixture(params=["s3", "azure", "gcs"])
def served_store(request: pytest.FixtureRequest) -> ServedStore:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, ServedStore)
    return found
