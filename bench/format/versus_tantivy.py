"""Compares our index with tantivy's on the same chunks and words, in one run.

    python -m bench.format.versus_tantivy --chunks 1000000 --corpus TREE --keep FOLDER

Measured: building, size, opening with a first lookup in a fresh process, and the ten best chunks
for two words by both engines in turn, medians of several rounds. Words are drawn as they occur in
the text, so that frequent words are queried as often as people write them. The words are given to
both engines already split, so neither tokenises.
To conclude: the ratios; single times depend on the machine's other load.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import tantivy

from bench import machine
from bench.conftest import SCHEMA, Corpus
from bench.timing import fork, milliseconds, percentile
from index_format import FileStore, Index, Snapshot, WeightedTerm, top_chunks

_OPEN: Final = """
import sys, time
from index_format import FileStore, Index, Schema, Field, top_chunks, WeightedTerm
begin = time.perf_counter()
snapshot = Index(FileStore(sys.argv[1]), Schema((Field("body"),))).snapshot()
count = snapshot.counts(snapshot.postings(0, sys.argv[2].encode()))[0]
print((time.perf_counter() - begin) * 1000, count)
"""


@dataclass(frozen=True, slots=True)
class Built:
    """Figures of a build."""

    cpu_seconds: float
    wall_seconds: float
    index_bytes: int
    peak_rss_mib: int


def timed_build(build: Callable[[], object], folder: Path) -> Built:
    """Build in a separate process, so that time and memory are those of the build alone."""
    begin = time.perf_counter()
    child = fork(build)
    _, status, usage = os.wait4(child, 0)
    if status:
        message = f"the build ended with {status}"
        raise RuntimeError(message)
    size = sum(path.stat().st_size for path in folder.iterdir())
    cpu = usage.ru_utime + usage.ru_stime
    return Built(cpu, time.perf_counter() - begin, size, usage.ru_maxrss // 1024)


def build_tantivy(corpus: Corpus, folder: Path) -> None:
    """Index the same words, with positions, one thread."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", stored=False, tokenizer_name="whitespace")
    builder.add_unsigned_field("number", stored=True, indexed=False)
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(512_000_000, 1)
    number = 0
    for file in corpus.files():
        for words in file.chunks:
            entry = tantivy.Document()
            entry.add_text("body", " ".join(words))
            entry.add_unsigned("number", number)
            writer.add_document(entry)
            number += 1
    writer.commit()
    writer.wait_merging_threads()


def read_all(corpus: Corpus) -> int:
    """The common part of both builds: read the files and split the words."""
    return sum(len(words) for file in corpus.files() for words in file.chunks)


def queries(corpus: Corpus, count: int) -> list[tuple[str, str]]:
    """Pairs of different words, each drawn from all words of some files."""
    chosen = random.Random(20_260_101)
    files = [file for number, file in enumerate(corpus.files()) if number % 97 == 0]
    words = [word for file in files for chunk in file.chunks for word in chunk]
    pairs: list[tuple[str, str]] = []
    while len(pairs) < count:
        first, second = chosen.choice(words), chosen.choice(words)
        if first != second:
            pairs.append((first, second))
    return pairs


def time_queries(
    snapshot: Snapshot, folder: Path, pairs: Sequence[tuple[str, str]], rounds: int
) -> tuple[list[float], list[float]]:
    """Median milliseconds of each query, by our engine and tantivy in turn."""
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def by_tantivy(pair: tuple[str, str]) -> list[int]:
        query = index.parse_query(f'"{pair[0]}" "{pair[1]}"', ["body"])
        found = searcher.search(query, 10).hits
        return [searcher.doc(address)["number"][0] for _, address in found]

    def by_us(pair: tuple[str, str]) -> list[int]:
        terms = [WeightedTerm("body", word.encode()) for word in pair]
        return [hit.chunk for hit in top_chunks(snapshot, terms, 10)]

    ours: list[float] = []
    theirs: list[float] = []
    for pair in pairs:
        if len(by_us(pair)) != len(by_tantivy(pair)):
            message = f"{pair}: the engines find different numbers of chunks"
            raise RuntimeError(message)
        for ask, times in ((by_us, ours), (by_tantivy, theirs)):
            runs = (milliseconds(partial(ask, pair)) for _ in range(rounds))
            times.append(statistics.median(runs))
    return ours, theirs


def open_times(folder: Path, word: str, runs: int = 11) -> list[float]:
    """Milliseconds to open and find a word, each in a fresh process after its imports."""
    command = [sys.executable, "-c", _OPEN, str(folder), word]
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(runs)
    ]
    return [float(output[0]) for output in outputs]


def spread(times: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and maximum."""
    ordered = sorted(times)
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(percentile(ordered, 0.95), 3),
        "max": round(ordered[-1], 3),
    }


def measured(corpus: Corpus, keep: Path, count: int, rounds: int) -> dict[str, object]:
    """All figures; builds the indexes that don't exist yet."""
    root = corpus.root.name if corpus.root else "synthetic"
    name = f"{root}-{corpus.chunks}-{corpus.lines}"
    ours, theirs = keep / name, keep / f"{name}-tantivy"
    figures: dict[str, object] = {"corpus": root, "chunks": corpus.chunks, "lines": corpus.lines}
    if not ours.exists() or not theirs.exists():
        figures["build"] = build_both(corpus, ours, theirs)
    index = Index(FileStore(ours), SCHEMA)
    snapshot = index.snapshot()
    text = sum(file.size for file in corpus.files())
    size = sum(entry.length for entry in snapshot.manifest.segments)
    figures["index_share_of_text"] = {
        "ours": round(size / text, 4),
        "tantivy": round(sum(p.stat().st_size for p in theirs.iterdir()) / text, 4),
    }
    pairs = queries(corpus, count)
    figures["open_and_first_lookup_ms"] = spread(open_times(ours, pairs[0][0]))
    mine, other = time_queries(snapshot, theirs, pairs, rounds)
    ratios = [a / b for a, b in zip(mine, other, strict=True)]
    figures["two_words_top_10_ms"] = {"ours": spread(mine), "tantivy": spread(other)}
    figures["ratio_of_medians"] = round(statistics.median(mine) / statistics.median(other), 2)
    figures["median_of_ratios"] = round(statistics.median(ratios), 2)
    return figures


def build_both(corpus: Corpus, ours: Path, theirs: Path) -> dict[str, object]:
    """Build both indexes, and measure reading and splitting the words alone."""
    theirs.mkdir(parents=True, exist_ok=True)
    reading = timed_build(lambda: read_all(corpus), theirs)
    us = timed_build(lambda: corpus.build(FileStore(ours)), ours)
    them = timed_build(lambda: build_tantivy(corpus, theirs), theirs)
    return {
        "reading_and_cutting": {
            "cpu_s": round(reading.cpu_seconds, 1),
            "peak_rss_mib": reading.peak_rss_mib,
        },
        "ours": {"cpu_s": round(us.cpu_seconds, 1), "peak_rss_mib": us.peak_rss_mib},
        "tantivy": {"cpu_s": round(them.cpu_seconds, 1), "peak_rss_mib": them.peak_rss_mib},
    }


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path, default=None)
    parser.add_argument("--lines", type=int, default=30)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, required=True)
    args = parser.parse_args()
    corpus = Corpus(args.corpus, args.chunks, args.lines)
    figures = measured(corpus, args.keep, args.queries, args.rounds)
    path = machine.keep(f"versus-tantivy-{figures['corpus']}-{args.chunks}", figures)
    print(path.read_text())


if __name__ == "__main__":
    main()
