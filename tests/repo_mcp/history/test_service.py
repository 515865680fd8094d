"""A history is brought up to date, and never shows what may not be shown."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from index_format import FileStore, check
from repo_mcp.answers.history import FILE
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import HistoryQuestion
from repo_mcp.safety.redaction import SUSPECT
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.history.histories import Asked, asked
from tests.repo_mcp.trees import served, write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
ALL = HistoryQuestion(limit=10_000, full_hashes=True)
SECRET = "AKIAIOSFODNN7EXAMPLE"  # noqa: S105 of an example


def commit(root: Path, files: dict[str, str | bytes], message: str = "change") -> str:
    write(root, files)
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", message, "--allow-empty")
    return run_git(root, "rev-parse", "HEAD").decode().strip()


def start(root: Path, files: dict[str, str | bytes] | None = None) -> Path:
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    commit(root, files or {"a.py": "one = 1\n"}, "first")
    return root


def commits(history: Asked, **given: object) -> list[str]:
    found = history.ask(ALL._replace(**given)).commits  # type: ignore[arg-type] # names of its fields
    return [entry.commit for entry in found]


def logged(root: Path) -> list[str]:
    return run_git(root, "log", "--format=%H").decode().split()


def segments(data: Path) -> set[str]:
    return {path.name for path in (data / "history").glob("*.rix")}


def test_new_commits_are_there_at_the_next_question(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    with asked(root, data) as history:
        assert commits(history) == logged(root)
        for number in range(3):
            commit(root, {"a.py": f"number = {number}\n"})
            assert commits(history) == logged(root)
        assert commits(history, text="number = 1") == logged(root)[:2]
    with asked(root, data) as history:
        before = segments(data)
        assert commits(history) == logged(root)
        assert segments(data) == before


def test_what_a_rebase_takes_away_is_gone(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    with asked(root, data) as history:
        gone = commit(root, {"b.py": "wrong_name = 1\n"})
        assert commits(history, text="wrong_name") == [gone]
        run_git(root, "reset", "-q", "--hard", "HEAD~")
        kept = commit(root, {"b.py": "right_name = 1\n"})
        assert commits(history, text="wrong_name") == []
        assert commits(history, text="right_name") == [kept]
        assert commits(history) == logged(root)


def test_another_branch_has_its_own_commits(tmp_path: Path) -> None:
    root = start(tmp_path / "root")
    run_git(root, "branch", "other")
    mine = commit(root, {"a.py": "mine = 1\n"})
    with asked(root, tmp_path / "data") as history:
        assert commits(history, text="mine = 1") == [mine]
        run_git(root, "checkout", "-q", "other")
        assert commits(history, text="mine = 1") == []
        run_git(root, "checkout", "-q", "main")
        assert commits(history, text="mine = 1") == [mine]


def test_a_large_history_is_indexed_by_workers_and_is_sound(tmp_path: Path) -> None:
    root, data = tmp_path / "root", tmp_path / "data"
    HistoryMaker(3).make(root, 320)
    with asked(root, data) as history:
        assert sorted(commits(history)) == sorted(logged(root))
    assert not [item for item in check(FileStore(str(data / "history"))) if item.severity != "note"]


def test_older_commits_than_the_limit_are_left_out_and_said_so(tmp_path: Path) -> None:
    root = start(tmp_path / "root")
    for number in range(5):
        commit(root, {"a.py": f"number = {number}\n"})
    with asked(root, tmp_path / "data", history_commits=3) as history:
        assert commits(history) == logged(root)[:3]
        assert [item.code for item in history.warnings] == ["history_cut"]
    with asked(root, tmp_path / "none", history_commits=0) as history:
        with pytest.raises(Problem) as caught:
            commits(history)
        assert caught.value.code == "history_unindexed"


def test_commits_that_are_indexed_count_only_where_the_settings_have_them(tmp_path: Path) -> None:
    root = start(tmp_path / "root", {"a.py": "number = 1\n"})
    with asked(root, tmp_path / "data") as history:
        assert commits(history)
    for most, is_there in ((3, True), (0, False)):
        with closing(served(root, tmp_path / "data", history_commits=most).manager) as manager:
            assert manager.has_history is is_there


def test_a_shallow_clone_begins_where_it_was_cut_and_goes_on_when_it_is_deepened(
    tmp_path: Path,
) -> None:
    root = start(tmp_path / "root", {"a.py": "first_line = 1\n"})
    for number in range(4):
        commit(root, {"a.py": f"first_line = 1\nnumber = {number}\n"})
    place = tmp_path / "shallow"
    run_git(tmp_path, "clone", "-q", "--depth", "2", f"file://{root}", str(place))
    with asked(place, tmp_path / "data") as history:
        assert commits(history) == logged(place)
        assert "history_shallow" in {item.code for item in history.warnings}
        # it has not added all files
        assert commits(history, text="first_line") == []
        last, end = logged(place)
        assert commits(history, text="number = 2") == [last]
        run_git(place, "fetch", "-q", "--unshallow")
        assert commits(history) == logged(root)
        assert commits(history, text="first_line") == logged(root)[-1:]
        assert commits(history, text="number = 2") == [last, end]
        assert history.warnings == []


def test_commits_that_can_be_read_again_are_there_at_the_next_question(tmp_path: Path) -> None:
    root = start(tmp_path / "root")
    for number in range(3):
        commit(root, {"a.py": f"number = {number}\n"})
    every = logged(root)
    lacking = root / ".git/objects" / every[2][:2] / every[2][2:]
    with asked(root, tmp_path / "data") as history:
        lacking.rename(tmp_path / "aside")
        assert commits(history) == every[:2]
        (tmp_path / "aside").rename(lacking)
        assert commits(history) == every


def test_objects_that_a_partial_clone_lacks_take_only_their_lines(tmp_path: Path) -> None:
    root = start(tmp_path / "root")
    last = commit(root, {"a.py": "two = 2\n"}, "the second one")
    run_git(root, "config", "uploadpack.allowFilter", "true")
    place = tmp_path / "partial"
    source = f"file://{root}"
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", source, str(place))
    with asked(place, tmp_path / "data") as history:
        assert commits(history) == logged(root)
        assert commits(history, words="second") == [last]
        assert commits(history, text="two = 2") == []


def test_denied_files_and_secrets_are_never_shown(tmp_path: Path) -> None:
    root = start(tmp_path / "root", {".env": "TOKEN=hunter2\n", "a.py": "x = 1\n"})
    run_git(root, "rm", "-q", ".env")
    commit(root, {"a.py": f'x = 1\nkey = "{SECRET}"\n'})
    with asked(root, tmp_path / "data") as history:
        assert commits(history, text="hunter2") == []
        for given in ({"lines": "1"}, {"about": FILE, "rev": "HEAD~"}, {}):
            with pytest.raises(Problem) as caught:
                history.ask(ALL._replace(path=".env", **given))  # type: ignore[arg-type] # as above
            assert caught.value.code == "path_denied"
        for given in ({"text": SECRET}, {"rev": "HEAD"}, {"about": FILE, "path": "a.py"}):
            result = history.ask(ALL._replace(**given))  # type: ignore[arg-type] # as above
            text = "\n".join(result.as_text())
            assert SECRET not in text
            assert SUSPECT in text
            assert ".env" not in text


def test_a_folder_without_git_has_no_history(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "x = 1\n"})
    with asked(root, tmp_path / "data") as history:
        with pytest.raises(Problem) as caught:
            commits(history)
        assert caught.value.code == "no_history"
        (root / ".git").mkdir()
        with pytest.raises(Problem) as caught:
            commits(history)
        assert caught.value.code == "no_history"


@pytest.mark.parametrize("line", ["\tobjectFormat = sha256", '\trefstorage = "reftable"'])
def test_other_formats_are_refused_with_the_reason(tmp_path: Path, line: str) -> None:
    root = start(tmp_path / "root")
    config = root / ".git/config"
    config.write_text(f"{config.read_text()}[extensions]\n{line}\n")
    with asked(root, tmp_path / "data") as history:
        with pytest.raises(Problem) as caught:
            commits(history)
        assert caught.value.code == "history_unread"


def test_a_damaged_index_of_commits_is_made_again(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    with asked(root, data) as history:
        assert commits(history) == logged(root)
    for path in (data / "history").glob("*.rix"):
        path.write_bytes(path.read_bytes()[:-40])
    with asked(root, data) as history:
        assert commits(history) == logged(root)
        assert commits(history, text="one = 1") == logged(root)


def test_one_that_follows_unasked_is_made_again_too(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    with asked(root, data) as history:
        history.histories.roots[""].keep_up(Budget())
    for path in (data / "history").glob("*.rix"):
        path.write_bytes(path.read_bytes()[:-40])
    with asked(root, data) as history:
        for _ in range(2):  # it is found damaged, and made again
            history.histories.roots[""].keep_up(Budget())
        snapshot = history.parts.manager.single.history.snapshot()
        assert snapshot is not None
        assert snapshot.file_count == len(logged(root))


def test_a_damaged_pack_costs_no_more_than_what_is_in_it(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    commit(root, {"a.py": "two = 2\n"})
    run_git(root, "repack", "-qad")
    with asked(root, data) as history:
        assert commits(history) == logged(root)
        for path in (root / ".git/objects/pack").glob("*.pack"):
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:100])
        history.histories.roots[""].history.objects.close()
        assert not history.ask(ALL._replace(rev="HEAD~")).commits[0].files
        (warning,) = [item for item in history.warnings if item.code == "objects_unread"]
        assert "is damaged; `git fsck`" in warning.text
