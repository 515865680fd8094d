"""Takes excerpts into a bundle one after the other, while the budget lasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from repo_mcp.bundle.files import Files, Source
from repo_mcp.bundle.hits import Candidate
from repo_mcp.bundle.purse import Purse
from repo_mcp.bundle.shown_lines import comment_above, shown_lines, text_of
from repo_mcp.bundle.types import NO_ROOM, Excerpt, LeftOut, Line, Role
from repo_mcp.search.telling import Telling

# how much each further hit of one search counts, and each further excerpt of one file
_SAME_SEARCH: Final = 0.82
_SAME_FILE: Final = 0.9
# what is worth less than this part of the best is not worth its lines; a place that many searches
# agree on makes nothing else worthless
_WORTHLESS: Final = 0.1
_HIGHEST: Final = 4.0
# what is worth little beside the best gets this part of the lines at least
_LEAST_SHARE: Final = 0.4
# and what is worth much more than anything else has this many times as many
_MOST_SHARE: Final = 1.6
_SMALLEST: Final = 4
# lines of what is there only because others use it
_EXTRA: Final = 24
_DIGITS: Final = 3


class Choice:
    """What has been chosen so far, and what was not and why."""

    def __init__(self, files: Files, purse: Purse, telling: Telling, limit: int) -> None:
        """Nothing is chosen yet; a declaration may take so many lines."""
        self._files = files
        self._purse = purse
        self._telling = telling
        self._limit = limit
        self._shown: dict[str, set[int]] = {}
        self._highest = 0.0
        self.excerpts: list[Excerpt] = []
        self._left_out: dict[tuple[str, int, int], tuple[float, LeftOut]] = {}

    def best_of(self, candidates: Sequence[Candidate], keep_lines: int, keep_files: int) -> None:
        """Take the best, each time by what it adds; so many lines and files are kept for others."""
        left = list(candidates)
        taken: Counter[str] = Counter()
        in_file: Counter[str] = Counter()
        while left and self._purse.lines_left > keep_lines:
            gains = [_gain(item, taken, in_file) for item in left]
            best = max(range(len(left)), key=lambda at: (gains[at], -at))
            self._highest = min(_HIGHEST, max(self._highest, gains[best]))
            if gains[best] < self._highest * _WORTHLESS:
                break
            item = left.pop(best)
            if self._purse.files_left <= keep_files and not self._purse.has(item.path):
                self._leave(item, "max_files is reached")
                continue
            share = max(_LEAST_SHARE, min(_MOST_SHARE, gains[best] / self._highest))
            room = min(round(self._limit * share), self._purse.lines_left - keep_lines)
            if self.take(item, "match", item.rationale, room):
                taken.update(item.worths.keys())
                in_file[item.path] += 1
        for item in left:
            self._leave(item, "it answers less than what was chosen")

    def take(self, item: Candidate, role: Role, rationale: str, room: int) -> bool:
        """Take the lines of a declaration that are not shown yet; False where nothing was taken."""
        source = self._files.source(item.path)
        if source is None:
            self._leave(item, "the file can't be read any more")
            return False
        room = min(room, self._purse.lines_left)
        while room > 0:
            lines = self._lines(source, item, room)
            if not lines:
                return False
            excerpt = self._excerpt(source, item, role, rationale, lines)
            if self._purse.take(excerpt):
                self.excerpts.append(excerpt)
                self._shown.setdefault(item.path, set()).update(lines)
                self._left_out.pop((item.path, item.first, item.last), None)
                return True
            if room <= _SMALLEST:
                break
            room //= 2
        self._leave(item, NO_ROOM)
        return False

    def take_lines(self, path: str, numbers: Iterable[int], role: Role, rationale: str) -> bool:
        """Take just these lines of a file that is in the bundle."""
        source = self._files.source(path)
        shown = self._shown.get(path, set())
        lines = sorted(number for number in set(numbers) if number not in shown)
        if source is None or not lines:
            return False
        lines = lines[: max(0, self._purse.lines_left)]
        if not lines:
            return False
        item = Candidate(path, lines[0], lines[-1], "")
        excerpt = self._excerpt(source, item, role, rationale, lines)
        if not self._purse.take(excerpt):
            return False
        self.excerpts.append(excerpt)
        self._shown[path].update(lines)
        return True

    def shows(self, path: str, line: int) -> bool:
        """Whether a line is in the bundle."""
        return line in self._shown.get(path, ())

    def shown(self, path: str) -> set[int]:
        """The lines of a file that are in the bundle."""
        return self._shown.get(path, set())

    def left_out(self) -> list[LeftOut]:
        """What answers, too, the best first."""
        ordered = sorted(self._left_out.items(), key=lambda item: (-item[1][0], item[0]))
        return [said for _, (_, said) in ordered]

    def is_left(self, item: Candidate) -> bool:
        """Whether a candidate was left out."""
        return (item.path, item.first, item.last) in self._left_out

    def extras(
        self, items: Sequence[tuple[Candidate, str]], role: Role, most_lines: int, keep_files: int
    ) -> None:
        """Take what belongs to others, each with its reason, in so many lines at most."""
        last = self._purse.lines_left - most_lines
        for item, reason in items:
            room = min(_EXTRA, self._limit, self._purse.lines_left - max(last, 0))
            if room < _SMALLEST:
                self._leave(item, NO_ROOM)
            elif self._purse.files_left <= keep_files and not self._purse.has(item.path):
                self._leave(item, "max_files is reached")
            else:
                self.take(item, role, reason, room)

    def _lines(self, source: Source, item: Candidate, room: int) -> list[int]:
        span = item.first, item.last
        if source.stale and not item.symbol:
            span = max(1, item.first - 2), min(source.rows.count, item.last + 2)
        lines = shown_lines(self._files, source, span, item.focus, self._telling, room)
        if item.symbol and lines and lines[0] == item.first:
            above = comment_above(source, item.first)
            lines = [*above, *lines] if len(above) + len(lines) <= room else lines
        shown = self._shown.get(item.path, set())
        fresh = [line for line in lines if line not in shown]
        # what is left of it is hardly worth an excerpt of its own
        return fresh if 4 * len(fresh) > len(lines) or len(fresh) > _SMALLEST else []

    def _excerpt(
        self, source: Source, item: Candidate, role: Role, rationale: str, lines: Sequence[int]
    ) -> Excerpt:
        shown = tuple(Line(number, text_of(source, number)) for number in lines)
        return Excerpt(
            item.path,
            shown,
            item.symbol,
            role,
            rationale,
            round(item.worth, _DIGITS),
            source.fingerprint,
            source.stale,
        )

    def _leave(self, item: Candidate, reason: str) -> None:
        key = item.path, item.first, item.last
        if not self._shown.get(item.path, set()).intersection(range(item.first, item.last + 1)):
            said = LeftOut(item.path, item.first, item.last, item.symbol, reason)
            self._left_out[key] = item.worth, said


def _gain(item: Candidate, taken: Counter[str], in_file: Counter[str]) -> float:
    """What a candidate adds: less by what the same searches have given already."""
    worth = sum(value * _SAME_SEARCH ** taken[search] for search, value in item.worths.items())
    return float(worth * _SAME_FILE ** in_file[item.path])
