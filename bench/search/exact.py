"""Compares exact and regex search of a whole tree with ripgrep in the same run.

    python -m bench.search.exact --root TREE --data FOLDER [--queries 150] [--seed 1]

FOLDER is the data folder of an index of TREE that `repo-mcp index` made. Queries are drawn from the
tree's own content with a fixed seed: words as often as they occur, words by their own, stretches of
a line, insides of words; calls of what begins alike, what ends alike, two words of one line. Each
is asked of ripgrep (`rg -n`, its output read through a pipe), of our engine for 50 lines and for
all. Where our answer is complete, its lines must be ripgrep's, in all files that both look at.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from bench import machine
from bench.timing import percentile
from index_format import Snapshot
from index_format.analysis.content import lines
from repo_mcp.budget import Budget
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.text.files import decode

RIPGREP: Final = shutil.which("rg") or "rg"
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN: Final = re.compile(r"\w+|[^\w\s]+")
_WARMING: Final = 12
_LEAST_LETTERS: Final = 3
_SHOWN: Final = 50

T = TypeVar("T")
Lines = set[tuple[str, int]]


class Query(NamedTuple):
    """A pattern to search for."""

    kind: str
    pattern: str
    regex: bool


class Timed(NamedTuple):
    """Wall time and processor time in seconds."""

    wall: float
    cpu: float


class Row(NamedTuple):
    """One query and its times."""

    query: Query
    ripgrep: Timed
    some: Timed
    every: Timed
    lines: int


class Source:
    """The text that queries are drawn from."""

    def __init__(self, snapshot: Snapshot, sandbox: Sandbox, chance: random.Random) -> None:
        """Choose uniformly from all indexed files."""
        self._paths = list(snapshot.paths())
        self._sandbox = sandbox
        self._chance = chance

    def line(self) -> str:
        """A line with at least one word."""
        while True:
            text = decode(self._sandbox.read(self._chance.choice(self._paths)).data)
            rows = lines(text.content) if text else []
            for _ in range(10 if rows else 0):
                row = self._chance.choice(rows)
                if self._long_words(row) and row.isascii():
                    return row

    def word(self) -> str:
        """A word as often as it occurs."""
        return self._chance.choice(self._long_words(self.line()))

    def rare_word(self) -> str:
        """The longest of some words: most are rare."""
        return max((self.word() for _ in range(4)), key=len)

    def snippet(self) -> str:
        """Two to five tokens of a line, and what is between them; one of them is a word."""
        while True:
            row = self.line()
            tokens = list(_TOKEN.finditer(row))
            first = self._chance.randrange(len(tokens))
            last = min(first + self._chance.randrange(1, 5), len(tokens) - 1)
            found = row[tokens[first].start() : tokens[last].end()]
            if last > first and self._long_words(found):
                return found

    def middle(self) -> str:
        """Four to eight letters from within a word."""
        word = self.rare_word()
        size = min(self._chance.randrange(4, 9), len(word))
        begin = self._chance.randrange(len(word) - size + 1)
        return word[begin : begin + size]

    def beginning(self) -> str:
        r"""Calls of what begins alike: `\bfoo_\w+\(`."""
        return rf"\b{self.compound().partition('_')[0]}_\w+\("

    def ending(self) -> str:
        r"""A query for all words with one ending after a word: `struct \w+_ops`."""
        return rf"\b{self.word()} \w+_{self.compound().rpartition('_')[2]}\b"

    def call(self) -> str:
        """A call of one function, however it is spaced."""
        return rf"\b{self.word()}\s*\("

    def two(self) -> str:
        """Two words of one line."""
        words = self._long_words(self.line())
        return f"{words[0]}.*{words[-1]}" if len(words) > 1 else words[0]

    def compound(self) -> str:
        """A word of several, with an underscore between them."""
        while True:
            word = self.word().strip("_")
            if "_" in word:
                return word

    def _long_words(self, row: str) -> list[str]:
        return [word for word in _WORD.findall(row) if len(word) >= _LEAST_LETTERS]


def queries(source: Source, count: int) -> Iterator[Query]:
    """The same number of queries of each kind."""
    literals = (source.word, source.rare_word, source.snippet, source.middle)
    expressions = (source.beginning, source.ending, source.call, source.two)
    for number in range(count):
        drawn = literals[number % len(literals)]
        yield Query(drawn.__name__, drawn(), regex=False)
        drawn = expressions[number % len(expressions)]
        yield Query(drawn.__name__, drawn(), regex=True)


def timed(work: Callable[[], T]) -> tuple[Timed, T]:
    """The time of a call, including processes that it starts."""
    wall, cpu = time.perf_counter(), _cpu()
    found = work()
    return Timed(time.perf_counter() - wall, _cpu() - cpu), found


def _cpu() -> float:
    own, children = (
        resource.getrusage(resource.RUSAGE_SELF),
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Bench:
    """Both engines on one tree."""

    def __init__(self, root: Path, data: Path) -> None:
        """Open the index."""
        made = services(Options(str(root), str(data), watch=False))
        snapshot = made.manager.snapshot()
        if snapshot is None:
            raise FileNotFoundError(data)
        self.snapshot, self.sandbox = snapshot, made.sandbox
        self.engine = ExactEngine(made.sandbox)
        self._root = root
        both = subprocess.run([RIPGREP, "--files"], cwd=root, capture_output=True, check=True)
        self._both = {*both.stdout.decode().splitlines()} & {*snapshot.paths()}

    def ours(self, query: Query, limit: int | None) -> ExactAnswer:
        """Our engine's answer."""
        asked = ExactQuery((query.pattern,), regex=query.regex, limit=limit)
        return self.engine.find(self.snapshot, asked, Budget())

    def ripgrep(self, query: Query) -> bytes:
        """Ripgrep's output."""
        how = [] if query.regex else ["-F"]
        command = [RIPGREP, "-n", "--no-heading", *how, "-e", query.pattern, "."]
        return subprocess.run(command, cwd=self._root, capture_output=True, check=False).stdout

    def row(self, query: Query, *, turned: bool) -> Row:
        """Run all queries; the engines take turns at being first."""
        before = timed(lambda: self.ripgrep(query)) if turned else None
        some, _ = timed(lambda: self.ours(query, _SHOWN))
        every, answer = timed(lambda: self.ours(query, None))
        ripgrep, output = before or timed(lambda: self.ripgrep(query))
        self.check(query, answer, output)
        return Row(query, ripgrep, some, every, len(answer.matches))

    def check(self, query: Query, answer: ExactAnswer, output: bytes) -> None:
        """Check that both found the same lines in the files that both search."""
        if not answer.complete:
            raise RuntimeError(query, answer.warnings)
        found = {(match.path, match.line) for match in answer.matches if match.path in self._both}
        wanted = {place for place in _places(output) if place[0] in self._both}
        if found != wanted:
            raise RuntimeError(query, sorted(found ^ wanted)[:5])


def _places(output: bytes) -> Iterator[tuple[str, int]]:
    for row in output.split(b"\n")[:-1]:
        path, number, _ = row.split(b":", 2)
        yield path.decode().removeprefix("./"), int(number)


def spread(rows: Sequence[Timed]) -> dict[str, float]:
    """Quantiles in milliseconds, and the processors' time."""
    wall = sorted(1000 * item.wall for item in rows)
    cpu = sorted(1000 * item.cpu for item in rows)
    return {
        "p50_ms": round(statistics.median(wall), 1),
        "p95_ms": round(percentile(wall, 0.95), 1),
        "max_ms": round(wall[-1], 1),
        "cpu_p50_ms": round(statistics.median(cpu), 1),
        "cpu_p95_ms": round(percentile(cpu, 0.95), 1),
    }


def summary(rows: Sequence[Row]) -> dict[str, object]:
    """Times of the queries, and their ratio."""
    ripgrep = spread([row.ripgrep for row in rows])
    found: dict[str, object] = {
        "queries": len(rows),
        "lines_p50": statistics.median(row.lines for row in rows),
        "ripgrep": ripgrep,
    }
    for name, times in (
        ("ours_50", [row.some for row in rows]),
        ("ours_all", [r.every for r in rows]),
    ):
        ours = spread(times)
        found[name] = ours
        for which in ("p50_ms", "p95_ms", "cpu_p50_ms", "cpu_p95_ms"):
            found[f"ripgrep_to_{name}_{which[:-3]}"] = round(ripgrep[which] / ours[which], 1)
    return found


def measured(bench: Bench, count: int, seed: int) -> dict[str, object]:
    """All figures."""
    warming = Source(bench.snapshot, bench.sandbox, random.Random(seed + 1))
    first = timed(lambda: bench.ours(Query("", warming.rare_word(), regex=False), _SHOWN))[0]
    for query in queries(warming, _WARMING // 2):
        bench.ours(query, _SHOWN)
        bench.ripgrep(query)
    source = Source(bench.snapshot, bench.sandbox, random.Random(seed))
    rows = [
        bench.row(query, turned=bool(number % 2))
        for number, query in enumerate(queries(source, count))
    ]
    kinds = dict.fromkeys(row.query.kind for row in rows)
    return {
        "files": bench.snapshot.file_count,
        "first_search_ms": round(1000 * first.wall, 1),
        "literals": summary([row for row in rows if not row.query.regex]),
        "expressions": summary([row for row in rows if row.query.regex]),
        "kinds": {kind: summary([row for row in rows if row.query.kind == kind]) for kind in kinds},
        "slowest": [
            [
                row.query.pattern,
                round(1000 * row.every.wall),
                round(1000 * row.ripgrep.wall),
                row.lines,
            ]
            for row in sorted(rows, key=lambda row: -row.every.wall)[:20]
        ],
    }


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    root = args.root.resolve()
    bench = Bench(root, args.data)
    version = subprocess.run([RIPGREP, "--version"], capture_output=True, text=True, check=True)
    figures = {
        "corpus": root.name,
        "ripgrep_version": version.stdout.split()[1],
        "seed": args.seed,
        **measured(bench, args.queries, args.seed),
    }
    print(machine.keep(f"exact-{root.name}", figures).read_text())


if __name__ == "__main__":
    main()
