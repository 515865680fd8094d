"""Finds the places that may break by a change, each with the edge that leads to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from code_graph import language_named
from code_graph.facts import Declaration
from code_graph.model import Confidence, EdgeType, Strategy, UnresolvedUse
from code_graph.parameters import parameters_of
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.model import USES, PlacedEdge, Symbol
from code_graph.query.names import symbols_named
from code_graph.query.neighbours import incoming_edges, up_to
from repo_mcp.changes.changed_symbols import names_gone
from repo_mcp.changes.demands import places_of_demands
from repo_mcp.changes.differences import BreakReason, SignatureDifference
from repo_mcp.changes.lost_uses import LostUses
from repo_mcp.changes.model import BREAKS, MAY_BREAK, MEANS_OTHER, BreakingPlace
from repo_mcp.changes.object_members import members_of_literals
from repo_mcp.changes.overload_lists import above_changed_code, beside_overload, has_code
from repo_mcp.changes.signatures import full_parameters, misfit
from repo_mcp.changes.two_sides import NAME, TwoSides, last_word, symbol_at
from repo_mcp.history import DeclaredChange
from repo_mcp.repository import local_name

_SURE: Final = up_to(Confidence.DISPATCH, USES)
_SUBTYPES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
_IMPLEMENTS: Final = EdgeFilter((EdgeType.IMPLEMENTS,))
_OVERRIDES: Final = EdgeFilter((EdgeType.OVERRIDES,))
# types of edges that may be mere uses of a name
_NAMING: Final = frozenset({EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.IMPORTS})
_INTERFACES: Final = frozenset({"interface", "trait", "protocol"})
_OBJECT_TYPES: Final = frozenset({"interface", "type"})
_VERDICTS: Final = (BREAKS, MAY_BREAK, MEANS_OTHER)
# places of one declaration that are judged
_MOST: Final = 2_000
# overloads of a function, by which its name may be one of several
_MOST_SAME: Final = 40
_GONE: Final = "it is gone, and nothing else has the name"
# how a function is used where ECMAScript does not call it: imports, patterns, comparisons and types
# hand no function on; what is the whole value of a constant has another name there

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


def breaking_places(
    sides: TwoSides,
    changes: Sequence[DeclaredChange],
    paths: Sequence[str],
    others: Iterable[str] = (),
) -> list[BreakingPlace]:
    """The places, those that surely break first; `paths` are the old files with edges.

    Of new files, `others` may have uses that are known by name alone.
    """
    found: list[BreakingPlace] = []
    if sides.old is not None:
        lost = LostUses(sides, sides.old, changes)
        found += [place for path in dict.fromkeys(paths) for place in lost.of(path)]
    differing = frozenset(
        (item.path, item.line) for item in changes if item.kind == "signature" and item.line
    )
    for change in changes:
        if change.kind == "signature":
            found += _of_signature(sides, change, differing)
            found += above_changed_code(sides, change)
        found += beside_overload(sides, change)
    found += places_of_demands(sides, changes)
    known = {(place.path, place.line) for place in found}
    by_name = _nameless_uses(sides, changes, others)
    found += (place for place in by_name if (place.path, place.line) not in known)
    known = {(place.path, place.line) for place in found}
    by_name = _called_by_name(sides, changes, others)
    found += (place for place in by_name if (place.path, place.line) not in known)
    once: dict[tuple[str, int, int, str], BreakingPlace] = {}
    for place in found:  # a class and its constructor are used at one place
        once.setdefault((place.path, place.line, place.column, place.reason), place)
    return sorted(once.values(), key=_order)


def _of_signature(
    sides: TwoSides, change: DeclaredChange, differing: frozenset[tuple[str, int]]
) -> Iterator[BreakingPlace]:
    """The uses of a declaration that do not go with what it is now.

    Where what it overrides is none of the `differing` ones, calls of that are right, and it is not.
    """
    compared = _compared(sides, change)
    if compared is None:
        return
    target, difference = compared
    has_exports = language_named(target.language).has_exports
    used = local_name(sides.new, target), target.path
    yield from _of_literals(sides, target, difference)
    replaced = next(_kept_bases(sides, target, differing), None)
    if replaced is not None:
        why = difference.why(EdgeType.OVERRIDES, None, is_near=True)
        if why is not None:
            base = sides.new.symbol(replaced.target)
            name = target.simple_name if base is None else local_name(sides.new, base)
            text = BreakReason(f"it is called as `{name}`, which has the old signature")
            yield sides.place(replaced, used, replaced.path, replaced.line, text)
    for count, edge in enumerate(_uses_of(sides, target)):
        if count >= _MOST:
            return
        if replaced is not None and edge.confidence == Confidence.DISPATCH:
            continue
        if edge.confidence == Confidence.CONTRACT or edge.strategy == Strategy.FRAMEWORK:
            continue  # no arguments of its are written there
        if has_exports and sides.is_exported(edge):
            continue
        file = sides.by_new.get(edge.path)
        is_new = file is not None and file.lines.is_new(edge.line)
        why = _why(sides, difference, edge, target)
        # a changed line was written with it in mind, unless it can't be right
        if why is not None and (why.is_sure or not is_new):
            yield sides.place(edge, used, edge.path, edge.line, why)


def _of_literals(
    sides: TwoSides, target: Symbol, difference: SignatureDifference
) -> Iterator[BreakingPlace]:
    """The places in object literals of an interface that do not go with a member of it now."""
    owner = _owner(sides, target)
    around = None if owner is None else sides.new.declaration(owner)
    if owner is None or around is None or around.kind not in _OBJECT_TYPES:
        return
    if not language_named(target.language).is_structural:
        return
    used = local_name(sides.new, target), target.path
    given = sides, owner, target.simple_name, difference
    for edge, line, why in members_of_literals(*given):
        yield sides.place(edge, used, edge.path, line, why)


def _uses_of(sides: TwoSides, target: Symbol) -> Iterator[PlacedEdge]:
    """The edges to a declaration, and to constants that are other names of it."""
    is_structural = language_named(target.language).is_structural
    for edge in incoming_edges(sides.new, target.id, _SURE):
        yield edge
        other = _other_name(sides, edge) if is_structural and edge.type in _NAMING else None
        if other is not None and other.id != target.id:
            yield from incoming_edges(sides.new, other.id, _SURE)


def _why(
    sides: TwoSides, difference: SignatureDifference, edge: PlacedEdge, target: Symbol
) -> BreakReason | None:
    """The reason why a use may break."""
    given = sides.arguments(edge)
    is_structural = language_named(target.language).is_structural
    if is_structural and edge.type == EdgeType.OVERRIDES:
        declared = sides.new.declaration(sides.new.symbol_at(edge.source_chunk))
        if declared is not None:
            return difference.of_override(parameters_of(declared.parameters), declared.returns)
    is_read = is_structural and given is None and edge.type in _NAMING
    if is_read and not _is_handed_on(sides, edge):
        return None
    return difference.why(edge.type, given, is_near=edge.path == target.path)


def _kept_bases(
    sides: TwoSides, target: Symbol, differing: frozenset[tuple[str, int]]
) -> Iterator[PlacedEdge]:
    """The edges to what a member overrides and has the signature of before."""
    for edge in edges_of_rows(sides.new, target.path, _OVERRIDES):
        declared = sides.declaration_of(edge) if edge.source == target.id else None
        base = None if declared is None else sides.new.symbol(edge.target)
        if declared is None or base is None:
            continue
        if (base.path, declared.name_line) not in differing:
            yield edge


def _compared(sides: TwoSides, change: DeclaredChange) -> tuple[Symbol, SignatureDifference] | None:
    """A declaration with another signature, and how it differs for those who use it."""
    if change.kind != "signature" or change.before is None or change.behind is None:
        return None
    target = symbol_at(sides.new, change.path, change.behind)
    if target is None:
        return None
    texts = sides.by_old.get(change.old_path), sides.by_new.get(change.path)
    file_text = None if texts[1] is None else texts[1].new
    old = full_parameters(change.before, None if texts[0] is None else texts[0].old)
    new = full_parameters(change.behind, file_text)
    row = language_named(target.language)
    overloads = [] if row.overloads else [*_declared_beside(sides, target)]
    last = max((item.start_line for item in overloads), default=0)
    is_last = row.is_structural and 0 < last < change.behind.start_line
    if is_last and has_code(sides, change.path, change.behind):
        return None  # it has the code of those that calls see
    others = [(full_parameters(item, file_text), item.returns) for item in overloads]
    given = target.language, (old, new), others
    difference = SignatureDifference(change.before, change.behind, *given, is_chosen=row.overloads)
    return target, difference


def _called_by_name(
    sides: TwoSides, changes: Iterable[DeclaredChange], paths: Iterable[str]
) -> Iterator[BreakingPlace]:
    """The calls of a name in new files whose target is not known, where nothing else has it.

    What a base from outside gives may be the type itself again.
    """
    known: dict[str, tuple[Symbol, SignatureDifference]] = {}
    bases: dict[str, list[str]] = {}
    for change in changes:
        compared = _compared(sides, change)
        if compared is not None and _has_own_name(sides, compared[0]):
            name = compared[0].simple_name
            known[name] = compared
            for base in _outer_bases(sides, compared[0]):
                bases.setdefault(base, []).append(name)
    for path in dict.fromkeys(paths) if known else ():
        uses = sides.uses_in(path)
        called = [use for use in uses.unanswered if use.name in known]
        for base, names in bases.items():
            for edge in uses.on_results_of(base):
                name = last_word(edge.external)
                if name in names:
                    use = UnresolvedUse(edge.source, name, edge.type, edge.line, edge.column)
                    called.append(use)
        for use in called:
            why = _of_call_by_name(sides, path, use, *known[use.name])
            if why is not None:
                target = known[use.name][0]
                used = local_name(sides.new, target), target.path
                yield _place_by_name(sides, path, use, why.text, used)


def _of_call_by_name(
    sides: TwoSides,
    path: str,
    use: UnresolvedUse,
    target: Symbol,
    difference: SignatureDifference,
) -> BreakReason | None:
    given = sides.arguments_behind(path, use.line, use.column)
    if use.type != EdgeType.CALLS or given is None:
        return None
    beside = [parameters_of(item.parameters) for item in _declared_beside(sides, target)]
    why = difference.why(EdgeType.CALLS, given, is_near=False)
    return why if all(misfit(item, given) for item in beside) else None


def _outer_bases(sides: TwoSides, member: Symbol) -> Iterator[str]:
    """The names of the bases from outside of the type of a member."""
    owner = _owner(sides, member)
    for edge in edges_of_rows(sides.new, member.path, _SUBTYPES) if owner is not None else ():
        if edge.external and owner is not None and edge.source == owner.id:
            yield edge.external


def _has_own_name(sides: TwoSides, target: Symbol) -> bool:
    """True if nothing but its overloads has the name of a declaration."""
    return all(
        (item.path, item.qualified_name) == (target.path, target.qualified_name)
        for item in symbols_named(sides.new, target.simple_name, _MOST_SAME)[0]
    )


def _declared_beside(sides: TwoSides, target: Symbol) -> Iterator[Declaration]:
    """The overloads of a function, which have its name in the same place."""
    for item, declared in sides.new.outline(target.path):
        is_same = item.qualified_name == target.qualified_name and item.chunk != target.chunk
        if is_same and declared is not None and item.node_type == target.node_type:
            yield declared


def _owner(sides: TwoSides, member: Symbol) -> Symbol | None:
    around = [
        item
        for item, declared in sides.new.outline(member.path)
        if declared is not None and item.encloses(member) and item.id != member.id
    ]
    return around[-1] if around else None


def _order(place: BreakingPlace) -> tuple[int, str, str, str, str, int, int]:
    """By verdict, then by cause."""
    cause = place.used_path, place.used, place.reason
    return _VERDICTS.index(place.verdict), *cause, place.path, place.line, place.column


def _nameless_uses(
    sides: TwoSides, changes: Iterable[DeclaredChange], paths: Iterable[str]
) -> Iterator[BreakingPlace]:
    """The places in these files of the new side that name what is removed or renamed.

    Nothing says that they mean it, so they count where nothing else has the name.
    """
    gone: dict[str, DeclaredChange] = {}
    for name, change in names_gone(changes):
        if name not in gone and not symbols_named(sides.new, name, 1)[0]:
            gone[name] = change
    for path in dict.fromkeys(paths) if gone else ():
        for use in sides.uses_in(path).unanswered:
            gone_one = gone.get(use.name)
            if gone_one is not None:
                used = gone_one.old_name or gone_one.name, gone_one.old_path
                yield _place_by_name(sides, path, use, _GONE, used)


def _place_by_name(
    sides: TwoSides, path: str, use: UnresolvedUse, why: str, used: tuple[str, str]
) -> BreakingPlace:
    """The place of a use without a target; `used` is a declaration's name and its file."""
    return BreakingPlace(
        path,
        use.line,
        use.column,
        sides.symbol_around(path, use.line),
        MAY_BREAK,
        why,
        *used,
        EdgeType(use.type).name.lower(),
        Confidence.POSSIBLE.name.lower(),
        sides.shown_line(path, use.line),
    )


def _is_handed_on(sides: TwoSides, edge: PlacedEdge) -> bool:
    """True if a name stands for a function that something else may call."""
    before, behind = _around(sides, edge)
    if _NAMED_AGAIN.match(before) and _ENDS.match(behind):
        return False
    if _ASKED_FOR.search(before) or _NOT_CALLED.match(behind):
        return False
    if _IMPORTED.match(before) or sides.is_listed(edge):
        return False
    return not _is_in_pattern(sides, edge, before, behind)


def _other_name(sides: TwoSides, edge: PlacedEdge) -> Symbol | None:
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
