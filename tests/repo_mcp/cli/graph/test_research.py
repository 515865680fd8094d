"""The command `research`: a report with evidence, in the form that a terminal or program reads."""

from __future__ import annotations

import os

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands


def test_a_question_is_answered_over_several_steps(shop: Commands) -> None:
    done = shop("research", "what", "calls", "add_tax", "--depth", "3")
    assert done.code == 0
    assert "# 2 callers of shop.tax.add_tax" in done.lines[0]
    assert "## callers (2)" in done.lines
    assert any(line.startswith("- tests.test_prices.test_total (function") for line in done.lines)
    assert done.lines[-1] != ""


def test_json_is_the_result_of_the_tool(shop: Commands) -> None:
    facts = shop("research", "what calls add_tax", "--json").facts
    assert (facts["command"], facts["kind"], facts["depth"]) == ("research", "callers", 2)
    assert [row["symbol"] for row in facts["hops"][0]["findings"]] == [
        "shop.prices.Price.gross",
        "shop.tax.total",
    ]
    assert facts["complete"] is True


def test_a_folder_needs_no_question(shop: Commands) -> None:
    facts = shop("research", "--focus", "architecture", "--json").facts
    assert (facts["kind"], facts["focus"]) == ("architecture", "architecture")


def test_paths_are_seen_from_the_current_folder(
    shop: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root / "shop")
    done = shop("research", "what calls add_tax")
    assert " prices.py:8 calls " in done.out
    within = shop("research", "tax", "--path", os.curdir, "--json").facts
    found = [row.get("path", "") for hop in within["hops"] for row in hop["findings"]]
    assert found
    assert all(path.startswith("shop/") for path in found if path)


def test_chains_and_findings_are_told_apart(shop: Commands) -> None:
    done = shop("research", "what calls add_tax", "--depth", "3")
    chains = done.out.partition("## chains")[2].partition("\n##")[0].splitlines()[1:]
    assert chains
    assert all(" → " in line for line in chains if line)


def test_a_short_report_says_what_is_left_out(shop: Commands) -> None:
    done = shop("research", "what calls add_tax", "--depth", "3", "--max-chars", "300")
    assert len(done.out) < 600
    assert "more" in done.out


def test_nothing_found_is_1(shop: Commands) -> None:
    done = shop("research", "qqqqq zzzzz")
    assert done.code == 1
    assert "nothing found" in done.err


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "what to research is missing"),
        (["what calls total", "--depth", "6"], "at most 5"),
        (["what calls total", "--path", "nowhere"], "no such file or folder"),
        (["what calls total", "--focus", "beauty"], "--focus"),
    ],
)
def test_errors_are_2_and_say_why(shop: Commands, given: list[str], why: str) -> None:
    done = shop("research", *given)
    assert (done.code, done.out) == (2, "")
    assert why in done.err
