"""Bringing an index up to date after no, one and a hundred changed files, by a new process.

What that leaves in parts is merged to what a build gives, once.
"""

from __future__ import annotations

import os
import statistics
from typing import Any, Final

from bench.index.freshness import edited
from bench.peers import OURS, Peer, command, filled
from bench.suite.bench import Bench
from bench.suite.processes import run

_CHANGED: Final = (0, 1, 100)


def refreshes(bench: Bench, rounds: int) -> dict[str, Any]:
    """Ours and those that can; beside them the least that any must do: look at all files once."""
    able = [peer for peer in bench.peers if peer.update and peer.name not in bench.skipped]
    paths = [bench.root / path for path in bench.tree.paths()]
    found: dict[str, Any] = {}
    for count in _CHANGED:
        chosen = paths[:: max(len(paths) // max(count, 1), 1)][:count]
        runs: dict[str, list[tuple[float, float]]] = {}
        for number in range(rounds):
            with edited(chosen, number):
                for peer in able:
                    runs.setdefault(peer.name, []).append(_updated(bench, peer))
            if count:
                for peer in able:
                    _updated(bench, peer)
            find = ["find", str(bench.root), "-type", "f", "-printf", "%s %T@\\n"]
            cost = run(find, os.environ)
            runs.setdefault("find", []).append((cost.wall, cost.cpu))
        found[f"changed_{count}"] = {name: _row(each) for name, each in runs.items()}
    found["compaction"] = {OURS.name: _row([_compacted(bench)])}
    return found


def _compacted(bench: Bench) -> tuple[float, float]:
    cost = run(filled(command("compact"), bench.place(OURS)), bench.around(OURS))
    return cost.wall, cost.cpu


def _updated(bench: Bench, peer: Peer) -> tuple[float, float]:
    place = bench.place(peer)
    costs = [run(command, bench.around(peer)) for command in peer.updates(place)]
    return sum(cost.wall for cost in costs), sum(cost.cpu for cost in costs)


def _row(runs: list[tuple[float, float]]) -> dict[str, float]:
    wall, cpu = zip(*runs, strict=True)
    return {
        "wall_s": round(statistics.median(wall), 3),
        "cpu_s": round(statistics.median(cpu), 3),
    }
