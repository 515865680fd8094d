"""Figures are kept as text, hold every set, and compare systems on the same queries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import machine
from bench.ranking import judgements, metrics, scores
from bench.ranking.judgements import Judgement, Place
from bench.ranking.metrics import Ranked
from bench.ranking.repositories import SPLITS, repositories, small
from bench.ranking.scores import Key
from bench.ranking.systems import BASELINES, OURS

pytestmark = pytest.mark.servers

_SMALL = min(small() & {item.name for item in repositories(("train",))})
_LARGE = next(item.name for item in repositories(("train",)) if item.name not in small())
_ITEMS = [
    Judgement(_SMALL, "exact", "walk", (Place("a.c", 1, 2),)),
    Judgement(_LARGE, "case", "WALK", (Place("b.c", 1, 2),)),
]
_RIGHT = {_SMALL: {"walk": [Ranked("a.c", 1, 1)]}, _LARGE: {"WALK": [Ranked("b.c", 2, 2)]}}
_WRONG = {_SMALL: {"walk": [Ranked("x.c", 1, 1)]}}


def figures_of(*, alone: bool = False) -> scores.Figures:
    answers = {OURS: _RIGHT} if alone else {OURS: _RIGHT, "whoosh": _WRONG, "ripgrep": _WRONG}
    return scores.of_sets("train", {"identifiers": _ITEMS}, answers, alone=alone)


def test_systems_for_small_repositories_have_figures_of_these_only() -> None:
    figures = figures_of()
    assert figures[Key("train", "identifiers", "files", OURS, "mrr")] == 1.0
    assert figures[Key("train", "small:identifiers", "files", OURS, "mrr")] == 1.0
    assert figures[Key("train", "small:identifiers", "files", "whoosh", "mrr")] == 0.0
    assert {key.judged for key in figures if key.system in scores.SMALL_ONLY} == {
        "small:identifiers"
    }


def test_systems_that_answer_with_files_are_not_judged_by_lines() -> None:
    levels = {(key.system, key.level) for key in figures_of() if key.level == "lines"}
    assert levels == {(OURS, "lines"), ("whoosh", "lines")}


def test_alone_there_is_nothing_to_compare_on_small_repositories() -> None:
    assert {key.judged.partition("/")[0] for key in figures_of(alone=True)} == {"identifiers"}


def test_each_form_of_query_has_its_headline() -> None:
    forms = {key.judged: key.metric for key in figures_of() if key.of_form}
    assert forms == {"identifiers/exact": "ndcg@10", "identifiers/case": "ndcg@10"}


def test_fewer_answers_tell_no_deep_recall() -> None:
    told = {key.metric for key in scores.within(figures_of(), 10)}
    assert told == {*metrics.NAMES, metrics.IN_READ} - {"recall@50"}


def test_kept_figures_read_back_and_leave_other_splits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "GOLDEN", tmp_path / "results.txt")
    monkeypatch.setattr(machine, "RESULTS", tmp_path / "results")
    other = {Key("test", "changes", "files", OURS, "ndcg@10"): 0.25}
    scores.record(other)
    scores.record(figures_of())
    assert scores.golden() == figures_of() | other
    kept = json.loads((tmp_path / "results" / "ranking.json").read_text())
    assert kept["machine"]["cores"]
    assert kept["splits"]["test"] == {"changes files": {OURS: {"ndcg@10": 0.25}}}
    assert kept["splits"]["train"]["small:identifiers lines"]["whoosh"]["recall@50"] == 0.0
    assert not any("/" in name for name in kept["splits"]["train"])


def test_a_change_is_shown_beside_what_was_kept() -> None:
    key = Key("test", "changes", "files", OURS, "ndcg@10")
    (line,) = scores.compared({key: 0.5}, {key: 0.25}, forms=False)
    assert line.split() == ["test", "changes", "files", OURS, "ndcg@10", "0.5000", "+0.2500"]


def expected(split: str, name: str) -> set[Key]:
    """Every figure of a set that must have been kept, but for those of forms."""
    levels = ("files",) if name == "changes" else ("files", "lines")
    wide = {item.name for item in BASELINES if not item.small_only} | {OURS}
    return {
        Key(split, judged, level, system, metric)
        for judged, systems in ((name, wide), (f"small:{name}", wide | scores.SMALL_ONLY))
        for level in levels
        for system in (systems if level == "files" else systems & scores.OF_LINES)
        for metric in (*metrics.NAMES, *([metrics.IN_READ] if level == "lines" else []))
    }


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", judgements.SETS)
def test_the_results_hold_every_set(split: str, name: str) -> None:
    kept = scores.golden()
    assert all(0.0 <= value <= 1.0 for value in kept.values())
    assert expected(split, name) - kept.keys() == set()


def test_the_results_are_as_they_are_written() -> None:
    assert scores.GOLDEN.read_text() == scores.text(scores.golden())
