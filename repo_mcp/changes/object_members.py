"""Finds members of object literals that are written for an interface's member as it was.

A literal that is given to a constant of a type has its functions checked against that type, and
parameters without a type of their own have those of the type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.brackets import matching, without_comments
from code_graph.model import EdgeType
from code_graph.parameters import Parameter, parameters_of
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import PlacedEdge, Symbol
from index_format.tuples import NamedTuple
from repo_mcp.changes.differences import BreakReason, SignatureDifference
from repo_mcp.changes.two_sides import NAME, TwoSides

_NAMES: Final = EdgeFilter((EdgeType.REFERENCES,))
# uses of one type that are looked at, and lines of a literal
_MOST: Final = 500
_MOST_LINES: Final = 200
# characters above a member that are read
_MOST_ABOVE: Final = 400
# a literal, or a list or record of some, behind the type of a constant
_GIVEN: Final = re.compile(r"[\w\s<>\[\],|&'\"]*=\s*(?=[{\[])")
_FUNCTION: Final = re.compile(r"\s*:\s*(?:async\b\s*)?(?:function\b\s*\w*\s*)?(?=\()")
_METHOD: Final = re.compile(r"\s*(?=\()")
_ONE: Final = re.compile(r"\s*:\s*(?:async\s+)?([\w$]+)\s*=>")
_BODY: Final = re.compile(r"\s*(?::[^{=]*)?(?:=>\s*)?")
_ASYNC: Final = re.compile(r"\basync$")
_IN_TEXT: Final = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)


class _Member(NamedTuple):
    """A function of a literal: where it is, its parameters, and its body in the text."""

    start: int
    parameters: str
    body: str
    body_start: int


def members_of_literals(
    sides: TwoSides, owner: Symbol, member: str, difference: SignatureDifference
) -> Iterator[tuple[PlacedEdge, int, BreakReason]]:
    """The edges to a type whose literals have a function that does not go with its member now.

    Each has the line that may break: of the function, or of a use of its parameter.
    """
    for edge in edges_into(sides.new, owner.id, _NAMES, limit=_MOST).edges:
        text = sides.text_from(edge.path, edge.line, _MOST_LINES)
        name = NAME.match(text, edge.column)
        given = None if name is None else _GIVEN.match(text, name.end())
        closed = -1 if given is None else matching(text, given.end())
        if given is None or closed < 0:
            continue
        for item in _members(text, given.end(), closed, member):
            for at, why in _breaks(item, difference):
                yield edge, edge.line + text.count("\n", 0, at), why


def _members(text: str, start: int, end: int, name: str) -> Iterator[_Member]:
    """The functions of a name in a literal."""
    for found in re.finditer(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", text[start:end]):
        at = start + found.start()
        behind = start + found.end()
        before = without_comments(text[_start_above(text, start, at) : at])
        if not _ASYNC.sub("", before.rstrip()).rstrip().endswith(("{", ",")):
            continue
        opened = _METHOD.match(text, behind) or _FUNCTION.match(text, behind)
        one = _ONE.match(text, behind)
        if opened is not None:
            closed = matching(text, opened.end())
            parameters, rest = text[opened.end() : closed + 1], closed + 1
        elif one is not None:
            parameters, rest = f"({one[1]})", one.end()
        else:
            continue
        body = _BODY.match(text, rest)
        first = rest if body is None else body.end()
        last = matching(text, first) if text[first : first + 1] == "{" else _end_of(text, first)
        yield _Member(at, parameters, text[first : max(first, last)], first)


def _start_above(text: str, start: int, at: int) -> int:
    """The start of a line some way above a place."""
    return max(start, text.rfind("\n", start, max(start, at - _MOST_ABOVE)))


def _end_of(text: str, start: int) -> int:
    """Where an expression ends: at a comma or a bracket that is not its own."""
    at = start
    while at < len(text):
        char = text[at]
        if char in ",)]}":
            return at
        if char in "([{":
            closed = matching(text, at)
            if closed < 0:
                return at
            at = closed
        at += 1
    return at


def _breaks(item: _Member, difference: SignatureDifference) -> Iterator[tuple[int, BreakReason]]:
    own = parameters_of(item.parameters)
    why = difference.of_override(own, "")
    if why is not None:
        yield item.start, why
        return
    for number, parameter in enumerate(own):
        now = difference.other_type_at(number)
        if now is None or parameter.text != parameter.name:
            yield from _of_pattern(item, parameter, now)
            continue
        texts = [found.span() for found in _IN_TEXT.finditer(item.body)]
        for found in re.finditer(rf"(?<![\w$.]){re.escape(parameter.name)}(?![\w$])", item.body):
            if not any(first <= found.start() < last for first, last in texts):
                why = BreakReason(f"`{parameter.name}` is `{now.text}` of its type now")
                yield item.body_start + found.start(), why


def _of_pattern(
    item: _Member, parameter: Parameter, now: Parameter | None
) -> Iterator[tuple[int, BreakReason]]:
    """The start of a function that takes members out of a parameter that is another one now."""
    if now is not None and parameter.text.startswith(("{", "[")) and ":" not in parameter.text:
        yield item.start, BreakReason(f"it takes `{parameter.text}` of `{now.text}` now")
