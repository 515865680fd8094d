"""A build on many machines as discrete events: workers, an object store, a coordinator, failures.

Each part is an order, read, computed, uploaded and reported; the coordinator takes in one part
after the other. Then the canonical segments are merged by the workers in the same way. Latencies
are drawn from a log-normal distribution, deaths from an exponential one, both by a seed: equal
arguments give equal results. What a run counts (tasks, requests, bytes, processor seconds) follows
from the code of `repo_mcp/remote/cluster`; `python -m bench.cluster measure` compares it with a
real run.
"""

from __future__ import annotations

import heapq
import math
import random
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

_RANGE_BYTES = 8 << 20
_SLOW_FACTOR = 3.0
_SLOW_SECONDS = 20.0


@dataclass(frozen=True)
class Units:
    """Measured costs by byte of text, by byte of segment, and by file."""

    build_cpu_per_byte: float  # seconds of a worker by byte of text
    part_bytes_per_byte: float  # bytes of parts by byte of text
    index_bytes_per_byte: float  # bytes of merged segments by byte of text
    merge_cpu_per_byte: float  # seconds by byte of what is merged
    receive_cpu_per_byte: float  # seconds of the coordinator by byte of a segment
    walk_cpu_per_file: float  # seconds of the coordinator: walking, planning, remembering
    memory_per_file: float  # bytes of the coordinator


@dataclass(frozen=True)
class Cluster:
    """Machines and their network; none of these is measured here."""

    workers: int
    seed: int = 0
    latency: float = 0.03  # median seconds of a request
    latency_sigma: float = 0.6  # spread of its logarithm: 2.7 times the median at p95
    worker_bytes_per_second: float = 60e6
    coordinator_bytes_per_second: float = 1e9
    deaths_per_worker_hour: float = 0.02
    restart_seconds: float = 60.0
    slow_share: float = 0.01  # tasks that take five times as long


@dataclass
class Outcome:
    """The times of a simulated build."""

    seconds: float = 0.0
    tasks: int = 0
    requests: int = 0
    sent: int = 0
    received: int = 0
    worker_cpu: float = 0.0
    coordinator_cpu: float = 0.0
    deaths: int = 0
    duplicates: int = 0
    memory: float = 0.0
    disk: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One order: requests and seconds before its result is in the store, and the result's bytes."""

    requests: int
    received: int
    cpu: float
    result: int


class _Machines:
    """Workers with their tasks; time goes from event to event."""

    def __init__(self, cluster: Cluster, units: Units, outcome: Outcome) -> None:
        self._cluster = cluster
        self._units = units
        self._outcome = outcome
        self._chance = random.Random(cluster.seed)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._idle = cluster.workers
        self._tasks: list[Task] = []
        self._waiting: list[int] = []
        # by task, on how many workers it is, and when it began
        self._running: dict[int, int] = {}
        self._since: dict[int, float] = {}
        self._done: set[int] = set()
        self._durations: list[float] = []
        # when the coordinator has taken in all that has ended
        self._free_at = 0.0
        self.now = 0.0

    def run(self, tasks: list[Task]) -> None:
        """Carry out all tasks; ends when the coordinator has taken in the last result."""
        self._tasks, self._waiting = tasks, list(range(len(tasks)))[::-1]
        self._running, self._since, self._done, self._durations = {}, {}, set(), []
        self._events, self._idle = [], self._cluster.workers
        self._free_at = self.now
        self._fill()
        while len(self._done) < len(tasks):
            self.now, _, event = heapq.heappop(self._events)
            event()
            self._fill()
        self.now = max(self.now, self._free_at)

    def _fill(self) -> None:
        while self._idle and self._waiting:
            self._begin(self._waiting.pop())
        if not self._idle or not self._durations:
            return
        limit = max(_SLOW_FACTOR * self._durations[len(self._durations) // 2], _SLOW_SECONDS)
        for number in sorted(self._running):
            is_slow = self.now - self._since[number] > limit
            if self._idle and is_slow and self._running[number] == 1:
                self._outcome.duplicates += 1
                self._begin(number)

    def _begin(self, number: int) -> None:
        self._idle -= 1
        self._running[number] = self._running.get(number, 0) + 1
        self._since.setdefault(number, self.now)
        seconds, death = self._duration(self._tasks[number]), self._death()
        self._at(min(seconds, death), lambda: self._end(number, is_dead=death < seconds))

    def _end(self, number: int, *, is_dead: bool) -> None:
        self._running[number] -= 1
        if not self._running[number]:
            self._running.pop(number)
        if is_dead:
            self._outcome.deaths += 1
            self._at(self._cluster.restart_seconds, self._restart)
            if number not in self._done and number not in self._running:
                self._waiting.append(number)
            return
        self._idle += 1
        if number not in self._done:
            self._done.add(number)
            insort(self._durations, self.now - self._since[number])
            self._take_in(self._tasks[number].result)

    def _restart(self) -> None:
        self._idle += 1

    def _take_in(self, size: int) -> None:
        """The coordinator fetches a segment, one range after the other."""
        ranges = math.ceil(size / _RANGE_BYTES)
        cpu = size * self._units.receive_cpu_per_byte
        network = size / self._cluster.coordinator_bytes_per_second
        waits = sum(self._latency() for _ in range(ranges))
        self._free_at = max(self._free_at, self.now) + cpu + network + waits
        self._outcome.coordinator_cpu += cpu
        self._outcome.requests += ranges
        self._outcome.received += size

    def _duration(self, task: Task) -> float:
        cluster, outcome = self._cluster, self._outcome
        outcome.tasks += 1
        outcome.requests += task.requests
        outcome.received += task.received
        outcome.sent += task.result
        outcome.worker_cpu += task.cpu
        network = (task.received + task.result) / cluster.worker_bytes_per_second
        cpu = task.cpu * self._chance.lognormvariate(0.0, 0.15)
        if self._chance.random() < cluster.slow_share:
            cpu *= 5
        return cpu + network + sum(self._latency() for _ in range(task.requests))

    def _latency(self) -> float:
        cluster = self._cluster
        return cluster.latency * self._chance.lognormvariate(0.0, cluster.latency_sigma)

    def _death(self) -> float:
        rate = self._cluster.deaths_per_worker_hour / 3600
        return self._chance.expovariate(rate) if rate else math.inf

    def _at(self, seconds: float, event: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (self.now + seconds, self._count, event))


def simulate(
    parts: list[int], files: int, merges: list[list[int]], units: Units, cluster: Cluster
) -> Outcome:
    """Build parts of these bytes of text; each merge takes the parts of these numbers."""
    outcome = Outcome()
    machines = _Machines(cluster, units, outcome)
    walk = files * units.walk_cpu_per_file
    outcome.coordinator_cpu += walk
    machines.now = walk
    outcome.phases["walk"] = walk
    sizes = [int(size * units.part_bytes_per_byte) for size in parts]
    machines.run(
        [
            Task(3, 0, text * units.build_cpu_per_byte, size)
            for text, size in zip(parts, sizes, strict=True)
        ]
    )
    outcome.phases["parts"] = machines.now - walk
    before = machines.now
    share = units.index_bytes_per_byte / units.part_bytes_per_byte
    taken = [sum(sizes[number] for number in numbers) for numbers in merges]
    each = sum(sizes) / max(sum(taken), 1)  # sources that two merges read count in both
    machines.run(
        [
            Task(
                3 + sum(math.ceil(sizes[number] / _RANGE_BYTES) for number in numbers),
                size,
                size * each * units.merge_cpu_per_byte,
                int(size * each * share),
            )
            for numbers, size in zip(merges, taken, strict=True)
        ]
    )
    outcome.phases["merges"] = machines.now - before
    # the list of parts, and the removal of notes and segments
    outcome.requests += 1 + 2 * (len(parts) + len(merges))
    outcome.seconds = machines.now
    outcome.memory = files * units.memory_per_file
    outcome.disk = sum(sizes) + sum(sizes) * share
    return outcome


def made_tree(files: int, mean_bytes: float) -> tuple[list[int], list[list[int]]]:
    """Parts and merges of a tree of so many files of this mean size, as a refresh cuts them."""
    text = files * mean_bytes
    part = min(max(text / 16, 1 << 20), 16 << 20)
    count = max(math.ceil(text / part), 1)
    parts = [int(text / count)] * count
    # a canonical segment has about so many files: neighbouring parts lie in it
    segments = max(round(files / SEGMENT_FILES), 1)
    edges = [number * count / segments for number in range(segments + 1)]
    merges = [list(range(int(begin), min(math.ceil(end), count))) for begin, end in pairwise(edges)]
    return parts, merges


# files of a canonical segment in the linux sources: 77,797 in three segments
SEGMENT_FILES = 26_000


def quiet(cluster: Cluster) -> Cluster:
    """The same machines without deaths and slow tasks."""
    return replace(cluster, deaths_per_worker_hour=0.0, slow_share=0.0)
