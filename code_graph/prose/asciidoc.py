"""Finds the headings of AsciiDoc in one pass over its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph.prose.sections import LONGEST_DOC, LONGEST_NAME, Heading

_HEADING: Final = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
# lines that open a block of text that is shown or passed on as it is, and close it
_VERBATIM: Final = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}|~{4,})[ \t]*(?:[\w-]+)?")
# attributes, conditions and the like are no text
_NO_TEXT: Final = re.compile(r":[\w!-]+:|\[.*\]$|//|(?:ifdef|ifndef|ifeval|endif|include)::")
_MARKS: Final = re.compile(r"[*_`#]{1,2}(?=\S)|(?<=\S)[*_`#]{1,2}(?!\w)")
_MOST_ROWS: Final = 40


def headings(rows: Sequence[str]) -> list[Heading]:
    """Every heading outside blocks that are shown as they are, in order."""
    found: list[Heading] = []
    block = ""
    for number, row in enumerate(rows):
        fence = _VERBATIM.fullmatch(row.rstrip())
        if block:
            if row.rstrip() == block:
                block = ""
        elif fence is not None:
            block = fence[1]
        else:
            match = _HEADING.match(row)
            if match is not None:
                found.append(_heading(rows, number, match))
    return found


def doc(rows: Sequence[str], heading: Heading) -> str:
    """The first paragraph below a heading."""
    first, last = heading.doc
    return "\n".join(row.strip() for row in rows[first:last])[:LONGEST_DOC]


def _heading(rows: Sequence[str], number: int, match: re.Match[str]) -> Heading:
    marks, text = match[1], match[2].strip()
    shown = text.removesuffix(f" {marks}").rstrip()
    return Heading(
        level=len(marks),
        kind="section",
        name=(_MARKS.sub("", shown) or shown)[:LONGEST_NAME],
        signature=rows[number].strip()[:LONGEST_NAME],
        start=number + 1,
        name_line=number + 1,
        name_column=match.start(2),
        doc=_paragraph(rows, number + 1),
    )


def _paragraph(rows: Sequence[str], begin: int) -> tuple[int, int]:
    """The rows of the first paragraph; none if something else comes first."""
    while begin < len(rows) and (not rows[begin].strip() or _NO_TEXT.match(rows[begin])):
        begin += 1
    end = begin
    while end < len(rows) and end - begin < _MOST_ROWS and _is_text(rows[end]):
        end += 1
    return begin, end


def _is_text(row: str) -> bool:
    return bool(row.strip()) and not _HEADING.match(row) and not _VERBATIM.fullmatch(row.rstrip())
