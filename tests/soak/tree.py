"""A copy of a tree, and an editor that changes it as people and their tools do.

The tree keeps about its size: what is removed comes back, and an edit starts from the first text.
So whatever grows meanwhile is not the tree.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_SUFFIXES: Final = (".py", ".c", ".h", ".md", ".rst", ".txt")
_MAX_BYTES: Final = 200_000
_BRANCH_SHARE: Final = 0.15
_MOST_ADDED: Final = 50
# entries of the largest folder that is moved
_MOST_MOVED: Final = 200


def copy_tree(source: Path, root: Path, most: int | None) -> None:
    """Copy the files that are text by their names, in order, at most so many."""
    files = sorted(
        path
        for path in source.rglob("*")
        if path.suffix in _SUFFIXES
        and "site-packages" not in path.parts
        and path.is_file()
        and path.stat().st_size <= _MAX_BYTES
    )
    for path in files[:most]:
        target = root / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


class TreeEditor:
    """Changes the files below a folder; one thread uses it."""

    def __init__(self, root: Path, chance: random.Random, *fixed: Path) -> None:
        """Change what is below the root; the folders `fixed` stay where they are."""
        self._root = root
        self._fixed = {root, *fixed}
        self._chance = chance
        self._first = {
            path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
        }
        self._names = list(self._first)
        self._added: list[Path] = []
        self._on_branch = False
        self._kinds: list[tuple[Callable[[], None], int]] = [
            (self._edit, 60),
            (self._rename, 8),
            (self._remove, 8),
            (self._restore, 14),
            (self._add, 8),
            (self._switch_branch, 2),
            (self._move_folder, 3),
        ]

    def step(self) -> None:
        """Make one change."""
        actions = [action for action, _ in self._kinds]
        weights = [weight for _, weight in self._kinds]
        with suppress(OSError):  # a file of this name is a folder now
            self._chance.choices(actions, weights)[0]()

    def switch_branch(self) -> None:
        """Change many files at once, as a change of branches does."""
        self._switch_branch()

    def write_words(self, count: int) -> dict[str, str]:
        """Change so many files, each twice; gives the word that each has in the end, by path."""
        found = {}
        for path in self._chance.sample(self._names, count):
            path.parent.mkdir(parents=True, exist_ok=True)
            first, last = (f"last{self._chance.randrange(10**9)}" for _ in range(2))
            for word in (first, last):
                path.write_bytes(self._first[path] + f"# {word}\n".encode())
            found[path.relative_to(self._root).as_posix()] = last
        return found

    def _edit(self) -> None:
        path = self._chance.choice(self._names)
        if path.exists():
            path.write_bytes(self._changed(path))

    def _changed(self, path: Path) -> bytes:
        lines = self._first[path].splitlines(keepends=True)
        at = self._chance.randrange(len(lines) + 1)
        new = b"# edit%d by word%d\n" % (self._chance.randrange(10**6), self._chance.randrange(500))
        return b"".join([*lines[:at], new, *lines[at:]])

    def _rename(self) -> None:
        path = self._chance.choice(self._names)
        if path.exists():
            path.replace(path.with_name(f"renamed_{path.name}"))
            self._keep_few(path.with_name(f"renamed_{path.name}"))

    def _remove(self) -> None:
        self._chance.choice(self._names).unlink(missing_ok=True)

    def _restore(self) -> None:
        for path in self._chance.sample(self._names, min(40, len(self._names))):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self._first[path])

    def _add(self) -> None:
        folder = self._chance.choice(self._names).parent / f"new{self._chance.randrange(9)}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"added{self._chance.randrange(9)}.py"
        path.write_bytes(self._changed(self._chance.choice(self._names)))
        self._keep_few(path)

    def _keep_few(self, path: Path) -> None:
        self._added.append(path)
        if len(self._added) > _MOST_ADDED:
            self._added.pop(0).unlink(missing_ok=True)

    def _move_folder(self) -> None:
        """Move a folder to its other name, if it is not large; what was there goes."""
        folder = self._chance.choice(self._names).parent
        other = folder.with_name(f"{folder.name}_moved")
        if folder in self._fixed or len(list(folder.rglob("*"))) > _MOST_MOVED:
            return
        shutil.rmtree(other, ignore_errors=True)
        folder.rename(other)

    def _switch_branch(self) -> None:
        self._on_branch = not self._on_branch
        fixed = random.Random("branch")
        for path in fixed.sample(self._names, int(_BRANCH_SHARE * len(self._names)) + 1):
            text = self._first[path] + (b"# on a branch\n" if self._on_branch else b"")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
