"""A data folder is of one root: another one is refused, and one that was moved goes on."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from repo_mcp.app import App
from repo_mcp.dispatch import run
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.data_owner import DataOwner
from repo_mcp.settings import Options
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served

ONE: Final[dict[str, str | bytes]] = {"one.py": "def alpha():\n    pass\n"}
OTHER: Final[dict[str, str | bytes]] = {"other.py": "def beta():\n    pass\n"}
RECORD: Final = "root.json"


def made(root: Path, data: Path) -> Path:
    """A root whose index is in this folder."""
    manager = served(root, data).manager
    with closing(manager):
        manager.refresh(FOREVER)
    return root


def tree(path: Path) -> dict[str, bytes]:
    files = (item for item in path.rglob("*") if item.is_file())
    return {str(item.relative_to(path)): item.read_bytes() for item in files}


def is_refused(root: Path, data: Path) -> bool:
    try:
        served(root, data).manager.close()
    except Problem as problem:
        return problem.code == "data_of_other_root"
    return False


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made(write(tmp_path / "one", ONE), tmp_path / "data")
    return tmp_path / "data"


def test_the_folder_of_another_root_is_refused_by_its_name_and_left(
    data: Path, tmp_path: Path
) -> None:
    before = tree(data)
    with pytest.raises(Problem, match=str(tmp_path / "one")) as caught:
        served(write(tmp_path / "other", OTHER), data)
    assert (caught.value.code, "--data-dir" in caught.value.hint) == ("data_of_other_root", True)
    assert tree(data) == before


def test_a_command_fails_and_says_so(
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = write(tmp_path / "other", OTHER)
    given = ["--repo-root", str(other), "--data-dir", str(data)]
    monkeypatch.setattr(sys, "argv", ["repo-mcp", "search", "alpha", *given])
    assert run() == 2
    shown = capsys.readouterr()
    assert (shown.out, str(tmp_path / "one") in shown.err) == ("", True)


def test_a_server_fails_each_call_and_answers_from_nothing(data: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", OTHER)
    app = App(Options(str(other), str(data)))
    reply = json.dumps(app.call("repo.search", {"query": "alpha"}, lambda: False))
    assert "one.py" not in reply
    assert "has the index of another repository" in reply


def test_a_folder_that_another_root_takes_meanwhile_answers_no_more(
    data: Path, tmp_path: Path
) -> None:
    manager = served(tmp_path / "one", data).manager
    with closing(manager):
        assert indexed(manager) == ["one.py"]
        shutil.rmtree(data)
        made(write(tmp_path / "other", OTHER), data)
        for call in (lambda _: manager.snapshot(), manager.refresh, manager.changes):
            with pytest.raises(Problem, match=str(tmp_path / "other")):
                call(FOREVER)


def test_of_two_roots_that_begin_at_once_the_first_has_the_folder(tmp_path: Path) -> None:
    roots = [write(tmp_path / name, ONE) for name in ("one", "other")]
    first, second = (served(root, tmp_path / "data").manager for root in roots)
    with closing(first), closing(second):
        first.refresh(FOREVER)
        with pytest.raises(Problem, match="one"):
            second.refresh(FOREVER)


@pytest.mark.parametrize("place", ["data", "one/.repo_mcp"])
def test_a_root_that_was_moved_goes_on_with_its_index(tmp_path: Path, place: str) -> None:
    made(write(tmp_path / "one", ONE), tmp_path / place)
    (tmp_path / "one").rename(tmp_path / "moved")
    data = tmp_path / place.replace("one", "moved")
    manager = served(tmp_path / "moved", data).manager
    with closing(manager):
        assert indexed(manager) == ["one.py"]
        generation = manager.state().generation
        manager.refresh(FOREVER)
        assert manager.state().generation >= generation
    assert is_refused(write(tmp_path / "other", OTHER), data)
    # and not as the folder of a root that is at the old place now
    assert is_refused(write(tmp_path / "one", OTHER), data)


def test_the_folder_inside_of_a_root_is_of_no_other(tmp_path: Path) -> None:
    one = made(write(tmp_path / "one", ONE), tmp_path / "one/.repo_mcp")
    other = write(tmp_path / "other", OTHER)
    assert is_refused(other, one / ".repo_mcp")
    made(other, other / "data")
    assert is_refused(one, other / "data")
    assert not is_refused(one, one / ".repo_mcp")


def by_remote(root: Path, address: str) -> None:
    config = f'[remote "origin"]\n\turl = {address}\n'
    write(root / ".git", {"HEAD": "ref: refs/heads/main\n", "config": config, "objects/x": ""})


def by_commit(root: Path, name: str) -> None:
    import subprocess  # noqa: PLC0415 one test alone

    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for line in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", name]):
        subprocess.run(["git", *line], cwd=root, check=True)  # noqa: S607 the user's own


@pytest.mark.parametrize("mark", [by_remote, by_commit])
def test_a_copy_of_a_repository_goes_on_once_the_first_is_gone(
    tmp_path: Path, mark: Callable[[Path, str], None]
) -> None:
    one, data = write(tmp_path / "one", ONE), tmp_path / "data"
    mark(one, "git@example.org:one")
    made(one, data)
    copy = tmp_path / "copy"
    shutil.copytree(one, copy)
    other = write(tmp_path / "other", OTHER)
    mark(other, "git@example.org:other")
    assert is_refused(copy, data)
    shutil.rmtree(one)
    assert is_refused(other, data)
    assert not is_refused(copy, data)


def test_a_record_that_was_not_written_here_says_nothing(data: Path, tmp_path: Path) -> None:
    record = data / RECORD
    record.write_text(record.read_text().replace("one", "two"))
    assert not is_refused(write(tmp_path / "other", OTHER), data)
    for content in ("", "[]", "{}", "x\n[1, [2, 3], 4, 5]"):
        record.write_text(content)
        assert not is_refused(tmp_path / "one", data)


def test_a_root_by_another_path_is_the_same(data: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "one")
    assert not is_refused(tmp_path / "link", data)
    # a path that `realpath` does not resolve, as one to a mounted folder
    DataOwner(str(tmp_path / "link"), str(data), str(data)).check()
