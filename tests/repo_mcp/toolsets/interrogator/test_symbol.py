"""`repo.symbol`: a definition, its uses in code and tests, and what is not known, in one answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.symbols import SymbolAnswer
from repo_mcp.ask import Doubt
from repo_mcp.indexing.keep.keeper import LinkedGraph
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.on_demand import OnDemand
from repo_mcp.indexing.workers.on_demand import LinkedNow
from repo_mcp.repository import OpenGraph
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, write

PAUSE = "        number += 1\n" * 5
LONG = "".join(f"    def part_{n}(self):\n        return {n}\n\n" for n in range(40))
FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/base.py": (
        "class Account:\n"
        '    """A kind of account."""\n\n'
        "    def pay(self, amount: int) -> bool:\n"
        "        raise NotImplementedError\n"
    ),
    "shop/cards.py": (
        "from shop.base import Account\n\n\n"
        "class Card(Account):\n"
        "    def pay(self, amount: int) -> bool:\n"
        "        return check(amount)\n\n\n"
        "def check(amount):\n"
        "    return len(str(amount)) < 9\n"
    ),
    "shop/till.py": (
        "from shop.cards import Card\n\n\n"
        "def sell(price):\n"
        "    return Card().pay(price)\n\n\n"
        "def unknown(thing):\n"
        "    return thing.pay(1)\n"
    ),
    "shop/long.py": f'class Long:\n    """Many parts."""\n\n{LONG}',
    "tests/test_till.py": (
        "from shop.cards import Card\nfrom shop.till import sell\n\n\n"
        "def test_sell():\n    assert sell(1)\n\n\n"
        "def test_pay():\n    assert Card().pay(1)\n\n\n"
        "def check():\n    return 0\n"
    ),
}


class Linked(Caller):
    """The tools of a repository whose graph is linked."""

    def linked(self) -> Linked:
        background = self.app.services.running().background
        background.refresh(FOREVER)
        assert background.wait_until_linked(FOREVER)
        return self

    def symbol(self, name: str, **more: object) -> dict[str, Any]:
        return self.result("repo.symbol", name=name, **more)

    def text(self, name: str, **more: object) -> str:
        """The text without the verdict, which the tests of verdicts look at."""
        text = self.answer("repo.symbol", name=name, **more)["content"][0]["text"]
        rows = (row for row in text.split("\n") if not row.startswith(("verdict: ", "next: ")))
        return "\n".join(rows)


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("symbol")
    return Linked(write(folder / "root", FILES), folder / "data").linked()


@pytest.mark.parametrize("name", ["shop.cards.Card.pay", "Card.pay", "shop/cards.py:6"])
def test_one_call_shows_all_that_is_known_of_a_symbol(call: Linked, name: str) -> None:
    assert call.text(name).splitlines()[:-1] == [
        "shop.cards.Card.pay: method, shop/cards.py:5-6 (python)",
        "5:     def pay(self, amount: int) -> bool:",
        "6:         return check(amount)",
        "extends or overrides: shop/base.py: Account.pay 4",
        "used in code, all 2 places:",
        " shop/till.py",
        "  5 in sell [inferred]: return Card().pay(price)",
        "  9 in unknown [probable]: return thing.pay(1)",
        "used in tests, 1 place:",
        " tests/test_till.py",
        "  10 in test_pay [inferred]",
        "calls 1: 6 check (:9)",
        "not overridden (in the repository)",
        "a change may reach 4 symbols in 2 files, further tests: tests/test_till.py: test_sell 5",
        "complete: each line of code with this name is resolved",
        (
            "all 5 lines with this name: 3 uses, 1 in its declaration, 1 of other symbols"
            " (Account.pay 1, shop/base.py:4)"
        ),
    ]


def test_all_implementers_are_listed_before_lists_of_uses_are_whole(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"base.py": "class Base:\n    def run(self):\n        pass\n"}
    for at in range(12):
        files[f"a_long_name_of_a_folder/kind_{at}.py"] = (
            f"from base import Base\n\n\nclass AKindWithALongName{at}(Base):\n    pass\n\n\n"
            + "".join(f"def make_{at}_{n}() -> Base:\n    return Base()\n\n\n" for n in range(9))
        )
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("Base")
    assert len(found["subtypes"]) == found["subtype_count"] == 12
    assert len(found["callers"]) < found["caller_count"]
    rows = call.text("Base").splitlines()
    begin = rows.index("extended or overridden by 12:")
    assert rows[begin + 1] == " a_long_name_of_a_folder/kind_0.py: AKindWithALongName0 4"
    used = next(row for row in rows if row.startswith("used in code, "))
    assert used == f"used in code, {found['caller_count']} places, {len(found['callers'])} here:"
    assert begin < rows.index(used)


def test_callers_alone_are_more_of_them(tmp_path: Path) -> None:
    callers = "".join(f"def caller_{n}():\n    return target({n})\n\n\n" for n in range(40))
    files: dict[str, str | bytes] = {"m.py": f"def target(n):\n    return other(n)\n\n\n{callers}"}
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    usual, alone = call.symbol("target"), call.symbol("target", callers_only=True)
    assert len(usual["callers"]) < 20
    assert len(alone["callers"]) == 40
    assert (alone["code"], alone["callees"], alone["reached_by"]) == ("", [], 0)
    assert not alone["truncated"]
    assert call.text("target", callers_only=True).startswith(
        "m.target: function, m.py:1-2 (python)\nused in code, all 40 places:\n m.py\n  6 in "
    )


def test_a_function_that_is_handed_on_is_used(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": (
            "class Reader:\n    def begin(self):\n        return run(self.read)\n\n"
            "    def read(self):\n        return 1\n\n\ndef run(work):\n    return work()\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    uses = call.symbol("Reader.read", callers_only=True)["callers"]
    assert [(row["line"], row["symbol"], row["edge_type"]) for row in uses] == [
        (3, "Reader.begin", "references"),
        (10, "run", "calls"),
    ]


def test_functions_that_are_handed_to_a_signal_are_told_with_their_lines(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "signals.py": "from events import Signal, receiver\n\nsaved = Signal()\nother = Signal()\n",
        "handlers.py": (
            "from events import receiver\n\nfrom signals import saved\n\n\n"
            "def add_tags(sender):\n    return sender\n\n\n"
            "def move_file(sender):\n    return sender\n\n\n"
            "@receiver(saved)\ndef write_index(sender):\n    return sender\n\n\n"
            "def unused(sender):\n    return sender\n"
        ),
        "app.py": (
            "from handlers import add_tags, move_file, unused\n"
            "from signals import other, saved\n\n\n"
            "def ready():\n    saved.connect(add_tags)\n    saved.connect(\n        move_file,\n"
            "        weak=False,\n    )\n    other.connect(unused)\n    print(saved, unused)\n"
        ),
        "tests/test_it.py": (
            "from signals import saved\n\n\ndef fake():\n    return 1\n\n\n"
            "def test_it():\n    saved.connect(fake)\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    handed = ["handlers.py: add_tags 6, move_file 10, write_index 15"]
    assert call.symbol("saved")["handed"] == handed
    assert call.symbol("other")["handed"] == ["handlers.py: unused 19"]
    assert f"functions handed to it: {handed[0]}" in call.text("saved")
    assert not call.symbol("add_tags")["handed"]


def test_a_long_function_begins_with_its_first_lines(tmp_path: Path) -> None:
    rows = "".join(f"    step({n})\n" for n in range(100))
    files: dict[str, str | bytes] = {"m.py": f"def target():\n{rows}"}
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    code = call.symbol("target")["code"].splitlines()
    assert (code[0], code[-1]) == ("1: def target():", "40:     step(38)")
    assert "… 61 more lines: repo.open_file m.py 41-101" in call.text("target")


def test_a_long_function_shows_each_call_in_order_before_its_lines(tmp_path: Path) -> None:
    body = f"(number):\n    if number:\n{PAUSE}    return number\n"
    parts = [f"def part_{at}{body}" for at in range(90)]
    accessors = [f"def value_{at}():\n    return {at}\n" for at in range(90)]
    calls = "".join(f"    part_{at}(value_{at}())\n" for at in range(90))
    files: dict[str, str | bytes] = {
        "parts.py": "\n\n".join([*parts, *accessors]),
        "m.py": f"from parts import *\n\n\ndef run(number):\n{calls}",
    }
    found = Linked(write(tmp_path / "root", files), tmp_path / "data").linked().symbol("run")
    assert found["callee_count"] == 180
    rows = [row.split() for row in found["callees"]]
    assert [name for _, name, _ in rows if "part" in name] == [f"part_{at}" for at in range(90)]
    assert [int(line) for line, *_ in rows] == sorted(int(line) for line, *_ in rows)
    text = "\n".join(SymbolAnswer(**{**found, "code": NumberedLines()}).as_text())
    assert f"… {180 - len(rows)} more" in text
    assert found["code"] == "4: def run(number):"


def test_a_use_of_a_mock_in_a_test_is_told_apart(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "src/main/java/a/Log.java": "package a;\nclass Log {\n  int size() { return 1; }\n}\n",
        "src/test/java/a/LogTest.java": (
            "package a;\nclass LogTest {\n  @Test void testReal() { new Log().size(); }\n"
            "  @Test void testOther(Log log) {\n    when(log.size()).thenReturn(2);\n  }\n}\n"
        ),
    }
    found = Linked(write(tmp_path / "root", files), tmp_path / "data").linked().symbol("Log.size")
    rows = [(row["line"], row.get("edge_type", "calls")) for row in found["tests"]]
    assert rows == [(3, "calls"), (5, "mocked")]


def test_of_a_long_text_behind_a_signature_only_its_first_line_is_shown(tmp_path: Path) -> None:
    text = "".join(f"    Part {n} of it.\n" for n in range(50))
    body = "".join(f"    value = {n}\n" for n in range(50))
    code = f'def count(\n    value,\n):\n    """Count.\n\n{text}    """\n{body}'
    root = write(tmp_path / "root", {"a.py": code})
    found = Linked(root, tmp_path / "data").linked().symbol("count")["code"]
    assert found.startswith(
        '1: def count(\n2:     value,\n3: ):\n4:     """Count.\n…\n57:     value = 0\n'
    )
    assert "Part" not in found


def test_calls_with_unknown_targets_are_told_if_something_has_their_names(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "def run(thing):\n    thing.send()\n    thing.nobody_has_this()\n",
        "b.py": "class Post:\n    def send(self):\n        pass\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    assert call.symbol("run")["unknown_callees"] == ["2 send (perhaps Post.send b.py:2)"]


def test_names_go_without_the_package_of_their_file(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "go.mod": "module example.com/shop\n\ngo 1.22\n",
        "till.go": "package shop\n\nfunc Sell() { pay() }\n\nfunc pay() {}\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("pay")
    assert found["name"] == "shop.pay"
    assert [row["symbol"] for row in found["callers"]] == ["Sell"]


def test_each_symbol_of_a_name_tells_how_often_it_is_used(tmp_path: Path) -> None:
    part = "class {}:\n    def goes(self):\n        pass\n\n\n"
    files: dict[str, str | bytes] = {
        "m.py": (
            part.format("A")
            + part.format("B")
            + "def one():\n    A().goes()\n    A().goes()\n    B().goes()\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    text = call.text("goes", callers_only=True).splitlines()
    assert text[1] == "one of 2 of this name, others: B.goes (m.py:7, 1 use)"
    assert "complete: each line of code with this name is resolved, to one of 2 symbols" in text


def test_lines_with_the_name_and_without_a_known_use_are_listed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def target():\n    return 1\n\n\ndef uses():\n    return target()\n",
        "n.py": 'from m import target\n\nNAMES = ["target"]\n# target\ndone = made["x"].target()\n',
        "README.md": "Call target, or not.\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found, text = call.symbol("target"), call.text("target").splitlines()
    assert found["unknown_uses"] + found.get("external_uses", 0) == 1  # of line 5
    assert (found["other_lines"], found["other_line_count"]) == (["n.py:3"], 1)
    counts = {"use": 1, "import": 1, "own": 1, "open": 1, "other": 1, "comment": 1, "document": 1}
    assert found["lines_of_name"] == counts
    assert not found["complete_list"]
    assert any(row.startswith("1 more line with this name (key, ") for row in text)
    assert text[-2] == (
        "all 7 lines with this name: 1 use, 1 import, 1 in its declaration, 1 open, 1 of another"
        " meaning, 1 in comments and texts, 1 in documents"
    )


def test_of_a_function_that_nothing_uses_this_is_said(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def lonely():\n    return used()\n\n\ndef used():\n    return 1\n",
        "test_m.py": "import m\n\n\ndef test_used(at):\n    assert m.used()\n    at.x(m)\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found, text = call.symbol("lonely"), call.text("lonely").splitlines()
    assert found["complete_list"]
    assert "used in code: nowhere" in text
    assert not found.get("possible_tests")
    assert not any(row.startswith("used in code: ") for row in call.text("used").splitlines())


def test_a_test_that_puts_another_in_the_place_of_a_function_is_told_apart(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def target():\n    return 1\n\n\ndef uses():\n    return target()\n",
        "test_m.py": (
            "from unittest.mock import patch\n\nfrom m import uses\n\n\n"
            '@patch("m.target")\ndef test_uses(put):\n    assert uses()\n'
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found, text = call.symbol("target"), call.text("target").splitlines()
    assert found["patched"] == ["test_m.py:6"]
    assert found["complete_list"]
    assert any(row.startswith("patched here") for row in text)


@pytest.mark.parametrize(
    ("more", "complete"),
    [
        ("from m import target\ntarget()\n# target is there\nx = 'target it'\n", True),
        ("x = 'm.target'\n", False),
        # no value has a function of a module that nothing holds
        ("def f(made):\n    made.target()\n", True),
        ("import m\n\ndef f(made):\n    made.target()\n", False),
        ("import m\nif m:\n    x = getattr(m, 'target')\n", False),
    ],
)
def test_uses_are_complete_where_each_line_of_code_is_understood(
    tmp_path: Path, more: str, *, complete: bool
) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def target():\n    return 1\n\n\ndef uses():\n    return target()\n",
        "n.py": more,
        "README.md": "Call target, or not.\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    assert call.symbol("target").get("complete_list", False) is complete


def test_lines_of_a_name_in_very_many_are_not_told(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def target():\n    return 1\n" + "# target\n" * 2000,
        "n.py": "def g():\n    return 1\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    for name in ("target", "g"):
        rows = call.text(name).splitlines()
        assert "uses are those that the graph has: not each line with the name was checked" in rows
        assert not any("resolved" in row for row in rows)


def test_tests_over_calls_of_unknown_receivers_are_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": (
            "class Part:\n    def refresh(self):\n        pass\n\n\n"
            "def run(parts):\n    for part in parts:\n        part.refresh()\n"
        ),
        "tests/test_m.py": "from m import run\n\n\ndef test_it():\n    run([])\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("Part.refresh")
    (use,) = found["callers"]
    assert (use["path"], use["line"], use["confidence"]) == ("m.py", 8, "dispatch")
    assert found["possible_tests"] == ["tests/test_m.py: test_it 4"]
    assert "tests that may reach it: tests/test_m.py: test_it 4" in call.text("Part.refresh")


def test_tests_that_no_edge_leads_from_are_told_apart(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "class Part:\n    def __reduce__(self):\n        return Part, ()\n",
        "tests/test_m.py": "from copy import copy\n\nfrom m import Part\n\n\n"
        "def test_it():\n    copy(Part())\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("Part.__reduce__")
    assert found["possible_tests"] == ["tests/test_m.py: test_it 6"]
    assert not found.get("reaching_tests")


def test_of_many_tests_those_named_after_the_symbol_come_first(tmp_path: Path) -> None:
    tests = "".join(f"def test_{n}():\n    run()\n\n\n" for n in range(30))
    files: dict[str, str | bytes] = {
        "m.py": "def rename_one():\n    pass\n\n\ndef run():\n    rename_one()\n",
        "tests/test_m.py": f"from m import run\n\n\n{tests}def test_that_renames():\n    run()\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    assert call.symbol("rename_one")["reaching_tests"][0].startswith(
        "tests/test_m.py: test_that_renames 124, test_0 4"
    )


def test_of_many_uses_equal_lines_are_left_out(tmp_path: Path) -> None:
    users = "".join(f"def user_{n}():\n    target()\n\n\n" for n in range(30))
    files: dict[str, str | bytes] = {
        "m.py": f"def target():\n    pass\n\n\n{users}def last():\n    return [target()]\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("target")
    assert [row["symbol"] for row in found["callers"]] == ["user_0", "last"]
    assert (found["caller_count"], found["truncated"]) == (31, True)
    assert len(call.symbol("target", callers_only=True)["callers"]) == 31


def test_tests_are_told_from_helpers(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def target():\n    return 1\n",
        "tests/test_m.py": (
            "from m import target\n\n\ndef made():\n    return target()\n\n\n"
            "def test_it():\n    assert made()\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("target")
    assert found["reaching_tests"] == ["tests/test_m.py: test_it 8"]
    assert not found["reaching_helpers"]
    assert "helpers of tests" not in call.text("target")


def test_helpers_of_tests_are_named_where_no_test_is_found(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "m.py": "def target():\n    return 1\n\n\ndef through():\n    return target()\n",
        "tests/test_m.py": "from m import through\n\n\ndef made():\n    return through()\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    rows = call.text("target").splitlines()
    assert (
        "a change may reach 3 symbols in 2 files,"
        " tests: none found (of frameworks, described ones are followed)" in rows
    )
    assert "helpers of tests among them: tests/test_m.py: made 4" in rows


def test_tests_of_javascript_are_told_by_their_titles(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "add.js": "export function add(a) {\n  return a\n}\n",
        "add.test.js": (
            "import { add } from './add'\n\ndescribe('adding', () => {\n"
            "  function made() {\n    return add(1)\n  }\n"
            "  it('adds one', () => {\n    made()\n  })\n"
            "  test.each([1, 2])('adds %i', (n) => {\n    add(n)\n  })\n})\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("add")
    assert [row["symbol"] for row in found["tests"]] == ["adding.made", "adding.adds %i"]
    assert found["reaching_tests"] == ["add.test.js: adding.adds one 7"]
    assert call.symbol("adding.adds one")["kind"] == "test"
    assert call.symbol("adding.made")["callees"] == ["5 add (add.js:1)"]


def test_calls_are_by_line_with_other_packages_behind_and_without_builtins(
    tmp_path: Path,
) -> None:
    files: dict[str, str | bytes] = {
        "m.py": (
            "import os\nfrom n import far\n\n\ndef target(a):\n    print(len(a))\n"
            "    os.getcwd()\n    near()\n    far()\n    os.getpid()\n    near()\n\n\n"
            "def near():\n    pass\n"
        ),
        "n.py": "def far():\n    pass\n",
        "go.mod": "module example.com/m\n\ngo 1.22\n",
        "m.go": (
            'package m\n\nimport "strings"\n\nfunc cut(a []int) {\n\t_ = len(a)\n'
            '\tstrings.TrimSpace("")\n\tlast()\n}\n\nfunc last() {}\n'
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    target, cut = call.symbol("target"), call.symbol("cut")
    assert target["callees"] == ["8 near (:14)", "9 far (n.py:1)"]
    assert target["external_callees"] == ["7 os.getcwd", "10 os.getpid"]
    assert (cut["callees"], cut["external_callees"]) == (
        ["8 last (:11)"],
        ["6 len", "7 strings.TrimSpace"],
    )
    assert (
        "calls 4: 8 near (:14); 9 far (n.py:1); external: 7 os.getcwd, 10 os.getpid"
        in call.text("target").splitlines()
    )


def test_of_several_symbols_code_is_shown_and_the_others_are_named(call: Linked) -> None:
    found = call.symbol("check")
    assert (found["name"], found["path"]) == ("shop.cards.check", "shop/cards.py")
    assert found["others"] == ["check (tests/test_till.py:13)"]


def test_a_method_shows_uses_of_what_overrides_it(call: Linked) -> None:
    found = call.symbol("Account.pay")
    assert [row["confidence"] for row in found["callers"]] == ["probable"]
    assert found["tests"] == []
    uses = [(row["path"], row["line"], row["symbol"]) for row in found["override_uses"]]
    assert uses == [("shop/till.py", 5, "sell"), ("tests/test_till.py", 10, "test_pay")]
    assert "overrides used, 2 places:\n shop/till.py\n  5 in sell" in call.text("Account.pay")


OVERRIDES: dict[str, str | bytes] = {
    "m.py": (
        "import far\n\n\n"
        "class Base:\n    def run(self): ...\n    def alone(self): ...\n"
        "    def __own(self): ...\n\n\n"
        "class Part(Base):\n    def run(self): ...\n    def more(self): ...\n\n\n"
        "class Far(far.Base):\n    def walk(self): ...\n\n\n"
        "class Farther(Far):\n    def fly(self): ...\n\n\n"
        "class Unknown(made_up):\n    def swim(self): ...\n\n\n"
        "def run_all(): ...\n"
    ),
    "Kinds.java": (
        "interface Kind { int kind(); }\n"
        "class First implements Kind { public int kind() { return 1; } int own() { return 2; } }\n"
    ),
    "go.mod": "module example.com/m\n\ngo 1.22\n",
    "m.go": "package m\n\ntype T struct{}\n\nfunc (t T) Go() {}\n",
}
OVERRIDES_NONE, OVERRIDDEN_NONE = "overrides nothing", "not overridden"


@pytest.fixture(scope="module")
def overrides(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("overrides")
    return Linked(write(folder / "root", OVERRIDES), folder / "data").linked()


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("Base.run", (OVERRIDES_NONE,)),
        ("Base.alone", (OVERRIDES_NONE, OVERRIDDEN_NONE)),
        ("Part.run", (OVERRIDDEN_NONE,)),
        ("Part.more", (OVERRIDES_NONE, OVERRIDDEN_NONE)),
        # what a base outside of the repository has is not known
        ("Far.walk", (OVERRIDDEN_NONE,)),
        ("Farther.fly", (OVERRIDDEN_NONE,)),
        ("Unknown.swim", (OVERRIDDEN_NONE,)),
        ("Base.__own", ()),
        ("run_all", ()),
        ("Base", ()),
        ("Kind.kind", (OVERRIDES_NONE,)),
        ("First.kind", (OVERRIDDEN_NONE,)),
        ("First.own", (OVERRIDES_NONE, OVERRIDDEN_NONE)),
        ("T.Go", (OVERRIDES_NONE, OVERRIDDEN_NONE)),
    ],
)
def test_absence_of_overrides_is_said_where_it_is_sure(
    overrides: Linked, name: str, absent: tuple[str, ...]
) -> None:
    found = overrides.symbol(name)
    assert found.get("overrides_nothing", False) is (OVERRIDES_NONE in absent)
    assert found.get("is_not_overridden", False) is (OVERRIDDEN_NONE in absent)
    rows = [
        row
        for row in overrides.text(name).splitlines()
        if row.startswith((OVERRIDES_NONE, OVERRIDDEN_NONE))
    ]
    assert rows == ([f"{', '.join(absent)} (in the repository)"] if absent else [])
    alone = overrides.text(name, callers_only=True)
    assert ("overrid" in alone) is (name == "Base")  # what extends a type uses it
    assert not overrides.symbol(name, callers_only=True).get("reached_files", 0)


def test_absence_of_overrides_is_not_said_of_a_graph_that_may_lack_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Linked(write(tmp_path / "root", OVERRIDES), tmp_path / "data").linked()
    assert OVERRIDDEN_NONE in call.text("Base.alone")
    monkeypatch.setattr(OpenGraph, "current", property(lambda _: False))
    text = call.text("Base.alone")
    assert text.startswith("m.Base.alone: method")
    assert OVERRIDDEN_NONE not in text


def test_overloads_are_one_symbol_for_a_name_and_each_its_own_for_a_line(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Names.java": (
            "class Names {\n"
            "    static int put(int a) { return 1; }\n"
            "    static int put(int a, int b) { return 2; }\n"
            "    int one() { return Names.put(1); }\n"
            "    int two() { return Names.put(1, 2); }\n"
            "}\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    whole, second = call.symbol("Names.put"), call.symbol("Names.java:3")
    assert [row["line"] for row in whole["callers"]] == [4, 5]
    assert whole["overloads"] == ["Names.java: Names.put 3"]
    assert not whole.get("others")
    assert [row["line"] for row in second["callers"]] == [5]


OVERLOADED = (
    "from typing import overload\n\n\nclass Text:\n"
    "    @overload\n    def cut(\n        self,\n        at: int,\n    ) -> str: ...\n"
    "    @overload\n    def cut(self, at: str) -> str: ...\n"
    '    def cut(self, at):\n        """Cut."""\n        return at\n'
)


@pytest.mark.parametrize("name", ["Text.cut", "m.Text.cut", "m.py:Text.cut"])
def test_the_definition_of_an_overloaded_name_is_the_part_with_a_body(
    tmp_path: Path, name: str
) -> None:
    call = Linked(write(tmp_path / "root", {"m.py": OVERLOADED}), tmp_path / "data").linked()
    found = call.symbol(name)
    assert (found["start_line"], found["end_line"]) == (12, 14)
    assert found["parts"] == ["m.py: Text.cut 6, Text.cut 11"]
    (first, *_) = call.result("repo.search", query=name.rpartition(":")[2])["hits"]
    assert first["start_line"] == 12


def test_a_line_of_an_overload_signature_means_this_part(tmp_path: Path) -> None:
    call = Linked(write(tmp_path / "root", {"m.py": OVERLOADED}), tmp_path / "data").linked()
    found = call.symbol("m.py:11")
    assert found["start_line"] == 10
    assert found["parts"] == ["m.py: Text.cut 12, Text.cut 6"]


def test_places_of_annotated_declarations_are_those_of_their_names(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Kinds.java": (
            "interface Kind { int kind(); }\n\n"
            "class First implements Kind {\n"
            "    @Override\n"
            "    @Deprecated\n"
            "    public int kind() { return 1; }\n"
            "}\n"
        ),
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    (subtype,) = call.symbol("Kind.kind")["subtypes"]
    assert subtype.startswith("Kinds.java: ")
    assert subtype.endswith(" 6")


def test_a_type_names_what_extends_it_and_how_it_is_used(call: Linked) -> None:
    found = call.symbol("Account")
    assert found["subtypes"] == ["shop/cards.py: Card 4"]
    assert found.get("caller_count", 0) == 0
    assert call.symbol("Account", callers_only=True)["subtypes"] == ["shop/cards.py: Card 4"]
    assert "not extended" not in call.text("Account")
    assert "not extended (in the repository)" in call.text("Card")


def test_members_of_a_type_are_its_functions_and_then_its_fields(tmp_path: Path) -> None:
    text = (
        "class Base:\n    def run(self):\n        pass\n\n\n"
        "class Own(Base):\n    size = 1\n\n    def __init__(self):\n"
        "        self.one = self.two = 1\n\n    def run(self):\n        pass\n"
    )
    root = write(tmp_path / "root", {"a.py": text + "\n    # …" * 60 + "\n    last = 2\n"})
    call = Linked(root, tmp_path / "data").linked()
    assert call.symbol("Own")["outline"] == [
        "9-10: def __init__(self)",
        "12-13: def run(self) [overrides]",
        "7: size = 1",
        "10: self.one = self.two = 1",
        "75: last = 2",
    ]


def test_a_long_definition_is_an_outline(call: Linked) -> None:
    found = call.symbol("Long")
    assert found["code"] == "1: class Long:"
    assert found["doc"] == "Many parts."
    assert found["outline"][0] == "4-5: def part_0(self)"
    assert "… to line 122" in call.text("Long")
    assert found["truncated"]
    assert len(found["outline"]) < 40 == len(call.symbol("Long", max_chars=9_000)["outline"])


def test_an_answer_has_about_as_many_characters_as_it_may(tmp_path: Path) -> None:
    callers = "".join(f"def caller_{n}():\n    return target({n})\n\n\n" for n in range(300))
    tests = "".join(f"def test_{n}():\n    target({n})\n\n\n" for n in range(300))
    files: dict[str, str | bytes] = {
        "m.py": f"def target(n):\n    return n\n\n\n{callers}",
        "tests/test_m.py": f"from m import target\n\n\n{tests}",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("target")
    assert found["caller_count"] + found["test_count"] == 200
    assert found["truncated"]
    for most in (2_000, 4_000, 8_000):
        assert len(call.text("target", max_chars=most).encode()) <= most + 100


@pytest.mark.servers
def test_before_the_graph_is_linked_the_files_with_the_name_are_linked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Linked(write(tmp_path / "root", FILES | {"m.py": OVERLOADED}), tmp_path / "data")
    whole.linked()
    wanted = {name: whole.symbol(name) for name in ("Card.pay", "check", "Account", "sell")}
    call = _without_link(tmp_path, monkeypatch)
    for name, answer in wanted.items():
        found = call.symbol(name)
        same = ("path", "start_line", "callers", "tests", "callees", "subtypes", "bases")
        assert {key: found.get(key) for key in same} == {key: answer.get(key) for key in same}
        assert not found.get("missing")
        assert not found.get("overrides_nothing")  # nothing is said of files that are not linked
        text = call.text(name)
        assert "symbols are still being linked" in text
        assert re.search(r"the answer is from \d of \d files with the name", text)
    assert call.symbol("shop/cards.py:6")["callers"] == wanted["Card.pay"]["callers"]


def test_without_any_graph_the_definition_is_there_and_the_rest_is_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = _without_link(tmp_path, monkeypatch)
    monkeypatch.setattr(OnDemand, "link", lambda *_: None)
    for name in ("Card.pay", "shop.cards.Card.pay", "shop/cards.py:6"):
        found = call.symbol(name)
        assert (found["path"], found["start_line"]) == ("shop/cards.py", 5)
        assert "return check(amount)" in found["code"]
        assert found["missing"].startswith("callers, callees and tests")
        assert found["possible"] == [
            "shop/base.py:4 in Account.pay",
            "shop/till.py:5 in sell",
            "shop/till.py:9 in unknown",
            "tests/test_till.py:10 in test_pay",
        ]
        text = call.text(name)
        assert "unresolved" not in text
        assert "used in code: not known yet" in text
    assert call.symbol("check")["path"] == "shop/cards.py"
    assert call.symbol("Text.cut")["start_line"] == 12
    # no file has it, whatever is linked
    assert call.refusal("repo.symbol", name="absent")["code"] == "symbol_missing"


@pytest.mark.servers
def test_uses_in_files_that_are_not_linked_yet_are_not_known_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = _without_link(tmp_path, monkeypatch)
    assert "used in code: no place found" in call.text("Long")
    link = OnDemand.link

    def link_fewer(*arguments: Any) -> LinkedNow | None:  # noqa: ANN401 as it takes them
        found = link(*arguments)
        return found and found._replace(linked=0)

    monkeypatch.setattr(OnDemand, "link", link_fewer)
    assert "used in code: not known yet" in call.text("Long")
    assert call.symbol("Long")["missing"].startswith("uses, as other files are not linked yet (")
    assert call.symbol("check")["caller_count"] == 1


def test_uses_are_missing_where_not_all_files_with_the_name_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = _without_link(tmp_path, monkeypatch)
    assert not call.symbol("Card.pay").get("missing")
    monkeypatch.setattr("repo_mcp.repository.word_lines._MOST", 1)
    found = call.symbol("Card.pay")
    assert "uses, as other files are not linked yet (" in found["missing"]
    assert not found["complete_list"]


def _without_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Linked:
    """A repository that is indexed, and whose graph is never linked."""
    root = write(tmp_path / "root", FILES | {"m.py": OVERLOADED})
    call = Linked(root, tmp_path / "unlinked")
    services = call.app.services.running()
    services.background.refresh(FOREVER)
    monkeypatch.setattr(type(services.background), "wait_until_linked", lambda *_: False)
    monkeypatch.setattr(IndexManager, "graph", _without_graph)
    return call


def _without_graph(_: object) -> LinkedGraph:
    return LinkedGraph(None, current=False)


def test_a_name_that_is_repeated_is_one_of_those_of_a_call(call: Linked) -> None:
    answer = call("repo.symbol", name="check", names=["check"] * 12)
    assert not any("left for another call" in text for text in answer["warnings"])


def test_a_name_of_nothing_is_refused_with_names_like_it(call: Linked) -> None:
    found = call.refusal("repo.symbol", name="check_all")
    assert found["code"] == "symbol_missing"
    assert "near it: " in found["reason"]
    assert call.refusal("repo.symbol", name=" ")["code"] == "argument_invalid"


def test_edited_files_are_followed_and_removed_ones_are_left_out(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    call = Linked(root, tmp_path / "data").linked()
    assert call.symbol("check")["caller_count"] == 1
    write(root, {"shop/more.py": "from shop.cards import check\n\n\ndef more():\n    check(2)\n"})
    assert call.symbol("check")["caller_count"] == 2
    (root / "shop/more.py").unlink()
    assert call.symbol("check")["caller_count"] == 1
    (root / "shop/cards.py").unlink()
    assert call.symbol("check")["path"] == "tests/test_till.py"


def test_what_reaches_a_caller_reaches_the_symbol(tmp_path: Path) -> None:
    chain = "def f0():\n    pass\n\n" + "".join(
        f"def f{n}():\n    f{n - 1}()\n\n" for n in range(1, 13)
    )
    test = "from chain import f12\n\ndef test_all():\n    f12()\n"
    files: dict[str, str | bytes] = {"chain.py": chain, "tests/test_chain.py": test}
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    reached = [call.symbol(name) for name in ("f0", "f9")]
    assert [found["reached_by"] for found in reached] == [14, 5]
    assert [found["reaching_tests"] for found in reached] == [
        ["tests/test_chain.py: test_all 3"],
        ["tests/test_chain.py: test_all 3"],
    ]


def test_what_reaches_more_than_is_followed_is_a_number_and_the_nearest_tests(
    tmp_path: Path,
) -> None:
    callers = "".join(f"def caller_{n}():\n    target()\n\n" for n in range(1_000))
    tests = "".join(f"def test_{n}():\n    target()\n\n" for n in range(12))
    files: dict[str, str | bytes] = {
        "m.py": f"def target():\n    pass\n\n{callers}",
        "tests/test_m.py": f"from m import target\n\ndef made():\n    target()\n\n{tests}",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("target")
    assert (found["reach_is_cut"], found["reached_by"]) == (True, 1_000)
    assert found["reaching_helpers"] == []
    (row,) = [row for row in call.text("target").splitlines() if row.startswith("a change")]
    nearest = "a change may reach at least 1000 symbols, nearest tests: tests/test_m.py: "
    assert row.startswith(nearest)
    assert "more" not in row


def test_receivers_of_its_methods_are_no_uses_of_a_type(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "go.mod": "module example.com/m\n\ngo 1.22\n",
        "m.go": "package m\n\ntype T struct{ n int }\n\nfunc use(t *T) int { return t.Name() }\n",
        "name.go": "package m\n\nfunc (c *T) Name() int { return c.n }\n\nfunc (c *T) Idle() {}\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("T")
    assert [(row["path"], row["line"]) for row in found["callers"]] == [("m.go", 5)]
    assert found["caller_count"] == 1
    assert (found["reached_by"], found["reached_files"]) == (1, 1)


def test_uses_on_values_from_outside_are_named_with_their_places(tmp_path: Path) -> None:
    users = "".join(f"def user_{n}():\n    outside.made().pay({n})\n\n\n" for n in range(9))
    files: dict[str, str | bytes] = {
        "m.py": "class Account:\n    def pay(self):\n        return 1\n",
        "far.py": f"import outside\n\n\n{users}",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("Account.pay")
    places = [f"far.py:{5 + 4 * n} in user_{n}: outside.made().pay({n})" for n in range(9)]
    assert found["external_uses"] == 9
    assert found["external"] == [*places[:5], "… 4 more"]
    assert call.symbol("Account.pay", callers_only=True)["external"] == places
    listed = "; ".join(places[:5])
    line = f"same name, on values from outside: {listed}; … 4 more"
    assert line in call.text("Account.pay").splitlines()


@pytest.mark.parametrize(("method", "is_complete"), [("getTotal", False), ("getOther", True)])
def test_an_accessor_on_an_unknown_value_may_be_a_property(
    tmp_path: Path, method: str, *, is_complete: bool
) -> None:
    files: dict[str, str | bytes] = {
        "a/Cart.kt": "package a\nclass Cart(val total: Int)\n",
        "a/Use.java": (
            "package a;\nimport other.Sink;\n"
            f"class Use {{ void f(Sink sink) {{ sink.made().{method}(); }} }}\n"
        ),
    }
    found = Linked(write(tmp_path / "root", files), tmp_path / "data").linked().symbol("Cart.total")
    assert found.get("complete_list", False) is is_complete


def test_members_of_a_library_s_types_are_no_uses_from_outside(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a/Log.java": (
            "package a;\nclass Log extends other.Base {\n    void append(String text) { }\n}\n"
        ),
        "a/Use.java": (
            "package a;\nimport other.Sink;\nclass Use {\n"
            "    String f(StringBuilder out) { return out.append(1).toString(); }\n"
            "    void g(Sink sink) { sink.made().append(1); }\n}\n"
        ),
    }
    found = Linked(write(tmp_path / "root", files), tmp_path / "data").linked().symbol("Log.append")
    row = "a/Use.java:5 in Use.g: void g(Sink sink) { sink.made().append(1); }"
    assert found["external"] == [row]
    assert found["external_uses"] == 1


def test_a_call_of_a_class_with_a_constructor_is_one_call(tmp_path: Path) -> None:
    text = """
class Made:
    def __init__(self) -> None: ...

class Plain: ...

def make():
    return Made(), Plain()
"""
    call = Linked(write(tmp_path / "root", {"m.py": text}), tmp_path / "data").linked()
    assert call.symbol("make")["callees"] == ["8 Made.__init__ (:3)", "8 Plain (:5)"]


def test_a_reach_at_its_bound_cuts_no_list(tmp_path: Path) -> None:
    callers = "".join(f"def caller_{n}():\n    middle()\n\n" for n in range(1_100))
    text = f"def target():\n    pass\n\ndef middle():\n    target()\n\n{callers}"
    call = Linked(write(tmp_path / "root", {"m.py": text}), tmp_path / "data").linked()
    found = call.symbol("target")
    assert (found["reach_is_cut"], found.get("truncated", False)) == (True, False)


_BASES = """class Base:
    def run(self):
        return self.step() + self.size

    def step(self):
        return 1

    @property
    def size(self):
        return 1


class Middle(Base):
    pass


class Last(Middle):
    def step(self):
        return 2

    @property
    def size(self):
        return 2
"""


def test_subtypes_of_subtypes_are_listed_apart(tmp_path: Path) -> None:
    call = Linked(write(tmp_path / "root", {"m.py": _BASES}), tmp_path / "data").linked()
    found, text = call.symbol("m.Base"), call.text("m.Base").splitlines()
    assert (found["subtype_count"], found["further_subtype_count"]) == (1, 1)
    assert "extended or overridden by 1: m.py: Middle 13" in text
    assert "and through these by 1: m.py: Last 17" in text


@pytest.mark.parametrize(("name", "line"), [("m.Last.step", 3), ("m.Last.size", 3)])
def test_a_member_is_used_where_what_it_overrides_is(tmp_path: Path, name: str, line: int) -> None:
    call = Linked(write(tmp_path / "root", {"m.py": _BASES}), tmp_path / "data").linked()
    rows = call.symbol(name)["callers"]
    assert [(row["line"], row["confidence"]) for row in rows] == [(line, "dispatch")]


def test_uses_elsewhere_come_before_those_of_the_file_and_of_examples(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a/core.py": "def target():\n    return 1\n\n\ndef own():\n    return target()\n",
        "b/user.py": "from a.core import target\n\ndone = target()\n",
        "aa/examples/show.py": "from a.core import target\n\nmade = target()\n",
        "a/__init__.py": "",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    rows = call.symbol("a.core.target")["callers"]
    assert [row["path"] for row in rows] == ["b/user.py", "a/core.py", "aa/examples/show.py"]


def test_a_member_is_what_its_class_declares_and_not_what_a_method_assigns(tmp_path: Path) -> None:
    text = (
        "class A:\n    def __init__(self, x):\n        if x:\n"
        "            self.run = self.other\n            self.size = 3\n\n"
        "    def other(self):\n        pass\n\n    def run(self):\n        return 1\n\n"
        "    size = 2\n\n\ndef use(a: A):\n    return a.run() + a.size\n"
    )
    call = Linked(write(tmp_path / "root", {"m.py": text}), tmp_path / "data").linked()
    assert call.symbol("run")["start_line"] == 10
    assert call.symbol("size")["start_line"] == 13


def test_the_text_names_many_files_of_possible_tests_by_their_paths() -> None:
    rows = [f"tests/test_{at}.py: test_it 4, test_other 9" for at in range(3)]
    found = SymbolAnswer(
        name="f",
        kind="function",
        language="Python",
        path="m.py",
        start_line=1,
        end_line=2,
        possible_tests=rows,
        complete_list=False,
    )
    (line,) = [row for row in found.as_text() if "may reach it" in row]
    assert line.endswith(": tests/test_0.py; tests/test_1.py; tests/test_2.py")
    assert "test_it" not in line
    assert found.possible_tests == rows


_NOT_UNDERSTOOD = "with this name (key, text that is a name, or a use that is not understood)"
SETTINGS: dict[str, str | bytes] = {
    "site/settings.py": (
        "import os\n\nINSTALLED_APPS = []\nFORMAT = read('SHOP_FORMAT')\n"
        "# SHOP_FORMAT is a comment\n"
    ),
    "use.py": "from django.conf import settings\n\n\ndef use():\n    return settings.FORMAT\n",
    "tests/test_use.py": "def test_it(env):\n    env.set('SHOP_FORMAT', 'x')\n",
    "docs/settings.md": "SHOP_FORMAT says how.\n",
    "chart.yaml": "SHOP_FORMAT: x\n",
}


JOINED: dict[str, dict[str, str | bytes]] = {
    "constants of another class": {
        "a/Names.java": 'package a;\nclass Names {\n  static final String OWN = "shop.";\n}\n',
        "a/Keys.java": (
            "package a;\nclass Keys {\n"
            '  static final String TILL = Names.OWN + "till.";\n'
            '  static final String LIMIT = TILL + "limit";\n}\n'
        ),
    },
    "a format": {
        "a/Keys.java": (
            "package a;\nclass Keys {\n"
            '  static final String BEGIN = "shop.till";\n  static final String UNUSED = "";\n'
            '  static final String LIMIT = String.format("%s.limit", BEGIN);\n}\n'
        ),
    },
    "a formatted text": {
        "keys.py": 'OWN = "shop"\nTILL = f"{OWN}.till"\n\nLIMIT = f"{TILL}.limit"\n'
    },
    "a template": {
        "keys.ts": (
            'const own = "shop.";\nexport const till = own + "till";\nlet unused = 1;\n'
            "export const limit = `${till}.limit`;\n"
        ),
    },
    "a constant of Go": {
        "keys.go": (
            'package shop\nconst own = "shop."\nconst other = "limit"\n'
            'const limit = own + "till.limit"\n'
        ),
        "go.mod": "module example.com/shop\n",
    },
}


@pytest.mark.parametrize("form", JOINED)
def test_a_key_that_code_joins_is_found_by_the_values_of_its_constants(
    tmp_path: Path, form: str
) -> None:
    others: dict[str, str | bytes] = {
        "conf/a.properties": "shop.till.limit=5\n",
        "other.py": 'STORE = "store."\nLIMIT = STORE + "till.limit"\n',
    }
    root = write(tmp_path / "root", {**JOINED[form], **others})
    found = Linked(root, tmp_path / "data").linked().symbol("shop.till.limit")
    (path,) = [path for path in JOINED[form] if "eys." in path]
    line = 5 if form == "a format" else 4
    assert (found["kind"], found["path"], found["start_line"]) == ("setting", path, line)
    assert [row["path"] for row in found["callers"]] == [path]
    assert found["other_lines"] == ["conf/a.properties:1"]


def test_a_member_is_no_key_of_a_setting(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": "def run(shop):\n    return shop.till.limit\n"}
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    assert "symbol_missing" in str(call.refusal("repo.symbol", name="shop.till.limit"))


def test_an_option_of_kconfig_is_its_declaration_with_its_uses(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Kconfig": 'config TILL\n\tbool "A till"\n\tdepends on SHOP\n\nconfig SHOP\n\tbool\n',
        "till.c": "#ifdef CONFIG_TILL\nint open_till(void) { return 1; }\n#endif\n",
        "Makefile": "obj-$(CONFIG_TILL) += till.o\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("CONFIG_TILL")
    assert (found["path"], found["start_line"], found["end_line"]) == ("Kconfig", 1, 3)
    assert [(row["path"], row["line"]) for row in found["callers"]] == [
        ("Makefile", 1),
        ("till.c", 1),
    ]
    (first, *_) = call.result("repo.search", query="CONFIG_TILL")["hits"]
    assert (first["path"], first["start_line"]) == ("Kconfig", 1)


def test_a_variable_of_the_environment_is_answered_by_what_reads_it(tmp_path: Path) -> None:
    call = Linked(write(tmp_path / "root", SETTINGS), tmp_path / "data").linked()
    assert call.text("SHOP_FORMAT").splitlines()[:-1] == [
        "SHOP_FORMAT: setting, site/settings.py:4-4 (python)",
        "4: FORMAT = read('SHOP_FORMAT')",
        "used in code, 2 places:",
        " site/settings.py",
        "  4 in FORMAT [references, setting]: FORMAT = read('SHOP_FORMAT')",
        " use.py",
        "  5 in use [through FORMAT, setting]: return settings.FORMAT",
        "used in tests, 1 place:",
        " tests/test_use.py",
        "  2 in test_it [references, setting]",
        f"1 more line {_NOT_UNDERSTOOD}: chart.yaml:1",
        "all 4 lines with this name: 2 uses, 1 in its declaration, 1 in documents",
    ]


def test_a_name_in_capitals_that_no_code_has_is_missing(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"m.py": "x = 1\n", "README.md": "SHOP_FORMAT\n"}
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    assert call.answer("repo.symbol", name="SHOP_FORMAT")["isError"]


def test_a_template_is_a_use_or_a_line_that_could_add_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "app/shop.ts": (
            "import { Component } from '@angular/core'\n"
            "@Component({ templateUrl: './shop.html' })\n"
            "export class Shop {\n  openTill() {}\n  shutTill() {}\n}\n"
        ),
        "app/shop.html": '<p (click)="openTill()"></p>\n<p [x]="others.shutTill"></p>\n',
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    opened, shut = call.symbol("Shop.openTill"), call.symbol("Shop.shutTill")
    assert [(row["path"], row["line"]) for row in opened["callers"]] == [("app/shop.html", 1)]
    assert opened["complete_list"]
    assert shut["other_lines"] == ["app/shop.html:2"]
    assert not shut.get("complete_list", False)


def test_requests_that_are_not_seen_are_said(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "server.py": "from flask import Flask\n@app.route('/items')\ndef items(): ...\n",
        "client.py": "import requests\nrequests.get('/items')\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("items")
    assert (found["complete_list"], found["doubts"]) == (False, [Doubt.REQUESTS])


def test_a_handler_without_a_known_request_is_not_said_to_be_unused(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "server.py": "from flask import Flask\n@app.route('/items')\ndef items(): ...\n",
        "client.py": "import requests\n\n\ndef ask(url):\n    requests.get(url)\n",
    }
    call = Linked(write(tmp_path / "root", files), tmp_path / "data").linked()
    found = call.symbol("items")
    assert (found["complete_list"], found["doubts"]) == (False, [Doubt.FRAMEWORK])


MOCKED_GO: dict[str, str | bytes] = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "shop/state.go": (
        "package shop\n\n"
        "type State interface {\n\tRetry(\n\t\tcount int, // how often\n\t) error\n}\n\n"
        "type state struct{}\n\nfunc (s *state) Retry(count int) error { return nil }\n\n"
        "func Run(s State) error { return s.Retry(1) }\n"
    ),
    "shop/state_mock.go": (
        "package shop\n\ntype MockState struct{ recorder *MockStateRecorder }\n"
        "type MockStateRecorder struct{}\n\n"
        "func (m *MockState) Retry(count int) error { return nil }\n"
        "func (m *MockState) EXPECT() *MockStateRecorder { return m.recorder }\n"
        "func (r *MockStateRecorder) Retry(count any) {}\n"
    ),
    "shop/test_kit.go": "package shop\n\nfunc TestState() State { return &state{} }\n",
    "shop/state_test.go": (
        'package shop\n\nimport "testing"\n\n'
        "func TestRetry(t *testing.T) { (&state{}).Retry(2) }\n\n"
        "func TestMocked(t *testing.T) {\n\tm := &MockState{}\n\tm.EXPECT().Retry(1)\n\tRun(m)\n}\n"
    ),
}


def test_a_method_names_what_is_called_alike_and_is_no_part_of_it(tmp_path: Path) -> None:
    call = Linked(write(tmp_path / "root", MOCKED_GO), tmp_path / "data").linked()
    found = call.symbol("state.Retry")
    assert [row["line"] for row in found["callers"]] == [13]
    assert found["namesakes"] == [
        "MockState.Retry (shop/state_mock.go:6)",
        "MockStateRecorder.Retry (shop/state_mock.go:8, 1 use)",
    ]
    tests = [row["symbol"] for row in found["tests"]]
    assert "TestRetry" in tests
    changed = call.symbol("State.Retry")["reaching_tests"]
    assert not any("TestState" in row for row in changed)


def test_several_names_are_answered_in_one_call(call: Linked) -> None:
    found = call.symbol("Card.pay", names=["check", "sell", "Card.pay"])
    names = [found["name"], *(other["name"] for other in found["others_asked"])]
    assert [name.rpartition(".")[2] for name in names] == ["pay", "check", "sell"]
    assert found["caller_count"] == call.symbol("Card.pay")["caller_count"]
    text = call.text("Card.pay", names=["check"])
    assert "\n\nshop.cards.check: function, shop/cards.py" in text


def test_a_name_without_a_symbol_is_said_and_takes_no_other_answer_away(call: Linked) -> None:
    answer = call.answer("repo.symbol", name="nowhere_at_all", names=["check"])
    content = answer["structuredContent"]
    assert content["result"]["name"].endswith("check")
    assert any("nowhere_at_all" in warning for warning in content["warnings"])
    refused = call.answer("repo.symbol", name="nowhere_at_all", names=["neither_here"])
    assert refused["isError"]


def test_a_name_that_is_empty_is_refused_and_names_over_the_limit_are_told(call: Linked) -> None:
    refused = call.answer("repo.symbol", name="check", names=[" "])
    assert "argument_invalid" in refused["content"][0]["text"]
    many = ["check", "sell", *(f"name{n}" for n in range(9))]
    content = call.answer("repo.symbol", name="Card.pay", names=many)["structuredContent"]
    assert any("left for another call: name7, name8" in text for text in content["warnings"])
