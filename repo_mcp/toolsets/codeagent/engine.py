"""`index_files` and `get_status`: single files brought up to date, and how the index stands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, Final, NamedTuple

from index_format import FORMAT_VERSION, CorruptIndexError, LiveSegment, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.languages import Languages
from repo_mcp.languages.facts import DamagedFactsError, decode_count
from repo_mcp.model import AnswerWarning, IndexState
from repo_mcp.repository import binary_type, collapsed
from repo_mcp.stored import FACTS
from repo_mcp.text.files import decode, fingerprint
from repo_mcp.toolsets.codeagent.declarations import MOST_PATHS
from repo_mcp.toolsets.codeagent.errors import (
    NO_TIME,
    NOT_INDEXED,
    Fault,
    fault_of,
    fault_of_reason,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_NOTHING: Final = IndexState("missing", 0, 0, "")
_NOT_WATCHED: Final = AnswerWarning(
    "not_watched", "files are not watched: that begins a moment after the first look, if it can"
)
# what opening the file says better
_LOOKED_INTO: Final = frozenset(
    {"", "denied", "missing", "vanished", "large", "other", "extension"}
)


class IndexFiles:
    """Brings single files up to date, in the way in which all files are."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """How many of them the index holds now, and what is wrong with the others."""
        asked = list(dict.fromkeys(arguments["paths"]))
        if len(asked) > MOST_PATHS:
            raise Problem("too_many", f"{len(asked)} paths, {MOST_PATHS} at most")
        faults: dict[str, Fault] = {}
        paths: dict[str, str] = {}
        for path in asked:
            try:
                paths[path] = self._services.repository.sandbox.below(collapsed(path))
            except Problem as problem:
                faults[path] = fault_of(problem)
        complete = self._indexed(list(dict.fromkeys(paths.values())), context.budget)
        snapshot = self._services.repository.manager.snapshot()
        walk = self._services.repository.discovery()
        held: set[str] = set()
        for path, below in paths.items():
            context.budget.check()
            fault = self._fault(below, snapshot, walk, complete=complete)
            if fault is None:
                held.add(below)
            else:
                faults[path] = fault
        errors = [{"path": path, **faults[path]._asdict()} for path in asked if path in faults]
        self._services.background.freshen()
        return Outcome({"indexed": len(held), "errors": errors}, shown=sorted(held))

    def _indexed(self, paths: Sequence[str], budget: Budget) -> bool:
        """Whether there was time for all of them."""
        services = self._services
        wanted = [path for path in paths if path]
        if not wanted:
            return True
        limit = budget.within(services.repository.settings.refresh_seconds)
        try:
            services.repository.manager.refresh_paths(wanted, limit, deep=True)
        except Problem as problem:
            now = services.repository.progress if problem.code == "index_busy" else None
            if now is None:
                raise
            told = f"{now.phase} {now.files} of {now.all_files} files"
            raise Problem("index_missing", told) from None
        return not limit.spent

    def _fault(
        self, path: str, snapshot: Snapshot | None, walk: Discovery, *, complete: bool
    ) -> Fault | None:
        """What keeps a file out of the index; None where it is there as it stands."""
        reason = walk.reason(path) if path else "missing"
        if reason not in _LOOKED_INTO:
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


class Status:
    """Tells how the index stands; nothing of what it says is a path."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services
        self._counts = SymbolCounts(services.repository.languages)

    def __call__(self, _: Arguments, context: Context) -> Outcome:
        """All of it; a first look begins to follow the files."""
        background = self._services.background
        background.freshen()
        failure = background.failure
        state, symbols = _NOTHING, Symbols(0, ())
        try:
            state = self._services.repository.manager.state()
            symbols = self._symbols(context.budget)
        except CorruptIndexError:
            failure = Problem("index_unavailable")
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            failure = problem
        result: dict[str, Any] = {
            "healthy": failure is None,
            "schema_version": FORMAT_VERSION,
            "indexed_files": state.files,
            "indexed_symbols": symbols.declared,
            "languages": list(symbols.languages),
            "watcher_active": background.watching,
            "last_batch_at": state.last_refresh,
            "embedding_model": "",
            "embeddings_count": 0,
        }
        said = _said(state, failure)
        if self._services.repository.settings.watch and not background.watching:
            said.append(_NOT_WATCHED)
        return Outcome(result, said, with_notes=False)

    def _symbols(self, budget: Budget) -> Symbols:
        snapshot = self._services.repository.manager.snapshot()
        return Symbols(0, ()) if snapshot is None else self._counts.of(snapshot, budget)


def _said(state: IndexState, failure: Problem | None) -> list[AnswerWarning]:
    """What limits the index now; details of a failure might name files."""
    said = [] if failure is None else [AnswerWarning("failed", Problem(failure.code).reason)]
    now = state.progress
    if now is not None:
        text = f"files are being indexed: {now.phase}, {now.files} of {now.all_files}"
        said.append(AnswerWarning("indexing", text))
    elif state.status != "ready":
        said.append(AnswerWarning("incomplete", "the index does not hold all files yet"))
    elif state.shallow:
        text = "the declarations of some files are not known yet"
        said.append(AnswerWarning("incomplete", text))
    return said


_CHECK_EVERY: Final = 500


class Symbols(NamedTuple):
    """Declarations in live files, and the languages of these files in order of name."""

    declared: int
    languages: tuple[str, ...]


class _FileCounts(NamedTuple):
    """Of each file of a segment, dead ones too: its declarations and its language."""

    counts: list[int]
    languages: list[str]


class SymbolCounts:
    """Remembers what segments hold, for as long as they are in use."""

    def __init__(self, languages: Languages) -> None:
        """Nothing is counted yet."""
        self._languages = languages
        self._known: dict[str, _FileCounts] = {}

    def of(self, snapshot: Snapshot, budget: Budget) -> Symbols:
        """What a snapshot holds."""
        known = self._known
        found = {
            segment.entry.name: known.get(segment.entry.name)
            or _counted(segment, self._languages, budget)
            for segment in snapshot.segments
        }
        self._known = found
        count, languages = 0, set[str]()
        for segment in snapshot.segments:
            counts, names = found[segment.entry.name]
            alive = segment.alive
            count += sum(compress(counts, alive))
            languages.update(compress(names, alive))
        return Symbols(count, tuple(sorted(languages - {""})))


def _counted(segment: LiveSegment, languages: Languages, budget: Budget) -> _FileCounts:
    reader = segment.reader
    counts: list[int] = []
    for number in range(reader.file_count):
        if not number % _CHECK_EVERY:
            budget.check()
        counts.append(_count(reader.attachments.get(number, FACTS)))
    paths = (path.decode("utf-8", "surrogatepass") for path in reader.files.paths)
    return _FileCounts(counts, [languages.language_of(path) for path in paths])


def _count(data: bytes) -> int:
    try:
        return decode_count(data) if data else 0
    except DamagedFactsError:
        return 0
