"""Our own search as a system of this harness: the one place that calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from bench.ranking.metrics import Ranked
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import DEFAULT_WEIGHTS, PastChanges, RankedEngine, SearchOptions
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.vectors.choice import open_embedder

Search = Callable[[str, int], list[Ranked]]


def ours(
    root: Path, data: Path, overrides: Mapping[str, float], embedding_model: str | None = None
) -> Search:
    """Search a tree; its index is brought up to date first. `overrides` replace weights by name."""
    return open_tree(root, data, embedding_model)(overrides)


def opened(root: Path, data: Path, embedding_model: str | None = None) -> tuple[Services, Snapshot]:
    """The services of a tree, and a snapshot of its index as the tree is now."""
    options = Options(
        str(root),
        str(data),
        watch=False,
        embeddings=embedding_model is not None,
        embedding_model=embedding_model or "",
    )
    parts = services(options)
    parts.manager.refresh(Budget())
    snapshot = parts.manager.snapshot()
    if snapshot is None:
        raise LookupError(root)
    return parts, snapshot


def open_tree(
    root: Path,
    data: Path,
    embedding_model: str | None = None,
    *,
    light: bool = False,
    level: str = "",
    past: PastChanges | None = None,
) -> Callable[[Mapping[str, float]], Search]:
    """Give a search for each set of weights; the tree's index is brought up to date first.

    Where meaning is `light`, it counts as it does where searches rank by words. Answers are
    passages, or of a `level`; the `past` is known, if given.
    """
    parts, snapshot = opened(root, data, embedding_model)
    embedder = None if embedding_model is None else open_embedder(embedding_model)

    def weighted(overrides: Mapping[str, float]) -> Search:
        weights = replace(DEFAULT_WEIGHTS, **overrides)
        where = parts.sandbox, parts.languages, weights, embedder
        engine = RankedEngine(*where, by_meaning=not light)
        options = SearchOptions(past=past, light=light, level=level)

        def search(query: str, limit: int) -> list[Ranked]:
            try:
                answer = engine.search(snapshot, query, limit, None, Budget(), options=options)
            except Problem:
                return []
            lines = [hit.whole if level else (hit.start_line, hit.end_line) for hit in answer.hits]
            paths = [hit.path for hit in answer.hits]
            return [Ranked(path, *span) for path, span in zip(paths, lines, strict=True)]

        return search

    return weighted
