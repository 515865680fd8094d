"""`repo-mcp ask` prints the record of `repo.ask`, from an index that it makes if need be."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import dispatch
from repo_mcp.app import App
from repo_mcp.settings import Options
from tests.repo_mcp.tree_files import write

FILES: dict[str, str | bytes] = {
    "shop/tax.py": "RATE = 2\n\n\ndef add_tax(net):\n    return net * RATE\n",
    "shop/prices.py": "from shop.tax import add_tax\n\n\ndef total(a):\n    return add_tax(a)\n",
    "tests/test_prices.py": "from shop.prices import total\n\n\ndef test_total():\n    total(1)\n",
}


def stand_still() -> float:
    """A clock on which no search ends before it has looked at each line."""
    return 1.0


class Shop:
    """The program in a repository that has no index yet."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.root, self.data = write(folder / "root", FILES), folder / "data"
        self._monkeypatch, self._capsys = monkeypatch, capsys
        monkeypatch.chdir(self.root)

    def ask(self, *line: str) -> tuple[int, str, str]:
        """The exit code, and what is printed and complained about."""
        return self.run("ask", *line)

    def run(self, *line: str) -> tuple[int, str, str]:
        """The same for any command."""
        given = [*line, "--repo-root", str(self.root), "--data-dir", str(self.data)]
        self._monkeypatch.setattr(sys, "argv", ["repo-mcp", *given])
        code = dispatch.run(stand_still)
        return code, *self._capsys.readouterr()

    def tool(self, **arguments: object) -> dict[str, Any]:
        """The answer of the tool."""
        options = Options(str(self.root), str(self.data), watch=False)
        answer = App(options, stand_still).call("repo.ask", arguments, lambda: False)
        result: dict[str, Any] = answer["structuredContent"]["result"]
        return {name: value for name, value in result.items() if name != "tour"}


@pytest.fixture
def shop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shop:
    return Shop(tmp_path, monkeypatch, capsys)


def test_without_an_index_it_makes_one_and_begins_with_the_verdict(shop: Shop) -> None:
    code, told, complained = shop.ask("--name", "add_tax", "--want", "uses")
    assert code == 0
    assert told.startswith("answered\nshop.tax.add_tax: function, shop/tax.py:4-5 (python)\n")
    assert " shop/prices.py\n  5 in total: return add_tax(a)\n" in told
    assert "indexing 3/3 files" in complained
    assert "note:" not in complained


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        (["where", "is", "the", "tax", "added"], {"question": "where is the tax added"}),
        (
            ["--name", "add_tax", "--want", "tests", "--more", "uses: total", "--more", "RATE"],
            {"names": ["add_tax"], "want": "tests", "more": ["uses: total", "RATE"]},
        ),
        (
            ["--from", "total", "--to", "add_tax"],
            {"from": "total", "to": "add_tax"},
        ),
        (
            ["--name", "shop/tax.py:1-4", "--name", '"return net"', "--max-chars", "2000"],
            {"names": ["shop/tax.py:1-4", '"return net"'], "max_chars": 2000},
        ),
        (["--want", "tour"], {"want": "tour"}),
    ],
    ids=["words", "names", "flow", "lines", "tour"],
)
def test_its_record_is_that_of_the_tool(
    shop: Shop, line: list[str], arguments: dict[str, object]
) -> None:
    assert shop.ask("RATE")[0] == 0  # what is indexed and linked by now, both have
    code, told, _ = shop.ask(*line, "--json")
    assert code == 0
    record = json.loads(told)
    assert record.pop("warnings") == []
    assert record == shop.tool(**arguments)


def test_a_file_is_named_as_the_current_folder_sees_it(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root / "shop")
    code, told, _ = shop.ask("--name", "tax.py:1-1")
    assert (code, told) == (0, "answered\nshop/tax.py:1-1 of 5 in RATE\n1: RATE = 2\n")


def test_a_change_since_the_last_question_counts(shop: Shop) -> None:
    assert shop.ask("--name", "late_fee")[0] == 1
    write(shop.root, {"shop/fees.py": "def late_fee():\n    return 3\n"})
    code, told, complained = shop.ask("what", "is", "the", "late", "fee")
    assert code == 0
    assert "shop/fees.py:1-2 in late_fee" in told
    assert "note:" not in complained


def test_what_is_not_there_ends_with_1_and_no_question_with_2(shop: Shop) -> None:
    code, told, _ = shop.ask("--name", "nothing_like_this", "--name", "nor_this")
    assert code == 1
    assert told.startswith("not in this repository: ")
    code, told, complained = shop.ask()
    assert (code, told) == (2, "")
    assert "question or names are missing. See `repo-mcp ask --help`." in complained


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["--name", '"a $ of it"'], "repo-mcp search -F 'a $ of it' -S"),
        (["--name", "paid", "--want", "uses"], "repo-mcp refs --limit 1000 shop.bills.paid"),
    ],
)
def test_the_next_step_is_a_command_that_shows_all(
    shop: Shop, line: list[str], expected: str
) -> None:
    rows = [f"    paid({at})  # a $ of it\n" for at in range(300)]
    bills = "".join(f"def pay_{at}():\n{row}" for at, row in enumerate(rows))
    write(shop.root, {"shop/bills.py": f"def paid(at):\n    return at\n\n\n{bills}"})
    _, told, _ = shop.ask(*line, "--max-chars", "6000", "--json")
    assert json.loads(told)["next"] == expected
    code, shown, _ = shop.run(*shlex.split(expected)[1:])
    assert code == 0
    assert "paid(299)" in shown
