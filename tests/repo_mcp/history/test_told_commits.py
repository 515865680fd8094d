"""Commits with their reasons: several in one question, and those that lines come from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.answers.history import FILE, PEOPLE, RELATED
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import HistoryQuestion, ask_histories
from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.history.histories import Asked, asked

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
_REASON = "shop: cards are charged late\n\nThe bank refused\na second charge.\n\nCloses: #7"
_PAY = "def pay(card):\n    charge(card)\n    return True\n\n\ndef other():\n    return 1\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("told") / "root"
    commit(place, {"pay.py": _PAY, "note.txt": "one\n"}, "made")
    late = _PAY.replace("charge(card)", "charge_late(card)")
    commit(place, {"pay.py": late, "note.txt": "two\n"}, _REASON)
    commit(place, {"pay.py": late.replace("return 1", "return 2")}, "other: counted\n\nAs asked.")
    rows = "".join(f"row {number}\n" for number in range(300))
    commit(place, {"rows.txt": rows}, "rows\n\n" + "\n".join(f"reason {n}" for n in range(90)))
    return place


@pytest.fixture(scope="module")
def history(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with asked(root, tmp_path_factory.mktemp("data")) as opened:
        yield opened


def ask(history: Asked, chars: int = 20_000, **given: object) -> tuple[str, list[str]]:
    """The text of an answer, and its warnings."""
    question = HistoryQuestion()._replace(**given)  # type: ignore[arg-type] # names of its fields
    answer, warnings = ask_histories(history.histories, question, Budget(), chars)
    return "\n".join(answer.result.as_text()), [item.text for item in warnings]


def test_several_revisions_are_told_whole_in_the_order_given(history: Asked) -> None:
    text, warnings = ask(history, rev="HEAD~1  HEAD~2, HEAD~1")
    other, pay = (text.index(row) for row in ("other: counted", "shop: cards are charged late"))
    assert other < pay
    assert text.count("As asked.") == 1
    for row in ("    a second charge.", "    Closes: #7", "  -    charge(card)", "  +two"):
        assert row in text
    assert warnings == []


def test_of_several_revisions_a_path_has_its_part(history: Asked) -> None:
    text, warnings = ask(history, rev="HEAD~2 HEAD~1", path="note.txt")
    assert "note.txt:1" in text
    assert "pay.py" not in text
    (warning,) = warnings
    assert warning.startswith("HEAD~1: ")
    assert "note.txt" in warning


def test_several_paths_have_their_commits(history: Asked) -> None:
    text, _ = ask(history, path="nothing.txt, note.txt")
    assert "shop: cards are charged late" in text
    assert "other: counted" not in text
    assert "other: counted" in ask(history, path="note.txt, pay.py")[0]


def test_a_revision_that_is_none_is_named_beside_the_others(history: Asked) -> None:
    text, warnings = ask(history, rev="HEAD~1 no-such")
    assert "other: counted" in text
    assert [row.partition(":")[0] for row in warnings] == ["no-such"]
    with pytest.raises(Problem, match="no-such"):
        ask(history, rev="no-such nor-this")


@pytest.mark.parametrize(
    "given",
    [
        {"about": FILE, "path": "pay.py"},
        {"about": RELATED},
        {"about": PEOPLE},
        {"text": "pay"},
        {"path": "pay.py", "lines": "1"},
        {"rev": " ".join(f"HEAD~{number}" for number in range(11))},
    ],
)
def test_several_revisions_are_asked_for_as_commits_alone(
    history: Asked, given: dict[str, Any]
) -> None:
    with pytest.raises(Problem) as refused:
        ask(history, **{"rev": "HEAD HEAD~1", **given})
    assert refused.value.code == "argument_invalid"


def test_what_small_commits_leave_of_the_room_a_large_one_has(history: Asked) -> None:
    text, _ = ask(history, 6_000, rev="HEAD HEAD~1 HEAD~2 HEAD~3")
    # a fourth alone would have neither
    assert "reason 89" in text
    assert "+row 80" in text
    assert len(text) < 6_000
    for row in ("As asked.", "+    charge_late(card)", "+    return True"):
        assert row in text


def test_a_message_that_is_cut_says_how_much_is_missing(history: Asked) -> None:
    text, _ = ask(history, 800, rev="HEAD")
    shown = text.count("    reason ")
    assert f"… {90 - shown} more lines" in text
    assert "there is more: " in text
    assert "reason 89" in ask(history, rev="HEAD")[0]


def test_lines_come_with_the_reasons_of_their_commits_and_what_they_were(history: Asked) -> None:
    text, _ = ask(history, path="pay.py", lines="1-7")
    for row in ("    a second charge.", "    Closes: #7", "    As asked."):
        assert text.count(row) == 1
    assert "  -    charge(card)\n  +    charge_late(card)" in text
    assert "  -    return 1\n  +    return 2" in text
    # of the lines that are asked for, and no others
    narrow, _ = ask(history, path="pay.py", lines="7")
    assert "charge_late" not in narrow
    assert "return 2" in narrow


def test_commits_beyond_the_limit_are_told_by_their_subjects(history: Asked) -> None:
    text, _ = ask(history, path="pay.py", lines="2-7", limit=1)
    assert "a second charge." in text
    assert "other: counted" in text
    assert "As asked." not in text


def test_reasons_fit_into_the_room(history: Asked) -> None:
    text, _ = ask(history, 900, path="rows.txt", lines="5-6")
    assert "  +row 4\n  +row 5" in text
    assert "more lines" in text
    assert len(text) < 900


def test_lines_that_were_in_a_denied_file_do_not_show_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    rows = "".join(f"value {number}\n" for number in range(20))
    commit(root, {"a.txt": "1\n"}, "made")
    for last in ("hidden", "hidden too"):
        (root / "keys.pem").write_text(rows.replace("19", last), encoding="utf-8")
        run_git(root, "add", "-f", ".")
        run_git(root, "commit", "-qm", last)
    run_git(root, "mv", "keys.pem", "open.txt")
    (root / "open.txt").write_text(f"{rows.replace('19', 'hidden too')}shown\n", encoding="utf-8")
    run_git(root, "commit", "-qam", "moved")
    with asked(root, tmp_path / "data") as history:
        text, _ = ask(history, path="open.txt", lines="18-21")
    assert "moved" in text
    assert "-value" not in text
    assert "keys.pem" not in text


def test_what_changed_in_declarations_of_code_comes_before_other_lines_and_lost_files(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    rows = "".join(f"    row_{number} = {number}\n" for number in range(20))
    old = {
        "a.py": f"def gone():\n{rows}    return 0\n",
        "b.py": "import old\n\n\ndef pay():\n    return 1\n",
        "c.txt": "one\n",
    }
    notes = "".join(f"# note {number}\n" for number in range(20))
    new = {
        "b.py": "import new\n\n\ndef pay():\n    return 2\n",
        "c.txt": "two\n",
        "d.py": f"{notes}import new\n\n\ndef made():\n    return new\n",
    }
    commit(root, old, "made")
    (root / "a.py").unlink()
    commit(root, new, "changed")
    with asked(root, tmp_path / "data") as history:
        whole, _ = ask(history, rev="HEAD")
        short, _ = ask(history, 900, rev="HEAD")
    order = ["+    return 2", "+    return new", "+two", "-def gone"]
    places = [whole.index(row) for row in order]
    assert places == sorted(places)
    assert whole.count("# note") == 20
    for row in ("b.py:5 in pay", "d.py:24 in made", "+    return new", "+import new"):
        assert row in short
    assert "# note" not in short
    assert "row_" not in short
