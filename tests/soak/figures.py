"""Figures of processes by the system, and the fit of a line through such figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from math import inf, sqrt
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_SEGMENT: Final = "/seg-"


class ProcessFigures(NamedTuple):
    """One process; open segments come and go with snapshots, so they are counted apart."""

    rss: int = 0
    descriptors: int = 0
    segments: int = 0
    threads: int = 0


class Slope(NamedTuple):
    """A line through points: change per second, and the standard error of that."""

    slope: float
    error: float

    def exceeds(self, limit: float) -> bool:
        """True if it is above the limit, and that is not chance."""
        return self.slope > limit and self.slope > 2 * self.error


def figures_of(pid: int) -> ProcessFigures:
    """The figures of a process; zeros when it has ended."""
    with suppress(OSError):
        status = dict(
            line.split(":", 1)
            for line in (_PROC / str(pid) / "status").read_text(encoding="utf-8").splitlines()
        )
        links = _links(pid)
        segments = sum(_SEGMENT in link for link in links)
        rss = int(status.get("VmRSS", "0 kB").split()[0]) * 1024
        return ProcessFigures(rss, len(links) - segments, segments, int(status["Threads"]))
    return ProcessFigures()


def children_of(pid: int) -> dict[int, str]:
    """Processes that this one started, with their commands."""
    found: dict[int, str] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                stat = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                if int(stat[1]) == pid and stat[0] not in "ZX":
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(folder.name)] = command.decode(errors="replace")
    return found


def fit(points: Sequence[tuple[float, float]]) -> Slope:
    """Least squares; nothing is certain of fewer than three points."""
    count = len(points)
    if count < 3:
        return Slope(0.0, inf)
    x_mean = sum(x for x, _ in points) / count
    y_mean = sum(y for _, y in points) / count
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    if not spread:
        return Slope(0.0, inf)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / spread
    rest = sum((y - y_mean - slope * (x - x_mean)) ** 2 for x, y in points)
    return Slope(slope, sqrt(rest / (count - 2) / spread))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed; 0 of none."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def _links(pid: int) -> list[str]:
    found = []
    for entry in os.scandir(_PROC / str(pid) / "fd"):
        with suppress(OSError):  # closed meanwhile
            found.append(str(Path(entry.path).readlink()))
    return found
