"""An oracle for exact search: Python's `re` over decoded lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from index_format.analysis.content import lines
from repo_mcp.text.files import decode

Spans = tuple[tuple[int, int], ...]


def rows_of_files(files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """The lines of each text file."""
    texts = {path: decode(data) for path, data in files.items()}
    return {path: lines(text.content) for path, text in texts.items() if text is not None}


def matching(rows: Mapping[str, list[str]], pattern: re.Pattern[str]) -> list[tuple[str, int]]:
    """Path and number of each line in which the expression matches, in order."""
    return [
        (path, number)
        for path in sorted(rows, key=str.encode)
        for number, row in enumerate(rows[path], 1)
        if pattern.search(row)
    ]


def compiled(
    pattern: str, *, regex: bool, ignore_case: bool = False, whole_word: bool = False
) -> re.Pattern[str]:
    """The query as a Python expression."""
    escape = _caseless if ignore_case else re.escape
    text = pattern if regex else "".join(map(escape, pattern))
    text = rf"(?<!\w)(?:{text})(?!\w)" if whole_word else text
    return re.compile(text, re.IGNORECASE if ignore_case else 0)


def _caseless(character: str) -> str:
    """Where case is ignored, Python takes Turkish letters for an i, and RE2 does not."""
    if character in "iI":
        return "(?-i:[iI])"
    return f"(?-i:{character})" if character in "\u0130\u0131" else re.escape(character)


def spans(pattern: re.Pattern[str], row: str) -> Spans:
    """The columns of matches with at least one character."""
    return tuple(match.span() for match in pattern.finditer(row) if match.end() > match.start())


def across_lines(rows: Mapping[str, list[str]], literal: str) -> list[tuple[str, int]]:
    """Lines that a literal with line feeds spans; each line ends with a line feed."""
    found: set[tuple[str, int]] = set()
    for path, texts in rows.items():
        whole = "".join(f"{text}\n" for text in texts)
        at = whole.find(literal)
        while at >= 0:
            first = whole.count("\n", 0, at) + 1
            last = whole.count("\n", 0, at + len(literal) - 1) + 1
            found.update((path, number) for number in range(first, last + 1))
            at = whole.find(literal, at + len(literal))
    return sorted(found, key=lambda place: (place[0].encode(), place[1]))
