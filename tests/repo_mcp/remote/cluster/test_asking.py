"""Queries to workers that are slow, die, lack segments, or have too much to do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from index_format import Snapshot, TermCounts
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.remote.cluster import asking
from repo_mcp.remote.cluster.asking import SegmentReaders
from repo_mcp.remote.cluster.shards.orders import (
    BUSY,
    REFUSED,
    ShardReply,
    ShardRequest,
    ShardSource,
    pack,
    rank_holders,
    unpack_request,
)
from repo_mcp.remote.cluster.shards.worker import ShardDesk
from repo_mcp.search import SHARD_MISSING, ExactEngine, ExactQuery, SegmentsMissingError
from repo_mcp.stored import BODY, TEXT_INDEX
from tests.repo_mcp.trees import FOREVER, served, write
from tests.waiting import HANG

COUNT = 40


class Workers:
    """A cluster of desks in threads; what `bad` says happens to requests of some."""

    def __init__(self, folder: Path, count: int) -> None:
        self.names = {f"at{number}": f"worker{number}" for number in range(count)}
        self.desks = {at: ShardDesk(str(folder / at)) for at in self.names}
        self.bad: dict[str, Callable[[Future[bytes]], bool]] = {}
        self.refused: list[str] = []
        self.forgotten: list[str] = []
        self.asked: list[str] = []
        self.pool = ThreadPoolExecutor(8)
        self._lock = threading.Lock()
        # requests that will be answered
        self.underway = 0

    def named_workers(self, _seconds: float) -> Mapping[str, str]:
        return {at: name for at, name in self.names.items() if at not in self.refused}

    def refuse(self, address: str, _reason: str) -> None:
        self.refused.append(address)

    def send(self, address: str, request: bytes) -> Future[bytes]:
        self.asked.append(address)
        done: Future[bytes] = Future()
        if not self.bad.get(address, answers)(done):
            with self._lock:
                self.underway += 1
            self.pool.submit(self._answer, address, request, done)
        return done

    def _answer(self, address: str, request: bytes, done: Future[bytes]) -> None:
        done.set_result(pack(self.desks[address].reply(unpack_request(request))))
        with self._lock:  # whoever waits has been told
            self.underway -= 1

    def forget(self, address: str, _names: list[str]) -> None:
        self.forgotten.append(address)


def answers(_: Future[bytes]) -> bool:
    return False


def dies(done: Future[bytes]) -> bool:
    done.set_exception(OSError("gone"))
    return True


def hangs(_: Future[bytes]) -> bool:
    return True


class FirstAlone:
    """Answers one request, and hangs from then on."""

    def __init__(self) -> None:
        self._answered = 0

    def __call__(self, _: Future[bytes]) -> bool:
        self._answered += 1
        return self._answered > 1


class WaitingClock:
    """Time that passes only while nothing is to come but what hangs."""

    def __init__(self, workers: Workers) -> None:
        self.now = 0.0
        self._workers = workers

    def __call__(self) -> float:
        if not self._workers.underway:
            self.now += 0.004
        return self.now


def says(kind: str) -> Callable[[Future[bytes]], bool]:
    def answer(done: Future[bytes]) -> bool:
        done.set_result(pack(ShardReply(kind)))
        return True

    return answer


class Tree:
    def __init__(self, folder: Path) -> None:
        (folder / "root").mkdir()
        services = served(folder / "root", folder / "data", workers=1)
        for number in range(COUNT // 4):
            text = f"common words and number{number}\n"
            write(folder / "root", {f"f{number}_{part}.txt": text for part in range(4)})
            services.manager.refresh(FOREVER)
        snapshot = services.manager.snapshot()
        assert snapshot is not None
        self.snapshot: Snapshot = snapshot
        self.sandbox = services.sandbox
        self.source = ShardSource(str(folder / "data" / TEXT_INDEX.folder))
        body = snapshot.schema.number(BODY)
        assert body is not None
        self.query = TermCounts(((body, b"common"), (body, b"number3"), (body, b"none")))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    made = Tree(tmp_path_factory.mktemp("asking"))
    assert len(made.snapshot.segments) >= 3
    return made


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    made = Workers(tmp_path, 3)
    yield made
    made.pool.shutdown()


def readers(tree: Tree, workers: Workers, seconds: float = HANG) -> SegmentReaders:
    return SegmentReaders(workers, tree.source, seconds)


def holder(tree: Tree, workers: Workers) -> str:
    """A worker that holds a segment."""
    return rank_holders(tree.snapshot.segments[0].entry.name, workers.names)[0]


def counts(tree: Tree, made: SegmentReaders) -> tuple[int, ...]:
    return made.distributed(tree.snapshot).ask(tree.query)


RIGHT = (COUNT, 4, 0)


def test_all_segments_are_read_once(tree: Tree, workers: Workers) -> None:
    made = readers(tree, workers)
    assert made.prepare(tree.snapshot) == frozenset()
    opened = len(workers.asked)
    assert counts(tree, made) == RIGHT
    assert len(workers.asked) == 2 * opened
    assert made.hedged == 0


@pytest.mark.parametrize("bad", [dies, hangs, says(BUSY), says("failed")])
def test_another_worker_answers_for_one_that_does_not(
    tree: Tree, workers: Workers, bad: Callable[[Future[bytes]], bool]
) -> None:
    made = readers(tree, workers)
    workers.bad[holder(tree, workers)] = bad
    assert counts(tree, made) == RIGHT
    assert made.hedged > 0


def test_a_worker_that_hangs_is_told_that_nobody_waits(tree: Tree, workers: Workers) -> None:
    slow = holder(tree, workers)
    workers.bad[slow] = hangs
    counts(tree, readers(tree, workers))
    assert workers.forgotten == [slow]


def test_two_of_three_may_die(tree: Tree, workers: Workers) -> None:
    workers.bad = {"at0": dies, "at2": dies}
    assert counts(tree, readers(tree, workers)) == RIGHT


@pytest.mark.parametrize("bad", [dies, hangs])
def test_what_nobody_answers_is_missing(
    tree: Tree, workers: Workers, bad: Callable[[Future[bytes]], bool]
) -> None:
    workers.bad = dict.fromkeys(workers.names, bad)
    with pytest.raises(SegmentsMissingError) as caught:
        counts(tree, readers(tree, workers, 0.2))
    assert caught.value.names == {item.entry.name for item in tree.snapshot.segments}


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_a_search_with_a_deadline_is_without_the_shares_that_are_not_there_by_then(
    tree: Tree, workers: Workers, seconds: float
) -> None:
    """Workers that are there are asked once, and searched in the time that is left."""
    del workers.names["at2"]
    silent, other = rank_holders(tree.snapshot.segments[0].entry.name, workers.names)
    clock = WaitingClock(workers)
    made = SegmentReaders(workers, tree.source, clock=clock)
    assert made.prepare(tree.snapshot) == frozenset()
    workers.bad = {silent: hangs, other: FirstAlone()}
    workers.asked.clear()
    begun = clock.now
    engine, query = ExactEngine(tree.sandbox), ExactQuery(("common",), limit=None)
    expected = engine.find(tree.snapshot, query, Budget())
    found = engine.find(made.distributed(tree.snapshot), query, Budget(seconds, clock=clock))
    ended = clock.now
    lost = {
        item.entry.name: [path.decode() for path, _ in item.live_files()]
        for item in tree.snapshot.segments
        if rank_holders(item.entry.name, workers.names)[0] == silent
    }
    warning, *more = found.warnings
    assert (warning.code, set(warning.names)) == (SHARD_MISSING, set(lost))
    assert not found.complete
    assert ended - begun <= seconds
    assert workers.asked.count(other) <= 2  # for what it has, and for what the silent one has
    absent = {path for paths in lost.values() for path in paths}
    left = [match for match in expected.matches if match.path not in absent]
    assert left
    assert not more
    assert list(found.matches) == left


def test_without_workers_all_is_missing(tree: Tree, workers: Workers) -> None:
    workers.names.clear()
    with pytest.raises(SegmentsMissingError):
        counts(tree, readers(tree, workers))


def test_a_worker_of_another_version_is_not_asked_again(tree: Tree, workers: Workers) -> None:
    made, other = readers(tree, workers), holder(tree, workers)
    workers.bad[other] = says(REFUSED)
    assert counts(tree, made) == RIGHT
    assert workers.refused == [other]
    workers.asked.clear()
    assert counts(tree, made) == RIGHT
    assert other not in workers.asked


def test_segments_that_no_worker_can_get_are_read_here(tree: Tree, workers: Workers) -> None:
    elsewhere = SegmentReaders(workers, ShardSource("/nowhere/index"), HANG)
    assert elsewhere.prepare(tree.snapshot) == frozenset()
    workers.asked.clear()
    assert counts(tree, elsewhere) == RIGHT
    assert workers.asked == []


def test_segments_come_from_an_object_store(tree: Tree, workers: Workers, tmp_path: Path) -> None:
    """One of them is missing there, and one has other bytes than its name says: read here."""
    store, folder = tmp_path / "store" / "v1" / "segments", Path(tree.source.folder)
    store.mkdir(parents=True)
    _absent, altered, *sound = [item.entry.name for item in tree.snapshot.segments]
    for name in (altered, *sound):
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= name == altered
        (store / name).write_bytes(data)
    url = (tmp_path / "store").as_uri()
    made = SegmentReaders(workers, ShardSource(url=url), HANG)
    assert made.prepare(tree.snapshot) == frozenset()
    copies = {path.name for path in tmp_path.glob("at*/*/seg-*")}
    assert copies == set(sound)
    workers.asked.clear()
    assert counts(tree, made) == RIGHT
    assert workers.asked


def test_what_is_left_out_is_not_asked_for(tree: Tree, workers: Workers) -> None:
    first, *_ = tree.snapshot.segments
    there = readers(tree, workers).distributed(tree.snapshot).leave_out([first.entry.name])
    assert there.ask(tree.query)[0] == COUNT - first.entry.live_chunks


def test_a_cancelled_question_ends_and_its_requests_are_forgotten(
    tree: Tree, workers: Workers
) -> None:
    workers.bad = dict.fromkeys(workers.names, hangs)
    there = readers(tree, workers).distributed(tree.snapshot)
    with pytest.raises(Problem) as caught, there.limited(Budget(cancelled=lambda: True)):
        there.ask(tree.query)
    assert caught.value.code == "cancelled"
    assert sorted(workers.forgotten) == sorted(workers.asked)


def test_one_worker_has_few_requests_at_a_time(
    tree: Tree, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_MOST_IN_FLIGHT", 1)
    made = readers(tree, workers)
    assert made.prepare(tree.snapshot) == frozenset()
    slow = holder(tree, workers)
    held: list[Future[bytes]] = []

    def hold(done: Future[bytes]) -> bool:
        held.append(done)
        return True

    workers.bad[slow] = hold
    for _ in range(3):  # the others answer, and only one request waits for this one
        assert counts(tree, made) == RIGHT
    assert len(held) == 1


def test_a_desk_answers_nothing_that_was_cancelled(tree: Tree, tmp_path: Path) -> None:
    desk = ShardDesk(str(tmp_path))
    request = ShardRequest("one", "shard", None, tree.query, 1.0)
    assert desk.reply(request) == ShardReply("unknown")
    desk.cancel(["one"])
    assert desk.reply(request) == ShardReply("failed", "nobody waits")


def test_a_desk_answers_nothing_that_has_waited_too_long(tree: Tree, tmp_path: Path) -> None:
    desk = ShardDesk(str(tmp_path), clock=lambda: 7.0)
    request = ShardRequest("one", "shard", None, tree.query, 2.0)
    assert desk.reply(request, 5.5) == ShardReply("unknown")
    assert desk.reply(request, 5.0) == ShardReply("failed", "nobody waits")


def test_a_desk_has_few_who_wait(tmp_path: Path) -> None:
    desk = ShardDesk(str(tmp_path))
    places = [desk.enter() for _ in range(17)]
    assert places == [True] * 16 + [False]
    desk.leave()
    assert desk.enter()


def test_a_worker_that_goes_moves_only_its_segments() -> None:
    workers = {f"tcp://{number}": str(number) for number in range(5)}
    segments = [f"seg-{number}" for number in range(200)]
    before = {name: rank_holders(name, workers)[0] for name in segments}
    gone = workers.pop("tcp://3")
    assert gone == "3"
    after = {name: rank_holders(name, workers)[0] for name in segments}
    moved = {name for name in segments if before[name] != after[name]}
    assert moved == {name for name in segments if before[name] == "tcp://3"}
    assert 20 < len(moved) < 60


def test_several_threads_ask_at_once(tree: Tree, workers: Workers) -> None:
    made = readers(tree, workers)
    found: list[tuple[int, ...]] = []
    threads = [threading.Thread(target=lambda: found.append(counts(tree, made))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert found == [RIGHT] * 12
