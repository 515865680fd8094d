"""Schedulers that the user names, with certificates: who has one gets in, nobody else does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

import distributed.client
import psutil

from repo_mcp.app import App
from repo_mcp.settings import Options
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.remote.cluster.certificates import Authority
from tests.repo_mcp.remote.cluster.test_strangers import USERS, intrude, listeners
from tests.repo_mcp.trees import write
from tests.waiting import HANG, until

pytestmark = pytest.mark.servers

FILES: dict[str, str | bytes] = {
    f"pkg/m{number}.py": f"def call{number}():\n    return {number}\n" for number in range(90)
}
CA = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
CERTIFICATE = "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"
KEY = "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"


class Scheduler:
    """A scheduler and a worker, started as their users start them, with certificates."""

    def __init__(self, address: str, ours: Authority) -> None:
        self.address = address
        self.authority = ours
        self.certificate, self.key = ours.issue("client")
        self.environment = {CA: ours.file, CERTIFICATE: self.certificate, KEY: self.key}


@contextmanager
def started(kind: str, *options: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-P", "-m", f"distributed.cli.dask_{kind}", *options]
    with subprocess.Popen(command, cwd=cwd, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    ours = Authority(folder / "ours")
    with ExitStack() as running:
        for kind, options in (
            ("scheduler", ["--protocol", "tls", "--host", "127.0.0.1", "--port", "0"]),
            ("worker", ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]),
        ):
            certificate, key = ours.issue(kind)
            files = ["--tls-ca-file", ours.file, "--tls-cert", certificate, "--tls-key", key]
            more = ["--scheduler-file", file.name, "--dashboard-address", "127.0.0.1:0"]
            running.enter_context(started(kind, *options, *files, *more, cwd=folder))
            # there is a moment when it is empty
            assert until(lambda: file.exists() and file.read_bytes().endswith(b"}"))
        found = json.loads(file.read_bytes())
        yield Scheduler(found["address"], ours)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def test_who_has_a_certificate_indexes_and_searches(
    scheduler: Scheduler, root: Path, tmp_path: Path
) -> None:
    data, store = str(tmp_path / "data"), (tmp_path / "store").as_uri()
    where = ["--data-dir", data, "--engine", scheduler.address]
    done = run("index", *where, "--store", store, "--json", cwd=root, env=scheduler.environment)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)["engine"]
    assert (record["tasks"], record["made_here"]) == (1, 0)
    alone = run("search", "--data-dir", data, "--json", "call77", cwd=root)
    found = run("search", *where, "--json", "call77", cwd=root, env=scheduler.environment)
    assert found.returncode == 0, found.stderr
    assert found.stdout == alone.stdout


@pytest.mark.parametrize("user", USERS)
def test_strangers_run_nothing_and_who_has_a_certificate_does(
    scheduler: Scheduler, tmp_path: Path, user: int | None
) -> None:
    addresses = [scheduler.address, scheduler.address.replace("tls", "tcp")]
    ends, made = intrude(addresses, tmp_path / "none", user)
    assert made == []
    assert {name: end for name, end in ends.items() if "Closed" not in end} == {}
    files = {
        "tls_ca_file": scheduler.authority.file,
        "tls_client_cert": scheduler.certificate,
        "tls_client_key": scheduler.key,
    }
    _, made = intrude([scheduler.address], tmp_path / "made", user, files)
    assert [name.split()[1] for name in made] == ["run_function"]


def test_without_certificates_an_error_says_what_to_set(
    scheduler: Scheduler, root: Path, tmp_path: Path
) -> None:
    # no place that a repository has a part in is asked
    settings = "distributed: {comm: {tls: {ca-file: a, client: {cert: b, key: c}}}}"
    names = ("dask", "distributed", ".config/dask/distributed", ".repo_mcp/dask", ".dask/dask")
    write(root, {f"{name}.yaml": settings for name in names})
    where = ["--data-dir", str(tmp_path / "data"), "--engine", scheduler.address]
    done = run("search", *where, "call77", cwd=root)
    assert done.returncode == 2
    assert f" {CA}, {CERTIFICATE}, {KEY}" in done.stderr
    named = {CA: scheduler.authority.file, CERTIFICATE: scheduler.certificate}
    done = run("search", *where, "call77", cwd=root, env={CA: scheduler.authority.file})
    assert done.returncode == 2
    assert CERTIFICATE in done.stderr
    assert CA not in done.stderr
    done = run("search", *where, "call77", cwd=root, env=named)
    assert done.returncode == 2
    assert "no certificate with its key" in done.stderr


def test_certificates_that_can_not_be_used_are_named(
    scheduler: Scheduler, root: Path, tmp_path: Path
) -> None:
    other = Authority(tmp_path / "other")
    certificate, key = other.issue("stranger")
    readable = tmp_path / "readable.pem"
    readable.write_bytes(Path(scheduler.key).read_bytes())
    readable.chmod(0o644)
    both = tmp_path / "both.pem"
    both.write_bytes(
        b"".join(Path(name).read_bytes() for name in (scheduler.certificate, scheduler.key))
    )
    both.chmod(0o644)
    junk = tmp_path / "junk.pem"
    junk.write_text("no certificate", encoding="ascii")
    junk.chmod(0o600)
    where = ["--data-dir", str(tmp_path / "data"), "--engine", scheduler.address]
    cases: tuple[tuple[dict[str, str | None], str], ...] = (
        ({CA: str(tmp_path / "none.pem")}, f"ca-file: {tmp_path}/none.pem: No such file"),
        ({KEY: str(readable)}, f"client.key: {readable}: others can read this key"),
        ({CERTIFICATE: str(both), KEY: None}, f"client.cert: {both}: others can read this key"),
        ({CERTIFICATE: str(junk)}, "no PEM"),
        ({CERTIFICATE: certificate}, "no certificate with its key"),
        ({CA: other.file}, "CERTIFICATE_VERIFY_FAILED"),
        ({CERTIFICATE: certificate, KEY: key}, "it needs other certificates"),
    )
    for given, reason in cases:
        named = (scheduler.environment | given).items()
        env = {name: value for name, value in named if value is not None}
        done = run("search", *where, "call77", cwd=root, env=env)
        assert done.returncode != 0
        assert reason in done.stderr


def test_an_address_without_encryption_is_no_way_in(
    scheduler: Scheduler, root: Path, tmp_path: Path
) -> None:
    address = scheduler.address.replace("tls://", "dask://")
    where = ["--data-dir", str(tmp_path / "data"), "--engine", address]
    done = run("search", *where, "call77", cwd=root, env=scheduler.environment)
    assert done.returncode != 0
    assert "the other of dask:// and tls://" in done.stderr


def test_a_plain_address_is_refused_where_encryption_is_required(
    root: Path, tmp_path: Path
) -> None:
    where = ["--data-dir", str(tmp_path / "data"), "--engine", "dask://127.0.0.1:9"]
    env = {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "true"}
    done = run("search", *where, "call77", cwd=root, env=env)
    assert done.returncode == 2
    assert "tls://HOST:PORT" in done.stderr


def test_a_server_searches_by_a_scheduler_with_certificates(
    scheduler: Scheduler, root: Path, tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    assert run("index", "--data-dir", data, cwd=root).returncode == 0
    files = {CA: "ca-file", CERTIFICATE: "client.cert", KEY: "client.key"}
    named = {f"distributed.comm.tls.{files[key]}": scheduler.environment[key] for key in files}
    options = Options(str(root), data, watch=False, workers=1, engine=scheduler.address)
    # a scheduler, a worker or another server may begin to listen meanwhile
    apart = psutil.Process().children()
    before = listeners(apart)
    dask: Any = distributed.client.dask  # type: ignore[attr-defined]
    with dask.config.set(named):
        app = App(options)
        try:
            app.call("repo.search", {"query": "call77"}, lambda: False)
            search = app.services.running().distributed
            assert search is not None
            if search._preparing is not None:
                search._preparing.join(HANG)
            found = app.call("repo.search", {"query": "call77"}, lambda: False)
            assert "pkg/m77.py" in str(found["structuredContent"])
            assert search.readers is not None
            assert search.readers._durations
            assert listeners(apart) == before  # who asks lets nobody connect
        finally:
            app.services.close()
