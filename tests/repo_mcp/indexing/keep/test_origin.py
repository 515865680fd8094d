"""Index files that came with the repository are never taken for our own, nor in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from code_graph import Languages
from index_format import LiveTerms
from repo_mcp import side_files
from repo_mcp.indexing.keep.text_index import signature_of
from repo_mcp.indexing.walk.memory import WalkMemory
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import SCHEMA, SYMBOL
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served, text_of


def test_an_index_that_came_with_the_repository_is_rebuilt(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    honest = served(root, root / ".repo_mcp").manager
    honest.refresh(FOREVER)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    manager = served(copy, copy / ".repo_mcp").manager
    assert manager.state().status == "missing"
    assert manager.refresh(FOREVER).added == 1
    assert segment_names(manager) == segment_names(honest)
    again = served(copy, copy / ".repo_mcp").manager
    assert again.state().status == "ready"
    assert again.refresh(FOREVER).added == 0


def test_an_index_of_a_moved_tree_is_kept(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    served(root, root / ".repo_mcp").manager.refresh(FOREVER)
    moved = root.rename(tmp_path / "moved")
    manager = served(moved, moved / ".repo_mcp").manager
    assert indexed(manager) == ["a.py"]


@pytest.mark.parametrize("damage", ["", "12\n", None])
def test_an_index_without_its_origin_file_is_rebuilt(tmp_path: Path, damage: str | None) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    data = tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    if damage is None:
        (data / "origin").unlink()
    else:
        (data / "origin").write_text(damage)
    assert served(root, data).manager.refresh(FOREVER).added == 1


def test_an_index_that_a_pull_brings_later_is_rebuilt(tmp_path: Path) -> None:
    """Files of an index that was made elsewhere replace ours, as `git pull` replaces files."""
    root = write(tmp_path / "root", {"a.py": "def honest(): ..."})
    theirs = write(tmp_path / "theirs", {"a.py": "def planted(): ..."})
    served(root, root / ".repo_mcp").manager.refresh(FOREVER)
    served(theirs, theirs / ".repo_mcp").manager.refresh(FOREVER)
    for path in (theirs / ".repo_mcp" / "index").iterdir():
        if path.name != "writer.lock":
            replace_file(path, root / ".repo_mcp" / "index" / path.name)
    manager = served(root, root / ".repo_mcp").manager
    assert manager.state().status == "missing"
    assert manager.refresh(FOREVER).added == 1
    notice = manager.take_notice()
    assert notice is not None
    assert (notice.code, "not made here" in notice.text) == ("rebuilt", True)
    assert manager.take_notice() is None
    found = text_of(manager)
    terms = list(LiveTerms(found).list_from(SCHEMA.number(SYMBOL) or 0))
    assert (b"honest" in terms, b"planted" in terms) == (True, False)


def test_a_stat_cache_from_elsewhere_is_not_used(tmp_path: Path) -> None:
    """It could keep a changed file from being read."""
    root = write(tmp_path / "root", {"a.py": "alpha"})
    twin = write(tmp_path / "twin", {"a.py": "alpha"})
    for tree in (root, twin):
        served(tree, tree / ".repo_mcp").manager.refresh(FOREVER)
    ours, theirs = root / ".repo_mcp" / "stat.cache", twin / ".repo_mcp" / "stat.cache"
    settings = services(Options(str(root), str(ours.parent))).settings
    signature = signature_of(settings, Languages(settings.languages))
    assert WalkMemory.load(str(ours.parent), signature)
    replace_file(theirs, ours)
    assert not WalkMemory.load(str(ours.parent), signature)


def replace_file(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    shutil.copyfile(source, target)


@pytest.mark.parametrize("victim", ["CURRENT", "manifest-*", "seg-*", "writer.lock"])
def test_a_folder_in_the_place_of_an_index_file_is_moved_aside(tmp_path: Path, victim: str) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    data = tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    for path in (data / "index").glob(victim):
        path.unlink()
        write(path, {"notes.txt": "of a user"})
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    assert indexed(manager) == ["a.py"]
    assert manager.take_notice() is not None
    (kept,) = (data / "quarantine").glob("*/notes.txt")
    assert kept.read_text() == "of a user"


@pytest.mark.parametrize("victim", ["CURRENT", "manifest-*", "seg-*"])
def test_a_repair_moves_a_folder_aside(tmp_path: Path, victim: str) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    data = tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    for path in (data / "index").glob(victim):
        path.unlink()
        path.mkdir()
    manager = served(root, data).manager
    manager.repair(FOREVER)
    assert indexed(manager) == ["a.py"]
    assert not [item for item in manager.stored.check() if item.severity == "error"]


@pytest.mark.parametrize("name", ["index", "origin", "stat.cache", "refresh.json", "quarantine"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_any_entry_of_another_kind_is_no_obstacle(tmp_path: Path, name: str, kind: str) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    data = tmp_path / "data"
    if kind == "folder":
        write(data / name, {"notes.txt": "of a user"})
    else:
        write(data, {name: "not ours"})
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    again = served(root, data).manager
    assert indexed(again) == ["a.py"]
    assert again.refresh(FOREVER).added == 0


@pytest.mark.parametrize("kept", [None, "audit.jsonl"])
def test_the_data_folder_is_ignored_by_git_wherever_it_came_from(
    tmp_path: Path, kept: str | None
) -> None:
    if kept:
        write(tmp_path / "data", {kept: ""})
    side_files.prepare(str(tmp_path / "data"))
    assert (tmp_path / "data" / ".gitignore").read_text() == "*\n"


@pytest.mark.servers
@pytest.mark.skipif(sys.platform != "linux", reason="it asks Linux for the peak")
def test_a_large_side_file_is_not_read(tmp_path: Path) -> None:
    """Sparse files of a gigabyte cost nothing to ship."""
    names = ["origin", "refresh.json", "stat.cache", "last_bundle.json", "last_bundle.md"]
    names += ["last_bundle.origin", "audit.jsonl"]
    root = write(tmp_path / "root", {"a.py": "alpha"})
    write(tmp_path / "data", dict.fromkeys(names, ""))
    for name in names:
        os.truncate(tmp_path / "data" / name, 1 << 30)
    done = subprocess.run(
        [sys.executable, "-P", "-c", PEAK, str(root), str(tmp_path / "data")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert int(done.stdout) < 300 << 20


ROOT = Path(__file__).parents[4]
PEAK = """
import sys
from pathlib import Path
from repo_mcp.audit.log import AuditLog
from repo_mcp.bundle import read_last_bundle
from tests.memory import peak_memory
from tests.repo_mcp.trees import FOREVER, served
root, data = map(Path, sys.argv[1:])
try:
    read_last_bundle(str(data))
except OSError:
    pass
AuditLog(str(data)).recent()
manager = served(root, data).manager
manager.refresh(FOREVER)
assert manager.state().status == "ready", manager.state()
print(peak_memory())
"""


def test_leftovers_of_a_killed_process_are_removed_once_they_are_old(tmp_path: Path) -> None:
    write(tmp_path, {"stat.cache.aa.tmp": "x", "stat.cache.bb.tmp": "x", "stat.cache": "x"})
    os.utime(tmp_path / "stat.cache.aa.tmp", (0, 0))
    side_files.prepare(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".gitignore",
        "stat.cache",
        "stat.cache.bb.tmp",
    ]


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        side_files.put(str(tmp_path), "name", b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_record_that_can_not_be_written_is_no_failure(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    (tmp_path / "data" / "refresh.json").mkdir(parents=True)
    (tmp_path / "data" / "stat.cache").mkdir()
    manager = served(root, tmp_path / "data").manager
    assert manager.refresh(FOREVER).added == 1
    assert manager.state().status == "ready"
