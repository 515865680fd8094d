"""Finds passages of a folder for `search_code` and `search_docs`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, SearchAnswer, SearchHit
from repo_mcp.repository import OpenIndex
from repo_mcp.search import Filter
from repo_mcp.toolsets.kit.index_warnings import COMPARING, lacking_text
from repo_mcp.toolsets.kit.services import ToolServices


class Question(NamedTuple):
    """What to find, and where."""

    text: str
    limit: int
    filters: tuple[Filter, ...]
    # further words, each weighed as another form of a word
    more: tuple[str, ...] = ()
    # how much meaning counts, 0 to 1; None: as measured best
    meaning: float | None = None


def filters_of(folder: str, extensions: str, path_filter: str) -> tuple[Filter, ...]:
    """The files that a call asks for."""
    found = [Filter("glob", f"{_escaped(folder)}/**")] if folder else []
    if path_filter.strip():
        found.append(Filter("glob", path_filter.strip()))
    names = (name.strip().lstrip("*.") for name in extensions.split(","))
    return (*found, *(Filter("ext", name) for name in names if name))


def _escaped(folder: str) -> str:
    """The folder as a glob that matches nothing else."""
    return "".join(f"[{char}]" if char in "*?[{" else char for char in folder)


def find_hits(
    services: ToolServices, question: Question, index: OpenIndex, budget: Budget
) -> tuple[SearchAnswer, OpenIndex]:
    """The hits, and the index that gave them; changed files are indexed again first."""

    def find(index: OpenIndex) -> SearchAnswer:
        if index.snapshot is None:  # it was damaged, and is being built again
            return SearchAnswer((), (), ())
        return services.engine.search(
            index.snapshot,
            question.text,
            question.limit,
            None,
            budget,
            filters=question.filters,
            more=question.more,
        )

    return services.repository.run_fresh_query(find, _stale_paths, index, services.wait, budget)


def index_warnings(services: ToolServices, index: OpenIndex) -> list[AnswerWarning]:
    """What the index lacks."""
    warnings = [*services.background_notes, *index.warnings]
    if not index.complete:
        text = f"{lacking_text(index, services.repository)}: call again for a complete answer"
        warnings.append(AnswerWarning("incomplete", text))
    elif not index.compared:
        warnings.append(COMPARING)
    return warnings


def relevance(hits: Sequence[SearchHit]) -> list[int]:
    """How likely each hit is what was asked for, in percent."""
    best = max((hit.score for hit in hits), default=0.0)
    return [round(100 * hit.score / best) if best > 0 else 0 for hit in hits]


def _stale_paths(found: SearchAnswer) -> set[str]:
    return {hit.path for hit in found.hits if hit.stale}
