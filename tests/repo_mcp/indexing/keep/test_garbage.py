"""However fast edits and refreshes follow each other, an index stays below twice a fresh one."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from index_format import IndexWriter, Snapshot
from repo_mcp import dispatch
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.workers.merging import MergeRun
from repo_mcp.stored import INDEX_FOLDER
from tests.repo_mcp.server_process import UNHURRIED
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, CallbackListener, indexed, served, text_of
from tests.waiting import until

MOST = 2.0
ROUNDS = 25


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small builds without a worker: what they make is the same."""
    monkeypatch.setattr("code_graph.registry.Languages.needs_worker", lambda *_: False)


def text(chance: random.Random) -> str:
    words = (f"word{chance.randrange(3000)}" for _ in range(chance.randrange(20, 400)))
    return f"def {next(words)}():\n    return '" + " ".join(words) + "'\n"


def tree(root: Path, files: int, chance: random.Random) -> list[str]:
    names = [f"{number % 7}/f{number}.py" for number in range(files)]
    write(root, {name: text(chance) for name in names})
    return names


def size(data: Path) -> int:
    return sum(file.stat().st_size for file in (data / INDEX_FOLDER).iterdir())


def fresh_size(root: Path, data: Path) -> int:
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    return size(data)


def change(root: Path, names: list[str], manager: IndexManager, chance: random.Random) -> None:
    some = chance.sample(names, chance.randrange(1, 1 + len(names) // 4))
    write(root, {name: text(chance) for name in some})
    match chance.randrange(6):
        case 0:
            manager.refresh(FOREVER, force=True)
        case 1 | 2:
            manager.refresh(FOREVER)
        case _:
            manager.refresh_paths(some, FOREVER, deep=True)


@pytest.mark.parametrize("files", [8, 60, 200])
def test_an_index_is_bounded_after_every_refresh_of_a_storm(tmp_path: Path, files: int) -> None:
    chance = random.Random(files)
    root, data = tmp_path / "root", tmp_path / "data"
    names = tree(root, files, chance)
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    sizes = []
    for _ in range(ROUNDS):
        change(root, names, manager, chance)
        manager.tidy(FOREVER)
        sizes.append(size(data))
    assert max(sizes) <= MOST * fresh_size(root, tmp_path / "fresh")
    assert indexed(manager) == sorted(names)


def named(manager: IndexManager, data: Path) -> tuple[set[str], set[str]]:
    """The segments on the disk, and those that the current generation consists of."""
    snapshot = text_of(manager)
    there = {file.name for file in (data / INDEX_FOLDER).glob("seg-*")}
    return there, {entry.name for entry in snapshot.manifest.segments}


@pytest.mark.parametrize("words_first", [False, True])
def test_the_command_index_leaves_no_superseded_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, words_first: bool
) -> None:
    """Rounds of words and of declarations, publications in between, and a reader meanwhile."""
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._ONE_ROUND_BYTES", 0)
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._TASKS_PER_PUBLICATION", 1)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MIN_TASK_BYTES", 1 << 12)
    root, data = tmp_path / "root", tmp_path / "data"
    names = tree(root, 60, random.Random(1))
    line = ["index", "--repo-root", str(root), "--data-dir", str(data), "--workers", "1"]
    generations: set[int] = set()
    readers: list[Snapshot | None] = []
    reader = served(root, data).manager

    def watch(
        writer: IndexWriter, *, compact: bool = False, run: MergeRun | None = None
    ) -> Snapshot:
        done = publish(writer, compact=compact, run=run)
        generations.add(reader.state().generation)
        readers.append(reader.snapshot())
        return done

    publish = IndexWriter.commit
    monkeypatch.setattr(IndexWriter, "commit", watch)
    if words_first:
        assert run_command(monkeypatch, *line, "--words-only") == 0
    assert run_command(monkeypatch, *line) == 0
    assert len(generations) > 3
    there, wanted = named(served(root, data).manager, data)
    assert there == wanted
    assert len(list((data / INDEX_FOLDER).glob("manifest-*"))) == 1
    assert indexed(served(root, data).manager) == sorted(names)
    for snapshot in filter(None, readers):  # what was open stays readable
        assert len([*snapshot.paths()]) == snapshot.file_count


def run_command(monkeypatch: pytest.MonkeyPatch, *line: str) -> int:
    monkeypatch.setattr("sys.argv", ["repo-mcp", *line])
    return dispatch.run(lambda: 1.0e9)


def test_files_that_are_edited_again_and_again_leave_no_dead_copies(tmp_path: Path) -> None:
    """Each delta but the last has one live file left, which alone would be no reason to merge."""
    chance = random.Random(0)
    root, data = tmp_path / "root", tmp_path / "data"
    names = tree(root, 200, chance)
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    for left in range(3):
        write(root, {name: text(chance) for name in names[left:20]})
        manager.refresh(FOREVER)
        manager.tidy(FOREVER)
    snapshot = text_of(manager)
    stored = sum(entry.chunks for entry in snapshot.manifest.segments)
    assert stored <= 1.25 * snapshot.chunk_count


def test_what_a_request_refreshed_is_tidied_in_the_background(tmp_path: Path) -> None:
    chance = random.Random(1)
    root, data = tmp_path / "root", tmp_path / "data"
    names = tree(root, 60, chance)
    manager = served(root, data).manager
    background = BackgroundRefresh(manager, None)
    try:
        assert background.refresh(FOREVER).complete
        assert until(lambda: not manager.writer.untidy)
        write(root, {name: text(chance) for name in names[:30]})
        manager.refresh_paths(names[:30], FOREVER, deep=True)
        assert manager.writer.untidy
        background.freshen()
        assert until(lambda: not manager.writer.untidy)
    finally:
        background.close()


def test_a_run_begins_without_what_a_killed_one_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be killed in turn, before its end."""
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._ONE_ROUND_BYTES", 0)
    root, data = tmp_path / "root", tmp_path / "data"
    names = tree(root, 8, random.Random(3))
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    left = data / INDEX_FOLDER / f"seg-{'0' * 40}.rix"
    left.write_bytes(bytes(1 << 20))  # more than may stay, however new it is
    seen: list[bool] = []

    def take_edits() -> Sequence[str]:
        seen.append(left.exists())
        return ()

    write(root, {names[0]: "def other():\n    pass\n"})
    manager.refresh(FOREVER, CallbackListener(edits=take_edits))
    assert set(seen) == {False}


@pytest.mark.servers
def test_commands_in_quick_succession_leave_no_garbage(tmp_path: Path) -> None:
    chance = random.Random(2)
    root, data = tmp_path / "root", tmp_path / "data"
    names = tree(root, 60, chance)
    command = [*UNHURRIED, "index", "--repo-root", str(root), "--data-dir", str(data)]
    for _ in range(2):
        subprocess.run([*command, "--force"], check=True, capture_output=True)
        write(root, {name: text(chance) for name in names[:20]})
        subprocess.run(command, check=True, capture_output=True)
        assert size(data) <= MOST * fresh_size(root, tmp_path / "fresh")
