"""Rows of exams that are made of the commits of a small repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.answers.history import History, check_out, link_past, repository_folder
from bench.exams.asked import Served
from bench.exams.figures import figures
from bench.exams.rows import FUNCTIONS, RIPPLE, TESTS, Row, rows_of
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers
NAME = "shop/till"
FILES: dict[str, str | bytes] = {
    "src/cart.py": "def checkout(cart):\n    return total(cart)\n",
    "src/price.py": "def total(cart):\n    return sum(cart)\n",
    "src/walls.py": "def paint(colour):\n    return colour\n",
    "tests/test_cart.py": "def test_checkout():\n    assert checkout([1]) == 1\n",
}
CHANGED: dict[str, str | bytes] = {
    "src/cart.py": "def checkout(cart, rate):\n    value = total(cart, rate)\n    return value\n",
    "src/price.py": "def total(cart, rate):\n    return sum(cart)\n",
    "src/new.py": "RATE = 2\n",
    "tests/test_cart.py": "def test_checkout():\n    assert checkout([1], 1) == 1\n",
    "README.md": "# Till\n",
}


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of repositories: one, with a commit that changes it in several ways."""
    git = tmp_path_factory.mktemp("git")
    root = write(git / "shop+till" / "repo", FILES)
    run_git(root, "init", "-q", "-b", "main")
    _commit(root, "A till")
    write(root, CHANGED)
    _commit(root, "The total of a cart takes a rate\n\nTaxes differ by country.")
    write(root, {"src/walls.py": "def paint(colour):\n    return colour or 1\n"})
    _commit(root, "Release 2")
    write(root, {"src/walls.py": "def paint(colour):\n    return colour or 2\n"})
    _commit(root, "Walls are white where the painter names no colour, as suggested by Ann")
    return git


def _commit(root: Path, message: str) -> None:
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", message)


@pytest.fixture(scope="module")
def rows(git: Path) -> dict[str, Row]:
    """The row of each kind."""
    git_dir = repository_folder(git, NAME)
    head = run_git(git_dir.parent, "rev-list", "--reverse", "HEAD").decode().split()
    found = rows_of(git_dir, History(NAME, "test", head[0], head[-1]))
    assert [row.kind for row in found] == ["ripple", "tests", "functions", "functions", "reviews"]
    return {f"{row.kind} {' '.join(row.right)}": row for row in found}


def test_the_file_with_the_most_changed_lines_is_given_and_the_other_sources_are_asked_for(
    rows: dict[str, Row],
) -> None:
    row = rows["ripple src/price.py"]
    assert row.given == ("src/cart.py",)
    assert row.right == ("src/price.py",)  # neither what is new, nor tests and documents


def test_tests_of_a_commit_are_asked_for_with_all_its_sources(rows: dict[str, Row]) -> None:
    assert rows["tests tests/test_cart.py"].given == ("src/cart.py", "src/price.py")


def test_a_review_is_a_message_that_names_one_and_says_enough(rows: dict[str, Row]) -> None:
    assert rows["reviews src/walls.py"].given == ()


def test_a_release_is_no_row(rows: dict[str, Row]) -> None:
    assert len({row.fix for row in rows.values()}) == 2


def test_a_row_reads_back(rows: dict[str, Row]) -> None:
    for row in rows.values():
        assert Row.parse(row.line()) == row


def test_rows_are_asked_in_the_tree_before_their_commits(
    git: Path, rows: dict[str, Row], tmp_path: Path
) -> None:
    served = Served(git, tmp_path, NAME)
    names = [*served.in_time(rows.values())]
    asked = {f"{row.kind} {row.right[-1]}": served.question(row, {}) for row in names}
    text = asked[f"{RIPPLE} src/price.py"].text
    assert text.startswith("diff --git a/src/cart.py")
    assert "+    value = total(cart, rate)" in text
    assert "src/price.py" in asked[f"{TESTS} tests/test_cart.py"].text
    assert asked[f"{FUNCTIONS} src/walls.py"].right == (Place("src/walls.py", 1, 2),)
    assert "white" in asked[f"{FUNCTIONS} src/walls.py"].text


def test_a_checkout_has_the_past_and_not_what_came_after(
    git: Path, rows: dict[str, Row], tmp_path: Path
) -> None:
    row = rows["ripple src/price.py"]
    git_dir = repository_folder(git, NAME)
    check_out(git_dir, row.before, tmp_path / "tree")
    link_past(git_dir, row.before, tmp_path / "tree")
    assert run_git(tmp_path / "tree", "log", "--all", "--format=%s", "HEAD") == b"A till\n"
    assert (tmp_path / "tree" / "src" / "cart.py").read_text() == FILES["src/cart.py"]
    assert not (tmp_path / "tree" / "src" / "new.py").exists()


def test_figures_are_those_worked_out_by_hand() -> None:
    found = [Ranked("x"), Ranked("a"), Ranked("y"), Ranked("z"), Ranked("w"), Ranked("b")]
    row = figures(found, (Place("a"), Place("b")))
    assert (row["mrr"], row["r@5"], row["r@20"]) == (0.5, 0.5, 1.0)
    assert row["f1@4"] == pytest.approx(2 * 1 / (4 + 2))
    assert (row["@1"], row["@5"], row["@10"]) == (0.0, 0.0, 1.0)
    assert (row["any @1"], row["any @5"], row["any @10"]) == (0.0, 1.0, 1.0)


def test_a_function_is_found_by_any_of_its_lines() -> None:
    right = (Place("a", 3, 9), Place("a", 20, 30))
    row = figures([Ranked("a", 1, 2), Ranked("a", 9, 12)], right)
    assert (row["mrr"], row["r@5"]) == (0.5, 0.5)
    assert figures([], right) == dict.fromkeys(row, 0.0)
