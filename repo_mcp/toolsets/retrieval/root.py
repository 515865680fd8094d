"""One root of the retrieval toolset: its sandbox and index; a search never gives a part as all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.fresh.background import BackgroundRefresh
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.languages import Languages
from repo_mcp.model import LanguageChoice, Settings
from repo_mcp.repository import RETRIEVAL, OpenIndex, Repository
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import FolderEntry, Sandbox
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery, LineMatch
from repo_mcp.settings import retrieval_roots
from repo_mcp.settings.retrieval_roots import Roots
from repo_mcp.text.globs import Glob
from repo_mcp.toolsets.retrieval.errors import Refusal

# all that a search may take: less than the shortest patience of a client
_SECONDS: Final = 50.0
# files that are read without the index before it is asked whether the index is there by now
_FILES_AT_ONCE: Final = 200
# the data of a server on that folder is no content of it; no walk comes there
_DATA_OF_SERVERS: Final = "**/.repo_mcp/**"
# a path with one of these can't be named in a call: control characters, halves of characters
_UNSPEAKABLE: Final = frozenset(map(chr, (*range(0x20), 0x7F, ord("\\"), *range(0xD800, 0xE000))))


class _Services(NamedTuple):
    """What serves a folder for as long as it is the same one."""

    folder: tuple[int, int]
    repository: Repository
    background: BackgroundRefresh
    engine: ExactEngine

    def close(self) -> None:
        """Stop what runs."""
        self.background.close()


class Root:
    """A root by its name; for any number of threads."""

    def __init__(self, name: str, roots: Roots, settings: Settings, clock: Clock) -> None:
        """Open nothing yet; `settings` say all but where."""
        self.name = name
        self._clock = clock
        data = retrieval_roots.data_folder(roots, name)
        self._settings = replace(settings, root=roots.folders[name], data_dir=data)
        self._lock = threading.Lock()
        self._services: _Services | None = None

    @property
    def most_bytes(self) -> int:
        """The size of the largest file that is read."""
        return self._settings.limits.max_file_bytes

    @property
    def sandbox(self) -> Sandbox:
        """The fence around the folder."""
        return self._now().repository.sandbox

    def entries(self, folder: str) -> list[tuple[FolderEntry, str]] | str:
        """What lies in a folder, and of each why a search would leave it out; or why of all."""
        return self._now().repository.discovery().entries(folder)

    def freshen(self) -> None:
        """Compare files and index soon, if that was not done just now; returns at once."""
        self._now().background.freshen()

    def find(self, query: ExactQuery, glob: Glob | None, budget: Budget) -> tuple[LineMatch, ...]:
        """The first matches of all files as they are; a `Refusal` where there is no time for that.

        While there is no index that has been compared with the files, they are read one by one in
        the order of their paths: that gives the same matches, only later.
        """
        services = self._now()
        query = replace(query, allowed=lambda path: is_shown(path) and _fits(glob, path))
        limit = budget.within(_SECONDS)
        found = services.repository.ask(
            lambda index: _matches(services, index, query, limit), RETRIEVAL, limit
        )
        if found.out_of_time:
            why = "nothing in the query says in which files to look"
            if services.repository.manager.state().status != "ready":
                why = "the index is being built: call again in a moment"
            raise Refusal("SEARCH_TIMEOUT", repo=self.name, reason=why)
        return found.matches

    def close(self) -> None:
        """Stop what runs."""
        with self._lock:
            if self._services is not None:
                self._services.close()
                self._services = None

    def _now(self) -> _Services:
        """What serves the folder; made anew when another one has taken its place."""
        found = retrieval_roots.fault(self.name, self._settings.root)
        if found is not None:
            raise Refusal(
                "ROOT_INVALID", repo=self.name, variable=found.variable, reason=found.reason
            )
        with self._lock:
            services = self._services
            folder = retrieval_roots.identity(self._settings.root)
            if services is not None and services.folder != folder:
                services.close()
                services = None
            if services is None:
                services = self._services = self._opened(folder)
            return services

    def _opened(self, folder: tuple[int, int]) -> _Services:
        settings = self._settings
        sandbox = Recipe.of(settings).sandbox()
        named = replace(settings, deny_globs=(*settings.deny_globs, _DATA_OF_SERVERS))
        manager = IndexManager(settings, sandbox, self._clock)
        watcher = Watcher(settings) if settings.watch else None
        background = BackgroundRefresh(manager, watcher, self._clock)
        # what opens files that a client names; the index has its own
        by_name = Recipe.of(named).sandbox()
        repository = Repository(settings, by_name, manager, background)
        return _Services(folder, repository, background, ExactEngine(sandbox))


class RetrievalServices:
    """Both roots, and the log of calls."""

    def __init__(self, roots: Roots, settings: Settings, clock: Clock) -> None:
        """Open nothing yet; what is said of files holds for both roots, but where they lie."""
        every = Languages().all_names()
        # all text is searched, by what is written in it alone
        of_roots = replace(settings, any_name=True, languages=LanguageChoice(disabled=every))
        self.roots = {name: Root(name, roots, of_roots, clock) for name in retrieval_roots.NAMES}
        self.audit = AuditLog(roots.data, Denylist(settings.deny_globs))

    def close(self) -> None:
        """Stop what runs."""
        for root in self.roots.values():
            root.close()


def _matches(
    services: _Services, index: OpenIndex, query: ExactQuery, budget: Budget
) -> ExactAnswer:
    """From the index where it knows all files, else from these, until the index does."""
    engine = services.engine
    snapshot = index.snapshot if index.knows_all else None
    if snapshot is None:
        try:
            return engine.find_in(_until_compared(services.repository, budget), query, budget)
        except _ComparedError as compared:
            snapshot = compared.snapshot
    return engine.find(snapshot, query, budget)


class _ComparedError(Exception):
    """The index can be asked from now on."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        super().__init__()


def _until_compared(repository: Repository, budget: Budget) -> Iterator[str]:
    for number, file in enumerate(repository.manager.files(budget), 1):
        yield file.path
        if number % _FILES_AT_ONCE == 0:
            index = repository.now()
            if index.knows_all and index.snapshot is not None:
                raise _ComparedError(index.snapshot)


def is_shown(path: str) -> bool:
    """Whether a path is neither hidden nor impossible to name."""
    return not path.startswith(".") and "/." not in path and _UNSPEAKABLE.isdisjoint(path)


def _fits(glob: Glob | None, path: str) -> bool:
    return glob is None or glob.matches(path)
