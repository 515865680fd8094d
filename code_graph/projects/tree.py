"""The paths of a repository as a tree, and questions about it that are recorded.

Who resolves an import asks through a `Probe`. Each question has a key, whether the answer was yes
or no; `changed_keys` gives the keys whose answers differ between two states of the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)

# prefixes of a path in the key of a dependency: on a file, on a folder
FILE_KEY: Final = "f:"
FOLDER_KEY: Final = "d:"
_MAX_PARTS: Final = 200


class PathTree:
    """Files and folders; paths are relative to the root, which is the empty path."""

    def __init__(self, paths: Collection[str]) -> None:
        self.files: frozenset[str] = frozenset(paths)
        self._names: dict[str, list[str]] = {}
        for path in sorted(self.files):
            folder, _, name = path.rpartition("/")
            self._names.setdefault(folder, []).append(name)
        self.folders: set[str] = {""}
        self._inner: dict[str, list[str]] = {}
        for folder in self._names:
            self._add_folder(folder)
        for inner in self._inner.values():
            inner.sort()

    def _add_folder(self, folder: str) -> None:
        while folder not in self.folders:
            self.folders.add(folder)
            parent, _, name = folder.rpartition("/")
            self._inner.setdefault(parent, []).append(name)
            folder = parent

    def names_in(self, folder: str) -> Sequence[str]:
        """The names of the files directly in a folder, sorted."""
        return self._names.get(folder, ())

    def folders_in(self, folder: str) -> Sequence[str]:
        """The names of the folders directly in a folder, sorted."""
        return self._inner.get(folder, ())

    def folders_with_files(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Every folder with files directly in it, and their names."""
        return iter(self._names.items())


class Table(Generic[V_co]):
    """Answers by key, made from paths and manifests; `name` is unique among tables."""

    __slots__ = ("name", "values")

    def __init__(self, name: str, values: Mapping[str, V_co]) -> None:
        self.name = name
        self.values = values


class Probe:
    """Asks a tree and tables, and notes the key of each question."""

    __slots__ = ("_files", "_folders", "_note")

    def __init__(self, tree: PathTree, note: Callable[[str], object] | None = None) -> None:
        self._files = tree.files
        self._folders = tree.folders
        self._note = note

    def file(self, path: str) -> bool:
        """True if there is a file at this path."""
        if self._note is not None:
            self._note(FILE_KEY + path)
        return path in self._files

    def folder(self, path: str) -> bool:
        """True if there is a folder with files in it or below it."""
        if self._note is not None:
            self._note(FOLDER_KEY + path)
        return path in self._folders

    def value(self, table: Table[V], key: str) -> V | None:
        """The entry of a table under a key."""
        if self._note is not None:
            self._note(f"{table.name}:{key}")
        return table.values.get(key)


def changed_keys(
    before: tuple[PathTree, Sequence[Table[Any]]], after: tuple[PathTree, Sequence[Table[Any]]]
) -> set[str]:
    """The keys of all questions whose answers differ between two states."""
    keys = {FILE_KEY + path for path in before[0].files ^ after[0].files}
    keys |= {FOLDER_KEY + path for path in before[0].folders ^ after[0].folders}
    old = {table.name: table.values for table in before[1]}
    new = {table.name: table.values for table in after[1]}
    for name in old.keys() | new.keys():
        left, right = old.get(name, {}), new.get(name, {})
        if left is not right:
            both = left.keys() | right.keys()
            keys |= {f"{name}:{key}" for key in both if left.get(key) != right.get(key)}
    return keys


def parent(path: str) -> str:
    """The folder that a path is in; the root for the root."""
    return path.rpartition("/")[0]


def stem_of(path: str) -> str:
    """The name of a file without its endings and the mark of a part: `_form.html.erb`."""
    return path.rpartition("/")[2].lstrip("_").partition(".")[0]


def ancestors(folder: str) -> Iterator[str]:
    """A folder and all around it, the innermost first, the root last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def below(folder: str, name: str) -> str:
    """The path of a name in a folder; the folder for an empty name."""
    return f"{folder}/{name}" if folder and name else folder or name


def join(folder: str, relative: str) -> str | None:
    """The path that a relative one means in a folder; None if it leads out of the repository."""
    if not relative.startswith(".") and "/." not in relative and "//" not in relative:
        return below(folder, relative).rstrip("/")
    parts = folder.split("/") if folder else []
    steps = relative.split("/", _MAX_PARTS)
    if len(steps) > _MAX_PARTS:
        return None
    for step in steps:
        if step == "..":
            if not parts:
                return None
            parts.pop()
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts)


def is_within(path: str, folder: str) -> bool:
    """True if a path is a folder itself or in it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def shared_depth(left: str, right: str) -> int:
    """The number of leading components that two paths share."""
    count = 0
    for one, other in zip(left.split("/"), right.split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count
