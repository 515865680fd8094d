"""Compares edges of the product with the truth: precision, recall, F1, and what differs."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bench.graph.edges import (
    CALLS,
    IMPLEMENTS,
    OVERRIDES,
    REFERENCES,
    TYPES,
    VARIANT,
    At,
    Edge,
    Truth,
    Where,
)

# edges that callers and callees show unless asked for more
DEFAULT: Final = frozenset({"exact", "inferred"})
# the kinds of what has a symbol; a use of a field counts only where fields are asked for
SYMBOLS: Final = frozenset(
    {"class", "interface", "type", "enum", "function", "method", "property", "variable"}
)
_WRAPPER: Final = "decorator"
_SYNTAX: Final = "syntax"
_CONTAINS: Final = "contains"
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "constructor"})
_SAME_TYPE: Final = {"inherits": IMPLEMENTS, "extends": IMPLEMENTS}
# each of these is a use of the name that stands at its place
# what is said of the value of a name, and not of the name
_BY_VALUE: Final = frozenset({CALLS, IMPLEMENTS})
_USES: Final = frozenset(
    {CALLS, REFERENCES, IMPLEMENTS, "imports", "accepts", "inherits", "extends", "belongs_to"}
)
Claim = tuple[At, Where]


@dataclass(slots=True)
class Score:
    """Numbers of claims expected, made and right; scores are added to pool projects."""

    expected: int = 0
    made: int = 0
    right: int = 0

    @property
    def precision(self) -> float:
        """The share of what was made that is right; 1 if nothing was."""
        return self.right / self.made if self.made else 1.0

    @property
    def recall(self) -> float:
        """The share of what was expected that was made; 1 if nothing was."""
        return self.right / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.expected + self.made
        return 2 * self.right / both if both else 1.0

    def __add__(self, other: Score) -> Score:
        """Both together."""
        return Score(
            self.expected + other.expected, self.made + other.made, self.right + other.right
        )

    @classmethod
    def of(cls, expected: set[Hashable], made: set[Hashable]) -> Score:
        """The score of one set against another."""
        return cls(len(expected), len(made), len(expected & made))


@dataclass(slots=True)
class Comparison:
    """The product's edges beside the truth, at judged places only."""

    # by type, and by "type confidence" and "type strategy" (those have no recall of their own)
    scores: dict[str, Score] = field(default_factory=dict)
    # by type: what only one side has
    missing: dict[str, list[Edge]] = field(default_factory=dict)
    wrong: dict[str, list[Edge]] = field(default_factory=dict)
    # edges at places that the oracle can't judge, by type
    unjudged: Counter[str] = field(default_factory=Counter)


def compare(truth: Truth, ours: Iterable[Edge], kinds: frozenset[str] = SYMBOLS) -> Comparison:
    """Scores by type, confidence and strategy, with all differences."""
    # what syntax calls has no name at its place that an oracle could judge
    named_ones = [edge for edge in ours if edge.strategy != _SYNTAX]
    same, made = truth.same, _seen_variants(truth, named_ones)
    named = _named_sources(truth, made)
    edges = [
        edge._replace(
            type=_SAME_TYPE.get(edge.type, edge.type),
            source=named.get(edge.source, edge.source),
            target=same.get(edge.target, edge.target),
        )
        for edge in made
    ]
    found = Comparison()
    for type_ in TYPES:
        _compare_type(truth, type_, edges, kinds, found)
    return found


def _seen_variants(truth: Truth, ours: Sequence[Edge]) -> list[Edge]:
    """The edges, with the body that the oracle sees of those that a symbol has.

    Of a body in a file that it does not read, it sees the declaration.
    """
    read = {where.path for where in truth.kinds}
    variants: dict[Where, set[Where]] = defaultdict(set)
    for edge in ours:
        is_seen = edge.source.path == edge.target.path or edge.target.path not in read
        if edge.type == VARIANT and is_seen:
            variants[edge.target].add(truth.same.get(edge.source, edge.source))
    if not variants:
        return list(ours)
    expected: dict[At, set[Where]] = defaultdict(set)
    for edge in truth.edges:
        expected[edge.at].add(edge.target)
    found = []
    for edge in ours:
        meant = variants.get(edge.target, set()) & expected.get(edge.at, set())
        found.append(edge._replace(target=min(meant)) if meant else edge)
    return found


def _named_sources(truth: Truth, ours: Sequence[Edge]) -> dict[Where, Where]:
    """The declaration that the oracle has in place of each source.

    That of a test by its title, or of a function that a local name holds, is what is around it.
    """
    known = {*truth.kinds, *truth.same, *(edge.source for edge in truth.edges)}
    around = {edge.target: edge.source for edge in ours if edge.type == _CONTAINS}
    found = {}
    for source in {edge.source for edge in ours}:
        at, seen = source, {source}
        while at not in known and around.get(at, at) not in seen:
            at = around[at]
            seen.add(at)
        found[source] = truth.same.get(at, at) if at in known or not at.line else source
    return found


def _compare_type(
    truth: Truth, type_: str, ours: Sequence[Edge], kinds: frozenset[str], found: Comparison
) -> None:
    expected = {
        edge._replace(source=truth.same.get(edge.source, edge.source))
        for edge in truth.edges
        if edge.type == type_
    }
    if type_ == REFERENCES:
        expected = {edge for edge in expected if truth.kinds.get(edge.target) in kinds}
    made = _claims(truth, type_, ours, kinds, found)
    shown = [edge for edge in made if edge.confidence in DEFAULT or not edge.confidence]
    _score(type_, expected, shown, found)
    right = {_claim(edge) for edge in expected}
    for label in ("confidence", "strategy"):
        groups: dict[str, set[Claim]] = defaultdict(set)
        for edge in made:
            groups[getattr(edge, label)].add(_claim(edge))
        for name, claims in groups.items():
            if name:
                key = f"{type_} {name}"
                found.scores[key] = Score(len(right), len(claims), len(claims & right))
    shown_claims = {_claim(edge) for edge in shown}
    found.missing[type_] = [edge for edge in expected if _claim(edge) not in shown_claims]
    found.wrong[type_] = [edge for edge in shown if _claim(edge) not in right]


def _score(type_: str, expected: set[Edge], shown: Sequence[Edge], found: Comparison) -> None:
    """The score by places, and for calls those by declarations as tools answer them."""
    found.scores[type_] = _by(_claim, expected, shown)
    if type_ == CALLS:
        pairs = _by(lambda edge: (edge.source, edge.target), expected, shown)
        found.scores["calls, pairs"] = pairs


def _by(key: Callable[[Edge], Hashable], expected: Iterable[Edge], made: Iterable[Edge]) -> Score:
    return Score.of({key(edge) for edge in expected}, {key(edge) for edge in made})


def _claim(edge: Edge) -> Claim:
    return edge.at, edge.target


def _claims(
    truth: Truth, type_: str, ours: Sequence[Edge], kinds: frozenset[str], found: Comparison
) -> list[Edge]:
    """The product's edges that this type is about, at places that are judged."""
    uses = type_ == REFERENCES
    targets: dict[At, set[Where]] = defaultdict(set)
    for edge in truth.edges:
        if edge.type == type_:
            targets[edge.at].add(edge.target)
    named_at = _constructed(truth, ours, targets)
    made = []
    for edge in ours:
        if edge.type != type_ and not (uses and edge.type in _USES):
            continue
        if (type_, edge.at) not in truth.judged:
            found.unjudged[type_] += not uses or edge.type == REFERENCES
            continue
        there = targets[edge.at]
        if edge.strategy == _WRAPPER and edge.target not in there:
            # the oracle knows what is named, not what a decorator put in its place
            found.unjudged[type_] += 1
            continue
        if uses and not _is_use(truth, edge, there, kinds):
            continue
        if type_ in {CALLS, REFERENCES}:
            if edge.target not in there and _is_named(truth, edge, named_at):
                continue  # of a class whose constructor is one of a base, which is known
            named = _of_class(truth, edge, there)
            if named is None:
                continue
            edge = named  # noqa: PLW2901 the same edge, named as the oracle does
            if uses and truth.kinds.get(edge.target) not in kinds:
                continue  # a namespace stands for the class
        made.append(edge)
    return made


def _constructed(
    truth: Truth, ours: Sequence[Edge], targets: Mapping[At, set[Where]]
) -> dict[At, set[Where]]:
    """The places where a constructor is called that is known, with what the oracle names there."""
    found: dict[At, set[Where]] = {
        edge.at: set()
        for edge in ours
        if edge.target in truth.holders and edge.target in targets.get(edge.at, ())
    }
    for edge in truth.edges if found else ():
        if edge.type == REFERENCES and edge.at in found:
            found[edge.at].add(edge.target)
    return found


def _is_named(truth: Truth, edge: Edge, named_at: Mapping[At, set[Where]]) -> bool:
    """True for the class that the oracle names at a place, or names by an alias there."""
    named = named_at.get(edge.at, set())
    is_class = truth.kinds.get(edge.target) == "class"
    return is_class and (edge.target in named or any(truth.kinds.get(w) == "type" for w in named))


def _is_use(truth: Truth, edge: Edge, meant: set[Where], kinds: frozenset[str]) -> bool:
    """True if an edge says what a name means, of a kind that is compared.

    A call says what is called, which the name need not mean: an alias, a field with a function, an
    instance of a class with `__call__`. So does a base: a field with a class, a parameter of a
    mixin. Such an edge is judged as a call or base alone.
    """
    is_meant = edge.target in meant or truth.holders.get(edge.target) in meant
    return truth.kinds.get(edge.target) in kinds and (is_meant or edge.type not in _BY_VALUE)


def _of_class(truth: Truth, edge: Edge, there: set[Where]) -> Edge | None:
    """An edge to a constructor as one to the class that is constructed at this place.

    None for one that says less than another of the same place: of a class whose constructor is
    called, or of a constructor that is not known to be the one. An oracle that names both, as
    that of C#, is answered by both.
    """
    if edge.target in there:
        return edge
    if any(truth.holders.get(each) == edge.target != each for each in there):
        return None
    is_constructor = edge.target in truth.holders or edge.target.name in _CONSTRUCTORS
    if not is_constructor or any(each in truth.holders for each in there):
        return edge  # the oracle says which constructor is called
    holder = truth.holders.get(edge.target)
    if holder is not None and holder in there:
        return edge._replace(target=holder)  # also of a class that a namespace stands before
    classes = [each for each in there if truth.kinds.get(each) == "class"]
    if not classes:
        return edge
    own = [
        each
        for each in classes
        if each.path == edge.target.path and truth.holders.get(edge.target) == each
    ]
    return edge._replace(target=own[0]) if own else None


def sample(edges: Iterable[Edge], count: int) -> list[Edge]:
    """Some of the edges, the same ones in every run."""

    def key(edge: Edge) -> bytes:
        text = f"{edge.at} {edge.target} {edge.type}"
        return hashlib.sha256(text.encode()).digest()

    return sorted(edges, key=key)[:count]


def frequent(edges: Iterable[Edge], count: int) -> list[tuple[Where, int]]:
    """The targets that most of the edges lead to."""
    counts = Counter(edge.target for edge in edges)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:count]


def pooled(comparisons: Iterable[Comparison]) -> dict[str, Score]:
    """The scores of several projects together."""
    scores: dict[str, Score] = defaultdict(Score)
    for comparison in comparisons:
        for name, score in comparison.scores.items():
            scores[name] += score
    for name, score in scores.items():
        # a project without edges of a strategy still has what they were expected for
        type_ = name.partition(" ")[0]
        if type_ in TYPES:
            score.expected = scores[type_].expected
    return dict(scores)


def table(name: str, scores: dict[str, Score]) -> list[str]:
    """Lines for display: types first, their confidences and strategies below."""
    lines = [f"{name:24} {'expected':>9} {'ours':>8} {'precision':>10} {'recall':>7} {'F1':>7}"]
    for key in sorted(scores, key=_order):
        score = scores[key]
        row = f"  {key:22} {score.expected:9} {score.made:8} {score.precision:10.4f}"
        if key in TYPES or "," in key:
            row += f" {score.recall:7.4f} {score.f1:7.4f}"
        else:
            row += f" {score.right / max(score.expected, 1):7.4f}"
        lines.append(row)
    return lines


def _order(key: str) -> tuple[int, bool, str]:
    type_ = key.partition(" ")[0].rstrip(",")
    return (CALLS, REFERENCES, IMPLEMENTS, OVERRIDES).index(type_), key != type_, key
