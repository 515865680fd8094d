"""Compares keyword search of the toolset `retrieval` on two trees with ripgrep in the same run.

    python -m bench.search.retrieval --docs TREE --code TREE --data FOLDER [--queries 200]

FOLDER keeps the indexes between runs; they are built when they are not there. Queries are drawn
from the trees' own content with a fixed seed: words as often as they occur, words by their own,
insides of words, phrases of a line, two words of one line; a sixth are words that are nowhere. Each
is a call of `search` as a client makes it, for 200 matches in both repos or in the code alone, in
any letter case. The first ones of a process are given on their own (`warming`). Ripgrep is asked
for all such lines of the same folders: in the order of their paths (`--sort path`, one thread) and
in any order (all cores). Our matches must be the first ones of ripgrep's, in the files that both
look at.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.search.exact import RIPGREP, Source, Timed, spread, timed
from index_format import Snapshot
from repo_mcp.app import App
from repo_mcp.repository import Repository
from repo_mcp.settings import Options
from repo_mcp.settings.retrieval_roots import NAMES
from repo_mcp.toolsets.retrieval.root import is_shown

_KINDS: Final = ("word", "rare_word", "middle", "snippet", "two_words", "nowhere")
_WARMING: Final = 60
_SECONDS: Final = 600.0
_POLL: Final = 0.5

Place = tuple[str, str, int]


class Query(NamedTuple):
    """A query and the repositories to search."""

    kind: str
    words: tuple[str, ...]
    repo: str

    @property
    def text(self) -> str:
        """The query text as a client writes it."""
        return " ".join(_quoted(word) for word in self.words)

    @property
    def for_ripgrep(self) -> list[str]:
        """Options for lines with all words: of several they are plain."""
        if len(self.words) == 1:
            return ["-F", "-e", self.words[0]]
        return ["-e", on_one_line(*self.words)]


def on_one_line(first: str, second: str) -> str:
    """An expression for lines that hold both words, apart or sharing characters."""
    if first.lower() in second.lower():
        return re.escape(second)
    if second.lower() in first.lower():
        return re.escape(first)
    return "|".join([*_one_then_other(first, second), *_one_then_other(second, first)])


def _one_then_other(left: str, right: str) -> Iterator[str]:
    yield f"{re.escape(left)}.*{re.escape(right)}"
    for size in range(1, min(len(left), len(right))):
        if left.lower().endswith(right[:size].lower()):
            yield re.escape(left + right[size:])


class Row(NamedTuple):
    """One query and its times."""

    query: Query
    ours: Timed
    sorted: Timed
    parallel: Timed
    matches: int


def _quoted(word: str) -> str:
    escaped = word.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


class Bench:
    """The toolset as a server has it, and the folders it serves."""

    def __init__(self, docs: Path, code: Path, data: Path) -> None:
        """Serve them, and wait until both are indexed."""
        data.mkdir(parents=True, exist_ok=True)
        (data / "elsewhere").mkdir(exist_ok=True)
        self.folders = {"docs": docs, "code": code}
        options = Options(
            str(data / "elsewhere"),
            str(data / "data"),
            toolsets=("retrieval",),
            docs_root=str(docs),
            code_root=str(code),
        )
        self._app = App(options)
        self.first = timed(lambda: self.call(Query("", ("the",), "both")))[0]
        self.snapshots = dict(self._indexed())
        self._both = {
            name: self._listed(name) & set(snapshot.paths())
            for name, snapshot in self.snapshots.items()
        }

    def _indexed(self) -> Iterator[tuple[str, Snapshot]]:
        end = time.monotonic() + _SECONDS
        for name, repository in self._repositories().items():
            manager = repository.manager
            while manager.state().status != "ready" or manager.state().progress is not None:
                if time.monotonic() > end:
                    raise TimeoutError(name)
                time.sleep(_POLL)
            snapshot = manager.snapshot()
            if snapshot is not None:
                yield name, snapshot

    def _repositories(self) -> dict[str, Repository]:
        retrieval = self._app._retrieval  # noqa: SLF001 a client can't ask how far it is
        if retrieval is None:
            raise RuntimeError
        return {name: retrieval.roots[name].open().repository for name in NAMES}

    def _listed(self, name: str) -> set[str]:
        folder = self.folders[name]
        done = subprocess.run([RIPGREP, "--files"], cwd=folder, capture_output=True, check=True)
        return {path for path in done.stdout.decode().splitlines() if is_shown(path)}

    def source(self, name: str, chance: random.Random) -> Source:
        """The text that queries are drawn from."""
        return Source(self.snapshots[name], self._repositories()[name].sandbox, chance)

    def call(self, query: Query) -> dict[str, Any]:
        """Our answer, as clients get it."""
        arguments = {"query": query.text, "repo": query.repo}
        found: dict[str, Any] = self._app.call("search", arguments, lambda: False)
        envelope: dict[str, Any] = found["structuredContent"]
        if "error" in envelope:
            raise RuntimeError(query, envelope)
        return envelope

    def ripgrep(self, query: Query, *how: str) -> list[Place]:
        """The matching lines, repo by repo."""
        found: list[Place] = []
        for name in NAMES:
            if query.repo in {name, "both"}:
                found += ((name, *place) for place in self._lines(name, query, how))
        return found

    def _lines(self, name: str, query: Query, how: Sequence[str]) -> Iterator[tuple[str, int]]:
        command = [RIPGREP, "-i", "-n", "--no-heading", *how]
        command += [*query.for_ripgrep, "."]
        done = subprocess.run(command, cwd=self.folders[name], capture_output=True, check=False)
        for row in done.stdout.split(b"\n")[:-1]:
            path, number, _ = row.split(b":", 2)
            yield path.decode().removeprefix("./"), int(number)

    def rows(self, drawn: Sequence[Query]) -> list[Row]:
        """Run all queries on one engine, then on the next, so that none evicts another's caches."""
        ours = [timed(partial(self.call, query)) for query in drawn]
        ordered = [timed(partial(self.ripgrep, query, "--sort", "path")) for query in drawn]
        parallel = [timed(partial(self.ripgrep, query)) for query in drawn]
        found: list[Row] = []
        for query, mine, theirs, quick in zip(drawn, ours, ordered, parallel, strict=True):
            self.check(query, mine[1], theirs[1])
            count = len(mine[1]["result"]["matches"])
            found.append(Row(query, mine[0], theirs[0], quick[0], count))
        return found

    def check(self, query: Query, envelope: dict[str, Any], lines: list[Place]) -> None:
        """Check that ours are the first of ripgrep's, or all, in the files that both search."""
        if envelope["result"]["scope"] == "file":
            if lines:
                raise RuntimeError(query, lines[:3])
            return
        matches = envelope["result"]["matches"]
        ours = [(item["repo"], item["path"], item["line"]) for item in matches]
        kept = [place for place in ours if place[1] in self._both[place[0]]]
        rank = {name: number for number, name in enumerate(NAMES)}
        theirs = [place for place in lines if place[1] in self._both[place[0]]]
        theirs.sort(key=lambda place: (rank[place[0]], place[1].encode(), place[2]))
        if envelope["meta"]["truncated"]:
            theirs = theirs[: len(kept)]
        if kept != theirs:
            raise RuntimeError(query, kept[:3], theirs[:3])


def queries(bench: Bench, count: int, seed: int) -> Iterator[Query]:
    """The same number of queries of each kind."""
    chance = random.Random(seed)
    sources = {name: bench.source(name, chance) for name in NAMES}
    for number in range(count):
        kind = _KINDS[number % len(_KINDS)]
        source = sources[chance.choice(NAMES)]
        repo = chance.choice(("both", "code"))
        if kind == "two_words":
            line = source.line()
            words = re.findall(r"[A-Za-z_]\w{2,}", line)
            two = tuple(dict.fromkeys((words[0], words[-1]))) if words else ("none",)
            yield Query(kind, two, repo)
        elif kind == "nowhere":
            yield Query(kind, (f"{source.word()}zq{number}",), repo)
        else:
            yield Query(kind, (getattr(source, kind)(),), repo)


def summary(rows: Sequence[Row]) -> dict[str, object]:
    """Times of the queries."""
    return {
        "queries": len(rows),
        "matches_p50": statistics.median(row.matches for row in rows),
        "ours": spread([row.ours for row in rows]),
        "ripgrep_sorted": spread([row.sorted for row in rows]),
        "ripgrep": spread([row.parallel for row in rows]),
    }


def lines_of(folder: Path, paths: set[str]) -> int:
    """Lines of these files."""
    return sum((folder / path).read_bytes().count(b"\n") for path in paths)


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    bench = Bench(args.docs.resolve(), args.code.resolve(), args.data)
    early = [*queries(bench, _WARMING, args.seed + 1)]
    warming = [timed(partial(bench.call, query))[0] for query in early]
    drawn = [*queries(bench, args.queries, args.seed)]
    rows = bench.rows(drawn)
    version = subprocess.run([RIPGREP, "--version"], capture_output=True, text=True, check=True)
    figures = {
        "docs": args.docs.name,
        "code": args.code.name,
        "files": {name: item.file_count for name, item in bench.snapshots.items()},
        "lines": {
            name: lines_of(bench.folders[name], set(item.paths()))
            for name, item in bench.snapshots.items()
        },
        "ripgrep_version": version.stdout.split()[1],
        "seed": args.seed,
        "first_search_ms": round(1000 * bench.first.wall, 1),
        "warming": spread(warming),
        "all": summary(rows),
        "kinds": {
            kind: summary([row for row in rows if row.query.kind == kind]) for kind in _KINDS
        },
        "slowest": [
            [row.query.text, round(1000 * row.ours.wall, 1), round(1000 * row.sorted.wall, 1)]
            for row in sorted(rows, key=lambda row: -row.ours.wall)[:10]
        ],
    }
    name = f"retrieval-{args.docs.name}-{args.code.name}"
    print(machine.keep(name, figures).read_text())


if __name__ == "__main__":
    main()
