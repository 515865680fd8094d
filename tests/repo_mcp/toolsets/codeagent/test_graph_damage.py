"""A damaged graph is linked again, its tools say so, and tools on text go on meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from index_format import FileStore
from index_format.codec.frame import FramedFile
from repo_mcp.stored import GRAPH_INDEX
from tests.repo_mcp.bit_rot import hide_touch
from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import FOREVER, write

pytestmark = pytest.mark.differential

FILES: dict[str, str | bytes] = {
    "a.py": "def needle(): pass\n",
    **{
        f"more/m{number}.py": "from a import needle\n\n\n"
        + "".join(f"def f{row}():\n    needle()\n" for row in range(3))
        for number in range(30)
    },
}
AGAIN = "the symbol graph was damaged and has been linked again"
ELSEWHERE = "the symbol graph in the data folder was not made here and has been linked again"


def invert_sections(folder: Path) -> None:
    """Every byte that a checksum covers, but for what opening a segment reads."""
    for path in folder.glob("seg-*"):
        with closing(FileStore(folder, create=False).open(path.name)) as handle:
            sections = FramedFile(handle).sections
        content = bytearray(path.read_bytes())
        for item in sections:
            for at in range(item.offset, item.offset + item.length):
                content[at] ^= 0xFF
        path.write_bytes(content)


def cut_off(folder: Path) -> None:
    for path in folder.glob("seg-*"):
        path.write_bytes(path.read_bytes()[:100])


def without_segments(folder: Path) -> None:
    for path in folder.glob("seg-*"):
        path.unlink()


def without_manifests(folder: Path) -> None:
    for path in folder.glob("manifest-*"):
        path.unlink()


def garbled(folder: Path) -> None:
    (folder / "CURRENT").write_bytes(b"xx")


def folder_in_the_way(folder: Path) -> None:
    (folder / "CURRENT").unlink()
    (folder / "CURRENT").mkdir()


def a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"")


DAMAGES = [invert_sections, cut_off, without_segments, without_manifests, garbled]


def linked(root: Path, data: Path) -> Caller:
    """The tools, once the graph follows the files."""
    call = Caller(root, data)
    background = call.app.services.running().background
    background.refresh(FOREVER)
    assert background.wait_until_linked(FOREVER)
    return call


def callers(call: Caller) -> tuple[set[str], list[str]]:
    (found,) = call("lookup_symbol", qualified_name="a.needle")["results"]
    answer = call("get_callers", node_id=found["node_id"], limit=100)
    return {row["seen_in"] for row in answer["results"]}, answer.get("warnings", [])


def wait(call: Caller) -> None:
    assert call.app.services.running().background.wait_until_linked(FOREVER)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def graph(root: Path) -> Path:
    """The folder of a graph that is linked."""
    linked(root, root.parent / "data").app.services.running().close()
    return root.parent / "data" / GRAPH_INDEX.folder


@pytest.mark.parametrize("damage", [*DAMAGES, folder_in_the_way, a_file])
def test_a_graph_that_is_damaged_at_the_start_is_linked_again(
    root: Path, graph: Path, damage: Callable[[Path], None]
) -> None:
    damage(graph)
    if damage is invert_sections:
        hide_touch(graph.parent, GRAPH_INDEX)
    call = linked(root, root.parent / "data")
    assert call.names() == ["a.py", "more"]
    try:
        seen, _ = callers(call)
    except AssertionError:  # it was found and is linked again
        wait(call)
        seen, _ = callers(call)
    assert len(seen) == 30


def test_an_answer_says_that_the_graph_was_made_anew(root: Path, graph: Path) -> None:
    garbled(graph)
    call = linked(root, root.parent / "data")
    (found,) = (said := call("lookup_symbol", qualified_name="a.needle"))["results"]
    assert said["warnings"] == [AGAIN]
    assert "warnings" not in call("get_symbol", node_id=found["node_id"])  # it is said once


def test_a_graph_from_elsewhere_is_not_used(root: Path, graph: Path) -> None:
    copy = root.parent / "copy"
    shutil.copytree(graph.parent, copy)
    call = linked(root, copy)
    assert call("lookup_symbol", qualified_name="a.needle")["warnings"] == [ELSEWHERE]


def test_a_query_that_meets_damage_has_the_graph_linked_again(root: Path) -> None:
    # so many that the last file stands in pages that nothing has read yet
    names = "".join(f"def function_{row}():\n    return {row}\n" for row in range(150))
    write(root, {f"z{number:02}.py": names for number in range(12)})
    call = linked(root, root.parent / "data")
    text = {path.name for path in (root.parent / "data" / "index").iterdir()}
    call("get_file_outline", path="a.py")
    invert_sections(root.parent / "data" / GRAPH_INDEX.folder)
    answer = call.answer("get_file_outline", path="z11.py")["structuredContent"]
    if "error" in answer:  # linking took longer than a call may wait
        assert answer["error"]["code"] == "engine_unavailable"
        assert "symbol graph on the disk was damaged" in answer["error"]["message"]
        assert call("read_file", path="a.py")["total_lines"] == 1
        wait(call)
        answer = call("get_file_outline", path="z11.py")
    assert answer["warnings"] == [AGAIN]
    assert len(answer["results"]) == 150
    assert {path.name for path in (root.parent / "data" / "index").iterdir()} == text


def test_damage_in_the_text_index_is_not_taken_for_damage_in_the_graph(
    root: Path, graph: Path
) -> None:
    before = {path.name: path.stat().st_ino for path in graph.glob("seg-*")}
    write(root, {"b.py": "from a import needle\nneedle()\n"})
    invert_sections(graph.parent / "index")
    hide_touch(graph.parent)
    call = linked(root, root.parent / "data")
    seen, warnings = callers(call)
    assert len(seen) == 31
    assert AGAIN not in warnings
    after = {path.name: path.stat().st_ino for path in graph.glob("seg-*")}
    assert before.items() <= after.items()


def test_a_graph_that_a_link_leads_to_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / GRAPH_INDEX.folder).symlink_to(tmp_path / "elsewhere")
    assert Caller(root, tmp_path / "data").code("search_symbols", query="needle") in {
        "engine_unavailable",
        "index_error",
    }
    assert list((tmp_path / "elsewhere").iterdir()) == []
