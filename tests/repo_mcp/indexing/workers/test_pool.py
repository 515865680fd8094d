"""Workers: a crash or a hang costs one file at most, and cancelling stops them."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from code_graph.facts import FULL, STOPPED, Facts, decode
from code_graph.store.schema import FACTS
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import _TIMEOUT, BuildTask, FileTask
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.processes.child_process import NICENESS
from repo_mcp.processes.machine_memory import machine_memory
from repo_mcp.processes.pool import _LARGE_FILE, PooledProcess, _Pending
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served, text_of
from tests.waiting import HANG, is_running, until

pytestmark = pytest.mark.servers

# a worker whose Python adapter dies or hangs at files that say so; some files kill by being read
TRAPPED = """
import os, signal, sys
from pathlib import Path
from repo_mcp.indexing.build import builder
from repo_mcp.indexing.workers import worker
from code_graph.languages.python.adapter import adapter

python = adapter("python")
honest_facts, honest_decode = type(python).facts, builder.decode

def facts(self, path, text):
    if "KILL" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    while "HANG" in text:
        Path(os.environ["HANGING"], str(os.getpid())).touch()
        signal.pause()
    if "RAISE" in text:
        raise ZeroDivisionError
    return honest_facts(self, path, text)

def decode(data):
    if b"POISON" in data:
        os._exit(3)
    return honest_decode(data)

type(python).facts = facts
builder.decode = decode
worker.main()
"""
SOUND = "def sound(): pass\n"


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexManager:
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr(
        "repo_mcp.indexing.workers.pool._COMMAND", (sys.executable, "-P", "-c", TRAPPED)
    )
    (tmp_path / "hanging").mkdir()
    monkeypatch.setenv("HANGING", str(tmp_path / "hanging"))
    return served(tmp_path / "root", tmp_path / "data", workers=2).manager


@pytest.fixture(autouse=True)
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {f"f{number}.py": SOUND for number in range(9)})


def facts_of(manager: IndexManager, path: str) -> Facts:
    snapshot = text_of(manager)
    for name, segment, number in snapshot.files():
        if name == path.encode():
            return decode(snapshot.segments[segment].reader.attachments.get(number, FACTS))
    raise AssertionError(path)


@pytest.mark.requirement("INT-10.3-unparseable")
@pytest.mark.parametrize("trap", ["KILL", "RAISE"])
def test_a_file_that_breaks_its_parser_costs_its_own_facts(
    root: Path, manager: IndexManager, trap: str
) -> None:
    write(root, {"f4.py": f"def broken(): {trap}\n", "f7.py": f"def other(): {trap}\n"})
    done = manager.refresh(FOREVER)
    assert (done.added, done.complete, done.left_out) == (9, True, {})
    assert facts_of(manager, "f4.py").status != FULL
    assert facts_of(manager, "f4.py").declarations == ()
    assert [facts_of(manager, f"f{number}.py").status for number in (3, 5, 8)] == [FULL] * 3
    assert manager.refresh(FOREVER).updated == 0


def test_a_file_that_hangs_a_worker_is_not_parsed_again(
    root: Path, tmp_path: Path, manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(manager.pools, PoolUse.INDEXING, Pool(manager.recipe_of_workers, 1))
    write(root, {"f4.py": "HANG"})

    now = 0.0

    def clock() -> float:
        """Time passes while a worker hangs."""
        nonlocal now
        if any(is_running(int(file.name)) for file in (tmp_path / "hanging").iterdir()):
            now += _TIMEOUT / 4
        return now

    assert manager.refresh(Budget(clock=clock)).complete
    assert facts_of(manager, "f4.py").status == STOPPED


def test_a_file_that_can_not_even_be_read_is_left_out(root: Path, manager: IndexManager) -> None:
    write(root, {"f4.py": "POISON"})
    done = manager.refresh(FOREVER)
    assert (done.added, done.left_out) == (8, {"crashed": 1})
    assert "f4.py" not in indexed(manager)


def test_a_crashing_file_is_not_retried_before_it_changes(
    root: Path, manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.changes._RACY_NANOSECONDS", -(10**18))
    write(root, {"f4.py": "POISON"})
    manager.refresh(FOREVER)
    started: list[int] = []
    monkeypatch.setattr("repo_mcp.indexing.workers.pool.Pool._start", lambda _: started.append(1))
    done = manager.refresh(FOREVER)
    assert (done.added, done.left_out, started) == (0, {"crashed": 1}, [])


ONCE = """
import os, signal
from pathlib import Path
from repo_mcp.indexing.build import builder
from repo_mcp.indexing.workers import worker

honest = builder.decode

def decode(data):
    try:
        Path(os.environ["ENDED"]).touch(exist_ok=False)
    except FileExistsError:
        return honest(data)
    os.kill(os.getpid(), signal.SIGKILL)

builder.decode = decode
worker.main()
"""


def test_a_worker_that_is_ended_from_outside_costs_nothing(
    tmp_path: Path, manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENDED", str(tmp_path / "ended"))
    monkeypatch.setattr(
        "repo_mcp.indexing.workers.pool._COMMAND", (sys.executable, "-P", "-c", ONCE)
    )
    assert manager.refresh(FOREVER).added == 9
    assert (tmp_path / "ended").exists()
    assert {facts_of(manager, path).status for path in indexed(manager)} == {FULL}


FULL_DISK = """
import resource, signal
from repo_mcp.indexing.workers import worker
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
worker.main()
"""


def test_a_full_disk_is_not_blamed_on_a_file(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (sys.executable, "-P", "-c", FULL_DISK)
    monkeypatch.setattr("repo_mcp.indexing.workers.pool._COMMAND", command)
    with pytest.raises(Problem, match="File too large") as caught:
        manager.refresh(FOREVER)
    assert caught.value.code == "index_unavailable"
    monkeypatch.undo()
    assert manager.refresh(FOREVER).added == 9


def test_many_files_that_break_their_parser_cost_only_their_own_facts(
    root: Path, manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MAX_UNPARSED", 2)
    write(root, {f"k{number}.py": "def broken(): KILL" for number in range(12)})
    done = manager.refresh(FOREVER)
    assert (done.added, done.left_out) == (21, {})


@pytest.mark.parametrize(
    "limit",
    [
        "_KEEP_BELOW",
        pytest.param(
            "_KEPT_RESIDENT",
            marks=pytest.mark.skipif(
                sys.platform != "linux", reason="what a process holds is read from /proc"
            ),
        ),
    ],
)
def test_one_worker_is_kept_if_it_is_small(
    root: Path, manager: IndexManager, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MAX_TASK_FILES", 1)
    manager.refresh(FOREVER)
    assert len(manager.pools[PoolUse.INDEXING]._idle) == 2
    manager.pools.shrink(PoolUse.INDEXING)
    (kept,) = manager.pools[PoolUse.INDEXING]._idle
    write(root, {"f4.py": "changed = 1"})
    manager.refresh(FOREVER)
    manager.pools.shrink(PoolUse.INDEXING)
    assert manager.pools[PoolUse.INDEXING]._idle == [kept]
    monkeypatch.setattr(f"repo_mcp.processes.pool.{limit}", 0)
    manager.pools.shrink(PoolUse.INDEXING)
    assert manager.pools[PoolUse.INDEXING]._idle == []
    assert not kept.is_alive()


@pytest.mark.parametrize(("most", "kept"), [(1 << 20, True), (len(SOUND) - 1, False)])
def test_a_worker_that_has_grown_large_is_replaced_between_two_jobs(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch, most: int, *, kept: bool
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MAX_TASK_FILES", 1)
    monkeypatch.setattr("repo_mcp.processes.pool._RETIRE_ABOVE", most)
    started: list[PooledProcess] = []
    start = manager.pools[PoolUse.INDEXING]._start

    def note() -> PooledProcess:
        started.append(start())
        return started[-1]

    monkeypatch.setattr(manager.pools[PoolUse.INDEXING], "_start", note)
    assert manager.refresh(FOREVER).added == 9
    assert (len(started), len(manager.pools[PoolUse.INDEXING]._idle)) == (
        (2, 2) if kept else (9, 0)
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other priorities")
def test_workers_give_way_to_the_process_that_answers(manager: IndexManager) -> None:
    manager.refresh(FOREVER)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    workers = [process._process.pid for process in manager.pools[PoolUse.INDEXING]._idle]
    found = [os.getpriority(os.PRIO_PROCESS, worker) for worker in workers]
    assert found == [min(own + NICENESS, 19)] * len(workers)
    assert workers


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has loaded is read from /proc")
def test_workers_load_the_core_of_numpy_alone(tmp_path: Path) -> None:
    write(tmp_path / "lean", {"sound.py": SOUND * 10_000, "text.md": "# Words\n\nof a text\n"})
    manager = served(tmp_path / "lean", tmp_path / "data").manager
    assert manager.refresh(FOREVER).added == 2
    (worker,) = manager.pools[PoolUse.INDEXING]._idle
    loaded = Path(f"/proc/{worker._process.pid}/maps").read_text()
    assert "_multiarray_umath" in loaded
    assert "_umath_linalg" not in loaded


def _task(path: str, size: int) -> BuildTask:
    return BuildTask([FileTask(path, b"", size)], parse=True)


def test_jobs_with_large_files_are_done_at_once_as_far_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("repo_mcp.processes.pool._POLL", 0)
    size = _LARGE_FILE + 1
    first, second, third = (_task(path, size) for path in ("first.c", "second.c", "third.c"))
    small = _task("small.c", _LARGE_FILE)
    pending = _Pending([first, second, third, small], 2 * size)
    assert [pending.take(), pending.take(), pending.take()] == [first, second, small]
    assert pending.take() is None
    pending.finish(small)
    assert pending.take() is None
    pending.finish(first)
    assert pending.take() is third
    assert pending.is_empty


def test_without_room_large_files_are_done_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.processes.pool._POLL", 0)
    first, second = (_task(path, _LARGE_FILE + 1) for path in ("first.c", "second.c"))
    pending = _Pending([first, second], 0)
    assert pending.take() is first
    assert pending.take() is None
    pending.finish(first)
    assert pending.take() is second


def test_the_memory_of_a_container_is_what_its_group_may_take(tmp_path: Path) -> None:
    whole = machine_memory(str(tmp_path / "none"))
    limit = tmp_path / "memory.max"
    for text, memory in (("max\n", whole), ("1048576\n", 1 << 20), ("", whole)):
        limit.write_text(text, "ascii")
        assert machine_memory(str(limit)) == memory


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read from /proc")
def test_a_worker_that_holds_much_memory_is_not_used_again(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.processes.pool._MOST_RESIDENT", 1 << 20)
    manager.refresh(FOREVER)
    assert manager.pools[PoolUse.INDEXING]._idle == []


def test_a_process_is_released_or_taken_never_both(manager: IndexManager) -> None:
    """While one thread releases processes, another takes one for its jobs."""
    manager.refresh(FOREVER)
    pool = manager.pools[PoolUse.INDEXING]
    taken: list[PooledProcess] = []
    taking = threading.Thread(target=lambda: taken.append(pool._start()))

    class Size(int):
        def __lt__(self, other: int) -> bool:
            if taking.ident is None:
                taking.start()
                taking.join(timeout=0.5)  # it takes a process now, unless it has to wait
            return super().__lt__(other)

    for process in pool._idle:
        process.retained_bytes = Size(process.retained_bytes)
    manager.pools.shrink(PoolUse.INDEXING)
    taking.join(timeout=HANG)
    (found,) = taken
    assert found not in pool._idle
    found.end()


def test_cancelling_ends_workers_and_loses_nothing(root: Path, manager: IndexManager) -> None:
    assert manager.refresh(FOREVER).added == 9
    write(root, {"f4.py": "HANG", "f5.py": "changed = 1"})
    cancelled = threading.Event()
    refused: list[str] = []

    def refresh() -> None:
        try:
            manager.refresh(Budget(None, cancelled.is_set))
        except Problem as problem:
            refused.append(problem.code)

    thread = threading.Thread(target=refresh)
    thread.start()
    assert until(lambda: any((root.parent / "hanging").iterdir()))
    cancelled.set()
    thread.join(timeout=HANG)
    assert refused == ["cancelled"]
    assert len(indexed(manager)) == 9
    write(root, {"f4.py": SOUND})
    assert manager.refresh(FOREVER).updated == 1


def test_workers_that_can_not_start_are_an_error_and_no_endless_loop(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "repo_mcp.indexing.workers.pool._COMMAND", (sys.executable, "-c", "raise SystemExit")
    )
    with pytest.raises(Problem) as caught:
        manager.refresh(FOREVER)
    assert caught.value.code == "workers_end"
    assert manager.state().status == "missing"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other priorities")
def test_a_worker_that_a_question_waits_for_gives_way_to_none(manager: IndexManager) -> None:
    manager.refresh(FOREVER)
    assert manager.on_demand.parse(["a.txt"], 30.0, FOREVER) is not None
    own = os.getpriority(os.PRIO_PROCESS, 0)
    workers = [process._process.pid for process in manager.pools[PoolUse.QUESTIONS]._idle]
    assert [os.getpriority(os.PRIO_PROCESS, worker) for worker in workers] == [own] * len(workers)
    assert workers


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other priorities")
def test_workers_that_count_words_alone_give_way_to_none(manager: IndexManager) -> None:
    manager.refresh(FOREVER, most_parsed=0)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    workers = [process._process.pid for process in manager.pools[PoolUse.INDEXING]._idle]
    assert [os.getpriority(os.PRIO_PROCESS, worker) for worker in workers] == [own] * len(workers)
    assert workers
