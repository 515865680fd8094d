"""Judges what a soak has measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final

from tests.soak.figures import ProcessFigures, Slope, fit

# of what may go wrong with a call where files change and servers are ended, in a tree with denied
# files
EXPECTED_ERRORS: Final = frozenset(
    {"", "not_found", "path_denied", "cancelled", "server_ended", "index_busy"}
    | {"index_behind"}
    | {"symbol_missing", "file_not_linked", "graph_missing"}
    # of a tree that is no checkout
    | {"no_history"}
    # RANGE_INVALID: a file without lines
    | {"PATH_NOT_FOUND", "RANGE_INVALID", "SEARCH_TIMEOUT"}
)
# figures that are not judged: workers are replaced after so many files, by design
_REPLACED: Final = "workers"
MOST_GROWTH: Final = 1 << 20
GROWTH_SECONDS: Final = 600.0
# lines that are near to each other say the same of memory: so long is one value for the fit
_BLOCK_SECONDS: Final = 300.0
MOST_INDEX: Final = 2.0


@dataclass(frozen=True)
class Line:
    """Figures of the moment; `processes` are the steady servers and what they started."""

    seconds: float
    processes: dict[str, ProcessFigures]
    index_bytes: int
    live_bytes: int
    calls: int
    errors: dict[str, int]
    p50: float
    p95: float

    def text(self) -> str:
        """One line."""
        rss = " ".join(f"{name}:{item.rss >> 20}" for name, item in sorted(self.processes.items()))
        descriptors = sum(item.descriptors + item.segments for item in self.processes.values())
        threads = sum(item.threads for item in self.processes.values())
        errors = " ".join(f"{code}:{count}" for code, count in sorted(self.errors.items())) or "-"
        return (
            f"{self.seconds:7.0f} s  MB {rss}  fds {descriptors}  threads {threads}"
            f"  index {self.index_bytes / 1e6:.1f}/{self.live_bytes / 1e6:.1f} MB"
            f"  calls {self.calls}  p50 {self.p50:.3f} p95 {self.p95:.3f}  errors {errors}"
        )


@dataclass(frozen=True)
class Rest:
    """Figures of a moment at which nothing goes on."""

    processes: dict[str, ProcessFigures]
    index_bytes: int
    fresh_bytes: int


@dataclass
class Measurements:
    """All that a soak has measured."""

    lines: list[Line] = field(default_factory=list)
    rests: list[Rest] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    # unexpected errors of servers, with their places
    defects: list[str] = field(default_factory=list)


def memory_slopes(lines: Sequence[Line]) -> dict[str, Slope]:
    """Growth of each process's memory over the second half, in bytes per ten minutes."""
    half = [line for line in lines if line.seconds >= lines[-1].seconds / 2]
    names = set.intersection(*(set(line.processes) for line in half)) if half else set()
    slopes = {}
    for name in sorted(name for name in names if not name.startswith(_REPLACED)):
        found = fit(_means([(line.seconds, float(line.processes[name].rss)) for line in half]))
        slopes[name] = Slope(found.slope * GROWTH_SECONDS, found.error * GROWTH_SECONDS)
    return slopes


def _means(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The means of some minutes each: what a process keeps for its work comes and goes with it."""
    groups: dict[int, list[tuple[float, float]]] = {}
    begin = points[0][0]
    for point in points:
        groups.setdefault(int((point[0] - begin) / _BLOCK_SECONDS), []).append(point)
    return [(fmean(x for x, _ in group), fmean(y for _, y in group)) for group in groups.values()]


def failures(measured: Measurements) -> list[str]:
    """Why the soak has failed; empty if it has not."""
    found = [*measured.violations, *measured.differences, *measured.defects]
    unexpected = {
        code: count for code, count in measured.errors.items() if code not in EXPECTED_ERRORS
    }
    found.extend(f"{count} calls failed with {code}" for code, count in unexpected.items())
    for name, slope in memory_slopes(measured.lines).items():
        if slope.exceeds(MOST_GROWTH):
            found.append(f"{name} grows by {slope.slope / 1e6:.2f} MB in ten minutes")
    found.extend(
        f"the index has {rest.index_bytes} bytes, a fresh one {rest.fresh_bytes}"
        for rest in measured.rests
        if rest.index_bytes > MOST_INDEX * rest.fresh_bytes
    )
    return [*found, *_leaks(measured)]


def _leaks(measured: Measurements) -> Iterator[str]:
    """Figures at rest at the end that are higher than ever in the first half."""
    end = measured.lines[-1].seconds
    half = [line.processes for line in measured.lines if line.seconds <= end / 2]
    half.extend(rest.processes for rest in measured.rests[:-1])
    for name, now in measured.rests[-1].processes.items():
        if name.startswith(_REPLACED):
            continue
        before = [processes[name] for processes in half if name in processes]
        for what in ("descriptors", "segments", "threads"):
            most = max(getattr(item, what) for item in before)
            if getattr(now, what) > most:
                yield f"{name} had {most} {what} at most, and has {getattr(now, what)} at rest"


def report(measured: Measurements) -> dict[str, Any]:
    """All of it as plain data."""
    found = failures(measured)
    return {
        "passed": not found,
        "failures": found,
        "slopes_per_ten_minutes": {
            name: {"bytes": slope.slope, "error": slope.error}
            for name, slope in memory_slopes(measured.lines).items()
        },
        "errors": measured.errors,
        "rests": [_plain(rest) for rest in measured.rests],
        "lines": [_plain(line) for line in measured.lines],
    }


def _plain(record: Line | Rest) -> dict[str, Any]:
    named = {name: item._asdict() for name, item in record.processes.items()}
    return {**vars(record), "processes": named}
