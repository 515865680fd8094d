"""The graph for a command: linked in the foreground, and compared with the files."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from code_graph.store.records import DamagedGraphError
from index_format import CorruptIndexError, IndexFormatError, Snapshot
from repo_mcp.cli.search.index import ForegroundRefresh
from repo_mcp.errors import Problem
from repo_mcp.model import QuestionFiles
from repo_mcp.repository import (
    COMMAND_WAIT,
    MANY_FILES,
    OpenGraph,
    OpenIndex,
    OutdatedFiles,
)
from repo_mcp.services import Services
from repo_mcp.stored import IndexProgress

_BEHIND: Final = (
    "symbols are still being linked, by this or another process: the answer may lack some, and"
    " edges of others"
)
_NOT_COMPARED: Final = (
    "only the files of the answer were compared with the graph, since there are very many, or"
    " another process is indexing: what others have gained since is missing; --refresh finds it"
)
_ON_DEMAND: Final = (
    "{} of {} files with the name or like it were linked for this answer: `repo-mcp index --graph`"
    " links all files"
)
_OF_PACKAGES: Final = "uses are those in files with the name, of the project and of the packages"

T = TypeVar("T")


class CommandGraph:
    """One repository's graph, for one command."""

    def __init__(
        self,
        services: Services,
        *,
        refresh: bool,
        names: Sequence[str] = (),
        needs_graph: bool = True,
        links_all: bool = False,
    ) -> None:
        """Bring the index up to date, as far as that is not left to the files of the answer.

        Of a large tree without a graph, files with these `names` are linked for the answer, unless
        it `links_all`. Where another process is linking, they are in any tree, and an answer that
        does not need the graph does without.
        """
        self._names = names
        needs_graph &= not names
        most = math.inf if links_all or not names else MANY_FILES
        self.roots = services.roots
        self._manager = services.manager
        self._budget = services.budget
        self._languages = services.languages
        self._on_demand = services.on_demand
        self._refresher = ForegroundRefresh(
            services.manager, most, 0 if services.on_demand else most, needs_graph=needs_graph
        )
        self.repository = services.repository(self._refresher)
        self._opened = OpenGraph(None, follows=False, linked=None)
        self._index = OpenIndex(None, compared=False)
        self._outdated = OutdatedFiles()
        text = self._manager.snapshot()
        if text is None or refresh or not (IndexProgress.of(text).deep or text.file_count > most):
            self._refresher.wait_until_ready(self._budget)

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
    def text(self) -> Snapshot | None:
        """The generation of the text that was open for the answer."""
        return self._index.snapshot

    @property
    def complete(self) -> bool:
        """True if all files were linked, from their text as it was indexed last."""
        return self._opened.current and self._index.complete

    @property
    def warnings(self) -> list[str]:
        """Warnings about a stale or incomplete graph."""
        texts = [warning.text for warning in self._index.warnings]
        if self._on_demand:
            texts.append(_OF_PACKAGES)
        elif self._opened.on_demand is not None:
            texts.append(_ON_DEMAND.format(*self._opened.on_demand[:2]))
        elif not self._opened.follows and not (self._names and self._opened.graph is None):
            texts.append(_BEHIND)
        if self._outdated:
            texts.append(self._outdated.warning().text)
        elif not self._opened.compared:
            texts.append(_NOT_COMPARED)
        return texts

    def answer(
        self,
        ask: Callable[[OpenGraph, OpenIndex], T],
        outdated: Callable[[T], OutdatedFiles],
    ) -> T:
        """The answer; asks again after an update if files in the answer have changed."""
        repository, budget = self.repository, self._budget

        def find(opened: OpenGraph, index: OpenIndex) -> T:
            try:
                return ask(opened, index)
            except (CorruptIndexError, DamagedGraphError, IndexFormatError) as error:
                raise Problem("index_unavailable", str(error)) from error

        answer, self._opened, self._index = repository.run_query(
            lambda _: repository.run_graph_query(
                find, outdated, COMMAND_WAIT, budget, self._find_files
            ),
            COMMAND_WAIT,
            budget,
        )
        self._outdated = outdated(answer)
        return answer

    def catch_up(self) -> bool:
        """Bring the index to the files as they are; False if it is that, or others are writing."""
        was_behind = not self.complete
        return was_behind and self._refresher.compare(self._budget)

    def _find_files(self, _: OpenGraph, index: OpenIndex) -> QuestionFiles:
        """The files that the question is about."""
        if not self._names:
            return QuestionFiles(())
        from repo_mcp.repository import NamedFiles, NamedLines  # noqa: PLC0415 not where a graph is
        from repo_mcp.search import ExactEngine, RankedEngine  # noqa: PLC0415 as above

        sandbox = self.repository.sandbox
        lines = NamedLines(ExactEngine(sandbox), self.repository, self._budget)
        ranked = RankedEngine(sandbox, self._languages)
        named = NamedFiles(ranked, lines)
        return named.find(self._names, index, self._budget, is_direct=False)

    def tidy(self) -> None:
        """Merge segments after an update, unless another process is writing."""
        lock = COMMAND_WAIT.lock
        if not (self._refresher.has_changed or self._index.updated) or lock is None:
            return
        if self._manager.is_free(lock):
            with suppress(Problem):  # the answer is printed, and the next command tries again
                self._manager.tidy(self._budget)
