"""Functions that put a path together from parameters and fields, and arguments of requests to them.

A function tells its path by parts: texts in which `{id}` is a parameter and `{.name}` a field, each
with the parameter that has to be there for it. A request tells what it gives to the function.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeAlias

from code_graph.contracts.keys import ANY, GIVEN, HOLE, HOLES, MADE, fill_holes, route_key
from code_graph.contracts.read.calls import WrittenArgument
from code_graph.contracts.read.source import BRACKETS, ContractSource
from code_graph.contracts.read.wrappers import split_parameters
from code_graph.expressions import NONE, Contract, ContractRole

# a text; None for what is absent, and UNKNOWN for what may be there or not
Given: TypeAlias = str | None

UNKNOWN: Final = ""
# parts of a path, each of which is looked for from the beginning of its function
_MOST_PARTS: Final = 32
_PUT_IN: Final = re.compile(r"\{(\.?)(\w+)\}")
_CALLED: Final = frozenset({"function", "method"})
_CLASS: Final = "class"
# receivers of which the fields are those of the class around
_OWN: Final = frozenset({"", "this", "self", "super", "base"})
_ABSENT: Final = frozenset({"null", "undefined", "None", "nil"})
_EITHER: Final = frozenset({"false", "False", "0", "''", '""', "``"})
_RETURN: Final = re.compile(r"(?<![\w$.])return\s+(?=[^\s;}])")
# a slash at the beginning or end of a text, or behind what is put in
_SLASH: Final = re.compile(r"[\"'`}]/|/[\"'`]")
# a text or a name, and several that are joined up to the end of a statement
_PIECE: Final = re.compile(
    r"[fFrRuU$@]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`)|[\w$]+(?:\??\.[\w$]+)*(?![\w$.(])"
)
_JOINED: Final = re.compile(
    rf"(?:{_PIECE.pattern})(?:\s*\+(?![+=])\s*(?:{_PIECE.pattern}))*"
    r"(?=[ \t]*(?:[;}]|\Z|\n(?!\s*[.?&|+])))"
)
# … behind the parameters of a function
_GIVES: Final = re.compile(
    rf"[^{{}};]{{0,400}}?\)\s*(?::[^=({{]{{0,200}})?=>?\s*(?={_JOINED.pattern})"
)
_REFERENCE: Final = re.compile(r"((?:this|self)\.)?([A-Za-z_]\w*)")
_GUARD: Final = re.compile(
    r"(?<![\w$.])(?<!else )if\s*\(?\s*(\w+)(?:\s*(?:!==?|is not)\s*(?:null|undefined|None|nil))?"
    r"\s*(?:\)\s*\{?|:)\s*\Z"
)
_STORED: Final = re.compile(r"(?<![\w$.])(?:this|self)\.(\w+)\s*=(?![=>])\s*")
_FIELD: Final = re.compile(r"[\w$]+[!?]?\s*(?::\s*[\w.<>\[\]|? ]+?)?\s*=>?(?!=)\s*")
_TEXT: Final = re.compile(r"([\"'`])([\w./{}$~-]+)\1")


class MadePaths:
    """The functions of a file that make paths, and what its requests give to such functions."""

    def __init__(self, source: ContractSource) -> None:
        """Nothing is read yet."""
        self._source = source
        self._known_fields: dict[int, Mapping[str, str]] = {}

    def functions(self) -> Iterator[Contract]:
        """The functions that make a path in one way."""
        text = self._source.text
        for number, row in enumerate(self._source.facts.declarations):
            begin = self._source.offset(row.name_line, row.name_column) + len(row.name)
            end = self._source.offset(row.end_line + 1, 0)
            if row.kind not in _CALLED or _SLASH.search(text, begin, end) is None:
                continue
            given = [item.end() for item in _RETURN.finditer(text, begin, end)]
            gives = None if given else _GIVES.match(text, begin, end)
            given = given if gives is None else [gives.end()]
            is_member = self._class_around(row.parent) != NONE
            known = _defaults(row.parameters)
            parts = [
                (name, _template(joined, known, is_member=is_member))
                for at in given[: len(given) == 1]
                for name, joined in self._parts(begin, at)
            ]
            whole = "".join(part for _, part in parts)
            if _PUT_IN.search(whole) and "/" in whole and route_key(ANY, _PUT_IN.sub(HOLE, whole)):
                key = f"{row.name} {json.dumps([[*known.items()], parts])}"
                yield Contract(ContractRole.GIVES, MADE, key, number, self._source.head(number))

    def given(self, offset: int, own: int, place: tuple[int, int]) -> Iterator[Contract]:
        """Arguments of a request to the function that makes its path, and the fields around it."""
        word = self._source.word(offset)
        for call in self._source.written.calls([(offset, offset + len(word))], lambda *_: True):
            around = self._class_around(own) if call.receiver in _OWN else NONE
            told = [(item.name, self._argument(item)) for item in call.arguments]
            if around not in self._known_fields:
                self._known_fields[around] = {} if around == NONE else self._fields(around)
            key = json.dumps([told, self._known_fields[around]])
            made = self._source.place(offset)
            yield Contract(ContractRole.USES, GIVEN, key, own, place, made)

    def _class_around(self, own: int) -> int:
        rows = self._source.facts.declarations
        while own != NONE and rows[own].kind != _CLASS:
            own = rows[own].parent
        return own

    def _fields(self, around: int) -> dict[str, str]:
        """The fields to which a class gives one text."""
        rows, text = self._source.facts.declarations, self._source.text
        begin = self._source.offset(rows[around].start_line, 0)
        end = self._source.offset(rows[around].end_line + 1, 0)
        given = [(item[1], item.end()) for item in _STORED.finditer(text, begin, end)]
        for row in rows:
            if row.parent == around and row.kind not in _CALLED:
                at = self._source.offset(row.name_line, row.name_column)
                item = _FIELD.match(text, at, end)
                given += [] if item is None else [(row.name, item.end())]
        found: dict[str, set[str]] = {}
        for name, at in given:
            whole = _TEXT.match(text, at, end)
            found.setdefault(name, set()).add(HOLE if whole is None else fill_holes(whole[2]))
        return {
            name: min(texts) for name, texts in found.items() if len(texts) == 1 and texts - {HOLE}
        }

    def _argument(self, item: WrittenArgument) -> Given:
        if item.called or item.is_function or item.inner:
            return HOLE
        words = [self._source.word(at) for at in item.parts if isinstance(at, int)]
        if len(item.parts) == 1 and _ABSENT & {*words}:
            return None
        is_either = (_ABSENT | _EITHER) & {*words}
        return UNKNOWN if is_either else HOLE if item.text is None else fill_holes(item.text)

    def _level(self, begin: int, offset: int) -> int:
        """The number of open brackets at an offset; with none, the indent of its line."""
        found = BRACKETS.finditer(self._source.text, begin, offset)
        depth = sum(1 if item[0] in "([{" else -1 for item in found)
        line = self._source.text[self._source.text.rfind("\n", 0, offset) + 1 : offset]
        return depth or len(line.lstrip()) - len(line)

    def _parts(self, begin: int, given: int) -> Iterator[tuple[str, str]]:
        """The parts of the value at an offset; none where more than parameters decide."""
        text, base = self._source.text, self._level(begin, given)
        whole = _JOINED.match(text, given)
        if whole is None or base > 1:
            return
        if _REFERENCE.fullmatch(whole[0]) is None:
            yield "", whole[0]
            return
        assigned = rf"(?<![\w$.]){whole[0]}\s*(?::\s*[\w.<>]+\s*)?(\+?=)(?![=>])\s*"
        found: list[tuple[str, str]] = []
        for item in re.compile(assigned).finditer(text, begin, given):
            joined = _JOINED.match(text, item.end())
            guard = _GUARD.search(text, begin, item.start())
            at = item.start() if guard is None else guard.start()
            is_free = guard is not None or not text[begin:at].rstrip().endswith((")", "else"))
            is_next = (item[1] == "=") != bool(found) and len(found) < _MOST_PARTS
            if joined is None or not (is_free and is_next) or self._level(begin, at) != base:
                return
            found.append(("" if guard is None else guard[1], joined[0]))
        yield from found


def _template(joined: str, known: Collection[str], *, is_member: bool) -> str:
    """A template of joined texts and names: `{id}` is a parameter, `{.name}` a field."""

    def named(item: re.Match[str]) -> str:
        told = _REFERENCE.fullmatch(item[0].strip("${}#\\() "))
        if told is not None and not told[1] and told[2] in known:
            return f"{{{told[2]}}}"
        return HOLE if told is None or not is_member else f"{{.{told[2]}}}"

    return "".join(
        HOLES.sub(named, item[0].lstrip("fFrRuU$@")[1:-1]) if item[0][-1] in "\"'`" else named(item)
        for item in _PIECE.finditer(joined)
    )


def _defaults(parameters: str) -> dict[str, Given]:
    """The parameters of a function, in order, with their defaults."""
    found: dict[str, Given] = {}
    for item in split_parameters(parameters):
        before, _, default = (part.strip() for part in item.partition("="))
        names = re.findall(r"[\w$]+", before.partition(":")[0])
        text = _TEXT.fullmatch(default)
        told = None if default in {"", *_ABSENT} else UNKNOWN if default in _EITHER else HOLE
        found[names[-1] if names else item] = told if text is None else text[2]
    return found


def filled_path(made: str, given: str) -> str:
    """The path that a function makes of its arguments; empty if unknown."""
    known, parts = json.loads(made.partition(" ")[2])
    arguments, fields = json.loads(given)
    values: dict[str, Given] = {f".{name}": text for name, text in fields.items()} | dict(known)
    for (default, _), (name, value) in zip(known, arguments, strict=False):
        values[name or default] = value
    kept = [(name, text) for name, text in parts if not name or values.get(name, "") is not None]
    whole = "".join(text for _, text in kept)
    is_told = all(values.get(name) for name, _ in kept if name)
    path = _PUT_IN.sub(lambda item: values.get(item[0][1:-1]) or HOLE, whole)
    return path if is_told and re.search(r"\w", path) else ""
