"""Compares edges of the product with what was read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.graph.services.truth import KINDS, Place, Target, Truth, Use
from code_graph.facts import Declaration


class TextEdge(NamedTuple):
    """An edge that a text leads along; `declaration` is that of the target, None for its file.

    Where several declarations make one symbol, `also` has the others.
    """

    kind: str
    path: str
    line: int
    target: str
    declaration: Declaration | None
    also: tuple[tuple[str, Declaration | None], ...] = ()

    def __str__(self) -> str:
        """The edge for display."""
        where = Place(self.target, self.declaration.name_line if self.declaration else 0)
        return f"{self.path}:{self.line} {self.kind} → {where}"


@dataclass(slots=True)
class Score:
    """Counts of right and wrong edges, and of wanted and found targets, of one kind."""

    right: int = 0
    wrong: int = 0
    wanted: int = 0
    found: int = 0

    def add(self, other: Score) -> None:
        """Count what another score counts."""
        self.right += other.right
        self.wrong += other.wrong
        self.wanted += other.wanted
        self.found += other.found

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "right": self.right,
            "wrong": self.wrong,
            "found": self.found,
            "wanted": self.wanted,
        }

    def row(self, name: str) -> str:
        """The score as a line of a table."""
        precision = self.right / (self.right + self.wrong) if self.right + self.wrong else 0.0
        recall = self.found / self.wanted if self.wanted else 0.0
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        counts = f"{self.right:5} right {self.wrong:4} wrong {self.found:5} of {self.wanted}"
        return f"{name:10} P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  {counts}"


@dataclass(slots=True)
class Comparison:
    """The scores of a repository, and its differences."""

    scores: dict[str, Score] = field(default_factory=lambda: {kind: Score() for kind in KINDS})
    missed: list[tuple[Use, Target]] = field(default_factory=list)
    wrong: list[TextEdge] = field(default_factory=list)
    unjudged: Counter[str] = field(default_factory=Counter)

    def total(self) -> Score:
        """The score of all kinds together."""
        total = Score()
        for score in self.scores.values():
            total.add(score)
        return total

    def figures(self) -> dict[str, dict[str, int]]:
        """The counts of each kind that the repository has."""
        return {
            kind: score.counts()
            for kind, score in self.scores.items()
            if score.wanted or score.wrong or score.right
        }

    def rows(self) -> Iterator[str]:
        """The table of scores."""
        for kind, score in self.scores.items():
            if score.wanted or score.wrong or score.right:
                yield score.row(kind)
        yield self.total().row("all")


class Heads:
    """Declarations of all files, to tell which one a line stands for."""

    def __init__(self, declarations: Mapping[str, Sequence[Declaration]]) -> None:
        """The declarations by the paths of their files."""
        self._declarations = declarations

    def is_at(self, place: Place, path: str, declaration: Declaration | None) -> bool:
        """True if a line is in the head of a declaration, or in nothing smaller than it.

        A handler without a name has no declaration: what it stands in is meant then, or the file.
        """
        if place.path != path:
            return False
        if declaration is None:
            return not place.line or self._around(place) is None
        if not place.line:
            return False
        if declaration.start_line <= place.line <= declaration.name_line:
            return True
        return self._around(place) == declaration

    def _around(self, place: Place) -> Declaration | None:
        """The innermost declaration that has a line."""
        rows = self._declarations.get(place.path, ())
        around = [row for row in rows if row.start_line <= place.line <= row.end_line]
        return min(around, key=lambda row: row.end_line - row.start_line, default=None)


def compare(truth: Truth, edges: Iterable[TextEdge], heads: Heads) -> Comparison:
    """The scores of edges; those of files that are not judged are left out."""
    result = Comparison()
    uses: defaultdict[str, list[Use]] = defaultdict(list)
    for use in truth.uses:
        uses[use.path].append(use)
    hit: set[tuple[Use, Target]] = set()
    for edge in sorted(set(edges), key=str):
        if not truth.judges(edge.path):
            continue
        there = [use for use in uses[edge.path] if use.first <= edge.line <= use.last]
        matched = {
            (use, target)
            for use in there
            for target in use.targets
            if any(
                heads.is_at(place, *symbol)
                for place in target
                for symbol in ((edge.target, edge.declaration), *edge.also)
            )
        }
        hit |= matched
        score = result.scores[min((use.kind for use, _ in matched), default=edge.kind)]
        if matched:
            score.right += 1
        elif not truth.judges_target(edge.target) or any(not use.is_judged for use in there):
            result.unjudged[edge.kind] += 1
        else:
            score.wrong += 1
            result.wrong.append(edge)
    for use in truth.uses:
        for target in use.targets:
            score = result.scores[use.kind]
            score.wanted += 1
            score.found += (use, target) in hit
            if (use, target) not in hit:
                result.missed.append((use, target))
    return result
