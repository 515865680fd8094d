"""Counts the patches of one function whose review names tests, and the seconds that it takes.

    python -m bench.changes.patched ROOT DATA [--functions N] [--seed N]

ROOT is a checkout and DATA its data folder, linked by `repo-mcp index --graph --data-dir DATA`. Of
random functions of code that some test calls a patch repeats the last line but one, and is reviewed
as a server would: what is not linked in time is left out. *Named* are those whose sure tests have a
file that calls the function, found by edges; *noted* are those with files that were not compared in
time.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import Final

from bench.graph.complete_lists import opened
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import CODE, is_test, rank_path
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import FUNCTIONS, Symbol
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget

_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
_MOST_USES: Final = 200
# shorter functions have no line to put another one behind
_SHORTEST: Final = 3
_MOST_CHARS: Final = 200_000


def chosen(graph: GraphSnapshot, count: int, seed: int) -> list[tuple[Symbol, set[str]]]:
    """Random functions of code with the files of tests that call them."""
    chance = random.Random(seed)
    paths = [path for path in graph.snapshot.paths() if "\0" not in path]
    paths = [path for path in paths if rank_path(path) == CODE and not is_test(path)]
    chance.shuffle(paths)
    found: list[tuple[Symbol, set[str]]] = []
    for path in paths:
        rows = [symbol for symbol, _ in graph.outline(path) if symbol.node_type in FUNCTIONS]
        chance.shuffle(rows)
        for symbol in rows:
            edges = edges_into(graph, symbol.id, _CALLS, limit=_MOST_USES).edges
            tests = {edge.path for edge in edges if is_test(edge.path)}
            if tests and symbol.end_line - symbol.start_line >= _SHORTEST:
                found.append((symbol, tests))
                break
        if len(found) == count:
            break
    return found


def patch_of(root: Path, symbol: Symbol) -> str:
    """A patch that repeats the last line but one of a function."""
    at = symbol.end_line - 1
    row = (root / symbol.path).read_text("utf-8").split("\n")[at - 1]
    head = f"--- a/{symbol.path}\n+++ b/{symbol.path}\n"
    return f"{head}@@ -{at},1 +{at},2 @@\n {row}\n+{row}\n"


def main() -> None:
    """Parse the arguments and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--functions", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    app = opened(given.root.resolve(), given.data)
    graph = app.services.repository().open_graph(Budget()).graph
    if graph is None:
        raise SystemExit("there is no graph")
    named = noted = 0
    seconds: list[float] = []
    functions = chosen(graph, given.functions, given.seed)
    for symbol, tests in functions:
        asked = {"patch": patch_of(given.root, symbol), "max_chars": _MOST_CHARS}
        began = time.monotonic()
        answer = app.call("repo.changes", asked, lambda: False)["structuredContent"]
        seconds.append(time.monotonic() - began)
        result = answer.get("result") or {}
        sure = {entry["path"] for entry in result.get("tests", ()) if entry["sure"]}
        reasons = [text for entry in result.get("tests", ()) for text in entry["reasons"]]
        is_named = not tests.isdisjoint(sure) and any("reaches" in text for text in reasons)
        named += is_named
        noted += any("in time" in text for text in result.get("notes", ()))
    middle = sorted(seconds)[len(seconds) // 2]
    print(f"{len(functions)} functions, named {named}, noted {noted}, {middle:.1f} s in the middle")


if __name__ == "__main__":
    main()
