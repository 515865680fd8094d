"""The rules of a language read by lines: its units, the ends of blocks, comments and texts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Final, TypeAlias

from index_format.records import Record

# fragments of expressions for comments and texts; what follows a fragment is not looked at
SLASHES: Final = r"//[^\n]*"
BLOCK: Final = r"/\*(?s:.*?)(?:\*/|\Z)"
HASH: Final = r"\#[^\n]*"
# where a `#` within a word begins no comment
HASH_ALONE: Final = r"(?:^|(?<=[\s;]))\#[^\n]*"
DASHES: Final = r"--[^\n]*"
DOUBLE: Final = r'"(?:[^"\\\n]|\\.)*"?'
SINGLE: Final = r"'(?:[^'\\\n]|\\.)*'?"
TRIPLE: Final = r'"""(?s:.*?)(?:"""|\Z)'
# stands for each character of a text
FILLER: Final = "\0"

# the offset behind a unit, by the text without comments, where the unit and its match begin and end
End: TypeAlias = Callable[["Blocks", int, int], int]


class Unit(Record):
    """A kind of declaration, and the pattern of its head.

    The groups of the pattern are `name`, and `parameters`, `bases`, `returns` where it has them. A
    unit is declared only directly inside of units of the kinds in `inside`; "" is the file.
    """

    kind: str
    pattern: str
    end: End
    inside: tuple[str, ...] | None = None
    modifiers: tuple[str, ...] = ()
    # true if a name may have several units, of which the first one counts: of a variable
    is_once: bool = False
    # true if the names are a list of words
    is_list: bool = False
    # what files of other languages have before the name
    prefix: str = ""


class LineRules(Record):
    """The rules of one language."""

    name: str
    units: tuple[Unit, ...]
    comments: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    # where the ends of blocks are words: those that begin and those that end one
    opening: str = ""
    closing: str = ""
    # the pattern of a file that another one names, with the groups `module`, `name`, `alias`
    imports: str = ""
    # a word of the language; where names are declared and used in any letter case
    word: str = r"[^\W\d]\w*"
    ignores_case: bool = False
    # kinds whose names are no uses where they stand elsewhere
    unused: frozenset[str] = frozenset({"field", "column", "enumerator", "key"})
    # kinds in which nothing else is a unit of the file
    functions: frozenset[str] = frozenset({"function", "method", "constructor", "macro"})


class Blocks:
    """A text without comments and texts, and where its blocks end."""

    def __init__(self, text: str, rules: LineRules) -> None:
        """Nothing is looked for yet."""
        self.text = text
        self._rules = rules
        self._closing: dict[int, int] | None = None
        self._openings: list[int] = []
        self._trimmed: dict[int, int] = {}

    def trimmed(self, end: int) -> int:
        """An offset, before the blanks in front of it."""
        found = self._trimmed.get(end)
        if found is None:
            found = end
            while found and self.text[found - 1].isspace():
                found -= 1
            self._trimmed[end] = found
        return found

    def line_end(self, offset: int) -> int:
        """The end of the line at an offset."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end

    def block(self, start: int, match_end: int) -> int:
        """The end of the block of braces behind a head, or of the statement that has none.

        A head goes on in lines that are indented more, and before a brace.
        """
        depth = 0
        text = self.text
        for found in _STOPS.finditer(text, match_end):
            char = found[0]
            if char in "([":
                depth += 1
            elif char in ")]":
                depth -= 1
                if depth < 0:
                    return found.start()
            elif depth > 0:
                continue
            elif char == "{":
                return self.closing_brace(found.start())
            elif char in ";}" or not self._goes_on(start, found.start()):
                return found.start() + (char == ";")
        return len(text)

    def _goes_on(self, start: int, line_end: int) -> bool:
        """True if the head of a unit goes on in the line below."""
        following = _NOT_BLANK.search(self.text, line_end)
        if following is None:
            return False
        if following[0] in "{)":
            return following[0] == ")" or "\n\n" not in self.text[line_end : following.start()]
        return self._indent(following.start()) > self._indent(start)

    def _indent(self, offset: int) -> int:
        begin = self.text.rfind("\n", 0, offset) + 1
        row = self.text[begin : self.line_end(offset)]
        return len(row) - len(row.lstrip())

    def closing_brace(self, start: int) -> int:
        """The offset behind the brace that closes the one at an offset."""
        depth = 0
        for found in _BRACES.finditer(self.text, start):
            depth += 1 if found[0] == "{" else -1
            if not depth:
                return found.end()
        return len(self.text)

    def worded(self, start: int, match_end: int) -> int:
        """The end of the first block in a head whose ends are words."""
        if self._closing is None:
            self._closing = self._pair()
        at = bisect_left(self._openings, start)
        if at == len(self._openings) or self._openings[at] > self.line_end(match_end):
            return self.line_end(match_end)
        return self._closing.get(self._openings[at], len(self.text))

    def _pair(self) -> dict[int, int]:
        """The end of each block, by its first word; words in brackets begin and end none."""
        found: dict[int, int] = {}
        left: list[int] = []
        depth = 0
        opening, closing = self._rules.opening, self._rules.closing
        words = re.compile(
            rf"(?P<o>{opening})|(?P<c>{closing})|(?P<inner>[(\[])|(?P<outer>[)\]])", re.MULTILINE
        )
        for match in words.finditer(self.text):
            kind = match.lastgroup
            if kind == "inner":
                depth += 1
            elif kind == "outer":
                depth = max(depth - 1, 0)
            elif depth:
                continue
            elif kind == "o":
                left.append(match.start())
                self._openings.append(match.start())
            elif left:
                found[left.pop()] = match.end()
        return found

    def indented(self, start: int) -> int:
        """The end of the lines below that are indented more than the line of an offset."""
        text = self.text
        begin = text.rfind("\n", 0, start) + 1
        width = len(text[begin:start]) - len(text[begin:start].lstrip(" \t-"))
        end = at = self.line_end(start)
        while at < len(text):
            after = self.line_end(at + 1)
            row = text[at + 1 : after]
            if row.strip():
                if len(row) - len(row.lstrip()) <= width:
                    break
                end = after
            at = after
        return end

    def statement(self, match_end: int) -> int:
        """The end of a statement, behind its semicolon."""
        depth = 0
        for found in _STOPS.finditer(self.text, match_end):
            char = found[0]
            depth += (char in "([{") - (char in ")]}")
            if char == ";" and depth <= 0:
                return found.end()
        return len(self.text)


_STOPS: Final = re.compile(r"[(){}\[\];\n]")
_NOT_BLANK: Final = re.compile(r"\S")
_BRACES: Final = re.compile(r"[{}]")


def by_braces(blocks: Blocks, start: int, match_end: int) -> int:
    """A block of braces, or a statement."""
    return blocks.block(start, match_end)


def by_words(blocks: Blocks, start: int, match_end: int) -> int:
    """A block that ends with a word."""
    return blocks.worded(start, match_end)


def by_indent(blocks: Blocks, start: int, _match_end: int) -> int:
    """The lines that are indented more."""
    return blocks.indented(start)


def by_statement(blocks: Blocks, _start: int, match_end: int) -> int:
    """Up to a semicolon."""
    return blocks.statement(match_end)


def by_line(blocks: Blocks, _start: int, match_end: int) -> int:
    """The end of the line."""
    return blocks.line_end(match_end)


def by_match(_blocks: Blocks, _start: int, match_end: int) -> int:
    """The units that the pattern matches."""
    return match_end


def by_section(pattern: str) -> End:
    """Up to the next line that matches, or the end of the file."""
    following = re.compile(pattern, re.MULTILINE)

    def end(blocks: Blocks, _start: int, match_end: int) -> int:
        found = following.search(blocks.text, match_end)
        return max(match_end, blocks.trimmed(len(blocks.text) if found is None else found.start()))

    return end
