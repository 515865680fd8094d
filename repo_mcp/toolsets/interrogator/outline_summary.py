"""Lists as much of a long outline as fits on its first page: names of all before signatures of few.

A page is taken for the deepest declarations that it has room for: with signatures, without fields
and constants that take a line each, then as names and lines alone, then as names in the row of
their type, where overloads are one, at last without short accessors, and then a level less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from code_graph.facts import Declaration, depths
from repo_mcp.answers.repository import OutlineResult, OutlineSymbol
from repo_mcp.ask import kind_counts
from repo_mcp.repository import INNER_KINDS
from repo_mcp.toolsets.kit.answers import size

# kinds that are left out of a long outline, where they take a line each
_VALUES: Final = frozenset({"macro", "constant"})

_FUNCTIONS: Final = frozenset({"function", "method", "constructor"})
_ACCESSORS: Final = "accessors"
_ACCESSOR: Final = re.compile(r"(?:get|set|is|has|with)(?=[A-Z_])")
# lines of an accessor
_SHORT: Final = 4

# the size of a declaration in the form of answers that is served
Cost = Callable[[OutlineSymbol], int]


def summarise(
    result: OutlineResult,
    shown: Sequence[Declaration],
    numbers: Sequence[int],
    rows: Sequence[OutlineSymbol],
    room: int,
    cost: Cost,
    check: Callable[[], None],
) -> bool:
    """Fill in as much as fits; false if even the names of the top level do not."""
    for row in rows:
        row.doc = ""
    if fits(rows, room, cost, check):
        result.symbols = [*rows]
        return True
    result.kinds = kind_counts(shown, numbers)
    room -= size(result.kinds)
    depth_of = depths(shown)
    deepest = max(depth_of[number] for number in numbers)
    for depth in range(deepest, 0, -1):
        outer = outer_rows(shown, numbers, rows, depth_of, depth)
        for listed, left_out in _lists(outer, is_whole=depth == deepest):
            if listed and fits(listed, room, cost, check):
                result.symbols, result.left_out = listed, left_out
                result.depth = 0 if depth == deepest else depth
                if len(listed) == len(rows):
                    result.kinds = ""
                return True
        kept = [number for number in numbers if depth_of[number] <= depth]
        for listed, left_out in _with_members(shown, kept, outer):
            if fits(listed, room, cost, check):
                result.symbols, result.left_out = listed, left_out
                result.depth = 0 if depth == deepest else depth
                return True
    return False


def fits(rows: Iterable[OutlineSymbol], room: int, cost: Cost, check: Callable[[], None]) -> bool:
    """True if rows have room; looks at no more than that takes."""
    check()
    for row in rows:
        room -= cost(row)
        if room < 0:
            return False
    return True


def _with_members(
    shown: Sequence[Declaration], numbers: Sequence[int], outer: Sequence[OutlineSymbol]
) -> Iterator[tuple[list[OutlineSymbol], str]]:
    """Lists of types whose members have no rows, and the kinds left out of each."""
    every = {*numbers}
    inside = {number for number in numbers if shown[number].parent in every}
    local = {number for number in inside if shown[shown[number].parent].kind in _FUNCTIONS}
    inner = {number for number in inside - local if shown[number].kind in INNER_KINDS}
    holders = {shown[number].parent for number in inside - local - inner}
    members: dict[int, list[OutlineSymbol]] = {}
    top: list[tuple[int, OutlineSymbol]] = []
    for number, row in zip(numbers, outer, strict=True):
        if number in local or number in inner:
            continue
        if number in inside - holders:
            members.setdefault(shown[number].parent, []).append(row)
        else:
            top.append((number, row))
    left_out = {shown[number].kind for number in inner}
    left_out |= {f"local {shown[number].kind}" for number in local}
    for without in (set(), {_ACCESSORS}) if members else ():
        yield (
            [_with_names(row, members.get(number, ()), without) for number, row in top],
            ", ".join(sorted(left_out | without)),
        )


def _with_names(
    row: OutlineSymbol, members: Sequence[OutlineSymbol], without: Collection[str]
) -> OutlineSymbol:
    """A row with the names and first lines of members, those of overloads together."""
    lines: dict[str, list[str]] = {}
    for item in members:
        if not (without and _is_accessor(item)):
            lines.setdefault(item.name, []).append(str(item.start_line))
    names = [f"{name} {','.join(own)}" for name, own in lines.items()]
    return OutlineSymbol(**{**vars(bare(row)), "members": names, "inside": 0})


def _is_accessor(row: OutlineSymbol) -> bool:
    """True of a function of few lines that is named as what gives or sets a value."""
    return row.end_line - row.start_line < _SHORT and bool(_ACCESSOR.match(row.name))


def _lists(
    outer: list[OutlineSymbol], *, is_whole: bool
) -> Iterator[tuple[list[OutlineSymbol], str]]:
    """Lists that may stand for some levels, the fullest first, and the kinds left out of each."""
    main = [row for row in outer if not row.parent_symbol or row.kind not in INNER_KINDS]
    # register headers have hundreds of macros of a line before the first function
    code = [row for row in main if row.kind not in _VALUES or row.end_line > row.start_line]
    inner = {row.kind for row in outer if row.parent_symbol} & INNER_KINDS
    values = inner | ({row.kind for row in main} & _VALUES)
    fuller = ((main, inner), (code, values)) if is_whole else ((outer, set()), (code, values))
    for listed, left_out in fuller:
        yield listed, ", ".join(sorted(left_out))
    for listed, left_out in ((outer, set()), *fuller):
        yield [bare(row) for row in listed], ", ".join(sorted(left_out))


def bare(row: OutlineSymbol) -> OutlineSymbol:
    """A row with its name and lines alone."""
    return OutlineSymbol(**{**vars(row), "signature": "", "doc": "", "decl_context": ""})


def outer_rows(
    shown: Sequence[Declaration],
    numbers: Sequence[int],
    rows: Sequence[OutlineSymbol],
    depth_of: Sequence[int],
    depth: int,
) -> list[OutlineSymbol]:
    """The rows of some outer levels, each with the number of those inside that are left out."""
    kept = {
        number: row for number, row in zip(numbers, rows, strict=True) if depth_of[number] <= depth
    }
    for row in kept.values():
        row.inside = 0
    # of each declaration, the one of an outer level that it is in
    around: dict[int, int] = {}
    for number in numbers:
        at, inside = number, []
        while depth_of[at] > depth and at not in around:
            inside.append(at)
            at = shown[at].parent
        at = around.get(at, at)
        around |= dict.fromkeys(inside, at)
        if at != number and at in kept:
            kept[at].inside += 1
    return [*kept.values()]
