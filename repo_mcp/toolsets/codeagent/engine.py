"""`index_files` and `get_status`: updates single files; reports the state of the index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Final

from code_graph import Languages
from code_graph.facts import DamagedFactsError, decode_count
from code_graph.store.schema import FACTS
from index_format import FORMAT_VERSION, CorruptIndexError, LiveSegment, Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.model import AnswerWarning, IndexState
from repo_mcp.repository import OpenIndex, binary_type, collapse_path
from repo_mcp.stored import VECTORS
from repo_mcp.text.files import decode
from repo_mcp.toolsets.codeagent.declarations import MOST_PATHS
from repo_mcp.toolsets.codeagent.errors import (
    NO_TIME,
    NOT_INDEXED,
    ClientError,
    fault_of,
    fault_of_reason,
)
from repo_mcp.toolsets.codeagent.results import FileError, IndexFilesResult, IndexStatusResult
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import building_detail, progress_text, rest_text
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler, ToolServices

_NOTHING: Final = IndexState("missing", 0, 0, "")
_NOT_WATCHED: Final = AnswerWarning(
    "not_watched",
    "files are not watched; watching begins shortly after the first call, if possible",
)
# reasons for which opening the file gives a better error
_EXPLAINED_BY_OPENING: Final = frozenset(
    {"", "denied", "missing", "vanished", "large", "other", "unreadable"}
)


class IndexFiles(ToolHandler):
    """Updates single files in the index."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The number of up-to-date files, and an error for each of the others."""
        requested = list(dict.fromkeys(arguments["paths"]))
        if len(requested) > MOST_PATHS:
            raise Problem("too_many", f"{len(requested)} paths, at most {MOST_PATHS}")
        faults: dict[str, ClientError] = {}
        paths: dict[str, str] = {}
        for path in requested:
            try:
                paths[path] = self._services.repository.sandbox.normalize_path(collapse_path(path))
            except Problem as problem:
                faults[path] = fault_of(problem)
        services, budget = self._services, context.budget
        complete = self._update(list(dict.fromkeys(paths.values())), budget)

        def find_faults(index: OpenIndex) -> dict[str, ClientError | None]:
            walk, found = services.repository.discovery(), {}
            for path, below in paths.items():
                budget.check()
                found[path] = self._fault(below, index.snapshot, walk, complete=complete)
            return found

        checked = services.repository.run_without_waiting(find_faults, services.wait, budget)
        indexed = {paths[path] for path, fault in checked.items() if fault is None}
        faults.update({path: fault for path, fault in checked.items() if fault is not None})
        errors = [
            FileError(path=path, **faults[path]._asdict()) for path in requested if path in faults
        ]
        self._services.background.freshen()
        return Outcome(IndexFilesResult(indexed=len(indexed), errors=errors), shown=sorted(indexed))

    def _update(self, paths: Sequence[str], budget: Budget) -> bool:
        """Index these files; False if the time ran out."""
        services = self._services
        below_root = [path for path in paths if path]
        if not below_root:
            return True
        limit = budget.within(services.repository.settings.refresh_seconds)
        try:
            services.repository.manager.refresh_paths(below_root, limit, deep=True)
        except Problem as problem:
            state = services.repository.manager.state()
            if problem.code != "index_busy" or state.progress is None:
                raise
            code = "index_missing" if state.status == "missing" else "index_behind"
            raise Problem(code, building_detail(services.repository)) from None
        return not limit.spent

    def _fault(
        self, path: str, snapshot: Snapshot | None, walk: Discovery, *, complete: bool
    ) -> ClientError | None:
        """The reason that a file is not up to date in the index; None if it is."""
        reason = walk.reason(path) if path else "missing"
        if reason not in _EXPLAINED_BY_OPENING:
            return fault_of_reason(reason)
        try:
            content = self._services.repository.sandbox.read(path or ".", follow=False)
        except Problem as problem:
            return fault_of(problem)
        if decode(content.data) is None:
            return fault_of(Problem("binary_file", binary_type(path, content.data)))
        if reason:
            return fault_of_reason(reason)
        record = None if snapshot is None else snapshot.file(path)
        if record is not None and record.fingerprint == fingerprint(content.data):
            return None
        return NOT_INDEXED if complete else NO_TIME


class IndexStatus:
    """Reports the state of the index, without paths."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services
        self._counts = SymbolCounts(services.repository.languages)

    def __call__(self, _: Arguments, context: Context) -> Outcome:
        """The state; the first call starts the background refresh."""
        background = self._services.background
        background.freshen()
        failure = background.failure
        state, symbols, vectors = _NOTHING, SymbolTotals(0, ()), 0
        try:
            state = self._services.repository.manager.state()
            symbols = self._symbols(context.budget)
            vectors = self._count_vectors()
        except CorruptIndexError:
            failure = Problem("index_unavailable")
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            failure = problem
        embedder = self._services.repository.embedder
        result = IndexStatusResult(
            healthy=failure is None,
            schema_version=FORMAT_VERSION,
            indexed_files=state.files,
            indexed_symbols=symbols.declared,
            languages=list(symbols.languages),
            watcher_active=background.watching,
            last_batch_at=state.last_refresh,
            embedding_model="" if embedder is None else embedder.name,
            embeddings_count=vectors,
        )
        warnings = _warnings(state, failure)
        if self._services.repository.settings.watch and not background.watching:
            warnings.append(_NOT_WATCHED)
        return Outcome(result, warnings, with_notes=False)

    def _count_vectors(self) -> int:
        """The number of chunks that have a vector."""
        repository = self._services.repository
        snapshot, embedder = repository.manager.snapshot(), repository.embedder
        if snapshot is None or embedder is None:
            return 0
        return snapshot.attached_bytes(VECTORS) // embedder.width

    def _symbols(self, budget: Budget) -> SymbolTotals:
        snapshot = self._services.repository.manager.snapshot()
        return SymbolTotals(0, ()) if snapshot is None else self._counts.of(snapshot, budget)


def _warnings(state: IndexState, failure: Problem | None) -> list[AnswerWarning]:
    """Warnings on the state; a failure without its details, which might contain paths."""
    warnings = [] if failure is None else [AnswerWarning("failed", Problem(failure.code).reason)]
    if state.progress is not None:
        done, rest = progress_text(state.progress), rest_text(state.progress)
        text = f"files are being indexed: {done}; {rest}"
        warnings.append(AnswerWarning("indexing", text))
    elif state.status != "ready":
        warnings.append(AnswerWarning("incomplete", "not all files are indexed yet"))
    elif state.shallow:
        text = "the declarations of some files are not indexed yet"
        warnings.append(AnswerWarning("incomplete", text))
    return warnings


_CHECK_EVERY: Final = 500


class SymbolTotals(NamedTuple):
    """The number of declarations in live files, and the languages of these files, sorted."""

    declared: int
    languages: tuple[str, ...]


class _FileCounts(NamedTuple):
    """Declaration count and language of each file of a segment, deleted files included."""

    counts: list[int]
    languages: list[str]


class SymbolCounts:
    """Caches counts per segment while the segment is in use."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        self._known: dict[str, _FileCounts] = {}

    def of(self, snapshot: Snapshot, budget: Budget) -> SymbolTotals:
        """The counts of a snapshot."""
        known = self._known
        found = {
            segment.entry.name: known.get(segment.entry.name)
            or _count_segment(segment, self._languages, budget)
            for segment in snapshot.segments
        }
        self._known = found
        count, languages = 0, set[str]()
        for segment in snapshot.segments:
            counts, names = found[segment.entry.name]
            alive = segment.alive
            count += sum(compress(counts, alive))
            languages.update(compress(names, alive))
        return SymbolTotals(count, tuple(sorted(languages - {""})))


def _count_segment(segment: LiveSegment, languages: Languages, budget: Budget) -> _FileCounts:
    reader = segment.reader
    counts: list[int] = []
    for number in range(reader.file_count):
        if not number % _CHECK_EVERY:
            budget.check()
        counts.append(_declaration_count(reader.attachments.get(number, FACTS)))
    paths = (path.decode("utf-8", "surrogatepass") for path in reader.files.paths.all)
    return _FileCounts(counts, [languages.language_of(path) for path in paths])


def _declaration_count(data: bytes) -> int:
    try:
        return decode_count(data) if data else 0
    except DamagedFactsError:
        return 0
