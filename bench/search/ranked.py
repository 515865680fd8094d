"""Compares ranked search of a tree with tantivy, warm and cold.

    python -m bench.search.ranked --root TREE --data FOLDER --keep FOLDER [--queries 300]

FOLDER of `--data` is the data folder of a finished index of TREE; `--keep` keeps tantivy's index
of the same files (whole files, its default tokenizer, BM25) for the next run. Queries are one to
four words as they stand together in a line of the tree, seeded, each asked once, so that words
come up again as often as they do in the tree. The tree and both indexes are in memory: they are
read once before. Measured are: our whole answer (ten passages, each read from its file as it is now
and narrowed to its lines), our ranking alone, tantivy's ten best files with their stored paths, and
these with a passage of each, from its file as it is now by tantivy's generator of snippets; and how
much processor time `repo-mcp search` takes from its start to its end. Every query's answer is asked
for twice and must be the same.
To conclude: the ratio of medians within one run.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import tantivy

from bench import machine
from bench.index.building import by_tantivy
from bench.timing import milliseconds, percentile
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.question.query import parse_words
from repo_mcp.search import ChunkRanker, RankedEngine, look_up
from repo_mcp.services import Services, services
from repo_mcp.settings import Options

_TOP: Final = 10
_WARM_UP: Final = 100
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_MOST_WORDS: Final = 4
_SEED: Final = 41
_COLD_RUNS: Final = 7
_PROGRAM: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"


def drawn(found: Services, snapshot: Snapshot, count: int) -> list[str]:
    """Queries from the tree itself."""
    chance = random.Random(_SEED)
    paths = list(snapshot.paths())
    queries: list[str] = []
    while len(queries) < count:
        data = found.sandbox.read(chance.choice(paths), follow=False).data
        words = _WORD.findall(chance.choice(data.decode("latin-1").split("\n")))
        if words:
            begin = chance.randrange(len(words))
            queries.append(" ".join(words[begin : begin + chance.randint(1, _MOST_WORDS)]))
    return queries


def into_memory(found: Services, snapshot: Snapshot, data: Path, kept: Path) -> None:
    """Read all files and indexes once, so that they are in the page cache."""
    for path in snapshot.paths():
        found.sandbox.read(path, follow=False)
    for folder in (data, kept):
        for file in folder.rglob("*"):
            if file.is_file():
                file.read_bytes()


def spread(work: Callable[[str], object], queries: Sequence[str]) -> dict[str, float]:
    """Wall time of the queries when warm: median, 95th percentile, maximum."""
    for query in queries[:_WARM_UP]:
        work(query)
    taken = [milliseconds(partial(work, query)) for query in queries[_WARM_UP:]]
    return {
        "p50_ms": round(statistics.median(taken), 3),
        "p95_ms": round(percentile(taken, 0.95), 3),
        "max_ms": round(max(taken), 3),
    }


def by_tantivys_index(folder: Path) -> Callable[[str], list[str]]:
    """Its ten best files for a query of plain words."""
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def search(query: str) -> list[str]:
        parsed, _ = index.parse_query_lenient(query.replace("_", " ").lower(), ["body", "path"])
        hits = searcher.search(parsed, _TOP).hits
        return [str(searcher.doc(address)["path"][0]) for _, address in hits]

    return search


def with_passages(folder: Path, root: Path) -> Callable[[str], list[str]]:
    """The same, and a passage of each file as it is now, by its generator of snippets."""
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def search(query: str) -> list[str]:
        parsed, _ = index.parse_query_lenient(query.replace("_", " ").lower(), ["body", "path"])
        makes = tantivy.SnippetGenerator.create(searcher, parsed, index.schema, "body")
        found: list[str] = []
        for _, address in searcher.search(parsed, _TOP).hits:
            path = str(searcher.doc(address)["path"][0])
            text = root.joinpath(path).read_text("utf-8", "replace")
            snippet = makes.snippet_from_doc(tantivy.Document(path=path, body=text))
            found.append(snippet.fragment())
        return found

    return search


def cold(root: str, data: str, query: str) -> dict[str, float]:
    """Processor time of the command from its start to its end, which is after the answer."""
    taken: list[float] = []
    for _ in range(_COLD_RUNS):
        places = ["--repo-root", root, "--data-dir", data]
        command = [sys.executable, "-P", "-c", _PROGRAM, "search", query, *places]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        taken.append(1000 * spent)
    return {"p50_cpu_ms": round(statistics.median(taken), 1), "max_cpu_ms": round(max(taken), 1)}


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=300)
    args = parser.parse_args()
    found = services(Options(args.root, args.data, watch=False))
    snapshot = found.manager.snapshot()
    if snapshot is None:
        raise SystemExit("index the tree first")
    kept = args.keep / "tantivy"
    if not kept.exists():
        kept.mkdir(parents=True)
        by_tantivy(Path(args.root), kept)
    queries = drawn(found, snapshot, _WARM_UP + args.queries)
    engine = RankedEngine(found.sandbox, found.languages)

    def ours(query: str) -> object:
        return engine.search(snapshot, query, _TOP, None, Budget()).hits

    def ranked(query: str) -> object:
        ranker = ChunkRanker(snapshot, look_up(snapshot, parse_words(query)))
        return list(islice(ranker.best(), _TOP))

    theirs = by_tantivys_index(kept)
    into_memory(found, snapshot, Path(args.data), kept)
    figures: dict[str, object] = {
        "corpus": Path(args.root).name,
        "files": snapshot.file_count,
        "chunks": snapshot.chunk_count,
        "queries": args.queries,
        "ours": spread(ours, queries),
        "ours_ranking_alone": spread(ranked, queries),
        "tantivy": spread(theirs, queries),
        "tantivy_with_passages": spread(with_passages(kept, Path(args.root)), queries),
        "cold": cold(args.root, args.data, "page cache writeback"),
    }
    for query in queries:
        if ours(query) != ours(query):
            raise SystemExit(f"two answers for {query}")
    for one, other in (
        ("ours_ranking_alone", "tantivy"),
        ("ours", "tantivy"),
        ("ours", "tantivy_with_passages"),
    ):
        ratio = figures[one]["p50_ms"] / figures[other]["p50_ms"]  # type: ignore[index] # both are spreads
        figures[f"p50_of_{one}_to_{other}"] = round(ratio, 2)
    print(figures)
    print(machine.keep(f"search-{Path(args.root).name}", figures))


if __name__ == "__main__":
    main()
