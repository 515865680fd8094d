"""Measures how long searches of a tree take, in processor and wall time, with a digest of answers.

    python -m bench.search.latency --root TREE --data FOLDER [--queries 300] [--rounds 5]
        [--words 20] [--only ranked|first|mcp|listings|size]

FOLDER is the data folder of a finished index of TREE. Measured are, each as the median of rounds:

- whole ranked answers, for the queries of `bench.search.ranked`; in the round `first` the index was
  just opened, in the others all words were asked for before;
- the same queries as calls of a server, in turns with the search alone: what MCP adds is the round
  trip of `repo.search`, as its client sees it, less that search;
- the first literal search of a process, less the second one, in a fresh process each;
- all lines of the words that most chunks hold, and of words as often as they occur, compared with
  ripgrep in the same run, in three rounds; the lines must be ripgrep's, and processor time is that
  of all threads and processes;
- the size of the index by section, compared with the text.

Answers are equal before and after a change if the digests are. To conclude: processor times of one
machine, and the ratio to ripgrep.
"""

from __future__ import annotations

import argparse
import hashlib
import heapq
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from bench import machine
from bench.costs.server import Server
from bench.search.exact import Bench, Query, Source, Timed, timed
from bench.search.ranked import drawn
from bench.timing import milliseconds, percentile
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import ExactEngine, ExactQuery, RankedEngine
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import BODY

_TOP: Final = 10
_SHOWN: Final = 50
_FRESH: Final = 7
_LITERALS: Final = ("return 0", "kfree(", "mutex_unlock")
_COMMON: Final = 10
# a round of listings takes a minute or two on a tree of 900 MB
_LISTING_ROUNDS: Final = 3
_LEAST_LETTERS: Final = 3
_OWN: Final = "--first-literal"
_SERVER: Final = (sys.executable, "-P", "-m", "repo_mcp", "serve")

Figures = dict[str, object]


def spread(rounds: Sequence[Sequence[Timed]]) -> Figures:
    """Medians over rounds of each round's median and 95th percentile."""
    found: Figures = {}
    for name in ("cpu", "wall"):
        times = [[1000 * float(getattr(item, name)) for item in each] for each in rounds]
        found[f"{name}_p50_ms"] = round(statistics.median(map(statistics.median, times)), 2)
        worst = [percentile(each, 0.95) for each in times]
        found[f"{name}_p95_ms"] = round(statistics.median(worst), 2)
    return found


def measured(work: Callable[[], object]) -> Timed:
    """The wall time of a call, and the processor time of this thread."""
    wall, cpu = time.perf_counter(), time.thread_time()
    work()
    return Timed(time.perf_counter() - wall, time.thread_time() - cpu)


def ranked(root: str, data: str, count: int, rounds: int) -> Figures:
    """Whole ranked answers."""
    found = services(Options(root, data, watch=False))
    snapshot = _snapshot(root, data)
    engine = RankedEngine(found.sandbox, found.languages)
    queries = drawn(found, snapshot, count)
    digest = hashlib.sha256()

    def answer(query: str) -> object:
        return engine.search(snapshot, query, _TOP, None, Budget())

    first = [measured(lambda query=query: answer(query)) for query in queries]  # type: ignore[misc] # called at once
    for query in queries:
        found_now = engine.search(snapshot, query, _TOP, None, Budget(), explain=True)
        digest.update(repr((found_now.hits, found_now.warnings)).encode("utf-8", "replace"))
    again = [
        [measured(lambda query=query: answer(query)) for query in queries]  # type: ignore[misc] # as above
        for _ in range(rounds)
    ]
    return {"first": spread([first]), **spread(again), "digest": digest.hexdigest()}


def _snapshot(root: str, data: str) -> Snapshot:
    snapshot = services(Options(root, data, watch=False)).manager.snapshot()
    if snapshot is None:
        raise SystemExit("index the tree first")
    return snapshot


def over_mcp(root: str, data: str, count: int, rounds: int) -> Figures:
    """The time that a server adds to a search; each query runs both ways in turns."""
    found = services(Options(root, data, watch=False))
    snapshot = _snapshot(root, data)
    engine = RankedEngine(found.sandbox, found.languages)
    queries = drawn(found, snapshot, count)
    command = [*_SERVER, "--repo-root", root, "--data-dir", data, "--no-watch"]
    alone: list[list[float]] = []
    called: list[list[float]] = []
    with Server(command, Path(root), os.environ) as client:
        for number in range(rounds + 1):
            taken = [
                (
                    milliseconds(lambda: engine.search(snapshot, query, _TOP, None, Budget())),  # noqa: B023 called at once
                    milliseconds(lambda: client.call("repo.search", {"query": query})),  # noqa: B023 as above
                )
                for query in queries
            ]
            if number:  # in the first round the words are new
                alone.append([search for search, _ in taken])
                called.append([call for _, call in taken])
    more = [
        [call - search for call, search in zip(calls, searches, strict=True)]
        for calls, searches in zip(called, alone, strict=True)
    ]
    return {
        "search_p50_ms": _median_of_medians(alone),
        "round_trip_p50_ms": _median_of_medians(called),
        "added_p50_ms": _median_of_medians(more),
    }


def _median_of_medians(rounds: Sequence[Sequence[float]]) -> float:
    return round(statistics.median(map(statistics.median, rounds)), 2)


def first_literal(root: str, data: str) -> Figures:
    """Processor time by which the first literal search of a process exceeds the second."""
    found: Figures = {}
    for literal in _LITERALS:
        command = [sys.executable, "-m", "bench.search.latency", "--root", root, "--data", data]
        runs = [
            json.loads(subprocess.check_output([*command, _OWN, literal])) for _ in range(_FRESH)
        ]
        more = [first - second for first, second in runs]
        found[literal] = {
            "more_cpu_ms": round(1000 * statistics.median(more), 1),
            "second_cpu_ms": round(1000 * statistics.median(second for _, second in runs), 1),
        }
    return found


def two_literals(root: str, data: str, literal: str) -> list[float]:
    """Processor time of a process's first two searches for a literal."""
    found = services(Options(root, data, watch=False))
    snapshot, engine = _snapshot(root, data), ExactEngine(found.sandbox)
    taken: list[float] = []
    for _ in range(2):
        before = time.process_time()
        engine.find(snapshot, ExactQuery((literal,), regex=False, limit=_SHOWN), Budget())
        taken.append(time.process_time() - before)
    return taken


def listings(root: Path, data: Path, count: int, rounds: int) -> Figures:
    """All lines of words, by our engine and by ripgrep in turn."""
    bench = Bench(root, data)
    source = Source(bench.snapshot, bench.sandbox, random.Random(1))
    kinds = {
        "commonest": commonest(bench.snapshot),
        "drawn": [source.word() for _ in range(count)],
    }
    found: Figures = {}
    for kind, words in kinds.items():
        asked = [Query(kind, word, regex=False) for word in words]
        digest = hashlib.sha256()
        for query in asked:
            answer = bench.ours(query, None)
            bench.check(query, answer, bench.ripgrep(query))
            digest.update(repr([(item.path, item.line) for item in answer.matches]).encode())
        ours: list[list[Timed]] = []
        theirs: list[list[Timed]] = []
        for _ in range(rounds):
            ours.append([])
            theirs.append([])
            for query in asked:
                ours[-1].append(timed(lambda query=query: bench.ours(query, None))[0])  # type: ignore[misc] # as above
                theirs[-1].append(timed(lambda query=query: bench.ripgrep(query))[0])  # type: ignore[misc] # as above
        found[kind] = {
            "ours": spread(ours),
            "ripgrep": spread(theirs),
            "digest": digest.hexdigest(),
        }
        found[kind]["cpu_p95_to_ripgrep"] = round(  # type: ignore[index] # it is a mapping
            _p95(ours) / _p95(theirs), 2
        )
    return found


def _p95(rounds: Sequence[Sequence[Timed]]) -> float:
    return statistics.median(percentile([item.cpu for item in each], 0.95) for each in rounds)


def commonest(snapshot: Snapshot, most: int = _COMMON) -> list[str]:
    """The words that most chunks hold."""
    field = snapshot.schema.number(BODY) or 0
    counts: Counter[bytes] = Counter()
    for segment in snapshot.segments:
        for page, _ in segment.reader.field(field).terms.pages_from(b""):
            for term, chunks in zip(page.terms, page.chunks.tolist(), strict=True):
                if len(term) >= _LEAST_LETTERS and term.isalpha():
                    counts[term] += chunks
    best = heapq.nsmallest(most, counts.items(), key=lambda item: (-item[1], item[0]))
    return [term.decode() for term, _ in best]


def size(snapshot: Snapshot) -> Figures:
    """Bytes of the index by section, and of the indexed text."""
    sections: Counter[str] = Counter()
    for segment in snapshot.segments:
        for section in segment.reader.frame.sections:
            sections[section.label] += section.length
    text = sum(int(item.reader.files.sizes().sum()) for item in snapshot.segments)
    whole = sum(item.reader.frame.length for item in snapshot.segments)
    largest: Iterable[tuple[str, int]] = sections.most_common(12)
    return {
        "text_bytes": text,
        "index_bytes": whole,
        "index_to_text": round(whole / text, 3),
        "largest_sections": dict(largest),
    }


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("ranked", "first", "mcp", "listings", "size"))
    parser.add_argument(_OWN, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.first_literal:
        print(json.dumps(two_literals(args.root, args.data, args.first_literal)))
        return
    parts: dict[str, Callable[[], Figures]] = {
        "ranked": lambda: ranked(args.root, args.data, args.queries, args.rounds),
        "mcp": lambda: over_mcp(args.root, args.data, args.queries, args.rounds),
        "first_literal": lambda: first_literal(args.root, args.data),
        "listings": lambda: listings(
            Path(args.root).resolve(),
            Path(args.data),
            args.words,
            min(args.rounds, _LISTING_ROUNDS),
        ),
        "size": lambda: size(_snapshot(args.root, args.data)),
    }
    name = f"latency-{Path(args.root).name}"
    figures: Figures = {"corpus": Path(args.root).name, "queries": args.queries}
    for part, measure in parts.items():
        if args.only in (None, part, part.partition("_")[0]):
            figures[part] = measure()
            print(part, json.dumps(figures[part], indent=2), flush=True)
    figures["memory_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    if args.only is None:
        print(machine.keep(name, figures))


if __name__ == "__main__":
    main()
