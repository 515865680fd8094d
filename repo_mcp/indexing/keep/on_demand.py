"""Links and parses the few files of a question, by a worker for which no other work waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from index_format import IndexFormatError, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.pools import IndexedRoot, Pools, PoolUse
from repo_mcp.model import QuestionFiles

if TYPE_CHECKING:  # loaded by those who need it
    from repo_mcp.indexing.workers.on_demand import LinkedNow, Overlay, ParsedNow
    from repo_mcp.processes.pool import JobRunner

# questions that wait for each other
_TOGETHER: Final = 4
# until the worker has started
_START_SECONDS: Final = 5.0
# bytes that it reads before another takes its place: some fifteen questions
_MOST_ASKED: Final = 48 << 20

_T = TypeVar("_T")


class OnDemand:
    """The linker and the parser for questions; nothing is read of the graph, nor written."""

    def __init__(self, root: IndexedRoot, pools: Pools) -> None:
        """The graph of the `root` tells what a file is linked with."""
        self._pools = pools
        self._root = root
        self._lock = threading.Lock()

    def link(
        self,
        text: Snapshot,
        asked: QuestionFiles,
        seconds: float,
        budget: Budget,
        overlay: Overlay = MappingProxyType({}),
    ) -> LinkedNow | None:
        """A graph in memory of the files that are linked within some seconds, and their number.

        None if linking fails, or other questions keep the linker busy. The `overlay` replaces the
        text of its files.
        """
        from repo_mcp.indexing.workers.on_demand import link_now  # noqa: PLC0415 rare

        def link(pool: JobRunner) -> LinkedNow | None:
            linker, signature, code = self._root.link_key(text)
            return link_now(pool, asked, linker, signature, code, seconds, budget, overlay)

        return self._ask(link, seconds, budget)

    def expect(self, text: Snapshot | None) -> None:
        """Have the worker start and load the linker while a question is looked at."""

        def load(text: Snapshot) -> None:
            with suppress(Exception):  # the question meets it again
                self.link(text, QuestionFiles(()), _START_SECONDS, Budget(_START_SECONDS))

        if text is not None:
            threading.Thread(target=load, args=(text,), daemon=True).start()

    def parse(
        self,
        paths: Sequence[str],
        seconds: float,
        budget: Budget,
        overlay: Overlay = MappingProxyType({}),
    ) -> Mapping[str, ParsedNow]:
        """Facts of files as they are now, of as many as are parsed in so many seconds.

        Files of the `overlay` are as that has them.
        """
        from repo_mcp.indexing.workers.on_demand import parse_now  # noqa: PLC0415 rare

        def parse(pool: JobRunner) -> Mapping[str, ParsedNow] | None:
            return parse_now(pool, paths, seconds, budget, overlay)

        return self._ask(parse, seconds, budget) or {}

    def _ask(
        self, ask: Callable[[JobRunner], _T | None], seconds: float, budget: Budget
    ) -> _T | None:
        # one worker at a time, for questions that come together
        if not self._lock.acquire(timeout=_TOGETHER * seconds):
            return None
        pool = self._pools[PoolUse.QUESTIONS]
        try:
            return ask(pool)
        except (IndexFormatError, Problem):
            budget.check()
            return None
        finally:
            self._lock.release()
            pool.shrink(_MOST_ASKED)
