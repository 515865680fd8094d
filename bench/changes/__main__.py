"""Plants breaking changes, and compares the places that a review names with a compiler's errors.

    python -m bench.changes LANGUAGE CHECKOUT --keep FOLDER --below PATH… [--count N] [--seed N]
        [--differences N] [--record]

Languages are python (pyright), typescript (tsc), go (its compiler), c (gcc) and java (javac);
`FOLDER/node` has pyright and typescript by npm, and `FOLDER/node/jars` what Java code needs. A
checkout is restored after each change. Of each change the lines count that the compiler reports,
and did not before, outside of the changed declaration. Lines that are two apart are those of one
call.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.changes.checkers import CHECKERS, Line
from bench.changes.planting import PlantedChange, planted
from code_graph.paths.path_kinds import is_test
from repo_mcp.app import App
from repo_mcp.settings import read_options

_RESULT: Final = "changes"
_ENDINGS: Final = {"python": ".py", "typescript": ".ts", "go": ".go", "c": ".c", "java": ".java"}
_MOST_CHARS: Final = 2_000_000
_BESIDE: Final = 2


class _Judged(NamedTuple):
    change: PlantedChange
    wanted: frozenset[Line]
    named: frozenset[Line]
    sure: frozenset[Line]
    seconds: float


def main() -> None:
    """Print the figures of one checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=sorted(CHECKERS))
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--below", nargs="+", default=["."], help="folders whose functions change")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    trial = _Trial(options.language, options.root.resolve(), options.keep)
    judged = [*trial.judged(options.below, options.count, options.seed)]
    for item in judged[: options.differences]:
        change = item.change
        print(f"{change.kind} {change.name} {change.path}:{change.first}")
        print("  missed", _far(item.wanted, item.named))
        print("  more", _far(item.named, item.wanted))
    figures = _figures(judged)
    print(options.root.name, figures)
    if options.record:
        stored = dict(machine.stored(_RESULT))
        machine.keep(_RESULT, dict(sorted({**stored, options.root.name: figures}.items())))
    sys.stdout.flush()
    os._exit(0)  # threads of the server keep the process


class _Trial:
    """Changes of one checkout."""

    def __init__(self, language: str, root: Path, keep: Path) -> None:
        self._root = root
        self._check = CHECKERS[language]
        self._tools = keep / "node"
        self._ending = _ENDINGS[language]
        data = keep / "data" / root.name
        given = {"repo_root": root, "data_dir": data, "max_total_bytes_per_response": _MOST_CHARS}
        self._app = App(read_options([(name, str(value)) for name, value in given.items()]))
        self._review("HEAD")  # the graph is linked meanwhile

    def judged(self, below: list[str], count: int, seed: int) -> Any:  # noqa: ANN401 an iterator
        """Each change with what the compiler and the review say."""
        folders = [self._root / folder for folder in below]
        paths = [
            str(path.relative_to(self._root))
            for folder in folders
            for path in sorted(folder.rglob(f"*{self._ending}"))
            if not is_test(str(path.relative_to(self._root))) and "node_modules" not in path.parts
        ]
        before = self._check(self._root, self._tools)
        for change in islice(planted(self._root, paths, seed), count):
            place = self._root / change.path
            text = place.read_text("utf-8")
            place.write_text(change.text)
            try:
                yield self._one(change, before, text)
            finally:
                place.write_text(text)

    def _one(self, change: PlantedChange, before: frozenset[Line], text: str) -> _Judged:
        shift = change.text.count("\n") - text.count("\n")
        moved = {
            (path, line + shift if path == change.path and line > change.last else line)
            for path, line in before
        }
        own = range(change.first, change.last + max(shift, 0) + 1)
        started = time.perf_counter()
        places = self._review("")
        seconds = time.perf_counter() - started
        errors = self._check(self._root, self._tools) - moved

        def counted(lines: set[Line]) -> frozenset[Line]:
            return frozenset(
                (path, line) for path, line in lines if not (path == change.path and line in own)
            )

        named = {(item["path"], item["line"]) for item in places}
        sure = {(item["path"], item["line"]) for item in places if item["verdict"] == "breaks"}
        return _Judged(change, counted({*errors}), counted(named), counted(sure), seconds)

    def _review(self, rev: str) -> list[dict[str, Any]]:
        arguments: dict[str, object] = {"max_chars": _MOST_CHARS}
        if rev:
            arguments["rev"] = rev
        answer = self._app.call("repo.changes", arguments, lambda: False)
        result: Any = answer["structuredContent"].get("result")
        if not answer["structuredContent"]["ok"]:
            raise SystemExit(str(answer["structuredContent"]))
        found: list[dict[str, Any]] = result.get("breaking", [])
        return found


def _near(lines: frozenset[Line], others: frozenset[Line]) -> list[Line]:
    """The lines that others are at, or beside."""
    return [
        (path, line)
        for path, line in lines
        if any((path, line + shift) in others for shift in range(-_BESIDE, _BESIDE + 1))
    ]


def _far(lines: frozenset[Line], others: frozenset[Line]) -> list[Line]:
    return sorted(lines - {*_near(lines, others)})


def _figures(judged: list[_Judged]) -> dict[str, object]:
    wanted = sum(len(item.wanted) for item in judged)
    named = sum(len(item.named) for item in judged)
    sure = sum(len(item.sure) for item in judged)
    found = sum(len(_near(item.wanted, item.named)) for item in judged)
    fitting = sum(len(_near(item.named, item.wanted)) for item in judged)
    found_surely = sum(len(_near(item.wanted, item.sure)) for item in judged)
    right = sum(len(_near(item.sure, item.wanted)) for item in judged)
    missed = Counter(item.change.kind for item in judged for _ in _far(item.wanted, item.named))
    more = Counter(item.change.kind for item in judged for _ in _far(item.named, item.wanted))
    return {
        "changes": len(judged),
        "lines": wanted,
        "recall": round(found / max(wanted, 1), 3),
        "precision": round(fitting / max(named, 1), 3),
        "precision of breaks": round(right / max(sure, 1), 3),
        "recall of breaks": round(found_surely / max(wanted, 1), 3),
        "missed": dict(missed),
        "more": dict(more),
        "median seconds": round(statistics.median(item.seconds for item in judged), 3),
    }


if __name__ == "__main__":
    main()
