"""The command `similar`: copies first, as the tool finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

_BODY = (
    "    total = 0\n"
    "    for item in {items}:\n"
    "        if item.price > 10 and item.count != 0:\n"
    "            total += item.price * item.count\n"
    "    return total\n"
)
FILES: dict[str, str | bytes] = {
    "a/sums.py": f"def sum_prices(items):\n{_BODY.format(items='items')}",
    "b/copy.py": f"def sum_prices(items):\n{_BODY.format(items='items')}",
    "b/other.py": (
        "def greet(name):\n"
        "    words = ['hello', name]\n"
        "    print(' '.join(words))\n"
        "    return None\n"
    ),
}


@pytest.fixture
def sums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Commands:
    return Commands(tmp_path, FILES, monkeypatch, capfd)


def test_a_copy_comes_first_with_what_it_is(sums: Commands) -> None:
    done = sums("similar", "a/sums.py:sum_prices")
    assert done.code == 0
    assert done.lines[0] == "b/copy.py:1: function b.copy.sum_prices  1.00 copy"
    facts = sums("similar", "a/sums.py:sum_prices", "--json", "--limit", "1").facts
    (row,) = facts["results"]
    assert (row["symbol"]["file_path"], row["near_duplicate"]) == ("b/copy.py", "copy")
    assert facts["symbol"]["file_path"] == "a/sums.py"


def test_a_file_that_has_changed_is_read_again(sums: Commands) -> None:
    assert "copy" in sums("similar", "a/sums.py:sum_prices").lines[0]
    write(sums.root, {"b/copy.py": "def sum_prices(items):\n    return 0\n"})
    assert " copy" not in sums("similar", "a/sums.py:sum_prices").out


def test_without_vectors_it_says_what_turned_them_off(sums: Commands) -> None:
    done = sums("similar", "a/sums.py:sum_prices", "--no-embeddings")
    assert (done.code, done.out) == (2, "")
    assert "embeddings are turned off" in done.err


def test_of_a_name_that_means_two_the_likelier_one_is_meant(sums: Commands) -> None:
    done = sums("similar", "sum_prices", "--json")
    assert done.code == 0
    assert len(done.facts["choices"]) == 1


def test_what_is_declared_elsewhere_has_no_code_here(shop: Commands) -> None:
    done = shop("similar", "math.floor")
    assert done.code == 2
    assert "declared elsewhere" in done.err
