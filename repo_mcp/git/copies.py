"""Lines that a commit has from elsewhere in its parents, as `git blame -C` finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.tuples import NamedTuple
from repo_mcp.git.changes import Version
from repo_mcp.git.line_diff import diff_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    I64: TypeAlias = npt.NDArray[np.int64]

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
