"""A repository whose `.git` and data folders lie gets no index of another one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.model import RefreshResult
from repo_mcp.remote.publish.shared_cache import SharedCache
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed

pytestmark = pytest.mark.servers

COMMIT = "7" * 40
SECRET = {f"s{n}.py": f"def hidden_name_{n}():\n    return 'hidden text {n}'\n" for n in range(9)}
# a repository that comes with a second worktree inside, where both name each other
HOSTILE: dict[str, str | bytes] = {
    "a.py": "def own(): pass\n",
    ".git/HEAD": COMMIT,
    ".git/worktrees/two/HEAD": COMMIT,
    ".git/worktrees/two/commondir": "../..",
    ".git/worktrees/two/gitdir": "../../../two/.git",
    "two/.git": "gitdir: ../.git/worktrees/two",
}
needs_links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A repository that is indexed, of which nothing is shared."""
    root = write(tmp_path / "victim", {**SECRET, ".git/HEAD": COMMIT})
    checkout(root, index_share="never").manager.refresh(FOREVER)
    return root


@pytest.fixture
def adopted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The indexes that were adopted while a test runs."""
    found: list[object] = []
    adopt = SharedCache.adopt

    def note(*arguments: object, **named: object) -> object:
        report = adopt(*arguments, **named)  # type: ignore[arg-type]
        found.append(report)
        return report

    monkeypatch.setattr(SharedCache, "adopt", note)
    return found


def checkout(root: Path, **options: object) -> Services:
    cache = {"index_cache": str(root.parent / "cache"), **options}
    return services(Options(str(root), **cache))  # type: ignore[arg-type]


def is_built_alone(root: Path) -> RefreshResult:
    parts = checkout(root)
    done = parts.manager.refresh(FOREVER)
    assert indexed(parts.manager.single) == ["a.py"]
    return done


def link_data_folder(root: Path, victim: Path) -> None:
    (root / "two" / ".repo_mcp").symlink_to(victim / ".repo_mcp")


def link_index_folder(root: Path, victim: Path) -> None:
    data = root / "two" / ".repo_mcp"
    shutil.copytree(victim / ".repo_mcp", data)
    (data / "other-1").symlink_to(victim / ".repo_mcp")
    (data / "in_use").unlink()


@needs_links
@pytest.mark.parametrize("plant", [link_data_folder, link_index_folder])
def test_a_link_to_the_index_of_another_repository_lends_nothing(
    tmp_path: Path,
    victim: Path,
    adopted: list[object],
    plant: Callable[[Path, Path], None],
) -> None:
    root = write(tmp_path / "hostile", HOSTILE)
    plant(root, victim)
    done = is_built_alone(root)
    assert (done.added, done.removed) == (1, 0)
    assert adopted == []
    assert not list((tmp_path / "cache").rglob("*.rix"))


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="files are given away by root alone"
)
@pytest.mark.parametrize("owner", [0, 12345])
def test_the_data_folder_of_another_user_lends_nothing(
    tmp_path: Path, adopted: list[object], owner: int
) -> None:
    beside = {".git/worktrees/two/gitdir": f"{tmp_path}/two/.git"}
    root = write(tmp_path / "hostile", {**HOSTILE, **beside})
    shutil.rmtree(root / "two")
    theirs: dict[str, str | bytes] = {
        ".git": "gitdir: ../hostile/.git/worktrees/two",
        "a.py": "def own(): pass\n",
    }
    parts = checkout(write(tmp_path / "two", theirs), index_share="never")
    parts.manager.refresh(FOREVER)
    parts.manager.close()
    os.chown(tmp_path / "two" / ".repo_mcp", owner, owner)
    assert (is_built_alone(root).added, len(adopted)) == ((0, 1) if owner == 0 else (1, 0))


@needs_links
def test_an_index_of_a_linked_git_folder_lends_nothing(
    tmp_path: Path, victim: Path, adopted: list[object]
) -> None:
    write(
        victim,
        {
            ".git/worktrees/two/HEAD": COMMIT,
            ".git/worktrees/two/commondir": "../..",
            ".git/worktrees/two/gitdir": str(tmp_path / "two" / ".git"),
        },
    )
    write(tmp_path / "two", {".git": f"gitdir: {victim}/.git/worktrees/two", **SECRET})
    checkout(tmp_path / "two", index_share="never").manager.refresh(FOREVER)
    root = write(tmp_path / "hostile", {"a.py": "def own(): pass\n"})
    (root / ".git").symlink_to(victim / ".git")
    done = is_built_alone(root)
    assert (done.added, done.removed) == (1, 0)
    assert adopted == []


@pytest.mark.parametrize(
    "files",
    [
        {".git": b"gitdir: a\0b"},
        {".git/HEAD": COMMIT, ".git/commondir": b"a\0b", ".git/worktrees/x/gitdir": "x"},
        {".git/HEAD": COMMIT, ".git/worktrees/x/gitdir": b"/a\0b/.git"},
        {**HOSTILE, "two/.repo_mcp/in_use": "nothing"},
        {**HOSTILE, "two/.repo_mcp": "no folder"},
    ],
)
def test_an_index_is_built_whatever_git_says(
    tmp_path: Path, files: dict[str, str | bytes], adopted: list[object]
) -> None:
    ignored = {"repo_mcp.toml": 'ignore = ["two/"]\n'}
    root = write(tmp_path / "hostile", {**files, **ignored, "a.py": "def own(): pass\n"})
    parts = checkout(root)
    assert parts.manager.refresh(FOREVER).files > 0
    parts.manager.tidy(FOREVER)
    assert "a.py" in indexed(parts.manager.single)
    assert adopted == []
