"""Uses of a function where it is not called, told by how they are written in ECMAScript.

A name in a list of imports, a pattern, a comparison or a type hands no function on; one that is
the whole value of a constant is another name of it.
"""

from __future__ import annotations

import re
from typing import Final

from code_graph.query.model import PlacedEdge, Symbol
from repo_mcp.changes.two_sides import NAME, TwoSides

# what may stand between a name and what says what becomes of it
_IMPORTED: Final = re.compile(r"\s*import\s*(?:type\b\s*)?[\w${*]")
_PATTERN: Final = re.compile(r"\s*(?:export\s+)?(?:const|let|var)\s*\{")
_PATTERN_ENDS: Final = re.compile(r"[^{]*\}\s*=(?![=>])")
_INSIDE_PATTERN: Final = re.compile(r"\s*[\w$]+(?:\s*:\s*[\w$]+)?\s*(?:=[^,]*)?,?\s*(?://.*)?$")
# the type of a name is asked for, or it is compared
_ASKED_FOR: Final = re.compile(r"(?:\btypeof\s|[=!]==?)\s*(?:[\w$]+\s*\.\s*)*$")
# a member of the function itself, a comparison, a cast, or what is put in its place
_NOT_CALLED: Final = re.compile(
    r"\s*(?:\?\.|!?\.(?!\s*(?:call|apply|bind)\b)|[=!]==?|=(?![=>])|as\b|\)\s*\.)"
)
_NAMED_AGAIN: Final = re.compile(
    r"\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:[\w$]+\s*\.\s*)*$"
)
_ENDS: Final = re.compile(r"\s*;?\s*(?://.*)?$")
# lines of a pattern above a name that are read
_MOST_ABOVE: Final = 20


def is_handed_on(sides: TwoSides, edge: PlacedEdge) -> bool:
    """True if a name stands for a function that something else may call."""
    before, behind = _around(sides, edge)
    if _NAMED_AGAIN.match(before) and _ENDS.match(behind):
        return False
    if _ASKED_FOR.search(before) or _NOT_CALLED.match(behind):
        return False
    if _IMPORTED.match(before) or sides.is_listed(edge):
        return False
    return not _is_in_pattern(sides, edge, before, behind)


def other_name(sides: TwoSides, edge: PlacedEdge) -> Symbol | None:
    """The constant that is another name of a function; None where its type is written."""
    before, behind = _around(sides, edge)
    named = _NAMED_AGAIN.match(before)
    if named is None or not _ENDS.match(behind):
        return None
    for symbol, declared in sides.new.outline(edge.path):
        if declared is not None and declared.name_line == edge.line and declared.name == named[1]:
            return symbol
    return None


def _around(sides: TwoSides, edge: PlacedEdge) -> tuple[str, str]:
    line = sides.line(edge.path, edge.line)
    word = NAME.match(line, edge.column)
    end = edge.column if word is None else word.end()
    return line[: edge.column], line[end:]


def _is_in_pattern(sides: TwoSides, edge: PlacedEdge, before: str, behind: str) -> bool:
    """True for a name that a pattern takes out of an object."""
    if _PATTERN.match(before):
        return "=" not in before and _PATTERN_ENDS.match(behind) is not None
    number = edge.line
    if not _INSIDE_PATTERN.match(sides.line(edge.path, number)):
        return False
    while edge.line - number < _MOST_ABOVE:
        number -= 1
        line = sides.line(edge.path, number)
        if _PATTERN.match(line):
            return line.rstrip().endswith(("{", ","))
        if not _INSIDE_PATTERN.match(line):
            return False
    return False
