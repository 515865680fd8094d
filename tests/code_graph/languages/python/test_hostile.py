"""The Python adapter returns the same facts each time for any text, and never raises."""

from __future__ import annotations

import builtins
import gc
import sys
import threading
import warnings

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import (
    FAILED,
    FULL,
    PARTIAL,
    SKIPPED,
    Facts,
    as_stored,
    decode,
    encode,
)
from code_graph.languages.python.adapter import adapter
from code_graph.languages.python.source import MAX_CHARACTERS, MOST_LEVELS, quiet_parser

PYTHON = adapter()

# what the parser refuses, each for another reason
REFUSED = {
    "unclosed": "def f(:\n",
    "nul": "def f(): pass\n\0",
    "deep brackets": "(" * 300 + ")" * 300,
    "open brackets": "(" * 100_000,
    "indents": "".join(" " * level + "if x:\n" for level in range(150)),
    "minus": "x = " + "-" * 20_000 + "1",
    "not": "x = " + "not " * 20_000 + "1",
    "lambda": "x = " + "lambda:" * 20_000 + "1",
    "power": "x = " + "2**" * 20_000 + "1",
    "sum": "x = 1" + "+1" * 20_000,
    "elif": "if x: pass\n" + "elif x: pass\n" * 20_000,
    "calls": "f" + "()" * 20_000,
    "attributes": "a" + ".b" * 20_000,
    "large number": "x = " + "9" * 5_000,
    "python 2": "print 'hello'\n",
    "only returns": "x = 1\rdef f():\r    pass\r",
    "unknown string prefix": "x = q'a'\n",
    "bytes outside ASCII": "x = b'é'\n",
    "two marks": "\ufeff\ufeffx = 1\n",
    "unfinished f-string": "x = f'{'\n",
    "a level too many": "x = 1" + "+1" * (MOST_LEVELS - 1),
}
# what it takes although it looks as if it should not
TAKEN = {
    "empty": "",
    "blanks": " \t\f\n\n",
    "cookie": "# -*- coding: rot13 -*-\nqrs = 1\n",
    "unknown cookie": "# -*- coding: no-such-thing -*-\nx = 1\n",
    "mark": "\ufeffdef f(): pass\n",
    "surrogate in a string": "x = '\ud800'\n",
    "return in a string": "x = 'a\rb'\n",
    "minus": "x = " + "-" * 500 + "1",
    "large hexadecimal": "x = 0x" + "f" * 100_000,
    "attributes": "import a\na" + ".b" * 500,
    "one line": "x = [" + "'é', f(), " * 10_000 + "]\n",
    "invalid escape": "x = '\\d'\n",
    "is with a literal": "x = 1 is 1\n",
    "statements": "x = 1;" * 20_000,
    "elif": "if x: pass\n" + "elif x: y = 1\n" * 900,
    "levels": "x = 1" + "+1" * (MOST_LEVELS - 2),
}


def facts(text: str) -> Facts:
    found = PYTHON.facts("x.py", text)
    assert PYTHON.facts("x.py", text) == found
    assert decode(encode(found)) == as_stored(found)
    lines = text.count("\n") + 1
    assert all(1 <= one.start_line <= one.end_line <= lines for one in found.declarations)
    assert all(1 <= cut <= lines for cut in found.cuts)
    return found


@pytest.mark.requirement("INT-10.3-unparseable")
@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_of_text_that_the_parser_refuses_only_what_is_repaired_is_shown(text: str) -> None:
    found = facts(text)
    assert found.status == (PARTIAL if found.declarations else FAILED)
    assert PYTHON.outline("x.py", text) == found.declarations


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_text_that_the_parser_accepts_has_full_facts_and_code(text: str) -> None:
    assert facts(text).status == FULL
    assert PYTHON.code("x.py", text) is not None


@pytest.mark.parametrize("text", [*REFUSED.values(), *TAKEN.values()], ids=[*REFUSED, *TAKEN])
def test_a_recursion_limit_raised_by_another_thread_changes_nothing(text: str) -> None:
    usual = facts(text), PYTHON.code("x.py", text)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(12 * limit)
    try:
        assert (facts(text), PYTHON.code("x.py", text)) == usual
    finally:
        sys.setrecursionlimit(limit)


def test_a_file_that_is_too_large_is_skipped() -> None:
    text = "def f(): pass\n" + "#" * MAX_CHARACTERS
    assert facts(text) == Facts("python", SKIPPED)
    assert PYTHON.outline("x.py", text) == ()


def test_a_table_of_a_million_numbers_is_skipped() -> None:
    assert facts("x = [" + "1," * 600_000 + "]\n").status == SKIPPED


def test_a_long_file_of_few_tokens_is_read() -> None:
    text = "x = '''" + "word " * 300_000 + "'''\ndef f(): pass\n"
    assert [item.name for item in facts(text).declarations] == ["x", "f"]


def test_nothing_is_run_or_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        pytest.fail("the code was run")

    facts("import this_does_not_exist\n")  # loads what is loaded late
    monkeypatch.setattr(builtins, "exec", forbidden)
    monkeypatch.setattr(builtins, "eval", forbidden)
    facts("import this_does_not_exist\nraise SystemExit\n")
    assert "this_does_not_exist" not in sys.modules


@pytest.mark.parametrize("breaker", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\r"])
def test_a_line_ends_at_a_line_feed_and_nowhere_else(breaker: str) -> None:
    text = f"x = 'a{breaker}b'\n# {breaker}c\ndef f(): pass\n"
    assert [(item.name, item.start_line) for item in facts(text).declarations] == [
        ("x", 1),
        ("f", 3),
    ]


def test_a_byte_order_mark_is_a_character_of_the_first_line() -> None:
    (found,) = facts("\ufeffdef f(): pass\n").declarations
    assert (found.name_line, found.name_column) == (1, 5)


def test_line_ends_of_windows_are_line_ends() -> None:
    text = "def f(a,\r\n      b):\r\n    '''Doc.\r\n\r\n    More.'''\r\nclass A: pass\r\n"
    function, klass = facts(text).declarations
    assert (function.end_line, klass.start_line) == (5, 6)
    assert (function.signature, function.doc) == ("def f(a, b)", "Doc.\n\nMore.")


def test_collection_and_warnings_are_as_before_even_with_threads() -> None:
    before = list(warnings.filters)
    threads = [
        threading.Thread(target=facts, args=("x = '\\d'\n" * number,)) for number in range(20)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert facts("x = '\\d'; y = 1 is 1\n").status == FULL
    assert gc.isenabled()
    assert list(warnings.filters) == before


def test_collection_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        facts("x = 1\n")
        assert not gc.isenabled()
    finally:
        gc.enable()
    with quiet_parser:
        assert not gc.isenabled()
    assert gc.isenabled()


WORDS = (
    "def class f A ( ) : , . = [ ] { } 'a' # é @ * -> lambda if else: try: import from async await",
    "match case _ type global self.x ; with 0x1 1",
)
PIECES = st.sampled_from(
    [*" ".join(WORDS).split(), '"""', "\\", *"\n\r\t\f\0\ufeff\ud800", "\r\n", "\n    "]
)


@given(st.lists(PIECES, max_size=40).map(" ".join) | st.text(max_size=80))
def test_any_text_is_answered(text: str) -> None:
    facts(text)
    PYTHON.outline("x.py", text)
    PYTHON.symbol_hints(text)
