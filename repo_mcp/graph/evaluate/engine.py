"""Evaluates on demand and remembers: cycles, depth and work are bounded, questions are recorded.

Every evaluation that others may need again is a unit with a key. What a unit gives depends on the
facts alone, never on what was evaluated before:

- A unit that meets itself, or one around it, sees no value there. What depends on such a cut is
  forgotten when the unit that caused it ends; units of a cycle are remembered within one file only.
- Depth and work are charged in full also for what is remembered, so that a limit is met at the same
  place whether or not something was remembered. What one unit uses again costs it one step.
- A remembered unit keeps the questions that it asked about files, for all that use it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Final

from repo_mcp.graph.evaluate.lookups import question_of
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import Result
from repo_mcp.graph.projects.finders import finders_of
from repo_mcp.graph.tree import Tree

# units inside of each other, and units for one place in the linked file
_DEEPEST: Final = 80
_MOST_STEPS: Final = 4_000
_NEVER: Final = 1 << 60
# expressions of the files that are kept, and units that are remembered
_MOST_KEPT: Final = 1_500_000
_MOST_UNITS: Final = 400_000
# files that declare one name
_MOST_DECLARING: Final = 300


class _Unit:
    """A remembered result, its cost, and the questions on which it depends."""

    __slots__ = ("asked", "cost", "height", "inner", "is_cyclic", "result")

    def __init__(self) -> None:
        self.result: Result = {}
        self.cost = 1
        self.height = 0
        # whether it, or a unit inside, is part of a cycle
        self.is_cyclic = False
        # files and the keys of questions about them
        self.asked: set[tuple[str, int]] = set()
        self.inner: list[_Unit] = []


class Files:
    """The files of a tree, prepared for evaluation; those used last are kept."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.paths = frozenset(tree.paths())
        self.finders = finders_of(self.paths, tree.manifests())
        self._kept: OrderedDict[str, SourceFile | None] = OrderedDict()
        self._size = 0
        self._declaring: dict[tuple[str, str], list[str]] = {}

    def get(self, path: str) -> SourceFile | None:
        """A file with facts, or None."""
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path]
        facts = self._tree.facts(path) if path in self.paths else None
        found = None
        if facts is not None:
            found = SourceFile(path, facts, self._tree.code(path), self._tree.fingerprint(path))
        self._kept[path] = found
        self._size += _size(found)
        while self._size > _MOST_KEPT and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._size -= _size(oldest)
        return found

    def declaring(self, language: str, name: str) -> list[str]:
        """The paths of files that declare a name for all files of a language, ascending."""
        key = language, name
        found = self._declaring.get(key)
        if found is None:
            rows = (path for path in self._tree.declared(language, name) if path in self.paths)
            found = self._declaring[key] = sorted(rows)[:_MOST_DECLARING]
        return found


class Engine:
    """Units, their limits, and the questions that the current file asks."""

    def __init__(self, tree: Tree) -> None:
        self.files = Files(tree)
        # whether parameters and containers are followed to all that is given to them
        self.is_following = False
        self._path = ""
        # how many files were begun
        self.begun = 0
        self._shared: dict[Hashable, _Unit] = {}
        self._local: dict[Hashable, _Unit] = {}
        # by key, units that depend on a cut in a unit that is still evaluated; and their keys by
        # the position of that unit
        self._provisional: dict[Hashable, tuple[_Unit, int]] = {}
        self._provisional_at: dict[int, list[Hashable]] = {}
        self._active: dict[Hashable, int] = {}
        self._stack: list[_Unit] = [_Unit()]
        # by the units of the stack, those that they used
        self._used: list[set[int]] = [set()]
        self._lowest = _NEVER
        self._steps = 0

    def begin_file(self, path: str) -> None:
        """Begin to link a file: forget what was kept for another, and its questions."""
        self._path = path
        self.begun += 1
        self._local.clear()
        if len(self._shared) > _MOST_UNITS:
            self._shared.clear()
        self._stack = [_Unit()]
        self._used = [set()]

    def begin_place(self) -> None:
        """Begin with another place of the file, with all steps left."""
        self._steps = 0
        self._lowest = _NEVER
        self._used = [set()]

    def questions(self) -> list[int]:
        """The keys of all that was asked about other files since `begin_file`, ascending."""
        found: set[tuple[str, int]] = set()
        seen: set[int] = set()
        left = [self._stack[0]]
        while left:
            unit = left.pop()
            if id(unit) not in seen:
                seen.add(id(unit))
                found |= unit.asked
                left += unit.inner
        return sorted({key for path, key in found if path != self._path})

    def is_recording(self, path: str) -> bool:
        """Whether questions about a file count: not those of the linked file about itself."""
        return path != self._path or len(self._stack) > 1

    def ask(self, path: str, key: int) -> None:
        """Record a question about a file."""
        self._stack[-1].asked.add((path, key))

    def ask_answer(self, note: str) -> None:
        """Record a question of a finder to the paths of the tree or to a table, by its key."""
        self.ask(*question_of(note))

    def unit(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result of a unit, computed unless it is remembered; not to be changed."""
        key = (key, self.is_following)
        known = self._shared.get(key) or self._local.get(key)
        if known is not None:
            return self._reuse(known)
        waiting = self._provisional.get(key)
        if waiting is not None:
            self._lowest = min(self._lowest, waiting[1])
            return self._reuse(waiting[0])
        position = self._active.get(key)
        if position is not None:
            self._lowest = min(self._lowest, position)
            return {}
        if len(self._stack) > _DEEPEST or self._steps >= _MOST_STEPS:
            self._lowest = -1
            return {}
        return self._compute(key, compute)

    def _reuse(self, known: _Unit) -> Result:
        if id(known) in self._used[-1]:
            self._steps += 1
            self._stack[-1].cost += 1
            return known.result
        if len(self._stack) + known.height > _DEEPEST or self._steps + known.cost > _MOST_STEPS:
            self._steps = min(self._steps + known.cost, _MOST_STEPS)
            self._lowest = -1
            return {}
        self._charge(known)
        return known.result

    def _charge(self, known: _Unit) -> None:
        around = self._stack[-1]
        self._used[-1].add(id(known))
        around.inner.append(known)
        around.is_cyclic |= known.is_cyclic
        around.cost += known.cost
        around.height = max(around.height, known.height + 1)
        self._steps += known.cost

    def _compute(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        position = len(self._stack)
        unit = _Unit()
        before, self._lowest = self._lowest, _NEVER
        self._active[key] = position
        self._stack.append(unit)
        self._used.append(set())
        self._steps += 1
        try:
            unit.result = compute()
        finally:
            self._stack.pop()
            self._used.pop()
            del self._active[key]
            self._forget_provisional(position)
        lowest = self._lowest
        self._lowest = min(before, lowest) if lowest < position else before
        unit.is_cyclic |= lowest != _NEVER
        if lowest < 0:
            pass  # cut by a limit
        elif lowest < position:
            self._provisional[key] = unit, lowest
            self._provisional_at.setdefault(lowest, []).append(key)
        else:
            (self._local if unit.is_cyclic else self._shared)[key] = unit
        steps = self._steps
        self._charge(unit)
        self._steps = steps
        return unit.result

    def _forget_provisional(self, position: int) -> None:
        for key in self._provisional_at.pop(position, ()):
            self._provisional.pop(key, None)


def _size(file: SourceFile | None) -> int:
    return 50 if file is None else 50 + len(file.expressions) + len(file.declarations)


def first(values: Iterator[Result]) -> Result:
    """The first result that is not empty."""
    return next((found for found in values if found), {})
