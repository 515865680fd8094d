"""The passages of ranked files: which chunks each file shows, and with which scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.search.ranked.weights import Weights

# passages of one file, and the share of the best one's score that the others need
PASSAGES: Final = 5
WORTH_SHOWING: Final = 0.1
# the best chunks of a file whose scores raise those of its passages
DECAY_STEPS: Final = 8


class FileFactors(NamedTuple):
    """Factors by file: for what of the query its path has, for its area, and for its kind.

    The last is not for chunks that declare the name that the query is.
    """

    coverage: list[float]
    area: list[float]
    prior: list[float]


class FilePassages(NamedTuple):
    """By file: score and chunk of its passages, the best score, the share of the query it has.

    And by chunk, whether it declares the name that the query is.
    """

    passages: list[list[tuple[float, int]]]
    best: list[float]
    shares: list[float]
    declares: Sequence[bool | int]


class ChunkColumns(NamedTuple):
    """By chunk: its score, the one inside of its file, negated, whether it declares, its number."""

    scores: list[float]
    inside: list[float]
    declares: list[bool]
    chunks: list[int]


def list_passages(
    columns: ChunkColumns,
    edges: Sequence[int],
    shares: list[float],
    factors: FileFactors,
    weights: Weights,
) -> FilePassages:
    """The passages of each file; `edges` are where the chunks of each begin, and the end.

    The scores of a file are those of its best chunks; the chunks shown for them are those with the
    highest scores inside of it.
    """
    scores, inside, declares, chunks = columns
    found: list[list[tuple[float, int]]] = []
    for file, share in enumerate(shares):
        begin, end = edges[file], edges[file + 1]
        factor = factors.coverage[file] * (1 + weights.together * share) * factors.area[file]
        shown = sorted(range(begin, end), key=inside.__getitem__)
        found.append(
            [
                (score * factor * (1.0 if declares[at] else factors.prior[file]), chunks[at])
                for at, score in zip(
                    shown, _scores_of_passages(scores[begin:end], weights), strict=False
                )
            ]
        )
    best = [max(passages)[0] if passages else 0.0 for passages in found]
    return FilePassages(found, best, shares, declares)


def _scores_of_passages(scores: list[float], weights: Weights) -> list[float]:
    """Scores of a file's passages: its best chunks' scores, raised by the other chunks."""
    best = sorted(scores, reverse=True)[:DECAY_STEPS]
    power, more = 1.0, 0.0
    for score in best[1:]:
        power *= weights.decay
        more += score * power
    found: list[float] = []
    repeated = 1.0
    for score in best[:PASSAGES]:
        if score < best[0] * WORTH_SHOWING or not score:
            break
        found.append((score + more) * repeated)
        repeated *= weights.repeated
    return found
