"""Indexes that the settings name: read once, followed when they change, refused when broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.model import EdgeType, Strategy
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.snapshot import GraphSnapshot
from code_graph.scip.report import describe_limits
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import SCIP_FILE
from tests.code_graph.scip.test_overlay import BOTH, DEFINED, FILES, USED, index_of
from tests.repo_mcp.trees import FOREVER, CallbackListener, write

pytestmark = pytest.mark.servers

CALLS = EdgeFilter((EdgeType.CALLS,))
INDEX = "index.scip"


def opened(root: Path, data: Path, *scip: str) -> IndexManager:
    return services(Options(str(root), str(data), scip=scip)).manager.single


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {**FILES, INDEX: BOTH})


@pytest.fixture
def manager(root: Path, tmp_path: Path) -> IndexManager:
    return opened(root, tmp_path / "data", INDEX)


def calls(manager: IndexManager) -> set[tuple[int, str, str]]:
    """The calls of b.py after everything has been followed."""
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    found = manager.graph()
    assert found.current
    assert found.snapshot is not None
    graph = GraphSnapshot(found.snapshot)
    rows = [edge for edge in edges_of_rows(graph, "b.py", CALLS) if not edge.external]
    names = {edge.target: graph.symbol(edge.target) for edge in rows}
    return {
        (edge.line, symbol.qualified_name, Strategy(edge.strategy).name)
        for edge in rows
        if (symbol := names[edge.target]) is not None
    }


def limits(manager: IndexManager) -> list[str]:
    found = manager.imported()
    assert found is not None
    return [*describe_limits(found)]


WITH = {(4, "a.A.run", "SCIP"), (5, "a.B.run", "SCIP")}
WITHOUT = {(5, "a.B.run", "DECLARED")}


def test_occurrences_are_edges(manager: IndexManager) -> None:
    assert calls(manager) == WITH
    assert limits(manager) == []


def test_workers_read_what_this_process_has_read(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking._IN_PROCESS_FILES", 0)
    assert calls(manager) == WITH
    manager.close()


def test_an_index_that_changes_is_read_again(manager: IndexManager, root: Path) -> None:
    assert calls(manager) == WITH
    fewer = index_of(("a.py", DEFINED), ("b.py", [row for row in USED if row[0] != [3, 6, 9]]))
    (root / INDEX).write_bytes(fewer)
    assert not manager.graph().current
    assert calls(manager) == {(5, "a.B.run", "SCIP")}
    assert limits(manager) == []
    (root / INDEX).unlink()
    assert calls(manager) == WITHOUT
    (line,) = limits(manager)
    assert line.startswith("index.scip is not used: ")


def test_a_file_that_changes_is_linked_here_and_said(manager: IndexManager, root: Path) -> None:
    calls(manager)
    (root / "b.py").write_text("\n" + FILES["b.py"], encoding="utf-8")
    assert calls(manager) == {(6, "a.B.run", "DECLARED")}
    (line,) = limits(manager)
    assert line.startswith("1 of 2 files have changed")
    (root / "b.py").write_text(FILES["b.py"], encoding="utf-8")
    assert calls(manager) == WITH


def test_another_process_goes_on_with_what_was_read(
    manager: IndexManager, root: Path, tmp_path: Path
) -> None:
    calls(manager)
    (root / "b.py").write_text("\n" + FILES["b.py"], encoding="utf-8")
    other = opened(root, tmp_path / "data", INDEX)
    assert calls(other) == {(6, "a.B.run", "DECLARED")}
    (root / "b.py").write_text(FILES["b.py"], encoding="utf-8")
    assert calls(other) == WITH


def test_what_was_brought_from_elsewhere_is_not_read(
    manager: IndexManager, root: Path, tmp_path: Path
) -> None:
    calls(manager)
    (kept,) = (tmp_path / "data").rglob(SCIP_FILE)
    kept.write_bytes(kept.read_bytes()[:-1] + b"x")
    other = opened(root, tmp_path / "data", INDEX)
    assert calls(other) == WITH


@pytest.mark.parametrize("data", [b"", b"\xff" * 99, BOTH[:-9], b"text\n" * 9])
def test_a_broken_index_costs_its_edges_alone(
    manager: IndexManager, root: Path, data: bytes
) -> None:
    (root / INDEX).write_bytes(data)
    assert calls(manager) <= WITH | WITHOUT
    if data:
        assert "index.scip" in limits(manager)[0]


@pytest.mark.parametrize("path", ["../outside.scip", "/etc/passwd", ".env", "missing.scip", "a\0b"])
def test_paths_outside_and_denied_files_are_not_read(root: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.scip").write_bytes(BOTH)
    (root / ".env").write_bytes(BOTH)
    manager = opened(root, tmp_path / "data", path)
    assert calls(manager) == WITHOUT
    (line,) = limits(manager)
    assert "is not used" in line


def test_an_index_that_is_too_large_is_said(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.scip_import._MAX_BYTES", 10)
    assert calls(manager) == WITHOUT
    assert "10 bytes" in limits(manager)[0]


def test_reading_tells_how_far_it_is(manager: IndexManager) -> None:
    manager.refresh(FOREVER)
    told: list[Progress] = []
    manager.link(FOREVER, CallbackListener(told.append))
    reading = [now for now in told if now.phase.startswith("reading SCIP")]
    assert [(now.files, now.all_files) for now in reading] == [(1, 2), (2, 2)]
    assert 0 < reading[0].size < reading[1].size == reading[1].all_size == len(BOTH)


def test_reading_ends_when_it_is_cancelled(manager: IndexManager) -> None:
    manager.refresh(FOREVER)
    with pytest.raises(Problem) as caught:
        manager.link(Budget(None, lambda: True))
    assert caught.value.code == "cancelled"
    assert calls(manager) == WITH


def test_the_first_of_two_indexes_counts(root: Path, tmp_path: Path) -> None:
    other = index_of(("a.py", DEFINED), ("b.py", [([4, 6, 9], "a/A#run().", 8)]))
    (root / "second.scip").write_bytes(other)
    manager = opened(root, tmp_path / "data", INDEX, "second.scip")
    assert calls(manager) == WITH
    assert limits(manager) == [
        "2 documents of second.scip are of another text than their file, or not the first for it"
    ]


def test_without_an_index_nothing_is_said(root: Path, tmp_path: Path) -> None:
    manager = opened(root, tmp_path / "data")
    assert calls(manager) == WITHOUT
    assert manager.imported() is None
