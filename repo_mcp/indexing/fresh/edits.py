"""Files that change while a run goes on: they are indexed before what it has left to do.

A run asks for them whenever it waits. The result of a task that read such a file earlier is out of
date: then the file is read once more, before anything is published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.indexing.build.builder import FileResult

# gives the paths that wait, and forgets them
TakePaths = Callable[[], Sequence[str]]


def take_none() -> Sequence[str]:
    """No paths: nobody reports changes."""
    return ()


class Edits:
    """The files that were reported during one run."""

    def __init__(self, take: TakePaths) -> None:
        """Keep the source of the paths."""
        self._take = take
        # fingerprints of the reported files as they were read then, empty if they are gone
        self._indexed: dict[str, bytes] = {}
        self._outdated: set[str] = set()

    def next_paths(self) -> list[str]:
        """The paths to index now."""
        paths = {*self._take(), *self._outdated}
        self._outdated.clear()
        return sorted(paths)

    def record(self, path: str, fingerprint: bytes = b"") -> None:
        """Remember a reported file as it was read, or as gone."""
        self._indexed[path] = fingerprint

    def check(self, result: FileResult) -> None:
        """Have a file read again if this result of the run's own tasks is not of its last text."""
        last = self._indexed.get(result.path)
        if last is not None and last != result.fingerprint:
            self._outdated.add(result.path)

    def without_present(self, gone: Sequence[str]) -> list[str]:
        """Files that a walk has missed, without those that were reported and there since."""
        return [path for path in gone if not self._indexed.get(path)]

    @property
    def paths(self) -> Sequence[str]:
        """The reported files that were there, in order."""
        return sorted(path for path, fingerprint in self._indexed.items() if fingerprint)
