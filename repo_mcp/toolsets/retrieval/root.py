"""A root of the retrieval toolset: sandbox, index, and search that is complete or fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph import Languages
from code_graph.language import LanguageChoice
from code_graph.paths.globs import GlobList
from index_format import Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget, Clock
from repo_mcp.console import log_call
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Settings
from repo_mcp.repository import RETRIEVAL_WAIT, OpenedRoot, OpenIndex, Repository, RootKeeper
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Door, FolderEntry, Sandbox
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery, LineMatch
from repo_mcp.settings import retrieval_roots
from repo_mcp.settings.retrieval_roots import Roots
from repo_mcp.toolsets.kit.index_warnings import building_detail
from repo_mcp.toolsets.retrieval.errors import RetrievalRefusal

# time limit of a search: less than the shortest timeout of any known client
_SECONDS: Final = 50.0
# files read between two checks whether the index is ready
_FILES_AT_ONCE: Final = 200
# data of a server that serves this folder itself; walks leave it out anyway
_DATA_OF_SERVERS: Final = "**/.repo_mcp/**"
# characters that calls can't pass in a path: control characters, backslash, lone surrogates
_UNNAMEABLE: Final = frozenset(map(chr, (*range(0x20), 0x7F, ord("\\"), *range(0xD800, 0xE000))))


class OpenRoot(NamedTuple):
    """A root for one call: the folder that was at its path when the call began.

    `sandbox` opens the files that clients name.
    """

    name: str
    sandbox: Sandbox
    repository: Repository
    background: BackgroundRefresh
    engine: ExactEngine

    @property
    def is_outdated(self) -> bool:
        """Never: the folders have no settings file of their own."""
        return False

    @property
    def most_bytes(self) -> int:
        """The size limit of files."""
        return self.repository.settings.limits.max_file_bytes

    def entries(self, folder: str) -> list[tuple[FolderEntry, str]] | str:
        """A folder's entries, each with the reason why search skips it, or the folder's reason."""
        return self.repository.discovery().entries(folder)

    def freshen(self) -> None:
        """Start a background refresh unless one ran just now."""
        self.background.freshen()

    def find(
        self, query: ExactQuery, glob: GlobList | None, budget: Budget
    ) -> tuple[LineMatch, ...]:
        """The first matches in the current files; raises `RetrievalRefusal` if the time runs out.

        Until the index has been compared with the files, they are read one by one in the order of
        their paths, which gives the same matches.
        """
        query = replace(query, allowed=lambda path: is_shown(path) and _glob_matches(glob, path))
        limit = budget.within(_SECONDS)
        found = self.repository.run_query(
            lambda index: _matches(self, index, query, limit), RETRIEVAL_WAIT, limit
        )
        if found.out_of_time:
            why = "the query can't be narrowed to few files"
            if self.repository.manager.state().status != "ready":
                why = f"the index is being built: {building_detail(self.repository)}"
            raise RetrievalRefusal("SEARCH_TIMEOUT", repo=self.name, reason=why)
        return tuple(found.matches)

    def close(self) -> None:
        """Stop background work."""
        self.background.close()


class Root:
    """A named root; thread-safe."""

    def __init__(self, name: str, roots: Roots, settings: Settings, clock: Clock) -> None:
        """Open nothing yet; `settings` apply except for their folders."""
        self.name = name
        self._clock = clock
        root, real = roots.folders[name], roots.real[name]
        data = retrieval_roots.data_folder(roots, name)
        self._settings = replace(settings, root=root, data_dir=data, real_root=real)
        self._keeper = RootKeeper(root, real, self._open_parts)

    def open(self) -> OpenRoot:
        """The folder that is at the root now, for one call; `RetrievalRefusal` if there is none.

        Answers have no place for warnings about the root; they go to the log.
        """
        try:
            found = self._keeper.current()
        except Problem as problem:
            raise self._refusal(problem) from None
        for warning in self._keeper.take_warnings():
            log_call(f"{self.name}: {warning.text}")
        return found

    def close(self) -> None:
        """Stop background work."""
        self._keeper.close()

    def _refusal(self, problem: Problem) -> Problem:
        """The refusal for a root that can't be opened; any other problem as it is."""
        if problem.code != "root_missing":
            return problem
        fault = retrieval_roots.check_root(self.name, self._settings.real_root)
        variable, reason = retrieval_roots.variable_of(self.name), "not_found"
        return RetrievalRefusal(
            "ROOT_INVALID",
            repo=self.name,
            variable=variable,
            reason=reason if fault is None else fault.reason,
        )

    def _open_parts(self, door: Door) -> OpenRoot:
        settings = self._settings
        sandbox = Recipe.of(settings).sandbox(door)
        strict = replace(settings, deny_globs=(*settings.deny_globs, _DATA_OF_SERVERS))
        manager = IndexManager(settings, sandbox, self._clock)
        # the sandbox for files that clients name; the index has its own
        named_files = Recipe.of(strict).sandbox(door)
        root = OpenedRoot.of(settings, named_files, manager, clock=self._clock)
        engine = ExactEngine(sandbox)
        return OpenRoot(self.name, root.sandbox, root.repository, root.background, engine)


class RetrievalServices:
    """Both roots, and the audit log."""

    def __init__(self, roots: Roots, settings: Settings, clock: Clock) -> None:
        """Open nothing yet; `settings` apply to both roots except for their folders."""
        every = Languages().all_names()
        # declarations are not needed
        of_roots = replace(settings, languages=LanguageChoice(disabled=every))
        self.roots = {name: Root(name, roots, of_roots, clock) for name in retrieval_roots.NAMES}
        self.audit = AuditLog(roots.data, Denylist(settings.deny_globs))

    def close(self) -> None:
        """Stop background work."""
        for root in self.roots.values():
            root.close()


def _matches(root: OpenRoot, index: OpenIndex, query: ExactQuery, budget: Budget) -> ExactAnswer:
    """Search the index if it covers all files, else the files themselves until it does."""
    engine = root.engine
    snapshot = index.snapshot if index.is_current else None
    if snapshot is None:
        try:
            return engine.find_in(_until_compared(root.repository, budget), query, budget)
        except _ComparedError as compared:
            snapshot = compared.snapshot
    return engine.find(snapshot, query, budget)


class _ComparedError(Exception):
    """The index is ready to be searched."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        super().__init__()


def _until_compared(repository: Repository, budget: Budget) -> Iterator[str]:
    for number, file in enumerate(repository.manager.discovery().files(budget), 1):
        yield file.path
        if number % _FILES_AT_ONCE == 0:
            index = repository.current_index()
            if index.is_current and index.snapshot is not None:
                raise _ComparedError(index.snapshot)


def is_shown(path: str) -> bool:
    """True if a path is not hidden and can be passed in a call."""
    return not path.startswith(".") and "/." not in path and _UNNAMEABLE.isdisjoint(path)


def _glob_matches(glob: GlobList | None, path: str) -> bool:
    return glob is None or glob.matches(path)
