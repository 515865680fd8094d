"""Sparse checkouts: what git leaves out is neither gone nor searched, and answers say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.git import GitHistory, SparseCheckout, SparseFiles
from repo_mcp.repository.open_index import SPARSE
from tests.repo_mcp.changes.reviews import Reviewed, commit
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked

pytestmark = pytest.mark.servers

FILES = {
    "a/a.py": "def fa():\n    return 1\n",
    "b/b.py": "from a.a import fa\n\n\ndef fb():\n    return fa()\n",
    "b/c/c.py": "def fc():\n    return 2\n",
}
INDEXES = ["--no-sparse-index", "--sparse-index"]


@pytest.fixture(params=INDEXES)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A checkout of two commits with the folder `a` alone."""
    root = tmp_path / "root"
    commit(root, FILES)
    commit(root, {"b/b.py": "def fb():\n    return 3\n", "d/e/new.py": "def fd():\n    return 4\n"})
    run_git(root, "sparse-checkout", "set", request.param, "a")
    assert not (root / "b").exists()
    return root


def changed(root: Path, data: Path, since: str = "") -> dict[str, str]:
    """The files that differ from a commit, and whether one side lacks them."""
    from repo_mcp.changes import ChangeQuestion  # noqa: PLC0415 as the helper does

    opened = Reviewed(root, data, linked=False)
    try:
        review = opened.review(ChangeQuestion(since=since))
    finally:
        opened.close()
    return {
        item.path: "added" if item.old is None else "removed" if item.new is None else "changed"
        for item in review.files
    }


def test_what_is_left_out_is_not_removed(root: Path, tmp_path: Path) -> None:
    assert changed(root, tmp_path / "data") == {}


def test_what_commits_changed_in_it_is_known(root: Path, tmp_path: Path) -> None:
    assert changed(root, tmp_path / "data", "HEAD~1") == {
        "b/b.py": "changed",
        "d/e/new.py": "added",
    }


def test_a_file_that_is_there_all_the_same_counts(root: Path, tmp_path: Path) -> None:
    (root / "b").mkdir()
    (root / "b/b.py").write_text("def other():\n    return 5\n", "utf-8")
    assert changed(root, tmp_path / "data")["b/b.py"] == "changed"


def test_files_are_counted_until_all_are_there(root: Path) -> None:
    git = GitHistory(str(root))
    checkout = SparseCheckout(git.own, git.common)
    assert checkout.left_out() in (SparseFiles(3, 0, 4), SparseFiles(0, 2, 1))
    run_git(root, "sparse-checkout", "disable")
    assert checkout.left_out() is None


def test_no_answer_claims_what_it_can_not_know(root: Path, tmp_path: Path) -> None:
    call = Linked(root, tmp_path / "data").linked()
    envelope = call("repo.symbol", name="fa")
    assert any("sparse checkout" in text for text in envelope["warnings"])
    assert envelope["result"]["complete_list"] is False
    absent = call("repo.search", query="fb", mode="literal")
    assert not absent["result"]["files"]
    assert any("rev:HEAD has all" in text for text in absent["warnings"])
    (part,) = call.result("repo.ask", names=["fb"])["parts"]
    assert part["verdict"].startswith("partly: ")
    whole = call("repo.search", query="fb", mode="literal", rev="HEAD")
    assert "b/b.py" in {item["path"] for item in whole["result"]["files"]}
    assert not any(SPARSE in text for text in whole["warnings"])


def test_a_whole_checkout_says_nothing(tmp_path: Path) -> None:
    commit(tmp_path / "root", FILES)
    call = Linked(tmp_path / "root", tmp_path / "data").linked()
    assert not any("sparse" in text for text in call("repo.symbol", name="fa")["warnings"])
