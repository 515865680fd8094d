"""The command `scip`: writes an index that others read, and shows imported ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.code_graph.scip.schema import Index
from tests.code_graph.scip.test_export import SMALL
from tests.code_graph.scip.test_overlay import BOTH, FILES
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers


@pytest.fixture
def where(tmp_path: Path) -> list[str]:
    root = write(tmp_path / "root", {**SMALL, **FILES})
    return ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]


def test_the_graph_is_written_as_an_index(where: list[str], tmp_path: Path) -> None:
    target = tmp_path / "out.scip"
    done = run("scip", "export", *where, "--output", str(target))
    assert done.returncode == 0, done.stderr
    assert "5 documents" in done.stdout
    index = Index.FromString(target.read_bytes())
    assert index.metadata.project_root == f"file://{tmp_path / 'root'}"
    assert [item.relative_path for item in index.documents][:2] == ["a.py", "b.py"]
    first = target.read_bytes()
    assert run("scip", "export", *where, "--output", str(target)).returncode == 0
    assert target.read_bytes() == first
    assert [item.name for item in tmp_path.glob("*.tmp")] == []


def test_a_file_that_cannot_be_written_is_said(where: list[str], tmp_path: Path) -> None:
    done = run("scip", "export", *where, "--output", str(tmp_path / "no" / "out.scip"))
    assert done.returncode == 2
    assert "can't be written" in done.stderr


def test_only_an_index_that_was_written_here_is_replaced(where: list[str], tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    target.write_text("repo-mcp writes its index here\n")
    done = run("scip", "export", *where, "--output", str(target))
    assert (done.returncode, "is not overwritten" in done.stderr) == (2, True)
    assert target.read_text() == "repo-mcp writes its index here\n"


def test_imported_indexes_are_shown(where: list[str], tmp_path: Path) -> None:
    (tmp_path / "root" / "index.scip").write_bytes(BOTH)
    given = [*where, "--scip", "index.scip"]
    assert run("scip", "export", *given, "--output", str(tmp_path / "out")).returncode == 0
    done = run("scip", "status", *given)
    assert (done.returncode, done.stdout) == (0, "2 of 2 documents are in use\n")
    without = run("scip", "status", *where)
    assert "no index of SCIP is imported" in without.stdout
