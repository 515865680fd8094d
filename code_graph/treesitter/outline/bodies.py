"""Leaves bodies of functions and macros out of a text of C, and finds what is stored of them.

Two thirds of a C file are bodies, and what is stored of a body is only which of the file's own
names it uses. So the parser gets the text without them: a body that surely declares nothing is
replaced by as many line ends, and its uses are found by its tokens. `bodies.c` does the same as
`plain_bodies` and `plain_uses`.

Half of what C declares are macros, and a macro between declarations is all in its own line: it is
left out too, and `macros.py` makes its facts of where its parts are.

A body is what stands in braces after the parentheses of a declaration at the top level. It stays
where it may declare something (a type, a macro, an included file), where conditional compilation
leaves its braces unequal, and where a brace at the margin is not its last: then braces are hidden.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from code_graph.native import NATIVE
from code_graph.treesitter.source import one_byte_each
from index_format.tuples import NamedTuple

Span = tuple[int, int]
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
_MOST_OPEN: Final = 4096
_TYPES: Final = frozenset({b"struct", b"union", b"enum"})
_CONTROL: Final = frozenset({b"if", b"for", b"while", b"switch"})
# words before a name that is called, of which none is its type
_BEFORE_A_CALL: Final = frozenset({b"return", b"else", b"do", b"case", b"goto", b"sizeof"})
_NO_NAMES: Final = _CONTROL | _BEFORE_A_CALL
# bodies of fewer characters are parsed as quickly
_SHORTEST: Final = 16
# macros are left out if they are more than one in so many characters, and not too many
_LEAST_SHARE: Final = 10
_MOST_MACROS: Final = 100_000
_NAME: Final = rb"[A-Za-z_]\w*+"
_ARGUMENT: Final = rb"(?:" + _NAME + rb"|\.\.\.)[ \t]*+"
_REPLACEMENT: Final = rb"(?>(?:[^\\\n/\r\0]|\\[^/\r\\\0]|/(?![*\n\r\\\0]|/\*)[\s\S])*)"
_REMARK: Final = rb"/\*(?>(?:[^*\0]|\*(?!/))*)\*/"
# the grammar ends a directive only at a line feed with no blank before
_BEHIND_A_WORD: Final = (
    rb"(?>(?:\\\n[ \t]*+)*)(?=.)" + _REPLACEMENT
    + rb"(?:" + _REMARK + rb"(?>(?:[ \t]*+" + _REMARK + rb")*))?"
)  # fmt: skip
_MACRO: Final = re.compile(
    rb"\n?[ \t]*+(?P<mark>#)[ \t]*+define[ \t]++(?P<name>" + _NAME + rb")"
    + rb"(?>(?P<arguments>\([ \t]*+"
    + rb"(?:" + _ARGUMENT + rb"(?>(?:,[ \t]*+" + _ARGUMENT + rb")*))?\))?)"
    + rb"(?:[ \t]++" + _BEHIND_A_WORD + rb")?"
)  # fmt: skip
_REST: Final = re.compile(rb"[ \t]*+" + _BEHIND_A_WORD)
_ANY_DIRECTIVE: Final = re.compile(rb"\n?[ \t]*+#[ \t]*+(?P<word>(?:" + _NAME + rb")?)")
# what a header begins with that is read once; its macro stays, by which it is known
_GUARD: Final = re.compile(rb"\n?[ \t]*+#[ \t]*+ifndef(?!\w)")
_ANY_NAME: Final = re.compile(_NAME)


# numbers of a macro: row and how many more it has; where the mark, the name and the parentheses of
# arguments begin or end; how many names those have; whether a directive that stays follows it
MACRO: Final = 9
ROW, MORE_ROWS, START, STOP, NAME, NAME_END, ARGUMENTS_END, ARGUMENTS, MARKED = range(MACRO)


class OutlineText(NamedTuple):
    """A text without what needs no parser; the rest keeps its lines and columns."""

    text: str
    # the whole text, a byte for each of its characters, and the bodies that were left out of it
    whole: str
    code: bytes = b""
    spans: Sequence[Span] = ()
    # the macros that were left out, and everything that was, with what stands there instead
    macros: Sequence[int] = ()
    cuts: Sequence[tuple[int, int, str]] = ()

    @classmethod
    def of(cls, text: str) -> OutlineText:
        """Leave bodies and macros out of a text."""
        code = one_byte_each(text)
        found, packed = find_bodies(code)
        spans = [span for span in found if span[1] - span[0] >= _SHORTEST]
        macros = memoryview(packed).cast("q").tolist()
        if not _is_worth_it(len(code) - sum(end - begin for begin, end in spans), macros):
            macros = []
        return cls._without(text, code, spans, macros)

    def with_macros(self) -> OutlineText:
        """The same text with its macros."""
        return self._without(self.whole, self.code, self.spans, [])

    @classmethod
    def _without(
        cls, text: str, code: bytes, spans: Sequence[Span], macros: list[int]
    ) -> OutlineText:
        cuts = [(begin, end, _stand_in(text, begin, end)) for begin, end in spans]
        if macros:
            ends = zip(macros[START::MACRO], macros[STOP::MACRO], strict=True)
            marks = zip(macros[MARKED::MACRO], macros[MORE_ROWS::MACRO], strict=True)
            cuts += [
                (begin, end, ";" * mark + "\n" * rows)
                for (begin, end), (mark, rows) in zip(ends, marks, strict=True)
            ]
            cuts.sort()
        parts: list[str] = []
        done = 0
        for begin, end, instead in cuts:
            parts += text[done:begin], instead
            done = end
        return cls("".join((*parts, text[done:])), text, code, spans, macros, cuts)

    def uses(self, numbers: Mapping[str, int]) -> Iterator[tuple[int, int, str]]:
        """Number, line and name of each use of these names in bodies that were left out."""
        if self.spans:
            names = [name for name in numbers if name.isascii()]
            encoded = [name.encode("ascii") for name in names]
            for at, line in find_uses(self.code, list(self.spans), encoded):
                yield numbers[names[at]], line, names[at]

    def shifts(self) -> Callable[[int], int]:
        """Gives for an offset in the text that in the whole one."""
        starts, steps = [0], [0]
        for begin, end, instead in self.cuts:
            steps.append(steps[-1] + end - begin - len(instead))
            starts.append(end - steps[-1])
        return lambda offset: offset + steps[bisect_right(starts, offset) - 1]

    def macro_offsets(self) -> list[int]:
        """The offset of each macro in the shortened text."""
        offsets: list[int] = []
        left_out, starts = 0, iter((*self.macros[START::MACRO], -1))
        start = next(starts)
        for begin, end, instead in self.cuts:
            if begin == start:
                offsets.append(begin - left_out)
                start = next(starts)
            left_out += end - begin - len(instead)
        return offsets


# of a text that nothing is left out of
NO_OUTLINE: Final = OutlineText("", "")


def _is_worth_it(size: int, macros: Sequence[int]) -> bool:
    """True if macros are so much of a text that it may be parsed twice, if it has errors."""
    left_out = sum(macros[STOP::MACRO]) - sum(macros[START::MACRO])
    return len(macros) <= _MOST_MACROS * MACRO and left_out * _LEAST_SHARE > size


def _stand_in(text: str, begin: int, end: int) -> str:
    """As many line ends as a body has, and blanks to the column of its closing brace."""
    last = text.rfind("\n", begin, end) + 1 or begin
    return "\n" * text.count("\n", begin, end) + " " * (end - last)


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


def plain_bodies(code: bytes) -> tuple[list[Span], bytes]:
    """The spans between braces of bodies that declare nothing, and macros between declarations.

    Each macro is `MACRO` numbers.
    """
    found: list[Span] = []
    macros = _Macros(code)
    tokens = _tokens(code, 0, len(code))
    statement = _Statement(code)
    for token in tokens:
        kind, begin, end = token
        if kind == "hash":
            macros.add(begin, end, is_wanted=statement.is_fresh())
            continue
        macros.last = ""
        if kind == "{" and not statement.parentheses:
            if statement.previous == "string":  # extern "C" {
                statement = _Statement(code)
                continue
            close, is_plain = _skip_block(code, tokens)
            if close < 0:
                break
            if not statement.may_be_function():
                statement.previous = "}"
                continue
            if is_plain:
                found.append((end, close))
            statement = _Statement(code)
        elif kind in "};" and (not statement.parentheses or _is_at_margin(code, token)):
            statement = _Statement(code)
        else:
            statement.add(kind, code[begin:end])
    return found, macros.pack()


class _Macros:
    """Macros of a text, as numbers."""

    def __init__(self, code: bytes) -> None:
        self._code = code
        self._values = array("q")
        self._is_unsure = False
        # the last token, if it was a directive
        self.last = ""

    def add(self, begin: int, end: int, *, is_wanted: bool) -> None:
        """Add a directive if it defines a macro; marks the one right before it otherwise."""
        code = self._code
        has_end = code[end : end + 1] == b"\n"
        found = _MACRO.fullmatch(code, begin, end) if has_end else None
        self._is_unsure |= found is None and not self._ends_surely(begin, end, has_end=has_end)
        if found is None or not is_wanted or self.last == "ifndef":
            if self.last == "define":
                self._values[-1] = 1
            self.last = "ifndef" if _GUARD.match(code, begin, end) else ""
            return
        start = found.start("mark")
        arguments = found["arguments"] or b""
        self._values.extend(
            (
                code.count(b"\n", 0, start),
                code.count(b"\n", start, end),
                *(start, end),
                *found.span("name"),
                found.end("name") + len(arguments),
                len(_ANY_NAME.findall(arguments)),
                0,
            )
        )
        self.last = "define"

    def _ends_surely(self, begin: int, end: int, *, has_end: bool) -> bool:
        """True if a directive that defines no macro ends where its line does.

        Nothing of it but what opens and closes a branch may be read on behind a blank or half a
        comment.
        """
        found = _ANY_DIRECTIVE.match(self._code, begin, end)
        word = found["word"] if found else b""
        if found is None or word in _OPENING or word in _OTHERWISE or word == b"endif":
            return True
        if found.end() == end or not has_end:
            return found.end() == end
        if word == b"include" and self._code[end - 1] in b" \t":
            return False
        if word != b"include" and (word == b"define" or self._code[found.end()] not in b" \t"):
            return False
        return _REST.fullmatch(self._code, found.end(), end) is not None

    def pack(self) -> bytes:
        """The numbers of all macros; none if a directive may go on behind its line."""
        return b"" if self._is_unsure else self._values.tobytes()


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
        self._has_type = False

    def add(self, kind: str, text: bytes) -> None:
        """Add a token."""
        if kind == "(":
            self.parentheses += 1
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

    def is_fresh(self) -> bool:
        """True if nothing of it has been read."""
        return not (self.previous or self.parentheses or self._word)

    def may_be_function(self) -> bool:
        """True if braces hold a body; behind what may be an attribute of a type are members."""
        if self.previous != ")" or self._is_assigned or self._opener in _CONTROL:
            return False
        return not self._has_type or (self._opener[:2] not in {b"", b"__"})


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


def _tokens(code: bytes, begin: int, end: int) -> Iterator[_Token]:
    """Tokens but blanks and comments; a mark is its own kind."""
    for found in _TOKEN.finditer(code, begin, end):
        kind = found.lastgroup
        if kind == "mark":
            yield chr(code[found.start()]), found.start(), found.end()
        elif kind != "none":
            yield str(kind), found.start(), found.end()


def plain_uses(code: bytes, spans: Sequence[Span], names: Sequence[bytes]) -> list[Span]:
    """Numbers of names that bodies call, or put into an object's initial value, and the lines."""
    numbers = {name: number for number, name in reversed([*enumerate(names)])}
    found: list[Span] = []
    line, at = 1, 0
    for begin, end in spans:
        line += code.count(b"\n", at, begin)
        at = begin
        for number, place in _uses_between(code, begin, end, numbers):
            line += code.count(b"\n", at, place)
            at = place
            found.append((number, line))
    return found


def _uses_between(
    code: bytes, begin: int, end: int, numbers: dict[bytes, int]
) -> Iterator[tuple[int, int]]:
    """Numbers and offsets of used names in a body."""
    lists = _Stack()  # of each open brace, whether it holds an initial value
    casts = _Stack()  # of each open parenthesis, whether no name stands before it
    before, word, was_cast = "", b"", False
    for (kind, start, stop), (after, _, _) in pairwise((*_tokens(code, begin, end), _END)):
        if kind == "hash":
            continue
        text = code[start:stop] if kind == "word" else b""
        if kind == "word" and text not in _NO_NAMES and text in numbers:
            is_call = after == "(" and (before != "word" or word in _BEFORE_A_CALL)
            if is_call or (lists.top() and before in "{,=" and after in ",}"):
                yield numbers[text], start
        elif kind == "(":
            casts.push(before not in {")", "word"} or word == b"return")
        elif kind == ")":
            was_cast = casts.pop()
        elif kind == "{":
            is_cast = before == ")" and was_cast
            lists.push(before == "=" or is_cast or (lists.top() and before in "{,"))
        elif kind == "}":
            lists.pop()
        before, word = kind, text


class _Stack:
    """A stack of flags, of which those beyond a depth are unset."""

    def __init__(self) -> None:
        self._flags: list[bool] = []

    def push(self, flag: object) -> None:
        self._flags.append(bool(flag))

    def top(self) -> bool:
        return 0 < len(self._flags) <= _MOST_OPEN and self._flags[-1]

    def pop(self) -> bool:
        flag = self.top()
        del self._flags[-1:]
        return flag


_END: Final = ("end", 0, 0)

find_bodies: Final = plain_bodies if NATIVE is None else NATIVE.find_bodies
find_uses: Final = plain_uses if NATIVE is None else NATIVE.find_uses
