"""Reviews go on where objects are missing, and name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.changes import ChangeQuestion
from repo_mcp.errors import Problem
from tests.repo_mcp.changes.reviews import Reviewed, commit, places
from tests.repo_mcp.git.gaps import blob_of, clone_without_blobs, delete_object
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers

_FILES = {
    "shop/prices.py": "def total(a):\n    return a\n",
    "shop/tax.py": "def tax(a):\n    return a\n",
    "shop/till.py": "from shop.prices import total\nfrom shop.tax import tax\n\ntotal(tax(1))\n",
    "tests/test_shop.py": "from shop.tax import tax\n\ndef test_shop():\n    assert tax(2)\n",
    "tests/test_tax.py": "from shop.tax import tax\n\ndef test_it():\n    assert tax(1)\n",
}
_CHANGED = {
    "shop/prices.py": "def total(a, b):\n    return a + b\n",
    "shop/tax.py": "def tax(a):\n    return a + 1\n",
}


def _repository(root: Path) -> None:
    commit(root, _FILES)
    commit(root, _CHANGED)


@pytest.mark.parametrize(
    "asked", [ChangeQuestion(rev="HEAD"), ChangeQuestion(since="HEAD~1")], ids=["rev", "since"]
)
def test_other_files_are_reviewed_where_one_blob_is_gone(
    asked: ChangeQuestion, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    _repository(root)
    gone = blob_of(root, "HEAD~1:shop/tax.py")
    delete_object(root, gone)
    opened = Reviewed(root, tmp_path / "data")
    try:
        review = opened.review(asked)
    finally:
        opened.close()
    assert places(review) == [("breaks", "shop/till.py", 4, "total")]
    assert [item.path for item in review.files] == ["shop/prices.py", "shop/tax.py"]
    assert review.unparsed == ["shop/tax.py"]
    assert any(f"shop/tax.py (blob {gone[:12]} is not there)" in note for note in review.notes)


def test_tests_of_a_file_are_chosen_whose_old_text_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _repository(root)
    delete_object(root, blob_of(root, "HEAD~1:shop/tax.py"))
    opened = Reviewed(root, tmp_path / "data")
    try:
        review = opened.review(ChangeQuestion(rev="HEAD", path="shop/tax.py"))
    finally:
        opened.close()
    assert [(item.path, [*item.names], item.is_sure) for item in review.tests] == [
        ("tests/test_tax.py", ["test_it"], True),  # named after the file
        ("tests/test_shop.py", ["test_shop"], False),
    ]
    assert not review.declarations


def test_a_blob_that_the_review_is_not_about_does_not_matter(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, {**_FILES, "other.py": "x = 1\n"})
    commit(root, _CHANGED)
    gone = blob_of(root, "HEAD:other.py")
    commit(root, {"other.py": "x = 2\n"})
    delete_object(root, gone)
    opened = Reviewed(root, tmp_path / "data")
    try:
        review = opened.review(ChangeQuestion(rev="HEAD~1"))
    finally:
        opened.close()
    assert places(review) == [("breaks", "shop/till.py", 4, "total")]


def test_a_partial_clone_reviews_what_is_not_committed_as_a_whole_one(tmp_path: Path) -> None:
    commit(tmp_path / "source", _FILES)
    root = tmp_path / "root"
    clone_without_blobs(tmp_path / "source", root)
    write(root, {**_CHANGED})
    opened = Reviewed(root, tmp_path / "data")
    try:
        review = opened.review()
    finally:
        opened.close()
    assert places(review) == [("breaks", "shop/till.py", 4, "total")]
    assert not review.notes


def test_a_partial_clone_says_so_of_a_commit_whose_files_before_it_has_not(tmp_path: Path) -> None:
    _repository(tmp_path / "source")
    root = tmp_path / "root"
    clone_without_blobs(tmp_path / "source", root)
    opened = Reviewed(root, tmp_path / "data")
    try:
        review = opened.review(ChangeQuestion(rev="HEAD"))
    finally:
        opened.close()
    assert review.unparsed == ["shop/prices.py", "shop/tax.py"]
    assert any("this clone is partial" in note for note in review.notes)
    assert [item.path for item in review.tests] == ["tests/test_tax.py", "tests/test_shop.py"]


def test_a_commit_whose_parent_a_shallow_clone_has_not_is_no_new_tree(tmp_path: Path) -> None:
    _repository(tmp_path / "source")
    root = tmp_path / "root"
    source = f"file://{tmp_path / 'source'}"
    run_git(tmp_path, "clone", "-q", "--depth=1", source, str(root))
    opened = Reviewed(root, tmp_path / "data")
    try:
        with pytest.raises(Problem, match="before it is not there"):
            opened.review(ChangeQuestion(rev="HEAD"))
    finally:
        opened.close()
