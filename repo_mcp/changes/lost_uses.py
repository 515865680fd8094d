"""Finds uses that meant something before the change, and mean nothing or another thing after it.

A use counts where its line has not changed, or where new lines in its place have the same name and
nothing answers that. Only edges of the files that differ, and into them, are compared: others can
differ for what was not linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from code_graph.model import Confidence
from code_graph.query.edges import edges_of_rows
from code_graph.query.model import USES, PlacedEdge, Symbol
from code_graph.query.neighbours import up_to
from repo_mcp.changes.differences import BreakReason
from repo_mcp.changes.model import MEANS_OTHER, BreakingPlace
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.changes.two_sides import WORD, NewUses, TwoSides, symbol_at
from repo_mcp.history import DeclaredChange
from repo_mcp.repository import local_name

_SURE: Final = up_to(Confidence.DISPATCH, USES)


class LostUses:
    """The uses that a change takes the meaning from."""

    def __init__(self, sides: TwoSides, changes: Iterable[DeclaredChange]) -> None:
        """Find out which declarations are elsewhere now."""
        self._sides = sides
        self._changed: dict[tuple[str, int], DeclaredChange] = {}
        self._moved: dict[int, int] = {}
        for change in changes:
            if change.before is None:
                continue
            self._changed[change.old_path, change.before.name_line] = change
            if change.behind is not None:
                old = symbol_at(sides.old, change.old_path, change.before.name_line)
                new = symbol_at(sides.new, change.path, change.behind.name_line)
                if old is not None and new is not None and old.id != new.id:
                    self._moved |= dict(_pairs(sides, old, new))
        for file in sides.by_old.values():
            if file.new_path and file.new_path != file.old_path:
                self._moved |= dict(_pairs_of_files(sides, file))

    def of(self, path: str) -> Iterator[BreakingPlace]:
        """The lost uses in a file, by its old path; its edges have to be in both graphs."""
        sides = self._sides
        file = sides.by_old.get(path)
        now = path if file is None else file.new_path
        if not now or not sides.new.is_linked(now):
            return
        uses = sides.uses_in(now)
        for edge in edges_of_rows(sides.old, path, _SURE):
            target = sides.old.symbol(edge.target)
            if target is None or (file is None and target.path not in sides.by_old):
                continue
            line = edge.line if file is None else file.lines.new_line(edge.line)
            if line:
                found = self._judge(edge, target, now, line, uses)
            else:
                found = None if file is None else self._judge_changed(edge, target, file, uses)
            if found is not None:
                yield found

    def _judge(
        self, edge: PlacedEdge, target: Symbol, path: str, line: int, uses: NewUses
    ) -> BreakingPlace | None:
        """The place of a use on a line that has not changed."""
        sides = self._sides
        wanted = {target.id, self._moved.get(target.id, target.id)}
        now = uses.at(line, edge.column)
        if any(item.target in wanted and not item.external for item in now):
            return None
        same = [item for item in now if uses.name_of(item) == target.simple_name]
        if not same:
            return self._place(edge, target, path, line, self._why(target))
        other = sides.new.symbol(same[0].target)
        is_same = other is not None and other.node_type == target.node_type == "file"
        if other is None or is_same or same[0].confidence > Confidence.INFERRED:
            return None  # it may still be what it was
        if (other.path, other.qualified_name) == (target.path, target.qualified_name):
            return None
        text = f"it means `{local_name(sides.new, other)}` in {other.path} now"
        return self._place(edge, target, path, line, BreakReason(text), MEANS_OTHER)

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

    def _why(self, target: Symbol) -> BreakReason:
        sides = self._sides
        declared = sides.old.declaration(target)
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
        used = local_name(self._sides.old, target), target.path
        return self._sides.place(edge, used, path, line, why, verdict)


def _pairs(sides: TwoSides, old: Symbol, new: Symbol) -> Iterator[tuple[int, int]]:
    """A declaration that has another id now, and its members, with these."""
    yield old.id, new.id
    there = {
        item.qualified_name.removeprefix(new.qualified_name): item.id
        for item, _ in sides.new.outline(new.path)
        if new.encloses(item) and item.id != new.id
    }
    for item, _ in sides.old.outline(old.path):
        inner = item.qualified_name.removeprefix(old.qualified_name)
        if item.id != old.id and old.encloses(item) and inner in there:
            yield item.id, there[inner]


def _pairs_of_files(sides: TwoSides, file: ComparedFile) -> Iterator[tuple[int, int]]:
    """The declarations of a file that is renamed, and the file itself, with what they are now."""
    old, new = sides.old.outline(file.old_path), sides.new.outline(file.new_path)
    if old and new:
        before, behind = old[0][0].qualified_name, new[0][0].qualified_name
        there: Mapping[str, int] = {
            item.qualified_name.removeprefix(behind): item.id for item, _ in new
        }
        for item, _ in old:
            inner = item.qualified_name.removeprefix(before)
            if inner in there:
                yield item.id, there[inner]
