"""Reads all manifests of a tree, within limits of size and number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from code_graph.projects.locks import LOCKS
from code_graph.projects.manifests import LISTS_ONLY, READERS, SUFFIXES, reader_of
from code_graph.projects.manifests.npm import TsConfig, read_tsconfig
from code_graph.projects.manifests.values import folder_name
from code_graph.projects.model import ManifestError, Note, ProjectManifest
from code_graph.projects.tree import PathTree, join, parent
from index_format.records import Record

Read = Callable[[str], str | None]

MAX_MANIFESTS: Final = 20_000
MAX_CHARACTERS: Final = 1 << 20
MAX_TOTAL_CHARACTERS: Final = 256 << 20
# folders of foreign packages, which are no part of the repository's own code
_FOREIGN: Final = frozenset({"node_modules", "bower_components", "site-packages", ".git"})
_CONFIGS: Final = frozenset({"tsconfig.json", "jsconfig.json"})


class ManifestSet(Record):
    """The contents of all manifests of a tree; `notes` name those that could not be read."""

    manifests: tuple[ProjectManifest, ...]
    configs: Mapping[str, TsConfig]
    notes: tuple[Note, ...]


def is_manifest(path: str) -> bool:
    """True if a file may say something of projects, by its name and folder."""
    folder, _, name = path.rpartition("/")
    is_config = name in _CONFIGS or (name.startswith("tsconfig") and name.endswith(".json"))
    if not (is_config or name in READERS or name in LOCKS or name.endswith(SUFFIXES)):
        return False
    return is_own(folder)


def is_own(folder: str) -> bool:
    """True for a folder of the repository's own code, which that of an installed package is not."""
    return _FOREIGN.isdisjoint(folder.split("/"))


def read_manifests(tree: PathTree, read: Read) -> ManifestSet:
    """Reads the manifests of a tree, those near its root first."""
    reading = _Reading(tree, read)
    found = sorted(_manifest_paths(tree), key=lambda path: (path.count("/"), path))
    for path in found[:MAX_MANIFESTS]:
        reading.add(path)
    if len(found) > MAX_MANIFESTS:
        reading.notes.append(Note("", f"only {MAX_MANIFESTS} of {len(found)} manifests are read"))
    reading.notes.sort()
    return ManifestSet(tuple(reading.manifests), reading.configs, tuple(reading.notes))


def _manifest_paths(tree: PathTree) -> Iterator[str]:
    for folder, names in tree.folders_with_files():
        listed = [name for name in names if name in READERS or name.endswith(SUFFIXES)]
        listed += [name for name in names if name in _CONFIGS]
        if listed and is_own(folder):
            yield from (f"{folder}/{name}" if folder else name for name in listed)


class _Reading:
    """Reads manifests one by one, and the configurations that these name."""

    def __init__(self, tree: PathTree, read: Read) -> None:
        self._tree = tree
        self._read = read
        self._left = MAX_TOTAL_CHARACTERS
        self.manifests: list[ProjectManifest] = []
        self.configs: dict[str, TsConfig] = {}
        self.notes: list[Note] = []

    def add(self, path: str) -> None:
        """Reads one manifest; a broken one makes a project named after its folder."""
        folder, name = parent(path), path.rpartition("/")[2]
        entry = reader_of(name)
        if entry is None:
            self._add_config(path)
            return
        kind, reader = entry
        try:
            self.manifests.append(reader(path, folder, self._text(path)))
        except ManifestError as error:
            self.notes.append(Note(path, str(error)))
            if name not in LISTS_ONLY and name[name.rfind(".") :] not in LISTS_ONLY:
                self.manifests.append(ProjectManifest(path, kind, folder, folder_name(folder)))

    def _text(self, path: str) -> str:
        text = self._read(path)
        if text is None:
            raise ManifestError("it can't be read")
        if len(text) > min(MAX_CHARACTERS, self._left):
            raise ManifestError(
                f"it has more than {MAX_CHARACTERS} characters, or all have too many"
            )
        self._left -= len(text)
        return text

    def _add_config(self, path: str) -> None:
        """Reads a tsconfig.json and those of its folder or above that it names."""
        waiting = [path]
        while waiting and len(self.configs) < MAX_MANIFESTS:
            at = waiting.pop()
            if at in self.configs or at not in self._tree.files:
                continue
            try:
                config = read_tsconfig(at, parent(at), self._text(at))
            except ManifestError as error:
                self.notes.append(Note(at, str(error)))
                continue
            self.configs[at] = config
            waiting.extend(named_configs(config))


def named_configs(config: TsConfig) -> Iterator[str]:
    """Paths of configurations that this one extends or refers to, except those in packages."""
    for text in (*config.extends, *config.references):
        if text.startswith("."):
            where = join(config.folder, text)
            if where is not None:
                yield where if where.endswith(".json") else f"{where}.json"
