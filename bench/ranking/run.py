"""Runs all queries on all systems and computes the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.ranking import judgements, rankings, scores
from bench.ranking.judgements import Judgement
from bench.ranking.metrics import by_file
from bench.ranking.rankings import Answers
from bench.ranking.repositories import repositories
from bench.ranking.scores import Figures
from bench.ranking.systems import OURS


def run(
    keep: Path,
    split: str,
    overrides: Mapping[str, float],
    *,
    only: Sequence[str],
    judged: Sequence[str],
    alone: bool,
    depth: int,
) -> Figures:
    """The figures of a split at this depth; `alone` leaves the baselines out."""
    listed = [item for item in repositories((split,)) if not only or item.name in only]
    names = {item.name for item in listed}
    sets = {
        name: [item for item in judgements.read(name, (split,)) if item.repository in names]
        for name in judged
    }
    queries: dict[str, list[str]] = {name: [] for name in names}
    for items in sets.values():
        for item in items:
            queries[item.repository].append(item.query)
    answers = {OURS: rankings.all_of_ours(queries, listed, keep, overrides, depth)}
    if not alone:
        answers |= rankings.all_of_baselines(queries, listed, keep)
    _write_ranks(keep / f"ranks.{split}.txt", sets, answers[OURS])
    return scores.within(scores.of_sets(split, sets, answers, alone=alone), depth)


def _write_ranks(
    path: Path, sets: Mapping[str, Sequence[Judgement]], answers: Mapping[str, Answers]
) -> None:
    """Details for inspection: each query with its NDCG, the best answer and the right one."""
    with path.open("w") as stream:
        for name, items in sets.items():
            for item in items:
                found = answers[item.repository][item.query]
                figure = by_file(found, item.places)["ndcg@10"]
                first = found[0].path if found else "-"
                right = " ".join(map(str, item.places))
                row = (f"{figure:.3f}", name, item.repository, item.form, item.query, right, first)
                stream.write("\t".join(row) + "\n")
