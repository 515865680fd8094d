"""Times queries of a made graph of a million symbols and five million edges.

    python -m bench.graph.queries FOLDER [--files 50000] [--queries 2000] [--keep]

A graph that is in the folder already is used as it is. Each query is asked of symbols that chance
chooses, hubs among them, in pages of 50. To conclude: percentiles on an idle machine, or those of
processor time on a busy one.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench import machine
from bench.graph.made_graph import Shape, made_file, write_graph
from bench.timing import milliseconds, percentile
from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into, edges_out_of, reference_count
from code_graph.query.search import search_symbols
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import GRAPH_SCHEMA
from index_format import FileStore, Index, IndexMissingError

_CALLS = EdgeFilter((EdgeType.CALLS,))
_PAGE = 50
T = TypeVar("T")


def open_graph(folder: Path, shape: Shape) -> tuple[GraphSnapshot, float]:
    """The graph of the folder, and how many seconds it took to write."""
    started = time.perf_counter()
    try:
        snapshot = Index(FileStore(folder), GRAPH_SCHEMA).snapshot()
        return GraphSnapshot(snapshot), 0.0
    except IndexMissingError:
        index = write_graph(folder, shape)
    return GraphSnapshot(index.snapshot()), time.perf_counter() - started


def measure(graph: GraphSnapshot, shape: Shape, queries: int) -> dict[str, object]:
    """Percentiles of each kind of query in milliseconds."""
    chance = random.Random(1)
    total = shape.files * shape.symbols
    # half of them by their number of callers: an edge leads to them
    numbers = [chance.randrange(total) for _ in range(queries // 2)]
    numbers += [int(total * chance.random() ** 6) for _ in range(queries - len(numbers))]
    ids = [shape.id_of(number) for number in numbers]
    symbols = [
        made_file(shape, number // shape.symbols).linked.symbols[number % shape.symbols + 1]
        for number in numbers[:: max(queries // 500, 1)]
    ]
    names = [symbol.qualified_name for symbol in symbols]
    words = [name.rpartition(".")[2] for name in names]
    return {
        "symbol": timed(graph.symbol, ids),
        "lookup": timed(lambda name: graph.lookup(name, 10), names),
        "callers": timed(lambda number: edges_into(graph, number, _CALLS, limit=_PAGE), ids),
        "callees": timed(lambda number: edges_out_of(graph, number, _CALLS, limit=_PAGE), ids),
        "references": timed(lambda number: edges_into(graph, number, limit=_PAGE), ids),
        "reference_count": timed(lambda number: reference_count(graph, number), ids),
        "search_name": timed(lambda name: search_symbols(graph, name, 20), words),
        "search_prefix": timed(lambda name: search_symbols(graph, f"{name[:6]}*", 20), words),
    }


def timed(ask: Callable[[T], object], questions: Sequence[T]) -> dict[str, float]:
    """Percentiles of answering each question once, after the first of all was answered."""
    ask(questions[0])
    taken, worked = [], []
    for question in questions[1:]:
        begin = time.thread_time()
        taken.append(milliseconds(partial(ask, question)))
        worked.append(1000 * (time.thread_time() - begin))
    shares = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    wall = {name: round(percentile(taken, share), 3) for name, share in shares.items()}
    cpu = {f"cpu_{name}": round(percentile(worked, share), 3) for name, share in shares.items()}
    return wall | cpu


def main() -> None:
    """Write the graph if there is none, and time queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    shape = Shape(given.files)
    graph, seconds = open_graph(given.folder, shape)
    size = sum(item.entry.length for item in graph.snapshot.segments)
    figures: dict[str, object] = {
        "symbols": shape.files * (shape.symbols + 1),
        "edges": shape.files * shape.symbols * shape.edges,
        "index_mib": round(size / 2**20, 1),
        "build_seconds": round(seconds, 1),
        "milliseconds": measure(graph, shape, given.queries),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(figures)
    if given.keep:
        machine.keep("graph-queries", figures)


if __name__ == "__main__":
    main()
