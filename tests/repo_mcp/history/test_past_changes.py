"""Votes of commits for files: what they raise, what they leave alone, and when they count."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.history.commit_index import CommitFiles, CommitIndex
from repo_mcp.history.past_changes import ReadyVotes, read_votes
from repo_mcp.model import SearchAnswer
from repo_mcp.safety.redaction import SUSPECT
from repo_mcp.search import RankedEngine, SearchOptions
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.history.histories import Asked, asked
from tests.repo_mcp.history.past_repository import FILES, QUERY, THINGS, about, body, make
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
KEY = "AKIAIOSFODNN7EXAMPLE"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("made") / "root", [about(thing) for thing in THINGS])


@pytest.fixture
def root(tmp_path: Path, made: Path) -> Path:
    return shutil.copytree(made, tmp_path / "root")


@pytest.fixture
def history(tmp_path: Path, root: Path) -> Iterator[Asked]:
    with asked(root, tmp_path / "data") as found:
        found.parts.manager.refresh(Budget())
        found.histories.roots[""].open(Budget())
        yield found


def search(history: Asked, query: str = QUERY, *, past: bool = True) -> SearchAnswer:
    snapshot = history.parts.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(history.parts.sandbox, history.parts.languages)
    options = SearchOptions(past=history.histories.past if past else None)
    return engine.search(snapshot, query, 10, None, Budget(), explain=True, options=options)


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.path for hit in answer.hits]


def votes_of(history: Asked, kind: type[CommitIndex] = CommitIndex) -> ReadyVotes:
    snapshot = history.parts.manager.single.history.snapshot()
    assert snapshot is not None
    return read_votes(kind(snapshot), history.histories.roots[""].history, Budget())


def test_the_file_that_such_commits_have_changed_comes_first(history: Asked) -> None:
    history.histories.roots[""].votes.keep_up(Budget())
    assert paths(search(history, past=False))[0] != FILES["coupon"]
    answer = search(history)
    assert paths(answer)[0] == FILES["coupon"]
    assert sorted(paths(answer)) == sorted(FILES.values())


def test_the_answer_names_the_commit(history: Asked, root: Path) -> None:
    history.histories.roots[""].votes.keep_up(Budget())
    answer = search(history)
    last = run_git(root, "rev-parse", "HEAD~2")
    assert dict(answer.commits)[FILES["coupon"]] == f"{last.decode()[:10]} {about('coupon')}"


def test_the_best_score_stays_what_words_gave(history: Asked) -> None:
    history.histories.roots[""].votes.keep_up(Budget())
    before, after = search(history, past=False).hits[0].score, search(history).hits[0].score
    assert after == pytest.approx(before, abs=1e-3)


@pytest.mark.parametrize(
    "query",
    [
        "total",
        "rounding total",
        'fix "return round" of coupon total',
        "def total",
        "fix +rounding coupon",
    ],
)
def test_names_and_quoted_texts_are_left_to_words(history: Asked, query: str) -> None:
    history.histories.roots[""].votes.keep_up(Budget())
    assert search(history, query) == search(history, query, past=False)


def test_searches_neither_wait_for_votes_nor_index_commits(tmp_path: Path, root: Path) -> None:
    with asked(root, tmp_path / "data") as history:
        history.parts.manager.refresh(Budget())
        assert search(history) == search(history, past=False)
        assert [history.parts.manager.single.has_history] == [False]
        history.histories.roots[""].open(Budget())
        assert [history.parts.manager.single.has_history] == [True]
        first = search(history)  # while a thread makes the votes ready
        assert first == search(history, past=False)
        history.histories.roots[""].votes.wait()
        assert paths(search(history))[0] == FILES["coupon"]


def test_what_follows_unasked_is_the_last_commits_with_their_votes(
    tmp_path: Path, root: Path
) -> None:
    with asked(root, tmp_path / "data") as history:
        history.parts.manager.refresh(Budget())
        history.histories.roots[""].keep_up(Budget())
        assert paths(search(history))[0] == FILES["coupon"], "the first search has the votes"
        write(root, {FILES["coupon"]: "def changed(): pass"})
        run_git(root, "commit", "-qam", "change it")
        history.histories.roots[""].keep_up(Budget())
        snapshot = history.parts.manager.single.history.snapshot()
        assert snapshot is not None
        assert snapshot.file_count == int(run_git(root, "rev-list", "--count", "HEAD"))


def test_of_a_long_history_the_last_commits_follow_unasked(tmp_path: Path, root: Path) -> None:
    commits = run_git(root, "rev-list", "HEAD").decode().split()
    with asked(root, tmp_path / "data") as history:
        index, git = history.parts.manager.single.history, history.histories.roots[""].history.git
        few = len(commits) // 2
        assert index.refresh(git, Budget(), most=few) == few
        assert index.refresh(git, Budget(), most=few) == 0
        assert not index.is_current(git)
        write(root, {FILES["coupon"]: "def changed(): pass"})
        run_git(root, "commit", "-qam", "change it")
        assert index.refresh(git, Budget(), most=few) == 1
        opened = history.histories.roots[""].open(Budget())
        assert opened.commits is not None
        assert len(opened.commits.table) == len(commits) + 1
        assert not opened.warnings


class Shuffled(CommitIndex):
    """Commits of which each has the files of one that is about something else."""

    def files(self, place: int) -> CommitFiles:
        other = random.Random(place).choice([*FILES.values()])
        return CommitFiles(item._replace(path=other) for item in super().files(place)[:1])


def test_a_past_that_says_nothing_counts_nothing(history: Asked) -> None:
    assert votes_of(history).trust == 1.0
    shuffled = votes_of(history, Shuffled)
    assert shuffled.trust == 0.0
    assert shuffled.votes is None
    history.histories.roots[""].votes.use(shuffled)
    assert search(history) == search(history, past=False)


def test_messages_that_are_all_the_same_count_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "root", ["wip"] * len(THINGS))
    with asked(root, tmp_path / "data") as history:
        history.histories.roots[""].open(Budget())
        assert votes_of(history).trust == 0.0


def test_a_short_past_is_not_trusted(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    write(root, {"a.py": body("a", 1)})
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", about("coupon"))
    with asked(root, tmp_path / "data") as history:
        history.histories.roots[""].open(Budget())
        assert votes_of(history).trust == 0.0


def test_a_renamed_file_has_the_votes_of_its_former_name(tmp_path: Path, root: Path) -> None:
    run_git(root, "mv", FILES["coupon"], "moved.py")
    run_git(root, "commit", "-qm", "move it")
    with asked(root, tmp_path / "data") as history:
        history.parts.manager.refresh(Budget())
        history.histories.roots[""].open(Budget())
        history.histories.roots[""].votes.keep_up(Budget())
        assert paths(search(history))[0] == "moved.py"


def test_denied_files_have_no_votes_and_secrets_are_not_shown(tmp_path: Path) -> None:
    root = make(tmp_path / "root", [f"{about(thing)} {KEY}" for thing in THINGS])
    with asked(root, tmp_path / "data", deny_globs="secret.env") as history:
        history.parts.manager.refresh(Budget())
        history.histories.roots[""].open(Budget())
        ready = votes_of(history)
        assert ready.votes is not None
        assert "secret.env" not in ready.votes.changed.names
        history.histories.roots[""].votes.use(ready)
        answer = search(history)
        assert paths(answer)[0] == FILES["coupon"]
        assert dict(answer.commits)[FILES["coupon"]].endswith(SUSPECT)
