"""Switches each signal of ranked search off in turn, and gives what NDCG@10 loses without it.

Each repository is opened once and asked for ten answers with all weights, as a user gets them. A
signal that loses nothing on the training sets is a candidate to go; the test sets only confirm it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from bench import machine
from bench.ranking import judgements, scores, trees
from bench.ranking.judgements import SETS
from bench.ranking.ours import open_tree
from bench.ranking.rankings import Answers
from bench.ranking.repositories import Repository, repositories
from bench.ranking.systems import OURS

_TOP: Final = 10
_PROCESSES: Final = 2
_ALL: Final = "all"
# the weight with which each signal does nothing
_OFF: Final = {
    **dict.fromkeys(
        """
        b symbol name joined stems declared first decay further
        """.split(),  # noqa: SIM905 a list of words reads better
        0.0,
    ),
    **dict.fromkeys(
        "quoted tests docs vendored repeated inside".split(),  # noqa: SIM905 as above
        1.0,
    ),
}

# by set, with the split and the level: NDCG@10
Row = dict[str, float]


def ablate(
    keep: Path,
    splits: Sequence[str],
    signals: Sequence[str],
    more: Sequence[Sequence[str]],
    *,
    record: bool,
) -> None:
    """Print, and store, the table of these signals; `more` are to be switched off together."""
    listed: dict[str, tuple[str, ...]] = {
        _ALL: (),
        **{name: (name,) for name in signals or _OFF},
        **{" ".join(names): tuple(names) for names in more},
    }
    weights = {name: {signal: _OFF[signal] for signal in off} for name, off in listed.items()}
    table: dict[str, Row] = {name: {} for name in listed}
    for split in splits:
        for name, row in _of_split(keep, split, weights):
            table[name] |= row
    for line in _lines(table):
        print(line, flush=True)
    if record:
        machine.keep("ranking-ablation", {"depth": _TOP, "ndcg@10": table})


def _of_split(
    keep: Path, split: str, weights: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[str, Row]]:
    listed = repositories((split,))
    sets = {name: judgements.read(name, (split,)) for name in SETS}
    asked: dict[str, list[str]] = {item.name: [] for item in listed}
    for items in sets.values():
        for item in items:
            asked[item.repository].append(item.query)
    with ProcessPoolExecutor(_PROCESSES) as pool:
        waiting = {
            item.name: pool.submit(_of_repository, item, asked[item.name], keep, dict(weights))
            for item in listed
        }
        answers = {name: future.result() for name, future in waiting.items()}
    for name in weights:
        found = {repository: by_weights[name] for repository, by_weights in answers.items()}
        figures = scores.of_sets(split, sets, {OURS: found}, alone=True)
        yield (
            name,
            {
                f"{split} {key.judged} {key.level}": round(value, 4)
                for key, value in sorted(figures.items())
                if key.metric == scores.HEADLINE and not key.of_form
            },
        )


def _of_repository(
    repository: Repository,
    queries: Sequence[str],
    keep: Path,
    weights: Mapping[str, Mapping[str, float]],
) -> dict[str, Answers]:
    root = trees.prepared(repository, keep)
    weighted = open_tree(root, keep / "indexes" / root.name)
    searches = {name: weighted(overrides) for name, overrides in weights.items()}
    found: dict[str, Answers] = {name: {} for name in weights}
    for query in sorted(set(queries)):  # what is read for one query serves all weights
        for name, search in searches.items():
            found[name][query] = search(query, _TOP)
    return found


def _lines(table: Mapping[str, Row]) -> Iterator[str]:
    whole = table[_ALL]
    yield "  ".join(["without".ljust(14), *whole])
    for name, row in table.items():
        cells = (
            f"{value if name == _ALL else value - whole[key]:+.4f}".rjust(len(key))
            for key, value in row.items()
        )
        yield "  ".join([name.ljust(14), *cells])
