"""Files by all words of a prompt, wherever in them each stands: what no single passage holds.

A ranked search weighs passages. A file may deal with what is asked in all of its parts and have
few of the words in any one of them; here it counts how many different words a whole file has.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from index_format import Snapshot, decode_chunks
from repo_mcp.bundle.find.test_paths import is_test
from repo_mcp.bundle.prompt.keywords import base_forms, other_number
from repo_mcp.bundle.weights import FileWeights
from repo_mcp.languages.registry import Languages
from repo_mcp.search.filter.file_masks import FileAxis
from repo_mcp.search.ranked.path_signs import path_signs
from repo_mcp.search.ranked.weights import DEFAULT
from repo_mcp.stored import BODY

Counts = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

_PROSE: Final = frozenset({"markdown", "rst", "text", "json", "yaml", "toml", "xml", "html", "css"})


class Whole(NamedTuple):
    """A file, and what it has of the words beside the one that has most."""

    path: str
    share: float


def meant(whole: Sequence[Whole]) -> str:
    """The file that no other comes near to, empty where there is none."""
    return (
        whole[0].path
        if whole and all(other.share <= FileWeights.NEAR for other in whole[1:2])
        else ""
    )


class _Word(NamedTuple):
    """A word in all its forms, how many passages of each live file hold it, and what it tells."""

    forms: frozenset[str]
    held: Counts
    worth: float


def whole_files(
    snapshot: Snapshot,
    languages: Languages,
    axis: FileAxis,
    words: Sequence[str],
    area: Collection[str] = (),
) -> list[Whole]:
    """The files that have most of the words, the best first; tests and prose are none of them.

    `area` are the words that say what the others are about.
    """
    weighed = list(_weighed(snapshot, axis, words, area))
    found = list(_of_code(snapshot, languages, axis, weighed))
    found.sort(key=lambda item: (-item.share, item.path))
    best = found[0].share if found else 1.0
    return [Whole(item.path, item.share / best) for item in found]


def _weighed(
    snapshot: Snapshot, axis: FileAxis, words: Sequence[str], area: Collection[str]
) -> Iterator[_Word]:
    count = int(np.count_nonzero(axis.alive))
    for word in words:
        forms = frozenset({word, other_number(word), *base_forms(word)} - {""})
        held = _holding(snapshot, axis, forms)
        files = 0 if held is None else int(np.count_nonzero(held))
        if held is not None and files:
            rare = math.log(1 + (count - files + 0.5) / (files + 0.5))
            yield _Word(forms, held, rare * (FileWeights.AREA if word in area else 1.0))


def _of_code(
    snapshot: Snapshot, languages: Languages, axis: FileAxis, words: Sequence[_Word]
) -> Iterator[Whole]:
    """Of the files with the highest scores those of a language, with what their kind leaves."""
    scores = _scores(axis, words)
    # of files that are as good, either all are looked at or none: their order is one of history
    best = np.sort(scores)[::-1][: FileWeights.MOST_FILES + 1]
    least = float(best[-1]) if len(best) > FileWeights.MOST_FILES else 0.0
    for file in np.flatnonzero(scores > least).tolist():
        path = snapshot.path_of(file)
        if is_test(path) or languages.language_of(path) in {"", *_PROSE}:
            continue
        signs = path_signs(path)
        worths = [word.worth for word in words if not word.forms.isdisjoint(signs.name)]
        factor = min([float(getattr(DEFAULT, kind)) for kind in signs.kinds], default=1.0)
        yield Whole(
            path,
            round(
                (float(scores[file]) + FileWeights.NAMED * math.fsum(worths)) * factor,
                FileWeights.DIGITS,
            ),
        )


def _scores(axis: FileAxis, words: Sequence[_Word]) -> Scores:
    """What each file has of the words: each counts, the rarer the more, and hardly more twice."""
    lengths = np.where(axis.alive, axis.lengths, 0)
    average = float(lengths.sum()) / max(1, int(np.count_nonzero(lengths)))
    soon = FileWeights.SATURATION * (
        1 - FileWeights.LENGTH + FileWeights.LENGTH * lengths / max(average, 1.0)
    )
    scores = np.zeros(axis.count, dtype=np.float64)
    for word in words:
        scores += word.worth * word.held / (word.held + soon)
    np.round(scores, FileWeights.DIGITS, out=scores)
    return scores


def _holding(snapshot: Snapshot, axis: FileAxis, forms: frozenset[str]) -> Counts | None:
    """How many passages of each live file hold a word in any form; None for a usual word."""
    number = snapshot.schema.number(BODY)
    if number is None:
        return None
    views: list[npt.NDArray[np.int64]] = []
    for form in sorted(forms):
        lists = snapshot.postings(number, form.encode("utf-8", "surrogatepass"))
        if not lists:
            continue
        if snapshot.counts(lists)[0] > max(1.0, FileWeights.USUAL * snapshot.chunk_count):
            return None
        views.append(decode_chunks(lists))
    if not views:
        return None
    chunks = np.unique(np.concatenate(views))
    counts: Counts = np.bincount(axis.of_chunk[chunks], minlength=axis.count)
    return np.where(axis.alive, counts, 0)
