"""The commands with real servers: a first question is answered from what they have."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.remote.publish.conftest import ServedStore
from tests.repo_mcp.remote.publish.servers import programs
from tests.repo_mcp.remote.publish.servers.toxic_link import ToxicLink, every_third, unix
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")
FILES: dict[str, str | bytes] = {
    f"pkg/m{number}.py": f"def call{number}():\n    return {number}\n" for number in range(12)
}


@pytest.fixture
def checkouts(tmp_path: Path) -> list[Path]:
    return [write(tmp_path / name, FILES) for name in ("one", "two")]


def test_a_checkout_pulls_what_another_one_has_published(
    served_store: ServedStore, checkouts: list[Path]
) -> None:
    served_store.link.begin(every_third)
    done = run("publish", served_store.url, cwd=checkouts[0])
    assert done.returncode == 0, done.stderr
    found = run("search", "--index-from", served_store.url, "call7", cwd=checkouts[1])
    assert "pkg/m7.py" in found.stdout
    assert "can't be used" not in found.stderr
    assert any("v1/segments/seg-" in unquote(line) for line in served_store.link.requests)


def test_a_first_question_pulls_from_a_web_server(tmp_path: Path, checkouts: list[Path]) -> None:
    folder = tmp_path / "published"
    assert run("publish", folder.as_uri(), cwd=checkouts[0]).returncode == 0
    (tmp_path / "nginx").mkdir()
    with (
        programs.nginx(tmp_path / "nginx", folder) as socket,
        ToxicLink(unix(socket), every_third) as link,
    ):
        found = run("search", "--index-from", f"{link.url}/", "call7", cwd=checkouts[1])
        assert "pkg/m7.py" in found.stdout
        assert "copying 3/3 files" in found.stderr
        assert any("v1/segments/seg-" in line for line in link.requests)


def test_a_web_server_that_breaks_costs_an_index_that_is_built_here(
    tmp_path: Path, checkouts: list[Path]
) -> None:
    (tmp_path / "nginx").mkdir()
    with (
        programs.nginx(tmp_path / "nginx", tmp_path / "nothing") as socket,
        ToxicLink(unix(socket)) as link,
    ):
        found = run("search", "--index-from", f"{link.url}/", "call7", cwd=checkouts[1])
    assert "pkg/m7.py" in found.stdout
    assert "publi" in found.stderr
