"""The relations of packages: what they declare, what depends on them, and what their code uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np

from code_graph.packages.catalog import PackageScope, TreePackages
from code_graph.packages.model import TreePackage
from code_graph.query.edges import USED
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.whole import NO_NODE, Groups, arrows
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.text.plurals import counted

# packages that a row names
_MOST_NAMED: Final = 12
_MOST_DESCRIBED: Final = 6
_CHECK_EVERY: Final = 1024


class CodeUses(NamedTuple):
    """The uses in code of packages by those of a scope, and those whose code the graph has."""

    counts: Mapping[str, int]
    known: frozenset[str]


class PackageRelations(NamedTuple):
    """The edges of the packages of a scope to and from all others."""

    scope: PackageScope
    requires: Sequence[str]
    outside: Sequence[str]
    dependents: Sequence[str]
    # by what depends on these, too
    all_dependents: int
    # required or used, and their rules of visibility do not let the scope use them
    forbidden: Sequence[str]
    # packages that it may use of all that have such rules
    visible: tuple[int, int]
    # used in code with the number of uses: not declared, and declared by what is declared
    undeclared: Sequence[tuple[str, int]]
    indirect: Sequence[tuple[str, int]]
    # declared, without a use in code that is known
    unused: Sequence[str]
    # false where no graph tells uses
    has_code: bool

    def rows(self) -> Iterator[str]:
        """The relations in lines."""
        packages = self.scope.packages
        if len(packages) > 1:
            yield f"{self.scope.name}: {counted(len(packages), 'package')}"
        for package in packages[:_MOST_DESCRIBED]:
            yield from _described(package)
        if len(packages) > _MOST_DESCRIBED:
            yield f"… {counted(len(packages) - _MOST_DESCRIBED, 'other package')}"
        yield f"depends on: {_listed(self.requires) or 'no package here'}"
        if self.outside:
            yield f"and outside: {_listed(self.outside)}"
        more = self.all_dependents - len(self.dependents)
        said = f"; {self.all_dependents} with those that depend on these" if more else ""
        yield f"depended on by: {_listed(self.dependents) or 'no package here'}{said}"
        visible, ruled = self.visible
        if ruled:
            yield f"may use {visible} of {counted(ruled, 'target')} of build files"
        if self.forbidden:
            yield f"used or declared, but not visible to it: {_listed(self.forbidden)}"
        if not self.has_code:
            yield "uses in code are not known: the graph is not linked"
        if self.undeclared:
            yield f"used in code, but not declared: {_with_uses(self.undeclared)}"
        if self.indirect:
            yield f"used in code, declared by what it depends on alone: {_with_uses(self.indirect)}"
        if self.unused:
            yield f"declared, no use in code is known: {_listed(self.unused)}"


def relations_of_package(
    packages: TreePackages, scope: PackageScope, graph: GraphSnapshot | None, budget: Budget
) -> PackageRelations:
    """All relations of the packages that a name means; without a graph none of code."""
    own = {package.id: package for package in scope.packages}
    needed = packages.needed_by(own)
    every = packages.depending_on(own)
    requires = [name for name in _first(own, needed) if name not in own]
    ruled = [other for other in packages.all.values() if other.visibility is not None]
    ruled = [other for other in ruled if other.id not in own] if _has_rules(own.values()) else []
    uses = None if graph is None else code_uses(packages, scope, graph, budget)
    declared = {name for name in (*requires, *_behind_aliases(packages, requires)) if uses}
    used = (
        []
        if uses is None
        else [(name, count) for name, count in uses.counts.items() if name not in declared]
    )
    return PackageRelations(
        scope,
        requires,
        [*dict.fromkeys(chain.from_iterable(package.outside for package in own.values()))],
        [name for name in _first(own, every) if name not in own],
        len(every) - len(own),
        [
            name
            for name in (*requires, *(name for name, _ in used))
            if not any(packages.may_use(packages.all[name], user) for user in own.values())
        ],
        (
            sum(any(packages.may_use(other, user) for user in own.values()) for other in ruled),
            len(ruled),
        ),
        [(name, count) for name, count in used if name not in needed],
        [(name, count) for name, count in used if name in needed],
        []
        if uses is None or not uses.known & own.keys()
        else [name for name in requires if name in uses.known and name not in uses.counts],
        uses is not None,
    )


def _first(own: Mapping[str, TreePackage], steps: Mapping[str, int]) -> Iterator[str]:
    return (name for name, count in steps.items() if count == 1 or name in own)


def _has_rules(packages: Iterable[TreePackage]) -> bool:
    return any(package.visibility is not None for package in packages)


def _behind_aliases(packages: TreePackages, names: Iterable[str]) -> Iterator[str]:
    """Whatever targets without files, as aliases, stand for."""
    waiting, seen = [*names], set[str]()
    for name in waiting:  # it grows while it is read
        package = packages.all[name]
        if package.files is not None and not package.files and name not in seen:
            seen.add(name)
            yield from package.requires
            waiting += package.requires


def code_uses(
    packages: TreePackages, scope: PackageScope, graph: GraphSnapshot, budget: Budget
) -> CodeUses:
    """The uses in code from packages of a scope to others.

    A file of several packages counts for each that the scope has, and for the first of others.
    """
    own = {package.id for package in scope.packages}
    is_of_targets = any(package.files is not None for package in scope.packages)
    file_count = len(graph.snapshot.file_starts) - 1
    of_file = np.full(file_count, NO_NODE, dtype=np.int64)
    numbers: dict[str, int] = {}
    known = set[str]()
    for file in range(file_count):
        if not file % _CHECK_EVERY:
            budget.check()
        holders = packages.of_file(graph.path_of(file))
        names = [holder.id for holder in holders if (holder.files is not None) == is_of_targets]
        if not names:
            continue
        known.update(names)
        # all packages of the scope are one group: their uses of each other are no edges
        name = "" if own.intersection(names) else names[0]
        of_file[file] = numbers.setdefault(name, len(numbers))
    names_by_number = [*numbers]
    uses = arrows(graph, Groups(of_file, names_by_number.__getitem__), USED)
    counts: Counter[str] = Counter()
    for (source, target), count in zip(uses.pairs.tolist(), uses.counts.tolist(), strict=True):
        if names_by_number[source] == "":
            counts[names_by_number[target]] += count
    return CodeUses(dict(counts.most_common()), frozenset(known))


def overview_of_packages(packages: TreePackages) -> Iterator[str]:
    """The number of packages by kind, and those that most others depend on."""
    kinds = Counter(package.kind for package in packages.all.values())
    listed = (f"{kind} {count}" for kind, count in kinds.most_common(_MOST_NAMED))
    yield f"{counted(len(packages.all), 'package')}: {', '.join(listed)}"
    direct = Counter({name: len(users) for name, users in packages.dependents.items()})
    for name, count in direct.most_common(_MOST_NAMED):
        yield f" depended on by {count}: {name}"
    yield from notes_of_packages(packages)


def notes_of_packages(packages: TreePackages) -> Iterator[str]:
    """The manifests that could not be read, of which edges may lack."""
    if packages.notes:
        first = packages.notes[0]
        text = f"{first.path}: {first.text}" if first.path else first.text
        yield f"not read: {counted(len(packages.notes), 'manifest')}, as {text}"


def rebuilds(packages: TreePackages, paths: Iterable[str]) -> list[str]:
    """The packages of changed files, then those that depend on them, nearest first, by steps."""
    changed = dict.fromkeys(package.id for path in paths for package in packages.of_file(path))
    if not changed:
        return []
    by_steps: dict[int, list[str]] = {}
    for name, steps in packages.depending_on(changed).items():
        by_steps.setdefault(steps, []).append(name)
    return [
        f"{f'{steps} steps away' if steps > 1 else 'depends on it' if steps else 'changed'}"
        f" ({len(names)}): {_listed(names)}"
        for steps, names in by_steps.items()
    ]


def _described(package: TreePackage) -> Iterator[str]:
    place = package.manifest + (f":{package.line}" if package.line else "")
    where = package.folder or "the root"
    yield f"{package.id}: {package.kind} in {where} ({place})"
    if package.visibility is not None:
        yield f" visible to: {_listed(package.visibility) or 'its folder alone'}"
    if package.targets:
        yield f" targets: {_listed(package.targets)}"
    if package.unread:
        yield f" not all could be read of: {', '.join(package.unread)}"


def _with_uses(pairs: Sequence[tuple[str, int]]) -> str:
    return _listed([f"{name} ({counted(count, 'use')})" for name, count in pairs])


def _listed(names: Sequence[str]) -> str:
    left = len(names) - _MOST_NAMED
    return ", ".join((*names[:_MOST_NAMED], *([f"and {left} more"] if left > 0 else ())))
