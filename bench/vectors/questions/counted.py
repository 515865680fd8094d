"""Counts the pairs of `remarks.py`: the words of questions, and texts as the index stores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.vectors import blobs, pairs
from bench.vectors.pair import Pair
from bench.vectors.questions import remarks
from bench.vectors.repositories import Repository
from code_graph import Languages
from code_graph.paths.path_kinds import is_test
from index_format import Vocabulary
from index_format.analysis.counting import Analyser, CountedText
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.vectors import packing, sums
from repo_mcp.vectors.model import GramTable
from repo_mcp.vectors.words import parts_of_term

MOST: Final = {
    remarks.REMARK: 8000,
    remarks.INSIDE: 5000,
    remarks.DOCSTRING: 4000,
    remarks.TITLE: 3000,
    remarks.MESSAGE: 2000,
    remarks.NAMED: 3000,
}
_MOST_FILES: Final = 2500
_AT_ONCE: Final = 2048
_MOST_TIMES: Final = 255

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
I64 = npt.NDArray[np.int64]


class Words(NamedTuple):
    """Words of texts by their rows of a table: of text n from `starts[n]` to `starts[n + 1]`."""

    starts: I64
    rows: U16
    times: U8
    shared: npt.NDArray[np.bool_]  # the other text of the pair has a form of the word


class Counted(NamedTuple):
    """Pairs of one repository: questions, texts, and the texts' packed vectors."""

    kinds: U8
    questions: Words
    texts: Words
    packed: U8


def gather(
    repository: Repository, commit: str, mirror: Path, languages: Languages
) -> Iterator[Pair]:
    """The pairs of a repository, files in an order that chance decides."""
    git_dir = repository.git_dir(mirror)
    counts = dict.fromkeys(remarks.KINDS, 0)
    seen: set[tuple[str, str]] = set()
    for blob, data in blobs.texts(git_dir, _files(repository, git_dir, commit, languages)):
        text = pairs.readable(data)
        if text is None:
            continue
        for pair in remarks.pairs(blob.path, text, is_test=is_test(blob.path)):
            key = pair.kind, pair.query.lower()
            if counts[pair.kind] < MOST[pair.kind] and key not in seen:
                seen.add(key)
                counts[pair.kind] += 1
                yield pair


def _files(
    repository: Repository, git_dir: Path, commit: str, languages: Languages
) -> list[blobs.Blob]:
    listed = [
        blob
        for blob in blobs.tree(git_dir, commit)
        if blob.size <= pairs.LARGEST and pairs.is_written(languages, blob.path)
    ]
    listed.sort(key=lambda blob: pairs.drawn(repository.name, blob.path))
    return listed[:_MOST_FILES]


def count(found: Iterator[Pair], table: GramTable) -> Counted:
    """Count pairs by the words of a table."""
    counter = _Counter(table)
    parts = []
    while some := list(islice(found, _AT_ONCE)):
        parts.append(counter.count(some))
    return joined(parts or [counter.count([])])


class _Counter:
    """Counts texts; what a term consists of is looked up once."""

    def __init__(self, table: GramTable) -> None:
        self._table = table
        self._rows: dict[str, tuple[int, int]] = {}
        self._stems: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._analyser = Analyser()
        self._vocabulary = Vocabulary()
        self._sums = sums.text_sums(self._table)
        # by term: where its parts begin, and their rows and stems
        self._starts: list[int] = [0]
        self._parts: list[tuple[int, int]] = []

    def count(self, some: Sequence[Pair]) -> Counted:
        """Count some pairs."""
        if self._analyser.is_full:
            self._begin()
        queries = self._analyser.count_texts([pair.query for pair in some], self._vocabulary)
        texts = self._analyser.count_texts([pair.text for pair in some], self._vocabulary)
        sums_of = self._sum(texts)
        self._learn()
        asked, said = self._bags(queries), self._bags(texts)
        kinds = np.array([remarks.KINDS.index(pair.kind) for pair in some], np.uint8)
        return Counted(kinds, _words(asked, said), _words(said, asked), sums_of)

    def _sum(self, texts: Sequence[CountedText]) -> U8:
        width = packing.width(self._table.dimensions)
        if not texts:
            return np.zeros((0, width), np.uint8)
        terms = np.concatenate([text.tokens.words for text in texts])
        times = np.concatenate([text.part_times for text in texts])
        ends = np.cumsum([len(text.part_times) for text in texts]).tolist()
        found = self._sums.sum(self._vocabulary.words, terms.tobytes(), times.tobytes(), ends)
        vectors = np.frombuffer(found, np.int8).reshape(len(texts), self._table.dimensions)
        return packing.pack(vectors)

    def _learn(self) -> None:
        for term in self._vocabulary.words[len(self._starts) - 1 :]:
            for part in parts_of_term(term.decode("utf-8", "surrogatepass")):
                self._parts.append(self._of_part(part))
            self._starts.append(len(self._parts))

    def _of_part(self, part: str) -> tuple[int, int]:
        found = self._rows.get(part)
        if found is None:
            row = self._table.row_of(part.encode("utf-8", "surrogatepass"))
            number = self._stems.setdefault(stem(part), len(self._stems))
            found = self._rows[part] = (-1 if row is None else row, number)
        return found

    def _bags(self, texts: Sequence[CountedText]) -> tuple[I64, I64, I64, I64]:
        """Of each part of each text: its text, row, stem and how often it occurs."""
        starts = np.array(self._starts)
        parts = np.array(self._parts or [(0, 0)])
        terms = np.concatenate([text.tokens.words for text in texts] or [np.zeros(0, np.uint32)])
        times = np.concatenate([text.part_times for text in texts] or [np.zeros(0, np.uint32)])
        owners = np.repeat(np.arange(len(texts)), [len(text.part_times) for text in texts])
        used = times > 0
        terms, times, owners = terms[used].astype(np.int64), times[used], owners[used]
        lengths = starts[terms + 1] - starts[terms]
        at = np.repeat(starts[terms] - np.cumsum(lengths) + lengths, lengths) + np.arange(
            lengths.sum()
        )
        rows, stems = parts[at].T
        return np.repeat(owners, lengths), rows, stems, np.repeat(times, lengths).astype(np.int64)


def _words(one: tuple[I64, I64, I64, I64], other: tuple[I64, I64, I64, I64]) -> Words:
    owners, rows, stems, times = one
    apart = int(max(stems.max(initial=0), other[2].max(initial=0))) + 1
    shared = np.isin(owners * apart + stems, other[0] * apart + other[2])
    known = rows >= 0
    owners, rows, times, shared = owners[known], rows[known], times[known], shared[known]
    # a part of several terms is one word
    width = 1 << 16
    keys, first, inverse = np.unique(owners * width + rows, return_index=True, return_inverse=True)
    total = np.bincount(inverse, times, len(keys))
    count = int(max(owners.max(initial=-1), other[0].max(initial=-1))) + 1
    starts = np.searchsorted(keys // width, np.arange(count + 1))
    found = (keys % width).astype(np.uint16), np.minimum(total, _MOST_TIMES).astype(np.uint8)
    return Words(starts, *found, shared[first])


def joined(parts: Sequence[Counted]) -> Counted:
    """Several batches of pairs as one."""
    return Counted(
        np.concatenate([part.kinds for part in parts]),
        joined_words([part.questions for part in parts]),
        joined_words([part.texts for part in parts]),
        np.concatenate([part.packed for part in parts]),
    )


def joined_words(parts: Sequence[Words]) -> Words:
    """The words of several batches as one."""
    offsets = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[:-1] + offset for part, offset in zip(parts, offsets, strict=False)]
    return Words(
        np.concatenate((*starts, offsets[-1:])),
        *(np.concatenate(column) for column in list(zip(*parts, strict=True))[1:]),
    )


def write(path: Path, counted: Counted) -> None:
    """Store counted pairs."""
    arrays: dict[str, Any] = {"kinds": counted.kinds, "packed": counted.packed}
    for name, words in (("question", counted.questions), ("text", counted.texts)):
        arrays |= {f"{name}_{field}": value for field, value in words._asdict().items()}
    part = path.with_suffix(".part.npz")
    np.savez(part, **arrays)
    part.rename(path)


def read(path: Path) -> Counted:
    """Counted pairs as stored."""
    with np.load(path, allow_pickle=False) as found:
        questions, texts = (
            Words(*(found[f"{name}_{field}"] for field in Words._fields))
            for name in ("question", "text")
        )
        return Counted(found["kinds"], questions, texts, found["packed"])
