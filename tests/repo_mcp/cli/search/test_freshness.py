"""A search answers from the files as they are now, or says from when its answer is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from repo_mcp import dispatch
from repo_mcp.budget import Budget
from repo_mcp.cli.search import freshness
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import FileTasks
from repo_mcp.indexing.keep.changes import Changes
from tests.repo_mcp.cli.search.search_process import places
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import served, write

pytestmark = pytest.mark.servers


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison takes more processor time than it may."""
    monkeypatch.setattr(freshness, "COMPARE_SECONDS", 0.0)


class Output(NamedTuple):
    code: int
    out: str
    err: str


Search = Callable[..., Output]


@pytest.fixture
def run(
    where: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Search:
    """A search in this process; each reading of its clock takes `step` seconds."""

    def call(*given: str, step: float = 0.0) -> Output:
        monkeypatch.setattr("sys.argv", ["repo-mcp", "search", *given, *where])
        return Output(dispatch.run(Clock(step)), *capfd.readouterr())

    return call


@pytest.mark.parametrize("mode", ["bm25", "literal"])
def test_what_was_written_since_is_found(root: Path, run: Search, mode: str) -> None:
    write(root, {"new.txt": "a newcomer\n"})
    assert run("newcomer", "--mode", mode) == (0, "new.txt:1:a newcomer\n", "")


def test_what_was_removed_since_is_not_found(root: Path, run: Search) -> None:
    (root / "notes.txt").unlink()
    assert run("interest", "--mode", "literal").code == 1


@pytest.mark.parametrize("mode", ["bm25", "literal"])
def test_on_a_machine_that_is_busy_the_same_is_found(root: Path, run: Search, mode: str) -> None:
    write(root, {"new.txt": "interest in a newcomer\n"})
    code, out, err = run("interest", "--mode", mode, step=1.0)
    paths = {line.partition(":")[0] for line in out.splitlines() if ":" in line}
    assert (code, paths, err) == (0, {"notes.txt", "new.txt"}, "")


@pytest.mark.usefixtures("slow")
def test_where_comparing_takes_too_long_the_index_answers_and_says_so(
    root: Path, run: Search
) -> None:
    write(root, {"new.txt": "pages, and a newcomer\n"})
    code, out, err = run("pages", "--mode", "literal")
    assert (code, out) == (0, "docs/words.md:3:The page cache keeps pages.\n")
    assert "repo-mcp: warning: the index was made " in err
    assert "and not compared with the files since: `repo-mcp index` brings it up to date" in err


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("mode", ["bm25", "literal", "regex"])
def test_but_nothing_is_said_to_be_nowhere_before_all_was_compared(
    root: Path, run: Search, mode: str
) -> None:
    write(root, {"new.txt": "a newcomer\n"})
    code, out, err = run("newcomer", "--mode", mode)
    assert (code, out) == (0, "new.txt:1:a newcomer\n")
    assert "warning" not in err


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("query", ["page_cache_turned", "nothing interest turned"])
def test_nor_is_a_word_of_several(root: Path, run: Search, query: str) -> None:
    write(root, {"new.py": "def page_cache_turned():\n    return 'interest'\n"})
    code, out, err = run(query)
    assert (code, out.partition(":")[0]) == (0, "new.py")
    assert "nowhere" not in err
    assert "warning" not in err


def test_a_word_of_a_file_that_can_not_be_indexed_is_not_nowhere(
    root: Path, tmp_path: Path, run: Search
) -> None:
    write(root, {"new.py": "def page_cache_turned():\n    return 'interest'\n"})
    with served(root, tmp_path / "data").manager.text.store.lock(0):
        code, out, err = run("page_cache_turned")
    assert (code, out.partition(":")[0]) == (0, "new.py")
    assert "nowhere" not in err
    assert "1 file changed and could not be indexed" in err


def test_an_index_may_be_taken_as_it_is(root: Path, run: Search) -> None:
    write(root, {"new.txt": "a newcomer\n"})
    code, out, err = run("newcomer", "--stale-ok")
    assert (code, out) == (1, "")
    assert "nothing found" in err
    assert run("pages", "--stale-ok").err == ""


@pytest.mark.parametrize("mode", ["bm25", "literal", "regex"])
def test_what_can_not_be_indexed_is_read(
    root: Path, tmp_path: Path, run: Search, mode: str
) -> None:
    write(root, {"new.txt": "a newcomer\n"})
    with served(root, tmp_path / "data").manager.text.store.lock(0):
        code, out, err = run("newcomer", "--mode", mode)
    assert (code, out) == (0, "new.txt:1:a newcomer\n")
    assert "1 file changed and could not be indexed: another process is writing" in err


def test_much_that_has_changed_is_left_to_the_command_index(root: Path, run: Search) -> None:
    write(root, {f"many/{number}.txt": "pages\n" for number in range(70)})
    code, out, err = run("pages", "--mode", "literal")
    assert (code, out.count("\n")) == (0, 1)
    assert "70 files changed since the index was made " in err
    assert run("pages", "--mode", "literal", "--refresh", "-c").out.count("\n") == 71


@pytest.mark.parametrize("held", [False, True], ids=["free", "busy"])
def test_the_bytes_of_an_index_without_changes_stay(
    root: Path, tmp_path: Path, run: Search, *, held: bool
) -> None:
    run("page")
    before = {path: path.read_bytes() for path in (tmp_path / "data" / "index").iterdir()}
    manager = served(root, tmp_path / "data").manager
    lock: AbstractContextManager[None] = manager.text.store.lock(0) if held else nullcontext()
    with lock:
        assert run("page").code == 0
    after = {path: path.read_bytes() for path in (tmp_path / "data" / "index").iterdir()}
    assert after == before


def test_an_index_is_compared_without_a_lock_and_within_the_time(
    root: Path, where: list[str], tmp_path: Path
) -> None:
    assert where == places(root, tmp_path / "data")
    manager = served(root, tmp_path / "data").manager
    write(root, {"new.txt": "x\n"})
    (root / "notes.txt").unlink()
    with manager.text.store.lock(0):
        found = manager.text.changes(Budget(clock=Clock()))
    assert found is not None
    changed = {item.path for item in found.changed} - found.unproved
    assert (changed, found.gone) == ({"new.txt"}, ["notes.txt"])
    assert manager.text.changes(Budget(0.0, clock=Clock())) is None


def at(seconds: float) -> Callable[[], datetime]:
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0 seconds ago"),
        (1, "1 second ago"),
        (119, "1 minute ago"),
        (7200, "2 hours ago"),
        (86_400 * 3, "3 days ago"),
    ],
)
def test_an_age_is_said_in_one_unit(seconds: float, said: str) -> None:
    assert freshness.age_of("2026-01-01T00:00:00Z", at(seconds)) == said


@pytest.mark.parametrize("stamp", ["", "yesterday", "2026-01-01"])
def test_an_unknown_age_is_said_to_be_unknown(stamp: str) -> None:
    try:
        said = freshness.age_of(stamp, at(0))
    except TypeError:
        pytest.fail("a time without a zone")
    assert said == "some time ago"


def test_an_index_that_is_current_says_nothing() -> None:
    assert freshness.describe(freshness.CURRENT, "", at(0)) == ""
    refused = freshness.Freshness(compared=False, changed=("a",), problem=Problem("index_busy"))
    assert freshness.describe(refused, "", at(0)).startswith("1 file changed and could not")


@pytest.mark.parametrize(("number", "is_read"), [(2_400, True), (20_000, False)])
def test_an_index_made_as_soon_as_its_files_were_written_is_proved_once(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    is_read: bool,  # noqa: FBT001 pytest gives it
) -> None:
    tasks = FileTasks()
    tasks.add_folder("lib", ((f"{at}.py", 10_000) for at in range(number)))
    unproved = Changes(changed=tasks, unproved={item.path for item in tasks})
    manager = served(root, tmp_path / "data").manager
    manager.refresh(Budget())
    monkeypatch.setattr(manager.text, "changes", lambda _: unproved)
    read: list[str] = []
    found = freshness.freshen(manager, Budget(), lambda: read.append("all"))
    assert found.compared == is_read
    assert read == ["all"] * is_read
