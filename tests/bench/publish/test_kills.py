"""Programs that publish and pull are killed while bytes are on their way; the next ones go on."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest

from bench.publish.link import Link
from bench.publish.web import Web
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.tree_files import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

TREE: dict[str, str | bytes] = {
    f"m{number}.py": "".join(f"def f{number}_{at}():\n    return {at}\n" for at in range(60))
    for number in range(30)
}
START = "import sys; from repo_mcp.server import main; sys.exit(main())"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    root = write(tmp_path_factory.mktemp("one"), TREE)
    assert run("publish", folder.as_uri(), "--no-graph", cwd=root).returncode == 0
    return folder


def pull_killed_at(place: Path, root: Path, size: int) -> int:
    """Pull, and kill the program before so many bytes have been answered; its exit status."""
    children: list[Popen[bytes]] = []
    started = threading.Event()

    def kill(answered: int) -> None:
        assert started.wait(HANG)
        if answered >= size:
            children[0].kill()

    with Web(place) as web, Link(web.port, on_answer=kill) as link:
        line = [sys.executable, "-P", "-c", START, "pull", f"http://127.0.0.1:{link.port}/"]
        env = {name: text for name, text in os.environ.items() if not name.startswith("REPO_MCP")}
        with Popen(line, cwd=root, env=env, stdout=DEVNULL, stderr=DEVNULL) as child:
            children.append(child)
            started.set()
            return child.wait(HANG)


@pytest.mark.skipif(sys.platform == "win32", reason="the exit status of a kill is that of POSIX")
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.99])
def test_a_killed_pull_leaves_nothing_that_the_next_one_minds(
    tmp_path: Path, published: Path, share: float
) -> None:
    root = write(tmp_path / "two", TREE)
    size = sum(file.stat().st_size for file in (published / "v1" / "segments").iterdir())
    assert pull_killed_at(published, root, int(size * share)) < 0
    checked = json.loads(run("status", "--json", cwd=root).stdout)
    assert checked["index"]["status"] == "missing"
    done = run("pull", published.as_uri(), "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["index"]["status"] == "ready"
    assert record["refresh"]["added"] == record["refresh"]["updated"] == 0
    assert json.loads(run("check", "--json", cwd=root).stdout)["sound"]
