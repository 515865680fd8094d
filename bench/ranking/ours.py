"""Our own search as a system of this harness: the one place that calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from bench.ranking.metrics import Ranked
from repo_mcp.app import services
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import DEFAULT_WEIGHTS, RankedEngine
from repo_mcp.settings import Options


def ours(
    root: Path, data: Path, overrides: Mapping[str, float]
) -> Callable[[str, int], list[Ranked]]:
    """Search a tree; its index is brought up to date first. `overrides` replace weights by name."""
    parts = services(Options(str(root), str(data), watch=False))
    parts.manager.refresh(Budget())
    snapshot = parts.manager.snapshot()
    if snapshot is None:
        raise LookupError(root)
    engine = RankedEngine(parts.sandbox, parts.languages, replace(DEFAULT_WEIGHTS, **overrides))

    def search(query: str, limit: int) -> list[Ranked]:
        try:
            answer = engine.search(snapshot, query, limit, None, Budget())
        except Problem:
            return []
        return [Ranked(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]

    return search
