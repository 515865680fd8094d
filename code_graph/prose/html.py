"""Finds the headings of HTML, `h1` to `h6`, in one pass over its tags.

Tags in comments, scripts and styles are none. An element that is never closed ends at the next
heading, so that pages which browsers show are read, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import accumulate
from typing import Final

from code_graph.prose.sections import LONGEST_DOC, LONGEST_NAME, Heading

_OPENING: Final = re.compile(
    r"<(?:(?P<comment>!--)|(?P<raw>script|style|textarea)(?=[\s/>])|(?P<end>/?)h(?P<level>[1-6])(?=[\s/>]))",
    re.IGNORECASE,
)
_RAW_END: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea")
}
_TAG: Final = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>|<!--.*", re.DOTALL)
_PARAGRAPH: Final = re.compile(r"<p(?=[\s>])[^<>]*>", re.IGNORECASE)
_PARAGRAPH_END: Final = re.compile(
    r"</?(?:p|div|h[1-6]|ul|ol|dl|table|pre|section|article|body)(?=[\s/>])", re.IGNORECASE
)
# marks that generators of documentation put behind a heading as a link to it
_LINK_MARKS: Final = " \u00b6\U0001f517"
# characters between the tags of a heading, which may have links and images in it
_LONGEST_HEADING: Final = 4000
# characters behind a heading in which its first paragraph begins
_NEAR: Final = 2000
_MOST_ROWS: Final = 40


def headings(rows: Sequence[str]) -> list[Heading]:
    """Every heading with a text, in order."""
    text = "\n".join(rows)
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    spans = [*_spans(text)]
    found = []
    for number, (level, start, begin, end) in enumerate(spans, 1):
        following = spans[number][1] if number < len(spans) else len(text)
        name = _plain(text[begin:end]).rstrip(_LINK_MARKS)
        if not name:
            continue
        first = begin + _before_text(text[begin:end])
        name_line = bisect_right(starts, first)
        found.append(
            Heading(
                level=level,
                kind="section",
                name=name[:LONGEST_NAME],
                signature=f"<h{level}> {name}"[:LONGEST_NAME],
                start=bisect_right(starts, start),
                name_line=name_line,
                name_column=first - starts[name_line - 1],
                doc=_paragraph(text, end, following, starts),
            )
        )
    return found


def doc(rows: Sequence[str], heading: Heading) -> str:
    """The text of the first paragraph below a heading."""
    first, last = heading.doc
    text = "\n".join(rows[first:last])
    # what stands on one line with the heading is behind it
    behind = heading.name_column if first == heading.name_line - 1 else 0
    begin = _PARAGRAPH.search(text, behind)
    if begin is None:
        return ""
    end = _PARAGRAPH_END.search(text, begin.end())
    return _plain(text[begin.end() : end.start() if end else len(text)])[:LONGEST_DOC]


def _spans(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Level, offset of the tag, and the offsets of what is between the tags, of each heading."""
    at = 0
    # the level, the offset of the tag and that behind it of a heading that is open
    opened: tuple[int, int, int] | None = None
    while (match := _OPENING.search(text, at)) is not None:
        at = match.end()
        if match["comment"]:
            end = text.find("-->", at)
            at = len(text) if end < 0 else end
            continue
        if match["raw"]:
            closing = _RAW_END[match["raw"].lower()].search(text, at)
            at = len(text) if closing is None else closing.end()
            continue
        if opened is not None:
            level, start, begin = opened
            yield level, start, begin, _end(text, begin, match.start(), closed=bool(match["end"]))
            opened = None
        if not match["end"]:
            behind = text.find(">", at)
            at = len(text) if behind < 0 else behind + 1
            opened = int(match["level"]), match.start(), at
    if opened is not None:
        level, start, begin = opened
        yield level, start, begin, _end(text, begin, len(text), closed=False)


def _end(text: str, begin: int, end: int, *, closed: bool) -> int:
    """The offset behind a heading's text: without an end tag, it is one line."""
    line_end = -1 if closed else text.find("\n", begin, end)
    return min(end if line_end < 0 else line_end, begin + _LONGEST_HEADING)


def _before_text(text: str) -> int:
    """The offset of the first character that is neither blank nor in a tag."""
    at = 0
    while at < len(text):
        tag = _TAG.match(text, at)
        if tag is not None:
            at = tag.end()
        elif text[at].isspace():
            at += 1
        else:
            return at
    return 0


def _plain(text: str) -> str:
    """The text without tags, and with blanks as a browser shows them."""
    return " ".join(unescape(_TAG.sub("", text)).split())


def _paragraph(text: str, begin: int, end: int, starts: Sequence[int]) -> tuple[int, int]:
    """The rows of the first paragraph between a heading and the next; none if it is far."""
    opening = _PARAGRAPH.search(text, begin, min(end, begin + _NEAR))
    if opening is None:
        return 0, 0
    closing = _PARAGRAPH_END.search(text, opening.end(), opening.end() + LONGEST_DOC)
    last = closing.start() if closing is not None else min(end, opening.end() + LONGEST_DOC)
    first = bisect_right(starts, opening.start()) - 1
    return first, min(bisect_right(starts, last), first + _MOST_ROWS)
