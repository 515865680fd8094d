"""Takes excerpts into a bundle one by one, until its budget is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

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
from repo_mcp.bundle.find.candidates import Candidate, Evidence
from repo_mcp.bundle.find.declarations import TYPES
from repo_mcp.bundle.find.files import Files, FileText
from repo_mcp.bundle.model import (
    Excerpt,
    FilePlace,
    LeftOut,
    Line,
    Role,
    SearchKind,
    Trait,
)
from repo_mcp.bundle.reasons import Omission, Reason
from repo_mcp.bundle.weights import ChoiceWeights as Weights
from repo_mcp.bundle.weights import LineWeights
from repo_mcp.search import TermMatcher
from repo_mcp.text.cutting import stretches

# factor for each further candidate with the same evidence
_DECAY: Final = {
    kind: Weights.COMPARED if Trait.COMPARED_IN_FILE in kind.traits else Weights.SAME_SEARCH
    for kind in SearchKind
}


class LineShare(NamedTuple):
    """The number of lines that a declaration may take, by its worth."""

    lines: float
    power: float

    def lines_for(self, worth: float) -> int:
        """Lines for a candidate of this worth, within the bounds of a useful excerpt."""
        share = self.lines * float(max(0.0, worth) ** self.power)
        return min(max(round(share), Weights.LEAST_LINES), Weights.MOST_LINES)


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
        self._highest = 0.0
        self.excerpts: list[Excerpt] = []
        # the candidate of each excerpt
        self._sources: list[Candidate] = []
        self._omissions: dict[tuple[str, int, int], tuple[float, LeftOut]] = {}

    def take_best(self, candidates: Sequence[Candidate], keep_lines: int) -> None:
        """Takes candidates greedily by their gain; leaves `keep_lines` unused."""
        left = [item for item in candidates if not self.is_taken(item)]
        taken: Counter[Evidence] = Counter(
            evidence for item in self._sources for evidence in item.worths
        )
        in_file: Counter[str] = Counter(item.path for item in self._sources)
        while left:
            if self._budget.lines_left <= keep_lines:
                break
            gains = [_gain(item, taken, in_file) for item in left]
            best = max(range(len(left)), key=lambda at: (gains[at], -at))
            self._highest = min(Weights.HIGHEST, max(self._highest, gains[best]))
            if gains[best] < self._highest * Weights.WORTHLESS:
                break
            item = left.pop(best)
            if not self._budget.files_left and not self._budget.has(item.path):
                self.leave_out(item, Omission.NO_FILE_LEFT)
                continue
            room = self._room(item, self._budget.lines_left - keep_lines)
            if self.take(item, "match", item.best_reasons, room):
                taken.update(item.worths.keys())
                in_file[item.path] += 1
        for item in left:
            self.leave_out(item, Omission.LESS_WORTH)

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
                self.take(item, "match", item.best_reasons, room)

    def _room(self, item: Candidate, most: int) -> int:
        """Lines for a candidate, at most so many: all of it if it is not much longer."""
        share = min(self._share.lines_for(item.worth), most)
        length = item.last - item.first + 1
        if length <= min(round(share * Weights.SHOWN_WHOLE), most):
            return min(length + LineWeights.ABOVE, most)  # the comment above it, too
        return share

    def take(self, item: Candidate, role: Role, reasons: Sequence[Reason], room: int) -> bool:
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
            excerpt = self._excerpt(source, item, role, reasons, lines)
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

    def fill_gaps(self, least: float, longest: int) -> None:
        """Fills gaps between shown lines, those of the best declarations first.

        Applies to declarations with at least the share `least` of the best score, of at most
        `longest` lines.
        """
        matches = [at for at, item in enumerate(self.excerpts) if item.role == "match"]
        best = min(Weights.HIGHEST, max((self.excerpts[at].score for at in matches), default=0.0))
        matches.sort(key=lambda at: (-self.excerpts[at].score, at))
        for at in matches:
            if self.excerpts[at].score >= least * best:
                self._fill_gaps_of(at, longest)

    def _fill_gaps_of(self, at: int, longest: int) -> None:
        item = self._sources[at]
        source = self._files.source(item.path)
        if source is None or item.last - item.first >= longest or not item.symbol:
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
        items: Sequence[tuple[Candidate, Sequence[Reason]]],
        role: Role,
        most_lines: int,
    ) -> None:
        """Takes candidates that complete others, in at most `most_lines` lines."""
        last = self._budget.lines_left - most_lines
        for item, reasons in items:
            room = min(Weights.EXTRA, self._budget.lines_left - max(last, 0))
            if room < Weights.SMALLEST:
                self.leave_out(item, Omission.NO_ROOM)
            elif not self._budget.files_left and not self._budget.has(item.path):
                self.leave_out(item, Omission.NO_FILE_LEFT)
            else:
                self.take(item, role, reasons, room)

    def _lines(self, source: FileText, item: Candidate, room: int) -> list[int]:
        span = item.first, item.last
        if source.stale and not item.symbol:
            span = (
                max(1, item.first - Weights.AROUND_STALE),
                min(source.rows.count, item.last + Weights.AROUND_STALE),
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
        reasons: Sequence[Reason],
        lines: Sequence[int],
    ) -> Excerpt:
        shown = tuple(Line(number, text_of(source, number)) for number in lines)
        return Excerpt(
            item.path,
            shown,
            item.symbol,
            role,
            tuple(reasons),
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


def _gain(item: Candidate, taken: Counter[Evidence], in_file: Counter[str]) -> float:
    """The gain of a candidate: less for evidence and files that were taken already."""
    worth = sum(
        value * _DECAY[evidence.kind] ** taken[evidence] for evidence, value in item.worths.items()
    )
    return float(worth * Weights.SAME_FILE ** in_file[item.path])
