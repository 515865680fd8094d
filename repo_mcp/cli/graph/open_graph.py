"""The graph for a command: linked in the foreground, and compared with the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

from index_format import CorruptIndexError, IndexFormatError
from repo_mcp.cli.search.index import ForegroundRefresh
from repo_mcp.errors import Problem
from repo_mcp.graph.index.records import DamagedGraphError
from repo_mcp.graph.query.snapshot import GraphSnapshot
from repo_mcp.repository import COMMAND_WAIT, OpenGraph, OpenIndex, Repository
from repo_mcp.repository.services import Services
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import IndexProgress
from repo_mcp.text.files import decode, fingerprint, lines

# with more files only those of the answer are compared, as for a tool's call
_COMPARED_FILES: Final = 10_000
_BEHIND: Final = (
    "symbols are still being linked, by this or another process: the answer may lack some, and"
    " edges of others"
)

T = TypeVar("T")


class CommandGraph:
    """One repository's graph, for one command."""

    def __init__(self, services: Services, *, refresh: bool) -> None:
        """Bring the index up to date, as far as that is not left to the files of the answer."""
        self.root = services.settings.root
        self._manager = services.manager
        self._budget = services.budget
        self._refresher = ForegroundRefresh(services.manager)
        self._repository = Repository(
            services.settings, services.sandbox, services.manager, self._refresher
        )
        self._opened = OpenGraph(None, current=False, linked=None)
        self._index = OpenIndex(None, compared=False)
        self._has_changed = False
        self._prepare(refresh=refresh)

    def _prepare(self, *, refresh: bool) -> None:
        text = self._manager.snapshot()
        if text is None or refresh or not IndexProgress.of(text).deep:
            self._refresher.wait_until_ready(self._budget)
        elif text.file_count <= _COMPARED_FILES:
            self._has_changed = self._refresher.compare(self._budget)

    @property
    def generation(self) -> int:
        """The generation of the graph that answered."""
        graph = self._opened.graph
        return 0 if graph is None else graph.snapshot.generation

    @property
    def text_generation(self) -> int:
        """The generation of the text index that it is linked from."""
        graph = self._opened.graph
        return 0 if graph is None else graph.progress.text

    @property
    def complete(self) -> bool:
        """Whether all files were linked, from their text as it was indexed last."""
        return self._opened.current and self._index.complete

    @property
    def warnings(self) -> list[str]:
        """Warnings about a stale or incomplete graph."""
        texts = [warning.text for warning in self._index.warnings]
        return texts if self._opened.current else [*texts, _BEHIND]

    def answer(
        self,
        ask: Callable[[OpenGraph, OpenIndex], T],
        outdated: Callable[[T], Iterable[str]],
    ) -> T:
        """The answer; asks again after an update if files in the answer have changed."""
        repository, budget = self._repository, self._budget

        def find(index: OpenIndex) -> T:
            return self._ask(ask, index)

        answer, self._index = repository.run_query(
            lambda index: repository.run_fresh_query(find, outdated, index, COMMAND_WAIT, budget),
            COMMAND_WAIT,
            budget,
        )
        return answer

    def _ask(self, ask: Callable[[OpenGraph, OpenIndex], T], index: OpenIndex) -> T:
        self._opened = self._repository.open_graph(COMMAND_WAIT, self._budget)
        try:
            return ask(self._opened, index)
        except (CorruptIndexError, DamagedGraphError, IndexFormatError) as error:
            raise Problem("index_unavailable", str(error)) from error

    def tidy(self) -> None:
        """Merge segments after an update, unless another process is writing."""
        lock = COMMAND_WAIT.lock
        if not (self._has_changed or self._index.updated) or lock is None:
            return
        if self._manager.is_free(lock):
            with suppress(Problem):  # the answer is printed, and the next command tries again
                self._manager.tidy(self._budget)


class _SourceFile(NamedTuple):
    rows: list[str]
    fingerprint: bytes


class SourceLines:
    """Lines of files as they are now, each file read once."""

    def __init__(self, sandbox: Sandbox, graph: GraphSnapshot) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._graph = graph
        self._files: dict[str, _SourceFile | None] = {}

    def line(self, path: str, number: int) -> str:
        """A line without the blanks around it; empty if it is not there."""
        file = self._file(path)
        if file is None or not 0 < number <= len(file.rows):
            return ""
        return file.rows[number - 1].strip()

    def outdated(self) -> tuple[str, ...]:
        """The files that were read and have changed since they were linked."""
        return tuple(path for path in self._files if self._is_outdated(path))

    def _is_outdated(self, path: str) -> bool:
        file, linked = self._file(path), self._graph.snapshot.file(path)
        if file is None or linked is None:
            return file is None and linked is not None
        return file.fingerprint != linked.fingerprint

    def _file(self, path: str) -> _SourceFile | None:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> _SourceFile | None:
        try:
            data = self._sandbox.read(path, follow=False).data
        except Problem:
            return None
        text = decode(data)
        return _SourceFile([] if text is None else lines(text.content), fingerprint(data))
