"""Finds the logical lines of Python text that has errors, and a text that stands in for a bad one.

A logical line is a statement without the bodies under it. It ends at a line end outside of brackets
and strings; where a bracket is never closed, at the next line that begins with a word that no
expression holds. A stand-in keeps the name that a line declares, at its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.languages.python.source import parse
from index_format.tuples import NamedTuple

_TOKEN: Final = re.compile(
    r"#[^\n]*"
    r"|\"\"\"(?>(?:[^\\\"]++|\\[\s\S]|\"(?!\"\"))*)(?>(?:\"\"\")?)"
    r"|'''(?>(?:[^\\']++|\\[\s\S]|'(?!''))*)(?>(?:''')?)"
    r"|\"(?:[^\\\"\n]++|\\[\s\S])*+\"?+"
    r"|'(?:[^\\'\n]++|\\[\s\S])*+'?+"
    r"|[()\[\]{}]|\n|\\\r?\n|[^\s#\"'()\[\]{}\\]++|\\"
)
_WORD: Final = re.compile(r"@|[^\W\d]\w*")
# words that begin a statement and are never in an expression
_NEVER_INSIDE: Final = re.compile(
    r"[ \t]*+(?:@[\w.]+(?:\(|\s*$)|(?:def|class|async[ \t]+def|import|return|raise|while|with|try"
    r"|assert|del|pass|break|continue|global|nonlocal|elif|except|finally)\b)"
)
# lines of a string that declare something: the string was not closed where it should be
_SWALLOWED: Final = re.compile(
    r"\n([ \t]*)(?:(?:def|class|async def|import|from)\b|@\w|[^\W\d]\w*[ \t]*(?::[^=\n]+)?=[^=])"
)
_BLANKS: Final = " \t\f\r"

# heads whose block is a branch of the statement before, and what may come before
FOLLOWS: Final = {
    "elif": frozenset({"if", "elif"}),
    "else": frozenset({"if", "elif", "for", "while", "except"}),
    "except": frozenset({"try", "except"}),
    "finally": frozenset({"try", "except", "else"}),
}
_BEFORE: Final = {"elif": "if 1:pass\n", "else": "if 1:pass\n", "except": "try:pass\n"}
_HEADS: Final = frozenset(
    """
    async class def elif else except finally for if match case try while with
    """.split()  # noqa: SIM905 a list of words reads better
)
# a head without what it says, for one that can't be parsed
_PLAIN_HEADS: Final = {
    "if": "if 1:",
    "elif": "elif 1:",
    "else": "else:",
    "while": "while 1:",
    "for": "for [] in 1:",
    "with": "with 1:",
    "try": "try:",
    "except": "except 1:",
    "finally": "finally:",
}
_DECLARED: Final = re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+[^\W\d]\w*")
_TYPE_PARAMETERS: Final = re.compile(r"\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\]")
_TUPLE_PARAMETER: Final = re.compile(r"(?<=[(,])(\s*)\(\s*[\w\s,]*\)")
_OLD_EXCEPT: Final = re.compile(r"(except\b[^,:]*),[^:]*:")
_TYPE_ALIAS: Final = re.compile(r"type[ \t]+([^\W\d]\w*)([^=\n]*)=(?!=)")
_TARGETS: Final = re.compile(r"[^\W\d]\w*(?:\.\w+)*[ \t]*(?::[^=\n]+)?(?:=(?!=)[ \t]*)")


class LogicalLine(NamedTuple):
    """A logical line: its rows, from 0 and without the last, and its text without comments."""

    first: int
    last: int
    column: int
    indent: int  # the column, with tabs expanded
    text: str
    word: str
    is_open: bool  # a bracket is not closed

    @property
    def is_head(self) -> bool:
        """True if it begins a block, or would with a body on the line."""
        if self.word in {"match", "case"}:
            return self.text.endswith(":")
        return self.word in _HEADS


class LineReader:
    """Reads logical lines from any row on; reads no more than its budget, however often."""

    def __init__(self, text: str, rows: list[str], starts: list[int], budget: int) -> None:
        """Read from this text, given its rows and their offsets."""
        self._text = text
        self._rows = rows
        self._starts = starts
        self._left = budget

    @property
    def is_exhausted(self) -> bool:
        """True if too much was read again and again."""
        return self._left < 0

    def read(self, row: int) -> LogicalLine | None:
        """The first logical line from a row on; None if only blank rows are left."""
        while row < len(self._rows):
            bare = self._rows[row].lstrip(_BLANKS)
            if bare and not bare.startswith("#"):
                return self._line(row)
            row += 1
        return None

    def _line(self, row: int) -> LogicalLine:
        begin = self._starts[row]
        begin += len(self._rows[row]) - len(self._rows[row].lstrip(_BLANKS))
        end = code_end = begin
        depth, is_open = 0, False
        for token in _TOKEN.finditer(self._text, begin):
            end, what = token.end(), token[0]
            if what == "\n":
                if depth <= 0:
                    break
                if _NEVER_INSIDE.match(self._text, end):
                    is_open = True
                    break
            elif what[0] not in "#\\":
                depth += (what in "([{") - (what in ")]}")
                code_end = end
        self._left -= end - begin
        newlines = self._text.count("\n", begin, code_end)
        after = row + newlines + 1
        word = _WORD.match(self._text, begin)
        return LogicalLine(
            row,
            after,
            begin - self._starts[row],
            len(self._text[self._starts[row] : begin].expandtabs()),
            self._text[begin:code_end],
            word[0] if word else "",
            is_open or depth > 0,
        )


def is_parsed(line: LogicalLine, text: str) -> bool:
    """True if the parser takes a text in place of a logical line."""
    word = line.word
    if word == "@":
        text += "\ndef f():pass"
    elif line.is_head:
        body = "pass" if text.endswith(":") else ""
        if word == "match":
            body = "\n case _:pass"
        text = _BEFORE.get(word, "") + text + body
        if word == "case":
            text = "match _:\n " + text
        elif word == "try":
            text += "\nfinally:pass"
        elif word == "finally":
            text = "try:pass\n" + text
    return parse(text) is not None


def swallows_declarations(line: LogicalLine) -> bool:
    """True if a string in the line holds lines that declare something at its depth or above."""
    return any(
        len(found[1].expandtabs()) <= line.indent for found in _SWALLOWED.finditer(line.text)
    )


def stand_ins(line: LogicalLine) -> Iterator[str]:
    """Texts to parse in place of a line that is refused, the ones that keep most first."""
    text = line.text
    if _DECLARED.match(text):
        yield from _declaring(text)
    elif line.word in _PLAIN_HEADS:
        head = _head_alone(text)
        if head:
            yield head
        old = _OLD_EXCEPT.match(text)
        if old:
            yield old[1] + ":"
        yield _PLAIN_HEADS[line.word]
    else:
        yield from _simple(text)


def _declaring(text: str) -> Iterator[str]:
    """The head of a function or class with less of it each time."""
    found = _DECLARED.match(text)
    name = found[0] if found else ""
    whole = text.replace("\x00", " ")
    if whole.startswith("[", len(name)):
        bracket = _TYPE_PARAMETERS.match(whole, len(name))
        if bracket:
            whole = name + " " * len(bracket[0]) + whole[bracket.end() :]
    whole = _TUPLE_PARAMETER.sub(_as_name, whole)
    yield whole
    head = _head_alone(whole)
    if head:
        yield head
    yield name + (":" if text.startswith("class") else "():")


def _as_name(found: re.Match[str]) -> str:
    # names of parameters may repeat: that is no matter of syntax
    return found[1] + "_" * (len(found[0]) - len(found[1]))


def _head_alone(text: str) -> str:
    """The head up to its colon, for a body on the same line that is refused."""
    depth = 0
    for token in _TOKEN.finditer(text):
        what = token[0]
        depth += (what in ("(", "[", "{")) - (what in (")", "]", "}"))
        colon = -1 if depth or what[0] in "\"'#" else what.find(":")
        if colon >= 0 and what[colon + 1 : colon + 2] != "=":
            return text[: token.start() + colon + 1]
    return ""


def _simple(text: str) -> Iterator[str]:
    """A simple statement with a plain value, or without its first word: `print x`."""
    alias = _TYPE_ALIAS.match(text)
    if alias:
        blanks = " " * (alias.start(1) - 1)
        yield f"({blanks}{alias[1]}){'=':>{len(alias[2])}}{_plain(text[alias.end() :])}"
    end = 0
    while (target := _TARGETS.match(text, end)) is not None and target.end() > end:
        end = target.end()
    if end:
        yield text[:end] + _plain(text[end:])
        plain = text[:end].partition(":")[0].partition("=")[0]
        yield plain + "=" + _plain(text[len(plain) + 1 :])
    word = _WORD.match(text)
    if word:
        yield " " * word.end() + text[word.end() :]


def _plain(value: str) -> str:
    """A value that spans the same text, so that the statement ends where it does."""
    rows = value.split("\n")
    if len(rows) == 1:
        return " " * (len(value) - 1) + "0"
    if len(rows[0]) < 2:
        return "0"
    return "(0" + "\n" * (len(rows) - 1) + " " * (len(rows[-1]) - 1) + ")"
