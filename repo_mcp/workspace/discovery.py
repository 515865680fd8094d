"""Walks of several roots as one: each root's own walk, with paths that begin with its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from repo_mcp.budget import Budget
from repo_mcp.indexing.build.mounts import InnerRoots, folder_of, split_path
from repo_mcp.indexing.walk.walk import Discovery, VisitedPath, WalkedFile
from repo_mcp.safety.sandbox import FolderEntry

_ABOVE = FolderEntry("", "folder", None)


class WorkspaceDiscovery(Discovery):
    """One walk over all roots, one after the other, each by its own rules."""

    def __init__(self, walks: Mapping[str, Callable[[], Discovery]], inner: InnerRoots) -> None:
        """`walks` begin a walk of each root; a root inside of another is walked once."""
        self.left_out: Counter[str] = Counter()
        self._walks = walks
        self._inner = inner
        # those that remember the folders that they have seen
        self._begun: dict[str, Discovery] = {}

    def files(self, budget: Budget) -> Iterator[WalkedFile]:
        """The files to index."""
        for path, reason, key in self.candidates(budget):
            if reason:
                self.left_out[reason] += 1
            elif key is not None:
                yield WalkedFile(path, key)

    def candidates(self, budget: Budget) -> Iterator[VisitedPath]:
        """Every visited path."""
        for name in sorted(self._walks, key=str.encode):
            yield from self._shown(name, self._walks[name]().candidates(budget))

    def below(self, folder: str, budget: Budget) -> Iterator[VisitedPath]:
        """`candidates` below one folder; that of all roots is ""."""
        if not folder:
            yield from self.candidates(budget)
            return
        name, rest = split_path(folder, self._walks)
        if name in self._walks:
            yield from self._shown(name, self._walks[name]().below(rest, budget))

    def folders(self, folder: str, budget: Budget) -> Iterator[str]:
        """The folders that walks enter, each before it is listed; those above roots are none."""
        name, rest = split_path(folder, self._walks)
        for each in [name] if folder else sorted(self._walks, key=str.encode):
            if each in self._walks:
                found = self._walks[each]().folders(rest, budget)
                yield from ((folder_of(each) + path).rstrip("/") for path in found)

    def entries(self, folder: str) -> list[tuple[FolderEntry, str]] | str:
        """A folder's entries, each with the reason why it is excluded, or ""."""
        if not folder and "" not in self._walks:
            names = sorted(self._walks, key=str.encode)
            return [(_ABOVE._replace(name=name), "") for name in names]
        name, rest = split_path(folder, self._walks)
        walk = self._begin(name)
        return "missing" if walk is None else walk.entries(rest)

    def reason(self, path: str) -> str:
        """The reason why a path is not indexed; empty if it is."""
        name, rest = split_path(path, self._walks)
        walk = self._begin(name)
        return "missing" if walk is None else walk.reason(rest)

    def _begin(self, name: str) -> Discovery | None:
        if name not in self._begun and name in self._walks:
            self._begun[name] = self._walks[name]()
        return self._begun.get(name)

    def _shown(self, name: str, visited: Iterator[VisitedPath]) -> Iterator[VisitedPath]:
        inner = tuple(folder for folder, _ in self._inner.get(name, ()))
        for item in visited:
            if not inner or not f"{item.path}/".startswith(inner):
                yield item._replace(path=folder_of(name) + item.path)
