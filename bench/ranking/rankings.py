"""The systems' answers: cached for baselines, computed on each run for ours."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from bench.ranking import trees
from bench.ranking.metrics import DEEPEST, Ranked
from bench.ranking.repositories import Repository, small
from bench.ranking.systems import BASELINES, System, our_system

Answers = dict[str, list[Ranked]]
_PROCESSES: Final = 2


def of_baseline(
    system: System, repository: Repository, queries: Sequence[str], keep: Path
) -> Answers:
    """A baseline's answers; runs only queries that are not cached for this tree."""
    root = trees.prepared(repository, keep)
    stamp = trees.made(root)
    path = keep / "rankings" / system.name / f"{repository.name}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    known: dict[str, list[tuple[str, int, int]]] = {}
    if kept.get("tree") == stamp:
        known = kept["answers"]
    missing = sorted(set(queries) - known.keys())
    if missing:
        search = system.prepare(root)
        for query in missing:
            known[query] = [(item.path, item.first, item.last) for item in search(query, DEEPEST)]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"tree": stamp, "answers": known}))
    return {query: [Ranked(*row) for row in known[query]] for query in queries}


def of_ours(
    repository: Repository,
    queries: Sequence[str],
    keep: Path,
    overrides: Mapping[str, float],
    depth: int,
) -> Answers:
    """Our own answers, not cached."""
    search = our_system(keep, overrides).prepare(trees.prepared(repository, keep))
    return {query: search(query, depth) for query in sorted(set(queries))}


def all_of_ours(
    queries: Mapping[str, Sequence[str]],
    listed: Sequence[Repository],
    keep: Path,
    overrides: Mapping[str, float],
    depth: int,
) -> dict[str, Answers]:
    """Our own answers for the queries of each repository, two repositories at a time."""
    with ProcessPoolExecutor(_PROCESSES) as pool:
        waiting = {
            repository.name: pool.submit(
                of_ours, repository, queries[repository.name], keep, dict(overrides), depth
            )
            for repository in listed
        }
        return {name: future.result() for name, future in waiting.items()}


def all_of_baselines(
    queries: Mapping[str, Sequence[str]], listed: Sequence[Repository], keep: Path
) -> dict[str, dict[str, Answers]]:
    """The answers of every baseline that is present, by its name and repository."""
    few = small()
    return {
        system.name: {
            repository.name: of_baseline(system, repository, queries[repository.name], keep)
            for repository in listed
            if repository.name in few or not system.small_only
        }
        for system in BASELINES
        if system.present
    }
