"""Compares the calls that the graph has in Ruby with those that tests of a project make.

    ROOT=$PWD OUT=calls.tsv ruby -Ilib -r…/bench/graph/ruby/trace.rb -e '…'   # runs the tests
    python -m bench.graph.ruby ROOT calls.tsv [--differences COUNT]

A call counts where its name, `new` or `super` stands on the line that it came from: others are made
by Ruby itself, as `to_s` of what is printed, or by names that are put together. Methods that are no
declarations, and operators, are left out. Edges are judged on lines from which the name was called.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from code_graph import GraphLinker, SourceTree
from code_graph.model import CONFIDENCE_OF, FILE, Confidence, EdgeType, Strategy


class Site(NamedTuple):
    """A line from which a method of a name is called."""

    path: str
    line: int
    name: str


class Place(NamedTuple):
    """The line on which a method is declared."""

    path: str
    line: int


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("calls", type=Path)
    parser.add_argument("--differences", type=int, default=0, metavar="COUNT")
    args = parser.parse_args()
    root = args.root.resolve()
    files = [path for path in sorted(root.rglob("*")) if path.suffix in {".rb", ".rake"}]
    texts = {
        path.relative_to(root).as_posix(): path.read_text("utf-8", "replace") for path in files
    }
    tree = SourceTree(texts)
    edges, declared = _edges(tree)
    seen: dict[Site, set[Place]] = defaultdict(set)
    for site, place in _observed(root, args.calls, texts, declared):
        seen[site].add(place)
    right = sum(len(edges[site] & places) for site, places in seen.items())
    wrong = sum(len(edges[site] - places) for site, places in seen.items())
    calls = sum(map(len, seen.values()))
    precision, recall = right / max(right + wrong, 1), right / max(calls, 1)
    both = 2 * precision * recall / max(precision + recall, 1e-9)
    print(f"{calls} calls: precision {precision:.4f}, recall {recall:.4f}, F1 {both:.4f}")
    different = sorted(site for site, places in seen.items() if edges[site] != places)
    for site in different[:: max(1, len(different) // max(args.differences, 1))]:
        if args.differences:
            print(f"  {site} is {sorted(seen[site])}, not {sorted(edges[site])}")


def _edges(tree: SourceTree) -> tuple[Mapping[Site, set[Place]], Mapping[Place, set[str]]]:
    """The places that calls lead to, and the names that are declared on each line."""
    linker = GraphLinker(tree)
    linked = {path: linker.link(path) for path in tree.paths()}
    places: dict[int, list[tuple[Place, str]]] = defaultdict(list)
    declared: dict[Place, set[str]] = defaultdict(set)
    for path, file in linked.items():
        facts = tree.facts(path)
        for symbol in file.symbols:
            if symbol.declaration != FILE and facts is not None:
                item = facts.declarations[symbol.declaration]
                place = Place(path, item.name_line)
                places[symbol.id].append((place, item.name))
                declared[place].add(item.name)
    edges: dict[Site, set[Place]] = defaultdict(set)
    for path, file in linked.items():
        for edge in file.edges:
            how = CONFIDENCE_OF[Strategy(edge.strategy)]
            if edge.type == EdgeType.CALLS and how <= Confidence.INFERRED:
                for place, name in places[edge.target]:
                    edges[Site(path, edge.line, name)].add(place)
    return edges, declared


def _observed(
    root: Path, calls: Path, texts: Mapping[str, str], declared: Mapping[Place, set[str]]
) -> Iterator[tuple[Site, Place]]:
    """The calls that count."""
    rows: dict[str, Sequence[str]] = {path: text.split("\n") for path, text in texts.items()}
    for row in calls.read_text("utf-8").splitlines():
        caller, line, path, of, name = row.split("\t")
        site = Site(Path(caller).relative_to(root).as_posix(), int(line), name)
        place = Place(Path(path).relative_to(root).as_posix(), int(of))
        if site.path not in rows or name not in declared.get(place, ()):
            continue
        text = rows[site.path][site.line - 1] if site.line <= len(rows[site.path]) else ""
        words = (name.rstrip("="), "super", *(("new",) if name == "initialize" else ()))
        if name[0].isidentifier() and any(word in text for word in words):
            yield site, place


if __name__ == "__main__":
    main()
