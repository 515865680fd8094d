"""Ranks files by their best declarations and by the ranked search for the prompt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from code_graph.paths.path_kinds import path_kinds, requested_kinds
from repo_mcp.bundle.find.candidates import Candidate, LineHit
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.weights import FileWeights as Weights
from repo_mcp.search import DEFAULT_WEIGHTS


def sum_worths(candidates: Sequence[Candidate]) -> dict[str, float]:
    """The worth of each file: the sum of its best candidates' worths."""
    worths: dict[str, list[float]] = {}
    for item in candidates:
        worths.setdefault(item.path, []).append(item.worth)
    return {
        path: sum(sorted(every, reverse=True)[: Weights.SUMMED]) for path, every in worths.items()
    }


def searched_files(hits: Sequence[LineHit]) -> dict[str, float]:
    """The worth of each file's best passage in the search for the whole prompt."""
    found: dict[str, float] = {}
    for hit in hits:
        if hit.evidence.kind is SearchKind.PROMPT:
            found[hit.path] = max(found.get(hit.path, 0.0), hit.worth)
    return found


def rank_files(
    candidates: Sequence[Candidate], searched: Mapping[str, float], words: Collection[str]
) -> list[str]:
    """The files of the candidates, best first.

    `searched` are worths of passages. What documents or configures counts less, unless `words` of
    the prompt ask for such files; worths of passages have that factor already.
    """
    wanted = requested_kinds(frozenset(words))
    worths = {path: worth * _factor(path, wanted) for path, worth in sum_worths(candidates).items()}
    best, best_searched = max(worths.values(), default=0.0), max(searched.values(), default=0.0)
    scores = {
        path: round(
            worth / (best or 1.0)
            + Weights.SEARCHED * searched.get(path, 0.0) / (best_searched or 1.0),
            Weights.DIGITS,
        )
        for path, worth in worths.items()
    }
    return sorted(scores, key=lambda path: (-scores[path], path))


def _factor(path: str, wanted: Collection[str]) -> float:
    kinds = path_kinds(path).difference(wanted)
    return min([float(getattr(DEFAULT_WEIGHTS, kind)) for kind in kinds], default=1.0)
