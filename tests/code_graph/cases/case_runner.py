"""Loads written cases with their truth, and scores a linker on them.

A case is a folder of sources with `expected.json`: for each type of edge the qualified name of a
source and the sorted names of its targets, all edges of that type inside the case. `may` has those
that are right to show and right to leave out: overrides of what is called, callbacks that code
outside the case calls, a function beside the wrapper that a decorator put in its place. `some` has
edges of types that the truth does not have all of: whether these are there counts, no other.

Names are joined by dots from the module, namespace or package on. A call of a class stands for its
constructor. A name with a leading `@` is the declaration on the line that ends with a comment of
this name, for overloads. Calls that operators, `with`, `for` or subscripts make without naming a
method, and uses of properties, are no calls. What the initializer of a field or variable calls is
called by the class or module; the field may stand for that. Type arguments are no part of a name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

CASES: Final = Path(__file__).parent
TRUTH: Final = "expected.json"
CALLS: Final = "calls"
_MAY: Final = "may"
_SOME: Final = "some"
# a private member of JavaScript has the `#` in its name
_SEPARATORS: Final = re.compile(r"::|(?<=\w)#|/")
_TYPE_ARGUMENTS: Final = re.compile(r"<(?!init>)[^<>]*>|`\d+")
_MARK: Final = re.compile(r"(?://|#|/\*)\s*(@\w+)\s*(?:\*/)?\s*$")
_IMPLICIT: Final = re.compile(r"__(?!init__|new__|call__)\w+__")
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "constructor", "init", "<init>", ".ctor"})
# languages whose constructors have the name of the class
_NAMED_AS_CLASS: Final = frozenset({"cpp", "csharp", "java"})


class Node(NamedTuple):
    """A symbol as a linker names it: its qualified name, and where its name stands."""

    name: str
    path: str
    line: int


class CaseEdge(NamedTuple):
    """An edge between two symbols of a case."""

    type: str
    source: Node
    target: Node


Link = Callable[[Path], Iterable[CaseEdge]]
Pair = tuple[str, str]
Pairs = frozenset[Pair]


@dataclass(frozen=True, slots=True)
class Case:
    """One folder of sources with the edges that they have."""

    language: str
    name: str
    root: Path
    expected: Mapping[str, Pairs]
    may: Mapping[str, Pairs]
    some: Mapping[str, Pairs]
    # the lines that truth names by a mark
    marks: Mapping[tuple[str, int], str]

    def __str__(self) -> str:
        return f"{self.language}/{self.name}"


@dataclass(slots=True)
class CaseScore:
    """The linker's edges of a case, or of several, beside the truth."""

    right: int = 0
    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 if there is nothing."""
        both = 2 * self.right + len(self.missing) + len(self.wrong)
        return 2 * self.right / both if both else 1.0

    def add(self, other: CaseScore) -> None:
        """Count another score in."""
        self.right += other.right
        self.missing += other.missing
        self.wrong += other.wrong


def cases(language: str) -> list[Case]:
    """All cases of a language, by name."""
    return list(_cases(language))


def languages() -> list[str]:
    """The languages with cases."""
    return sorted({path.relative_to(CASES).parts[0] for path in CASES.rglob(TRUTH)})


def score(case: Case, edges: Iterable[CaseEdge]) -> dict[str, CaseScore]:
    """Edges right, missing and wrong for each type of edge that the truth of the case has."""
    found: dict[str, set[Pair]] = {type_: set() for type_ in (*case.expected, *case.some)}
    for edge in edges:
        if edge.type in found:
            pair = _source(case, edge.source), _target(case, edge.target)
            found[edge.type].add(_owned(case, edge.type, pair))
    return {type_: _compare(case, type_, pairs) for type_, pairs in found.items()}


def scores(language: str, link: Link) -> dict[str, CaseScore]:
    """The scores of all cases of a language together, by type of edge."""
    total: dict[str, CaseScore] = {}
    for case in cases(language):
        for type_, found in score(case, link(case.root)).items():
            total.setdefault(type_, CaseScore()).add(found)
    return total


def _owned(case: Case, type_: str, pair: Pair) -> Pair:
    """An edge of a field as one of the class or module around, where the truth has it there."""
    expected = case.expected.get(type_, frozenset())
    lifted = pair[0].rpartition(".")[0], pair[1]
    if pair in expected or lifted not in expected:
        return pair
    return pair if any(pair[0] in each for each in expected) else lifted


def _compare(case: Case, type_: str, found: set[Pair]) -> CaseScore:
    if type_ not in case.expected:
        found = found & case.some[type_]
    expected = case.expected.get(type_) or case.some[type_]
    ignored = case.may.get(type_, frozenset())
    implicit = {pair for pair in found if _IMPLICIT.fullmatch(pair[1].rpartition(".")[2])}
    wrong = found - expected - ignored - implicit
    return CaseScore(
        len(found & expected),
        [_line(case, type_, pair) for pair in sorted(expected - found)],
        [_line(case, type_, pair) for pair in sorted(wrong)],
    )


def _line(case: Case, type_: str, pair: Pair) -> str:
    return f"{case}: {pair[0]} {type_} {pair[1]}"


def _cases(language: str) -> Iterator[Case]:
    for path in sorted((CASES / language).rglob(TRUTH)):
        truth = json.loads(path.read_text("utf-8"))
        may, some = truth.pop(_MAY, {}), truth.pop(_SOME, {})
        name = path.parent.relative_to(CASES / language).as_posix()
        yield Case(
            language,
            name,
            path.parent,
            {type_: _pairs(edges, language) for type_, edges in truth.items()},
            {type_: _pairs(edges, language) for type_, edges in may.items()},
            {type_: _pairs(edges, language) for type_, edges in some.items()},
            dict(_marks(path.parent)),
        )


def _pairs(edges: Mapping[str, Iterable[str]], language: str) -> Pairs:
    return frozenset(
        (constructor_of(source, language), constructed(target, language))
        for source, targets in edges.items()
        for target in targets
    )


def _marks(root: Path) -> Iterator[tuple[tuple[str, int], str]]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.name != TRUTH:
            for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
                if found := _MARK.search(line):
                    yield (path.relative_to(root).as_posix(), number), found[1]


def _source(case: Case, node: Node) -> str:
    return case.marks.get((node.path, node.line)) or constructor_of(node.name, case.language)


def _target(case: Case, node: Node) -> str:
    return case.marks.get((node.path, node.line)) or constructed(node.name, case.language)


def constructor_of(name: str, language: str = "python") -> str:
    """The name of a source, the same for all manners to name a constructor."""
    plain = _plain(name)
    whole = constructed(plain, language)
    return plain if whole == plain else f"{whole}.<init>"


def constructed(name: str, language: str = "python") -> str:
    """The name of a target, a class for its constructor."""
    plain = _plain(name)
    holder, _, last = plain.rpartition(".")
    is_class = language in _NAMED_AS_CLASS and last == holder.rpartition(".")[2]
    return holder if holder and (last in _CONSTRUCTORS or is_class) else plain


def _plain(name: str) -> str:
    """The name with dots, without type arguments."""
    while name != (shorter := _TYPE_ARGUMENTS.sub("", name)):
        name = shorter
    return _SEPARATORS.sub(".", name).replace("..ctor", ".constructor")
