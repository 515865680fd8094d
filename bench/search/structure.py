"""Structural search compared with ast-grep's own program in the same run.

    python -m bench.search.structure --root TREE --data FOLDER --ast-grep PROGRAM
        --language python=PART --language c=PART … [--patterns 34] [--seed 1] [--record NAME]

FOLDER is the data folder of an index of TREE that `repo-mcp index` made; PART is a folder in it,
from whose files of the language patterns are drawn (`tree_patterns.py`). Each is asked of ast-grep
(`ast-grep run --lang`, all files, with its threads) and of our engine for all matches, which must
be the same: file, first and last place. Times are of the whole answer, and processor time is that
of all processes, which another load of the machine changes less.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.search.tree_patterns import draw
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import ExactQuery, StructureEngine
from repo_mcp.search.structure.languages import language_of
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.text.files import decode

# file, first line and column, last line and column
Place = tuple[str, int, int, int, int]
# a pattern that matches in at most so many files is selective
_FEW: Final = 20


class Row(NamedTuple):
    """A pattern, the number of its matches and files, and seconds: wall and processor time."""

    language: str
    pattern: str
    matches: int
    files: int
    parsed: int
    theirs: tuple[float, float]
    ours: tuple[float, float]


class Engine:
    """Our engine, with the processor time of its workers."""

    def __init__(self, found: Services, snapshot: Snapshot) -> None:
        self._engine = StructureEngine(found.sandbox)
        self._snapshot = snapshot

    def find(self, language: str, pattern: str) -> tuple[set[Place], int, tuple[float, float]]:
        """The matches, files that were looked at, and times."""
        query = ExactQuery((pattern,), limit=None, languages=(language,))
        begun, used = time.perf_counter(), self._used()
        answer = self._engine.find(self._snapshot, query, Budget())
        spent = time.perf_counter() - begun, self._used() - used
        if not answer.complete:
            raise SystemExit(f"{pattern!r}: {answer.warnings}")
        places = {
            (line.path, line.line, tree.column, tree.end_line, tree.end_column)
            for line in answer.matches
            for tree in line.trees
        }
        return places, answer.files_looked_at, spent

    def _used(self) -> float:
        return time.process_time() + sum(map(_used_by, self._pids())) + _used_by_children()

    def _pids(self) -> Iterator[int]:
        for process in self._engine._pool._idle:  # noqa: SLF001 nobody else asks for them
            yield process._process.pid  # noqa: SLF001


def _used_by(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask_ast_grep(
    program: str, root: str, language: str, pattern: str, known: frozenset[str]
) -> tuple[set[Place], tuple[float, float]]:
    """The matches of ast-grep in files that we know, and times."""
    line = [program, "run", "--pattern", pattern, "--lang", language, "--json=stream"]
    line += [part for what in ("hidden", "vcs", "dot", "parent") for part in ("--no-ignore", what)]
    begun, used = time.perf_counter(), _used_by_children()
    done = subprocess.run([*line, "."], cwd=root, capture_output=True, check=False)
    spent = time.perf_counter() - begun, _used_by_children() - used
    found = (json.loads(row) for row in done.stdout.splitlines())
    return {place for place in map(_place, found) if place[0] in known}, spent


def _place(match: dict[str, Any]) -> Place:
    first, last = match["range"]["start"], match["range"]["end"]
    path = match["file"].removeprefix("./")
    return path, first["line"] + 1, first["column"], last["line"] + 1, last["column"]


def texts_of(found: Services, snapshot: Snapshot, language: str, part: str) -> list[str]:
    """The files of a language below a folder."""
    texts: list[str] = []
    for path in snapshot.paths():
        if language_of(path) == language and path.startswith(part):
            text = decode(found.sandbox.read(path).data)
            texts += [] if text is None else [text.content]
    return texts


def main() -> None:
    """Compare, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--root", required=True)
    add("--data", required=True)
    add("--ast-grep", required=True)
    add("--language", action="append", required=True, metavar="NAME=PART")
    add("--patterns", type=int, default=34)
    add("--seed", type=int, default=1)
    add("--record", default="")
    args = parser.parse_args()
    found = services(Options(args.root, args.data))
    snapshot = found.manager.snapshot()
    if snapshot is None:
        raise SystemExit("there is no index")
    known = frozenset(snapshot.paths())
    engine = Engine(found, snapshot)
    rows: list[Row] = []
    wrong: list[str] = []
    for language, _, part in (item.partition("=") for item in args.language):
        texts = texts_of(found, snapshot, language, part)
        for pattern in draw(texts, language, args.patterns, args.seed):
            theirs, took = ask_ast_grep(args.ast_grep, args.root, language, pattern, known)
            ours, parsed, spent = engine.find(language, pattern)
            if theirs != ours:
                wrong.append(f"{language} {pattern!r}: {sorted(theirs ^ ours)[:3]}")
                print("DIFFERS", wrong[-1], flush=True)
            files = len({place[0] for place in ours})
            rows.append(Row(language, pattern, len(ours), files, parsed, took, spent))
    report = summary(rows, wrong, args, len(known))
    print(json.dumps(report, indent=2))
    if args.record:
        machine.keep(args.record, report)
    if wrong:
        raise SystemExit(1)


def summary(
    rows: Sequence[Row], wrong: Sequence[str], args: argparse.Namespace, files: int
) -> dict[str, Any]:
    """The compared queries, and medians of ratios."""
    few = [row for row in rows if row.files <= _FEW]
    version = subprocess.run(
        [args.ast_grep, "--version"], capture_output=True, text=True, check=True
    )
    return {
        "ast_grep": version.stdout.strip(),
        "corpus": args.record,
        "files": files,
        "patterns": {name: sum(row.language == name for row in rows) for name, *_ in rows},
        "matches": sum(row.matches for row in rows),
        "different": len(wrong),
        "selective": len(few),
        "files_read_median": statistics.median(row.parsed for row in few),
        "times": {
            name: {
                "ast_grep_median": round(statistics.median(row.theirs[at] for row in few), 3),
                "repo_mcp_median": round(statistics.median(row.ours[at] for row in few), 3),
                "ratio_median": round(
                    statistics.median(row.theirs[at] / max(row.ours[at], 0.001) for row in few), 1
                ),
            }
            for at, name in enumerate(("wall_seconds", "processor_seconds"))
        },
    }


if __name__ == "__main__":
    main()
