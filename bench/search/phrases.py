"""Measures phrase queries of a tree, beside tantivy's of the same files.

    python -m bench.search.phrases --root TREE --data FOLDER [--keep FOLDER] [--queries 40]
        [--rounds 3]

FOLDER of `--data` is the data folder of a finished index of TREE; `--keep` has tantivy's index, or
gets it (whole files, its default tokenizer, positions). Phrases are drawn from the tree with a
fixed seed, as many of each kind:

- `drawn`: two to four words of a line as they stand there;
- `common`: the same, of the words that most chunks hold;
- `rare`: the same, with a long word;
- `across`: the last word of a line and the first of the next;
- `chance`: common words put together by chance, which are mostly nowhere;
- `with_word`: as drawn, with another word of the line.

Ours are whole answers, ten passages from the files as they are now; tantivy's are its ten best
files. Each query is asked of one after the other, in some rounds. Files that are shown have to hold
the phrase; a digest of our answers says whether two versions give the same. To conclude: the times
of one run, and the ratio of medians.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import tantivy

from bench import machine
from bench.index.building import by_tantivy
from bench.search.latency import commonest
from bench.timing import percentile
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.model import SearchAnswer
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import RankedEngine
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.text.files import decode

_TOP: Final = 10
_SEED: Final = 69
_COMMON: Final = 150
_RARE: Final = 12
_MOST_WORDS: Final = 4
_WORD: Final = re.compile(r"\w+")

Figures = dict[str, object]


class Phrases(NamedTuple):
    """Queries of one kind, and the phrase of each."""

    kind: str
    queries: list[tuple[str, str]]


class Source:
    """The text that phrases are drawn from."""

    def __init__(self, found: Services, snapshot: Snapshot) -> None:
        """Choose uniformly from all indexed files."""
        self._sandbox = found.sandbox
        self._paths = list(snapshot.paths())
        self._common = commonest(snapshot, _COMMON)
        self._chance = random.Random(_SEED)

    def phrases(self, count: int) -> list[Phrases]:
        """As many queries of each kind."""
        draws: dict[str, Callable[[], tuple[str, str] | None]] = {
            "drawn": lambda: _quoted(self._stretch(self._lines()[0])),
            "common": self._all_common,
            "rare": lambda: _quoted(self._stretch(self._lines()[0], self._is_rare)),
            "across": self._across,
            "chance": self._by_chance,
            "with_word": self._with_word,
        }
        return [Phrases(kind, self._different(draw, count)) for kind, draw in draws.items()]

    @staticmethod
    def _different(draw: Callable[[], tuple[str, str] | None], count: int) -> list[tuple[str, str]]:
        found: dict[tuple[str, str], None] = {}
        while len(found) < count:
            query = draw()
            if query is not None:
                found[query] = None
        return list(found)

    def _lines(self) -> tuple[str, str]:
        """A line that is not blank, and the next one."""
        while True:
            text = decode(self._sandbox.read(self._chance.choice(self._paths), follow=False).data)
            rows = [row for row in text.content.split("\n") if row.strip()] if text else []
            if len(rows) > 1:
                at = self._chance.randrange(len(rows) - 1)
                return rows[at], rows[at + 1]

    def _stretch(self, row: str, fits: Callable[[list[str]], bool] = lambda _: True) -> str | None:
        """Two to four words of a line, and what is between them."""
        words = list(_WORD.finditer(row))
        size = self._chance.randint(2, _MOST_WORDS)
        if len(words) < size:
            return None
        begin = self._chance.randrange(len(words) - size + 1)
        chosen = words[begin : begin + size]
        if not fits([word.group().lower() for word in chosen]):
            return None
        return row[chosen[0].start() : chosen[-1].end()]

    def _all_common(self) -> tuple[str, str] | None:
        common = set(self._common)
        return _quoted(self._stretch(self._lines()[0], common.issuperset))

    def _is_rare(self, words: list[str]) -> bool:
        return any(len(word) > _RARE for word in words)

    def _across(self) -> tuple[str, str] | None:
        one, other = self._lines()
        last, first = re.search(r"\w+$", one), re.match(r"\s*(\w+)", other)
        return _quoted(f"{last.group()} {first.group(1)}") if last and first else None

    def _by_chance(self) -> tuple[str, str] | None:
        words = self._chance.sample(self._common, self._chance.randint(2, 3))
        return _quoted(" ".join(words))

    def _with_word(self) -> tuple[str, str] | None:
        row = self._lines()[0]
        quoted = _quoted(self._stretch(row))
        words = [word for word in _WORD.findall(row) if quoted and word not in quoted[1]]
        if quoted is None or not words:
            return None
        return f"{quoted[0]} {self._chance.choice(words)}", quoted[1]


def _quoted(phrase: str | None) -> tuple[str, str] | None:
    """A query for a phrase, and the phrase; None for what is no phrase."""
    if phrase is None or '"' in phrase or "\\" in phrase or not re.search(r"\s", phrase):
        return None
    return f'"{phrase}"', phrase


class Timed(NamedTuple):
    """Wall time and processor time of this process, in milliseconds."""

    wall: float
    cpu: float


def timed(work: Callable[[], object]) -> Timed:
    """The times of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Timed(1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu))


def spread(times: list[Timed]) -> Figures:
    """Median, 95th percentile and maximum."""
    found: Figures = {}
    for name in Timed._fields:
        values = [getattr(item, name) for item in times]
        found |= {
            f"{name}_p50_ms": round(statistics.median(values), 2),
            f"{name}_p95_ms": round(percentile(values, 0.95), 2),
            f"{name}_max_ms": round(max(values), 2),
        }
    return found


def check(answer: SearchAnswer, phrase: str, sandbox: Sandbox) -> None:
    """Every hit is of a file that holds the phrase."""
    expected = " ".join(phrase.lower().split())
    for hit in answer.hits:
        text = decode(sandbox.read(hit.path, follow=False).data)
        if text is None or expected not in " ".join(text.content.lower().split()):
            raise SystemExit(f"{hit.path} has no {phrase!r}")


def files_of_tantivy(folder: Path) -> Callable[[str], list[str]]:
    """Its ten best files with a phrase."""
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def search(phrase: str) -> list[str]:
        words = " ".join(_WORD.findall(phrase.replace("_", " ").lower()))
        parsed, _ = index.parse_query_lenient(f'"{words}"', ["body"])
        hits = searcher.search(parsed, _TOP).hits
        return [str(searcher.doc(address)["path"][0]) for _, address in hits]

    return search


def measured(
    kinds: list[Phrases],
    ours: Callable[[str], SearchAnswer],
    theirs: Callable[[str], object] | None,
    sandbox: Sandbox,
    rounds: int,
) -> Iterator[tuple[str, Figures]]:
    """The figures of each kind."""
    for kind, queries in kinds:
        digest = hashlib.sha256()
        found = none = partial = 0
        for query, phrase in queries:
            answer = ours(query)
            check(answer, phrase, sandbox)
            digest.update(repr((answer.hits, answer.warnings)).encode("utf-8", "replace"))
            found += len(answer.hits)
            none += not answer.hits
            partial += any(item.code == "phrase" for item in answer.warnings)
        own: list[Timed] = []
        other: list[Timed] = []
        for _ in range(rounds):
            for query, phrase in queries:
                own.append(timed(lambda query=query: ours(query)))  # type: ignore[misc] # called at once
                if theirs is not None:
                    other.append(timed(lambda phrase=phrase: theirs(phrase)))  # type: ignore[misc] # as above
        figures: Figures = {"ours": spread(own), "digest": digest.hexdigest()[:16]}
        figures |= {"hits": found, "without_hits": none, "not_all_read": partial}
        yield kind, figures | ({"tantivy": spread(other)} if other else {})


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    found = services(Options(args.root, args.data, watch=False))
    snapshot = found.manager.snapshot()
    if snapshot is None:
        raise SystemExit("index the tree first")
    theirs = None
    if args.keep is not None:
        kept = args.keep / "tantivy"
        if not kept.exists():
            kept.mkdir(parents=True)
            by_tantivy(Path(args.root), kept)
        theirs = files_of_tantivy(kept)
    engine = RankedEngine(found.sandbox, found.languages)
    kinds = Source(found, snapshot).phrases(args.queries)
    figures: Figures = {"corpus": Path(args.root).name, "queries": args.queries}

    def ours(query: str) -> SearchAnswer:
        return engine.search(snapshot, query, _TOP, None, Budget())

    for kind, row in measured(kinds, ours, theirs, found.sandbox, args.rounds):
        figures[kind] = row
        print(kind, json.dumps(row), flush=True)
    print(machine.keep(f"phrases-{Path(args.root).name}", figures))


if __name__ == "__main__":
    main()
