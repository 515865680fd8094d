"""One open repository: runs queries on its index; waits for, rebuilds and updates it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from code_graph import Languages
from code_graph.store.schema import GraphProgress
from index_format import CorruptIndexError, Snapshot
from index_format.records import replace
from repo_mcp import git
from repo_mcp.budget import Budget, PatientBudget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.indexing.keep.text_index import DAMAGED
from repo_mcp.indexing.walk.walk import Discovery
from repo_mcp.model import AnswerWarning, Progress, QuestionFiles, Settings
from repo_mcp.repository.open_index import SPARSE, OnDemandFiles, OpenGraph, OpenIndex, WaitPolicy
from repo_mcp.safety.sandbox import Sandbox

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot
    from repo_mcp.builds.line_states import LineStates
    from repo_mcp.git import SparseCheckout
    from repo_mcp.indexing.keep.keeper import LinkedGraph
    from repo_mcp.repository.reading import FileContent
    from repo_mcp.repository.source_files import OutdatedFiles
    from repo_mcp.vectors.embedder import Embedder

T = TypeVar("T")
# a build that has just begun, or is about to, tells within so many seconds how long it takes
_UNSURE: Final = 3.0
# the first files of a link tell less than their number: workers start, and what is shared is linked
_EARLY: Final = 5.0
_FEW_FILES: Final = 1_000
# so long an index or graph is waited for that is only behind, or will not be there in time
_BEHIND: Final = 1.0
# the graph of so many files is not linked while a question waits
MANY_FILES: Final = 4_096

# the files that a question to the graph is about, the likeliest first
FilesAbout = Callable[[OpenGraph, OpenIndex], QuestionFiles]


def _nothing(_: OpenGraph, __: OpenIndex) -> QuestionFiles:
    return QuestionFiles(())


class Refresher(Protocol):
    """Brings the index up to date, in the background or in the foreground."""

    @property
    def has_walked(self) -> bool:
        """True if files and index have been compared since this process started."""
        ...

    @property
    def failure(self) -> Problem | None:
        """The reason that the last refresh failed, if it did."""
        ...

    def wait_until_ready(self, budget: Budget) -> None:
        """Wait until all words can be searched, no longer than the budget lasts."""
        ...

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Have these files indexed before all others, and wait for that."""
        ...

    def rebuild(self, budget: Budget, file: str = "") -> None:
        """Rebuild a damaged index: of several that which has this file."""
        ...

    def freshen(self) -> None:
        """Queue a comparison of files and index if the last one is too old; doesn't wait."""
        ...

    def catch_up(self, budget: Budget) -> bool:
        """Bring the index to the files as they are now; False if there is no time for that."""
        ...

    def wait_until_linked(self, budget: Budget) -> bool:
        """Wait until the graph follows the text; False if the budget is spent before."""
        ...

    def relink(self) -> None:
        """Let the graph follow the text again; doesn't wait."""
        ...


class LeftOutFiles:
    """The tracked files of the roots that are not checked out."""

    def __init__(self, settings: Settings, manager: Indexes) -> None:
        """Read nothing yet; a revision has all files of its commit."""
        self._roots = checked_out(settings, manager)
        self._checkouts: dict[str, SparseCheckout] = {}

    def warnings(self) -> tuple[AnswerWarning, ...]:
        """A warning for each root that has not all files."""
        return tuple(
            AnswerWarning(
                SPARSE,
                f"{f'{name}: ' if name else ''}{left_out} not checked out (sparse checkout), and"
                " so not searched: rev:HEAD has all",
            )
            for name, root in self._roots.items()
            if git.may_be_sparse(root)
            and (left_out := self._checkout(name, root).left_out()) is not None
        )

    def _checkout(self, name: str, root: str) -> SparseCheckout:
        if name not in self._checkouts:
            history = git.GitHistory(root)
            self._checkouts[name] = git.SparseCheckout(history.own, history.common)
        return self._checkouts[name]


def checked_out(settings: Settings, manager: Indexes) -> Mapping[str, str]:
    """The folders of roots by what their paths begin with; a revision has none."""
    return {} if settings.commit else {name: it.root for name, it in manager.parts.items()}


class Repository:
    """Settings, sandbox and index of one root; thread-safe.

    `sandbox` opens the files that clients name.
    """

    def __init__(
        self, settings: Settings, sandbox: Sandbox, manager: Indexes, refresher: Refresher
    ) -> None:
        self.settings = settings
        self.sandbox = sandbox
        self.manager = manager
        self._refresher = refresher
        self._graph: GraphSnapshot | None = None
        self._left_out = LeftOutFiles(settings, manager)

    def line_states(self, names: Sequence[str] = ()) -> LineStates:
        """The conditions of lines, and their states in builds of these names, or in those here."""
        return self._line_states(names)

    @cached_property
    def _line_states(self) -> Callable[[Sequence[str]], LineStates]:
        from repo_mcp.builds.line_states import states_in  # noqa: PLC0415 few answers have such lines

        roots = checked_out(self.settings, self.manager)
        return states_in(self.sandbox, roots, self.languages.language_of)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the index's vectors, if it has any."""
        from repo_mcp.vectors.choice import choose_embedder  # noqa: PLC0415 words rank without

        return choose_embedder(self.settings.embedding_model)

    def run_query(self, answer: Callable[[OpenIndex], T], wait: WaitPolicy, budget: Budget) -> T:
        """Call `answer` with the index; if that is damaged, rebuild it and call again."""
        index = self.open(wait, budget)
        try:
            return self._rebuild_if_damaged(answer, index, wait, budget)
        finally:  # after the answer, which it would slow down
            self._refresher.freshen()

    def freshen(self) -> None:
        """Have the index brought up to date in the background."""
        self._refresher.freshen()

    def run_without_waiting(
        self, answer: Callable[[OpenIndex], T], wait: WaitPolicy, budget: Budget
    ) -> T:
        """As `run_query`, with the index as it is now, and without a refresh afterwards."""
        return self._rebuild_if_damaged(answer, self.current_index(), wait, budget)

    def _rebuild_if_damaged(
        self, answer: Callable[[OpenIndex], T], index: OpenIndex, wait: WaitPolicy, budget: Budget
    ) -> T:
        notice = self.manager.take_notice()
        if notice is not None:
            index = replace(index, warnings=(*index.warnings, notice))
        try:
            return answer(index)
        except CorruptIndexError as error:
            limit = budget if wait.rebuild is None else budget.within(wait.rebuild)
            self._refresher.rebuild(limit, error.file)
            warnings = (*index.warnings, self.manager.take_notice() or DAMAGED)
            return answer(
                replace(self.current_index(), build_failed=index.build_failed, warnings=warnings)
            )

    def run_fresh_query(
        self,
        find: Callable[[OpenIndex], T],
        stale: Callable[[T], Iterable[str]],
        index: OpenIndex,
        wait: WaitPolicy,
        budget: Budget,
    ) -> tuple[T, OpenIndex]:
        """Run `find`; if it found `stale` files, reindex them and run it again.

        Returns the result, and the index that gave it.
        """
        found = find(index)
        changed = sorted(set(stale(found)))
        if not changed:
            return found, index
        problem = self.update(changed, wait, budget)
        if problem is not None:
            text = f"changed files could not be reindexed: {problem.reason}"
            warning = AnswerWarning("not_updated", text)
            return found, replace(index, warnings=(*index.warnings, warning))
        again = self.current_index()
        if index.complete and not again.complete:  # it was damaged, and rebuilt from these files
            again = self.wait_for_index(wait, budget.within(wait.first))
        again = replace(again, updated=True, warnings=index.warnings)
        return find(again), again

    def run_current_query(
        self,
        find: Callable[[OpenIndex], T],
        stale: Callable[[T], Iterable[str]],
        lacks: Callable[[T], bool],
        index: OpenIndex,
        wait: WaitPolicy,
        budget: Budget,
    ) -> tuple[T, OpenIndex]:
        """The same; what `lacks` something is asked again of the files as they are now.

        The index that is returned is not `compared` if that takes too long.
        """
        found, index = self.run_fresh_query(find, stale, index, wait, budget)
        if not (lacks(found) and index.complete):
            return found, index
        current = self.follow_files(index, wait, budget)
        return (find(current) if current.generation != index.generation else found), current

    def open(self, wait: WaitPolicy, budget: Budget) -> OpenIndex:
        """The index, after waiting for it if it is not good enough.

        Looks at the disk once if there is nothing to wait for, the usual case.
        """
        index = self.current_index()
        seconds = wait.seconds(index)
        if seconds is None:
            return index
        least = min(seconds, _BEHIND)
        limit = PatientBudget(
            budget, self._seconds_until_indexed, least=least, unsure=wait.unsure, most=seconds
        )
        return self.wait_for_index(wait, limit)

    def current_index(self) -> OpenIndex:
        """The index, without waiting."""
        # read before the snapshot: a comparison that ends in between may be of a newer generation
        compared, failure = self._refresher.has_walked, self._refresher.failure
        return OpenIndex(
            self.manager.snapshot(), compared, failure, warnings=self._left_out.warnings()
        )

    def wait_for_index(self, wait: WaitPolicy, budget: Budget) -> OpenIndex:
        """The index once it has all words, or its state when the budget is spent."""
        try:
            self._refresher.wait_until_ready(budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            index = replace(self.current_index(), build_failed=True)
            busy = problem.code == "index_busy" and index.snapshot is not None
            if wait.needs_index and not busy:
                raise
            return index
        return self.current_index()

    def unindexed_files(
        self, snapshot: Snapshot | None, budget: Budget, folder: str = ""
    ) -> Iterator[str]:
        """The files that a snapshot has not; of a `folder`, those below it."""
        known = frozenset(snapshot.paths() if snapshot else ())
        pending = self.manager.pending_files(budget, folder)
        return (path for path in pending if path not in known)

    def follow_files(
        self, index: OpenIndex, wait: WaitPolicy, budget: Budget, *, walks: bool = True
    ) -> OpenIndex:
        """The index with the files as they are now; not `compared` if that takes too long.

        A walk that may take long is only made for an answer that needs it, which `walks`.
        """
        limit = PatientBudget(
            budget,
            self._seconds_until_indexed,
            least=min(wait.first, _BEHIND),
            unsure=_UNSURE,
            most=max(wait.first, wait.linked),
        )
        compared, failed = self._refresher.catch_up(limit), False
        if walks and not compared and not limit.spent:
            failed = self.wait_for_index(wait, limit).build_failed
            compared = not (failed or limit.spent)
        return replace(
            self.current_index(), compared=compared, build_failed=failed, warnings=index.warnings
        )

    def index_first(self, paths: Sequence[str], index: OpenIndex, budget: Budget) -> OpenIndex:
        """The index once it has these files, or as it is when the budget is spent."""
        if not paths or index.build_failed:
            return index
        self._refresher.index_first(paths, budget)
        return replace(self.current_index(), warnings=index.warnings)

    def run_graph_query(
        self,
        ask: Callable[[OpenGraph, OpenIndex], T],
        outdated: Callable[[T], OutdatedFiles],
        wait: WaitPolicy,
        budget: Budget,
        about: FilesAbout = _nothing,
    ) -> tuple[T, OpenGraph, OpenIndex]:
        """Call `ask` with the graph, and again after files of its answer were found `outdated`.

        The graph follows the files first, as far as there is time. If a call meets damage in it,
        it is linked again. Where there is no whole graph, files that the question is `about` are
        linked for it, the likeliest of them first. An `ask` that misses what is not read yet raises
        `index_behind`, and is called again once that is read, or the wait for it is over. Returns
        the answer, and the graph and the index that gave it; the graph is not current if files of
        the answer still are outdated.
        """
        try:
            return self._ask_graph(ask, outdated, wait, budget, about)
        except Problem as problem:
            if problem.code != "index_behind":
                raise
        compared = self.follow_files(self.current_index(), wait, budget).compared
        again = replace(wait, first=min(wait.first, _BEHIND), linked=0.0)
        return self._ask_graph(ask, outdated, again, budget, about, compared=compared)

    def _ask_graph(
        self,
        ask: Callable[[OpenGraph, OpenIndex], T],
        outdated: Callable[[T], OutdatedFiles],
        wait: WaitPolicy,
        budget: Budget,
        about: FilesAbout,
        *,
        compared: bool = False,
    ) -> tuple[T, OpenGraph, OpenIndex]:
        """The same, once; `compared` says that files and index were compared just before."""
        first = self.current_index()
        if about is not _nothing and self._is_large(first) and not self._has_whole_graph():
            self.manager.on_demand.expect(first.snapshot)
        limit = self._graph_budget(wait, budget, first)
        followed: OpenGraph | None = self.open_graph(limit)
        # the index as it is once it follows the files: that of before has their old text
        current = self.current_index()
        if not current.complete and (current.snapshot is None or not self._is_large(current)):
            current, followed = self.open(wait, budget), None

        def find(index: OpenIndex) -> tuple[T, OpenGraph]:
            nonlocal followed
            opened, followed = followed or self.open_graph(limit), None
            opened = replace(opened, compared=opened.compared or compared)
            opened = self._link_on_demand(opened, index, about, wait.on_demand, budget)
            try:
                return ask(opened, index), opened
            except CorruptIndexError:
                self.relink_damaged_graph()
                opened = self.open_graph(limit)
                return ask(opened, index), opened

        (answer, opened), index = self.run_fresh_query(
            find, lambda found: outdated(found[0]).paths, current, wait, budget
        )
        if outdated(answer):
            opened = replace(opened, compared=False)
        return answer, opened, index

    def _link_on_demand(
        self,
        opened: OpenGraph,
        index: OpenIndex,
        about: FilesAbout,
        seconds: float,
        budget: Budget,
    ) -> OpenGraph:
        """A graph of the files that a question is about, where that of all files is not there."""
        if opened.graph is not None and opened.graph.progress.complete:
            return opened
        asked = about(opened, index)
        if not asked.paths:
            return opened
        from code_graph.query.snapshot import GraphSnapshot  # noqa: PLC0415 most servers have no graph

        if index.snapshot is None:
            return opened
        made = self.manager.on_demand.link(index.snapshot, asked, seconds, budget)
        if made is None:
            return opened
        code = sum(map(self.manager.languages.is_lowered, asked.paths))
        coverage = OnDemandFiles(made.linked, code, asked.has_all)
        return replace(
            opened, graph=GraphSnapshot(made.snapshot), follows=False, on_demand=coverage
        )

    def _graph_budget(self, wait: WaitPolicy, budget: Budget, index: OpenIndex) -> Budget:
        """The wait for the graph: longer where there is none, or a part, so far."""
        if not wait.linked:
            return budget.within(wait.first)
        least = min(wait.first, _BEHIND)
        if self._is_large(index):
            # what takes longer is not waited for at all
            return PatientBudget(
                budget, self._seconds_until_indexed, least=0.0, unsure=0.0, most=least
            )
        if self._has_whole_graph():
            return budget.within(least)
        return PatientBudget(
            budget,
            self._seconds_until_linked,
            least=least,
            unsure=least,
            most=max(least, wait.linked),
        )

    def _has_whole_graph(self) -> bool:
        """True if there is a graph of all files, be it of an earlier text."""
        found = self.manager.graph().snapshot
        return found is not None and GraphProgress.of(found).complete

    def _is_large(self, index: OpenIndex) -> bool:
        """True for a tree whose graph is not linked while a question waits."""
        running = self.progress
        files = 0 if index.snapshot is None else index.snapshot.file_count
        return max(files, 0 if running is None else running.all_files) > MANY_FILES

    def _seconds_until_indexed(self) -> float | None:
        """Seconds that the running refresh takes; None if nothing tells."""
        running = self.progress  # read once: it ends in another thread
        return None if running is None else running.seconds_left

    def _seconds_until_linked(self) -> float | None:
        """Seconds that the running link, or the refresh before it, takes; None if nothing tells."""
        running = self.manager.link_progress or self.progress
        if running is None:
            return None
        is_early = running.seconds < _EARLY and running.all_files <= _FEW_FILES
        return 0.0 if is_early else running.seconds_left

    def open_graph(self, budget: Budget) -> OpenGraph:
        """The graph, brought to the files as they are now as far as the budget lasts."""
        compared = self._refresher.catch_up(budget)
        self._refresher.wait_until_linked(budget)
        return self._opened(self.manager.graph(), compared=compared)

    def follow_graph(self, wait: WaitPolicy, budget: Budget) -> OpenGraph:
        """The graph as it is, once it follows the text where a question waits for that."""
        index = self.current_index()
        if not (self.manager.graph().current or self._is_large(index)) and index.complete:
            self._refresher.wait_until_linked(self._graph_budget(wait, budget, index))
        return self.current_graph()

    def current_graph(self, text: Snapshot | None = None) -> OpenGraph:
        """The graph as it is, without waiting; current if it is of a text, or of that of now."""
        return self._opened(self.manager.graph(text), compared=True)

    def _opened(self, found: LinkedGraph, *, compared: bool) -> OpenGraph:
        linked, notice = self.manager.link_progress, found.notice
        if found.snapshot is None:
            return OpenGraph(None, follows=False, linked=linked, notice=notice)
        if notice is not None and found.current:  # said once, when it is true
            self.manager.graph_index.take_notice()
        imported = self.manager.imported()
        return OpenGraph(
            self._graph_of(found.snapshot),
            follows=found.current,
            linked=linked,
            compared=compared,
            imported=imported,
            notice=notice,
        )

    def _graph_of(self, linked: Snapshot) -> GraphSnapshot:
        from code_graph.query.snapshot import GraphSnapshot  # noqa: PLC0415 most servers have no graph

        opened = self._graph
        if opened is None or opened.snapshot is not linked:
            opened = self._graph = GraphSnapshot(linked)
        return opened

    def whole_graph(self) -> GraphSnapshot | None:
        """The graph of all files, be it of an earlier text; for what shows no notices."""
        linked = self.manager.graph().snapshot
        return self._graph_of(linked) if linked and GraphProgress.of(linked).complete else None

    def relink_damaged_graph(self) -> None:
        """Have the graph linked again, after a query has met damage in it; doesn't wait."""
        self._graph = None
        self.manager.graph_index.report_damage()
        self._refresher.relink()

    def update(self, paths: Iterable[str], wait: WaitPolicy, budget: Budget) -> Problem | None:
        """Reindex these files; returns the `Problem` if that fails."""
        manager = self.manager
        locked = wait.lock is not None and not manager.is_free(wait.lock)
        if locked or manager.state().elsewhere:
            return Problem("index_busy")
        try:
            manager.refresh_paths(sorted(set(paths)), budget.within(wait.update), deep=True)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return problem
        return None

    def read(self, path: str, budget: Budget) -> FileContent:
        """Read a file; if it is missing, the `Problem` names similar paths."""
        from repo_mcp.repository.reading import read, with_near_paths  # noqa: PLC0415 searches don't

        try:
            return read(self.sandbox, path)
        except Problem as problem:
            if problem.code != "not_found":
                raise
            raise with_near_paths(problem, path, self.manager.snapshot(), budget) from None

    @property
    def data_dir(self) -> str:
        """A path to the data folder, in the open root if it is below the root."""
        return self.sandbox.own_path(self.settings.data_dir)

    @property
    def languages(self) -> Languages:
        """The languages chosen by the repository's settings."""
        return self.manager.languages

    @property
    def progress(self) -> Progress | None:
        """Progress of the running refresh, or None."""
        return self.manager.state().progress

    def discovery(self) -> Discovery:
        """A walk with the index's selection, for the reasons why paths are not indexed."""
        return self.manager.discovery(self.sandbox)
