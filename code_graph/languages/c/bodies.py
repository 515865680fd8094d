"""Leaves bodies and initial values out of a text of C, and finds the names of the file in them.

Two thirds of a C file are bodies of functions, and a sixth of the rest are initial values. What is
stored of them is only where they name what the file declares. So the parser gets the text without
them: one that surely declares nothing is replaced by as many line ends, and the names in it are
found by its tokens. `bodies.c` does the same as `plain_bodies` and `plain_uses`.

A body is what stands in braces after the parentheses of a declaration at the top level; an initial
value after the equals sign of one without parentheses. It stays where it may declare something (a
type, a macro, an included file), where conditional compilation leaves its braces unequal, and where
a brace at the margin is not its last: then braces are hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from code_graph.native import NATIVE
from code_graph.treesitter.outline_text import OutlineText, Span, stand_in
from code_graph.treesitter.source import one_byte_each

# kind, begin and end
_Token = tuple[str, int, int]

_COMMENT: Final = rb"(?>/\*[\s\S]*?(?:\*/|\Z))"
_TOKEN: Final = re.compile(
    rb"(?P<hash>(?:\n|\A)[ \t]*+#(?>(?:[^\\\n/]++|\\[\s\S]|/(?!\*)|" + _COMMENT + rb")*))"
    rb"|(?P<none>[ \t\r\f\v]++|\n|//[^\n]*+|" + _COMMENT + rb")"
    rb"|(?P<string>\"(?:[^\"\\\n]++|\\[\s\S])*+\"?|'(?:[^'\\\n]++|\\[\s\S])*+'?)"
    rb"|(?P<word>[A-Za-z_]\w*+)"
    rb"|(?P<other>\d\w*+|[=!<>]=)"
    rb"|(?P<mark>[(){};,=])"
    rb"|(?P<rest>[\s\S])"
)
_DIRECTIVE: Final = re.compile(rb"\n?[ \t]*#[ \t]*([a-z]*)")
_OPENING: Final = frozenset({b"if", b"ifdef", b"ifndef"})
_OTHERWISE: Final = frozenset({b"else", b"elif", b"elifdef", b"elifndef"})
_HARMLESS: Final = frozenset({b"undef", b"pragma", b"error", b"warning", b"line"})
# conditionals and brackets in each other
_DEEPEST: Final = 64
_TYPES: Final = frozenset({b"struct", b"union", b"enum"})
_CONTROL: Final = frozenset({b"if", b"for", b"while", b"switch"})
_BLANKS: Final = b" \t\n\r\f\v"
# bodies of fewer characters are parsed as quickly
_SHORTEST: Final = 16


class BodilessText(OutlineText):
    """A text of C without bodies and initial values that declare nothing."""

    def __init__(self, whole: str, *, values: bool = True) -> None:
        """Leave bodies out of a text, and initial values, too."""
        # a byte for each character
        self._code = one_byte_each(whole)
        spans = [span for span in find_bodies(self._code) if span[1] - span[0] >= _SHORTEST]
        if not values:
            spans = [span for span in spans if not _is_value(self._code, span[0])]
        super().__init__(whole, spans)

    def uses(self, numbers: Mapping[str, int]) -> Iterator[tuple[int, int, str]]:
        """Number, line and name of each use of these names in what was left out."""
        if self.spans:
            names = [name for name in numbers if name.isascii()]
            encoded = [name.encode("ascii") for name in names]
            for at, line in find_uses(self._code, list(self.spans), encoded):
                yield numbers[names[at]], line, names[at]

    def value_places(self) -> Iterator[int]:
        """Where in the text initial values were left out."""
        left = 0
        for begin, end in self.spans:
            if _is_value(self._code, begin):
                yield begin - left
            left += end - begin - len(stand_in(self.whole, begin, end))


class _Nest:
    """Braces of a block, which conditional compilation may leave unequal."""

    def __init__(self) -> None:
        self.depth = 1
        # true if the block declares nothing, and its braces are certain
        self.is_plain = True
        # depth before each conditional, and after its first branch
        self.branches: list[list[int]] = []

    def direct(self, word: bytes) -> bool:
        """Handle a directive; False if there are too many in each other."""
        branches = self.branches
        if word in _OPENING:
            branches.append([self.depth, -1])
            return len(branches) <= _DEEPEST
        if word in _OTHERWISE and branches:
            self._end_branch(branches[-1])
            self.depth = branches[-1][0]
        elif word == b"endif" and branches:
            before, first = branches.pop()
            # without another branch there is one that has nothing
            self.is_plain &= self.depth == (before if first < 0 else first)
            self.depth = self.depth if first < 0 else first
        elif word not in _HARMLESS:
            self.is_plain = False
        return True

    def _end_branch(self, branch: list[int]) -> None:
        if branch[1] < 0:
            branch[1] = self.depth
        self.is_plain &= branch[1] == self.depth


def plain_bodies(code: bytes) -> list[Span]:
    """The spans between braces of bodies and initial values that declare nothing."""
    found: list[Span] = []
    tokens = _tokens(code, 0, len(code))
    statement = _Statement(code)
    for token in tokens:
        kind, begin, end = token
        if kind == "{" and not statement.parentheses:
            if statement.previous == "string":  # extern "C" {
                statement = _Statement(code)
                continue
            close, is_plain = _skip_block(code, tokens)
            if close < 0:
                break
            is_function = statement.may_be_function()
            if is_plain and (is_function or statement.may_be_value(end)):
                found.append((end, close))
            if is_function:
                statement = _Statement(code)
            else:
                statement.previous = "}"
        elif kind in "};" and (not statement.parentheses or _is_at_margin(code, token)):
            statement = _Statement(code)
        elif kind != "hash":
            statement.add(kind, code[begin:end])
    return found


class _Statement:
    """The state of a top-level declaration before its braces."""

    def __init__(self, code: bytes) -> None:
        self._code = code
        self.previous = ""
        self.parentheses = 0
        self._word = b""
        # the word before the last parentheses
        self._opener = b""
        self._is_assigned = False
        self._is_called = False
        self._has_type = False

    def add(self, kind: str, text: bytes) -> None:
        """Add a token."""
        if kind == "(":
            self.parentheses += 1
            self._is_called = True
            if self.parentheses == 1:
                self._opener = self._word if self.previous == "word" else b""
        elif kind == ")":
            self.parentheses -= self.parentheses > 0
        if self.parentheses:
            return
        if kind == "word":
            if self.previous == ")" and text.startswith(b"__"):
                return  # an attribute behind parameters
            self._word = text
            self._has_type |= text in _TYPES
        self._is_assigned |= kind == "="
        self.previous = kind

    def may_be_function(self) -> bool:
        """True if braces hold a body; behind what may be an attribute of a type are members."""
        if self.previous != ")" or self._is_assigned or self._opener in _CONTROL:
            return False
        return not self._has_type or (self._opener[:2] not in {b"", b"__"})

    def may_be_value(self, begin: int) -> bool:
        """True if an initial value begins here, but not that of a pointer to a function."""
        return self.previous == "=" and not self._is_called and _is_value(self._code, begin)


def _is_value(code: bytes, begin: int) -> bool:
    """True if an equals sign stands before the brace before an offset, and blanks between them."""
    at = begin - 2
    while at >= 0 and code[at] in _BLANKS:
        at -= 1
    return at >= 0 and code[at] == _EQUALS


def _skip_block(code: bytes, tokens: Iterator[_Token]) -> tuple[int, bool]:
    """The end of the block just opened, -1 if there is none, and true if it is plain."""
    nest = _Nest()
    in_type = False
    for token in tokens:
        kind, begin, end = token
        if kind == "hash":
            directive = _DIRECTIVE.match(code, begin, end)
            if not nest.direct(directive[1] if directive else b""):
                return -1, False
        elif kind == "word":
            word = code[begin:end]
            nest.is_plain &= word != b"typedef"
            in_type |= word in _TYPES
            continue
        elif kind == "}":
            nest.depth -= 1
            if nest.depth <= 0:
                return begin, nest.is_plain and not nest.branches
            nest.is_plain &= not _is_at_margin(code, token)
        elif kind in "({":
            nest.depth += kind == "{"
            nest.is_plain &= not in_type
        in_type = False
    return -1, False


def _is_at_margin(code: bytes, token: _Token) -> bool:
    return not token[1] or code[token[1] - 1] == _LINE_FEED


_LINE_FEED: Final = 10
_EQUALS: Final = 0x3D


def _tokens(code: bytes, begin: int, end: int) -> Iterator[_Token]:
    """Tokens but blanks and comments; a mark is its own kind."""
    for found in _TOKEN.finditer(code, begin, end):
        kind = found.lastgroup
        if kind == "mark":
            yield chr(code[found.start()]), found.start(), found.end()
        elif kind != "none":
            yield str(kind), found.start(), found.end()


def plain_uses(code: bytes, spans: Sequence[Span], names: Sequence[bytes]) -> list[Span]:
    """Numbers of the names that are there, and the lines."""
    numbers = {name: number for number, name in reversed([*enumerate(names)])}
    uses: list[Span] = []
    line, at = 1, 0
    for begin, end in spans:
        for kind, start, stop in _tokens(code, begin, end):
            number = numbers.get(code[start:stop]) if kind == "word" else None
            if number is not None:
                line += code.count(b"\n", at, start)
                at = start
                uses.append((number, line))
    return uses


find_bodies: Final = plain_bodies if NATIVE is None else NATIVE.find_bodies
find_uses: Final = plain_uses if NATIVE is None else NATIVE.find_uses
