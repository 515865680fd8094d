"""Oracles of questions about a large tree judge answers, and patches give messages and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.large.__main__ import JudgedAnswer, figures
from bench.large.drawing import settings
from bench.large.patches import read_patch
from bench.large.question import (
    CallersOracle,
    FilesOracle,
    LinesOracle,
    Oracle,
    PlacesOracle,
    Question,
    Verdict,
)
from bench.large.stages import stage_named

HIT = {"path": "a.c", "start_line": 3, "end_line": 9}
OTHER = {"path": "b.c", "start_line": 3, "end_line": 9}
PATCH = """From: Ada <ada@example.org>
Date: Mon, 1 Jan 2024 00:00:00 +0000
Subject: [PATCH 2/3] mm: free the page that
 nobody waits for
Origin: upstream

The page stays locked.

Signed-off-by: Ada <ada@example.org>
---
 mm/page.c | 2 +-
--- a/mm/page.c
+++ b/mm/page.c
@@ -1 +1 @@
-a
+b
"""


@pytest.mark.parametrize(
    ("oracle", "result", "verdict"),
    [
        (PlacesOracle(frozenset({("a.c", 5)})), {"hits": [HIT, OTHER]}, (True, True)),
        (PlacesOracle(frozenset({("b.c", 9)})), {"hits": [HIT, OTHER]}, (False, True)),
        (PlacesOracle(frozenset({("a.c", 10)})), {"hits": [HIT, OTHER]}, (False, False)),
        (PlacesOracle(frozenset({("a.c", 5)})), {}, (False, False)),
        (FilesOracle(frozenset({"b.c"})), {"hits": [HIT, OTHER]}, (False, True)),
        (FilesOracle(frozenset({"a.c"})), {"hits": [HIT]}, (True, True)),
    ],
)
def test_hits_are_judged_by_the_first_and_by_all(
    oracle: Oracle, result: dict[str, object], verdict: tuple[bool, bool]
) -> None:
    assert oracle.judge(result) == verdict


def test_lines_have_to_be_counted_and_none_may_be_added() -> None:
    oracle = LinesOracle(frozenset({("a.c", 2), ("a.c", 5)}))
    shown = [{"path": "a.c", "lines": "@ f\n2: x\n3- y"}]
    assert oracle.judge({"files": shown, "matching_lines": 2}) == (True, True)
    assert oracle.judge({"files": shown, "matching_lines": 1}) == (False, True)
    wrong = [{"path": "a.c", "lines": "4: x"}]
    assert oracle.judge({"files": wrong, "matching_lines": 2}) == (False, False)


def test_callers_have_to_be_all_for_a_right_answer() -> None:
    oracle = CallersOracle(frozenset({("a.c", "f"), ("a.c", "g"), ("b.c", "h")}))
    rows = [{"path": "a.c", "symbol": "f"}, {"path": "b.c", "symbol": "n.h"}]
    named = {"path": "a.c", "symbol": "g", "edge_type": "references"}
    assert oracle.judge({"callers": [*rows, named]}) == (False, True)
    test = {"path": "a.c", "symbol": "g"}
    assert oracle.judge({"callers": rows, "tests": [test]}) == (True, True)
    assert oracle.judge({"callers": rows[:1]}) == (False, False)


def test_a_patch_gives_its_message_and_its_files() -> None:
    patch = read_patch("p", PATCH)
    assert patch is not None
    assert patch.paths == {"mm/page.c"}
    assert patch.message.startswith("mm: free the page that nobody waits for\nThe page stays")
    assert "Signed-off" not in patch.message
    assert "Origin" not in patch.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Subject: three words only\n\n--- a/x\n+++ b/x\n",
        "Subject: a patch that changes nothing at all\n",
    ],
)
def test_a_patch_without_a_message_or_files_is_none(text: str) -> None:
    assert read_patch("p", text) is None


def test_settings_are_asked_for_as_code_names_them(tmp_path: Path) -> None:
    (tmp_path / "Kconfig").write_text("menu\n\nconfig SMP_CORES\n\tbool\n")
    (tmp_path / "CMakeLists.txt").write_text('option(WITH_TESTS "tests" ON)\n')
    asked = {str(item.arguments["query"]): item for item in settings(tmp_path, 9)}
    assert asked.keys() == {"CONFIG_SMP_CORES", "WITH_TESTS"}
    hit = {"path": "Kconfig", "start_line": 3, "end_line": 4}
    assert asked["CONFIG_SMP_CORES"].oracle.judge({"hits": [hit]}).first


def test_figures_tell_cold_questions_from_warm_ones() -> None:
    question = Question("texts", "repo.search", {}, FilesOracle(frozenset()))
    right, wrong = Verdict(first=True, listed=True), Verdict(first=False, listed=True)
    rows = [
        JudgedAnswer(question, right, 100, 2.0, is_cold=True),
        JudgedAnswer(question, wrong, 300, 0.25, is_cold=False),
        JudgedAnswer(question, right, 200, 0.5, is_cold=False),
    ]
    counted = figures(rows)
    assert (counted["asked"], counted["right_first"], counted["right_listed"]) == (3, 2, 3)
    assert (counted["bytes_p50"], counted["cold_p50_s"], counted["warm_p95_ms"]) == (200, 2.0, 500)


@pytest.mark.servers
def test_stages_write_to_folders_of_their_own(tmp_path: Path) -> None:
    folders = {
        name: stage_named(name, tmp_path, tmp_path / "keep").folder.name
        for name in ("words", "declarations", "graph", "tantivy", "ctags", "local:4")
    }
    assert folders["words"] == folders["declarations"] == folders["graph"] == "index"
    assert len({*folders.values()}) == 4
    with pytest.raises(ValueError, match="zoekt"):
        stage_named("zoekt", tmp_path, tmp_path)
