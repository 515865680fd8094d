"""Searches on workers beside one machine: equal answers, how long they take, and a killed worker.

The index of the tree is made in many segments, as that of a tree with millions of files has.
Queries are drawn from the tree: words, questions, phrases, fields, prefixes, literals and
expressions. Each is answered here and by the workers, in turns, and answers are compared as a
whole. Then, while queries go on, a worker is killed with a signal: an answer is right, or says what
it lacks.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.timing import percentile
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.remote.cluster import DistributedSearch, ShardSource
from repo_mcp.search import SHARD_MISSING, ExactEngine, ExactQuery, RankedEngine
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.stored import TEXT_INDEX

_SEED: Final = 19
_TOP: Final = 10
_LINES: Final = 50
_WARM_UP: Final = 100
# of the queries meanwhile
_KILL_AFTER: Final = 0.1
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]{3,}")
_MOST_WORDS: Final = 12
KINDS: Final = ("words", "question", "phrase", "path", "symbol", "prefix", "literal", "regex")


class Query(NamedTuple):
    """A query and its kind."""

    kind: str
    text: str


class Searcher:
    """Ranked and exact search of one tree."""

    def __init__(self, parts: Services) -> None:
        self._ranked = RankedEngine(parts.sandbox, parts.languages)
        self._exact = ExactEngine(parts.sandbox)

    def find(self, query: Query, snapshot: Snapshot) -> tuple[object, bool]:
        """The whole answer as values that can be compared, and whether it lacks a share."""
        if query.kind in {"literal", "regex"}:
            wanted = ExactQuery((query.text,), regex=query.kind == "regex", limit=_LINES)
            found = self._exact.find(snapshot, wanted, Budget())
            answer: object = (list(found.matches), found.per_file, found.complete, found.warnings)
            codes = {item.code for item in found.warnings}
        else:
            ranked = self._ranked.search(snapshot, query.text, _TOP, None, Budget())
            answer, codes = ranked, {item.code for item in ranked.warnings}
        return answer, SHARD_MISSING in codes


def search(root: Path, keep: Path, workers: int, queries: int, segments: int) -> dict[str, Any]:
    """All figures, as values for JSON."""
    parts = services(Options(str(root), str(keep / "data")))
    snapshot = _built(parts, segments)
    drawn = list(_drawn(parts, snapshot, queries))
    searcher = Searcher(parts)
    folder = keep / "data" / TEXT_INDEX.folder
    search = DistributedSearch(f"local:{workers}", str(keep / "engine"), ShardSource(str(folder)))
    begun = time.monotonic()
    try:
        there = search.wait(snapshot)
        ready = time.monotonic() - begun
        for query in drawn[: min(_WARM_UP, queries // 5)]:
            searcher.find(query, snapshot)
            searcher.find(query, there)
        compared = _compare(searcher, drawn, snapshot, there)
        killed = _kill(searcher, drawn[: queries // 5], snapshot, there, search)
    finally:
        search.close()
    return {
        "machine": machine.described(),
        "corpus": root.name,
        "files": snapshot.file_count,
        "chunks": snapshot.chunk_count,
        "segments": len(snapshot.segments),
        "workers": workers,
        "seconds_until_ready": round(ready, 2),
        "kinds": dict(Counter(query.kind for query in drawn)),
        **compared,
        "one_worker_killed": killed,
    }


def _built(parts: Services, segments: int) -> Snapshot:
    """The index, in about so many segments; one that is there is taken as it is."""
    manager, forever = parts.manager, Budget()
    if manager.snapshot() is None:
        paths = sorted(manager.pending_files(forever))
        size = -(-len(paths) // segments)
        for at in range(0, len(paths), size):
            manager.refresh_paths(paths[at : at + size], forever, deep=True)
    snapshot = manager.snapshot()
    if snapshot is None:
        raise SystemExit("nothing to index")
    return snapshot


def _drawn(parts: Services, snapshot: Snapshot, count: int) -> Iterator[Query]:
    chance = random.Random(_SEED)
    paths = list(snapshot.paths())
    made = 0
    while made < count:
        path = chance.choice(paths)
        data = parts.sandbox.read(path, follow=False).data.decode("utf-8", "replace")
        words = _WORD.findall(chance.choice(data.split("\n")))[:_MOST_WORDS]
        if not words:
            continue
        kind, word = KINDS[made % len(KINDS)], chance.choice(words)
        text = {
            "words": " ".join(words[: chance.randint(1, 4)]),
            "question": " ".join(words),
            "phrase": f'"{" ".join(words[:2])}"',
            "path": f"path:{path.rpartition('/')[0] or path} {word}",
            "symbol": f"symbol:{word}",
            "prefix": f"{word[:4]}* {words[-1]}",
            "literal": word[1:],
            "regex": rf"{word[:3]}\w+\(",
        }[kind]
        yield Query(kind, text)
        made += 1


def _timed(
    searcher: Searcher, query: Query, snapshot: Snapshot
) -> tuple[tuple[object, bool], float, float]:
    """An answer, its seconds, and those of the processor in this process."""
    begun, cpu = time.perf_counter(), time.process_time()
    found = searcher.find(query, snapshot)
    return found, time.perf_counter() - begun, time.process_time() - cpu


def _compare(
    searcher: Searcher, drawn: list[Query], snapshot: Snapshot, there: Snapshot
) -> dict[str, Any]:
    took: dict[str, list[float]] = {"here": [], "spread": []}
    cpu: dict[str, list[float]] = {"here": [], "spread": []}
    differing: list[str] = []
    for query in drawn:
        answers = []
        for name, held in (("here", snapshot), ("spread", there)):
            found, seconds, processor = _timed(searcher, query, held)
            took[name].append(seconds)
            cpu[name].append(processor)
            answers.append(found)
        if answers[0] != answers[1]:
            differing.append(f"{query.kind}: {query.text}")
    return {
        "queries": len(drawn),
        "differing": differing,
        **{
            name: {
                "p50_ms": _ms(took[name], 0.5),
                "p95_ms": _ms(took[name], 0.95),
                "p50_cpu_ms": _ms(cpu[name], 0.5),
            }
            for name in took
        },
    }


def _ms(seconds: list[float], share: float) -> float:
    return round(1000 * percentile(seconds, share), 2)


def _kill(
    searcher: Searcher,
    drawn: list[Query],
    snapshot: Snapshot,
    there: Snapshot,
    search: DistributedSearch,
) -> dict[str, Any]:
    """Answers while a worker dies: right, or lacking a share and saying so, or wrong."""
    assert search.engine is not None
    victims = sorted(search.engine.process_ids().values())
    counts: Counter[str] = Counter()
    slowest = 0.0
    for number, query in enumerate(drawn):
        if number == int(len(drawn) * _KILL_AFTER):
            os.kill(victims[0], signal.SIGKILL)
        expected = searcher.find(query, snapshot)
        found, seconds, _ = _timed(searcher, query, there)
        slowest = max(slowest, seconds)
        counts["lacking" if found[1] else "right" if found == expected else "wrong"] += 1
    return {
        "queries": len(drawn),
        **{name: counts[name] for name in ("right", "lacking", "wrong")},
        "slowest_ms": round(1000 * slowest, 1),
    }
