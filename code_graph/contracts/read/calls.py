"""Reads calls and decorators as they are written, in any language with brackets or commands.

It knows comments and texts by the language's row and parses nothing else: arguments end at a comma
or bracket of their own depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final, TypeAlias

from code_graph.contracts.conventions import words
from code_graph.contracts.descriptions import Arguments
from code_graph.contracts.keys import HOLE
from code_graph.language import Language
from code_graph.word_places import token_pattern
from index_format.tuples import NamedTuple

_LONGEST: Final = 6_000
_MOST_ARGUMENTS: Final = 24
# all arguments of a file are read up to so many times its length: calls stand in those of others
_MOST_TIMES: Final = 12
_FEWEST_READ: Final = 100_000
_LAMBDAS: Final = frozenset({"function", "func", "fn", "lambda", "async", "do", "def", "fun"})
# words before what is made, and before a block
_NO_VALUES: Final = frozenset({"new", "do"})
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_STEPS: Final = frozenset({".", "?.", "::", "->", "&."})
_NAMING: Final = frozenset({"=", ":", "=>"})
# what stands before decorators, annotations and attributes on their line, and before a member
_DECORATING: Final = frozenset("@[#")
_JOINTS: Final = frozenset(".:>")
_QUOTES: Final = "'\"`"
# the names before what is called, with the brackets of calls between them
_BEFORE: Final = re.compile(
    r"(?:(?:@|(?<![A-Za-z_$@])[A-Za-z_$])[\w$]*[!?]?\s*(?:\([^()]{0,80}\))?\s*(?:\.|\?\.|->|::|&\.)\s*)+\Z"
)
_LAST_NAME: Final = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:\([^()]*\))?\s*(?:\.|\?\.|->|::|&\.)\s*\Z")
_LONGEST_BEFORE: Final = 240
_ASSIGNED: Final = re.compile(
    r"([A-Za-z_$][\w$]*)\s*(?::\s*[\w.<>\[\]*]+\s*)?(?::=|=(?!=))\s*(?:await\s+|new\s+|&)?\Z"
)
# between an assignment and a call
_BEFORE_VALUES: Final = ("await", "new", "&")
_TYPE_ARGUMENTS: Final = re.compile(r"<[\w\s,.<>\[\]?|&{}:;]{1,400}>(?=\()")
_COMMAND: Final = re.compile(r"[ \t]+(?=[\"':@A-Z\[])")


# by the name of a call, its receiver, whether it decorates, and where its arguments begin
IsWanted: TypeAlias = Callable[[str, str, bool, int], bool]


class WrittenArgument(NamedTuple):
    """An argument as it is written; offsets are those of names that may be functions."""

    name: str = ""
    # of a text, or of several put together, with `{}` for all else; None without any
    text: str | None = None
    # all texts in it, and those of an object by their keys
    texts: tuple[str, ...] = ()
    inner: tuple[tuple[str, str], ...] = ()
    names: tuple[int, ...] = ()
    # what it is put together from: texts, and the offsets of names
    parts: tuple[str | int, ...] = ()
    # offsets of names that are called in it
    called: tuple[int, ...] = ()
    # names that are options of an object, by their keys
    options: tuple[tuple[str, int], ...] = ()
    # true for a function that is written there
    is_function: bool = False


class WrittenCall(NamedTuple):
    """A call or a decorator."""

    name: str
    start: int
    end: int
    # the name before the last dot
    receiver: str
    # the variable that the result is assigned to
    variable: str
    is_decorator: bool
    arguments: tuple[WrittenArgument, ...]
    # the names and calls before it: `http.get().`
    chain: str = ""
    # where the call of its chain that says a prefix begins: `app.group("/x").get("/y", f)`
    group: int = -1

    def calls_inside(self, text: str, names: frozenset[str]) -> bool:
        """True if one of these is called in its arguments."""
        return any(
            text.startswith(name, offset) and not text[offset + len(name)].isalnum()
            for item in self.arguments
            for offset in item.called
            for name in names
        )

    def argument(self, choice: Arguments) -> WrittenArgument | None:
        """The first of these arguments that the call has."""
        plain = [item for item in self.arguments if not item.name]
        for one in choice:
            if isinstance(one, int):
                if one < len(plain):
                    return plain[one]
                continue
            for item in self.arguments:
                if item.name == one:
                    return item
            for item in plain:  # an object with options
                for key, text in item.inner:
                    if key == one:
                        return WrittenArgument(one, text, (text,))
                for key, at in item.options:
                    if key == one:
                        return WrittenArgument(one, names=(at,), parts=(at,))
        return None

    def handlers(self, choice: Arguments) -> Iterator[WrittenArgument]:
        """The arguments that the library calls."""
        plain = [item for item in self.arguments if not item.name]
        for one in choice:
            if one == "last":
                yield from plain[-1:]
            elif one == "rest":
                yield from plain[1:]
            elif isinstance(one, int):
                yield from plain[one : one + 1]
            else:
                yield from (item for item in self.arguments if item.name == one)
                for item in plain:  # an object with options
                    named = [at for key, at in item.options if key == one]
                    yield from (WrittenArgument(one, names=(at,), parts=(at,)) for at in named)


class WrittenText:
    """A text of code, with the places of its comments and quoted texts."""

    def __init__(self, text: str, language: Language) -> None:
        """Nothing is read yet."""
        self.text = text
        self._language = language
        self._spans: list[tuple[int, int, bool]] | None = None
        self._left = _MOST_TIMES * len(text) + _FEWEST_READ

    @property
    def spans(self) -> list[tuple[int, int, bool]]:
        """Comments and texts by begin and end, true for comments."""
        if self._spans is None:
            found = token_pattern(self._language).finditer(self.text)
            self._spans = [
                (item.start(), item.end(), item.lastgroup == "comment") for item in found
            ]
        return self._spans

    def calls(self, words: Iterable[tuple[int, int]], is_wanted: IsWanted) -> Iterator[WrittenCall]:
        """The wanted calls and decorators at these words, in the order of the text.

        Comments and texts are looked for once a word may be one.
        """
        text, at = self.text, 0
        for start, end in words:
            mark = text[text.rfind("\n", 0, start) + 1 : start].lstrip()[:1]
            is_decorator = mark in _DECORATING
            opening = self._opening(end)
            if not opening and not is_decorator:
                continue
            before = text[max(start - _LONGEST_BEFORE, 0) : start]
            receiver = _LAST_NAME.search(before[-60:]) if before.rstrip()[-1:] in _JOINTS else None
            owner = "" if receiver is None else receiver[1].lower()
            if not is_wanted(text[start:end], owner, is_decorator, opening):
                continue
            spans = self.spans
            while at < len(spans) and spans[at][1] <= start:
                at += 1
            if at == len(spans) or spans[at][0] > start:
                place = start, end
                yield self._call(place, owner, before, opening, is_decorator=is_decorator)

    def _opening(self, end: int) -> int:
        """Where the arguments of a word that ends here begin; 0 if it has none."""
        mark = self.text[end : end + 1]
        if mark == "(":
            return end + 1
        if mark == "<":
            types = _TYPE_ARGUMENTS.match(self.text, end)
            return 0 if types is None else types.end() + 1
        is_command = self._language.calls_without_brackets and _COMMAND.match(self.text, end)
        return end if is_command else 0

    def _call(
        self,
        place: tuple[int, int],
        receiver: str,
        before: str,
        opening: int,
        *,
        is_decorator: bool,
    ) -> WrittenCall:
        chain = _BEFORE.search(before) if receiver else None
        head = before[: chain.start()] if chain is not None else before
        assigned = _ASSIGNED.search(head) if _may_assign(head) else None
        arguments: tuple[WrittenArgument, ...] = ()
        start, end = place
        name = self.text[start:end]
        if opening:
            arguments, end = self._arguments(opening, is_command=opening == end)
        variable = "" if assigned is None else assigned[1].lower()
        before = "" if chain is None else chain[0]
        return WrittenCall(name, start, end, receiver, variable, is_decorator, arguments, before)

    def value(self, start: int) -> WrittenArgument | None:
        """The expression at an offset, up to the end of its statement."""
        given, _ = self._arguments(start, is_command=True)
        return given[0] if len(given) == 1 else None

    def _arguments(
        self, start: int, *, is_command: bool
    ) -> tuple[tuple[WrittenArgument, ...], int]:
        """The arguments behind a bracket, or up to the end of the line, and where they end."""
        reader = _Arguments()
        pattern = _tokens(self._language)
        end = start
        for item in pattern.finditer(self.text, start, start + min(_LONGEST, self._left)):
            end = item.end()
            part = item[0]
            if item.lastgroup == "comment":
                continue
            if part == "\n":
                if is_command and not reader.depth and not reader.is_open:
                    break
                continue
            if not reader.take(part, item.start(), is_text=item.lastgroup == "text"):
                break
        self._left = max(self._left - (end - start), 0)
        return reader.finish(), end


def _may_assign(before: str) -> bool:
    """False where no sign of an assignment ends a text, which is cheaper than to look for one."""
    end = before.rstrip()
    for word in _BEFORE_VALUES:
        end = end.removesuffix(word)
    return end.rstrip().endswith("=")


class _Arguments:
    """Collects arguments from tokens."""

    def __init__(self) -> None:
        self.depth = 0
        self._found: list[WrittenArgument] = []
        self._begin()

    def _begin(self) -> None:
        self._name = ""
        self._pieces: list[str] = []
        self._parts: list[str | int] = []
        self._called: list[int] = []
        self._texts: list[str] = []
        self._inner: list[tuple[str, str]] = []
        # the key and the texts of the option that is read of an object
        self._option = ""
        self._told: list[str] = []
        self._named: list[int] = []
        self._options: list[tuple[str, int]] = []
        # of each depth, the offsets of names that nothing calls
        self._names: dict[int, list[int]] = {}
        self._is_lambda = False
        self._last = ""
        self._last_at = 0
        # the name before a mark, which may be that of a macro
        self._macro = ("", 0)
        # the name before the last dot
        self._held = 0
        self._size = 0

    @property
    def is_open(self) -> bool:
        """True if another argument has to follow."""
        return self._last in {"", ","} or self._last in _NAMING

    def take(self, part: str, at: int, *, is_text: bool) -> bool:
        """Take a token; false at the end of the list."""
        if is_text:
            self._text(part)
        elif part in _OPENING:
            self._open(part)
        elif part in _CLOSING:
            if not self._close():
                return False
        elif self.depth == 1 and (part == "," or part in _NAMING):
            self._end_option()
            self._option = "" if part == "," else self._last.strip(_QUOTES)
        elif part == "," and not self.depth:
            self._end()
            if len(self._found) >= _MOST_ARGUMENTS:
                return False
            self._last = ","
            return True
        elif part in _NAMING and not self.depth and self._size == 1:
            self._name, self._names = self._last, {}
            self._pieces, self._parts = [], []
            self._size = -1
        else:
            self._word(part, at)
        if part == "!":
            self._macro = (self._last, self._last_at) if self._last[-1:].isalnum() else ("", 0)
        self._last, self._last_at = part, at
        self._size += 1
        return True

    def _open(self, part: str) -> None:
        """Enter a bracket."""
        if self._last == "!" and part == "(" and self._macro[0]:
            self._last, self._last_at = self._macro  # `format!("/x")`
        if self._last and self._last[-1].isalnum() and part == "(":
            self._forget_called()
        elif part == "(" and not self.depth and self._pieces:
            self._pieces.append(HOLE)  # a part in brackets
            self._parts.append(HOLE)
        elif part == "{" and self._size and not self.depth:
            self._is_lambda = self._is_lambda or self._last in {")", "=>", "->"}
        self.depth += 1

    def _close(self) -> bool:
        """Leave a bracket; false at the end of the list."""
        self.depth -= 1
        if not self.depth:
            self._end_option()
        return self.depth >= 0

    def _word(self, part: str, at: int) -> None:
        if part in _LAMBDAS or part in {"=>", "->"}:
            self._is_lambda = self._is_lambda or not self.depth
        if part in _NO_VALUES:
            return
        if part[0] == ":" and part[1:2].isalpha():  # a symbol
            self._texts.append(part[1:])
            return
        if not (part[0].isalpha() or part[0] in "_$"):
            return
        names = self._names.setdefault(self.depth, [])
        if self._last in _STEPS and names:
            self._held, names[-1] = names[-1], at
        else:
            names.append(at)
        if self.depth == 1 and self._option:
            if self._last not in _STEPS:
                self._told.append(HOLE)
                self._named.append(at)
            elif self._named:
                self._named[-1] = at
        if not self.depth:
            if self._last in _STEPS and self._pieces[-1:] == [HOLE]:
                self._parts[-1] = at
            else:
                self._pieces.append(HOLE)
                self._parts.append(at)

    def _forget_called(self) -> None:
        names = self._names.get(self.depth)
        if names and names[-1] == self._last_at:
            self._called.append(names.pop())
            if self._last in words("giving"):
                names.append(self._held)

    def _text(self, part: str) -> None:
        body = part.lstrip("fFrRbBuU@$")
        mark = body[:1] if body[:1] in _QUOTES else ""
        width = 3 if mark and body.startswith(3 * mark) and len(body) >= 2 * 3 else len(mark)
        text = body[width : len(body) - width] if width else body
        text = text.replace("\\/", "/")
        self._texts.append(text)
        if self.depth == 1 and self._option:
            self._told.append(text)
        elif not self.depth:
            if self._pieces[-1:] == [HOLE] and self._last not in {"+", ".", "..", "~", "<>"}:
                self._pieces.pop()  # the prefix of a text
                self._parts.pop()
            self._pieces.append(text)
            self._parts.append(text)

    def _end_option(self) -> None:
        """Keep the text of an option of an object: `url: base + "/users"`."""
        if self._option and any(text != HOLE for text in self._told):
            self._inner.append((self._option, "".join(self._told)))
        elif self._option and len(self._told) == len(self._named) == 1:
            self._options.append((self._option, self._named[0]))
        self._option, self._told, self._named = "", [], []

    def _end(self) -> None:
        if not self._size and not self._name:
            return
        text: str | None = "".join(self._pieces) if self._texts and self._pieces else None
        if not any(piece != HOLE for piece in self._pieces):
            text = self._texts[0] if self._texts else None  # in a call that formats it
        deepest = min((depth for depth, names in self._names.items() if names), default=0)
        names = () if self._is_lambda else tuple(self._names.get(deepest, ()))
        inner = tuple(self._inner)
        self._found.append(
            WrittenArgument(
                self._name,
                text,
                tuple(self._texts),
                inner,
                names,
                tuple(self._parts),
                tuple(self._called),
                tuple(self._options),
                self._is_lambda,
            )
        )
        self._begin()

    def finish(self) -> tuple[WrittenArgument, ...]:
        """All arguments."""
        self._end()
        return tuple(self._found)


@cache
def _tokens(language: Language) -> re.Pattern[str]:
    """Comments, texts, names, and marks one by one."""
    known = token_pattern(language).pattern
    symbol = ":?" if language.calls_without_brackets else ""
    return re.compile(
        rf"{known}|{symbol}[A-Za-z_$][\w$]*|=>|->|::|\?\.|&\.|:=|\.\.|<>|[\n(){{}}\[\],.=:+~<>|&!@#-]|\d+"
    )
