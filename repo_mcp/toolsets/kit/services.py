"""Services that tool handlers use, and the size limits of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp import history, search
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.model import AnswerWarning, DeclaredPlace, QuestionFiles, RequestLimits
from repo_mcp.place.place import Place
from repo_mcp.repository import (
    OpenIndex,
    Repository,
    WaitPolicy,
    tool_wait_policy,
)
from repo_mcp.safety.denylist import Denylist
from repo_mcp.search import RankedEngine
from repo_mcp.toolsets.kit.answers import BOTH, Outcome
from repo_mcp.toolsets.kit.envelope import size_around

if TYPE_CHECKING:  # few servers have a cluster, and few questions parse
    from repo_mcp.answers.history import CommitEntry
    from repo_mcp.ask import Rider
    from repo_mcp.history import Histories
    from repo_mcp.indexing.keep.manager import Indexes
    from repo_mcp.indexing.workers.on_demand import ParsedNow
    from repo_mcp.remote import Replica
    from repo_mcp.repository import NamedLines, OpenGraph, OutdatedFiles
    from repo_mcp.repository.outside import FindOutside, PlacesOutside
    from repo_mcp.search import OpenDistributed, PastChanges, PastVotes

T = TypeVar("T")


def _discard(*_: object) -> None:
    """Do nothing: the default of callbacks that a client did not ask for."""


class Context(NamedTuple):
    """One call: its budget, id and callbacks to the client."""

    budget: Budget
    request_id: str = ""
    # reports progress: done, total (0 if unknown), and what is counted
    progress: Callable[[int, int, str], None] = _discard
    # asks the client's model: prompt and maximum tokens; None if there is no answer
    sample: Callable[[str, int], str | None] = _discard
    # true if the call is a task, for whose answer the client waits as long as it takes
    is_task: bool = False
    # the name of the token that the client has shown, where there are several
    token: str = ""
    place: Place = Place()


def context_of(cancelled: Callable[[], bool], clock: Clock) -> Context:
    """The context of a call that nobody watches."""
    return Context(Budget(None, cancelled, clock))


# default size of an answer: all tested clients show an answer of fewer characters whole
_PAGE: Final = 9_900
# answers are no smaller: half of the room goes to what stands around the result
LEAST_PAGE: Final = 2_000
# reserved for a cursor and for warnings that are added last
_RESERVED: Final = 600
# files that are parsed for a question while the index has no declarations, and seconds for it
_MOST_PARSED: Final = 48
_PARSING_SECONDS: Final = 1.5

Arguments = Mapping[str, Any]
Handler = Callable[[Arguments, Context], Outcome]


class Past:
    """The histories of the roots of an index, which are opened when they are first asked."""

    def __init__(self, manager: Indexes) -> None:
        """Open nothing yet."""
        self._manager = manager

    @cached_property
    def histories(self) -> history.Histories:
        """The histories."""
        return history.Histories(self._manager.parts)

    @property
    def is_indexed(self) -> bool:
        """True if commits of any root are indexed."""
        return any(manager.has_history for manager in self._manager.parts.values())

    def keep_up(self, root: str, budget: Budget) -> None:
        """Index the last commits of a root, for searches."""
        self.histories.roots[root].keep_up(budget)

    @cached_property
    def changes(self) -> PastChanges:
        """Changes of commits; reads nothing before it is asked."""
        return LatePast(self)

    def close(self) -> None:
        """Stop indexing commits."""
        if "histories" in vars(self):
            self.histories.close()


class LatePast:
    """Changes of commits, from an index of them that is there already."""

    def __init__(self, past: Past) -> None:
        """Open nothing yet."""
        self._past = past

    def votes(self, words: Mapping[str, float], worth: Mapping[str, float]) -> PastVotes | None:
        """The votes for files; None where no commits are indexed: searches start no indexing."""
        return self._past.histories.past.votes(words, worth) if self._past.is_indexed else None


class ToolServices(Record):
    """The services that tool handlers of one repository use."""

    repository: Repository
    background: BackgroundRefresh
    engine: RankedEngine
    audit: AuditLog
    # the wait of calls for the index
    wait: WaitPolicy
    # form of answers: text, structured or both
    content: str = BOTH
    # gives searches a snapshot that workers of a cluster read
    distributed: OpenDistributed | None = None
    # finds declarations in installed packages
    outside: FindOutside | None = None
    # opens the histories of the roots
    past: Past | None = None
    # follows what is published, of a root that is served without a checkout
    replica: Replica | None = None

    @classmethod
    def of(
        cls,
        repository: Repository,
        background: BackgroundRefresh,
        content: str = BOTH,
        distributed: OpenDistributed | None = None,
        audit: AuditLog | None = None,
        outside: FindOutside | None = None,
    ) -> ToolServices:
        """The default services; the audit log is in the repository's data folder by default."""
        settings = repository.settings
        return cls(
            repository,
            background,
            RankedEngine(
                repository.sandbox,
                repository.languages,
                embedder=repository.embedder,
                by_meaning=settings.ranks_by_meaning,
                distributed=distributed,
                encoded=search.EncodedFunctions.of(settings, repository.manager)
                if settings.function_encoder
                else None,
            ),
            audit
            or AuditLog(
                repository.sandbox.own_path(settings.audit_dir or settings.data_dir),
                Denylist(settings.deny_globs, settings.entries),
                root=repository.sandbox.anchor,
            ),
            tool_wait_policy(settings),
            content,
            distributed,
            outside,
            Past(repository.manager),
        )

    @property
    def histories(self) -> Histories:
        """The histories of the roots."""
        past = self.past or Past(self.repository.manager)
        return past.histories

    @property
    def past_changes(self) -> PastChanges | None:
        """Changes of commits, for searches; None where the history is left out."""
        if self.past is None or not self.repository.settings.history_commits:
            return None
        return self.past.changes

    def places_outside(self, budget: Budget) -> PlacesOutside | None:
        """Finds declarations in installed packages within a budget; None where none are asked."""
        find = self.outside
        return None if find is None else lambda graph, edges: find(graph, edges, budget)

    def lines_with_names(self, budget: Budget) -> NamedLines:
        """The lines with the names of a question."""
        from repo_mcp.repository import NamedLines  # noqa: PLC0415 ranked answers find no lines

        engine = search.ExactEngine(self.repository.sandbox, self.distributed)
        return NamedLines(engine, self.repository, budget)

    def files_about(
        self,
        names: Sequence[str],
        lines: NamedLines,
        index: OpenIndex,
        budget: Budget,
        *,
        is_direct: bool = True,
        has_types: bool = True,
    ) -> QuestionFiles:
        """The files that a question about these names is about, as `NamedFiles` finds them."""
        from repo_mcp.repository import NamedFiles  # noqa: PLC0415 as above

        named = NamedFiles(self.engine, lines)
        return named.find(names, index, budget, is_direct=is_direct, has_types=has_types)

    def with_package_globs(
        self, arguments: Arguments, name: str, snapshot: Snapshot | None
    ) -> Arguments:
        """The arguments with the files of packages in place of their names in globs."""
        glob = arguments[name]
        if not glob or "package:" not in glob or snapshot is None:
            return arguments
        from repo_mcp.search import with_packages  # noqa: PLC0415 few name one

        return {**arguments, name: with_packages(glob, self.engine.packages(snapshot))}

    def ask_graph(
        self,
        names: Sequence[str],
        ask: Callable[[OpenGraph, OpenIndex], T],
        outdated: Callable[[T], OutdatedFiles],
        budget: Budget,
    ) -> tuple[T, OpenGraph, OpenIndex]:
        """The answer of the graph, for which files about these names are linked if it lacks any."""
        lines = self.lines_with_names(budget)
        return self.repository.run_graph_query(
            ask,
            outdated,
            self.wait,
            budget,
            lambda _, index: self.files_about(names, lines, index, budget),
        )

    def parse_lacking(
        self, paths: Iterable[str], index: OpenIndex, budget: Budget
    ) -> Mapping[str, ParsedNow]:
        """Facts of files, as they are now, of which an index that is being built has none yet."""
        if index.gap is None:
            return {}
        snapshot, has_code = index.snapshot, self.repository.languages.has_code
        lacking = [
            path
            for path in dict.fromkeys(paths)
            if has_code(path) and not (snapshot and snapshot.attachment(path, FACTS))
        ]
        if not lacking:
            return {}
        return self.repository.manager.on_demand.parse(
            lacking[:_MOST_PARSED], _PARSING_SECONDS, budget
        )

    def riders(
        self, places: Iterable[DeclaredPlace | None], snapshot: Snapshot | None
    ) -> Sequence[Rider | None]:
        """The counts that the graph has of declarations in a snapshot; none until it is linked.

        It waits for nothing, and asks for no place where there is no graph.
        """
        if snapshot is None:
            return ()
        opened = self.repository.current_graph(snapshot)
        if opened.graph is None or not opened.current:
            return ()
        from repo_mcp.ask import find_riders  # noqa: PLC0415 not before a graph is linked

        return find_riders(self.repository, opened.graph, places)

    def last_change(
        self, path: str, lines: tuple[int, int], budget: Budget, walked: int | None = None
    ) -> CommitEntry | None:
        """The last commit that has changed lines of a file, if the history is indexed."""
        if not self.repository.settings.history_commits:
            return None
        return history.last_change(self.histories, path, lines, budget, walked)

    @property
    def limits(self) -> RequestLimits:
        """Limits in force."""
        return self.repository.settings.limits

    @property
    def notes(self) -> list[AnswerWarning]:
        """Warnings about the settings, added to every answer."""
        return [AnswerWarning("settings", text) for text in self.repository.settings.notes]

    @property
    def background_notes(self) -> list[AnswerWarning]:
        """Warnings of the background refresh: why files are not watched, and the last failure."""
        return [AnswerWarning("background", text) for text in self.background.notes]

    def page_size(
        self, requested: int | None, warnings: list[AnswerWarning], default: int = _PAGE
    ) -> int:
        """The allowed size of an answer; adds a warning if the requested one is too large."""
        most = self.limits.max_total_bytes_per_response
        if requested is None:
            return min(default, most)
        return self.clamp("max_chars", max(requested, min(LEAST_PAGE, most)), most, warnings)

    def room(self, page: int, result: AnswerRecord, warnings: Iterable[AnswerWarning]) -> int:
        """The size left on a page for what the result does not contain yet."""
        return page - size_around(result, [*self.notes, *warnings]) - _RESERVED

    @staticmethod
    def clamp(name: str, value: int, most: int, warnings: list[AnswerWarning]) -> int:
        """The value, or the maximum with a warning."""
        if value > most:
            text = f"{name} is limited to {most}, {value} was requested"
            warnings.append(AnswerWarning("limited", text))
        return min(value, most)


class ToolHandler:
    """A tool of this process: it answers calls from the parts that tools work with."""

    def __init__(self, services: ToolServices) -> None:
        """Keep the parts; nothing is opened."""
        self._services = services
