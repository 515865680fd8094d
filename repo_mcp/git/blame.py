"""The commit that each line of a file comes from, as `git blame` says it.

A line that a commit has like its parent comes from there; of several parents, the first that has
it. A file with the same content as a parent's is that parent's; one that a parent has under another
name is found as renames are.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.tuples import NamedTuple
from repo_mcp.git.changes import Version, changed_files, find_version, with_renames
from repo_mcp.git.commits import CommitLinks, read_links
from repo_mcp.git.gaps import Skipped, UnreadObjectError
from repo_mcp.git.line_diff import diff_rows
from repo_mcp.git.objects import GitObjects
from repo_mcp.git.packs import DAMAGE

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"
_KEPT_COMMITS: Final = 4096
# letters and digits, and one, that lines have to have more of: those that were moved within a
# file, and those of another file
MOVED: Final = 20
COPIED: Final = 40
_COUNTED: Final = np.zeros(256, dtype=np.bool_)
_COUNTED[[*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]] = True


class Run(NamedTuple):
    """Lines that follow each other in the file that is blamed, and in an origin of them."""

    first: int
    size: int
    # the first of them in the origin
    place: int

    def part(self, begin: int, end: int) -> Run:
        """Some of its lines, which may be none."""
        return Run(self.first + begin, end - begin, self.place + begin)


class PassedRuns(NamedTuple):
    """Runs with the files that have them, and those of which no file has enough."""

    passed: Sequence[tuple[Version, Run]]
    left: Sequence[Run]


class _Match(NamedTuple):
    """Lines of a run that a file has: from `begin` to `end` of the run, there from `place` on."""

    score: int
    begin: int
    end: int
    place: int
    source: Version


class CopyFinder:
    """Finds the lines of one file in others."""

    def __init__(
        self, text: bytes, content: Callable[[Version], bytes], *, any_blanks: bool
    ) -> None:
        """With `any_blanks`, lines are alike that differ in blanks alone."""
        self._text = text
        self._content = content
        self._any_blanks = any_blanks
        bytes_ = np.frombuffer(text, dtype=np.uint8)
        ends = (bytes_ == ord("\n")).nonzero()[0] + 1
        last = [len(text)] if text and not text.endswith(b"\n") else []
        self._starts: I64 = np.concatenate([[0], ends, last]).astype(np.int64)
        counted = np.concatenate([[0], np.cumsum(_COUNTED[bytes_])])
        # of all lines before one
        self._counts: I64 = counted[self._starts]

    def score(self, first: int, end: int) -> int:
        """The weight of lines: of letters and digits, which blanks and brackets have not."""
        return int(self._counts[end] - self._counts[first]) + 1

    def split(self, runs: Iterable[Run], least: int) -> tuple[list[Run], list[Run]]:
        """The runs of more weight than this, and the others."""
        found: tuple[list[Run], list[Run]] = [], []
        for run in runs:
            found[self.score(run.first, run.first + run.size) <= least].append(run)
        return found

    def find(self, runs: Iterable[Run], sources: Sequence[Version], least: int) -> PassedRuns:
        """Pass on the weightiest part of each run that one of the files has, then the rest of it.

        Of parts of one weight the last one counts, in the last file. A rest of little weight is
        left.
        """
        passed: list[tuple[Version, Run]] = []
        left: list[Run] = []
        waiting = list(runs)
        while waiting:
            rests: list[Run] = []
            for run, match in zip(waiting, self._matches(waiting, sources), strict=True):
                if match is None or match.score <= least:
                    left.append(run)
                    continue
                passed.append(
                    (match.source, run.part(match.begin, match.end)._replace(place=match.place))
                )
                parts = run.part(0, match.begin), run.part(match.end, run.size)
                rests += (part for part in parts if part.size)
            waiting, small = self.split(rests, least)
            left += small
        return PassedRuns(passed, left)

    def _matches(self, runs: Sequence[Run], sources: Iterable[Version]) -> list[_Match | None]:
        """The best match of each run in any of the files."""
        best: list[_Match | None] = [None] * len(runs)
        lines = [set(self._lines(self._text_of(run))) for run in runs]
        for source in sources:
            text = self._content(source)
            there = set(self._lines(text))
            for at, run in enumerate(runs):
                if lines[at].isdisjoint(there):
                    continue
                for match in self._matches_in(run, source, text):
                    before = best[at]
                    if before is None or match.score >= before.score:
                        best[at] = match
        return best

    def _matches_in(self, run: Run, source: Version, text: bytes) -> Iterator[_Match]:
        """Lines of a run that a file has and that follow each other in both."""
        rows = diff_rows(text, self._text_of(run), self._any_blanks, False)  # noqa: FBT003 as the compiled function takes it
        hunks = np.frombuffer(rows, dtype=np.uint32).reshape(-1, 8)[:, :4].tolist()
        begin = place = 0
        for _, old_end, new, new_end in [*hunks, (0, 0, run.size, 0)]:
            if begin < new:
                score = self.score(run.first + begin, run.first + new)
                yield _Match(score, begin, new, place, source)
            begin, place = new_end, old_end

    def _text_of(self, run: Run) -> bytes:
        begin, end = self._starts[[run.first, run.first + run.size]]
        return self._text[begin:end]

    def _lines(self, text: bytes) -> list[bytes]:
        lines = text.split(b"\n")
        return [b"".join(line.split()) for line in lines] if self._any_blanks else lines


class Origin(NamedTuple):
    """A file of a commit."""

    commit: bytes
    path: str


class BlamedLines(NamedTuple):
    """Lines of a file, from 0 on, and where they come from."""

    first: int
    size: int
    origin: Origin
    # the first of them there
    origin_first: int


class _Lines(NamedTuple):
    """Lines of the file that is blamed, and where they are in the origin that they may be of."""

    finals: I64
    places: I64
    # True for the first of lines that were passed on together
    begins: Mask

    def where(self, mask: Mask) -> _Lines:
        """Some of them."""
        return _Lines(self.finals[mask], self.places[mask], self.begins[mask])

    def runs(self) -> list[Run]:
        """The lines that were passed on together, by their places."""
        begins = self.begins.nonzero()[0]
        sizes = np.diff(np.append(begins, len(self.finals)))
        columns = self.finals[begins], sizes, self.places[begins]
        runs = map(Run, *(column.tolist() for column in columns))
        return sorted(runs, key=lambda run: run.place)


# of a commit and a path: the commit that last changed it, going back by first parents
LastChange = Callable[[bytes, str], bytes]


class Blame:
    """Finds where lines come from."""

    def __init__(
        self,
        objects: GitObjects,
        last_change: LastChange | None = None,
        *,
        any_blanks: bool = False,
        copies: bool = False,
        check: Callable[[], None] = lambda: None,
        skipped: Skipped = lambda _: None,
    ) -> None:
        """With `any_blanks`, lines are alike that differ in blanks alone.

        With `copies`, lines may come from elsewhere in the parents. `check` is called for each
        commit, and `skipped` for a file of a parent that can't be read: lines are not passed on
        to it.
        """
        self._objects = objects
        self._last_change = last_change
        self._any_blanks = any_blanks
        self._copies = copies
        self._finder: CopyFinder | None = None
        self._check = check
        self._skipped = skipped
        self._commits: dict[bytes, CommitLinks | None] = {}
        self._waiting: dict[Origin, list[_Lines]] = defaultdict(list)
        self._queue: list[tuple[int, Origin]] = []
        self._found: list[tuple[Origin, _Lines]] = []

    def lines(
        self, commit: bytes, path: str, lines: Sequence[tuple[int, int]] | None = None
    ) -> list[BlamedLines]:
        """Where these lines come from, by their first ones; `ValueError` without the file.

        Ranges are of lines from 0 on, without the last; None is all lines.
        """
        asked = self._data(Origin(commit, path))
        count = asked.line_count
        if self._copies:
            self._finder = CopyFinder(asked.text, self._of_parent, any_blanks=self._any_blanks)
        wanted = np.zeros(count, dtype=np.bool_)
        for first, end in [(0, count)] if lines is None else lines:
            wanted[first:end] = True
        numbers = wanted.nonzero()[0]
        if len(numbers):
            begins = np.diff(numbers, prepend=-2) > 1
            self._wait(Origin(commit, path), _Lines(numbers, numbers, begins))
        while self._queue:
            self._check()
            _, origin = heapq.heappop(self._queue)
            found = self._waiting.pop(origin, [])
            if found:
                self._pass(origin, _together(found))
        return list(_ranges(self._found))

    def _wait(self, origin: Origin, lines: _Lines) -> None:
        """Let lines be of this origin, until its turn comes."""
        if self._last_change is not None:
            origin = Origin(self._last_change(origin.commit, origin.path), origin.path)
        commit = self._commit(origin.commit)
        if commit is None:  # beyond the end of a shallow clone
            self._found.append((origin, lines))
            return
        if origin not in self._waiting:
            heapq.heappush(self._queue, (-commit.time, origin))
        self._waiting[origin].append(lines)

    def _pass(self, origin: Origin, lines: _Lines) -> None:
        """Pass lines to the parents that have them; others come from here."""
        own = self._data(origin)
        parents = self._parents(origin, own.version)
        for parent, version in parents:
            if version is not None and version.identity == own.version.identity:
                self._wait(Origin(parent, version.path), lines)
                return
        parents = _without_twins(parents)
        for parent, version in parents:
            if version is None or not len(lines.finals):
                continue
            rows = diff_rows(self._of_parent(version), own.text, self._any_blanks, False)  # noqa: FBT003 as the compiled function takes it
            passed, lines = _split(lines, rows)
            if len(passed.finals):
                self._wait(Origin(parent, version.path), passed)
        if len(lines.finals) and self._finder is not None:
            lines = _lines_of(self._pass_copies(self._finder, origin, parents, lines.runs()))
        if len(lines.finals):
            self._found.append((origin, lines))

    def _pass_copies(
        self,
        finder: CopyFinder,
        origin: Origin,
        parents: Sequence[tuple[bytes, Version | None]],
        runs: Sequence[Run],
    ) -> Sequence[Run]:
        """Pass lines to parents that have them elsewhere; those that are left come from here."""
        runs, small = finder.split(runs, MOVED)
        for parent, version in parents:
            if version is not None:
                runs = self._pass_found(finder, parent, runs, [version], MOVED)
        runs, more = finder.split(runs, COPIED)
        for parent, version in parents:
            if runs:
                sources = self._changed_beside(origin.commit, parent, version)
                runs = self._pass_found(finder, parent, runs, sources, COPIED)
        return [*small, *more, *runs]

    def _pass_found(
        self,
        finder: CopyFinder,
        parent: bytes,
        runs: Sequence[Run],
        sources: Sequence[Version],
        least: int,
    ) -> Sequence[Run]:
        found = finder.find(runs, sources, least)
        passed: dict[str, list[Run]] = defaultdict(list)
        for source, run in found.passed:
            passed[source.path].append(run)
        for path, together in passed.items():
            self._wait(Origin(parent, path), _lines_of(together))
        return found.left

    def _changed_beside(
        self, commit: bytes, parent: bytes, own: Version | None
    ) -> Sequence[Version]:
        """Files of a parent that the commit has changed or removed, without the file's own."""
        before, now = self._commit(parent), self._commit(commit)
        if before is None or now is None:
            return ()
        try:
            changes = changed_files(self._objects, before.tree, now.tree)
        except DAMAGE:
            return ()
        path = None if own is None else own.path
        return [item.old for item in changes if item.old.has_text and item.old.path != path]

    def _parents(self, origin: Origin, version: Version) -> list[tuple[bytes, Version | None]]:
        """The file in each parent: at its path, else under the name that it had."""
        commit = self._commit(origin.commit)
        found: list[tuple[bytes, Version | None]] = []
        lacking: list[int] = []
        for parent in () if commit is None else commit.parents:
            there = self._commit(parent)
            if there is None:
                continue
            same = self._find(there, origin.path)
            if same is not None and same.is_regular != version.is_regular:
                same = None
            if same is None:
                lacking.append(len(found))
            elif same.identity == version.identity:
                return [(parent, same)]
            found.append((parent, same))
        for number in lacking:
            parent = found[number][0]
            found[number] = parent, self._renamed(commit, parent, origin.path)
        return found

    def _find(self, commit: CommitLinks, path: str) -> Version | None:
        try:
            found = find_version(self._objects, commit.tree, path)
        except DAMAGE:
            return None
        return found if found is not None and found.has_text else None

    def _renamed(self, commit: CommitLinks | None, parent: bytes, path: str) -> Version | None:
        """The file that the path of a commit was before, in a parent."""
        before = self._commit(parent)
        if commit is None or before is None:
            return None
        try:
            changes = changed_files(self._objects, before.tree, commit.tree)
            meant = [item for item in changes if not item.new.is_there or item.path == path]
            for item in with_renames(meant, self._content_of):
                if item.path == path and item.kind == "R" and item.old.is_regular:
                    return item.old
        except DAMAGE:
            pass
        return None

    def _data(self, origin: Origin) -> _Content:
        commit = self._commit(origin.commit)
        version = None if commit is None else self._find(commit, origin.path)
        if version is None:
            raise ValueError(origin.path)
        return _Content(version, self._content(version))

    def _content(self, version: Version) -> bytes:
        try:
            return self._objects.data(version.identity, "blob")
        except UnreadObjectError as error:
            raise error.at(version.path) from None

    def _of_parent(self, version: Version) -> bytes:
        """The file of a parent; one that can't be read has no lines."""
        try:
            return self._content(version)
        except UnreadObjectError as error:
            self._skipped(error.gap)
            return b""

    def _content_of(self, identity: bytes) -> bytes | None:
        try:
            return self._objects.data(identity, "blob")
        except UnreadObjectError:
            return None

    def _commit(self, identity: bytes) -> CommitLinks | None:
        if identity not in self._commits:
            if len(self._commits) >= _KEPT_COMMITS:
                self._commits.clear()
            try:
                self._commits[identity] = read_links(self._objects, identity)
            except DAMAGE:
                self._commits[identity] = None
        return self._commits[identity]


class _Content(NamedTuple):
    """A file of a commit and its content."""

    version: Version
    text: bytes

    @property
    def line_count(self) -> int:
        """Number of lines."""
        return self.text.count(b"\n") + (not self.text.endswith(b"\n") and bool(self.text))


def _together(lines: Sequence[_Lines]) -> _Lines:
    if len(lines) == 1:
        return lines[0]
    return _Lines(*map(np.concatenate, zip(*lines, strict=True)))


def _lines_of(runs: Sequence[Run]) -> _Lines:
    """The lines of runs."""
    sizes = np.array([run.size for run in runs], dtype=np.int64)
    begins = np.zeros(int(sizes.sum()), dtype=np.bool_)
    firsts = np.cumsum(sizes) - sizes
    begins[firsts] = True
    within = np.arange(len(begins)) - np.repeat(firsts, sizes)
    finals = np.repeat(np.array([run.first for run in runs], dtype=np.int64), sizes) + within
    places = np.repeat(np.array([run.place for run in runs], dtype=np.int64), sizes) + within
    return _Lines(finals, places, begins)


def _without_twins(
    parents: Iterable[tuple[bytes, Version | None]],
) -> list[tuple[bytes, Version | None]]:
    """The parents, of which those have no file that have the same one as a parent before."""
    seen: set[bytes] = set()
    found: list[tuple[bytes, Version | None]] = []
    for parent, version in parents:
        is_twin = version is not None and version.identity in seen
        found.append((parent, None if is_twin else version))
        if version is not None:
            seen.add(version.identity)
    return found


def _split(lines: _Lines, rows: bytes) -> tuple[_Lines, _Lines]:
    """Lines that a parent has, with their places there, and those that it has not."""
    hunks = np.frombuffer(rows, dtype=np.uint32).reshape(-1, 8).astype(np.int64)
    if not len(hunks):
        return lines, lines.where(np.zeros(len(lines.finals), dtype=np.bool_))
    _, old_ends, news, new_ends = hunks[:, :4].T
    before = np.searchsorted(new_ends, lines.places, side="right")
    at = np.minimum(before, len(hunks) - 1)
    is_new = (before < len(hunks)) & (news[at] <= lines.places)
    shifts = np.concatenate([[0], old_ends - new_ends])[before]
    kinds = before * 2 + is_new
    lines = lines._replace(begins=lines.begins | (np.diff(kinds, prepend=kinds[:1]) != 0))
    moved = lines._replace(places=lines.places + shifts)
    return moved.where(~is_new), lines.where(is_new)


def _ranges(found: Iterable[tuple[Origin, _Lines]]) -> Iterator[BlamedLines]:
    """Lines that follow each other here and in their origin, together, by the first ones."""
    ranges: list[BlamedLines] = []
    for origin, lines in found:
        order = np.argsort(lines.finals)
        finals, places = lines.finals[order], lines.places[order]
        breaks = (np.diff(finals) != 1) | (np.diff(places) != 1)
        begins = np.concatenate([[0], breaks.nonzero()[0] + 1])
        ends = np.concatenate([begins[1:], [len(finals)]])
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            first, place = int(finals[begin]), int(places[begin])
            ranges.append(BlamedLines(first, end - begin, origin, place))
    return iter(sorted(ranges, key=lambda item: item.first))
