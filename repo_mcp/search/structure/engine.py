"""Structural search of snapshots and files: the index names files, workers match their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.processes.pool import ProcessPool
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.distributed import OpenDistributed
from repo_mcp.search.exact.engine import ExactEngine, QueryPlan
from repo_mcp.search.exact.query import ExactAnswer, ExactQuery, OnFile
from repo_mcp.search.structure.jobs import start_pool
from repo_mcp.search.structure.matcher import StructureMatcher, prepare
from repo_mcp.search.structure.scanner import TreeScanner


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
