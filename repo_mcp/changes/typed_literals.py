"""Finds object literals that lack a member which the type they are written for has gained.

A literal has the type of the constant or field that it is given to, of what its function returns,
of a parameter that it is passed for, or the one that it satisfies. One that is spread from another
value may have the member from there; a type inside of another one (`Partial<Store>`) demands less.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Final

from code_graph.model import EdgeType
from code_graph.parameters import parameters_of
from code_graph.query.edges import EdgeFilter, edges_into, ids_into
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.changes.two_sides import NAME, TwoSides

_NAMES: Final = EdgeFilter((EdgeType.REFERENCES,))
_ACCEPTS: Final = EdgeFilter((EdgeType.ACCEPTS,))
_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
# uses of one type, and of one function, that are looked at
_MOST: Final = 500
_ALL_LINES: Final = 1_000_000
_OPAQUE: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", re.DOTALL
)
_NO_LINE_END: Final = re.compile(r"[^\n]")
_BRACKET: Final = re.compile(r"[()\[\]{}]")
_CLOSING: Final = {")": "(", "]": "[", "}": "{"}
_NOTHING: Final = r"(?:undefined|null)"
# what a type stands behind, and types that demand what the one in them does
_HEAD: Final = re.compile(
    rf"(?P<place>:|\bsatisfies\b)\s*(?:{_NOTHING}\s*\|\s*)*"
    r"(?:(?P<around>Readonly|ReadonlyArray|Array|Promise)\s*<\s*)?(?:\w+\s*\.\s*)*$"
)
_TAIL: Final = re.compile(
    r"\s*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>)?\s*(?P<closed>>)?\s*(?P<list>\[\s*\])?"
    rf"(?:\s*\|\s*{_NOTHING})*\s*"
)
_LISTS: Final = frozenset({"ReadonlyArray", "Array"})
_AWAITED: Final = "Promise"
_AS_IT_IS: Final = frozenset({None, "Readonly"})
_LONGEST_HEAD: Final = 200
_GIVEN: Final = re.compile(r"=(?!=|>)\s*\(?\s*(?=[{\[])")
_ARROW: Final = re.compile(r"=>\s*")
_RETURN_OR_BLOCK: Final = re.compile(r"\{|\breturn\b\s*\(?\s*(?=\{)")
_CAST: Final = re.compile(r"[\s)]*\bas\b")
# a word before the brackets of a block that is no body of a function
_CONTROL: Final = frozenset({"if", "for", "while", "switch", "catch", "with"})
_RESULT: Final = re.compile(r"\)\s*(?::[\s\w$.<>\[\]|&,]+)?$")
_WORD_BEFORE: Final = re.compile(r"([\w$]*)\s*$")
_KEY: Final = re.compile(
    r"(?:(?:async|get|set)\s+(?=[\w$\"'*#]))?\*?\s*(?:\"([^\"]*)\"|'([^']*)'|([\w$]+))"
)


class TypedLiteral(NamedTuple):
    """A literal that lacks a member, by the edge that gives its type and the line it begins on."""

    edge: PlacedEdge
    line: int


def literals_lacking(
    sides: TwoSides, types: Iterable[Symbol], member: str
) -> Iterator[TypedLiteral]:
    """The literals of some types that have no member of a name."""
    texts: dict[str, _Text] = {}

    def text_of(path: str) -> _Text:
        if path not in texts:
            texts[path] = _Text(sides.text_from(path, 1, _ALL_LINES))
        return texts[path]

    for symbol in types:
        for edge in edges_into(sides.new, symbol.id, _NAMES, limit=_MOST).edges:
            text = text_of(edge.path)
            for at in text.literals_of(text.place(edge.line, edge.column)):
                if text.lacks(at, member):
                    yield TypedLiteral(edge, text.line(at))
        for edge in edges_into(sides.new, symbol.id, _ACCEPTS, limit=_MOST).edges:
            yield from _passed(sides, edge, member)


def paths_of_literals(graph: GraphSnapshot, types: Iterable[int]) -> Iterator[str]:
    """The files that may have literals of some types: they name one, or call what takes one."""
    for number in types:
        yield from (edge.path for edge in edges_into(graph, number, _NAMES, limit=_MOST).edges)
        for taker in ids_into(graph, number, _ACCEPTS):
            yield from (edge.path for edge in edges_into(graph, taker, _CALLS, limit=_MOST).edges)


def _passed(sides: TwoSides, accepts: PlacedEdge, member: str) -> Iterator[TypedLiteral]:
    """The literals that are passed for a parameter of a type."""
    name = NAME.match(sides.line(accepts.path, accepts.line), accepts.column)
    taker = sides.new.symbol(accepts.source)
    declared = None if taker is None else sides.new.declaration(taker)
    if name is None or declared is None:
        return
    of_type = [
        number
        for number, parameter in enumerate(parameters_of(declared.parameters))
        if not parameter.is_many and _is_of_type(parameter.text, name[0])
    ]
    for edge in edges_into(sides.new, accepts.source, _CALLS, limit=_MOST).edges if of_type else ():
        given = sides.arguments(edge)
        if given is None or given.has_spread:
            continue
        for text in (given.texts[at] for at in of_type if at < len(given.texts)):
            if text.startswith("{") and _Text(text).lacks(0, member):
                rest = sides.text_from(edge.path, edge.line, _MOST)
                above = rest.count("\n", 0, max(rest.find(text), 0))
                yield TypedLiteral(edge, edge.line + above)


def _is_of_type(parameter: str, name: str) -> bool:
    """True for a parameter whose type demands all that the one of a name does."""
    annotation = parameter.partition(":")[2]
    at = annotation.find(name)
    if at < 0:
        return False
    before = _HEAD.search(f":{annotation[:at]}")
    behind = _TAIL.fullmatch(annotation, at + len(name))
    if before is None or behind is None or behind["list"]:
        return False
    around = before["around"]
    return around in _AS_IT_IS and (around is None) == (behind["closed"] is None)


def _blank(found: re.Match[str]) -> str:
    """A comment, or what is between the marks of a text, as blanks."""
    mark = "" if found[0][0] == "/" else found[0][0]
    inner = found[0][len(mark) : len(found[0]) - len(mark)]
    return f"{mark}{_NO_LINE_END.sub(' ', inner)}{mark}"


class _Text:
    """A text of code, with its brackets paired outside of texts and comments."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._code = _OPAQUE.sub(_blank, text)
        self._starts = [0, *accumulate(len(row) + 1 for row in text.split("\n"))]

    def place(self, line: int, column: int) -> int:
        """The place of a column on a line."""
        return self._starts[min(line, len(self._starts)) - 1] + column

    def line(self, at: int) -> int:
        """The line of a place."""
        return bisect_right(self._starts, at)

    @cached_property
    def _closed(self) -> dict[int, int]:
        """Where brackets are closed, by where they open."""
        pairs: dict[int, int] = {}
        opened: list[int] = []
        for found in _BRACKET.finditer(self._code):
            char, at = found[0], found.start()
            if char not in _CLOSING:
                opened.append(at)
            elif opened and self._code[opened[-1]] == _CLOSING[char]:
                pairs[opened.pop()] = at
        return pairs

    @cached_property
    def _opened(self) -> dict[int, int]:
        return {closed: opened for opened, closed in self._closed.items()}

    def literals_of(self, at: int) -> Iterator[int]:
        """Where the literals open that have to be of the type that is named at a place."""
        code = self._code
        name = NAME.match(code, at)
        start = max(0, at - _LONGEST_HEAD)
        head = _HEAD.search(code[start:at])
        tail = None if name is None else _TAIL.match(code, name.end())
        if head is None or tail is None or (head["around"] is None) != (tail["closed"] is None):
            return
        above, behind = start + head.start(), tail.end()
        is_list = tail["list"] is not None or head["around"] in _LISTS
        is_result = code[:above].rstrip().endswith(")")
        if head["place"] != ":":
            last = len(code[:above].rstrip()) - 1
            yield from () if is_list else self._braces(self._opened.get(last, -1))
        elif is_result and not is_list:
            yield from self._results(behind)
        elif head["around"] != _AWAITED and (given := _GIVEN.match(code, behind)) is not None:
            opened = given.end()
            yield from self._items(opened) if is_list else self._braces(opened)

    def _braces(self, at: int) -> Iterator[int]:
        if at >= 0 and self._code[at] == "{" and at in self._closed:
            yield at

    def _items(self, at: int) -> Iterator[int]:
        """The literals directly in a list."""
        if self._code[at] == "[":
            for begin, _ in self._parts(at):
                yield from self._braces(begin)

    def _results(self, behind: int) -> Iterator[int]:
        """The literals that a function returns whose type of results ends at a place."""
        code = self._code
        arrow = _ARROW.match(code, behind)
        body = behind if arrow is None else arrow.end()
        if code[body : body + 1] == "(":
            yield from self._braces(len(code) - len(code[body + 1 :].lstrip()))
        elif code[body : body + 1] == "{" and body in self._closed:
            at, end = body + 1, self._closed[body]
            while (found := _RETURN_OR_BLOCK.search(code, at, end)) is not None:
                at = found.end()
                if found[0] != "{":
                    yield from self._braces(at)
                elif self._is_body(found.start()):  # what it returns is of another function
                    at = self._closed.get(found.start(), found.start()) + 1

    def _is_body(self, brace: int) -> bool:
        """True for a brace that opens the body of a function."""
        start = max(0, brace - _LONGEST_HEAD)
        before = self._code[start:brace].rstrip()
        if before.endswith("=>"):
            return True
        result = _RESULT.search(before)
        opened = -1 if result is None else self._opened.get(start + result.start(), -1)
        if opened < 0:
            return False
        word = _WORD_BEFORE.search(self._code, max(0, opened - _LONGEST_HEAD), opened)
        return word is not None and word[1] not in _CONTROL

    def lacks(self, opened: int, member: str) -> bool:
        """True if a literal has no member of a name, and nothing else that may be one."""
        closed = self._closed.get(opened)
        if closed is None or _CAST.match(self._code, closed + 1):
            return False
        for begin, end in self._parts(opened):
            found = _KEY.match(self._text, begin, end)
            # what is spread into it, or has a computed name, may be the member
            if found is None or member in found.groups():
                return False
        return True

    def _parts(self, opened: int) -> Iterator[tuple[int, int]]:
        """Begin and end of the parts between commas directly in brackets."""
        closed, begin, at = self._closed[opened], opened + 1, opened + 1
        while at <= closed:
            if at == closed or self._code[at] == ",":
                first = at - len(self._code[begin:at].lstrip())
                if first < at:
                    yield first, at
                begin = at + 1
            at = self._closed.get(at, at) + 1
