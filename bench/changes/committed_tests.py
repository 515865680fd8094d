"""Compares the order of the tests that are named for a change with the tests that commits changed.

    python -m bench.changes.committed_tests ROOT DATA [--commits N] [--functions N]
        [--differences N] [--record NAME]

ROOT is a checkout and DATA its data folder, linked by `repo-mcp index --graph --data-dir DATA`. Of
the history the last commits count that change bodies of functions of code, at most so many, and
one to five files of tests, where all of them are in the checkout. The functions as they are now
are changed by a patch: the last line but one stands twice. `repo.changes` is asked about it, and,
of a commit of one function, `repo.symbol`. Right are the files of tests that the commit changed. To
conclude: the share of the commits of which one is among the first 3, 5 and 10 files, and the share
of all such files there, on average by commit.

It is a bound from below: a commit changes tests for other reasons, too, and other tests may be as
good.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from bench import machine
from bench.changes.merged_commits import ChangedBody, MergedCommit, git, merged_commits
from bench.graph.complete_lists import ask, opened
from code_graph.paths.path_kinds import CODE, is_test, rank_path
from code_graph.query.model import FUNCTIONS, Symbol
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.app import App
from repo_mcp.ask import has_tests
from repo_mcp.budget import Budget

_RESULT: Final = "committed-tests"
_FIRST: Final = (3, 5, 10)
_MOST_CHARS: Final = 200_000
# shorter functions have no line to put another one behind
_SHORTEST: Final = 2
# a commit of more files of tests is about something else
_MOST_TESTS: Final = 5
_ROW: Final = re.compile(r"^([^:]+): ")


class JudgedCommit(NamedTuple):
    """A commit whose changed functions are in the checkout, and the tests that it changed."""

    name: str
    functions: tuple[Symbol, ...]
    tests: frozenset[str]


class NamedFiles(NamedTuple):
    """The files of tests that were named for a commit, in order."""

    asked: JudgedCommit
    paths: tuple[str, ...]

    def places(self) -> list[int]:
        """The places of those that the commit changed, from 1; 0 for one that is not named."""
        at = {path: place for place, path in reversed([*enumerate(self.paths, 1)])}
        return sorted(at.get(path, 0) for path in self.asked.tests)


def commits(root: Path, graph: GraphSnapshot, most: int) -> Iterator[JudgedCommit]:
    """The last commits that count."""
    tip = git(root, "rev-parse", "HEAD").strip()
    for commit in merged_commits(root, tip):
        bodies = [body for body in commit.bodies if rank_path(body.path) == CODE]
        if not bodies or len(bodies) < len(commit.bodies) or len(bodies) > most:
            continue
        functions = [_function(graph, body) for body in bodies]
        known = [item for item in functions if item is not None]
        tests = _tests(root, graph, commit)
        if 0 < len(tests) <= _MOST_TESTS and len(known) == len(bodies):
            yield JudgedCommit(commit.name[:9], tuple(dict.fromkeys(known)), tests)


def _function(graph: GraphSnapshot, body: ChangedBody) -> Symbol | None:
    """The function as it is now; the last of overloads, which is as good as another."""
    found: Symbol | None = None
    rows = graph.outline(body.path)
    for symbol, declared in rows:
        names: list[str] = []
        around = declared
        while around is not None:
            names.insert(0, around.name)
            around = rows[around.parent + 1][1] if around.parent >= 0 else None
        is_long = symbol.end_line - symbol.start_line >= _SHORTEST
        if tuple(names) == body.names and symbol.node_type in FUNCTIONS and is_long:
            found = symbol
    return found


def _tests(root: Path, graph: GraphSnapshot, commit: MergedCommit) -> frozenset[str]:
    told = git(root, "diff", "--name-only", "--no-renames", commit.parent, commit.name)
    paths = [path for path in told.splitlines() if is_test(path) and graph.is_linked(path)]
    return frozenset(
        path
        for path in paths
        if has_tests(graph, path)
        and any(symbol.node_type in FUNCTIONS for symbol, _ in graph.outline(path))
    )


def patch_of(root: Path, functions: Sequence[Symbol]) -> str:
    """A patch that repeats the last line but one of some functions."""
    told = ""
    for path in dict.fromkeys(item.path for item in functions):
        rows = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
        ends = {item.end_line - 1 for item in functions if item.path == path}
        after = [row for at, row in enumerate(rows, 1) for row in [row] * (1 + (at in ends))]
        found = difflib.unified_diff(rows, after, f"a/{path}", f"b/{path}", n=1, lineterm="")
        told += "\n".join(found) + "\n"
    return told


def for_change(app: App, root: Path, asked: JudgedCommit) -> NamedFiles:
    """The files of tests that a review of the patch names."""
    answer = ask(app, "repo.changes", patch=patch_of(root, asked.functions), max_chars=_MOST_CHARS)
    paths = dict.fromkeys(entry["path"] for entry in answer.get("tests", ()))
    return NamedFiles(asked, tuple(paths))


def for_symbol(app: App, asked: JudgedCommit) -> NamedFiles:
    """The files of tests that the answer about the function names."""
    function = asked.functions[0]
    place = f"{function.path}:{function.start_line}"
    answer = ask(app, "repo.symbol", name=place, max_chars=_MOST_CHARS)
    paths = [row["path"] for row in answer.get("tests", ())]
    for field in ("reaching_tests", "possible_tests"):
        rows = (_ROW.match(row) for row in answer.get(field, ()))
        paths += [row[1] for row in rows if row is not None]
    return NamedFiles(asked, tuple(dict.fromkeys(paths)))


def figures(found: Sequence[NamedFiles]) -> dict[str, object]:
    """The shares for the first files."""
    said: dict[str, object] = {"commits": len(found)}
    for most in _FIRST:
        hits = [sum(0 < place <= most for place in item.places()) for item in found]
        share = sum(hit / len(item.asked.tests) for hit, item in zip(hits, found, strict=True))
        some = sum(map(bool, hits))
        said[f"first {most}"] = [round(part / max(len(found), 1), 3) for part in (some, share)]
    return said


def main() -> None:
    """Parse the arguments and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--commits", type=int, default=30)
    parser.add_argument("--functions", type=int, default=8)
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--record", default="", help="the name of the figures that are kept")
    given = parser.parse_args()
    root = given.root.resolve()
    app = opened(root, given.data)
    graph = app.services.repository().open_graph(Budget()).graph
    if graph is None:
        raise SystemExit("there is no graph")
    asked = [*islice(commits(root, graph, given.functions), given.commits)]
    reviewed = [for_change(app, root, item) for item in asked]
    single = [for_symbol(app, item) for item in asked if len(item.functions) == 1]
    for item in reviewed[: given.differences]:
        names = ", ".join(function.qualified_name for function in item.asked.functions)
        print(item.asked.name, item.places(), len(item.paths), names, sorted(item.asked.tests))
    said = {"repo.changes": figures(reviewed), "repo.symbol": figures(single)}
    print(root.name, said)
    if given.record:
        kept = {**machine.stored(_RESULT), f"{root.name}, {given.record}": said}
        machine.keep(_RESULT, dict(sorted(kept.items())))


if __name__ == "__main__":
    main()
