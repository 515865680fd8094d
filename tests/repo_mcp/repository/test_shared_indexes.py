"""Worktrees and clones of one repository share index files, as commands and servers use them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.model import AnswerWarning
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names
from tests.waiting import HANG

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git makes the worktrees"),
]
TREE: dict[str, str | bytes] = {
    ".gitignore": ".repo_mcp\n",
    **{
        f"pkg/m{number}.py": "".join(
            f"def call{number}_{line}():\n    return 'text {number * line}'\n" for line in range(30)
        )
        for number in range(60)
    },
}


def git(root: Path, *line: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(root), *identity, *line]
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(root)}
    subprocess.run(command, check=True, capture_output=True, timeout=HANG, env=environment)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    root = write(tmp_path / "main", TREE)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def worktree(main: Path, name: str) -> Path:
    git(main, "worktree", "add", "-q", "--detach", f"../{name}")
    return main.parent / name


def checkout(root: Path, **options: Any) -> Services:  # noqa: ANN401 any option
    cache = {"index_cache": str(root.parent / "cache"), **options}
    return services(Options(str(root), **cache))


def build(parts: Services) -> int:
    done = parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER)
    return done.added


def own_bytes(root: Path) -> int:
    files = (root / ".repo_mcp").rglob("seg-*.rix")
    return sum(file.stat().st_size for file in files)


def lent(place: Path) -> dict[str, int]:
    files = (place / "cache" / "v1" / "segments").glob("*.rix")
    return {file.name: file.stat().st_size for file in files}


def test_ten_worktrees_have_one_index_and_their_differences(main: Path, tmp_path: Path) -> None:
    worktree(main, "w0")
    first = checkout(main)
    assert build(first) == len(TREE)
    assert own_bytes(main) == 0
    whole = lent(tmp_path)
    assert len(whole) == 1
    for number in range(1, 10):
        root = worktree(main, f"w{number}")
        (root / "pkg" / "m7.py").write_text(f"def only_in_{number}():\n    return 1\n", "utf-8")
        parts = checkout(root)
        done = parts.manager.refresh(FOREVER)
        assert (done.added, done.updated, done.removed) == (0, 1, 0)
        parts.manager.tidy(FOREVER)
        assert sorted(indexed(parts.manager.single)) == sorted(TREE)
        assert 0 < own_bytes(root) < sum(whole.values()) / 3
        use = parts.manager.stored.disk_use()
        assert use.shared == sum(whole.values())
    assert lent(tmp_path) == whole
    assert build(first) == 0
    for command in ("doctor", "check", "status"):
        told = subprocess.run(
            [*PROGRAM, command, "--index-cache", str(tmp_path / "cache")],
            cwd=tmp_path / "w9",
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG,
        )
        assert "damaged" not in told.stdout + told.stderr
        assert command != "status" or "shared with other checkouts: " in told.stdout


def test_the_index_of_an_only_checkout_is_lent_once_it_has_a_worktree(
    main: Path, tmp_path: Path
) -> None:
    alone = checkout(main)
    build(alone)
    assert own_bytes(main) > 0
    assert not (tmp_path / "cache").exists()
    worktree(main, "a").joinpath(".repo_mcp").mkdir()
    worktree(main, "b")
    second = checkout(worktree(main, "w1"))
    assert build(second) == 0
    assert segment_names(second.manager.single) == segment_names(alone.manager.single)
    assert (own_bytes(tmp_path / "w1"), len(lent(tmp_path))) == (0, 1)
    assert own_bytes(main) > 0  # nobody writes into another one's data folder
    again = checkout(main)
    build(again)
    assert own_bytes(main) == 0


def test_the_graph_is_shared_too(main: Path, tmp_path: Path) -> None:
    alone = checkout(main)
    build(alone)
    alone.manager.link(FOREVER)
    second = checkout(worktree(main, "w1"))
    assert build(second) == 0
    assert second.manager.graph().current
    assert len(lent(tmp_path)) == 3


def test_clones_share_where_the_user_says_so(main: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "main", "clone")
    build(checkout(main, index_share="always"))
    assert own_bytes(main) == 0
    assert build(checkout(tmp_path / "clone")) == 0
    assert own_bytes(tmp_path / "clone") == 0


def test_a_branch_that_has_gone_another_way_starts_from_the_nearest_index(
    main: Path, tmp_path: Path
) -> None:
    root = worktree(main, "w1")
    (root / "side.py").write_text("def side():\n    return 1\n", "utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "side")
    (main / "pkg" / "m1.py").write_text("def changed():\n    return 1\n", "utf-8")
    git(main, "commit", "-q", "-a", "-m", "two")
    build(checkout(main))
    done = checkout(root).manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed) == (1, 1, 0)
    assert len(lent(tmp_path)) == 1


def test_nothing_is_shared_where_the_user_says_so(main: Path, tmp_path: Path) -> None:
    root = worktree(main, "w1")
    build(checkout(main, index_share="never"))
    assert build(checkout(root, index_share="never")) == len(TREE)
    assert not (tmp_path / "cache").exists()


def test_other_settings_share_nothing(main: Path) -> None:
    root = worktree(main, "w1")
    build(checkout(main))
    assert build(checkout(root, chunk_lines=50)) == len(TREE)


def test_other_keys_share_nothing(main: Path) -> None:
    pytest.importorskip("nacl", reason="the extra `cluster` is not installed")
    root = worktree(main, "w1")
    build(checkout(main))
    key = f"ed25519:{'A' * 43}"
    assert build(checkout(root, index_trust=(key,))) == len(TREE)


def notices(parts: Services) -> AnswerWarning | None:
    return parts.manager.take_notice()


def test_a_cache_that_vanishes_costs_one_build_and_no_second(main: Path, tmp_path: Path) -> None:
    root = worktree(main, "w1")
    build(checkout(main))
    build(checkout(root))
    shutil.rmtree(tmp_path / "cache")
    parts = checkout(root)
    assert parts.manager.snapshot() is None
    build(parts)
    notice = notices(parts)
    assert notice is not None
    assert "shared" in notice.text
    assert own_bytes(root) > 0
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    assert build(checkout(root)) == 0


def test_altered_files_are_refused_and_made_anew(main: Path, tmp_path: Path) -> None:
    root = worktree(main, "w1")
    build(checkout(main))
    for name in lent(tmp_path):
        file = tmp_path / "cache" / "v1" / "segments" / name
        data = file.read_bytes()
        file.write_bytes(data.replace(b"call3", b"lied3"))
    assert build(checkout(root)) == len(TREE)
    # what was made anew has taken the place of the altered files
    assert build(checkout(main)) == 0
    assert sorted(indexed(checkout(main).manager.single)) == sorted(TREE)


def test_a_repository_can_not_name_the_folder(main: Path, tmp_path: Path) -> None:
    (main / "repo_mcp.toml").write_text(f'[index]\ncache = "{tmp_path}/planted"\n', "utf-8")
    parts = checkout(main)
    assert parts.settings.index_cache == str(tmp_path / "cache")


def test_many_processes_at_once_give_each_worktree_its_answer(main: Path, tmp_path: Path) -> None:
    roots = [worktree(main, f"w{number}") for number in range(5)]
    for number, root in enumerate(roots):
        (root / "own.py").write_text(f"def own_of_{number}():\n    return {number}\n", "utf-8")
    environment = {**os.environ, "REPO_MCP_INDEX_CACHE": str(tmp_path / "cache")}

    def ask(root: Path) -> subprocess.Popen[str]:
        command = [*PROGRAM, "search", "-F", "own_of_", "-l", "--workers", "1"]
        return subprocess.Popen(
            command,
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    for _ in range(2):  # none has an index, then all have
        asked = [ask(root) for root in (main, *roots)]
        answers = [process.communicate(timeout=HANG)[0].split() for process in asked]
        assert answers == [[], *[["own.py"]] * len(roots)]
    assert sys.platform == "win32" or own_bytes(roots[0]) < sum(lent(tmp_path).values())
    again = worktree(main, "late")
    assert build(checkout(again)) == 0
