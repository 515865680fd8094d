"""Imported indexes of several roots: each root's own, and a symbol of one is used in another."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.scip.report import describe_limits
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.services import services
from repo_mcp.settings import read_options
from tests.code_graph.scip.test_overlay import DEFINED, FILES, USED, index_of
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import call, roots_of, serve, text_of

pytestmark = pytest.mark.servers

NAMES = {"lib": "lib", "web": "web"}
OF_LIB = index_of(("a.py", DEFINED))
OF_WEB = index_of(("b.py", USED))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A library and its user, each with the index that its compiler wrote."""
    settings = '[graph]\nscip = ["index.scip"]\n'
    lib: dict[str, str | bytes] = {
        "a.py": FILES["a.py"],
        "index.scip": OF_LIB,
        "repo_mcp.toml": settings,
    }
    write(tmp_path / "tree" / "lib", lib)
    web: dict[str, str | bytes] = {
        "b.py": FILES["b.py"],
        "index.scip": OF_WEB,
        "repo_mcp.toml": settings,
    }
    write(tmp_path / "tree" / "web", web)
    return tmp_path


def manager_of(top: Path) -> Indexes:
    flags = [*roots_of(top / "tree", NAMES), ("data_dir", str(top / "data"))]
    return services(read_options([*flags, ("index_share", "never")], {})).manager


def linked(manager: Indexes) -> list[str]:
    """The lines about indexes that are not used as a whole, when all is linked."""
    manager.refresh(Budget())
    manager.link(Budget())
    assert manager.graph().current
    found = manager.imported()
    assert found is not None
    return [*describe_limits(found)]


def test_a_symbol_of_one_root_is_used_in_another(top: Path) -> None:
    with serve(*roots_of(top / "tree", NAMES), data=top / "data") as app:
        found = text_of(app, "get_callers", node_id="A.run")
    assert "web/b.py" in found


def test_without_an_index_nobody_knows_that_call(top: Path) -> None:
    (top / "tree" / "web" / "repo_mcp.toml").unlink()
    with serve(*roots_of(top / "tree", NAMES), data=top / "data") as app:
        found = text_of(app, "get_callers", node_id="A.run")
    assert "\nweb/b.py\n" not in found
    assert "could add to this: web/b.py" in found


def test_workers_read_what_this_process_has_read(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = edges_of(manager_of(top))
    (top / "data").rename(top / "before")
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking._IN_PROCESS_FILES", 0)
    manager = manager_of(top)
    assert edges_of(manager) == expected
    manager.close()


def edges_of(manager: Indexes) -> list[str]:
    assert linked(manager) == []
    snapshot = manager.graph().snapshot
    assert snapshot is not None
    return [snapshot.attachment(path, "edges").hex() for path in snapshot.paths()]


def test_a_file_that_changes_is_said_with_the_files_of_all(top: Path) -> None:
    manager = manager_of(top)
    assert linked(manager) == []
    write(top / "tree" / "lib", {"a.py": "\n" + FILES["a.py"]})
    (line,) = linked(manager)
    assert line.startswith("1 of 2 files have changed")


def test_an_index_that_changes_is_read_again(top: Path) -> None:
    manager = manager_of(top)
    assert linked(manager) == []
    write(top / "tree" / "web", {"index.scip": index_of(("b.py", USED[:2]))})
    assert not manager.graph().current
    assert linked(manager) == []


def test_a_broken_index_is_named_with_its_root(top: Path) -> None:
    write(top / "tree" / "web", {"index.scip": b"\xff" * 99})
    (line,) = linked(manager_of(top))
    assert line.startswith("web/index.scip is not used")


def test_it_is_said_in_answers(top: Path) -> None:
    write(top / "tree" / "web", {"index.scip": b"\xff" * 99})
    with serve(*roots_of(top / "tree", NAMES), data=top / "data") as app:
        text_of(app, "get_callers", node_id="A.run")
        status = str(call(app, "repo.symbol", name="A.run"))
    assert "web/index.scip is not used" in status
