"""Building indexes: wall and processor time, the most memory and disk, bytes of the index."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bench.peers import OURS, Peer, command
from bench.suite.bench import Bench
from bench.suite.figures import ratio
from bench.suite.processes import Cost, FailedError, folder_bytes, mib, run

# ours again, with declarations and what the other tools need
WITH_DECLARATIONS: Final = OURS._replace(
    name="repo-mcp with declarations",
    build=tuple(tuple(part for part in item if part != "--words-only") for item in OURS.build),
)
# and with what callers, references and research need
WITH_GRAPH: Final = WITH_DECLARATIONS._replace(
    name="repo-mcp with the graph",
    build=(*WITH_DECLARATIONS.build, command("cycles", "--limit", "1")),
    most_mib=200,
)
_VARIANTS: Final = (WITH_DECLARATIONS, WITH_GRAPH)


def builds(bench: Bench, rounds: int) -> dict[str, Any]:
    """Every index from nothing; builders take turns."""
    variants = [peer for peer in _VARIANTS if bench.text_mib <= (peer.most_mib or bench.text_mib)]
    builders = [peer for peer in (*bench.peers, *variants) if peer.build]
    runs: dict[str, list[Cost]] = {peer.name: [] for peer in builders}
    for number in range(rounds):
        for peer in builders:
            # the slow ones take as long as some rounds of all others
            is_slow = peer in _VARIANTS or peer.most_mib is not None
            if peer.name in bench.skipped or (number and is_slow):
                continue
            try:
                runs[peer.name].append(_built(bench, peer))
            except FailedError as error:
                bench.skipped[peer.name] = str(error)
    return {
        "peers": {
            peer.name: _row(bench, peer, runs[peer.name]) for peer in builders if runs[peer.name]
        },
        "ours_to_theirs_cpu": _ratios(runs, builders),
    }


def _built(bench: Bench, peer: Peer) -> Cost:
    """All commands of a build, one after the other."""
    around = bench.around(OURS if peer in _VARIANTS else peer)
    place = bench.emptied(bench.place(peer))
    return together([run(command, around, place.folder) for command in peer.builds(place)])


def together(costs: Sequence[Cost]) -> Cost:
    """The summed cost of commands that ran one after the other."""
    wall, cpu, memory, disk = zip(*costs, strict=True)
    return Cost(sum(wall), sum(cpu), max(memory), max(disk))


def _row(bench: Bench, peer: Peer, costs: Sequence[Cost]) -> dict[str, float]:
    size = mib(folder_bytes(bench.place(peer).folder))
    wall, cpu, memory, disk = zip(*costs, strict=True)
    return {
        "cpu_s": round(statistics.median(cpu), 2),
        "wall_s": round(statistics.median(wall), 2),
        "peak_mib": max(memory),
        "index_mib": size,
        "index_to_text": round(size / bench.text_mib, 3),
        "disk_peak_to_index": round(max(disk) / size, 2) if size else 0.0,
    }


def _ratios(
    runs: Mapping[str, Sequence[Cost]], builders: Sequence[Peer]
) -> dict[str, dict[str, float]]:
    """Ratios of CPU time, builders to ours with the same output: with or without declarations."""
    found: dict[str, dict[str, float]] = {}
    for peer in builders:
        costs = runs[peer.name]
        same = WITH_DECLARATIONS if "symbol" in peer.kinds else OURS
        ours = [cost.cpu for cost in runs[same.name]]
        count = min(len(ours), len(costs))
        if count and peer not in (OURS, *_VARIANTS):
            theirs = [cost.cpu for cost in costs]
            found[peer.name] = ratio(ours[:count], theirs[:count])
    return found
