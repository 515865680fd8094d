"""The judgement sets: what is written reads back, and no training set has what is tested."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from bench.ranking import judgements
from bench.ranking.judgements import Judgement, Place
from bench.ranking.repositories import DATA, SPLITS, repositories, small

_EACH_SET = pytest.mark.parametrize("name", judgements.SETS)
_EACH_SPLIT = pytest.mark.parametrize("split", SPLITS)


@pytest.mark.parametrize(
    "item",
    [
        Judgement("a", "exact", "open file", (Place("b/c.py", 3, 9),)),
        Judgement("a", "C", "Opens it.", (Place("b.c", 3, 9),), Place("b.c", 1, 2)),
        Judgement("a", "subject", "Open: 1-2", (Place("b.c"), Place("b:1.c"))),
    ],
)
def test_a_judgement_reads_back(item: Judgement) -> None:
    assert Judgement.parse(item.line()) == item


@_EACH_SET
@_EACH_SPLIT
def test_a_set_is_what_its_judgements_write(name: str, split: str) -> None:
    text = (DATA / f"{name}.{split}.txt").read_text("utf-8")
    items = judgements.read(name, (split,))
    assert items
    assert text == "".join(f"{item.line()}\n" for item in items)


@_EACH_SET
@_EACH_SPLIT
def test_a_set_asks_on_repositories_of_its_split(name: str, split: str) -> None:
    listed = {item.name for item in repositories((split,))}
    assert {item.repository for item in judgements.read(name, (split,))} <= listed


def test_no_repository_and_no_package_is_in_both_splits() -> None:
    names = [item.name for item in repositories()]
    assert len(set(names)) == len(names)
    packages = [f"{part.registry}:{part.name}" for item in repositories() for part in item.packages]
    assert len(set(packages)) == len(packages)


def test_no_query_is_asked_in_both_splits() -> None:
    asked = {
        split: {item.query for name in judgements.SETS for item in judgements.read(name, (split,))}
        for split in SPLITS
    }
    assert asked["train"] & asked["test"] == set()


@_EACH_SET
def test_every_judgement_is_well_formed(name: str) -> None:
    lines_judged, blanked = name != "changes", name == "documented"
    for item in judgements.read(name):
        assert item.form
        assert item.query == item.query.strip() != ""
        assert len(set(item.places)) == len(item.places) > 0
        assert (item.removed is not None) == blanked
        for place in (*item.places, *([item.removed] if item.removed else [])):
            path = PurePosixPath(place.path)
            assert str(path) == place.path
            assert not path.is_absolute()
            assert ".." not in path.parts
            assert (1 <= place.first <= place.last) if lines_judged else not place.first


def test_small_repositories_are_listed_and_of_both_splits() -> None:
    splits = {item.name: item.split for item in repositories()}
    assert {splits[name] for name in small()} == set(SPLITS)
