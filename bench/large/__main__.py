"""Asks a server of a very large tree what other programs know, and counts right answers.

    python -m bench.large TREE --data FOLDER --keep FOLDER [--count 60] [--cold 5] [--show]
        [--callers SUBFOLDER DATA] [--kind KIND] [--record NAME]

TREE is that of `bench.corpora.source_packages`, and `--data` its index, built by `repo-mcp index`.
Kinds of questions, `--count` of each, always the same ones, and who knows their answers:

* definitions: a bare name; universal-ctags. The first hit has to hold the line of a definition.
* settings: a name as code has it; Kconfig and CMake files. The first hit holds its declaration.
* texts: literals and patterns drawn from lines; ripgrep. All lines are counted, none is added.
* commits: messages of the patches that Debian carries; their files. The first hit is in one.
* callers: C functions of a subfolder that has an index with a graph of its own; cscope. All
  functions that call are listed. cscope knows neither scopes nor macros: read the differences.

The first `--cold` questions of a kind are asked each of a server that is started for it, with
nothing of the disk in memory where that may be dropped; the others of one server that runs. Times
of cold questions begin with the start of the process.
To conclude: right answers by kind, bytes and seconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.costs.server import Server
from bench.large import drawing
from bench.large.question import Question, Verdict
from bench.large.servers import IndexedTree, drop_caches
from bench.timing import percentile
from repo_mcp.services import services
from repo_mcp.settings import Options

KINDS: Final = ("definitions", "settings", "texts", "commits", "callers")


class JudgedAnswer(NamedTuple):
    """A question, how it was answered, and what that took."""

    question: Question
    verdict: Verdict
    size: int
    seconds: float
    is_cold: bool


def ask(server: Server, question: Question, begin: float, *, is_cold: bool) -> JudgedAnswer:
    """Ask a question; its time begins at `begin`."""
    answer = server.call(question.tool, question.arguments)
    seconds = time.perf_counter() - begin
    verdict = question.oracle.judge(answer.data.get("result", {}))
    return JudgedAnswer(question, verdict, answer.sizes.text, seconds, is_cold)


def ask_all(tree: IndexedTree, questions: Sequence[Question], cold: int) -> Iterator[JudgedAnswer]:
    """Ask the first questions cold, and the others of one server."""
    for question in questions[:cold]:
        drop_caches()
        begin = time.perf_counter()
        with tree.start() as server:
            yield ask(server, question, begin, is_cold=True)
    with tree.start() as server:
        for question in questions[:cold]:  # what is read once for each kind is read now
            server.call(question.tool, question.arguments)
        for question in questions[cold:]:
            yield ask(server, question, time.perf_counter(), is_cold=False)
        if questions:
            print(f"{questions[0].kind}: {_peak_mib(server)} MiB at most", file=sys.stderr)


def _peak_mib(server: Server) -> int:
    lines = Path(f"/proc/{server.process_id}/status").read_text("ascii").splitlines()
    return int(dict(line.split(":", 1) for line in lines)["VmHWM"].split()[0]) >> 10


def figures(asked: Sequence[JudgedAnswer]) -> dict[str, Any]:
    """Right answers, bytes and seconds of the questions of a kind."""
    cold = [row.seconds for row in asked if row.is_cold]
    warm = [row.seconds for row in asked if not row.is_cold]
    return {
        "asked": len(asked),
        "right_first": sum(row.verdict.first for row in asked),
        "right_listed": sum(row.verdict.listed for row in asked),
        "bytes_p50": round(statistics.median(row.size for row in asked)),
        "cold_p50_s": round(statistics.median(cold), 2) if cold else None,
        "cold_max_s": round(max(cold), 2) if cold else None,
        "warm_p50_ms": round(statistics.median(warm) * 1000, 1) if warm else None,
        "warm_p95_ms": round(percentile(warm, 0.95) * 1000, 1) if warm else None,
    }


def _draw(
    tree: IndexedTree, keep: Path, kinds: Iterable[str], count: int, below: str
) -> Iterator[Question]:
    names = None
    if "definitions" in kinds or "callers" in kinds:
        names = drawing.Names(tree.root, count)
    if names and "definitions" in kinds:
        yield from names.questions()
    if "settings" in kinds:
        yield from drawing.settings(tree.root, count)
    if "texts" in kinds:
        parts = services(Options(str(tree.root), str(tree.data), watch=False))
        yield from drawing.texts(tree.root, parts, count)
    if "commits" in kinds:
        yield from drawing.commits(tree.root, keep, count)
    if names and below:
        folder = tree.root / below
        yield from drawing.callers(folder, keep / "cscope", names, f"{below}/", count)


def _show(row: JudgedAnswer) -> None:
    kind, _, arguments, oracle = row.question
    print("WRONG" if not row.verdict.listed else "later", kind, arguments, vars(oracle))


def main() -> None:
    """Print the figures of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--cold", type=int, default=5)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--callers", nargs=2, metavar=("SUBFOLDER", "DATA"))
    parser.add_argument("--show", action="store_true", help="print what is not right at first")
    parser.add_argument("--record", metavar="NAME")
    given = parser.parse_args()
    tree = IndexedTree(given.tree.resolve(), given.data.resolve())
    below, data = given.callers or ("", "")
    kinds = [kind for kind in given.kind or KINDS if kind != "callers" or below]
    questions = _draw(tree, given.keep.resolve(), kinds, given.count, below)
    found: dict[str, object] = {"tree": tree.root.name}
    for kind, group in groupby(questions, attrgetter("kind")):
        where = IndexedTree(tree.root / below, Path(data).resolve()) if kind == "callers" else tree
        asked = [*ask_all(where, [*group], given.cold)]
        found[kind] = figures(asked)
        print(kind, json.dumps(found[kind]), flush=True)
        for row in asked if given.show else ():
            if not row.verdict.first:
                _show(row)
    if given.record:
        print(machine.keep(given.record, found))


if __name__ == "__main__":
    main()
