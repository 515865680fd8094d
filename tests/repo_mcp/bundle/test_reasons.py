"""Reasons, omissions and notices: records that are rendered as text."""

from __future__ import annotations

import pytest

from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit
from repo_mcp.bundle.model import Excerpt, Line, SearchKind, merge_excerpts
from repo_mcp.bundle.reasons import NoticeCode, Omission, Reason, ReasonCode
from repo_mcp.bundle.weights import SizeWeights


def test_a_reason_names_the_first_few_terms() -> None:
    names = tuple(f"term{number}" for number in range(SizeWeights.MOST_TERMS + 2))
    text = Reason(ReasonCode.MATCHES, names=names).text
    assert text == f"matches {', '.join(names[: SizeWeights.MOST_TERMS])}"


@pytest.mark.parametrize("code", ReasonCode)
def test_no_placeholder_is_left_in_a_reason(code: ReasonCode) -> None:
    text = Reason(code, "name", 7, ("one", "two")).text
    assert text
    assert not set("{}") & set(text)


def test_values_of_a_reason_are_not_formatted() -> None:
    assert Reason(ReasonCode.MENTIONS, "{number}", 7).text == "mentions {number}"


def test_a_long_text_is_cut_in_its_reason() -> None:
    text = Reason(ReasonCode.HOLDS_TEXT, "x" * 500).text
    assert len(text) < 100
    assert text.endswith("…'")


@pytest.mark.parametrize("code", [*Omission, *NoticeCode])
def test_each_code_has_a_text_of_its_own(code: Omission | NoticeCode) -> None:
    assert code.text != code
    assert [other for other in type(code) if other.text == code.text] == [code]


def test_of_reasons_of_one_group_the_best_is_shown() -> None:
    item = Candidate("a.py", 1, 9, "f")
    reasons = {
        Reason(ReasonCode.MATCHES, names=("one",)): 1.0,
        Reason(ReasonCode.MATCHES, names=("two",)): 2.0,
        Reason(ReasonCode.DEFINES, "f"): 3.0,
    }
    for number, (reason, worth) in enumerate(reasons.items()):
        item.add(
            LineHit("a.py", 1, 9, Evidence(SearchKind.MENTIONS, str(number)), worth, reason, "f")
        )
    assert [reason.text for reason in item.best_reasons] == ["defines f", "matches two"]


def test_a_file_is_told_by_the_reasons_of_its_best_excerpts_and_not_of_its_first_lines() -> None:
    names = [f"part_{at}" for at in range(SizeWeights.MOST_REASONS + 1)]
    items = [
        Excerpt(
            "a.py", (Line(at + 1, ""),), name, "match", (Reason(ReasonCode.DEFINES, name),), at, ""
        )
        for at, name in enumerate(names)
    ]
    told = [reason.name for reason in merge_excerpts(items).reasons]
    assert told == names[::-1][: SizeWeights.MOST_REASONS]
