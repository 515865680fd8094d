"""Files that change while a run goes on are found before it ends, and no older text wins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from code_graph import Languages
from code_graph.store.schema import FACTS
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import BuildTask
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.indexing.keep.refresh import _MOST_SMALL
from repo_mcp.indexing.watch.messages import Listener
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.model import Settings
from repo_mcp.processes.pool import Job
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import IndexProgress
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, CallbackListener, indexed, segment_names, served, text_of
from tests.waiting import until

pytestmark = pytest.mark.servers

FILES: dict[str, str | bytes] = {
    f"{at}/f{at}.{'py' if at % 4 else 'txt'}": f"def f{at}():\n    return {at}\n"
    for at in range(12)
}


class SlowPool(Pool):
    """Builds each task in this process, and calls `between` before it hands out the result."""

    def __init__(self, recipe: Recipe, sandbox: Sandbox) -> None:
        super().__init__(recipe, 1)
        self._builder = recipe.builder(sandbox, Languages(recipe.languages))
        self.between: Callable[[BuildTask], None] = lambda _: None
        self.waiting: Callable[[], None] = lambda: None

    def run(
        self,
        jobs: Sequence[Job],
        budget: Budget,  # noqa: ARG002 the interface
        waiting: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Job, object, bool]]:
        for job in jobs:
            assert isinstance(job, BuildTask)
            built = self._builder.build(job.wanted, parse=job.parse)
            self.waiting = waiting
            self.between(job)
            waiting()
            yield job, built, True


class Edited:
    """An index of which every build takes two rounds of many tasks."""

    def __init__(self, root: Path, data: Path) -> None:
        services = served(root, data)
        self.root = root
        self.manager: IndexManager = services.manager
        self.pool = SlowPool(self.manager.recipe, services.sandbox)
        self.manager.pools[PoolUse.INDEXING] = self.pool
        self.reported: list[str] = []
        self.written = False

    def refresh(self) -> None:
        self.manager.refresh(FOREVER, CallbackListener(edits=self._take))

    def _take(self) -> Sequence[str]:
        reported, self.reported = self.reported, []
        return reported

    def report(self, path: str, text: str | None) -> None:
        if text is None:
            (self.root / path).unlink()
        else:
            write(self.root, {path: text})
        self.reported.append(path)

    def holds(self, word: str) -> list[str]:
        """The files with this word in their text, as the index has it."""
        snapshot = text_of(self.manager)
        body = [field.name for field in snapshot.schema.fields].index("body")
        found = set()
        for item in snapshot.postings(body, word.encode()):
            for chunk in item.postings.all()[0].tolist():
                if item.segment.reader.files.file_of(chunk) not in item.segment.dead_files:
                    found.add(snapshot.chunk(chunk + item.segment.base).path)
        return sorted(found)


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edited:
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._ONE_ROUND_BYTES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MIN_TASK_BYTES", 1)
    real = "repo_mcp.indexing.keep.refresh.Refresh._fits_in_process"
    monkeypatch.setattr(real, lambda _, wanted, *, parse: len(wanted) == 1 and not parse)
    return Edited(write(tmp_path / "root", FILES), tmp_path / "data")


@pytest.mark.requirement("INT-09.3-incremental")
@pytest.mark.parametrize("parse", [False, True])
def test_a_new_file_is_found_before_the_round_ends(edited: Edited, parse: bool) -> None:  # noqa: FBT001 which round
    seen: list[tuple[str, list[str]]] = []

    def between(task: BuildTask) -> None:
        if task.parse == parse and not seen:
            edited.report("late/new.py", "def unheard():\n    return 1\n")
            seen.append(("reported", []))
        elif seen and len(seen) < 3:
            seen.append((task.wanted[0].path, edited.holds("unheard")))

    edited.pool.between = between
    edited.refresh()
    assert [found for _, found in seen[1:]] == [["late/new.py"]] * 2
    snapshot = text_of(edited.manager)
    assert IndexProgress.of(snapshot).deep
    assert snapshot.attachment("late/new.py", FACTS)


@pytest.mark.parametrize("text", ["def newer():\n    return 1\n", None])
def test_the_result_of_a_task_that_read_an_older_text_does_not_win(
    edited: Edited, text: str | None
) -> None:
    path = "5/f5.py"
    times: list[bool] = []

    def between(task: BuildTask) -> None:
        if path in [item.path for item in task.wanted] and task.parse not in times:
            times.append(task.parse)
            edited.report(path, text if task.parse else "def first():\n    return 1\n")

    edited.pool.between = between
    edited.refresh()
    assert times == [False, True]
    assert edited.holds("f5") == edited.holds("first") == []
    assert edited.holds("newer") == ([path] if text else [])
    assert (path in indexed(edited.manager)) == bool(text)


@pytest.mark.parametrize("remembered", [False, True])
def test_a_file_that_a_walk_has_missed_stays(
    edited: Edited,
    monkeypatch: pytest.MonkeyPatch,
    remembered: bool,  # noqa: FBT001 whether folders are compared by their hashes
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.walk.walk._FOLDERS_BETWEEN", 1)
    monkeypatch.setattr("repo_mcp.indexing.walk.known_folders._BATCH", 1)
    if remembered:  # however new the files are
        monkeypatch.setattr("repo_mcp.indexing.keep.changes._RACY_NANOSECONDS", -(10**18))
    edited.refresh()
    rest = iter([[], ["5/late.py"]])

    def take() -> Sequence[str]:
        paths = next(rest, [])
        if paths:  # its folder is listed already
            write(edited.root, dict.fromkeys(paths, "late = 1\n"))
        return paths

    edited.manager.refresh(FOREVER, CallbackListener(edits=take))
    assert "5/late.py" in indexed(edited.manager)


def test_an_index_with_edits_on_the_way_is_that_of_a_fresh_build(
    edited: Edited, tmp_path: Path
) -> None:
    numbers = iter(range(100))

    def between(task: BuildTask) -> None:
        number = next(numbers)
        if number > 30:
            return
        if not number % 2:
            edited.report(task.wanted[0].path, f"def changed{number}():\n    pass\n")
        if not number % 3:
            edited.report(f"{number % 5}/more{number}.py", f"more = {number}\n")

    edited.pool.between = between
    edited.refresh()
    assert same_segments_as_fresh(edited, tmp_path)


def same_segments_as_fresh(edited: Edited, folder: Path) -> bool:
    """True if a fresh index of the same tree has the same bytes, once both are merged."""
    fresh = served(edited.root, folder / "fresh").manager
    fresh.refresh(FOREVER)
    for manager in (edited.manager, fresh):
        manager.tidy(FOREVER, full=True)
    return segment_names(edited.manager) == segment_names(fresh)


@pytest.mark.parametrize("times_tell", [False, True])
def test_changes_that_were_not_reported_are_found_once_all_is_compared(
    edited: Edited, monkeypatch: pytest.MonkeyPatch, *, times_tell: bool
) -> None:
    """As for files that were written before their folder was watched.

    However new they are: the run has read them when their times told nothing.
    """
    if times_tell:
        monkeypatch.setattr("repo_mcp.indexing.keep.changes._RACY_NANOSECONDS", -(10**18))
    seen: list[tuple[list[str], list[str], list[str]]] = []

    def between(task: BuildTask) -> None:
        if task.parse and not edited.written:
            edited.written = True
            write(edited.root, {"late/new.py": "unheard = 1\n", "1/f1.py": "unheard = 2\n"})
            (edited.root / "2/f2.py").unlink()
            edited.reported.append("/")
        elif task.parse and len(seen) < 2:
            seen.append((edited.holds("unheard"), edited.holds("f1"), edited.holds("f2")))

    edited.pool.between = between
    edited.refresh()
    assert seen == [(["1/f1.py", "late/new.py"], [], [])] * 2
    assert {"1/f1.py", "2/f2.py", "late/new.py"}.intersection(indexed(edited.manager)) == {
        "1/f1.py",
        "late/new.py",
    }


def test_a_run_that_saves_twice_forgets_a_folder_once(edited: Edited) -> None:
    """As after a change of branches: a folder is gone, and many files are new."""
    edited.refresh()
    (edited.root / "1/f1.py").unlink()
    (edited.root / "1").rmdir()
    write(edited.root, {"2/more.py": "def more():\n    return 1\n"})
    edited.refresh()
    changes = edited.manager.text.changes(FOREVER)
    assert changes is not None
    assert (changes.gone, changes.gone_folders) == ([], [])
    assert "1/f1.py" not in indexed(edited.manager)
    assert edited.holds("more") == ["2/more.py"]


@pytest.mark.parametrize("lines", [1, 400])
def test_edits_during_a_run_leave_few_segments(
    edited: Edited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    """Every search reads all of them, and the run may go on for long."""
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._SMALL_CHUNKS", (2, 64))
    counts: list[int] = []

    def between(_: BuildTask) -> None:
        for number in range(len(counts), min(len(counts) + 10, 200)):
            edited.report(f"late{number % 70}.py", f"late{number} = 1\n" * lines)
            edited.pool.waiting()
            counts.append(len(segment_names(edited.manager)))

    edited.pool.between = between
    edited.refresh()
    assert len(counts) == 200
    assert max(counts) <= 2 * _MOST_SMALL
    assert same_segments_as_fresh(edited, tmp_path)


def test_a_run_ends_under_edits_that_never_pause(edited: Edited, tmp_path: Path) -> None:
    """A waiting caller gets an answer, and the changes that it left are indexed by the next run."""
    built: list[str] = []
    ends = False

    def between(task: BuildTask) -> None:
        path = task.wanted[0].path
        assert len(built) < 500
        built.append(path)
        if task.parse and not ends:
            edited.report(path, f"def changed{len(built)}():\n    pass\n")

    edited.pool.between = between
    edited.refresh()
    snapshot = text_of(edited.manager)
    assert IndexProgress.of(snapshot)[1:] == (True, False)
    ends = True
    background = BackgroundRefresh(edited.manager, StillWatcher(edited.root))
    try:
        background.refresh(FOREVER)
    finally:
        background.close()
    assert same_segments_as_fresh(edited, tmp_path)


def test_what_a_run_has_left_is_done_at_once(edited: Edited, tmp_path: Path) -> None:
    parsed: list[str] = []

    def between(task: BuildTask) -> None:
        parsed.append(task.wanted[0].path)
        if task.parse and len(parsed) < 80:
            path = task.wanted[0].path
            edited.reported.append(path)
            write(edited.root, {path: f"def changed{len(parsed)}():\n    pass\n"})
            background.look_at([path])

    edited.pool.between = between
    background = BackgroundRefresh(edited.manager, StillWatcher(edited.root))
    try:
        first = background.refresh(FOREVER)
        assert until(lambda: is_deep(edited.manager))
    finally:
        background.close()
    assert not first.complete
    assert same_segments_as_fresh(edited, tmp_path)


def is_deep(manager: IndexManager) -> bool:
    snapshot = manager.snapshot()
    return snapshot is not None and IndexProgress.of(snapshot).deep


class StillWatcher(Watcher):
    """A watcher that only counts how often it is started."""

    def __init__(self, root: Path) -> None:
        super().__init__(Settings(str(root), str(root.parent / "data")))
        self.starts = 0

    def start(self, listener: Listener, known_folders: Callable[[], bytes] = bytes) -> None:  # noqa: ARG002 the interface
        self.starts += 1


def test_the_watcher_starts_while_a_long_run_goes_on(
    edited: Edited, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, watcher = Clock(), StillWatcher(edited.root)
    starts: list[int] = []

    def refresh(_: object, listener: RunListener, **__: object) -> None:
        background.look_at(["5/f5.py"])
        if starts:  # the walk that follows
            return
        for seconds in (0.0, 1.0, 1.0, 1.0):
            clock.advance(seconds)
            taken = listener.take_edits()
            starts.append(watcher.starts)
            expected: list[list[str]] = [["5/f5.py"], [], ["/"], []]
            assert list(taken) == expected[len(starts) - 1]
            if len(starts) == 2:  # as the watcher does once it has begun
                background.walk()

    monkeypatch.setattr(edited.manager, "refresh", refresh)
    background = BackgroundRefresh(edited.manager, watcher, clock)
    background.walk()
    try:
        assert until(lambda: len(starts) == 4)
    finally:
        background.close()
    assert starts == [0, 1, 1, 1]


def test_files_are_indexed_before_all_others_for_a_question(edited: Edited) -> None:
    """The run goes on only once they are there."""
    answered = threading.Event()

    def between(_: BuildTask) -> None:
        while not answered.wait(0.001):
            edited.pool.waiting()

    edited.pool.between = between
    background = BackgroundRefresh(edited.manager, StillWatcher(edited.root))
    background.walk()
    try:
        background.index_first(["7/f7.py", "9/f9.py"], FOREVER)
        first = sorted(indexed(edited.manager))
        answered.set()
        background.wait_until_ready(FOREVER)
    finally:
        answered.set()
        background.close()
    assert first == ["7/f7.py", "9/f9.py"]
    assert sorted(indexed(edited.manager)) == sorted(FILES)
