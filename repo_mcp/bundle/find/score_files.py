"""Scores whole files by the prompt's words in them, and ranks files by what was found in each.

A ranked search scores chunks. Scores of whole files find those that have many of the words in
total, but few in any one chunk.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph import PROSE, Languages
from code_graph.paths.path_kinds import is_test, path_kinds, requested_kinds
from index_format import Snapshot, decode_chunks
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, LineHit
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.weights import FileWeights as Weights
from repo_mcp.prompt.word_forms import base_forms, other_number
from repo_mcp.search import DEFAULT_WEIGHTS, FileAxis, path_signals
from repo_mcp.stored import BODY

if TYPE_CHECKING:
    import numpy.typing as npt


Counts: TypeAlias = "npt.NDArray[np.int64]"
Scores: TypeAlias = "npt.NDArray[np.float64]"

_NO_CODE: Final = PROSE | {"", "text", "json", "yaml", "toml", "xml", "css"}


class FileScore(NamedTuple):
    """A file, and its score relative to the best one's."""

    path: str
    share: float


def dominant_file(scores: Sequence[FileScore]) -> str:
    """The file with by far the highest score, empty if there is none."""
    return (
        scores[0].path
        if scores and all(other.share <= Weights.SECOND_SHARE for other in scores[1:2])
        else ""
    )


class _WeightedWord(NamedTuple):
    """A word with all its forms, the number of chunks with it by live file, and its weight."""

    forms: frozenset[str]
    counts: Counts
    weight: float


def score_whole_files(
    snapshot: Snapshot,
    languages: Languages,
    axis: FileAxis,
    words: Sequence[str],
) -> list[FileScore]:
    """The code files with the highest scores, best first, without tests and prose."""
    weighted = list(_weigh_words(snapshot, axis, words))
    found = list(_score_code(snapshot, languages, axis, weighted))
    found.sort(key=lambda item: (-item.share, item.path))
    best = found[0].share if found else 1.0
    return [FileScore(item.path, item.share / best) for item in found]


def _weigh_words(
    snapshot: Snapshot, axis: FileAxis, words: Sequence[str]
) -> Iterator[_WeightedWord]:
    count = int(np.count_nonzero(axis.alive))
    for word in words:
        forms = frozenset({word, other_number(word), *base_forms(word)} - {""})
        counts = _count_passages(snapshot, axis, forms)
        files = 0 if counts is None else int(np.count_nonzero(counts))
        if counts is not None and files:
            rare = math.log(1 + (count - files + 0.5) / (files + 0.5))
            yield _WeightedWord(forms, counts, rare)


def _score_code(
    snapshot: Snapshot, languages: Languages, axis: FileAxis, words: Sequence[_WeightedWord]
) -> Iterator[FileScore]:
    """The files in programming languages among the best, lowered by their kind."""
    scores = _scores(axis, words)
    # tied files are taken all or none, as their numbers depend on the edit history
    best = np.sort(scores)[::-1][: Weights.MOST_FILES + 1]
    least = float(best[-1]) if len(best) > Weights.MOST_FILES else 0.0
    for file in (scores > least).nonzero()[0].tolist():
        path = snapshot.path_of(file)
        if is_test(path) or languages.language_of(path) in _NO_CODE:
            continue
        signs = path_signals(path)
        worths = [word.weight for word in words if not word.forms.isdisjoint(signs.name)]
        factor = min(map(DEFAULT_WEIGHTS.of_kind, signs.kinds), default=1.0)
        yield FileScore(
            path,
            round(
                (float(scores[file]) + Weights.IN_FILE_NAME * math.fsum(worths)) * factor,
                Weights.DIGITS,
            ),
        )


def _scores(axis: FileAxis, words: Sequence[_WeightedWord]) -> Scores:
    """BM25 over whole files, with passages as the unit of term frequency."""
    lengths = np.where(axis.alive, axis.lengths, 0)
    average = float(lengths.sum()) / max(1, int(np.count_nonzero(lengths)))
    saturation = Weights.SATURATION * (
        1 - Weights.LENGTH + Weights.LENGTH * lengths / max(average, 1.0)
    )
    scores = np.zeros(axis.count, dtype=np.float64)
    for word in words:
        scores += word.weight * word.counts / (word.counts + saturation)
    np.round(scores, Weights.DIGITS, out=scores)
    return scores


def _count_passages(snapshot: Snapshot, axis: FileAxis, forms: frozenset[str]) -> Counts | None:
    """Number of chunks with a word in any form, by live file; None for a common word."""
    number = snapshot.schema.number(BODY)
    if number is None:
        return None
    views: list[npt.NDArray[np.int64]] = []
    for form in sorted(forms):
        lists = snapshot.postings(number, form.encode("utf-8", "surrogatepass"))
        if not lists:
            continue
        if snapshot.counts(lists)[0] > max(1.0, Weights.COMMON_SHARE * snapshot.chunk_count):
            return None
        views.append(decode_chunks(lists))
    if not views:
        return None
    held = np.zeros(len(axis.file_of_chunk), dtype=np.bool_)
    held[np.concatenate(views)] = True
    counts: Counts = np.bincount(axis.file_of_chunk[held], minlength=axis.count)
    return np.where(axis.alive, counts, 0)


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
            worth / (best or 1.0) + searched.get(path, 0.0) / (best_searched or 1.0),
            Weights.DIGITS,
        )
        for path, worth in worths.items()
    }
    return sorted(scores, key=lambda path: (-scores[path], path))


def _factor(path: str, wanted: Collection[str]) -> float:
    kinds = path_kinds(path).difference(wanted)
    return min(map(DEFAULT_WEIGHTS.of_kind, kinds), default=1.0)
