"""Finds overloads that do not go any more with those beside them, or with the code below them.

In TypeScript they stand one after the other before one body, and a checker reports them there.
"""

from __future__ import annotations

from collections.abc import Iterator

from code_graph import language_named
from code_graph.facts import Declaration
from code_graph.model import Confidence, EdgeType
from code_graph.parameters import parameters_of
from code_graph.query.model import Symbol
from repo_mcp.changes.differences import SignatureDifference
from repo_mcp.changes.model import MAY_BREAK, BreakingPlace
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.changes.two_sides import WORD, TwoSides, symbol_at
from repo_mcp.history import DeclaredChange
from repo_mcp.repository import local_name


def above_changed_code(sides: TwoSides, change: DeclaredChange) -> Iterator[BreakingPlace]:
    """The first overload that does not go with its code, which takes other arguments now."""
    one, now = change.before, change.behind
    target = None if now is None else symbol_at(sides.new, change.path, now)
    if one is None or now is None or target is None:
        return
    if not language_named(target.language).is_structural or not has_code(sides, change.path, now):
        return
    row = target.language, (one.parameters, now.parameters)
    difference = SignatureDifference(one, now, *row)
    for item, declared in sides.new.outline(change.path):
        is_same = item.qualified_name == target.qualified_name and declared is not None
        if not is_same or declared is None or declared.start_line >= now.start_line:
            continue
        variables = frozenset(WORD.findall(declared.signature.partition("(")[0]))
        own = [
            None if parameter.words & variables else parameter
            for parameter in parameters_of(declared.parameters)
        ]
        if not has_code(sides, change.path, declared) and difference.is_refused_by_code(own):
            why = "its code takes others now"
            yield _place_of_overload(sides, change, change.path, item, declared, why)
            return


def beside_overload(sides: TwoSides, change: DeclaredChange) -> Iterator[BreakingPlace]:
    """The overloads that stand beside one that has another name now, or none.

    They stand one after the other before one body: the one above has none to go on to, and the
    body below is of another one. One that has the body itself is told alone.
    """
    one, now = change.before, change.behind
    file = sides.by_old.get(change.old_path)
    if one is None or file is None or change.kind not in {"renamed", "removed"}:
        return
    path = file.new_path
    if now is not None:
        if has_code(sides, path, now):
            return
        lines, why = range(now.start_line, now.end_line + 1), f"its overload is `{now.name}` now"
    else:
        lines, why = _lines_in_place(file, one), "its overload is gone"
    for item, declared in _adjacent(sides, path, one, lines):
        yield _place_of_overload(sides, change, path, item, declared, why)


def _place_of_overload(
    sides: TwoSides,
    change: DeclaredChange,
    path: str,
    item: Symbol,
    declared: Declaration,
    why: str,
) -> BreakingPlace:
    return BreakingPlace(
        path,
        declared.name_line,
        declared.name_column,
        local_name(sides.new, item),
        MAY_BREAK,
        why,
        change.old_name or change.name,
        change.old_path,
        EdgeType.REFERENCES.name.lower(),
        Confidence.EXACT.name.lower(),
        sides.shown_line(path, declared.name_line),
    )


def _adjacent(
    sides: TwoSides, path: str, one: Declaration, now: range
) -> Iterator[tuple[Symbol, Declaration]]:
    """The overloads directly beside what stands in place of one, which break by that.

    Where nothing does, the one above has lost its code if there is none of the name below.
    """
    first, last = now.start, now.stop - 1
    same = [
        (item, declared)
        for item, declared in sides.new.outline(path)
        if declared is not None
        and language_named(item.language).is_structural
        and (declared.name, declared.kind) == (one.name, one.kind)
    ]
    above = [pair for pair in same if sides.is_blank(path, pair[1].end_line + 1, first - 1)]
    below = [pair for pair in same if sides.is_blank(path, last + 1, pair[1].start_line - 1)]
    is_replaced = not sides.is_blank(path, first, last)
    for item, declared in above:
        if not has_code(sides, path, declared) and (is_replaced or not below):
            yield item, declared
    for item, declared in below if is_replaced else ():
        if has_code(sides, path, declared):
            yield item, declared


def _lines_in_place(file: ComparedFile, old: Declaration) -> range:
    """The new lines that stand where a declaration did, which may be none."""
    hunks = [it for it in file.lines.hunks if it.old_end >= old.start_line]
    return range(hunks[0].new + 1, hunks[0].new_end + 1) if hunks else range(0)


def has_code(sides: TwoSides, path: str, declared: Declaration) -> bool:
    """True for a function with a body."""
    return sides.line(path, declared.end_line).rstrip().endswith("}")
