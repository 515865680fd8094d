"""The history of a file, of lines and of a commit is told by `.git` as the index tells it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.sample_shop import run_command
from repo_mcp import dispatch
from repo_mcp.answers.history import FILE
from repo_mcp.answers.records import plain
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import HistoryQuestion, last_change
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.history.histories import Asked, asked
from tests.repo_mcp.history.test_service import commit, segments, start

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
SEED = 12
COMMITS = 160
ALL = HistoryQuestion(limit=10_000, full_hashes=True)
LINES = ((1, 10_000),)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("walked") / "root"
    HistoryMaker(SEED).make(place, COMMITS)
    return place


@pytest.fixture(scope="module")
def indexed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with asked(root, tmp_path_factory.mktemp("data")) as found:
        found.ask(ALL)
        yield found


@pytest.fixture
def bare(root: Path, tmp_path: Path) -> Iterator[Asked]:
    """One without an index of commits, that makes none."""
    with asked(root, tmp_path / "data", stays=False) as found:
        yield found
        assert not segments(tmp_path / "data")


def told(history: Asked, question: HistoryQuestion) -> dict[str, object]:
    """The answer, without the number of commits that were asked."""
    return {name: item for name, item in plain(history.ask(question)).items() if name != "indexed"}


def files_of(root: Path) -> list[str]:
    return run_git(root, "ls-files").decode().split()


def test_a_process_that_does_not_stay_begins_no_index_for_a_last_change(
    root: Path, bare: Asked, indexed: Asked
) -> None:
    path = files_of(root)[0]
    assert last_change(indexed.histories, path, (1, 1), Budget()) is not None
    assert last_change(bare.histories, path, (1, 1), Budget()) is None
    assert not any(history.is_running for history in bare.histories.roots.values())


def test_a_file_has_the_same_commits(root: Path, bare: Asked, indexed: Asked) -> None:
    for path in files_of(root):
        question = ALL._replace(path=path)
        assert told(bare, question) == told(indexed, question), path


def test_lines_have_the_same_commits(root: Path, bare: Asked, indexed: Asked) -> None:
    for path in files_of(root)[:10]:
        for given in ({"declared": LINES}, {"declared": ((2, 4), (6, 9))}, {"lines": "1-3"}):
            question = ALL._replace(path=path, **given)
            assert told(bare, question) == told(indexed, question), path


@pytest.mark.parametrize(
    "given",
    [{"author": "ünal"}, {"until": "2020-09-13"}, {"since": "2020-09-14"}, {"rev": "HEAD~9"}],
)
def test_the_same_ones_are_chosen(
    given: dict[str, str], root: Path, bare: Asked, indexed: Asked
) -> None:
    for path in files_of(root)[:10]:
        question = ALL._replace(path=path, declared=LINES, **given)  # type: ignore[arg-type] # as above
        assert told(bare, question) == told(indexed, question), path


def test_pages_go_on(root: Path, bare: Asked, indexed: Asked) -> None:
    path = max(files_of(root), key=lambda name: len(indexed.ask(ALL._replace(path=name)).commits))
    answer = bare.answer(ALL._replace(path=path, limit=3))
    found = [entry.commit for entry in answer.result.commits]
    while answer.after:
        answer = bare.answer(ALL._replace(path=path, limit=3), answer)
        found += [entry.commit for entry in answer.result.commits]
    wanted = indexed.ask(ALL._replace(path=path)).commits
    assert found == [entry.commit for entry in wanted]


def test_a_commit_and_a_file_in_it_need_no_index(bare: Asked, indexed: Asked, root: Path) -> None:
    path = files_of(root)[0]
    for given in ({"rev": "HEAD~2"}, {"rev": "HEAD", "path": path, "about": FILE}):
        question = ALL._replace(**given)  # type: ignore[arg-type] # as above
        assert told(bare, question) == told(indexed, question)


def test_what_is_not_before_head_is_refused(bare: Asked, root: Path) -> None:
    other = run_git(root, "commit-tree", "HEAD^{tree}", "-m", "other").decode().strip()
    with pytest.raises(Problem, match="none of the commits before HEAD"):
        bare.ask(ALL._replace(path=files_of(root)[0], declared=LINES, rev=other))


def test_a_few_new_commits_are_indexed_first(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    with asked(root, data) as history:
        history.ask(ALL)
        made = commit(root, {"a.py": "two = 2\n"})
        known = segments(data)
        found = history.ask(ALL._replace(path="a.py"))
        assert found.commits[0].commit == made
        assert segments(data) != known


def test_a_server_answers_and_the_index_grows_behind(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    with asked(root, data) as history:
        assert history.ask(ALL._replace(path="a.py")).commits
        assert history.warnings == []
        (opened,) = history.histories.roots.values()
        opened.close()
        assert segments(data)


def test_the_command_makes_no_index_for_a_file(tmp_path: Path) -> None:
    root, data = start(tmp_path / "root"), tmp_path / "data"
    given = ["history", "a.py", "--data-dir", str(data)]
    found = run_command(root, given, piped=True)
    assert (found.code, "a.py +1 -0" in found.out, found.err) == (0, True, "")
    assert not segments(data)


def test_the_command_tells_how_far_commits_are_indexed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.history_index.MOST_HERE", 10)
    data = str(tmp_path / "data")
    given = ["history", "--text", "return", "--repo-root", str(root), "--data-dir", data]
    monkeypatch.setattr("sys.argv", ["repo-mcp", *given])
    assert dispatch.run(lambda: 1.0e9) == 0
    count = int(run_git(root, "rev-list", "--count", "HEAD"))
    assert f"commits {count}/{count} 100%" in capfd.readouterr().err
