"""A file's past: its commits through its renames, files that change with it, and its people."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from index_format.tuples import NamedTuple
from repo_mcp.git import DAMAGE, CommitWalk, Person, Version, find_version, read_links
from repo_mcp.history.commit_index import CommitIndex, Mask
from repo_mcp.history.model import Check, PersonActivity, RelatedFile
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.stored_commits import CommitFile

# commits of a file that tell which files change with it, and files of a commit that still tells
_MOST_COMMITS: Final = 1000
_MOST_FILES: Final = 50
# commits by which people are counted
_MOST_PEOPLES: Final = 3000
# after so long a commit counts half
_HALF_LIFE: Final = 365 * 86_400
# a file that has changed together with another one once may do so by chance
_LEAST_TOGETHER: Final = 2
# trees in which the place of the file is remembered
_MOST_KEPT: Final = 4_096
# parents of a merge
_MERGED: Final = 2


class FileCommit(NamedTuple):
    """A commit that has changed a file, its date, and what it has done to it."""

    identity: bytes
    date: int
    file: CommitFile
    # in the index of commits, if that has told it
    place: int = -1


class FileHistory:
    """The commits of one file, back through its renames, by the index of commits."""

    def __init__(self, index: CommitIndex, path: str, after: int = -1) -> None:
        """Look nothing up yet; commits come after the one at this place, older than it."""
        self._index = index
        self._path = path
        self._after = after

    def commits(self, allowed: Mask | None = None) -> Iterator[FileCommit]:
        """The commits without merges that have changed the file, the newest first.

        Once one has renamed it, older ones are those of its former name.
        """
        table, path = self._index.table, self._path or None
        after = self._after
        while path is not None:
            name, path = path, None
            for place in self._index.with_path(name).tolist():
                if place <= after or table.is_merge[place]:
                    continue
                file = self._index.files(place).find(name)
                if file is None:
                    continue
                if allowed is None or allowed[place]:
                    yield FileCommit(table.identity(place), int(table.dates[place]), file, place)
                if file.kind == "R" and file.path == name:
                    path, after = file.old_path, place
                    break


class FileWalk:
    """The same by `.git` alone."""

    def __init__(self, history: RepositoryHistory, path: str, check: Check) -> None:
        """Read nothing yet."""
        self._history = history
        self._path = path
        self._check = check
        self._versions: dict[bytes, Version | None] = {}
        # commits that were asked so far
        self.count = 0

    def commits(self) -> Iterator[FileCommit]:
        """The commits without merges that have changed the file, the newest first."""
        walk = CommitWalk(self._history.objects)
        for identity, seconds, parents in walk.newest_first([self._history.find("HEAD")]):
            self._check()
            self.count += 1
            file = self._change(identity, parents) if len(parents) < _MERGED else None
            if file is None:
                continue
            # else another file took its name from it
            if file.kind == "R" and file.path == self._path:
                self._path, self._versions = file.old_path, {}
            yield FileCommit(identity, seconds, file)

    def _change(self, identity: bytes, parents: tuple[bytes, ...]) -> CommitFile | None:
        """The change of a commit to the file; None where it has none, or can't be read."""
        new = self._version(identity)
        old = self._version(parents[0]) if parents else None
        if new == old:
            return None
        if new is not None and old is not None:
            return CommitFile("M", self._path)
        commit = self._history.commit(identity)
        changes = () if commit is None else self._history.reader.changes(commit, self._history.skip)
        for change in changes:
            if self._path in {change.new.path, change.old.path}:
                old_path = change.old.path if change.kind == "R" else ""
                return CommitFile(change.kind, change.path, old_path)
        return None

    def _version(self, commit: bytes) -> Version | None:
        try:
            links = read_links(self._history.objects, commit)
            if links is None:
                return None
            if links.tree not in self._versions:
                found = find_version(self._history.objects, links.tree, self._path)
                # a commit is compared with its parent, which comes soon after it
                if len(self._versions) >= _MOST_KEPT:
                    self._versions.clear()
                self._versions[links.tree] = found
            return self._versions[links.tree]
        except DAMAGE:
            return None


def related_files(
    index: CommitIndex, path: str, check: Check, most_files: int = _MOST_FILES, after: int = -1
) -> list[RelatedFile]:
    """Files that change together with a file, the likeliest first.

    Each commit of at most so many files counts by how few it has, and by its age.
    """
    now = int(index.table.dates[0]) if len(index.table) else 0
    together: defaultdict[str, int] = defaultdict(int)
    weights: defaultdict[str, float] = defaultdict(float)
    last: dict[str, bytes] = {}
    renamed: dict[str, str] = {}
    own = {path}
    count, whole = 0, 0.0
    for identity, date, file, place in FileHistory(index, path, after).commits():
        check()
        files = index.files(place)
        own |= {file.path, file.old_path}
        for item in files.renamed:
            renamed.setdefault(item.old_path, renamed.get(item.path, item.path))
        if len(files) > most_files:
            continue
        count += 1
        weight = _decay(now - date) / math.log2(1 + max(len(files), 2))
        whole += weight
        for item in files:
            name = renamed.get(item.path, item.path)
            if name in own or item.kind == "D":
                continue
            together[name] += 1
            weights[name] += weight
            last.setdefault(name, identity)
        if count >= _MOST_COMMITS:
            break
    found = [
        RelatedFile(name, times, count, last[name], weights[name] / whole)
        for name, times in together.items()
        if times >= _LEAST_TOGETHER
    ]
    return sorted(found, key=lambda item: (-item.score, item.path))


def people_of(
    history: RepositoryHistory, index: CommitIndex, allowed: Mask, check: Check
) -> list[PersonActivity]:
    """The authors of commits, those with the most recent work first."""
    places = np.flatnonzero(allowed & ~index.table.is_merge)[:_MOST_PEOPLES].tolist()
    now = int(index.table.dates[0]) if len(index.table) else 0
    counts: defaultdict[str, int] = defaultdict(int)
    scores: defaultdict[str, float] = defaultdict(float)
    known: dict[str, Person] = {}
    for place in places:
        check()
        commit = history.commit(index.table.identity(place))
        if commit is None:
            continue
        key = commit.author.email.lower() or commit.author.name
        counts[key] += 1
        scores[key] += _decay(now - commit.author.time)
        known.setdefault(key, commit.author)
    found = [
        PersonActivity(person.name, person.email, counts[key], person.day, scores[key])
        for key, person in known.items()
    ]
    return sorted(found, key=lambda item: (-item.score, item.name))


def _decay(seconds: int) -> float:
    return float(0.5 ** (max(seconds, 0) / _HALF_LIFE))
