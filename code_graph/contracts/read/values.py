"""Texts that variables of a file have, and arguments with these texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.contracts.keys import HOLE, MEMBER_TEXT, TEXT, fill_holes
from code_graph.contracts.read.calls import WrittenArgument
from code_graph.contracts.read.source import ContractSource
from code_graph.expressions import NOWHERE, Contract, ContractRole

# a constant, member of an object or function that is a path or makes one, behind its name
_PATH_CONSTANT: Final = re.compile(
    r"(?:[=:]\s*(?:(?:async\s+)?(?:\([^()\n]{0,80}\)|[\w$]+)\s*(?::\s*\w+\s*)?=>\s*"
    r"(?:\{\s*return\s+|\(\s*)?)?|\([^()]{0,120}\)\s*(?::\s*\w+\s*)?\{\s*return\s+)"
    r"(?:[\"'](/[\w/{}:.$-]+)[\"']"
    r"|`((?:\$\{[^{}`\n]+\})*/[^`\n]+)`|\w+\s*\+\s*[\"'](/[\w/{}:.$-]+)[\"'])"
    r"|(?<=[A-Z])\s*=\s*\"([A-Za-z][\w.:-]{2,60})\""
)
# a text that ends with a variable
_ENDS_WITH: Final = re.compile(
    r"(?:`[^`\n]*|[fF][\"'][^\"'\n]*)\{(\w+)\}[`\"']|[^\n;]*\+\s*(\w+)\s*(?:;|$)", re.MULTILINE
)
# functions that put values into a text
_FORMATS: Final = re.compile(r"(?i)(?:printf|format)\Z")
# a constant that is put in at the beginning of a text, and in that of another
_PUT_IN: Final = re.compile(r"\A\$?\{(\w+)\}|(?<=\})\$\{(\w+)\}")
_DEEPEST: Final = 4
# what is given, behind a name: not where it is compared
_GIVEN: Final = re.compile(r"(?:\s*:\s*[\w.<>\[\]* ]+?)?\s*(?::=|=(?![=>]))\s*(?:await\s+)?")
# a character that a name goes on from
_JOINED: Final = re.compile(r"[\w$.]")
# the name of a variable before what it is given
NAMED: Final = re.compile(r"(?<![\w$.])([A-Za-z_]\w*)(?:\s*:\s*[\w.]+)?\s*\Z")
LONGEST_NAME: Final = 80
# … or of a member of an object, which may be in quotes, or of a function with its type parameters
_BEFORE: Final = re.compile(
    r"(?<![\w$.])[\"']?([A-Za-z_$](?:[\w$]|-(?=[\w-]*[\"']))*)[\"']?"
    r"(?:\s*:\s*[\w.]+|<[^<>()]{0,40}>)?\s*\Z"
)
# … before the object that it is given, which a call may be handed
_OBJECT_BEFORE: Final = re.compile(
    r"(?<![\w$.])[\"']?([A-Za-z_$][\w$]*)[\"']?(?:\s*:\s*[\w.<>, ]+?)?\s*[=:]\s*(?:[\w.]+\(\s*)?\Z"
)


class TextValues:
    """The texts of a file's variables."""

    def __init__(self, source: ContractSource) -> None:
        """Nothing is read yet."""
        self._source = source
        self._constants: dict[str, list[tuple[int, str]]] = {}

    def whole(self, given: WrittenArgument, offset: int) -> str | None:
        """The text of an argument, with the texts that its variables were given in this file."""
        if not any(isinstance(part, int) for part in given.parts):
            return given.text
        parts = [self.told(part, offset) for part in given.parts]
        if all(part is None for part in parts):
            return given.text
        return "".join(HOLE if part is None else part for part in parts)

    def filled(self, text: str, depth: int = 0) -> str:
        """A text with the inserted constants of the file: `${API}/users`."""
        if depth == _DEEPEST:
            return text

        def known(item: re.Match[str]) -> str:
            told = next((text for _, text in self.assigned(item[1] or item[2])), None)
            return item[0] if told is None else self.filled(told, depth + 1)

        return _PUT_IN.sub(known, text)

    def told(self, part: str | int, offset: int) -> str | None:
        """A part of a text; of a variable its last text before the offset, else its first."""
        if isinstance(part, str):
            return part
        name = self._source.word(part)
        if self._source.text[part - 1 : part] == ".":
            name = f".{name}"
        known = self._constants.get(name)
        if known is None:
            known = [*self.assigned(name)] or [*self.assigned(name.lstrip("."))]
            self._constants[name] = known
        before = [text for at, text in known if at < offset]
        return before[-1] if before else next((text for _, text in known), None)

    def assigned(self, name: str) -> Iterator[tuple[int, str]]:
        """The texts that a variable is given, with the places."""
        for start, end in self._assignments(name):
            given = self._source.written.value(end)
            if given is None:
                continue
            if any(isinstance(part, str) and part != HOLE for part in given.parts):
                parts = (part if isinstance(part, str) else HOLE for part in given.parts)
                yield start, "".join(parts)
            elif given.text and any(_FORMATS.search(self._source.word(at)) for at in given.called):
                yield start, given.text

    def options(self, name: str, offset: int) -> dict[str, str]:
        """The texts of the object that a variable was given last before an offset."""
        found: dict[str, str] = {}
        for _, end in self._assignments(name, offset):
            given = self._source.written.value(end)
            if given is not None and given.inner:
                found = dict(given.inner)
        return found

    def last_of(self, name: str, offset: int) -> str:
        """The variable that the text of another one ends with: `url = base + path`."""
        found = ""
        for _, end in self._assignments(name, offset):
            ends = _ENDS_WITH.match(self._source.text, end)
            found = found if ends is None else ends[1] or ends[2]
        return found

    def _assignments(self, name: str, offset: int | None = None) -> Iterator[tuple[int, int]]:
        """Where a variable or field is given a value before an offset, and where that begins.

        The name is looked for as a text, since an expression that begins with what must not stand
        before it is tried at each character.
        """
        text = self._source.text
        last = len(text) if offset is None else min(offset, len(text))
        is_member = name.startswith(".")
        start = text.find(name, 0, last)
        while start >= 0:
            end = start + 1
            if is_member or not _JOINED.match(text, max(start - 1, 0), start):
                given = _GIVEN.match(text, start + len(name), last)
                if given is not None:
                    end = given.end()
                    yield start, end
            start = text.find(name, end, last)

    def path_constants(self) -> Iterator[Contract]:
        """Constants that are paths, for requests of other files."""
        is_there = self._source.has(_PATH_CONSTANT.pattern)
        found = [*_PATH_CONSTANT.finditer(self._source.text)] if is_there else []
        heads = dict(self._source.heads) if found else {}
        inner: dict[int, str] = {}
        for item in found:
            at, name = self._named_before(item.start())
            place = self._source.place(at) if name else NOWHERE
            text = item[4] or fill_holes(self.filled(item[1] or item[2] or item[3]))
            if place in heads:
                yield Contract(ContractRole.GIVES, TEXT, text, heads[place], place)
            elif name and item[0][0] == ":":
                inner[at] = f"{name} {text}"
        opened_before = self._source.open_before([*inner]) if inner else {}
        for at, opened in opened_before.items():
            names = inner[at]
            for start in reversed(opened):
                around, name = self._named_before(start, _OBJECT_BEFORE)
                place = self._source.place(around) if name else NOWHERE
                if place in heads:
                    own = heads[place]
                    place = self._source.place(at)
                    yield Contract(ContractRole.GIVES, MEMBER_TEXT, names, own, place)
                    break
                names = f"{name}.{names}" if name else names

    def _named_before(self, offset: int, pattern: re.Pattern[str] = _BEFORE) -> tuple[int, str]:
        """The name before what it is given, with its place."""
        begin = max(offset - LONGEST_NAME, 0)
        named = pattern.search(self._source.text[begin:offset])
        return (0, "") if named is None else (begin + named.start(1), named[1])


def is_variable(given: WrittenArgument) -> bool:
    """True for an argument that is a plain name."""
    return len(given.parts) == 1 and given.text is None and len(given.names) == 1
