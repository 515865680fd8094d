"""Finds uses that meant something before the change, and mean nothing or another thing after it.

A use counts where its line has not changed, or where new lines in its place have the same name and
nothing answers that. Only edges of the files that differ, and into them, are compared: others can
differ for what was not linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph import language_named
from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.edges import EdgeFilter, edges_into, edges_of_rows
from code_graph.query.model import USES, PlacedEdge, Symbol
from code_graph.query.names import innermost
from code_graph.query.neighbours import CALLS, up_to
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.changes.differences import BreakReason, refused_by
from repo_mcp.changes.model import MEANS_OTHER, BreakingPlace
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.changes.two_sides import WORD, NewUses, TwoSides, symbol_at
from repo_mcp.history import DeclaredChange
from repo_mcp.repository import local_name

_BY_NAME: Final = frozenset({Strategy.SCOPE, Strategy.IMPORT})
_SUBTYPES: Final = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS})
_CONSTRUCTOR: Final = "constructor"
# what says that a member overrides another one, in its head, and where that ends
_SAYS_OVERRIDE: Final = re.compile(r"\boverride\b", re.IGNORECASE)
_BODY: Final = "{"
_HEAD_LINES: Final = 4
# changes by which a declaration is what it was for those who call it
_SAME: Final = frozenset({"changed", "added", "moved", "cosmetic"})
_SURE: Final = up_to(Confidence.DISPATCH, USES)
_NAMES: Final = EdgeFilter((EdgeType.REFERENCES,))
# uses of a type, or calls of a function that gives it, that are looked at
_MOST: Final = 200
# lines above an argument in which its call may begin
_ABOVE: Final = 2
_GOES_ON: Final = ("(", ",")
# a value is asked which type it has
_ASKED: Final = re.compile(r"\s*case\b|.*\.\(\s*\*?\w")


class LostUses:
    """The uses that a change takes the meaning from."""

    def __init__(
        self, sides: TwoSides, old: GraphSnapshot, changes: Iterable[DeclaredChange]
    ) -> None:
        """Find out which declarations are elsewhere now."""
        self._sides = sides
        self._old = old
        self._changed: dict[tuple[str, int], DeclaredChange] = {}
        self._moved: dict[int, int] = {}
        # what was meant at each place of the file that is compared
        self._targets: frozenset[tuple[int, int, int]] = frozenset()
        self._has_other_bases = False
        for change in changes:
            if change.before is None:
                continue
            if change.behind is not None and change.before.bases != change.behind.bases:
                self._has_other_bases = True
            self._changed[change.old_path, change.before.name_line] = change
            if change.behind is not None:
                one = symbol_at(old, change.old_path, change.before)
                other = symbol_at(sides.new, change.path, change.behind)
                if one is not None and other is not None and one.id != other.id:
                    self._moved |= dict(_pairs(old, sides.new, one, other))
        for file in sides.by_old.values():
            if file.new_path and file.new_path != file.old_path:
                self._moved |= dict(_pairs_of_files(old, sides.new, file))

    def of(self, path: str) -> Iterator[BreakingPlace]:
        """The lost uses in a file, by its old path; its edges have to be in both graphs."""
        new = self._sides.new
        bare: dict[int, list[BreakingPlace]] = {}
        told: set[int] = set()
        for place, edge in self._lost(path):
            source = new.symbol(self._moved.get(edge.source, edge.source))
            base = self._old.symbol(edge.target)
            if edge.type not in _SUBTYPES or source is None or base is None:
                yield place
                continue
            places = [*_places_of_lost_base(self._sides, source, base, place)]
            yield from places
            if places:
                told.add(source.id)
            else:
                bare.setdefault(source.id, []).append(place)
        # a type that nothing takes for a base of it that is lost: told where no place tells it
        for number, lost in bare.items():
            yield from () if number in told else lost

    def _lost(self, path: str) -> Iterator[tuple[BreakingPlace, PlacedEdge]]:
        sides = self._sides
        file = sides.by_old.get(path)
        now = path if file is None else file.new_path
        if not now:
            return
        uses = sides.uses_in(now)
        # of a file that costs much to evaluate some uses are left out, and say nothing
        is_whole = sides.new.is_linked(now)
        edges = [*edges_of_rows(self._old, path, _SURE)]
        self._targets = frozenset((edge.line, edge.column, edge.target) for edge in edges)
        for edge in edges:
            target = self._old.symbol(edge.target)
            if target is None or (file is None and target.path not in sides.by_old):
                continue
            line = edge.line if file is None else file.lines.new_line(edge.line)
            if edge.confidence == Confidence.CONTRACT:
                found = self._judge_contract(edge, target, now, line, uses)
            elif line and not is_whole and not uses.has(line, edge.column, target.simple_name):
                continue
            elif line:
                found = self._judge(edge, target, now, line, uses)
            else:
                found = None if file is None else self._judge_changed(edge, target, file, uses)
            if found is not None:
                yield found, edge

    def _judge(
        self, edge: PlacedEdge, target: Symbol, path: str, line: int, uses: NewUses
    ) -> BreakingPlace | None:
        """The place of a use on a line that has not changed."""
        sides = self._sides
        wanted = {target.id, self._moved.get(target.id, target.id)}
        now = uses.at(line, edge.column)
        if any(item.target in wanted and not item.external for item in now):
            return None
        same = [
            item
            for item in now
            if uses.name_of(item) == target.simple_name and not self._is_dangling(item, path)
        ]
        beside = [item for item in same if self._is_overload(item, target)]
        if beside:
            return self._judge_overloads(edge, target, beside, path, line)
        if target.node_type == _CONSTRUCTOR:  # an edge to its type is beside each
            same = [item for item in same if self._is_constructor(item)]
        if not same and (self._is_unknown(edge, target) or self._is_free(edge, path, line)):
            return None
        if not same:
            why = self._why(target, is_subtype=edge.type in _SUBTYPES)
            return self._place(edge, target, path, line, why)
        other = sides.new.symbol(same[0].target)
        is_same = other is not None and other.node_type == target.node_type == "file"
        is_known = other is not None and (edge.line, edge.column, other.id) in self._targets
        if other is None or is_same or is_known or same[0].confidence > Confidence.INFERRED:
            return None  # it may still be what it was
        text = f"it means `{local_name(sides.new, other)}` in {other.path} now"
        return self._place(edge, target, path, line, BreakReason(text), MEANS_OTHER)

    def _judge_contract(
        self, edge: PlacedEdge, target: Symbol, path: str, line: int, uses: NewUses
    ) -> BreakingPlace | None:
        """The place of a text that nothing gives any more, on a line that has not changed."""
        now = uses.at(line, edge.column) if line else ()
        if not line or any(item.confidence == Confidence.CONTRACT for item in now):
            return None
        why = BreakReason(f"nothing has the {edge.words[1]} of this text any more")
        return self._place(edge, target, path, line, why)

    def _is_overload(self, edge: PlacedEdge, target: Symbol) -> bool:
        """True for a use of what has the name of a target in the same place."""
        other = None if edge.external else self._sides.new.symbol(edge.target)
        if other is None:
            return False
        return (other.path, other.qualified_name) == (target.path, target.qualified_name)

    def _is_constructor(self, edge: PlacedEdge) -> bool:
        other = None if edge.external else self._sides.new.symbol(edge.target)
        return other is not None and other.node_type == _CONSTRUCTOR

    def _judge_overloads(
        self,
        edge: PlacedEdge,
        target: Symbol,
        beside: Sequence[PlacedEdge],
        path: str,
        line: int,
    ) -> BreakingPlace | None:
        """The place of a call whose overload is gone or differs, where no other one takes it."""
        before = self._old.declaration(target)
        change = before and self._changed.get((target.path, before.name_line))
        is_chosen = language_named(target.language).overloads
        if not before or not change or change.kind in _SAME or not is_chosen:
            return None
        found = BreakReason("")
        for item in beside:
            other = self._sides.declaration_of(item)
            given = self._sides.arguments(item)
            if other is None or given is None:
                return None
            reason = refused_by(before, other, given)
            if reason is None:
                return None
            found = reason
        return self._place(edge, target, path, line, found)

    def _is_dangling(self, edge: PlacedEdge, path: str) -> bool:
        """True for a use of what is not there: it counts as one from outside.

        In a file that imports other things than before it may be just that.
        """
        return bool(edge.external) and path not in self._sides.importing

    def _is_unknown(self, edge: PlacedEdge, target: Symbol) -> bool:
        """True where the target is still there, and what it was a member of is not known now.

        Types that are written otherwise are not always followed; names and imports are.
        """
        is_there = target.id not in self._moved and self._sides.new.symbol(target.id) is not None
        is_known = edge.strategy in _BY_NAME or edge.type in _SUBTYPES
        return is_there and not is_known and not self._has_other_bases

    def _is_free(self, edge: PlacedEdge, path: str, line: int) -> bool:
        """True for a member that overrides another one, and does not have to."""
        if edge.type != EdgeType.OVERRIDES:
            return False
        source = self._old.symbol_at(edge.source_chunk)
        declared = self._old.declaration(source)
        if declared is None:
            return True
        if language_named(source.language).implements_traits:
            return False  # the block of a trait has nothing else
        first = line - (declared.name_line - declared.start_line)
        count = line - first + _HEAD_LINES
        head = self._sides.text_from(path, first, count).partition(_BODY)[0]
        return _SAYS_OVERRIDE.search(head) is None

    def _judge_changed(
        self, edge: PlacedEdge, target: Symbol, file: ComparedFile, uses: NewUses
    ) -> BreakingPlace | None:
        """The place of a use on a line that has changed, and still has the name."""
        if target.node_type == "file":
            return None
        for line in file.lines.new_lines(edge.line):
            words = WORD.findall(self._sides.line(file.new_path, line))
            if target.simple_name in words and uses.is_unanswered(line, target.simple_name):
                return self._place(edge, target, file.new_path, line, self._why(target))
        return None

    def _why(self, target: Symbol, *, is_subtype: bool = False) -> BreakReason:
        sides = self._sides
        declared = self._old.declaration(target)
        change = declared and self._changed.get((target.path, declared.name_line))
        if change and change.kind == "renamed":
            return BreakReason(f"it is `{change.name}` now", is_sure=True)
        file = sides.by_old.get(target.path)
        elsewhere = change.path if change and change.kind == "moved" else ""
        elsewhere = elsewhere or (file.new_path if file is not None else "")
        if elsewhere and elsewhere != target.path:
            return BreakReason(f"it is in {elsewhere} now", is_sure=True)
        if sides.new.symbol(self._moved.get(target.id, target.id)) is None:
            return BreakReason("it is gone", is_sure=True)
        if is_subtype:
            return BreakReason("it is not implemented any more")
        return BreakReason("it is not found from here any more")

    def _place(
        self,
        edge: PlacedEdge,
        target: Symbol,
        path: str,
        line: int,
        why: BreakReason,
        verdict: str = "",
    ) -> BreakingPlace:
        used = local_name(self._old, target), target.path
        return self._sides.place(edge, used, path, line, why, verdict)


def _pairs(
    old: GraphSnapshot, new: GraphSnapshot, one: Symbol, other: Symbol
) -> Iterator[tuple[int, int]]:
    """A declaration that has another id now, and its members, with these."""
    yield one.id, other.id
    there = {
        item.qualified_name.removeprefix(other.qualified_name): item.id
        for item, _ in new.outline(other.path)
        if other.encloses(item) and item.id != other.id
    }
    for item, _ in old.outline(one.path):
        inner = item.qualified_name.removeprefix(one.qualified_name)
        if item.id != one.id and one.encloses(item) and inner in there:
            yield item.id, there[inner]


def _pairs_of_files(
    old: GraphSnapshot, new: GraphSnapshot, file: ComparedFile
) -> Iterator[tuple[int, int]]:
    """The declarations of a file that is renamed, and the file itself, with what they are now."""
    one, other = old.outline(file.old_path), new.outline(file.new_path)
    if one and other:
        before, behind = one[0][0].qualified_name, other[0][0].qualified_name
        there: Mapping[str, int] = {
            item.qualified_name.removeprefix(behind): item.id for item, _ in other
        }
        for item, _ in one:
            inner = item.qualified_name.removeprefix(before)
            if inner in there:
                yield item.id, there[inner]


def _places_of_lost_base(
    sides: TwoSides, source: Symbol, base: Symbol, lost: BreakingPlace
) -> Iterator[BreakingPlace]:
    """The places that take a type for a base; that of the type itself where it has to name it.

    Where types name no interfaces, a compiler says nothing of the type itself, but where a value
    of it is handed on as one: there are none if nothing takes the type for it.
    """
    uses = _BaseUses(sides, source, base, lost)
    if not language_named(source.language).has_implicit_interfaces:
        yield lost
        yield from uses.made(is_known=False)
        return
    yield from uses.made(is_known=True)
    yield from uses.named()


class _BaseUses:
    """The uses of one type."""

    def __init__(self, sides: TwoSides, source: Symbol, base: Symbol, lost: BreakingPlace) -> None:
        self._sides = sides
        self._source, self._base = source, base.simple_name
        self._used = lost.used, lost.used_path
        self._why = BreakReason(f"it gives `{source.simple_name}`: {lost.reason}")
        self._why_named = BreakReason(f"`{source.simple_name}`: {lost.reason}")

    def made(self, *, is_known: bool) -> Iterator[BreakingPlace]:
        """The calls of functions that give the type, `is_known` those that hand it on as a base."""
        new = self._sides.new
        for symbol, declared in new.outline(self._source.path):
            if declared is None or self._source.simple_name not in WORD.findall(declared.returns):
                continue
            for call in edges_into(new, symbol.id, CALLS, limit=_MOST).edges:
                if not is_known or self._is_wanted(call) is not False:
                    yield self._sides.place(call, self._used, call.path, call.line, self._why)

    def named(self) -> Iterator[BreakingPlace]:
        """The places that name the type where the base is wanted, or ask a value for it."""
        for edge in edges_into(self._sides.new, self._source.id, _NAMES, limit=_MOST).edges:
            text = self._sides.line(edge.path, edge.line)
            if _ASKED.match(text) or self._is_wanted(edge):
                yield self._sides.place(edge, self._used, edge.path, edge.line, self._why_named)

    def _is_wanted(self, edge: PlacedEdge) -> bool | None:
        """True if the base is wanted at a place, False if something else is, None if who knows."""
        sides, path = self._sides, edge.path
        words = WORD.findall(sides.line(path, edge.line))
        if self._base in words:
            return True
        around = innermost(sides.new, path, edge.line)
        declared = None if around is None else sides.new.declaration(around)
        if "return" in words and declared is not None and declared.returns:
            return self._base in WORD.findall(declared.returns)
        first = edge.line
        while edge.line - first < _ABOVE and sides.line(path, first - 1).rstrip()[-1:] in _GOES_ON:
            first -= 1
        lines = range(first, edge.line + 1)
        taken = [
            WORD.findall(callee.parameters)
            for other in sides.uses_in(path).on_lines(lines)
            if other.type == EdgeType.CALLS
            and (other.line, other.column) < (edge.line, edge.column)
            and (callee := sides.declaration_of(other)) is not None
        ]
        return any(self._base in names for names in taken) if taken else None
