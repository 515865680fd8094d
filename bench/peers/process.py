"""Runs a peer in a process of its own: build its index, answer one question, or one for each line.

    python -m bench.peers.process build|ask|once MODULE NAME ROOT LISTED FOLDER [KIND QUERY]

A library's module has `build(tree, folder)` and `engine(tree, folder)`, which hands back a function
for each kind of question. `ask` reads lines `{"kind": …, "query": …}` and writes for each how long
the answer took and how much it holds: what a program embedded in another would see.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from bench.peers.table import Kind

# what is found: paths, lines or passages; they are counted, and the first few compared
Ask = Callable[[str], Sequence[str]]


class Tree(NamedTuple):
    """A tree, and the list of its files that everybody indexes."""

    root: Path
    listed: Path

    def paths(self) -> Iterator[str]:
        """Paths below the root."""
        start = len(str(self.root)) + 1
        with self.listed.open(encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                yield line[start:].rstrip("\n")

    def texts(self) -> Iterator[tuple[str, str]]:
        """Each path and its text."""
        for path in self.paths():
            yield path, self.root.joinpath(path).read_text("utf-8", "replace")


class Builder(Protocol):
    """A module that builds; programs have commands of their own for this."""

    def build(self, tree: Tree, folder: Path) -> None:
        """Make its index."""


class Library(Protocol):
    """A module that answers."""

    def engine(self, name: str, tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
        """Open its index."""


def main(arguments: Sequence[str]) -> None:
    """Do what the command line says."""
    what, module, name, root, listed, folder, *rest = arguments
    found = importlib.import_module(module)
    tree, place = Tree(Path(root), Path(listed)), Path(folder)
    if what == "build":
        cast("Builder", found).build(tree, place)
        return
    engine = cast("Library", found).engine(name, tree, place)
    if what == "once":
        kind, query = rest
        print(len(engine[cast("Kind", kind)](query)))
        return
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(timed(engine[question["kind"]], question["query"])), flush=True)


def timed(ask: Ask, query: str) -> dict[str, object]:
    """The time until an answer, children included, and its content."""
    wall, cpu = time.perf_counter(), _cpu()
    found = ask(query)
    wall, cpu = time.perf_counter() - wall, _cpu() - cpu
    return {"wall": wall, "cpu": cpu, "hits": len(found), "first": list(found[:10])}


def _cpu() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
