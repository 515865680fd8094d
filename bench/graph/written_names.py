"""Counts the calls whose target is found by the name that stands in code.

    python -m bench.graph.written_names ROOT DATA [--names N] [--show N]

ROOT is a checkout and DATA its data folder, linked by `repo-mcp index --graph --data-dir DATA`.
Each sure call of a declaration of the repository behind a name with a capital, as `Type.member` or
`Type::member`, is a text; texts are taken evenly. One is found if the declaration of some call of
it is among the targets that the text may have, and first if it is the one that answers are about.
`--show` prints texts that are not found.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.graph.complete_lists import Texts, opened
from code_graph.model import EdgeType
from code_graph.query.choice import candidates, choose_target
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget

_CALLS: Final = EdgeFilter((EdgeType.CALLS,))
# what stands before the name of a call: names, the first of a type
_OWNER: Final = re.compile(r"(?<![\w.:>)])([A-Z]\w*(?:(?:\.|::)\w+)*(?:\.|::))$")


def main() -> None:
    """Parse the arguments and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--names", type=int, default=2_000)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    app = opened(given.root.resolve(), given.data)
    services = app.services.running().tools  # tools ask for one symbol, not for all edges
    graph = services.repository.open_graph(Budget()).graph
    if graph is None:
        raise SystemExit("there is no graph")
    texts = written(graph, Texts(given.root))
    step = max(1, len(texts) // given.names)
    lost, found, first = [], 0, 0
    asked = sorted(texts)[::step]
    for text in asked:
        targets = {item.id for item in candidates(graph, text)[0]}
        chosen = choose_target(graph, text).target
        found += not targets.isdisjoint(texts[text])
        first += chosen is not None and chosen.id in texts[text]
        if targets.isdisjoint(texts[text]):
            lost.append(text)
    print(f"{len(asked)} texts of {len(texts)}, found {found}, first {first}")
    print(*lost[:: max(1, len(lost) // given.show)] if given.show else [], sep="\n")


def written(graph: GraphSnapshot, texts: Texts) -> Mapping[str, set[int]]:
    """The texts of calls behind the name of a type, each with the targets that they have."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for path in graph.snapshot.paths():
        if "\0" in path:  # no file: what several services share
            continue
        for edge in edges_of_rows(graph, path, _CALLS):
            target = None if edge.external else graph.symbol(edge.target)
            line = texts.line(path, edge.line)
            begin = edge.column
            owner = _OWNER.search(line[:begin]) if target is not None else None
            if owner and target and re.match(rf"{re.escape(target.simple_name)}\b", line[begin:]):
                found[owner[1] + target.simple_name].add(target.id)
    return found


if __name__ == "__main__":
    main()
