"""Indexes that workers build while some are killed at random, beside that of one machine."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from bench.cluster.generations import generation_of
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.remote.cluster import CHECKOUT, ClusterEngine, ClusterRunner, open_engine
from repo_mcp.services import services
from repo_mcp.settings import Options

COUNTS = (1, 2, 4, 8)
# seconds between two kills: about as long as a worker needs to come back
_PAUSES = (0.5, 3.0)


def build_among_kills(root: Path, keep: Path, kills: int) -> list[dict[str, Any]]:
    """Build with each count of workers until so many of them were killed; a row for each."""
    shutil.rmtree(keep, ignore_errors=True)
    alone = keep / "alone"
    manager = services(Options(str(root), str(alone))).manager
    manager.refresh(Budget())
    manager.tidy(Budget(), full=True)
    expected = generation_of(alone)
    rows: list[dict[str, Any]] = []
    for count in COUNTS:
        left = kills // len(COUNTS) + (count == COUNTS[-1]) * (kills % len(COUNTS))
        row = {"workers": count, "killed": 0, "builds": 0, "equal": 0, "made_here": 0}
        with open_engine(f"local:{count}", str(keep / f"engine{count}")) as engine:
            while row["killed"] < left:
                data = keep / f"{count}-{row['builds']}"
                with _Killer(engine, left - row["killed"], random.Random(left)) as killer:
                    runner = _build(root, data, engine)
                row["killed"] += killer.killed
                row["builds"] += 1
                row["equal"] += generation_of(data) == expected
                row["made_here"] += runner.made_here
                shutil.rmtree(data)
        rows.append(row)
    return rows


def _build(root: Path, data: Path, engine: ClusterEngine) -> ClusterRunner:
    parts = services(Options(str(root), str(data)))
    made: list[ClusterRunner] = []

    def make(recipe: Recipe) -> ClusterRunner:
        store = (data.parent / "store").as_uri()
        made.append(ClusterRunner(engine, recipe, parts.sandbox, store, CHECKOUT))
        return made[-1]

    parts.manager.refresh(Budget(), engine=make)
    made[-1].clean()
    return made[-1]


class _Killer:
    """Kills one worker after another while its block lasts, up to a number."""

    def __init__(self, engine: ClusterEngine, most: int, chance: random.Random) -> None:
        self.killed = 0
        self._engine = engine
        self._most = most
        self._chance = chance
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while self.killed < self._most and not self._over.wait(self._chance.uniform(*_PAUSES)):
            with suppress(ProcessLookupError, IndexError):
                victims = sorted(self._engine.process_ids().values())
                os.kill(self._chance.choice(victims), signal.SIGKILL)
                self.killed += 1
