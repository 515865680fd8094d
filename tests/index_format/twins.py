"""Corpora, and two indexes of each: ours after some history, Whoosh's own of what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

import numpy as np
from whoosh.analysis import SpaceSeparatedTokenizer, StopFilter
from whoosh.fields import STORED, TEXT, Schema as WhooshSchema
from whoosh.filedb.filestore import RamStorage
from whoosh.reading import IndexReader
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.generation.writer import IndexWriter
from index_format.model import Chunk, Document, Field, Limits, Schema, Tokens
from index_format.store.memory_store import MemoryStore
from index_format.whoosh_bridge.reader import STORED_FIELDS, searcher

FIELDS: Final = (Field("body"), Field("doc"), Field("tags", positions=False))
LIMITS: Final = Limits(8, 32, 3)
# takes up a position and is no word, as a stop word does
GAP: Final = "_"
_ANALYZER: Final = SpaceSeparatedTokenizer() | StopFilter(stoplist=[GAP], minsize=1, renumber=False)

# a file: per chunk, the words of each field
Files = dict[str, list[Mapping[str, Sequence[str]]]]


@dataclass(frozen=True)
class Corpus:
    """Texts of one kind of alphabet."""

    words: list[str]
    weights: list[float]
    mean: int


def vocabulary(random: Random, size: int) -> list[str]:
    """Words of few letters, so that many are near each other, and some that are not ASCII."""
    words = {"größe", "grosse", "naïve", "naive", "日本", "日本語", "\U0001d518nicode"}
    while len(words) < size:
        words.add("".join(random.choices("abcdeé", [9, 7, 5, 3, 2, 1], k=random.randint(1, 7))))
    return sorted(words, key=lambda word: (random.random(), word))


def corpus(random: Random, size: int = 300, mean: int = 30) -> Corpus:
    """Words that are as unevenly common as those of a language."""
    words = vocabulary(random, size)
    return Corpus(words, [1 / (rank + 1.5) for rank in range(len(words))], mean)


def text(random: Random, source: Corpus, most: int) -> list[str]:
    """Some words, or none."""
    if random.random() < 0.05:
        return []
    count = min(int(random.expovariate(1 / source.mean)) + 1, most)
    words = random.choices(source.words, source.weights, k=count)
    return [GAP if random.random() < 0.04 else word for word in words]


def files(random: Random, source: Corpus, count: int, chunks: int = 3) -> Files:
    """Files with random paths and text."""
    made: Files = {}
    while len(made) < count:
        path = "/".join(random.choices(["src", "lib", "ä", "z"], k=random.randint(0, 3)))
        path = f"{path}/{random.randrange(10 * count)}.py"
        made[path] = [
            {
                "body": text(random, source, 4000),
                "doc": text(random, source, 20),
                "tags": text(random, source, 4),
            }
            for _ in range(random.randint(0, chunks))
        ]
    return made


def bursts(random: Random, source: Corpus, count: int) -> Files:
    """Files of one chunk; common words are dense in some stretches and thin in others."""
    made: Files = {}
    loud: list[str] = []
    for number in range(count):
        if number % 300 == 0:
            loud = random.sample(source.words[:20], 4)
        words = random.choices(source.words, source.weights, k=random.randint(5, 30))
        if random.random() < 0.1:
            words += [random.choice(loud)] * random.randint(5, 20)
        made[f"{number:06}.py"] = [{"body": words, "doc": words[:3], "tags": words[-2:]}]
    return made


def document(path: str, chunks: Sequence[Mapping[str, Sequence[str]]], to: IndexWriter) -> Document:
    """A file as our writer takes it."""
    return Document(
        path,
        [
            Chunk(
                10 * number + 1,
                10 * number + 10,
                {name: tokens(words, to) for name, words in fields.items()},
                chunk_id=number + 7,
            )
            for number, fields in enumerate(chunks)
        ],
    )


def tokens(words: Sequence[str], to: IndexWriter) -> Tokens:
    """Words as our writer takes them, without the gaps but with their places."""
    places = [place for place, word in enumerate(words) if word != GAP]
    numbers = to.vocabulary.tokens(words[place] for place in places).words
    return Tokens(numbers, np.array(places, dtype=np.uint32))


def write(index: Index, changed: Files, removed: Sequence[str] = ()) -> None:
    """One commit."""
    with index.writer() as writer:
        for path in removed:
            writer.remove(path)
        for path, chunks in changed.items():
            writer.add(document(path, chunks, writer))
        writer.commit()


History = Callable[[Index, Files, Random], None]


def _other(
    chunks: Sequence[Mapping[str, Sequence[str]]], random: Random
) -> list[Mapping[str, Sequence[str]]]:
    """Another version of a file: more of it, and words that are nowhere else."""
    return [
        {
            name: ["ghost", *(word if random.random() < 0.9 else f"{word}x" for word in words)]
            for name, words in fields.items()
        }
        for fields in [*chunks, *chunks[:1]]
    ]


def fresh(index: Index, live: Files, _random: Random) -> None:
    """All in one commit, one segment."""
    write(index, live)


def canonical(index: Index, live: Files, _random: Random) -> None:
    """Compacted to several segments that follow each other."""
    write(index, live)
    index.compact(full=True)


def edited(index: Index, live: Files, random: Random) -> None:
    """Several commits, each with stale versions and files that are gone later; not compacted."""
    paths = sorted(live)
    for part in range(4):
        now = {path: live[path] for path in paths[part::4]}
        stale = {path: _other(live[path], random) for path in paths[part + 1 :: 4]}
        gone = {f"{path}.gone": _other(live[path], random) for path in paths[part::16]}
        write(index, {**(stale if part < 3 else {}), **now, **gone})
    write(index, {}, [f"{path}.gone" for path in paths])


def canonical_then_edited(index: Index, live: Files, random: Random) -> None:
    """Compacted, then a few edits on top."""
    paths = sorted(live)
    later = random.sample(paths, max(len(paths) // 10, 1))
    first = {path: chunks for path, chunks in live.items() if path not in later[::2]}
    first.update({path: _other(live[path], random) for path in later[1::2]})
    write(index, {**first, "x.gone": _other(live[paths[0]], random)})
    index.compact(full=True)
    write(index, {path: live[path] for path in later}, ["x.gone"])


def half_compacted(index: Index, live: Files, random: Random) -> None:
    """Edited, then compacted one lazy step."""
    edited(index, live, random)
    index.compact(steps=1)


HISTORIES: Final[dict[str, History]] = {
    made.__name__: made
    for made in (fresh, canonical, edited, canonical_then_edited, half_compacted)
}


@dataclass(frozen=True)
class Twins:
    """The same live chunks twice."""

    snapshot: Snapshot
    ours: Searcher
    theirs: Searcher
    live: Files
    words: list[str]


@cache
def small(history: str) -> Twins:
    """About a hundred chunks; the same live ones whatever the history."""
    return _twins(_small(), history, LIMITS)


@cache
def large(history: str) -> Twins:
    """Terms of many blocks."""
    return _twins(_large(), history, Limits(128, 512, 8))


@cache
def uneven(history: str) -> Twins:
    """Terms of many blocks, some of which can't compete with others."""
    return _twins(_uneven(), history, Limits(512, 2048, 8))


@dataclass(frozen=True)
class _Given:
    live: Files
    words: list[str]
    theirs: Searcher


@cache
def _small() -> _Given:
    random = Random(11)
    source = corpus(random)
    return _given(files(random, source, 70), source)


@cache
def _large() -> _Given:
    random = Random(12)
    source = corpus(random)
    return _given(files(random, source, 900), source)


@cache
def _uneven() -> _Given:
    random = Random(13)
    source = corpus(random)
    return _given(bursts(random, source, 2500), source)


def _given(live: Files, source: Corpus) -> _Given:
    return _Given(live, source.words, Searcher(whoosh_reader(live), weighting=BM25F()))


def _twins(given: _Given, history: str, limits: Limits) -> Twins:
    index = Index(MemoryStore(), Schema(FIELDS), limits=limits)
    HISTORIES[history](index, given.live, Random(history))
    snapshot = index.snapshot()
    ours = searcher(snapshot, given.theirs.schema)
    return Twins(snapshot, ours, given.theirs, given.live, given.words)


def readers(history: str) -> tuple[IndexReader, IndexReader]:
    """Ours and Whoosh's of the small corpus."""
    twins = small(history)
    return twins.ours.reader(), twins.theirs.reader()


def whoosh_schema() -> WhooshSchema:
    """The fields as Whoosh has them."""
    schema = WhooshSchema(**{name: STORED() for name in STORED_FIELDS})
    for field in FIELDS:
        schema.add(field.name, TEXT(analyzer=_ANALYZER, phrase=field.positions))
    return schema


def whoosh_reader(live: Files) -> IndexReader:
    """Whoosh's own index of files, one segment."""
    index = RamStorage().create_index(whoosh_schema())
    writer = index.writer(limitmb=64)
    for path in sorted(live, key=str.encode):
        for number, fields in enumerate(live[path]):
            where = (path, 10 * number + 1, 10 * number + 10, number + 7)
            words = {name: " ".join(words) for name, words in fields.items()}
            writer.add_document(**dict(zip(STORED_FIELDS, where, strict=True)), **words)
    writer.commit()
    return index.reader()
