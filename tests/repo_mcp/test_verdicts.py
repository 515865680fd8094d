"""Verdicts: an answer says that it is one only if nothing is open."""

from __future__ import annotations

from typing import Any

import pytest

from repo_mcp.answers.changes import ChangesResult
from repo_mcp.answers.history import CommitEntry, HistoryResult
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.answers.repository import (
    BundleResult,
    FileMatches,
    OpenFileResult,
    OutlineResult,
    PassageHit,
    SearchResult,
    SuggestedQuery,
)
from repo_mcp.answers.symbols import SymbolAnswer, SymbolUseRow
from repo_mcp.answers.verdicts import (
    ABSENT,
    ANSWERED,
    PARTLY,
    SEVERAL,
    Verdict,
    is_judged,
    join_verdicts,
    judge,
    judge_tests,
)
from repo_mcp.model import AnswerWarning

INCOMPLETE = AnswerWarning("incomplete", "the index is being built")
LINKING = AnswerWarning("linking", "symbols are still being linked")
USE = SymbolUseRow(path="a.py", line=3)


def symbol(**fields: Any) -> SymbolAnswer:  # noqa: ANN401 fields of a record
    place: dict[str, Any] = {"name": "a.f", "kind": "function", "language": "python"}
    place |= {"path": "a.py", "start_line": 1, "end_line": 2}
    return SymbolAnswer(**{**place, "complete_list": True, "other_line_count": 0, **fields})


def opened(**fields: Any) -> OpenFileResult:  # noqa: ANN401 as above
    lines: dict[str, Any] = {"start_line": 1, "end_line": 9, "total_lines": 20}
    given: dict[str, Any] = {"path": "a.py", "text": NumberedLines(), "truncated": False, **fields}
    return OpenFileResult(**{**lines, **given})


FOUND = FileMatches(path="a.py", lines=NumberedLines.of(["x"], 1))
HIT = PassageHit(
    path="a.py", start_line=1, end_line=2, score=1.0, matched_terms=["a"], snippet=NumberedLines()
)
NEAR = SuggestedQuery(kind="spelling", text="other", why="near")
COMMIT = CommitEntry(commit="1", date="2024-01-01", author="A", subject="s")


@pytest.mark.parametrize(
    ("record", "state", "step"),
    [
        (symbol(), ANSWERED, ""),
        (symbol(missing="uses", complete_list=False), PARTLY, ""),
        (symbol(other_line_count=2, other_lines=["a.py:3,4"]), PARTLY, "open a.py:3,4"),
        (symbol(callers=[USE], caller_count=9), PARTLY, "repo.symbol"),
        (symbol(doubts=["a file can't be parsed"], complete_list=False), PARTLY, ""),
        (symbol(other_count=2, others=["b.f (b.py:1)"]), SEVERAL, ""),
        (SearchResult(files=[FOUND]), ANSWERED, ""),
        (SearchResult(files=[FOUND], truncated=True, cursor="c"), PARTLY, "cursor c"),
        (SearchResult(files=[FOUND], left=["b.py 3"]), PARTLY, ""),
        (SearchResult(files=[], suggestions=[NEAR]), ABSENT, 'search "other"'),
        (SearchResult(hits=[HIT], terms=["a"]), ANSWERED, ""),
        (SearchResult(hits=[HIT], terms=["a"], truncated=True, cursor="c"), PARTLY, ""),
        (SearchResult(hits=[HIT], terms=["a", "b"], confident=False), PARTLY, ""),
        (SearchResult(hits=[], terms=["a"]), ABSENT, ""),
        (opened(), ANSWERED, ""),
        (opened(truncated=True, next_start_line=10), PARTLY, "open a.py:10-20"),
        (opened(ranges=["x"], next_ranges=["b.py:3-9"]), PARTLY, "open b.py:3-9"),
        (HistoryResult(commits=[COMMIT]), ANSWERED, ""),
        (HistoryResult(commits=[COMMIT], cursor="c"), PARTLY, "cursor c"),
        (HistoryResult(), ABSENT, ""),
        (ChangesResult(old="a", new="b", files=1), ANSWERED, ""),
        (ChangesResult(old="a", new="b", files=0), ABSENT, ""),
        (ChangesResult(old="a", new="b", files=1, notes=["no graph"]), PARTLY, ""),
        (ChangesResult(old="a", new="b", files=1, left=["tests: 3"], cursor="c"), PARTLY, "c"),
    ],
)
def test_an_answer_is_judged_by_what_it_lacks(record: AnswerRecord, state: str, step: str) -> None:
    verdict = judge(record)
    assert verdict.state == state
    assert (verdict.lacks != "") is (state != ANSWERED)
    assert step in verdict.step


@pytest.mark.parametrize("record", [SearchResult(files=[FOUND]), SearchResult(files=[])])
def test_files_that_are_not_read_yet_may_have_more(record: SearchResult) -> None:
    verdict = judge(record, [INCOMPLETE])
    assert verdict.state == PARTLY
    assert "not all files are indexed yet" in verdict.lacks


def test_where_each_line_with_the_name_is_known_other_files_do_not_matter() -> None:
    assert judge(symbol(), [LINKING]).state == ANSWERED
    assert judge(symbol(complete_list=False, other_line_count=-1), [LINKING]).state == PARTLY


def test_tests_are_judged_by_themselves() -> None:
    reached = symbol(tests=[USE], test_count=1)
    assert judge_tests(reached).state == ANSWERED
    assert judge_tests(symbol(tests=[USE], test_count=4)).state == PARTLY
    assert judge_tests(symbol(tests=[USE], test_count=1, doubts=["d"])).state == PARTLY
    assert judge_tests(symbol()).state == ABSENT
    assert judge_tests(symbol(), [LINKING]).state == PARTLY


def test_several_parts_are_answered_if_each_is() -> None:
    answered, absent = Verdict(), Verdict(ABSENT, "no line matches", "search other")
    partly = Verdict(PARTLY, "two lines are open", "open a.py:3")
    assert join_verdicts([("a", partly)]) == partly
    assert join_verdicts([("a", answered), ("b", answered)]) == Verdict()
    joined = join_verdicts([("a", answered), ("b", absent)])
    assert (joined.state, joined.step) == (PARTLY, "search other")
    assert "1 of 2 parts: b" in joined.lacks
    assert join_verdicts([("a", absent), ("b", absent)]).state == ABSENT
    assert join_verdicts([("a", absent), ("b", partly)]).state == PARTLY


def test_what_has_all_that_it_was_asked_for_is_not_judged() -> None:
    assert is_judged(symbol())
    assert not is_judged(BundleResult(excerpts=[]))
    assert is_judged(BundleResult(bundle_id="b1", excerpts=[]))
    assert not is_judged(OutlineResult(path="a.py", status="ok", symbols=[], total=0))
