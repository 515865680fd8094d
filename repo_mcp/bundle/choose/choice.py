"""Takes excerpts into a bundle one by one, until its budget is spent."""

from __future__ import annotations

from collections.abc import Sequence

from code_graph.facts import MODULE
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.bundle.choose.budget import BundleBudget
from repo_mcp.bundle.choose.shown_lines import (
    close_gaps,
    comment_above,
    licence_above,
    shown_lines,
    text_of,
)
from repo_mcp.bundle.find.candidates import Candidate
from repo_mcp.bundle.find.declarations import TYPES
from repo_mcp.bundle.find.files import Files, FileText
from repo_mcp.bundle.model import (
    Excerpt,
    FilePlace,
    LeftOut,
    Line,
    Role,
)
from repo_mcp.bundle.reasons import Omission
from repo_mcp.bundle.weights import ChoiceWeights as Weights, LineWeights
from repo_mcp.search import TermMatcher
from repo_mcp.text.cutting import stretches


class LineShare(NamedTuple):
    """The number of lines that a declaration may take, by its worth."""

    lines: float
    power: float

    def lines_for(self, worth: float) -> int:
        """Lines for a candidate of this worth, within the bounds of a useful excerpt."""
        share = self.lines * float(max(0.0, worth) ** self.power)
        return min(max(round(share), Weights.LEAST_LINES), Weights.MOST_LINES)


def share_lines(candidates: Sequence[Candidate], lines: int) -> LineShare:
    """The share of lines per worth: smaller if many candidates are equally good."""
    power = Weights.SHARE_POWER
    worths = [max(0.0, item.worth) ** power for item in candidates[: Weights.SHARING]]
    least = Weights.FEWEST * max(worths, default=1.0)
    return LineShare(lines / max(sum(worths), least), power)


class Choice:
    """The excerpts chosen until now, and the omissions."""

    def __init__(
        self, files: Files, budget: BundleBudget, matcher: TermMatcher, share: LineShare
    ) -> None:
        self._files = files
        self._budget = budget
        self._matcher = matcher
        self._share = share
        self._shown: dict[str, set[int]] = {}
        self.excerpts: list[Excerpt] = []
        # the candidate of each excerpt
        self._sources: list[Candidate] = []
        self._omissions: dict[tuple[str, int, int], tuple[float, LeftOut]] = {}

    def take_best(self, candidates: Sequence[Candidate], keep_lines: int) -> None:
        """Takes candidates, best first; leaves `keep_lines` unused."""
        left = [item for item in candidates if not self.is_taken(item)]
        best = max((item.worth for item in left), default=0.0)
        for candidate in left:
            room = self._budget.lines_left - keep_lines
            if room <= 0 or candidate.worth < best * Weights.WORTHLESS:
                self.leave_out(candidate, Omission.LESS_WORTH)
            elif not self._budget.files_left and not self._budget.has(candidate.path):
                self.leave_out(candidate, Omission.NO_FILE_LEFT)
            else:
                self.take(candidate, "match", self._room(candidate, room))

    def take_steps(self, steps: Sequence[Candidate], longest: int, most_lines: int) -> None:
        """Takes the steps of a flow in their order, each whole up to so many lines.

        Of a longer one the head and the lines around its calls are shown. If there is no room for
        that, the longest ones get less.
        """
        lengths = [_step_lines(item, longest) for item in steps]
        while lengths and sum(lengths) > most_lines and max(lengths) > Weights.SMALLEST:
            most = max(lengths) - 1
            lengths = [min(length, most) for length in lengths]
        last = max(self._budget.lines_left - most_lines, 0)
        for item, length in zip(steps, lengths, strict=True):
            if self._budget.files_left or self._budget.has(item.path):
                room = min(length, self._budget.lines_left - last)
                self.take(item, "match", room)

    def _room(self, item: Candidate, most: int) -> int:
        """Lines for a candidate, at most so many: all of it if it is not much longer."""
        share = min(self._share.lines_for(item.worth), most)
        length = item.last - item.first + 1
        if length <= min(round(share * Weights.SHOWN_WHOLE), most):
            return min(length + LineWeights.HEAD, most)  # the comment above it, too
        return share

    def take(self, item: Candidate, role: Role, room: int) -> bool:
        """Takes lines of a candidate that are not shown yet; False if none were taken."""
        source = self._files.source(item.path)
        if source is None:
            self.leave_out(item, Omission.UNREADABLE)
            return False
        room = min(room, self._budget.lines_left)
        while room > 0:
            lines = self._lines(source, item, room)
            if not lines:
                return False
            excerpt = self._excerpt(source, item, role, lines)
            if self._budget.take(excerpt):
                self.excerpts.append(excerpt)
                self._sources.append(item)
                self._shown.setdefault(item.path, set()).update(lines)
                self._omissions.pop((item.path, item.first, item.last), None)
                return True
            if room <= Weights.SMALLEST:
                break
            room //= 2
        self.leave_out(item, Omission.NO_ROOM)
        return False

    def fill_gaps(self) -> None:
        """Fills gaps between shown lines, those of the best declarations first."""
        matches = [at for at, item in enumerate(self.excerpts) if item.role == "match"]
        for at in sorted(matches, key=lambda at: (-self.excerpts[at].score, at)):
            self._fill_gaps_of(at)

    def _fill_gaps_of(self, at: int) -> None:
        item = self._sources[at]
        source = self._files.source(item.path)
        if source is None or item.last - item.first >= Weights.MOST_LINES or not item.symbol:
            return
        shown = self._shown[item.path]
        whole = range(item.first, min(item.last, source.rows.count) + 1)
        gaps = stretches([line for line in whole if line not in shown])
        for first, last in sorted(gaps, key=lambda gap: (gap[1] - gap[0], gap)):
            if last - first >= self._budget.lines_left:
                break
            before = self.excerpts[at]
            more = [Line(number, text_of(source, number)) for number in range(first, last + 1)]
            after = replace(before, lines=tuple(sorted((*before.lines, *more))))
            if not self._budget.take(after, before):
                break
            self.excerpts[at] = after
            shown.update(range(first, last + 1))

    @property
    def line_count(self) -> int:
        """The number of lines that are shown."""
        return sum(map(len, self._shown.values()))

    @property
    def places(self) -> tuple[FilePlace, ...]:
        """Places in files that nothing is shown of."""
        return self._budget.places

    def omissions(self) -> list[LeftOut]:
        """The candidates that were left out, best first."""
        ordered = sorted(self._omissions.items(), key=lambda item: (-item[1][0], item[0]))
        return [omission for _, (_, omission) in ordered]

    def is_left_out(self, item: Candidate) -> bool:
        """True if a candidate was left out."""
        return (item.path, item.first, item.last) in self._omissions

    def is_taken(self, item: Candidate) -> bool:
        """True if an excerpt of a candidate was taken."""
        return any(taken is item for taken in self._sources)

    def take_extras(
        self,
        candidates: Sequence[Candidate],
        role: Role,
        most_lines: int,
    ) -> None:
        """Takes candidates that complete others, in at most `most_lines` lines."""
        last = self._budget.lines_left - most_lines
        for item in candidates:
            room = min(Weights.EXTRA, self._budget.lines_left - max(last, 0))
            if room < Weights.SMALLEST:
                self.leave_out(item, Omission.NO_ROOM)
            elif not self._budget.files_left and not self._budget.has(item.path):
                self.leave_out(item, Omission.NO_FILE_LEFT)
            else:
                self.take(item, role, room)

    def _lines(self, source: FileText, item: Candidate, room: int) -> list[int]:
        span = item.first, item.last
        if source.stale and not item.symbol:
            span = (
                max(1, item.first - LineWeights.AROUND),
                min(source.rows.count, item.last + LineWeights.AROUND),
            )
        lines = shown_lines(self._files, source, span, item.focus, self._matcher, room)
        if item.symbol and lines and lines[0] == item.first:
            above = comment_above(source, item.first)
            lines = [*above, *lines] if len(above) + len(lines) <= room else lines
        shown = self._shown.get(item.path, set())
        licence = 0 if item.symbol else licence_above(source)
        fresh = [line for line in lines if line not in shown and line > licence]
        fresh = close_gaps(shown, fresh)
        # a small rest of the candidate is not worth an excerpt
        if Weights.SMALL_REST * len(fresh) <= len(lines) and len(fresh) <= Weights.SMALLEST:
            return []
        heads = [line for line in self._heads(item) if line not in shown and line < fresh[0]]
        return [*heads, *fresh] if len(heads) + len(fresh) <= self._budget.lines_left else fresh

    def _heads(self, item: Candidate) -> list[int]:
        """Name lines of the types around a declaration."""
        if "." not in item.symbol:
            return []
        declared = self._files.declarations(item.path)
        parents = {
            found.parent
            for found in declared
            if found.start_line == item.first and found.end_line == item.last
        }
        lines: list[int] = []
        parent = min(parents, default=MODULE)
        while parent != MODULE and len(lines) < Weights.MOST_HEADS:
            if declared[parent].kind in TYPES:
                lines.append(declared[parent].name_line)
            parent = declared[parent].parent
        return lines[::-1]

    def _excerpt(
        self,
        source: FileText,
        item: Candidate,
        role: Role,
        lines: Sequence[int],
    ) -> Excerpt:
        shown = tuple(Line(number, text_of(source, number)) for number in lines)
        return Excerpt(
            item.path,
            shown,
            item.symbol,
            role,
            item.best_reasons,
            round(item.worth, Weights.DIGITS),
            source.fingerprint,
            source.stale,
            self._files.languages.language_of(item.path),
        )

    def leave_out(self, item: Candidate, reason: Omission) -> None:
        """Notes a candidate of which nothing is shown."""
        key = item.path, item.first, item.last
        if not self._shown.get(item.path, set()).intersection(range(item.first, item.last + 1)):
            omission = LeftOut(item.path, item.first, item.last, item.symbol, reason)
            self._omissions[key] = item.worth, omission


def _step_lines(step: Candidate, longest: int) -> int:
    length = step.last - step.first + 1
    if length <= longest:
        return length
    return min(longest, Weights.STEP_HEAD + Weights.STEP_CALL * len(step.focus))
