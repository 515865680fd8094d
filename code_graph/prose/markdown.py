"""Finds the headings of Markdown in one pass over its lines.

Blocks are recognised as in CommonMark, as far as headings depend on it: in code, HTML, quotes and
list items, text that looks like a heading is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from code_graph.prose.sections import LONGEST_DOC, LONGEST_NAME, Heading, words

_FENCES: Final = "`~"
# text that is empty or begins with these is no paragraph that could continue outside its quote
_NO_PARAGRAPH: Final = "#`~<"
_SHORTEST_FENCE: Final = 3
_CODE_INDENT: Final = 4
_TAB: Final = 4
# nested list items that are recognised on one line
_MARKERS_PER_LINE: Final = 8
_MARKER: Final = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)")
_ATX: Final = re.compile(r"#{1,6}(?=[ \t]|$)")
_HTML_UNTIL: Final = (
    (re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE), "</"),
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile(r"<![A-Za-z]"), ">"),
)
# tags that begin an HTML block, which ends at a blank line; other tags only if alone on the line
_HTML_TAG: Final = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|$)")
_HTML_BLOCKS: Final = words(
    """
    address article aside base basefont blockquote body caption center col colgroup dd details
    dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
    head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option
    p param search section summary table tbody td tfoot th thead title tr track ul
    """
)

_MARKED: Final = re.compile(r"[`*_~\[<\\]")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS: Final = re.compile(r"\*+|~~|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_ATTRIBUTES: Final = re.compile(r"\{[^{}]*\}$")
_CLOSING_MARKS: Final = re.compile(r"(?:^|(?<=[ \t]))#+$")


def headings(rows: Sequence[str]) -> list[Heading]:
    """Every heading of a document outside quotes and lists, in order."""
    scanner = _Scanner(rows)
    scanner.run()
    return scanner.found


def doc(rows: Sequence[str], heading: Heading) -> str:
    """The first paragraph below a heading."""
    first, last = heading.doc
    if not last:
        return ""
    text = "\n".join(row.strip() for row in rows[first:last][:40])
    return plain(text[:LONGEST_DOC])


def plain(text: str) -> str:
    """Inline text without its marks; code spans keep theirs inside."""
    if not _MARKED.search(text):
        return text.strip()
    pieces = text.replace("``", "`").split("`")
    if len(pieces) % 2 == 0:  # the last backquote has no partner
        pieces[-2:] = [f"{pieces[-2]}`{pieces[-1]}"]
    pieces[::2] = [_remove_marks(piece) for piece in pieces[::2]]
    return "".join(pieces).strip()


def _remove_marks(text: str) -> str:
    text = _LINK.sub(r"\1", text)
    text = _LINK.sub(r"\1", text)  # an image inside a link
    text = _EMPHASIS.sub("", _TAG.sub("", text))
    return _ESCAPED.sub(r"\1", text)


class _Scanner:
    """Reads rows one by one; keeps the open blocks between two rows."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows
        self.found: list[Heading] = []
        # the first row of the open top-level paragraph, or -1
        self._paragraph = -1
        # true if the row before is in a paragraph of a quote or list item
        self._inner = False
        # the content columns of open list items
        self._items: list[int] = []
        self._fence = ""
        self._html = ""
        # readers of the blocks that can begin with a character
        self._readers: dict[str, Callable[[int, str, int], bool]] = {
            "#": self._atx,
            "`": self._opens_fence,
            "~": self._opens_fence,
            ">": self._quote,
            "<": self._opens_html,
            "[": self._link_definition,
            **dict.fromkeys("-+*_0123456789", self._rule_or_item),
        }

    def run(self) -> None:
        """Read all rows."""
        rows = self.rows
        for number in range(_after_front_matter(rows), len(rows)):
            row = rows[number]
            if self._fence or self._html:
                if self._inside_block(row):
                    continue
            elif self._paragraph >= 0 and row[:1].isalpha():
                continue
            if not row or row.isspace():
                self._end_paragraph(number)
            else:
                self._row(number, row)
        self._end_paragraph(len(rows))

    def _inside_block(self, row: str) -> bool:
        """True if the row is in an open block of code or HTML; closes the block at its end."""
        blank = not row or row.isspace()
        if self._html:
            if self._html == "\n" if blank else self._html in row:
                self._html = ""
            return True
        if blank:
            return True
        if self._items and _columns(row)[0] < self._items[-1]:
            self._fence = ""  # the list item ends, and the code in it
            return False
        closing = row.strip()
        if closing.startswith(self._fence) and closing == self._fence[0] * len(closing):
            self._fence = ""
        return True

    def _row(self, number: int, row: str) -> None:
        columns, at = _columns(row) if row[0] in " \t" else (0, 0)
        while self._items and columns < self._items[-1]:
            self._items.pop()
        indent = columns - (self._items[-1] if self._items else 0)
        if indent >= _CODE_INDENT:
            return  # code, or the continuation of a paragraph
        first = row[at]
        if first.isalpha() or not self._is_block(number, row, at):
            if self._inner or self._items:
                self._inner = True
            elif self._paragraph < 0:
                self._paragraph = number

    def _is_block(self, number: int, row: str, at: int) -> bool:
        """True if a row is anything but text; if so, updates the state."""
        first = row[at]
        if first in "=-" and self._paragraph >= 0 and self._setext(number, row.strip()):
            return True
        reader = self._readers.get(first)
        return reader is not None and reader(number, row, at)

    def _rule_or_item(self, number: int, row: str, at: int) -> bool:
        if not _is_rule(row):
            return self._list_item(number, row, at)
        self._end_paragraph(number)
        return True

    def _quote(self, number: int, row: str, at: int) -> bool:
        self._end_paragraph(number)
        content = row[at + 1 :].lstrip(" \t")
        self._inner = content[:1] not in _NO_PARAGRAPH
        return True

    def _link_definition(self, number: int, row: str, at: int) -> bool:  # noqa: ARG002 as the other readers
        """True if it is a link definition, which can't interrupt a paragraph."""
        return self._paragraph < 0 and row.find("]:", at) > 0

    def _atx(self, number: int, row: str, at: int) -> bool:
        marks = _ATX.match(row, at)
        if marks is None:
            return False
        self._end_paragraph(number)
        if not self._items:
            begin = marks.end()
            text = row[begin : begin + LONGEST_NAME + 100].rstrip()
            text = _CLOSING_MARKS.sub("", text).rstrip()
            column = begin + len(text) - len(text.lstrip())
            written = f"{marks[0]} {text.strip()}"
            self._add(marks.end() - at, text, written, (number, column))
        return True

    def _setext(self, number: int, underline: str) -> bool:
        if underline != underline[0] * len(underline):
            return False
        first = self._paragraph
        text = " ".join(row.strip() for row in self.rows[first : min(number, first + 20)])
        column = _columns(self.rows[first])[1]
        self._paragraph = -1
        level = 1 if underline[0] == "=" else 2
        self._add(level, text, text, (first, column))
        return True

    def _add(self, level: int, text: str, written: str, place: tuple[int, int]) -> None:
        text = text.strip()[:LONGEST_NAME]
        name = plain(_ATTRIBUTES.sub("", text)) or text
        if name:
            line, column = place[0] + 1, place[1]
            signature = written[:LONGEST_NAME]
            self.found.append(Heading(level, "section", name, signature, line, line, column))

    def _opens_fence(self, number: int, row: str, at: int) -> bool:
        mark = row[at]
        end = len(row) - len(row[at:].lstrip(mark))
        if end - at < _SHORTEST_FENCE or (mark == "`" and "`" in row[end:]):
            return False
        self._end_paragraph(number)
        self._fence = mark * (end - at)
        return True

    def _opens_html(self, number: int, row: str, at: int) -> bool:
        text = row[at:]
        for begin, until in _HTML_UNTIL:
            if begin.match(text):
                self._end_paragraph(number)
                self._html = "" if until in text[2:] else until
                return True
        tag = _HTML_TAG.match(text)
        if tag is None:
            return False
        if tag[1].lower() not in _HTML_BLOCKS:
            alone = text.find(">") == len(text.rstrip()) - 1
            if not alone or self._paragraph >= 0 or self._inner:
                return False
        self._end_paragraph(number)
        self._html = "\n"
        return True

    def _list_item(self, number: int, row: str, at: int) -> bool:
        first = _MARKER.match(row, at)
        if first is None or (self._paragraph >= 0 and not _interrupts(first, row)):
            return False
        for _ in range(_MARKERS_PER_LINE):
            marker = _MARKER.match(row, at)
            if marker is None:
                break
            self._end_paragraph(number)
            columns, at = _columns(row, marker.end())
            blank = at == len(row)
            code = columns > _CODE_INDENT
            self._items.append(
                _columns_up_to(row, marker.end()) + (1 if blank or code else columns)
            )
            if blank or code:
                return True
            self._inner = row[at] not in _NO_PARAGRAPH
        if row[at] in _FENCES:
            self._opens_fence(number, row, at)
        return True

    def _end_paragraph(self, number: int) -> None:
        """End the open paragraph; the first below a heading becomes its documentation."""
        first = self._paragraph
        self._paragraph, self._inner = -1, False
        if first < 0 or not self.found or self.found[-1].doc != (0, 0):
            return
        # badges and tables are not documentation
        if not self.rows[first].lstrip().startswith(("![", "[![", "|")):
            self.found[-1] = self.found[-1]._replace(doc=(first, number))


def _after_front_matter(rows: Sequence[str]) -> int:
    mark = rows[0].rstrip() if rows else ""
    if mark not in ("---", "+++"):
        return 0
    ends = ("---", "...") if mark == "---" else ("+++",)
    for number in range(1, len(rows)):
        if rows[number].rstrip() in ends:
            return number + 1
    return 0


def _columns(row: str, begin: int = 0) -> tuple[int, int]:
    """The width of the blanks from an index on, in columns, and the index after them."""
    rest = row[begin:] if begin else row
    end = begin + len(rest) - len(rest.lstrip(" \t"))
    if "\t" not in row[begin:end]:
        return end - begin, end
    return _columns_up_to(row, end) - _columns_up_to(row, begin), end


def _columns_up_to(row: str, end: int) -> int:
    head = row[:end]
    return len(head.expandtabs(_TAB)) if "\t" in head else end


def _interrupts(marker: re.Match[str], row: str) -> bool:
    """True if a list item may interrupt a paragraph: a numbered one only with number 1."""
    starts_at_one = not marker[0][0].isdigit() or marker[0][:-1] == "1"
    return starts_at_one and not row[marker.end() :].isspace() and marker.end() < len(row)


def _is_rule(row: str) -> bool:
    marks = row.replace(" ", "").replace("\t", "")
    return len(marks) >= _SHORTEST_FENCE and marks == marks[0] * len(marks)
