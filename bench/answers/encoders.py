"""Measures what a sentence encoder adds to ranked search, as it is served.

    python -m bench.answers.encoders --keep FOLDER [--split test] [--encoder minilm] [--record]

FOLDER has the trees and sets of `python -m bench.answers build`. The functions of each repository
are encoded first, where they are not yet, and stay in FOLDER. Asked is for functions: those of
`bench.learned.evidence`, of those in fewer words each third and of names each other, and more
in other languages (languages.jsonl). An encoder is a name or a folder, as `--function-encoder`
takes it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

from bench import machine
from bench.answers.history import History, histories
from bench.answers.paraphrased import is_function
from bench.learned.evidence import asked_functions, named_functions
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked
from index_format import Snapshot
from repo_mcp.answers.lines import FILE, FUNCTION
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import EncodedFunctions, RankedEngine, SearchOptions
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.vectors.choice import choose_embedder

LANGUAGES: Final = Path(__file__).with_name("languages.jsonl")
# of these kinds a question of so many
_EACH: Final = {"fewer words": 3, "named": 2}
_DEPTH: Final = 10
_RESULT: Final = "encoders"


class Rank(NamedTuple):
    """The place of what answers a question, 0 for none, and the milliseconds that it took."""

    kind: str
    level: str
    is_encoded: bool
    rank: int
    spent: float


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--split", choices=("train", "test"), default="test")
    parser.add_argument("--encoder", default="minilm", help="a name or a folder")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args()
    ranks: list[Rank] = []
    for history in histories(args.split):
        if (args.keep / "trees" / history.folder).is_dir():
            ranks += ranks_of(args.keep, history, args.encoder)
    figures = {"encoder": Path(args.encoder).name, args.split: show(ranks)}
    if args.record:
        machine.keep(_RESULT, {**machine.stored(_RESULT), **figures})


def ranks_of(keep: Path, history: History, encoder: str) -> Iterator[Rank]:
    """Each question of a repository, at both levels, without and with the encoder."""
    root, data = keep / "trees" / history.folder, keep / "vectors" / history.folder
    parts = services(Options(str(root), str(data), watch=False, function_encoder=encoder))
    parts.manager.refresh(Budget())
    encoding, snapshot = parts.manager.encoding(), parts.manager.snapshot()
    assert encoding is not None, "vectors are turned off"
    assert snapshot is not None, "nothing is indexed"
    started = time.process_time()
    encoding.encode(Budget())
    spent = time.process_time() - started
    print(f"{history.name}: {encoding.state.text}, {spent:.1f} s", flush=True)
    encoded = EncodedFunctions.of(parts.settings, parts.manager)
    for kind, text, place in _questions(keep, history, root, snapshot):
        for level in (FUNCTION, FILE):
            for used in (None, encoded):
                engine = RankedEngine(
                    parts.sandbox,
                    parts.languages,
                    embedder=choose_embedder(""),
                    by_meaning=False,
                    encoded=used,
                )
                started = time.process_time()
                hits = _hits(engine, snapshot, text, level)
                spent = 1000 * (time.process_time() - started)
                right = [
                    hit.path == place.path if level == FILE else is_function(hit, place)
                    for hit in hits
                ]
                rank = right.index(True) + 1 if any(right) else 0
                yield Rank(kind, level, used is not None, rank, spent)


def _hits(engine: RankedEngine, snapshot: Snapshot, text: str, level: str) -> list[Ranked]:
    options = SearchOptions(light=True, level=level)
    try:
        hits = engine.search(snapshot, text, _DEPTH, None, Budget(), options=options).hits
    except Problem:
        return []
    return [Ranked(hit.path, hit.whole[0], hit.whole[1]) for hit in hits]


def _questions(
    keep: Path, history: History, root: Path, snapshot: Snapshot
) -> Iterator[tuple[str, str, Place]]:
    """The kind, the text and the right function of each question."""
    by_kind: dict[str, list[tuple[str, str, Place]]] = defaultdict(list)
    for question in (*asked_functions(history, keep, root), *named_functions(snapshot)):
        by_kind[question[0]].append(question)
    for kind, questions in by_kind.items():
        yield from questions[:: _EACH.get(kind, 1)]
    for row in map(json.loads, LANGUAGES.read_text("utf-8").splitlines()):
        if row["repository"] == history.name:
            yield row["language"], row["question"], Place(row["path"], row["first"], row["last"])


def show(ranks: Sequence[Rank]) -> Mapping[str, Mapping[str, Sequence[float]]]:
    """Print and return the figures of each kind, without and with the encoder."""
    rows: dict[str, dict[str, list[Rank]]] = defaultdict(lambda: defaultdict(list))
    for rank in ranks:
        way = "encoded" if rank.is_encoded else "served"
        rows[f"{rank.kind}, {rank.level}"][way].append(rank)
    figures: dict[str, dict[str, list[float]]] = {}
    for kind, ways in rows.items():
        figures[kind] = {"questions": [float(len(ways["served"]))]}
        figures[kind] |= {way: _figures(of) for way, of in ways.items()}
    for kind, shown in figures.items():
        print(f"{kind:24} {shown['questions'][0]:5.0f}  {shown['served']} -> {shown['encoded']}")
    return figures


def _figures(ranks: Sequence[Rank]) -> list[float]:
    """The shares first and among ten, the mean reciprocal rank, and milliseconds."""
    places = [rank.rank for rank in ranks]
    first = mean(float(place == 1) for place in places)
    among = mean(float(place > 0) for place in places)
    reciprocal = mean(1 / place if place else 0.0 for place in places)
    spent = mean(rank.spent for rank in ranks)
    return [*(round(value, 3) for value in (first, among, reciprocal)), round(spent, 1)]


if __name__ == "__main__":
    main()
