"""Asks the workers of a cluster that read the segments of an index, and merges their answers.

Each segment belongs to the first worker in an order that its name and theirs give. A worker that
does not answer as soon as most do, or fails, is not waited for alone: the next ones in the order of
each of its segments are asked, too, and whoever answers first is taken. What nobody has answered
when the time is up is missing, and whoever asked is told so. That is after some seconds, and
sooner where the search that asks has a deadline.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Final, Protocol, TypeVar

from index_format import (
    DistributedSnapshot,
    Limit,
    Manifest,
    SegmentEntry,
    Shard,
    ShardSnapshot,
    Snapshot,
    SnapshotQuery,
    Statistics,
)
from index_format.records import Record, field, replace
from index_format.tuples import NamedTuple
from repo_mcp.remote.cluster.engine import LIST_SECONDS
from repo_mcp.remote.cluster.shards.orders import (
    ANSWER,
    LACKING,
    REFUSED,
    UNKNOWN,
    ShardOrder,
    ShardReply,
    ShardRequest,
    ShardSource,
    pack,
    rank_holders,
    unpack_reply,
)
from repo_mcp.search import SegmentsMissingError

A = TypeVar("A")

# seconds for an answer, and for opening segments
ANSWER_SECONDS: Final = 5.0
OPEN_SECONDS: Final = 900.0
# a second worker is asked after this share of the latest answers had come, times this factor
_USUAL_SHARE: Final = 0.95
_HEDGE_FACTOR: Final = 2.0
_HEDGE_FIRST: Final = 0.5
_HEDGE_LEAST: Final = 0.05
_REMEMBERED: Final = 200
# requests that one worker has at a time: further ones wait here
_MOST_IN_FLIGHT: Final = 8
_POLL: Final = 0.02
# of the time that is left until a deadline, what one query may take
WAITED_SHARE: Final = 0.5
# the age that the list of workers may have
_KEPT_SECONDS: Final = 2.0
# open snapshots whose shards are remembered
_MOST_SNAPSHOTS: Final = 2
_MOST_SHARDS: Final = 256


class Cluster(Protocol):
    """The part of an engine that asking takes."""

    def named_workers(self, seconds: float) -> Mapping[str, str]:
        """Names of the workers that may be asked, by their addresses; none if it takes longer."""
        ...

    def refuse(self, address: str, reason: str) -> None:
        """Ask this worker no more."""
        ...

    def send(self, address: str, request: bytes) -> Future[bytes]:
        """Ask one worker; fails when it dies."""
        ...

    def forget(self, address: str, names: list[str]) -> None:
        """Tell one worker that nobody waits for these requests; does not wait."""
        ...


class _Attempt(Record, frozen=False):
    """Some segments as one worker is asked for them; `spares`: the same, as others are."""

    worker: str
    names: frozenset[str]
    tried: frozenset[str]
    identity: str = ""
    call: Future[bytes] | None = None
    since: float = 0.0
    answer: tuple[Shard, object] | None = None
    failed: bool = False
    spares: list[_Attempt] = field(factory=list)

    @property
    def answers(self) -> list[tuple[Shard, object]]:
        """The answers that have come, each segment in one of them."""
        if self.answer is not None:
            return [self.answer]
        return [part for attempt in self.spares for part in attempt.answers]

    @property
    def missing(self) -> frozenset[str]:
        """The segments without an answer."""
        if self.answer is not None:
            return frozenset()
        if not self.spares:
            return self.names
        return frozenset().union(*(attempt.missing for attempt in self.spares))

    @property
    def is_pending(self) -> bool:
        """True if its worker may still answer."""
        return self.answer is None and not self.failed

    def all(self) -> Iterator[_Attempt]:
        """This one and its spares."""
        yield self
        for attempt in self.spares:
            yield from attempt.all()


class _KnownShard(NamedTuple):
    """A shard of a manifest, what a worker is told of it, and its name."""

    manifest: Manifest
    shard: Shard
    order: ShardOrder
    identity: str


class SegmentReaders:
    """The workers of a cluster as readers of segments; thread-safe."""

    def __init__(
        self,
        cluster: Cluster,
        source: ShardSource,
        seconds: float = ANSWER_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Answers take at most so many seconds, or are missing."""
        self._cluster = cluster
        self._source = source
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._count = 0
        self._flying: Counter[str] = Counter()
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)
        self._workers: tuple[float, Mapping[str, str]] = (float("-inf"), {})
        # by worker, segments that it can't get
        self._lacking: dict[str, set[str]] = {}
        # by snapshot and segments
        self._shards: dict[tuple[int, frozenset[str]], _KnownShard] = {}
        self._distributed: dict[int, DistributedSnapshot] = {}
        # the number of spare attempts
        self.hedged = 0

    def distributed(self, snapshot: Snapshot) -> DistributedSnapshot:
        """The snapshot as these workers read it; the same for the same snapshot."""
        with self._lock:
            found = self._distributed.get(id(snapshot))
            if found is None:
                if len(self._distributed) >= _MOST_SNAPSHOTS:
                    self._distributed.clear()
                    self._shards.clear()
                self._lacking.clear()  # they may be there by now
                found = self._distributed[id(snapshot)] = DistributedSnapshot(snapshot, self)
        return found

    def prepare(self, snapshot: Snapshot, limit: Limit | None = None) -> frozenset[str]:
        """Let workers open the segments of a snapshot; the names of those that none has opened."""
        left = None if limit is None else limit.seconds_left
        seconds = OPEN_SECONDS if left is None else min(OPEN_SECONDS, left)
        return self._run(None, self.distributed(snapshot), limit, seconds)[1]

    def ask(self, query: SnapshotQuery[A], whole: DistributedSnapshot, limit: Limit | None) -> A:
        """The merged answer of all workers; `SegmentsMissingError` if some gave none in time."""
        left = None if limit is None else limit.seconds_left
        # the search that leaves out what is missing needs some of the time
        seconds = self._seconds if left is None else min(self._seconds, left * WAITED_SHARE)
        known = whole.answered.get(_name_of(query), ()) if whole.answered else ()
        parts, missing = self._run(query, whole, limit, seconds, known)
        if missing:
            raise SegmentsMissingError(missing, {_name_of(query): parts})
        return query.merge(whole, parts)  # type: ignore[arg-type] # as the workers answer

    def _run(
        self,
        query: SnapshotQuery[A] | None,
        whole: DistributedSnapshot,
        limit: Limit | None,
        seconds: float,
        answered: Sequence[tuple[Shard, object]] = (),
    ) -> tuple[list[tuple[Shard, object]], frozenset[str]]:
        names = {entry.name for entry in whole.manifest.segments} - whole.without
        known = [(shard, answer) for shard, answer in answered if shard.names <= names]
        names -= {name for shard, _ in known for name in shard.names}
        run = _Run(self, query, whole, seconds)
        try:
            attempts = run.start(names)
            while any(attempt.missing for attempt in attempts):
                if limit is not None:
                    limit.check()
                if not run.step(attempts):
                    break
        finally:
            run.end()
        missing = frozenset().union(*(attempt.missing for attempt in attempts))
        return [*known, *(part for attempt in attempts for part in attempt.answers)], missing

    # segments taken by a run, on any thread

    def workers(self, seconds: float = LIST_SECONDS, *, anew: bool = False) -> Mapping[str, str]:
        """Names of the workers by their addresses; those known, if it takes longer to ask."""
        since, known = self._workers
        if anew or self._clock() - since > _KEPT_SECONDS:
            found = self._cluster.named_workers(min(seconds, LIST_SECONDS))
            if found or seconds >= LIST_SECONDS:
                known = found
                self._workers = self._clock(), known
        return known

    def shard(self, whole: DistributedSnapshot, names: frozenset[str]) -> _KnownShard:
        """A shard of a snapshot, with its order and its name."""
        key = id(whole.manifest), names
        found = self._shards.get(key)
        if found is None or found.manifest is not whole.manifest:
            shard = Shard(whole, names)
            order = ShardOrder.of(whole, shard.entries, self._source)
            if len(self._shards) >= _MOST_SHARDS:
                self._shards.clear()
            found = _KnownShard(whole.manifest, shard, order, order.identity)
            self._shards[key] = found
        return found

    def groups(
        self, names: Iterable[str], tried: frozenset[str], seconds: float
    ) -> tuple[dict[str, set[str]], set[str], set[str]]:
        """Segments by the worker to ask, those that no worker can get, and those that all tried."""
        workers = self.workers(seconds)
        found: dict[str, set[str]] = {}
        nowhere: set[str] = set()
        failed: set[str] = set()
        for name in names:
            ranked = rank_holders(name, workers)
            able = [at for at in ranked if name not in self._lacking.get(at, ())]
            # the first that has not enough to do
            left = sorted((at for at in able if at not in tried), key=self.is_full)
            if left:
                found.setdefault(left[0], set()).add(name)
            elif ranked and not able:
                nowhere.add(name)
            else:
                failed.add(name)
        return found, nowhere, failed

    def is_full(self, worker: str) -> bool:
        """True if a worker has as many requests as it may."""
        return self._flying[worker] >= _MOST_IN_FLIGHT

    def take(self, worker: str) -> str:
        """The name of a request that goes to a worker now."""
        with self._lock:
            self._flying[worker] += 1
            self._count += 1
            return f"{id(self):x}-{self._count}"

    def give_back(self, worker: str) -> None:
        """The end of a request."""
        with self._lock:
            self._flying[worker] -= 1

    def send(self, worker: str, request: ShardRequest) -> Future[bytes]:
        """Send a request."""
        return self._cluster.send(worker, pack(request))

    def forget(self, worker: str, name: str) -> None:
        """Nobody waits for a request."""
        self._cluster.forget(worker, [name])

    def note_duration(self, seconds: float) -> None:
        """An answer took so long."""
        self._durations.append(seconds)

    def note_lacking(self, worker: str, names: Iterable[str]) -> None:
        """A worker can't get segments."""
        self._lacking.setdefault(worker, set()).update(names)

    def note_refusal(self, worker: str, reason: str) -> None:
        """A worker is of another version."""
        self._cluster.refuse(worker, reason)
        self._workers = float("-inf"), {}

    @property
    def hedge_seconds(self) -> float:
        """After how long a second worker is asked."""
        known = sorted(self._durations)
        if not known:
            return _HEDGE_FIRST
        usual = known[min(int(len(known) * _USUAL_SHARE), len(known) - 1)]
        return max(usual * _HEDGE_FACTOR, _HEDGE_LEAST)

    @property
    def clock(self) -> Callable[[], float]:
        """The clock of durations."""
        return self._clock


class _Run:
    """One query on its way."""

    def __init__(
        self,
        readers: SegmentReaders,
        query: SnapshotQuery[A] | None,
        whole: DistributedSnapshot,
        seconds: float,
    ) -> None:
        self._readers = readers
        self._query = query
        self._whole = whole
        self._ends: SimpleQueue[tuple[_Attempt, Future[bytes]]] = SimpleQueue()
        self._deadline = readers.clock() + seconds
        self._seconds = seconds
        # a second worker opens nothing before the first has had its time
        self._hedge = OPEN_SECONDS if query is None else readers.hedge_seconds
        # attempts whose workers have enough to do
        self._waiting: list[_Attempt] = []
        self._sent: list[_Attempt] = []

    def start(self, names: Iterable[str]) -> list[_Attempt]:
        """The first attempts; segments that no worker can get are read here."""
        return self._attempts(names, frozenset())

    def step(self, attempts: Iterable[_Attempt]) -> bool:
        """Wait for something to happen and see to it; False when no more can happen."""
        now = self._readers.clock()
        if now >= self._deadline:
            return False
        self._send_waiting()
        pending = [one for attempt in attempts for one in attempt.all() if one.is_pending]
        if not pending:
            return False
        try:
            attempt, call = self._ends.get(timeout=min(_POLL, self._deadline - now))
        except Empty:
            for one in pending:
                if not one.spares and now - one.since > self._hedge:
                    self._ask_others(one)
            return True
        self._finish(attempt, call)
        return True

    def end(self) -> None:
        """Cancel what is still on its way."""
        for attempt in self._sent:
            if attempt.call is not None and not attempt.call.done():
                self._readers.forget(attempt.worker, attempt.identity)

    @property
    def _left(self) -> float:
        """Seconds until the deadline."""
        return max(self._deadline - self._readers.clock(), 0.0)

    def _attempts(self, names: Iterable[str], tried: frozenset[str]) -> list[_Attempt]:
        groups, nowhere, failed = self._readers.groups(names, tried, self._left)
        now = self._readers.clock()
        made = [
            _Attempt(worker, frozenset(held), tried, since=now) for worker, held in groups.items()
        ]
        self._waiting += made
        if nowhere:
            made.append(self._read_here(frozenset(nowhere)))
        if failed:
            made.append(_Attempt("", frozenset(failed), tried, failed=True))
        self._send_waiting()
        return made

    def _read_here(self, names: frozenset[str]) -> _Attempt:
        """The answer of this process for segments that only it has, as those of recent edits."""
        shard = self._readers.shard(self._whole, names).shard
        answer = None
        if self._query is not None:
            answer = self._query.for_shard(shard).answer(_open_here(self._whole, shard))
        return _Attempt("", names, frozenset(), answer=(shard, answer))

    def _send_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for attempt in waiting:
            if self._readers.is_full(attempt.worker):
                self._waiting.append(attempt)
            else:
                self._send(attempt, with_order=self._query is None)

    def _send(self, attempt: _Attempt, *, with_order: bool) -> None:
        attempt.identity = self._readers.take(attempt.worker)
        known = self._readers.shard(self._whole, attempt.names)
        query = None if self._query is None else self._query.for_shard(known.shard)
        given = known.order if with_order else None
        request = ShardRequest(attempt.identity, known.identity, given, query, self._seconds)
        call = attempt.call = self._readers.send(attempt.worker, request)
        self._sent.append(attempt)
        call.add_done_callback(lambda done: self._came(attempt, done))

    def _came(self, attempt: _Attempt, call: Future[bytes]) -> None:
        self._readers.give_back(attempt.worker)
        self._ends.put((attempt, call))

    def _finish(self, attempt: _Attempt, call: Future[bytes]) -> None:
        """See to the end of a request."""
        reply = _reply_of(call)
        if reply.kind == UNKNOWN:
            self._send(attempt, with_order=True)
            return
        if reply.kind == ANSWER:
            attempt.answer = self._readers.shard(self._whole, attempt.names).shard, reply.value
            self._readers.note_duration(self._readers.clock() - attempt.since)
            return
        attempt.failed = True
        if reply.kind == LACKING and reply.value:
            self._readers.note_lacking(attempt.worker, reply.value)
            if not attempt.spares:  # it may be asked for the others again
                attempt.spares = self._attempts(attempt.names, attempt.tried)
            return
        if reply.kind == REFUSED:
            self._readers.note_refusal(attempt.worker, str(reply.value))
        else:
            self._readers.workers(self._left, anew=True)
        self._ask_others(attempt)

    def _ask_others(self, attempt: _Attempt) -> None:
        """Ask the next workers for the segments of an attempt, if there are some for all."""
        if attempt.spares:
            return
        tried = attempt.tried | {attempt.worker}
        groups, nowhere, failed = self._readers.groups(attempt.names, tried, self._left)
        if not (groups or nowhere) or (failed and not attempt.failed):
            return
        self._readers.hedged += len(groups)
        attempt.spares = self._attempts(attempt.names, tried)


def _name_of(query: SnapshotQuery[A]) -> bytes:
    """A name that an equal query has, in most cases."""
    return pickle.dumps(query, protocol=pickle.HIGHEST_PROTOCOL)


def _reply_of(call: Future[bytes]) -> ShardReply:
    """The reply of a worker; what went wrong on the way is a failure, too."""
    try:
        return unpack_reply(call.result())
    except Exception as error:  # noqa: BLE001 a connection may break in many ways
        return ShardReply("failed", type(error).__name__)


def _open_here(whole: DistributedSnapshot, shard: Shard) -> ShardSnapshot:
    readers = {item.entry.name: item.reader for item in whole.segments}
    manifest = replace(whole.manifest, segments=tuple[SegmentEntry, ...](shard.entries))
    return ShardSnapshot(manifest, readers, Statistics.of(whole))
