"""Evaluates on demand and remembers: cycles, depth and work are bounded, dependencies are recorded.

Every evaluation that others may need again is a unit with a key. What a unit gives depends on the
facts alone, never on what was evaluated before:

- A unit that meets itself, or one around it, sees no value there. What depends on such a cut is
  forgotten when the unit that caused it ends; units of a cycle are remembered within one file only.
- Depth and work are charged in full also for what is remembered, so that a limit is met at the same
  place whether or not something was remembered. What one unit uses again costs it one step.
- A unit that has used many units uses no more; its result is remembered all the same.
- A file with a place that is too deep, or too much in all, is linked anew as if no other had been
  before.
- A remembered unit keeps its dependencies on files, for all that use it.
- What can't be remembered, because of a cycle or a limit, is evaluated again for each place. How
  often that may be is limited for a file as well: places after that are not evaluated.
- So is the work of all units that a file uses, each counted once whether or not it was remembered,
  and of its places: their dependencies and results, and the lengths of lists they go through.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any, Final, TypeVar, overload

from code_graph.evaluate.dependencies import dependency_of, language_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import Result
from code_graph.projects.finders import finders_of
from code_graph.projects.tree import stem_of
from code_graph.recent import RecentValues
from code_graph.tree import Tree

# units inside of each other, and units that one uses, with all that these use
_DEEPEST: Final = 80
_MOST_COST: Final = 4_000
# units for one place in the linked file
_MOST_STEPS: Final = 32_000
_NEVER: Final = 1 << 60
# units of one file that are evaluated and not remembered; beyond the first number it is linked
# anew as if no other had been before, so that the second is met at the same place in any order
_MOST_REPEATED: Final = 12_000
_MOST_REPEATED_ALONE: Final = 16_000
_A_STEP: Final = 4
# steps of one file: some, and more for each of its expressions, up to a number; one that is linked
# anew as if no other had been before has a third more, for the same reason
_LEAST_WORK: Final = 150_000
_WORK_OF_EXPRESSION: Final = 50
_MOST_WORK: Final = 1_500_000
# expressions of the files that are kept, and units that are remembered
_MOST_KEPT: Final = 900_000
_MOST_UNITS: Final = 50_000
# files that declare one name
_MOST_DECLARING: Final = 300
# names of which it is remembered who declares them
_MOST_NAMES: Final = 1 << 16


# state of a unit that has a key: done for good, done inside of a cycle, or still evaluated
_DONE: Final = 0
_PROVISIONAL: Final = 1
_ACTIVE: Final = 2

# what a unit gives
T = TypeVar("T")
N = TypeVar("N")
# what holds nothing; all else that units give has a length
_NUMBERS: Final = frozenset({bool, int})


class _Unit:
    """A remembered result, its cost, and its dependencies."""

    __slots__ = (
        "cost",
        "dependencies",
        "height",
        "inner",
        "is_cyclic",
        "position",
        "result",
        "seen",
        "state",
        "weight",
    )

    def __init__(self, position: int) -> None:
        self.state = _ACTIVE
        # its place on the stack of evaluated units; of a provisional one, the place of its cycle
        self.position = position
        self.result: Any = ()
        self.cost = 1
        # its own work; and the number of the file that was last charged with it
        self.weight = 0
        self.seen = 0
        self.height = 0
        # true if it, or a unit inside, is part of a cycle
        self.is_cyclic = False
        # files and the keys of dependencies on them, and the units it used: sets while it is
        # evaluated, then tuples, which take less memory
        self.dependencies: Any = set()
        self.inner: Any = set()


class FileCache:
    """The files of a tree, prepared for evaluation; those used last are kept."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.paths = frozenset(tree.paths())
        self.finders = finders_of(self.paths, tree.manifests())
        # files that were asked for lately, and those from before that
        self._kept: dict[str, SourceFile | None] = {}
        self._older: dict[str, SourceFile | None] = {}
        self._size = 0
        self._declaring: RecentValues[tuple[str, str], list[str]] = RecentValues(_MOST_NAMES)

    @cached_property
    def by_stem(self) -> dict[str, list[str]]:
        """The paths of all files by their names without endings, ascending."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            found.setdefault(stem_of(path), []).append(path)
        return found

    def get(self, path: str) -> SourceFile | None:
        """A file with facts, or None."""
        found = self._kept.get(path)
        if found is not None or path in self._kept:
            return found
        found = self._older.pop(path, None) or self._read(path)
        self._kept[path] = found
        self._size += _size(found)
        if self._size > _MOST_KEPT // 2:
            for file in self._older.values():
                if file is not None:
                    file.release()
            self._older, self._kept, self._size = self._kept, {}, 0
        return found

    def _read(self, path: str) -> SourceFile | None:
        facts = self._tree.facts(path) if path in self.paths else None
        if facts is None:
            return None
        return SourceFile(path, facts, self._tree.code(path), self._tree.fingerprint(path))

    def declaring(self, language: str, name: str) -> list[str]:
        """The paths of files that declare a name for all files of a language, ascending."""
        return self._declaring.get((language, name), self._find_declaring)

    def _find_declaring(self, key: tuple[str, str]) -> list[str]:
        rows = (path for path in self._tree.declared(*key) if path in self.paths)
        return list(islice(rows, _MOST_DECLARING))


class Engine:
    """Units, their limits, and the dependencies of the current file."""

    def __init__(self, tree: Tree) -> None:
        self.files = FileCache(tree)
        self._path = ""
        # the number of the file's units that were evaluated and are not remembered, and its limit
        self._is_alone = False
        self._repeated = 0
        self._most_repeated = _MOST_REPEATED
        # the work done for the file, and its limit
        self._work = 0
        self._most_work = _LEAST_WORK
        # the work of the current unit or place so far, beside its dependencies and results
        self._done = 0
        # the number of files begun
        self.begun = 0
        # by key: units without and with following
        # by the language of the linked file: a header of C means to C++ what its rules say
        self._languages: dict[str, tuple[dict[Hashable, _Unit], dict[Hashable, _Unit]]] = {}
        self._plain, self._following = self._languages.setdefault("", ({}, {}))
        self._units = self._plain
        # of units of cycles, which are forgotten with the file
        self._local: list[tuple[dict[Hashable, _Unit], Hashable]] = []
        # provisional units by the position of what cut them
        self._provisional_at: dict[int, list[tuple[dict[Hashable, _Unit], Hashable]]] = {}
        self._stack: list[_Unit] = [_Unit(0)]
        # units that places of the file used
        self._reached: set[_Unit] = set()
        self._lowest = _NEVER
        self._steps = 0

    @property
    def is_following(self) -> bool:
        """True if parameters and containers are followed to all their values."""
        return self._units is self._following

    @is_following.setter
    def is_following(self, value: bool) -> None:
        self._units = self._following if value else self._plain

    @property
    def is_spent(self) -> bool:
        """True if the file has had so much evaluated that its other places are left out."""
        return self._repeated > self._most_repeated or self.is_overworked

    @property
    def is_overworked(self) -> bool:
        """True once the file has had all its steps."""
        return self._work > self._most_work

    def begin_file(
        self,
        path: str,
        expressions: int = 0,
        language: str = "",
        *,
        alone: bool = False,
        fresh: bool = False,
    ) -> None:
        """Begin to link a file: forget the units of the file before.

        `alone` forgets all units, and permits more that can't be remembered; `fresh` permits more
        steps: neither units nor tables of the rules, which save steps, were kept before.
        """
        self._path = path
        self._is_alone = alone
        self._repeated = 0
        self._most_repeated = _MOST_REPEATED_ALONE if alone else _MOST_REPEATED
        self._work = self._done = 0
        work = min(_LEAST_WORK + _WORK_OF_EXPRESSION * expressions, _MOST_WORK)
        self._most_work = work + work // 3 if fresh else work
        self.begun += 1
        for units, key in self._local:
            units.pop(key, None)
        self._local.clear()
        if alone or sum(map(len, chain.from_iterable(self._languages.values()))) > _MOST_UNITS:
            self._languages.clear()
        self._plain, self._following = self._languages.setdefault(language, ({}, {}))
        self._units = self._plain
        self._stack = [_Unit(0)]
        self._reached = set()

    def begin_place(self, steps: int = 0) -> bool:
        """Begin with another place of the file, which has a budget of steps of its own.

        False if no more places may be evaluated.
        """
        self._steps = 0
        self._lowest = _NEVER
        root = self._stack[0]
        # a place is limited by its steps
        root.cost = -_MOST_STEPS
        self._work = work = self._work + 1 + self._done
        self._done = steps
        if root.inner:
            self._reached.update(root.inner)
            root.inner = set()
        return work <= self._most_work and self._repeated <= self._most_repeated

    def dependencies(self) -> list[int]:
        """The keys of all dependencies on other files since `begin_file`, ascending."""
        root = self._stack[0]
        found = set(root.dependencies)
        seen = self._reached.union(root.inner)
        left = list(seen)
        while left:
            unit = left.pop()
            if unit.dependencies:
                found.update(unit.dependencies)
            for item in unit.inner:
                if item not in seen:
                    seen.add(item)
                    left.append(item)
        own = self._path
        return sorted({key for path, key in found if path != own})

    def file(self, path: str) -> SourceFile | None:
        """A file of the tree, for a step of the current unit or place."""
        self._done += 1
        return self.files.get(path)

    def is_recording(self, path: str) -> bool:
        """True if dependencies on a file count: not those of the linked file on itself."""
        return path != self._path or len(self._stack) > 1

    def depend_on(self, path: str, key: int) -> None:
        """Record that the current unit uses what this key of a file means."""
        self._done += 1
        self._stack[-1].dependencies.add((path, key))

    def declaring(self, language: str, name: str) -> list[str]:
        """The paths of files that declare a name for all of a language, which is depended on."""
        self.depend_on("", language_key(language, name))
        return self.files.declaring(language, name)

    def depend_on_all(self, dependencies: Iterable[tuple[str, int]]) -> None:
        """Record that the current unit uses what these keys of files mean."""
        self._stack[-1].dependencies.update(dependencies)

    def depend_on_note(self, note: str) -> None:
        """Record a dependency on a path or table entry, as a `Probe` notes it."""
        self.depend_on(*dependency_of(note))

    def weigh(self, amount: int) -> None:
        """Count the work of the current unit, if it is much."""
        self._stack[-1].weight += amount

    def count(self, steps: int) -> None:
        """Count steps of the current unit or place, beside its dependencies and units.

        They must follow from its dependencies, or from the linked file alone: else an edit
        that changes none of them would move the place where a budget ends.
        """
        self._done += steps

    @overload
    def unit(self, key: Hashable, compute: Callable[[], Result]) -> Result: ...
    @overload
    def unit(self, key: Hashable, compute: Callable[[], T], nothing: N) -> T | N: ...
    def unit(self, key: Hashable, compute: Callable[[], Any], nothing: Any = None) -> Any:
        """The value of a unit, computed unless it is remembered; not to be changed.

        It is `nothing`, or no values, at a cycle or a limit; how much it holds counts as work.
        """
        self._done += 1
        units = self._units
        known = units.get(key)
        around = self._stack[-1]
        if around.cost >= _MOST_COST:
            return {} if nothing is None else nothing
        if known is None:
            if len(self._stack) > _DEEPEST or self._steps >= _MOST_STEPS or self.is_spent:
                self._cut()
                return {} if nothing is None else nothing
            return self._compute(units, key, compute)
        if known.state != _DONE:
            self._lowest = min(self._lowest, known.position)
            if known.state == _ACTIVE:
                return {} if nothing is None else nothing
        # remembered units are charged in full, those that this unit uses again with a step
        inner: set[_Unit] = around.inner
        is_again = known in inner
        cost = 1 if is_again else known.cost
        if len(self._stack) + known.height > _DEEPEST or self._steps + cost > _MOST_STEPS:
            self._cut()
            return {} if nothing is None else nothing
        self._steps += cost
        around.cost += cost
        if not is_again:
            if known.seen != self.begun:
                self._charge(known)
            inner.add(known)
            if known.is_cyclic:
                around.is_cyclic = True
            if known.height >= around.height:
                around.height = known.height + 1
        return known.result

    def shared(self, key: Hashable, compute: Callable[[], T], nothing: N) -> T | N:
        """The value of a unit that many use: it has a budget of its own, and counts as a step."""
        if key in self._units:
            return self.unit(key, compute, nothing)
        around = self._stack[-1]
        steps, self._steps = self._steps, 0
        given = self.unit(key, compute, nothing)
        taken, self._steps = self._steps, min(steps + self._steps, _MOST_STEPS)
        unit = self._units.get(key)
        if unit is not None and unit.state == _DONE and not unit.is_cyclic:
            around.cost -= unit.cost - 1
            self._steps = steps + 1 if taken < _MOST_STEPS else _MOST_STEPS
            unit.cost = 1
        return given

    def _cut(self) -> None:
        """Note a limit of the place; a file that is not linked alone is then linked anew.

        What is remembered and does not fit gives no part of its result, as evaluating it would.
        """
        self._steps = _MOST_STEPS
        self._lowest = -1
        if not self._is_alone:
            self._repeated = _NEVER

    def _charge(self, unit: _Unit) -> None:
        """Count the work of a remembered unit and of its units, once for the file."""
        left = [unit]
        number = self.begun
        while left:
            item = left.pop()
            if item.seen != number:
                item.seen = number
                self._work += 1 + item.weight
                left += item.inner

    def _compute(self, units: dict[Hashable, _Unit], key: Hashable, compute: Callable[[], T]) -> T:
        stack = self._stack
        around, position = stack[-1], len(stack)
        before, self._lowest = self._lowest, _NEVER
        done, self._done = self._done, 0
        unit = units[key] = _Unit(position)
        stack.append(unit)
        self._steps += 1
        try:
            unit.result = result = compute()
        except BaseException:
            del units[key]
            raise
        finally:
            stack.pop()
            if position in self._provisional_at:
                self._forget_provisional(position)
        lowest = self._lowest
        self._lowest = min(before, lowest) if lowest < position else before
        unit.dependencies = tuple(unit.dependencies)
        unit.inner = tuple(unit.inner)
        if lowest != _NEVER:
            unit.is_cyclic = True
        # the number of dependencies and results shows the amount of work
        unit.weight += len(unit.dependencies) + (1 if result.__class__ in _NUMBERS else len(result))  # type: ignore[arg-type]
        if unit.is_cyclic:
            self._repeated += 1 + unit.weight // _A_STEP
            self._keep_cyclic(units, key, unit, lowest)
            around.is_cyclic = True
        else:
            unit.state = _DONE
        unit.weight += self._done
        unit.seen = self.begun
        self._work += 1 + unit.weight
        self._done = done
        around.inner.add(unit)
        around.cost += unit.cost
        if unit.height >= around.height:
            around.height = unit.height + 1
        return result

    def _keep_cyclic(
        self, units: dict[Hashable, _Unit], key: Hashable, unit: _Unit, lowest: int
    ) -> None:
        """Remember a unit that met a cycle, until the unit that it met ends, or for this file."""
        if lowest < 0:  # cut by a limit
            del units[key]
        elif lowest < unit.position:
            unit.state, unit.position = _PROVISIONAL, lowest
            self._provisional_at.setdefault(lowest, []).append((units, key))
        else:
            unit.state = _DONE
            self._local.append((units, key))

    def _forget_provisional(self, position: int) -> None:
        for units, key in self._provisional_at.pop(position):
            del units[key]


class UnitsApart(Engine):
    """An engine for one of several evaluations, which keeps its units apart from equal keys."""

    def __init__(self, engine: Engine, name: str) -> None:
        """All state belongs to the engine itself."""
        self._engine = engine
        self._name = name
        self.files = engine.files

    def file(self, path: str) -> SourceFile | None:
        """A file of the tree, for a step of the current unit or place."""
        return self._engine.file(path)

    def depend_on(self, path: str, key: int) -> None:
        """Record that the current unit uses what this key of a file means."""
        self._engine.depend_on(path, key)

    def count(self, steps: int) -> None:
        """Say how many steps the current unit or place takes."""
        self._engine.count(steps)

    def unit(self, key: Hashable, compute: Callable[[], Any], nothing: Any = None) -> Any:  # noqa: ANN401 what it computes
        """The value of a unit of this evaluation."""
        return self._engine.unit((self._name, key), compute, nothing)

    def shared(self, key: Hashable, compute: Callable[[], T], nothing: N) -> T | N:
        """The value of a unit of this evaluation that many use."""
        return self._engine.shared((self._name, key), compute, nothing)


def _size(file: SourceFile | None) -> int:
    if file is None:
        return 50
    # a declaration takes four times what an expression takes
    return 50 + len(file.expressions) + 4 * len(file.declarations)


def first(values: Iterator[Result]) -> Result:
    """The first result that is not empty."""
    return next((found for found in values if found), {})
