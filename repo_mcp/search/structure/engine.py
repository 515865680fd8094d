"""Structural search of snapshots and files: the index names files, workers match their text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from index_format import Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.processes.pool import ProcessPool
from repo_mcp.safety.sandbox import LineScan, Sandbox
from repo_mcp.search.distributed import OpenDistributed
from repo_mcp.search.exact.engine import ExactEngine, QueryPlan
from repo_mcp.search.exact.query import ExactAnswer, ExactQuery, OnFile, ScannedFile
from repo_mcp.search.exact.scan import batches, read_scanned
from repo_mcp.search.line_matches import LineMatch, Span, TreeMatch
from repo_mcp.search.matching_lines import MatchingLines, normalize_lines
from repo_mcp.search.structure.jobs import MatchJob, run_jobs, start_pool
from repo_mcp.search.structure.languages import language_of
from repo_mcp.search.structure.matcher import StructureMatcher, prepare
from repo_mcp.search.structure.worker import Match
from repo_mcp.text.files import decode

# of the texts of one job
_MOST_CHARACTERS: Final = 1 << 18
# files over which the parser may break before a search is given up
_MOST_BROKEN: Final = 5


class _Text(NamedTuple):
    """A file that may match: its place in the batch, its lines, and the text that is parsed.

    The text has the line ends of the file, which parsers tell apart.
    """

    number: int
    rows: bytes
    text: str
    size: int


class TreeScanner:
    """Reads files, and matches a structural pattern in their trees."""

    def __init__(
        self,
        sandbox: Sandbox,
        matcher: StructureMatcher,
        query: ExactQuery,
        pool: ProcessPool,
        budget: Budget,
    ) -> None:
        self._sandbox = sandbox
        self._matcher = matcher
        self._query = query
        self._pool = pool
        self._budget = budget
        # files over which the parser has broken in this search
        self._broken = 0

    def scan(self, paths: Iterable[str]) -> Iterator[ScannedFile]:
        """The files one by one, as far as the budget's time suffices."""
        self._broken = 0
        for batch in batches(iter(paths)):
            self._budget.check()
            found = [] if self._budget.spent else self._scan_batch(batch)
            yield from found
            if len(found) < len(batch):
                return

    def _scan_batch(self, batch: list[str]) -> list[ScannedFile]:
        """The files of a batch; fewer if time is up."""
        found: list[ScannedFile | None] = [ScannedFile(path, 0) for path in batch]
        texts: dict[str, list[_Text]] = {}
        meant = [
            at for at, path in enumerate(batch) if language_of(path) in self._matcher.languages
        ]
        scanned = self._sandbox.scan([batch[at] for at in meant], LineScan())
        for at, item in zip(meant, scanned, strict=True):
            path = batch[at]
            read = self._read(at, path, item if isinstance(item, bytes) else None)
            if isinstance(read, ScannedFile):
                found[at] = read
            else:
                texts.setdefault(language_of(path), []).append(read)
                found[at] = None
        jobs = {
            MatchJob(
                self._matcher.pattern,
                name,
                [item.text for item in part],
                bindings=self._query.bindings,
            ): part
            for name, items in texts.items()
            for part in _parts(items)
        }
        for job, results in run_jobs(self._pool, [*jobs], self._budget).items():
            for text, matches in zip(jobs[job], results, strict=True):
                found[text.number] = self._file(batch[text.number], text, matches)
        if self._broken > _MOST_BROKEN:
            raise Problem(
                "argument_invalid",
                f"the parser breaks over or takes too long for {self._broken} files: use a simpler"
                " pattern, or search in other files",
            )
        return _until_missing(found)

    def _read(self, at: int, path: str, scanned: bytes | None) -> _Text | ScannedFile:
        """The text of a file that may match; else all that there is to say of the file."""
        data = read_scanned(self._sandbox, path, scanned)
        if data is None:
            return ScannedFile(path, None)
        rows, text = normalize_lines(data), decode(data)
        if rows is None or text is None:
            return ScannedFile(path, None, size=len(data))
        if not self._matcher.may_match(language_of(path), text.content):
            return ScannedFile(path, 0, size=len(data))
        return _Text(at, rows, text.content, len(data))

    def _file(self, path: str, item: _Text, matches: list[Match] | None) -> ScannedFile:
        if matches is None:
            self._broken += 1
            return ScannedFile(path, 0, size=item.size, broken=True)
        if not matches:
            return ScannedFile(path, 0, size=item.size)
        found = MatchingLines(path, item.rows, self._query.context)
        found.collect([_TreeSpans(item, matches)], self._query.most_of_file)
        lines = _with_trees(found.lines, matches)
        return ScannedFile(path, found.count, lines, item.size)


class _TreeSpans:
    """The beginnings and ends, in bytes, of the matches of a file that lie in one line."""

    skipped_lines = searches = 0
    in_parts = False

    def __init__(self, item: _Text, matches: Sequence[Match]) -> None:
        lines = item.rows.split(b"\n")
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._spans = sorted(
            (
                starts[first] + _bytes_before(lines[first], column),
                starts[first]
                + (_bytes_before(lines[first], end) if last == first else len(lines[first])),
            )
            for first, column, last, end, _ in matches
        )

    def iter_spans(
        self,
        end: int,
        begin: int = 0,
        *,
        one_a_line: bool = False,  # noqa: ARG002 the next one costs too little to leave it out
    ) -> Iterator[Span]:
        """The parts of matches in the lines where they begin."""
        for start, stop in self._spans[bisect_left(self._spans, (begin, 0)) :]:
            if start > end:
                return
            yield start, stop


def _bytes_before(line: bytes, column: int) -> int:
    """The bytes before a column in characters; the end of the line for one beyond it."""
    return min(column, len(line)) if line.isascii() else len(line.decode()[:column].encode())


def _with_trees(lines: Sequence[LineMatch], matches: Sequence[Match]) -> list[LineMatch]:
    """The lines with the matches that begin in them."""
    trees: dict[int, list[TreeMatch]] = {}
    for line, column, end_line, end_column, bindings in matches:
        bound = tuple((name, value) for name, value in bindings)
        tree = TreeMatch(column, end_line + 1, end_column, bound)
        trees.setdefault(line + 1, []).append(tree)
    return [replace(line, trees=tuple(trees[line.line])) for line in lines]


def _parts(items: Sequence[_Text]) -> Iterator[list[_Text]]:
    """Texts for a job each: what one of them takes delays no more than the others of its job."""
    part: list[_Text] = []
    room = _MOST_CHARACTERS
    for item in items:
        if part and room < len(item.text):
            yield part
            part, room = [], _MOST_CHARACTERS
        part.append(item)
        room -= len(item.text)
    if part:
        yield part


def _until_missing(found: Sequence[ScannedFile | None]) -> list[ScannedFile]:
    """The files before the first for which time was too short."""
    known: list[ScannedFile] = []
    for file in found:
        if file is None:
            break
        known.append(file)
    return known


class StructureEngine(ExactEngine):
    """Searches for code of the shape of a pattern; answers are those of exact search.

    A line of the answer is one where a match begins, with the place where that ends.
    """

    def __init__(self, sandbox: Sandbox, distributed: OpenDistributed | None = None) -> None:
        """Starts no process before the first search; raises `Problem` without the library."""
        super().__init__(sandbox, distributed)
        self._pool: ProcessPool = start_pool()

    def find(
        self,
        snapshot: Snapshot,
        query: ExactQuery,
        budget: Budget,
        on_file: OnFile | None = None,
    ) -> ExactAnswer:
        """The lines where matches begin; where there are none, how the pattern was understood."""
        found = super().find(snapshot, query, budget, on_file)
        if found.per_file:
            return found
        return self._explained(found, query, snapshot.paths(), budget)

    def narrow(
        self,
        snapshot: Snapshot,  # noqa: ARG002 the interface
        query: ExactQuery,  # noqa: ARG002 as above
        budget: Budget,  # noqa: ARG002 as above
    ) -> list[Sequence[int]] | None:
        """None: most files that hold the words of a pattern do not match it."""
        return None

    def _explained(
        self, found: ExactAnswer, query: ExactQuery, paths: Iterable[str], budget: Budget
    ) -> ExactAnswer:
        matcher = prepare(query, self._pool, budget)
        allowed = query.allowed
        text = matcher.describe(path for path in paths if allowed is None or allowed(path))
        if not text:
            return found
        return replace(found, warnings=(*found.warnings, AnswerWarning("understood", text)))

    def _plan(self, query: ExactQuery, budget: Budget) -> QueryPlan:
        matcher: StructureMatcher = prepare(query, self._pool, budget)

        scanner = TreeScanner(self._sandbox, matcher, query, self._pool, budget)
        return QueryPlan((), scanner.scan, matcher.groups())
