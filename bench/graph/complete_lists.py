"""Counts the lists of uses that `repo.symbol` says are complete, and those of them that are.

    python -m bench.graph.complete_lists ROOT TRUTH --keep FOLDER [--show N]

TRUTH is what an oracle said of the project at ROOT (the folder `truth` that `bench.graph` keeps).
Each declared function and type is asked for by its place. A claim is wrong if the oracle has a use
on a line that the answer does not list.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bench.graph.edges import CALLS, IMPLEMENTS, REFERENCES, Truth, Where
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.settings import read_options

_KINDS: Final = frozenset({"function", "method", "class", "interface", "type", "enum", "struct"})
_LISTS: Final = ("callers", "tests", "override_uses")
_CHARS: Final = 200_000


def main() -> None:
    """Print the counts, and the first wrong claims."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--show", type=int, default=10)
    given = parser.parse_args()
    truth = Truth.read(given.truth)
    flags = [("repo_root", str(given.root)), ("data_dir", str(given.keep)), ("watch", "off")]
    app = App(read_options(flags, {}))
    _wait_for_graph(app)
    counts, wrong = _judge(app, truth)
    print(json.dumps(counts))
    for where, lines in wrong[: given.show]:
        print(f"  {where}: {', '.join(f'{path}:{line}' for path, line in lines[:3])}")


def _wait_for_graph(app: App) -> None:
    while not _ask(app, "repo.refresh_index").get("complete"):
        pass
    background = app._services().background  # noqa: SLF001 no tool waits for the whole graph
    background.wait_until_linked(Budget())


def _judge(app: App, truth: Truth) -> tuple[dict[str, int], list[tuple[Where, list[Any]]]]:
    uses: defaultdict[Where, set[tuple[str, int]]] = defaultdict(set)
    for edge in truth.edges:
        if edge.type in (CALLS, REFERENCES):
            uses[truth.same.get(edge.target, edge.target)].add((edge.at.path, edge.at.line))
    for edge in truth.edges:  # an answer lists subtypes by their declarations
        if edge.type == IMPLEMENTS:
            uses[truth.same.get(edge.target, edge.target)].discard((edge.at.path, edge.at.line))
    counts: Counter[str] = Counter()
    wrong = []
    for where, answer in _answers(app, truth):
        counts["symbols"] += 1
        if not answer.get("complete_list"):
            continue
        counts["claims"] += 1
        listed = {(row["path"], row["line"]) for name in _LISTS for row in answer.get(name, ())}
        counts["without uses"] += not listed
        own = range(answer["start_line"], where.line + 1)
        missing = [
            (path, line)
            for path, line in sorted(uses[where] - listed)
            if path != where.path or line not in own
        ]
        if missing:
            wrong.append((where, missing))
    counts["wrong"] = len(wrong)
    return dict(counts), wrong


def _answers(app: App, truth: Truth) -> Iterator[tuple[Where, Mapping[str, Any]]]:
    """The answer for each declaration that is found at its place."""
    for where, kind in sorted(truth.kinds.items()):
        if kind in _KINDS and where.line and where not in truth.same:
            name = f"{where.path}:{where.line}"
            answer = _ask(app, "repo.symbol", name=name, callers_only=True, max_chars=_CHARS)
            last = answer.get("name", "").replace("::", ".").rpartition(".")[2]
            if answer.get("path") == where.path and last == where.name:
                yield where, answer


def _ask(app: App, tool: str, **arguments: object) -> Mapping[str, Any]:
    content = app.call(tool, arguments, lambda: False)["structuredContent"]
    result: Mapping[str, Any] = content.get("result") or {}
    return result


if __name__ == "__main__":
    main()
