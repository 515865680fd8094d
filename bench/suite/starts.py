"""Cold starts: from the start of a process to its end with an answer, and of servers to theirs."""

from __future__ import annotations

import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from bench.costs.server import Server
from bench.peers import OURS, Kind, Peer
from bench.suite.bench import Bench
from bench.suite.builds import WITH_DECLARATIONS
from bench.suite.figures import ratio
from bench.suite.processes import Cost, run
from bench.suite.questions import drawn

# the question that a program is for
_KINDS: Final[tuple[Kind, ...]] = ("passages", "ranked", "literal", "symbol")
_CLIENT: Final = (sys.executable, "-P", "-m", "repo_mcp", "serve")


def starts(bench: Bench, rounds: int) -> dict[str, Any]:
    """One question each, always another; everybody takes turns."""
    asked = [(peer, _kind(peer)) for peer in bench.peers if peer.name not in bench.skipped]
    questions = {kind: drawn(kind, rounds + 1, bench.tree) for kind in _KINDS}
    runs: dict[str, list[Cost]] = {peer.name: [] for peer, _ in asked}
    for number in range(rounds + 1):
        for peer, kind in asked:
            place = bench.place(WITH_DECLARATIONS if peer is OURS else peer)
            command = peer.answers_once(place, kind, questions[kind][number % len(questions[kind])])
            cost = run(command, bench.around(peer))
            if number:  # the first run fills caches
                runs[peer.name].append(cost)
    ours = [cost.cpu for cost in runs[OURS.name]]
    return {
        "commands": {
            peer.name: {**_milliseconds(runs[peer.name]), "kind": kind} for peer, kind in asked
        },
        "ours_to_theirs_cpu": {
            name: ratio(ours, [cost.cpu for cost in found])
            for name, found in runs.items()
            if name != OURS.name
        },
        "server": server(bench, rounds),
    }


def _kind(peer: Peer) -> Kind:
    return next(kind for kind in _KINDS if kind in peer.kinds)


def _milliseconds(costs: list[Cost]) -> dict[str, Any]:
    return {
        "cpu_ms": round(1000 * statistics.median(cost.cpu for cost in costs), 1),
        "wall_ms": round(1000 * statistics.median(cost.wall for cost in costs), 1),
    }


def server(bench: Bench, rounds: int) -> dict[str, float]:
    """Wall time of our server until it is initialized, and until its first answer."""
    place = bench.place(WITH_DECLARATIONS)
    command = [*_CLIENT, "--repo-root", str(place.root), "--data-dir", str(place.folder)]
    questions = drawn("passages", rounds + 1, bench.tree)
    steps: list[tuple[float, float]] = []
    for question in questions:
        begin = time.perf_counter()
        with Server(command, Path(place.root), os.environ) as client:
            ready = time.perf_counter() - begin
            client.call("repo.search", {"query": question})
            steps.append((ready, time.perf_counter() - begin))
    ready_s, first_s = (statistics.median(found) for found in zip(*steps[1:], strict=True))
    return {
        "initialize_ms": round(1000 * ready_s, 1),
        "first_answer_ms": round(1000 * first_s, 1),
        **clients(command, place.root, questions),
    }


def clients(command: list[str], root: Path, questions: list[str]) -> dict[str, float]:
    """Answers per second of one client and of four at once, each with a server of its own."""
    return {
        f"answers_per_s_{count}_clients": _rate(command, root, questions, count) for count in (1, 4)
    }


def _rate(command: list[str], root: Path, questions: list[str], count: int) -> float:
    def ask(client: Server) -> None:
        for question in questions * 4:
            client.call("repo.search", {"query": question})

    servers = [Server(command, root, os.environ) for _ in range(count)]
    try:
        with ThreadPoolExecutor(count) as pool:
            list(pool.map(ask, servers))  # warm
            begin = time.perf_counter()
            list(pool.map(ask, servers))
            taken = time.perf_counter() - begin
    finally:
        for item in servers:
            item.__exit__()
    return round(count * len(questions) * 4 / taken, 1)
