"""An index in a real folder, and processes that are killed, stopped, raced or run out of disk."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import Popen

import pytest

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    IndexBusyError,
    IndexMissingError,
    ReadOnlyStoreError,
    StoreWriteError,
)
from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.health.check import Severity, check
from index_format.store import names
from index_format.store.file_store import FileStore, _FileReader
from tests.index_format.generation.workers import (
    add_files,
    build_and_compact,
    commit_round,
    edit_until_killed,
    line_of,
    mark,
    read_until,
    start,
    stop_half_way,
    tell,
)
from tests.index_format.oracle import (
    SCHEMA,
    Tree,
    commit_change,
    compacted_segments,
    contents,
    expected,
    fresh_segments,
    index_in,
    round_of,
    segments_in,
    tree_at,
)

if sys.platform != "win32":
    import resource

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals, limits and mounts of POSIX")
KILLS = 30
MEBIBYTE = 1024 * 1024


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def index(folder: Path) -> Index:
    return second_round(folder)


def second_round(folder: Path) -> Index:
    """The first round, compacted, and the second on top of it."""
    index = index_in(FileStore(folder))
    commit_round(index, 0)
    index.compact(full=True)
    commit_round(index, 1)
    return index


def run(index: Index, name: str) -> None:
    if name == "edits":
        commit_round(index, 2)
    else:
        index.compact(full=True)


def goes_on(index: Index) -> None:
    """Nothing keeps the next round from being what a fresh build is."""
    commit_round(index, 2)
    assert compacted_segments(index.store) == fresh_segments(tree_at(2))


@contextmanager
def ended(*processes: Popen[str]) -> Iterator[None]:
    """Whatever becomes of the test, none of its processes stays."""
    with ExitStack() as stack:
        for process in processes:
            stack.enter_context(process)
            stack.callback(process.kill)
        yield


def is_round(snapshot: Snapshot, number: int) -> bool:
    return contents(snapshot) == expected(tree_at(number))


def lines_until_killed(nursery: Popen[str], count: int) -> list[str]:
    """Start a child, kill it once it has said so much, and give all it said."""
    tell(nursery)
    child = int(line_of(nursery).removeprefix("child "))
    lines = [line_of(nursery) for _ in range(count)]
    os.kill(child, signal.SIGKILL)
    while lines[-1] != "ended":
        lines.append(line_of(nursery))
        assert lines[-1]
    return lines


@pytest.mark.servers
def test_a_killed_writer_leaves_the_old_or_the_new_index(folder: Path) -> None:
    index = index_in(FileStore(folder))
    last = -1
    with ended(nursery := start(edit_until_killed, folder)):
        for kill in range(KILLS):
            lines = lines_until_killed(nursery, 1 + 7 * kill % 61)
            said = [int(line.split()[1]) for line in lines if line.startswith("committed")]
            reported = said[-1] if said else last
            try:
                snapshot = index.snapshot()
            except IndexMissingError:
                assert reported == -1
                continue
            last = round_of(snapshot)
            assert last in (reported, reported + 1)
            assert is_round(snapshot, last)
            worst = [item for item in check(index.store) if item.severity is Severity.ERROR]
            assert worst == []
    assert last > KILLS // 3
    assert compacted_segments(index.store) == fresh_segments(tree_at(last))
    index.collect_garbage(grace_seconds=-1.0)
    assert list(check(index.store)) == []
    assert not any(map(names.is_temporary, index.store.names()))


@pytest.mark.servers
def test_readers_never_fail_and_never_see_a_mixture(folder: Path, index: Index) -> None:
    last = 50
    readers = [start(read_until, folder, last) for _ in range(4)]
    with ended(*readers):
        assert [line_of(reader) for reader in readers] == ["ready"] * len(readers)
        for number in range(2, last + 1):
            commit_round(index, number)
            index.compact(full=number % 5 == 0)
            index.collect_garbage(grace_seconds=0.0)
        reports = [line_of(reader).split() for reader in readers]
    assert [report[0] for report in reports] == ["right"] * len(readers)
    assert sum(int(report[1]) for report in reports) > last // 2
    assert sum(int(report[2]) for report in reports) > len(readers)


def only(number: int) -> Tree:
    return {f"only{number}": mark(f"only{number}")}


class _Outrun(FileStore):
    """A store where a writer publishes and collects garbage just before a segment is opened."""

    def __init__(self, folder: Path, times: int) -> None:
        super().__init__(folder)
        self._behind = FileStore(folder)
        self.times = times
        self.count = 0

    def open(self, name: str) -> _FileReader:
        if names.is_segment(name) and self.count < self.times:
            self.count += 1
            commit_change(self._behind, only(self.count - 1), only(self.count))
            index_in(self._behind).collect_garbage(grace_seconds=-1.0)
        return super().open(name)


@pytest.mark.parametrize("times", [1, 4])
def test_a_reader_that_is_outrun_tries_again(folder: Path, times: int) -> None:
    store = _Outrun(folder, times)
    commit_change(FileStore(folder), {}, only(0))
    assert contents(index_in(store).snapshot()) == expected(only(times))
    assert store.count == times


def test_a_reader_that_is_always_outrun_says_so(folder: Path) -> None:
    commit_change(FileStore(folder), {}, only(0))
    with pytest.raises(IndexBusyError, match="published faster than one can be read"):
        index_in(_Outrun(folder, 100)).snapshot()


def test_a_lost_segment_is_damage(folder: Path, index: Index) -> None:
    lost = segments_in(index.store)[0]
    (folder / lost).unlink()
    with pytest.raises(CorruptIndexError, match=lost):
        index.snapshot()


@pytest.mark.servers
def test_all_changes_of_many_writers_are_kept(folder: Path) -> None:
    writers = [start(add_files, folder, f"writer{number}", 4) for number in range(8)]
    with ended(*writers):
        assert [line_of(writer) for writer in writers] == ["done"] * len(writers)
    paths = [f"writer{number}-{at}" for number in range(8) for at in range(4)]
    wanted = expected({path: mark(path) for path in paths})
    assert contents(index_in(FileStore(folder)).snapshot()) == wanted


@pytest.mark.servers
def test_a_stopped_writer_stops_no_reader(folder: Path) -> None:
    index = index_in(FileStore(folder))
    commit_round(index, 0)
    with ended(writer := start(stop_half_way, folder)):
        assert line_of(writer) == "spilled"
        writer.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(writer.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        assert is_round(index.snapshot(), 0)
        looks = itertools.count()
        late = index_in(FileStore(folder, clock=lambda: next(looks) / 10))
        with pytest.raises(IndexBusyError), late.writer(wait_seconds=0.2):
            pytest.fail("two writers at once")
        assert next(looks) == 3  # the beginning, and a look at 0.1 and at 0.2 s
        writer.send_signal(signal.SIGCONT)
        tell(writer)
        assert line_of(writer) == "committed"
    assert is_round(index.snapshot(), 1)


def test_an_open_snapshot_survives_even_the_removal_of_the_folder(
    folder: Path, index: Index
) -> None:
    snapshot = index.snapshot()
    for number in range(2, 6):
        commit_round(index, number)
    index.compact(full=True)
    index.collect_garbage(grace_seconds=-1.0)
    assert not {entry.name for entry in snapshot.manifest.segments} & set(index.store.names())
    assert is_round(snapshot, 1)
    shutil.rmtree(folder)
    assert is_round(snapshot, 1)
    with pytest.raises(IndexMissingError):
        index.snapshot()
    commit_round(index, 0)
    assert is_round(index.snapshot(), 0)


@contextmanager
def closed_to_writing(folder: Path) -> Iterator[None]:
    """A folder that even root can't write to."""
    attributes = shutil.which("chattr")
    if os.geteuid() != 0:
        folder.chmod(0o500)
    elif attributes is None or subprocess.run([attributes, "+i", folder], check=False).returncode:
        pytest.skip("this file system has no way to keep root from writing")
    try:
        yield
    finally:
        if os.geteuid() != 0:
            folder.chmod(0o700)
        elif attributes is not None:
            subprocess.run([attributes, "-i", folder], check=True)


@pytest.mark.servers
@pytest.mark.usefixtures("index")
def test_a_read_only_folder_answers_and_says_that_it_is_read_only(folder: Path) -> None:
    with closed_to_writing(folder):
        closed = index_in(FileStore(folder))
        assert is_round(closed.snapshot(), 1)
        with pytest.raises(ReadOnlyStoreError):
            commit_round(closed, 2)
        with pytest.raises(ReadOnlyStoreError):
            closed.compact(full=True)
        assert is_round(closed.snapshot(), 1)
    commit_round(closed, 2)
    assert is_round(closed.snapshot(), 2)


@pytest.mark.parametrize("kept", [0.0, 0.2, 0.5])
def test_a_segment_cut_short_under_a_snapshot_is_damage_and_no_crash(
    folder: Path, kept: float
) -> None:
    one = next(iter(tree_at(1).values()))
    many = {f"{number}/{'x' * 90}": one for number in range(300)}
    commit_change(FileStore(folder), {}, many, memory=MEBIBYTE)
    index = Index(FileStore(folder), SCHEMA)
    index.compact(full=True)  # into one segment, of far more pages than are read to open it
    snapshot = index.snapshot()
    entry = snapshot.manifest.segments[0]
    os.truncate(folder / entry.name, int(kept * entry.length))
    with pytest.raises(CorruptIndexError, match=entry.name):
        contents(snapshot)
    with pytest.raises(CorruptIndexError, match=entry.name):
        index.snapshot()


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process may become larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 100, 1_000, 1_500])
@pytest.mark.parametrize("name", ["edits", "compaction"])
def test_a_limit_on_file_sizes_leaves_the_old_index(index: Index, name: str, size: int) -> None:
    snapshot = index.snapshot()
    with largest_file(size), pytest.raises(StoreWriteError, match="File too large"):
        run(index, name)
    assert is_round(snapshot, 1)
    assert is_round(index.snapshot(), 1)
    assert not any(map(names.is_temporary, index.store.names()))
    goes_on(index)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one mebibyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if sys.platform != "linux" or mount is None or unmount is None:
        pytest.skip("knows how to mount on Linux only")
    command: list[str | Path] = [mount, "-t", "tmpfs", "-o", "size=1m", "small", disk]
    if subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("mounting takes root")
    yield disk
    subprocess.run([unmount, "--lazy", disk], check=True)


def fill(disk: Path, free: int) -> None:
    """Leave so many bytes."""
    found = os.statvfs(disk)
    with (disk / "filler").open("wb") as file:
        file.write(bytes(found.f_bavail * found.f_frsize - free))


def why_not(index: Index, name: str) -> str:
    """The reason why it failed, empty when it didn't."""
    try:
        run(index, name)
    except StoreWriteError as error:
        return error.reason
    return ""


@pytest.mark.servers
@pytest.mark.parametrize("name", ["edits", "compaction"])
def test_a_full_disk_leaves_the_old_index(small_disk: Path, name: str) -> None:
    failures = 0
    for pages in range(16):
        index = second_round(small_disk / str(pages))
        snapshot = index.snapshot()
        fill(small_disk, pages * resource.getpagesize())
        if reason := why_not(index, name):
            assert reason == "No space left on device"
            assert is_round(index.snapshot(), 1)
            failures += 1
        assert is_round(snapshot, 1)
        assert not any(map(names.is_temporary, index.store.names()))
        (small_disk / "filler").unlink()
        goes_on(index)
        shutil.rmtree(small_disk / str(pages))
    assert 2 < failures < 16


@pytest.mark.servers
@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel for the most memory used")
def test_memory_stays_near_its_limit(folder: Path) -> None:
    limit = 64 * MEBIBYTE
    with ended(builder := start(build_and_compact, folder, 3_000, limit)):
        imported, built, compacted = (int(line_of(builder)) for _ in range(3))
    store = FileStore(folder)
    assert len([name for name in store.names() if name.endswith(layout.SEGMENT_SUFFIX)]) > 4
    assert len(segments_in(store)) == 1
    assert imported < built <= compacted < imported + 2.5 * limit
