"""Files that are slow to come are read ahead: some at once, the same ones in the same order."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.indexing.build.builder import FileReader
from repo_mcp.indexing.build.tasks import FileTask
from repo_mcp.safety.sandbox import Content, Sandbox
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import sandbox as make_sandbox, write

COUNT = 1000


class _SlowSandbox:
    """A sandbox in which time goes by for each file; counts the groups that are read at once."""

    def __init__(self, inner: Sandbox, clock: Clock, seconds: float, at_once: int = 1) -> None:
        self.inner = inner
        self.clock = clock
        self.seconds = seconds
        self.barrier = threading.Barrier(at_once)
        self.lock = threading.Lock()
        self.begun = 0

    def read_plain(self, paths: Sequence[str]) -> list[Content | None]:
        with self.lock:
            self.begun += 1
            first = self.begun == 1
            self.clock.advance(self.seconds * len(paths))
        if not first:
            self.barrier.wait(60)
        return self.inner.read_plain(paths)

    def read(self, path: str, *, follow: bool) -> Content:
        return self.inner.read(path, follow=follow)


@pytest.fixture(name="tree", scope="module")
def make_tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sandbox, list[FileTask]]:
    names = [f"d{number % 7}/f{number}.txt" for number in range(COUNT)]
    root = write(tmp_path_factory.mktemp("root"), {name: f"text of {name}\n" for name in names})
    names[500] = "gone.txt"
    return make_sandbox(root), [FileTask(name, b"", 20) for name in names]


def contents(reader: FileReader, tasks: Sequence[FileTask]) -> list[tuple[str, object]]:
    return [
        (item.path, found.code if isinstance(found, Problem) else found.data)
        for item, found in reader.read(tasks)
    ]


@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_contents_and_order_do_not_depend_on_how_slow_files_are(
    tree: tuple[Sandbox, list[FileTask]], seconds: float
) -> None:
    sandbox, tasks = tree
    clock = Clock()
    slow = _SlowSandbox(sandbox, clock, seconds)
    found = contents(FileReader(slow, clock), tasks)  # type: ignore[arg-type]  # what it uses of one
    assert found == [
        (item.path, "not_found" if item.path == "gone.txt" else f"text of {item.path}\n".encode())
        for item in tasks
    ]


def test_eight_groups_are_read_at_once_and_no_more_before_they_are_taken(
    tree: tuple[Sandbox, list[FileTask]],
) -> None:
    sandbox, tasks = tree
    clock = Clock()
    slow = _SlowSandbox(sandbox, clock, 0.5, at_once=8)
    # the barrier lets eight through together: fewer at once would wait forever
    reader = FileReader(slow, clock)  # type: ignore[arg-type]  # as above
    files = reader.read(tasks[: 128 + 16 * 16])
    for _ in range(128 + 1):
        next(files)
    assert slow.begun == 1 + 8
    assert len([*files]) == 16 * 16 - 1
    assert slow.begun == 1 + 16


def test_it_is_slow_no_longer_than_files_are(tree: tuple[Sandbox, list[FileTask]]) -> None:
    sandbox, tasks = tree
    clock = Clock()
    slow = _SlowSandbox(sandbox, clock, 0.5)
    reader = FileReader(slow, clock)  # type: ignore[arg-type]  # as above
    contents(reader, tasks[:200])
    slow.seconds = 0.0
    contents(reader, tasks[:200])
    begun = slow.begun
    contents(reader, tasks[:200])
    assert slow.begun == begun + 2  # of the usual size


def test_reading_that_is_given_up_leaves_no_thread(tree: tuple[Sandbox, list[FileTask]]) -> None:
    sandbox, tasks = tree
    clock = Clock()
    before = threading.active_count()
    slow = _SlowSandbox(sandbox, clock, 0.5)
    files = FileReader(slow, clock).read(tasks)  # type: ignore[arg-type]  # as above
    for _ in range(300):
        next(files)
    files.close()  # type: ignore[attr-defined]  # a generator
    assert threading.active_count() == before


def test_a_folder_in_the_place_of_a_file_is_a_problem(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a/b.txt": "b\n"})
    ((_, found),) = FileReader(make_sandbox(root)).read([FileTask("a", b"", 0)])
    assert isinstance(found, Problem)
