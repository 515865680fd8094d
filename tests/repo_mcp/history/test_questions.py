"""Answers about histories made by chance: commits are those that git finds."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.answers.history import FILE, PEOPLE, RELATED, HunkEntry
from repo_mcp.errors import Problem
from repo_mcp.history import HistoryQuestion
from tests.repo_mcp.changes.reviews import commit as write_commit
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.history.histories import Asked, asked

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
SEED = 11
COMMITS = 260
ALL = 10_000
BLAMED = re.compile(rb"^([0-9a-f]{40}) \d+ (\d+)", re.MULTILINE)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("asked") / "root"
    HistoryMaker(SEED).make(place, COMMITS)
    return place


@pytest.fixture(scope="module")
def history(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with asked(root, tmp_path_factory.mktemp("data")) as found:
        yield found


def question(**given: object) -> HistoryQuestion:
    return HistoryQuestion(limit=ALL, full_hashes=True)._replace(**given)  # type: ignore[arg-type] # names of its fields


def texts(root: Path) -> list[str]:
    """Parts of lines that some commit has changed."""
    chance = random.Random(SEED)
    shown = run_git(root, "log", "-p", "-U0", "--format=").decode()
    lines = [row[1:].strip() for row in shown.split("\n") if re.match(r"[+-](?![+-])", row)]
    found = []
    for line in chance.sample([line for line in lines if len(line) > 3], 60):
        begin = chance.randrange(len(line) - 2)
        found.append(line[begin : begin + chance.randrange(2, 20)].strip())
    return [text for text in found if text]


def logged(root: Path, *options: str) -> list[str]:
    return run_git(root, "log", "--format=%H", *options).decode().split()


def test_a_text_is_found_where_git_finds_it(root: Path, history: Asked) -> None:
    for text in texts(root):
        found = history.ask(question(text=text)).commits
        assert [item.commit for item in found] == logged(root, f"-S{text}"), text
        counts = [entry.note.split(" → ") for entry in found if entry.note]
        assert all(before != after for before, after in counts)


def test_an_expression_is_found_where_git_finds_it(root: Path, history: Asked) -> None:
    for text in texts(root)[:30]:
        pattern = re.escape(text).replace(r"\ ", " ")
        found = history.ask(question(regex=pattern)).commits
        assert [item.commit for item in found] == logged(root, "-E", f"-G{pattern}"), pattern


def test_each_page_goes_on_where_the_last_one_ended(root: Path, history: Asked) -> None:
    asked_for = question(text="return", limit=7)
    found: list[str] = []
    answer = history.answer(asked_for)
    first = answer.result.first[0].commit
    found += [entry.commit for entry in answer.result.commits]
    while answer.after:
        answer = history.answer(asked_for, answer)
        found += [entry.commit for entry in answer.result.commits]
    assert found == logged(root, "-Sreturn")
    assert first == found[-1]


def test_the_commits_of_a_file_are_followed_through_renames(root: Path, history: Asked) -> None:
    for path in run_git(root, "ls-files").decode().split():
        found = [item.commit for item in history.ask(question(path=path)).commits]
        assert found == logged(root, "--follow", "--date-order", "--", path), path


def test_the_commits_of_a_folder_are_those_of_its_files(root: Path, history: Asked) -> None:
    for path in ("lib", "lib/deep", "moved/"):
        found = [item.commit for item in history.ask(question(path=path)).commits]
        theirs = logged(root, "--full-history", "--no-merges", "--date-order", "--", path)
        assert found == theirs


def test_authors_and_days_restrict_the_commits(root: Path, history: Asked) -> None:
    found = history.ask(question(author="ünal")).commits
    assert [item.commit for item in found] == logged(root, "--author=Ünal")
    first = history.ask(question(until="2020-09-13")).commits
    last = history.ask(question(since="2020-09-14")).commits
    assert len(first) + len(last) == COMMITS or len(first) + len(last) == len(logged(root))
    assert all(entry.date <= "2020-09-13" for entry in first)
    assert all(entry.date >= "2020-09-14" for entry in last)


def test_lines_come_from_where_git_says(root: Path, history: Asked) -> None:
    for path in run_git(root, "ls-files").decode().split():
        told = run_git(root, "blame", "--porcelain", "HEAD", "--", path)
        theirs = {int(row[2]): row[1].decode() for row in BLAMED.finditer(told)}
        mine: dict[int, str] = {}
        for entry in history.ask(question(path=path, lines="1-99999")).blame:
            first, _, last = entry.lines.partition("-")
            mine |= dict.fromkeys(range(int(first), int(last or first) + 1), entry.commit)
        assert mine == theirs, path


def test_lines_that_are_not_committed_are_said_so(root: Path, history: Asked) -> None:
    path = run_git(root, "ls-files").decode().split()[0]
    text = (root / path).read_text(encoding="utf-8")
    try:
        (root / path).write_text(f"first = 1\n{text}", encoding="utf-8")
        entries = history.ask(question(path=path, lines="1-2")).blame
    finally:
        (root / path).write_text(text, encoding="utf-8")
    assert [(entry.lines, entry.commit == "-") for entry in entries] == [("1", True), ("2", False)]


def test_words_rank_the_commit_that_is_about_them(root: Path, history: Asked) -> None:
    for commit in logged(root, "--no-merges")[::20]:
        subject = run_git(root, "log", "-1", "--format=%s", commit).decode().strip()
        found = history.ask(question(words=f"why {subject}", limit=3)).commits
        assert found[0].commit == commit, subject


def test_lists_show_what_messages_say_below_their_subjects(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    run_git(root, "init", "-q")
    messages = {
        "a.py": "shop: pay once",
        "b.py": (
            "shop: cards are charged late\n\nThe bank refused a second\ncharge at once.\n\n"
            "Signed-off-by: A <a@example.com>\nReviewed-by: B <b@example.com>"
        ),
        "c.py": "shop: long\n\n" + "word " * 200,
        "d.py": "shop: keys\n\nWe used AKIAIOSFODNN7EXAMPLE before.",
    }
    for name, message in messages.items():
        (root / name).write_text("x = 1\n", encoding="utf-8")
        run_git(root, "add", ".")
        run_git(root, "commit", "-q", "-m", message)
    with asked(root, tmp_path / "data") as history:
        bodies = {item.subject: item.body for item in history.ask(question(limit=10)).commits}
    assert bodies["shop: pay once"] == ""
    assert bodies["shop: cards are charged late"] == "The bank refused a second charge at once."
    assert bodies["shop: long"].startswith("word word")
    assert bodies["shop: long"].endswith("word … 152 more words")
    assert "AKIA" not in bodies["shop: keys"]


def test_files_that_change_together_are_counted(root: Path, history: Asked) -> None:
    for path in run_git(root, "ls-files").decode().split()[:5]:
        found = history.ask(question(path=path, about=RELATED)).related
        commits = set(logged(root, "--follow", "--", path))
        for entry in found:
            assert entry.path != path
            assert entry.together <= entry.commits <= len(commits)


def test_people_are_those_who_wrote_it(root: Path, history: Asked) -> None:
    found = history.ask(question(about=PEOPLE)).people
    theirs = run_git(root, "shortlog", "-sne", "--no-merges", "HEAD").decode().split("\n")
    counts = {row.split("\t")[1]: int(row.split("\t")[0]) for row in theirs if row}
    assert {f"{item.name} <{item.email}>": item.commits for item in found} == counts


def test_a_file_is_shown_as_it_was(root: Path, history: Asked) -> None:
    commit = logged(root)[COMMITS // 3]
    for path in run_git(root, "ls-tree", "-r", "--name-only", commit).decode().split()[:6]:
        text = run_git(root, "show", f"{commit}:{path}").decode()
        found = history.ask(question(path=path, rev=commit[:9], about=FILE)).content
        assert [line.text for line in found.lines] == text.removesuffix("\n").split("\n")


def test_one_commit_is_shown_with_what_it_changed(root: Path, history: Asked) -> None:
    for commit in logged(root, "--no-merges")[::25]:
        result = history.ask(question(rev=commit))
        (entry,) = result.commits
        body = run_git(root, "log", "-1", "--format=%b", commit).decode().strip()
        assert (entry.commit, entry.message) == (commit, body)
        shown = run_git(root, "show", "--format=", "-U0", "-M", commit).decode().split("\n")
        theirs = [row for row in shown if re.match(r"[+-](?!\+\+ |-- )", row)]
        mine = [row for hunk in entry.hunks for row in hunk.text.split("\n") if row != "…"]
        assert sorted(mine) == sorted(theirs)


@pytest.mark.parametrize(
    "given",
    [
        {"text": "a", "regex": "b"},
        {"lines": "1"},
        {"path": "a.py", "lines": "0"},
        {"path": "a.py", "lines": "9-3"},
        {"about": RELATED},
        {"about": FILE},
        {"rev": "no-such-branch"},
        {"regex": "("},
        {"since": "yesterday"},
    ],
)
def test_wrong_arguments_are_refused(history: Asked, given: dict[str, str]) -> None:
    with pytest.raises(Problem) as caught:
        history.ask(question(**given))
    assert caught.value.code == "argument_invalid"


def test_a_file_that_is_nowhere_is_not_found(history: Asked) -> None:
    for given in ({"lines": "1"}, {"about": FILE, "rev": "HEAD"}):
        with pytest.raises(Problem) as caught:
            history.ask(question(path="no/such.py", **given))
        assert caught.value.code == "not_found"


@pytest.mark.parametrize("folder", ["lib", "lib/**", "moved"])
def test_a_folder_is_asked_for_what_is_in_it(folder: str, history: Asked) -> None:
    start = f"{folder.removesuffix('/**')}/"
    every = history.ask(question(text="return")).commits
    found = history.ask(question(text="return", path=folder)).commits

    def is_in(hunk: HunkEntry) -> bool:
        return start in {hunk.path[: len(start)], hunk.old_path[: len(start)]}

    shown = [hunk for entry in found for hunk in entry.hunks]
    assert shown
    assert all(map(is_in, shown))
    inside = [entry.commit for entry in every if any(map(is_in, entry.hunks))]
    known = [entry.commit for entry in found]
    assert set(inside) <= set(known) <= {entry.commit for entry in every}


def test_commits_of_lines_are_of_the_days_that_are_asked_for(root: Path, history: Asked) -> None:
    path = max(run_git(root, "ls-files").decode().split(), key=lambda name: len(logged(root, name)))
    every = history.ask(question(path=path, declared=((1, 10_000),))).commits
    days = sorted(entry.date for entry in every)
    since = days[len(days) // 2]
    later = history.ask(question(path=path, declared=((1, 10_000),), since=since)).commits
    assert [entry.commit for entry in later] == [
        entry.commit for entry in every if entry.date >= since
    ]


def _subjects_of_lines(root: Path, data: Path, lines: tuple[int, int]) -> list[str]:
    with asked(root, data) as history:
        found = history.ask(question(path="a.txt", declared=(lines,)))
        return [entry.subject for entry in found.commits]


def test_lines_that_were_removed_behind_the_last_one_are_not_of_them(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_commit(root, {"a.txt": "one\ntwo\nthree\nfour\n"}, "made")
    write_commit(root, {"a.txt": "one\ntwo\nfour\n"}, "cut")
    assert _subjects_of_lines(root, tmp_path / "data", (1, 2)) == ["made"]
    assert _subjects_of_lines(root, tmp_path / "data", (1, 3)) == ["cut", "made"]
    assert _subjects_of_lines(root, tmp_path / "data", (3, 3)) == ["made"]


def test_lines_that_end_within_a_longer_change_are_followed_to_what_it_replaced(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    write_commit(root, {"a.txt": "one\ntwo\nthree\n"}, "made")
    write_commit(root, {"a.txt": "one\n2\nthree\n"}, "changed")
    write_commit(root, {"a.txt": "one\n2a\n2b\n2c\nthree\n"}, "longer")
    assert _subjects_of_lines(root, tmp_path / "data", (1, 2)) == ["longer", "changed", "made"]


def test_a_commit_that_deletes_a_file_does_not_count_as_a_change_of_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(3):
        write_commit(root, {"a.txt": f"{number}\n", "b.txt": f"other {number}\n"})
    (root / "b.txt").unlink()
    write_commit(root, {"a.txt": "last\n"})
    with asked(root, tmp_path / "data") as history:
        (entry,) = history.ask(question(path="a.txt", about=RELATED)).related
    assert (entry.path, entry.together, entry.commits) == ("b.txt", 3, 4)


def test_overloads_keep_their_names_behind_one_that_is_not_committed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_commit(root, {"a.py": "def f():\n    return 1\n"})
    write_commit(root, {"a.py": "def f():\n    return 2\n"})
    (root / "a.py").write_text(
        "def f(a):\n    return a\n\n\ndef f():\n    return 2\n", encoding="utf-8"
    )
    overloads = ("f:1", "def f(a)"), ("f:5", "def f()")
    with asked(root, tmp_path / "data") as history:
        given = question(path="a.py", declared=((1, 2), (5, 6)), overloads=overloads)
        found = history.ask(given).commits
    assert [hunk.symbols for entry in found for hunk in entry.hunks] == [["f:5"], ["f:5"]]
