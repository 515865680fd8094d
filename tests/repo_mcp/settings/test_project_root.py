"""The default root is the project around the current folder, never a broader folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.settings import ConfigError, Options, check_options, project_root, read_options
from tests.repo_mcp.tree_files import write


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize("mark", project_root.MARKS)
def test_each_mark_makes_a_repository(home: Path, mark: str) -> None:
    write(home, {f"one/{mark}": "x", "one/src/deep/a.txt": "x"})
    assert project_root.find_root(str(home / "one" / "src" / "deep")) == str(home / "one")


def test_the_nearest_mark_wins(home: Path) -> None:
    write(home, {"one/.git/HEAD": "x", "one/two/.hg/x": "x", "one/two/src/a.txt": "x"})
    assert project_root.find_root(str(home / "one" / "two" / "src")) == str(home / "one" / "two")


def test_without_a_mark_it_is_the_folder_itself(home: Path) -> None:
    write(home, {"one/src/a.txt": "x"})
    assert project_root.find_root(str(home / "one" / "src")) == str(home / "one" / "src")


def test_a_home_folder_under_version_control_is_not_the_project(home: Path) -> None:
    write(home, {".git/HEAD": "x", "one/src/a.txt": "x"})
    assert project_root.find_root(str(home / "one" / "src")) == str(home / "one" / "src")


def test_a_repository_above_the_home_folder_is_not_the_project(home: Path) -> None:
    write(home.parent, {".git/HEAD": "x", "home/one/a.txt": "x"})
    assert project_root.find_root(str(home / "one")) == str(home / "one")


def test_a_mark_in_a_folder_of_another_owner_is_ignored(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a folder that everybody may write to."""
    write(home, {"shared/.git/HEAD": "x", "shared/mine/a.txt": "x"})
    mine = str(home / "shared" / "mine")
    assert project_root.find_root(mine) == str(home / "shared")
    monkeypatch.setattr(project_root, "_owner", lambda folder: folder == mine)
    assert project_root.find_root(mine) == mine


@pytest.mark.parametrize("below", [".", ".."])
def test_the_home_folder_is_refused_unless_its_full_path_is_given(
    home: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    monkeypatch.chdir(home / below)
    with pytest.raises(ConfigError, match="too broad to be served by default"):
        read_options([], {})
    with pytest.raises(ConfigError, match="too broad to be served by default"):
        read_options([("repo_root", ".")], {})
    assert read_options([("repo_root", str(home))], {}).repo_root == str(home)


@pytest.mark.usefixtures("home")
def test_the_root_of_the_file_system_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(ConfigError, match="too broad"):
        read_options([], {})
    with pytest.raises(ConfigError, match="too broad"):
        check_options(Options(os.curdir, "/nowhere/data"))


def test_a_home_folder_behind_a_link_is_recognised(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.parent / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(home.parent / "link"))
    with pytest.raises(ConfigError, match="too broad"):
        project_root.find_root(str(home))


def test_a_folder_for_temporary_files_is_no_default_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(ConfigError, match="too broad"):
        project_root.find_root(str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    assert project_root.find_root(str(project)) == str(project)
