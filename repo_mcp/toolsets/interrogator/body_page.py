"""Pages of the declarations around hits: whole where a reader would read them so, else in part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import AnswerLine, NumberedLines
from repo_mcp.answers.repository import FileMatches
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import LineMatch
from repo_mcp.text.cutting import cut
from repo_mcp.text.files import Rows
from repo_mcp.toolsets.interrogator.exact_hits import Symbols
from repo_mcp.toolsets.interrogator.line_order import LinePlace
from repo_mcp.toolsets.kit.answers import size

# the argument `show` for it
BODIES: Final = "bodies"
# lines of a declaration that are shown: a longer one has those around its hits
MOST_LINES: Final = 60
# one of up to so many lines is shown whole where all declarations of a page have room
LONGEST_WHOLE: Final = 2 * MOST_LINES
# lines around a hit that no declaration is around
_AROUND: Final = 10
_WIDEST: Final = 300


class HitBody(NamedTuple):
    """The lines of a declaration, or around hits that are in none, and the hits among them."""

    first: int
    last: int
    name: str = ""
    hits: Sequence[int] = ()

    @property
    def label(self) -> str:
        """Its lines and its name."""
        span = f"{self.first}-{self.last}" if self.last > self.first else str(self.first)
        return f"{span} {self.name}" if self.name else span

    def most_lines(self, longest: int) -> int:
        """The number of lines to show: all of a declaration of up to `longest` lines."""
        return longest if self.last - self.first < longest else MOST_LINES

    @property
    def key(self) -> tuple[int, int]:
        """Its lines, which no other one of its file has."""
        return self.first, self.last


def shown_numbers(body: HitBody, most: int = MOST_LINES) -> list[int]:
    """The lines of a body that are shown: all, or the first and those around hits, as many as fit.

    Of many hits the first ones.
    """
    if body.last - body.first < most:
        return [*range(body.first, body.last + 1)]
    centres = sorted({body.first, *body.hits})
    kept = centres if len(centres) <= most else [*centres[: most - 1], body.hits[0]]
    chosen = {*kept}
    for around in range(1, most):
        wider = {
            number
            for centre in kept
            for number in range(centre - around, centre + around + 1)
            if body.first <= number <= body.last
        }
        if len(wider) > most:
            break
        chosen = wider
    return sorted(chosen)


def body_lines(
    body: HitBody, rows: Rows, matching: Collection[int], most: int = MOST_LINES
) -> list[AnswerLine]:
    """The lines of a body below its name, hits marked, with marks where lines are left out."""
    last = min(body.last, rows.count)
    numbers = [number for number in shown_numbers(body, most) if number <= last]
    lines: list[AnswerLine] = []
    before = body.first - 1
    for number in numbers:
        text = next(iter(rows.between(number, number)), "")
        line = AnswerLine(number, cut(text, _WIDEST), number not in matching)
        lines.append(line._replace(after_gap=number > before + 1))
        before = number
    if lines and "." in body.name:  # a name of the top level is in the first line
        lines[0] = lines[0]._replace(heading=body.name)
    if lines and before < last:
        lines[-1] = lines[-1]._replace(before_gap=True)
    return lines


def lines_size(lines: Iterable[AnswerLine]) -> int:
    """The bytes of lines in JSON."""
    return sum(size(row) for line in lines for row in line.rows())


class FileBodies:
    """The bodies of the hits of one file, each once, those of declarations first."""

    def __init__(
        self, path: str, matches: Sequence[LineMatch], symbols: Symbols, context: int
    ) -> None:
        spans = {match.line: symbols.at(path, match.line) for match in matches}
        self.matches = sorted(matches, key=lambda match: spans[match.line] is None)
        self.bodies: list[HitBody] = []
        # for each hit the number of its body
        self.by_turn: list[int] = []
        # only where nothing of a file is declared, lines around say what a hit is about
        around = context if context or symbols.has_any(path) else _AROUND
        numbers: dict[tuple[int, int], int] = {}
        free: HitBody | None = None
        for match in self.matches:
            span = spans[match.line]
            if span is not None:
                body = HitBody(span.start_line, span.end_line, span.qualified)
            elif free is not None and match.line <= free.last:
                body = free
            else:
                body = free = HitBody(max(match.line - around, 1), match.line + around)
            number = numbers.setdefault(body.key, len(self.bodies))
            if number == len(self.bodies):
                self.bodies.append(body)
            kept = self.bodies[number]
            self.bodies[number] = kept._replace(hits=(*kept.hits, match.line))
            self.by_turn.append(number)

    def is_first(self, turn: int) -> bool:
        """True if a body comes with this hit: others of it have been before."""
        return self.by_turn.index(self.by_turn[turn]) == turn


class TextReader:
    """Reads each file once, however often a page of bodies is tried."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Read nothing yet."""
        self._sandbox = sandbox
        self._read: dict[str, Rows | None] = {}

    def rows(self, path: str) -> Rows | None:
        """The lines of a file; None for one that is gone, must not be read, or is no text."""
        if path not in self._read:
            self._read[path] = None
            with suppress(Problem):
                rows = Rows(self._sandbox.read(path, follow=False).data)
                self._read[path] = rows if rows.is_text else None
        return self._read[path]


class BodyPage:
    """Files with bodies up to a size; `lines` counts the hits that these come with."""

    def __init__(
        self,
        room: int,
        texts: TextReader,
        bodies: Mapping[str, FileBodies],
        most: int,
        longest: int = MOST_LINES,
    ) -> None:
        """`most` bodies are shown, those of up to `longest` lines whole."""
        self.room = room
        self._most = most
        self._longest = longest
        self.lines = 0
        self._texts = texts
        self._bodies = bodies
        self._files: dict[str, dict[int, AnswerLine]] = {}
        self._shown: dict[str, list[HitBody]] = {}

    def add(self, place: LinePlace) -> bool:
        """Add the body that comes with a hit; False if the page is full."""
        bodies = self._bodies[place.path]
        body = bodies.bodies[bodies.by_turn[place.turn]]
        is_room = self.lines < self._most
        if not is_room or not self._add(place.path, body, bodies.matches[place.turn]):
            return False
        self.lines += 1
        return True

    def _add(self, path: str, body: HitBody, match: LineMatch) -> bool:
        rows, most = self._texts.rows(path), body.most_lines(self._longest)
        if rows is None:
            lines = [AnswerLine(match.line, cut(match.text, _WIDEST))]
        else:
            lines = body_lines(body, rows, body.hits, most)
        shown = self._files.get(path, {})
        head = 0 if shown else size(FileMatches(path=path))
        while head + lines_size(lines) > self.room:
            if self._files or rows is None or most == 1:
                break
            most //= 2
            lines = body_lines(body, rows, body.hits, most)
        cost = head + lines_size(lines)
        if cost > self.room and self._files:
            return False
        self.room -= cost
        kept = self._files.setdefault(path, {})
        for line in lines:  # a class may have shown lines of a method in it
            before = kept.get(line.number)
            kept[line.number] = line if before is None else _joined(before, line)
        self._shown.setdefault(path, []).append(body)
        return True

    def files(self, order: Iterable[str]) -> list[FileMatches]:
        """The files on the page, in an order of all files."""
        return [
            FileMatches(path=path, lines=NumberedLines(self._lines(path)))
            for path in order
            if path in self._files
        ]

    def _lines(self, path: str) -> Iterator[AnswerLine]:
        """The lines of a file in order; no mark stands between lines that follow each other."""
        lines = self._files[path]
        for number, line in sorted(lines.items()):
            after, before = number - 1 in lines, number + 1 in lines
            yield line._replace(
                after_gap=line.after_gap and not after, before_gap=line.before_gap and not before
            )

    def left(self, path: str, matches: Sequence[LineMatch]) -> tuple[int, list[tuple[str, int]]]:
        """The number of a file's hits that are shown, and its other bodies with theirs."""
        shown = {body.key for body in self._shown.get(path, ())}
        if not matches:
            return 0, []
        bodies = self._bodies[path].bodies
        told = sum(len(body.hits) for body in bodies if body.key in shown)
        return told, [(body.label, len(body.hits)) for body in bodies if body.key not in shown]

    def citations(self) -> list[str]:
        """Files and line ranges, for the audit log."""
        return [
            f"{path}:{body.first}-{body.last}" for path, of in self._shown.items() for body in of
        ]


def _joined(before: AnswerLine, line: AnswerLine) -> AnswerLine:
    """A line that two bodies have: a hit in either, below the first name."""
    return line._replace(
        around=before.around and line.around,
        heading=line.heading if before.heading is None else before.heading,
        after_gap=before.after_gap and line.after_gap,
        before_gap=before.before_gap and line.before_gap,
    )
