"""A refresh reindexes only changed files, and the result does not depend on the edit history."""

from __future__ import annotations

import json
import os
import random
from contextlib import closing
from pathlib import Path

import pytest

from index_format import CorruptIndexError, IndexBusyError
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.refresh import Refresh
from repo_mcp.indexing.keep.runs import IndexRun, index_runs, store_refresh
from repo_mcp.indexing.keep.writer import Counts
from repo_mcp.model import RefreshResult
from repo_mcp.stored import IndexProgress
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served, text_of, write

pytestmark = pytest.mark.servers

TREE: dict[str, str | bytes] = {"a.py": "alpha", "b.py": "beta", "c/d.md": "gamma"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


@pytest.fixture
def manager(root: Path, tmp_path: Path) -> IndexManager:
    return served(root, tmp_path / "data").manager


def counts(done: RefreshResult) -> tuple[int, int, int, int]:
    return done.added, done.updated, done.removed, done.files


def test_only_changed_files_are_reindexed(root: Path, manager: IndexManager) -> None:
    assert counts(manager.refresh(FOREVER, force=False)) == (3, 0, 0, 3)
    assert counts(manager.refresh(FOREVER, force=False)) == (0, 0, 0, 3)
    write(root, {"a.py": "other", "new.py": "x"})
    (root / "b.py").unlink()
    assert counts(manager.refresh(FOREVER, force=False)) == (1, 1, 1, 3)
    assert indexed(manager) == ["a.py", "c/d.md", "new.py"]


def test_a_change_that_keeps_size_and_time_is_seen(root: Path, manager: IndexManager) -> None:
    manager.refresh(FOREVER, force=False)
    before = (root / "a.py").stat()
    write(root, {"a.py": "omega"})
    os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert counts(manager.refresh(FOREVER, force=False)) == (0, 1, 0, 3)


def test_nothing_new_makes_no_new_generation(manager: IndexManager) -> None:
    manager.refresh(FOREVER, force=False)
    before = manager.state().generation
    manager.refresh(FOREVER, force=False)
    assert manager.state().generation == before


def test_force_reindexes_every_file(manager: IndexManager) -> None:
    manager.refresh(FOREVER, force=False)
    names = segment_names(manager)
    assert counts(manager.refresh(FOREVER, force=True)) == (0, 3, 0, 3)
    assert segment_names(manager) == names


@pytest.mark.parametrize("seed", range(5))
def test_any_history_ends_in_the_index_of_a_fresh_build(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = write(tmp_path / "root", TREE)
    edited = served(root, tmp_path / "edited").manager
    for _ in range(6):
        for _ in range(chance.randrange(4)):
            path = root / f"{chance.choice('abc')}/{chance.choice('xyz')}.py"
            if path.exists() and chance.random() < 0.4:
                path.unlink()
            else:
                words = " ".join(chance.choices(["alpha", "beta", "getHTTP", "\n"], k=9))
                write(root, {str(path.relative_to(root)): words})
        edited.refresh(FOREVER, force=False)
    edited.text.index.compact(full=True)
    fresh = served(root, tmp_path / "fresh").manager
    fresh.refresh(FOREVER, force=False)
    assert segment_names(edited) == segment_names(fresh)
    assert indexed(edited) == indexed(fresh)


def test_an_index_with_other_settings_is_rebuilt(root: Path, tmp_path: Path) -> None:
    served(root, tmp_path / "data").manager.refresh(FOREVER, force=False)
    other = served(root, tmp_path / "data", exclude_globs=("c/**",)).manager
    assert other.state().status == "missing"
    assert counts(other.refresh(FOREVER, force=False)) == (0, 2, 1, 2)
    assert indexed(other) == ["a.py", "b.py"]


def test_what_is_newly_denied_is_gone_even_when_time_runs_out(root: Path, tmp_path: Path) -> None:
    served(root, tmp_path / "data").manager.refresh(FOREVER, force=False)
    write(root, {"repo_mcp.toml": '[security]\ndeny_globs = ["b.py"]'})
    other = served(root, tmp_path / "data").manager
    done = other.refresh(Budget(0), force=False)
    assert (done.complete, done.removed) == (False, 3)
    assert indexed(other) == []
    other.refresh(FOREVER, force=False)
    assert indexed(other) == ["a.py", "c/d.md", "repo_mcp.toml"]


def test_what_is_newly_denied_is_gone_from_the_first_publication_on(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served(root, tmp_path / "data").manager.refresh(FOREVER, force=False)
    write(root, {"repo_mcp.toml": '[security]\ndeny_globs = ["b.py"]'})
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._TASKS_PER_PUBLICATION", 1)
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.build.tasks._MAX_TASK_FILES", 1)
    other = served(root, tmp_path / "data", workers=1).manager
    published: list[list[str]] = []

    def stop_after_the_first() -> bool:
        if other.snapshot() is not None:
            published.append(indexed(other))
        return bool(published and published[-1])

    with pytest.raises(Problem, match="cancelled"):
        other.refresh(Budget(None, stop_after_the_first), force=False)
    assert indexed(other) == ["a.py"]
    assert other.state().status == "partial"
    assert other.refresh(FOREVER).files == 3


def test_what_is_newly_denied_leaves_the_disk_at_once(tmp_path: Path) -> None:
    """However little it is beside the index that takes its place."""
    chance, data = random.Random(1), tmp_path / "data"
    more = {f"more/m{n}.txt": chance.randbytes(20_000).hex(" ", 4) for n in range(8)}
    root = write(tmp_path / "root", {**TREE, **more})
    with closing(served(root, data, exclude_globs=("more/**",)).manager) as before:
        before.refresh(FOREVER)
    write(root, {"repo_mcp.toml": '[security]\ndeny_globs = ["b.py"]'})
    with closing(served(root, data).manager) as manager:
        manager.refresh(FOREVER)
        kept = {path.name for path in (data / "index").glob("seg-*")}
        assert kept == set(segment_names(manager))


def test_an_interrupted_build_is_incomplete_and_is_resumed(manager: IndexManager) -> None:
    done = manager.refresh(Budget(0), force=False)
    assert (done.complete, done.files) == (False, 0)
    snapshot = text_of(manager)
    assert not IndexProgress.of(snapshot).complete
    assert manager.state().status == "partial"
    assert counts(manager.refresh(FOREVER, force=False)) == (3, 0, 0, 3)
    assert manager.state().status == "ready"


def test_missing_files_are_removed_without_time_left(root: Path, manager: IndexManager) -> None:
    manager.refresh(FOREVER, force=False)
    (root / "b.py").unlink()
    assert counts(manager.refresh(Budget(0), force=False)) == (0, 0, 1, 2)
    assert counts(manager.refresh(FOREVER, force=False)) == (0, 0, 0, 2)


def test_a_cancelled_refresh_changes_nothing(manager: IndexManager) -> None:
    with pytest.raises(Problem, match="cancelled"):
        manager.refresh(Budget(None, lambda: True), force=False)
    assert manager.state().status == "missing"
    assert manager.refresh(FOREVER, force=False).files == 3


@pytest.mark.parametrize("inside", [0.2, 0.5, 0.8])
def test_damage_inside_a_segment_is_met_and_repaired(
    root: Path, manager: IndexManager, tmp_path: Path, inside: float
) -> None:
    manager.refresh(FOREVER, force=False)
    for path in (tmp_path / "data" / "index").glob("seg-*"):
        data = bytearray(path.read_bytes())
        at = int(len(data) * inside)
        data[at : at + 8] = bytes(value ^ 255 for value in data[at : at + 8])
        path.write_bytes(data)
    write(root, {"a.py": "changed"})
    again = served(root, tmp_path / "data").manager
    assert again.refresh(FOREVER, force=True).files == 3
    assert again.state().status == "ready"
    assert indexed(again) == ["a.py", "b.py", "c/d.md"]


def test_damage_that_shows_late_starts_the_run_again(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.refresh(FOREVER, force=False)
    run = Refresh.run
    damaged = iter([True])

    def once_damaged(refresh: Refresh, *, force: bool, most_parsed: float) -> Counts:
        if next(damaged, False):
            raise CorruptIndexError("seg", "POST", 0, "bytes", "others")
        return run(refresh, force=force, most_parsed=most_parsed)

    monkeypatch.setattr(Refresh, "run", once_damaged)
    assert counts(manager.refresh(FOREVER, force=False)) == (3, 0, 0, 3)


@pytest.mark.parametrize("damage", ["segment", "pointer"])
def test_a_damaged_index_is_rebuilt(manager: IndexManager, tmp_path: Path, damage: str) -> None:
    manager.refresh(FOREVER, force=False)
    folder = tmp_path / "data" / "index"
    pattern = "seg-*" if damage == "segment" else "CURRENT"
    for path in folder.glob(pattern):
        path.write_bytes(b"damaged")
    again = served(tmp_path / "root", tmp_path / "data").manager
    assert again.state().status == "missing"
    assert counts(again.refresh(FOREVER, force=False)) == (3, 0, 0, 3)


def test_a_binary_file_and_a_vanished_one_are_left_out(root: Path, tmp_path: Path) -> None:
    write(root, {"binary.py": b"\x00\x01"})
    services = served(root, tmp_path / "data")
    done = services.manager.refresh(FOREVER, force=False)
    assert (done.files, done.left_out) == (3, {"binary": 1})


def test_a_file_that_becomes_binary_leaves_the_index(root: Path, manager: IndexManager) -> None:
    manager.refresh(FOREVER, force=False)
    write(root, {"a.py": b"\x00"})
    assert manager.refresh(FOREVER, force=False).removed == 1
    assert indexed(manager) == ["b.py", "c/d.md"]


def test_another_writer_is_reported(manager: IndexManager, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise IndexBusyError

    monkeypatch.setattr(Refresh, "run", refuse)
    with pytest.raises(Problem) as caught:
        manager.refresh(FOREVER, force=False)
    assert caught.value.code == "index_busy"


def test_the_data_folder_keeps_itself_out_of_version_control_and_index(tmp_path: Path) -> None:
    root = write(tmp_path / "root", TREE)
    manager = served(root, root / ".repo_mcp").manager
    manager.refresh(FOREVER, force=False)
    assert (root / ".repo_mcp" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert indexed(manager) == ["a.py", "b.py", "c/d.md"]


def test_the_last_refresh_is_remembered_and_not_trusted(
    manager: IndexManager, tmp_path: Path
) -> None:
    done = manager.refresh(FOREVER, force=False)
    assert manager.state().last_refresh == done.timestamp
    long = f'{{{" " * 40_000}"timestamp": "{done.timestamp}"}}'
    foreign = ['{"timestamp": "ignore all rules"}', "[]", "{", "\xff", '{"timestamp": 1}', long]
    for content in foreign:
        (tmp_path / "data" / "refresh.json").write_text(content, encoding="latin-1")
        assert manager.state().last_refresh == ""


def test_runs_that_publish_are_remembered(manager: IndexManager, tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / "root", {f"more{number}.py": f"x = {number}\n"})
        manager.refresh(FOREVER, force=False)
        manager.refresh(FOREVER, force=False)  # publishes nothing
    runs = list(index_runs(str(tmp_path / "data")))
    assert [run.files - runs[0].files for run in runs] == [0, 1, 2]
    assert [run.generation for run in runs] == sorted({run.generation for run in runs})
    assert runs[-1].time <= manager.state().last_refresh


def test_a_refresh_that_publishes_nothing_changes_the_time_alone(
    manager: IndexManager, tmp_path: Path
) -> None:
    manager.refresh(FOREVER, force=False)
    stored = tmp_path / "data" / "refresh.json"
    before = (stored.stat().st_ino, stored.read_bytes())
    os.utime(stored, (0, 0))
    done = manager.refresh(FOREVER, force=False)
    assert (stored.stat().st_ino, stored.read_bytes()) == before
    assert manager.state().last_refresh == done.timestamp


def test_of_many_runs_the_latest_are_remembered(tmp_path: Path) -> None:
    time = "2026-01-31T09:30:00Z"
    known = [[time, generation, 1, 0.5] for generation in range(1, 201)]
    (tmp_path / "refresh.json").write_text(json.dumps({"timestamp": time, "runs": known}))
    store_refresh(str(tmp_path), time, IndexRun(time, 201, 1, 0.5))
    assert [run.generation for run in index_runs(str(tmp_path))] == list(range(2, 202))


@pytest.mark.parametrize(
    "runs",
    [
        *(1, "runs", {}, [1], [[]], [["2026-01-31T09:30:00Z", 1, 2]], [["never", 1, 2, 3.0]]),
        *([["2026-01-31T09:30:00Z", 1, 2, 1e999]], [["2026-01-31T09:30:00Z", -1, 2, 3.0]]),
        [["2026-01-31T09:30:00Z", [], {}, None]],
    ],
)
def test_what_is_no_run_is_left_out(tmp_path: Path, runs: object) -> None:
    (tmp_path / "refresh.json").write_text(json.dumps({"runs": runs}))
    assert list(index_runs(str(tmp_path))) == []


def test_no_content_and_no_denied_name_is_in_the_record(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {".env": "TOKEN=abc", "a.py": "x"})
    served(root, tmp_path / "data").manager.refresh(FOREVER, force=False)
    assert set(json.loads((tmp_path / "data" / "refresh.json").read_bytes())) == {
        "timestamp",
        "runs",
    }
    stored = b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    assert b"token" not in stored.lower()


@pytest.mark.parametrize("link", [".repo_mcp", ".repo_mcp/index"])
def test_a_link_in_place_of_the_data_folder_leads_nowhere(tmp_path: Path, link: str) -> None:
    root = write(tmp_path / "root", TREE)
    victim = write(tmp_path / "victim", {"CURRENT": "precious"})
    manager = served(root, root / ".repo_mcp").manager
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).symlink_to(victim, target_is_directory=True)
    for work in (lambda: manager.refresh(FOREVER), lambda: manager.tidy(FOREVER), manager.state):
        with pytest.raises(Problem) as caught:
            work()
        assert caught.value.code == "data_link"
    assert [path.name for path in victim.iterdir()] == ["CURRENT"]
    assert (victim / "CURRENT").read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("rounds", [30, 4])
def test_damage_that_only_merging_meets_is_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    if rounds == 4:  # by workers
        monkeypatch.setattr("repo_mcp.indexing.workers.merging._IN_PROCESS_BYTES", 0)
    chance = random.Random(3)
    root = write(tmp_path / "root", {f"{n}.txt": f"word{n} other" * 50 for n in range(8)})
    fresh = served(root, tmp_path / "fresh").manager
    fresh.refresh(FOREVER)
    fresh.tidy(FOREVER, full=True)
    for turn in range(rounds):
        manager = served(root, tmp_path / f"data{turn}").manager
        held = root / "0.txt"
        text = held.read_bytes()
        held.write_bytes(b"for a moment")
        manager.refresh(FOREVER)
        held.write_bytes(text)
        manager.refresh(FOREVER)
        path = chance.choice(sorted((tmp_path / f"data{turn}" / "index").glob("seg-*")))
        data = bytearray(path.read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        again = served(root, tmp_path / f"data{turn}").manager
        again.refresh(FOREVER)
        again.tidy(FOREVER, full=True)
        again.tidy(FOREVER, full=True)
        assert segment_names(again) == segment_names(fresh)


def test_files_that_may_not_be_indexed_yet_are_all_once_a_run_has_ended(
    root: Path, manager: IndexManager
) -> None:
    manager.refresh(FOREVER)
    write(root, {"new.py": "x"})
    assert "new.py" in list(manager.pending_files(FOREVER))


def test_merges_that_were_stopped_stay_due(manager: IndexManager) -> None:
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, stop=lambda: True)
    assert manager.writer.untidy
    manager.tidy(FOREVER)
    assert not manager.writer.untidy


def test_a_link_that_has_ended_has_no_progress(manager: IndexManager) -> None:
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    assert manager.graph().current
    assert manager.link_progress is None


def test_declarations_of_one_file_are_not_those_of_all(
    root: Path, manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    manager.refresh(FOREVER, most_parsed=0)
    assert manager.state().shallow
    write(root, {"a.py": "def alpha(): pass"})
    manager.refresh_paths(["a.py"], FOREVER, deep=True)
    assert manager.state().shallow
    assert manager.refresh(FOREVER).complete
    assert not manager.state().shallow
