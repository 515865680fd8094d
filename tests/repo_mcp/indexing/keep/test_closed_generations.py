"""A generation that nobody asks any more has no open files, though garbage is never collected.

A server collects garbage rarely: a circle of objects that holds a snapshot keeps its segments in
memory and on disk until then, though they are merged and deleted.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.app import App
from repo_mcp.settings import Options
from tests.repo_mcp.trees import write
from tests.waiting import until

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="mapped files are listed by /proc"
)

FILES: dict[str, str | bytes] = {
    f"part{number}.py": f"import part{(number + 1) % 8}\n\n\n"
    f"def lock{number}(key):\n    return part{(number + 1) % 8}.lock{(number + 1) % 8}(key)\n"
    for number in range(8)
}
CALLS: list[tuple[str, dict[str, object]]] = [
    ("repo.search", {"query": "lock key"}),
    ("repo.search", {"query": "def lock", "mode": "literal", "show": "symbols"}),
    ("repo.search", {"query": "return $A.lock1($B)", "mode": "structure", "language": "python"}),
    ("repo.symbol", {"name": "lock1"}),
    ("repo.outline", {"path": "part1.py"}),
    ("repo.build_context_bundle", {"prompt": "how is a lock taken"}),
    ("search_symbols", {"query": "lock"}),
    ("get_callers", {"node_id": "lock2"}),
    ("search_code", {"query": "lock"}),
    ("code_research", {"query": "how does lock1 work"}),
]


@pytest.fixture
def without_collections() -> Iterator[None]:
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    yield
    if was_on:
        gc.enable()


def deleted_segments(data: Path) -> set[str]:
    """Files of an index that are deleted and still mapped or open."""
    mapped = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    opened = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            opened.append(str(link.readlink()))
        except FileNotFoundError:  # the descriptor that lists them
            continue
    paths = [line.partition("/")[2] for line in mapped] + opened
    return {path for path in paths if str(data)[1:] in path and path.endswith(" (deleted)")}


@pytest.mark.servers
@pytest.mark.usefixtures("without_collections")
def test_merged_segments_are_closed_when_nobody_asks_them(tmp_path: Path) -> None:
    root, data = write(tmp_path / "root", FILES), tmp_path / "data"
    app = App(Options(str(root), str(data), toolsets=("default", "codeagent", "swiftindex")))
    tools = {str(tool["name"]) for tool in app.tools()}

    def call(name: str, arguments: dict[str, object]) -> None:
        answer = app.call(name, arguments, lambda: False)
        assert not answer.get("isError"), answer

    assert {name for name, _ in CALLS} <= tools
    call("repo.refresh_index", {})
    for number in range(18):
        name = f"part{number % 8}.py"
        write(root, {name: f"{FILES[name]!s}# edit {number}\n"})
        call("repo.refresh_index", {})
        call("get_callers", {"node_id": "lock2"})  # waits for the graph
        call(*CALLS[number % len(CALLS)])
    assert until(lambda: not deleted_segments(data)), deleted_segments(data)
