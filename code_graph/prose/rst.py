"""Finds headings of reStructuredText: section titles and objects of Sphinx directives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph.prose.sections import LONGEST_DOC, LONGEST_NAME, Heading, words

_ADORNMENTS: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# a shorter line of punctuation is an adornment only if it is as long as its title
_SURE_ADORNMENT: Final = 4
# directives nest below every section, deeper ones below shallower
_DIRECTIVE_LEVEL: Final = 1000
_MAX_DIRECTIVE_INDENT: Final = 80

_MARKUP: Final = re.compile(r"\.\.(?=\s|$)\s*(?:([A-Za-z][\w.+:-]*?)::(?=\s|$))?")
_OTHER_MARKUP: Final = re.compile(r"\.\.\s+(?:_|\[|\|)")
_BULLET: Final = re.compile(r"[-*+\u2022](?=\s)")
_INDENTED: Final = re.compile(r"[ \t]+")
_MARK: Final = re.compile(
    r"\\(.)|:[\w:+.-]+:(?=`)|`_{1,2}(?!\w)|_(?=`)|\*+|`+|(?<=\w)_(?!\w)|\|(?=\w)|(?<=\w)\|"
)
_SHORTENED: Final = re.compile(r":[\w:+.-]+:`~(?:\w+\.)*(\w+)`")
_TARGET: Final = re.compile(r"`~?([^`<]*?)\s*<[^`<>]*>`")

# the last name of a directive, and the kind of the object that it describes
_OBJECTS: Final = {
    "function": "function",
    "coroutinefunction": "function",
    "decorator": "function",
    "method": "method",
    "coroutinemethod": "method",
    "classmethod": "method",
    "staticmethod": "method",
    "abstractmethod": "method",
    "decoratormethod": "method",
    "class": "class",
    "exception": "class",
    "attribute": "property",
    "property": "property",
    "data": "variable",
    "var": "variable",
    "member": "field",
    "macro": "macro",
    "struct": "struct",
    "union": "union",
    "enum": "enum",
    "enum-class": "enum",
    "enum-struct": "enum",
    "enumerator": "enumerator",
    "type": "type",
    "concept": "concept",
}
_DOMAINS: Final = words("py c cpp js")
# directives whose content is prose
_PROSE_DIRECTIVES: Final = words(
    """
    note warning tip hint important caution danger attention error admonition seealso todo
    versionadded versionchanged deprecated versionremoved container topic sidebar only ifconfig
    compound rst-class class-desc py-module module currentmodule autoclass autofunction automodule
    automethod autoexception tab tabs tab-set tab-item dropdown card grid
    """
)
_PREFIXES: Final = words("abstract async class classmethod const final static")
_OBJECT_NAME: Final = re.compile(r"~?[^\W\d](?:[\w.:~]*\w)?")


def headings(rows: Sequence[str]) -> list[Heading]:
    """Every title and described object, in order."""
    scanner = _Scanner(rows)
    scanner.run()
    return scanner.found


def doc(rows: Sequence[str], heading: Heading) -> str:
    """The first paragraph below a title or signature."""
    first = heading.doc[0]
    if not first:
        return ""
    last = first
    margin = _indent(rows[first])
    while (
        last < min(len(rows), first + 40) and rows[last].strip() and _indent(rows[last]) == margin
    ):
        last += 1
    text = "\n".join(row.strip() for row in rows[first:last])[:LONGEST_DOC]
    return (
        "" if text.startswith((".. ", ":")) and "`" not in text.partition("\n")[0] else plain(text)
    )


def plain(text: str) -> str:
    """Inline text without its marks."""
    text = _SHORTENED.sub(r"\1", _TARGET.sub(r"\1", text))
    text = _MARK.sub(r"\1", text).strip()
    return text.removesuffix(":") if text.endswith("::") else text


def _indent(row: str) -> int:
    blanks = _INDENTED.match(row)
    return len(blanks[0].expandtabs(8)) if blanks else 0


def _is_adornment(row: str) -> bool:
    return row[0] in _ADORNMENTS and row == row[0] * len(row)


class _Scanner:
    """Reads rows one by one; keeps the open objects between two rows."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows
        self.found: list[Heading] = []
        self._levels: dict[tuple[str, bool], int] = {}
        self._domain = "py"
        # rows indented further than this are not read as markup: code, comments, options
        self._literal = -1
        # described objects that have not ended yet: their indentation and number
        self._open: list[tuple[int, int]] = []
        self._last = -1
        # the last row with a signature
        self._described = -1
        # a heading without documentation yet, and the least indentation of its documentation
        self._undocumented: tuple[int, int] = (-1, 0)

    def run(self) -> None:
        """Read all rows."""
        rows, number, at_start_of_block = self.rows, 0, True
        while number < len(rows):
            row = rows[number]
            used = 1
            if not row or row.isspace():
                at_start_of_block = True
            elif row[0] in " \t":
                self._indented(number, row)
                at_start_of_block = True
            else:
                self._close(0)
                if row.startswith("..") and (len(row) == 2 or row[2].isspace()):
                    self._markup(number, row, 0)
                    at_start_of_block = True
                elif at_start_of_block and (used := self._title(number)):
                    pass
                else:
                    used = 1
                    at_start_of_block = self._text(number, row, 0)
                self._last = number + used - 1
            number += used
        self._close(0)

    def _indented(self, number: int, row: str) -> None:
        margin = _indent(row) if self._open or self._literal >= 0 else 1
        if self._open:
            self._close(margin)
        self._last = number
        if 0 <= self._literal < margin:
            return
        self._literal = -1
        text = row.lstrip(" \t")
        if text.startswith(".. "):
            self._markup(number, row, _indent(row))
        else:
            self._text(number, text, _indent(row))

    def _text(self, number: int, text: str, margin: int) -> bool:
        """Read a row of a paragraph or list; returns False: no title can begin inside one."""
        self._literal = -1
        if text.rstrip().endswith("::"):
            bullet = _BULLET.match(text)
            inner = len(text) - len(text[1:].lstrip()) if bullet else 0
            self._literal = margin + inner
        heading, least = self._undocumented
        if heading >= 0 and margin >= least and number > self._described and text[0] != ":":
            self._document(heading, number)
        return False

    def _document(self, heading: int, number: int) -> None:
        self.found[heading] = self.found[heading]._replace(doc=(number, number))
        self._undocumented = (-1, 0)

    def _title(self, number: int) -> int:
        """The number of rows of the title at a row, or 0."""
        rows = self.rows
        over = rows[number].rstrip()
        overlined = _is_adornment(over)
        after = rows[number + 1 : number + 3]
        if len(after) < 1 + overlined or not after[-1 if overlined else 0].strip():
            return 0
        under = after[1 if overlined else 0].rstrip()
        title = after[0] if overlined else rows[number]
        if not title.strip() or not _is_adornment(under) or (overlined and under[0] != over[0]):
            return 0
        if len(under) < min(_SURE_ADORNMENT, len(title.strip())) or _BULLET.match(title):
            return 0
        self._section(number, title, (under[0], overlined))
        return 2 + overlined

    def _section(self, number: int, title: str, adornment: tuple[str, bool]) -> None:
        level = self._levels.setdefault(adornment, len(self._levels))
        signature = title.strip()[:LONGEST_NAME]
        line = number + 1 + adornment[1]
        column = len(title) - len(title.lstrip())
        self._undocumented = (len(self.found), 0)
        self._literal = -1
        name = plain(signature) or signature
        self.found.append(Heading(level, "section", name, signature, number + 1, line, column))

    def _close(self, margin: int) -> None:
        """End the objects that a row at this margin is not part of."""
        while self._open and self._open[-1][0] >= margin:
            _, number = self._open.pop()
            self.found[number] = self.found[number]._replace(end=self._last + 1)
            if self._undocumented[0] == number:
                self._undocumented = (-1, 0)

    def _markup(self, number: int, row: str, margin: int) -> None:
        self._last = number
        markup = _MARKUP.match(row, len(row) - len(row.lstrip()))
        self._literal = margin
        if markup is None or markup[1] is None:
            if _OTHER_MARKUP.match(row.lstrip()):
                self._literal = -1
            return
        domain, _, kind = markup[1].lower().rpartition(":")
        domain = domain or self._domain
        if kind == "default-domain":
            self._domain = row[markup.end() :].strip()
        elif kind in _OBJECTS and domain in _DOMAINS:
            self._literal = -1
            self._objects(number, markup.end(), margin, (domain, kind))
        elif kind in _PROSE_DIRECTIVES:
            self._literal = -1

    def _objects(self, number: int, begin: int, margin: int, what: tuple[str, str]) -> None:
        """Read all signatures of one directive, one below the other."""
        for line in range(number, len(self.rows)):
            row = self.rows[line]
            text = row[begin if line == number else 0 :].strip()
            if line > number and (not text or text[0] == ":" or _indent(row) <= margin):
                break
            self._described = line
            name = _object_name(text, what[0])
            if name:
                column = row.find(name, begin if line == number else 0)
                self._object(line, column, name, margin, text, what[1])

    def _object(
        self, line: int, column: int, name: str, margin: int, signature: str, kind: str
    ) -> None:
        plain_name = name.replace("::", ".").rpartition(".")[2]
        level = _DIRECTIVE_LEVEL + min(margin, _MAX_DIRECTIVE_INDENT)
        self._open.append((margin, len(self.found)))
        self._undocumented = (len(self.found), margin + 1)
        self.found.append(
            Heading(
                level,
                _OBJECTS[kind],
                plain_name[:LONGEST_NAME],
                signature[:LONGEST_NAME],
                line + 1,
                line + 1,
                column + len(name) - len(plain_name),
                modifiers=frozenset(("documented",)),
            )
        )


def _object_name(signature: str, domain: str) -> str:
    """The name in a signature, qualified as written there, or empty."""
    head = signature[:LONGEST_NAME].partition("(")[0].partition("=")[0].rstrip("; ")
    if domain in ("c", "cpp"):
        words = head.partition("[")[0].replace("*", " ").replace("&", " ").split()
        head = words[-1] if words else ""
    else:
        words = head.partition(":")[0].partition("[")[0].split()
        head = words[-1] if words and words[0] in _PREFIXES else "".join(words[:1])
    return head if _OBJECT_NAME.fullmatch(head) else ""
