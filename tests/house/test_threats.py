"""Each promise of the threat model names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\|(?! what is tried|---).*\|$", re.MULTILINE)
HELD_BY = re.compile(r"\]\(\.\./(tests/[\w/.]+)\) `(test_\w+)`")


def test_every_row_names_a_test() -> None:
    rows = ROW.findall(PAGE)
    assert rows
    assert [row for row in rows if not HELD_BY.search(row)] == []


def test_every_test_that_is_named_exists() -> None:
    missing = [
        (path, name)
        for path, name in HELD_BY.findall(PAGE)
        if f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert missing == []
