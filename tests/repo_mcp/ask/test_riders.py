"""Hits and opened lines say what declaration they are in, how it is used, and when it changed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from docs.sample_shop import run_command
from index_format import CorruptIndexError
from repo_mcp.answers.repository import EnclosingDeclaration
from repo_mcp.ask import riders
from repo_mcp.budget import Budget
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, write

TILL = (
    "class Till:\n"
    "    limit = 3\n"
    "\n"
    "    # takes the coins of a buyer\n"
    "    def sell(self, coins):\n"
    "        total = sum(coins)\n"
    "        return total\n"
    "\n"
    "    def close(self):\n"
    "        return self.limit\n"
)
FILES: dict[str, str | bytes] = {
    "till.py": TILL,
    "shop.py": (
        "from till import Till\n\n\ndef open_shop():\n    till = Till()\n    till.sell([1])\n"
        "    return till.sell([2])\n"
    ),
    "tests/test_till.py": (
        "from till import Till\n\n\ndef test_sell():\n    assert Till().sell([3]) == 3\n"
    ),
    "guide.md": "# Guide\n\n## Coins of buyers\n\nThe till sells.\n",
}
SOLD = "in Till.sell (2 uses, 1 in tests"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


def link(call: Caller) -> Caller:
    background = call.app.services.running().background
    background.refresh(FOREVER)
    assert background.wait_until_linked(FOREVER)
    return call


def text_of(call: Caller, name: str, **arguments: object) -> str:
    text: str = call.answer(name, **arguments)["content"][0]["text"]
    return text


def hit_of(call: Caller, **more: object) -> dict[str, Any]:
    """The hit of the method, after a check that the text says the same."""
    asked = {"query": "takes coins of a buyer", "file_glob": "till.py", **more}
    found = call.result("repo.search", **asked)["hits"]
    hit: dict[str, Any] = next(hit for hit in found if hit["symbol"] == "Till.sell")
    uses = "2 uses" if hit["uses"] == 2 else "1 use"
    told = f"in Till.sell ({uses}, 1 in tests, " in text_of(call, "repo.search", **asked)
    assert told is bool(hit["uses"])
    return hit


@pytest.mark.parametrize("more", [{}, {"show": "bodies"}, {"level": "function"}])
def test_hits_count_uses_once_the_graph_is_linked(call: Caller, more: dict[str, str]) -> None:
    call.result("repo.refresh_index")
    unlinked = call.app.services.running().tools.repository.current_graph().graph is None
    hit = hit_of(call, **more)
    assert (hit["uses"], hit["tests"]) == ((0, 0) if unlinked else (2, 1))
    hit = hit_of(link(call), **more)
    symbol = call.result("repo.symbol", name="Till.sell")
    assert (hit["uses"], hit["tests"]) == (2, 1)
    assert (symbol["caller_count"], symbol["test_count"]) == (2, 1)


def test_opened_lines_name_the_declaration_that_most_of_them_are_in(call: Caller) -> None:
    link(call)
    opened = call.result("repo.open_file", path="till.py", start_line=4, end_line=7)
    known = {"symbol": "Till.sell", "uses": 2, "tests": 1, "changed": ""}
    assert opened["around"] == known
    header = text_of(call, "repo.open_file", path="till.py:4-7").splitlines()
    assert f"till.py lines 4-7 of 10 {SOLD})" in header
    head = call.result("repo.open_file", path="till.py", start_line=1, end_line=2)
    assert head["around"]["symbol"] == "Till"
    within = call.result("repo.open_file", path="till.py", start_line=6, end_line=6)
    assert within["around"]["symbol"] == "Till.sell"
    both = call.result("repo.open_file", path="till.py", start_line=1, end_line=10)
    assert both["around"]["symbol"] == "Till"
    whole = call.answer("repo.open_file", path="till.py")
    assert "around" not in whole["structuredContent"]["result"]


def test_of_several_ranges_the_first_in_a_declaration_has_what_is_known(call: Caller) -> None:
    link(call)
    ranges = ["5-6", "6-7", "guide.md:3-5", "shop.py", "nothing.py:1-2"]
    opened = call.result("repo.open_file", path="till.py", ranges=ranges)
    heads = [text.partition("\n")[0] for text in opened["ranges"]]
    assert heads[:2] == [f"till.py:5-6 of 10 {SOLD})", "till.py:6-7 of 10"]
    assert heads[2] == "guide.md:3-5 of 5 in Guide.Coins of buyers"
    assert heads[3] == "shop.py:1-7 of 7"


def test_a_changed_text_has_no_declaration_of_the_one_before(call: Caller, root: Path) -> None:
    link(call)
    write(root, {"till.py": "limit = 4\n\n\n" + TILL})
    opened = call.answer("repo.open_file", path="till.py", start_line=5, end_line=6)
    assert "around" not in opened["structuredContent"]["result"]


def test_a_graph_of_another_text_counts_nothing(call: Caller, root: Path) -> None:
    link(call)
    write(root, {"shop.py": "from till import Till\n\nTill().sell([1])\n"})
    services = call.app.services.running()
    services.tools.repository.manager.refresh_paths(["shop.py"], FOREVER, deep=True)
    assert hit_of(call)["uses"] == 0
    assert hit_of(link(call))["uses"] == 1


def test_ask_shows_them_with_hits_and_with_lines(call: Caller) -> None:
    link(call)
    lines = text_of(call, "repo.ask", names=["till.py:5-7"])
    assert f"till.py:5-7 of 10 {SOLD})" in lines.splitlines()
    assert SOLD in text_of(call, "repo.ask", question="takes coins of a buyer", want="where")


def test_damage_in_the_graph_costs_an_answer_the_numbers_alone(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    link(call)

    def fail(*_: object) -> None:
        raise CorruptIndexError("graph", "postings", 0, "one", "another")

    monkeypatch.setattr(riders, "chunks_into", fail)
    assert hit_of(call)["uses"] == 0
    opened = call.result("repo.open_file", path="till.py", start_line=5, end_line=7)
    assert opened["around"]["symbol"] == "Till.sell"


def test_what_is_not_known_is_not_said() -> None:
    bare = EnclosingDeclaration(symbol="Till.sell")
    assert [*bare.as_text()] == ["in Till.sell"]
    tested = EnclosingDeclaration(symbol="Till.sell", tests=1)
    assert [*tested.as_text()] == ["in Till.sell (1 use in tests)"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.servers
class TestLastChange:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        root = write(tmp_path / "root", FILES)
        run_git(root, "init", "-q", "-b", "main")
        run_git(root, "add", "-A")
        run_git(root, "commit", "-qm", "begin")
        write(root, {"till.py": TILL.replace("total = sum(coins)", "total = sum(coins) + 0")})
        run_git(root, "commit", "-qam", "sell")
        write(
            root, {"till.py": TILL.replace("total = sum(coins)", "total = sum(coins) + 0") + "\n"}
        )
        run_git(root, "commit", "-qam", "later")
        return root

    def test_opened_lines_have_it_as_the_symbol_does(self, call: Caller) -> None:
        link(call)
        call.app.call("repo.history", {"path": "till.py", "words": "sell"}, lambda: False)
        opened = call.result("repo.open_file", path="till.py", start_line=5, end_line=7)
        commit, day, *_ = call.result("repo.symbol", name="Till.sell")["last_commit"].split()
        assert opened["around"]["changed"] == f"{day} {commit}"
        ranges = call.result("repo.open_file", path="till.py", ranges=["5-7"])["ranges"]
        assert ranges[0].startswith(f"till.py:5-7 of 11 {SOLD}, last changed {day} {commit})\n")

    def test_the_command_has_it_as_the_tool_does(self, call: Caller) -> None:
        root, words = Path(call.options.repo_root), ["symbol", "Till.sell"]
        words += ["--data-dir", str(call.data)]
        assert "last changed" not in run_command(root, words).out, "no server has indexed commits"
        link(call)
        call.app.call("repo.history", {"path": "till.py", "words": "sell"}, lambda: False)
        entry = call.result("repo.symbol", name="Till.sell")["last_commit"]
        assert f"last changed: {entry}" in run_command(root, words).out

    def test_of_a_file_with_many_commits_the_last_ones_are_looked_at(self, call: Caller) -> None:
        link(call)
        call.app.call("repo.history", {"path": "till.py", "words": "sell"}, lambda: False)
        tools = call.app.services.running().tools
        assert tools.last_change("till.py", (5, 7), Budget(), walked=1) is None
        found = tools.last_change("till.py", (5, 7), Budget(), walked=2)
        assert found is not None
        assert found.subject == "sell"
