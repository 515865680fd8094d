"""Lines that are printed can't control a terminal, and stay readable."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given, strategies as st

from repo_mcp.console import HIDDEN, print_error, print_json, print_line, print_styled, visible

BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
LINE_ENDS = {"Zl", "Zp"}


def test_what_is_escaped_is_what_unicode_calls_control_and_direction_and_line_ends() -> None:
    found = {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Cc", *LINE_ENDS}
        or unicodedata.bidirectional(chr(code)) in BIDIRECTIONAL
    }
    marks = {0x061C, 0x200E, 0x200F}
    assert set(HIDDEN) == (found | marks) - {ord("\t")}


@given(st.text())
def test_all_other_text_stays_and_no_line_ends_within(text: str) -> None:
    shown = visible(text)
    assert shown.split("\n") == shown.splitlines() or not shown
    assert visible(shown) == shown
    kept = "".join(mark for mark in text if ord(mark) not in HIDDEN)
    if kept == text:
        assert shown == text


def test_a_line_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("a\nb\x1b\t\u202e\u00e9")
    print_error("c\r\nd\x9b")
    print_styled("\x1b[1me\x1b[0m")
    assert capsys.readouterr() == (
        "a\\x0ab\\x1b\t\\u202e\u00e9\n\x1b[1me\x1b[0m\n",
        "c\\x0d\\x0ad\\x9b\n",
    )


def test_json_keeps_every_character_and_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"a\x1b\u202e": ["\x9b\u2028", None]}
    print_json(record)
    print_json(record, indent=2)
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    first, _, second = out.partition("\n")
    assert json.loads(first) == json.loads(second) == record


def test_an_error_is_not_output_when_standard_error_is_closed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    print_error("x")
    assert capsys.readouterr().out == ""
