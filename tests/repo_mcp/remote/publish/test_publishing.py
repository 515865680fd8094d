"""Publishing: only what is missing, nothing lost or mixed, whoever else is at work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st

from repo_mcp.errors import Problem
from repo_mcp.remote.publish import ObjectRow, collect
from tests.repo_mcp.remote.publish.checkouts import (
    Checkout,
    broken_publications,
    budget,
    label_of,
    publish,
    pull,
)
from tests.repo_mcp.remote.publish.objects import (
    ANCIENT,
    Crash,
    DictObjects,
    FaultyObjects,
    Mode,
    TurnedObjects,
    Turns,
)

FIRST = {"a.py": "one two", "b.py": "three"}
SECOND = {"a.py": "one two", "b.py": "four", "c.py": "five"}
OLD = 1000.0
MODES: tuple[Mode, ...] = ("before", "after")


def changed() -> Checkout:
    """A checkout that was published and then changed, so that the second one shares segments."""
    checkout = Checkout(FIRST)
    checkout.change(SECOND)
    return checkout


def test_only_missing_segments_are_uploaded() -> None:
    objects, checkout = DictObjects(), Checkout(FIRST)
    first = publish(objects, checkout)
    assert (first.segments, first.uploaded, first.moved) == (3, 3, True)
    again = publish(objects, checkout)
    assert (again.uploaded, again.moved) == (0, False)
    assert again.publication == first.publication
    checkout.change(SECOND)
    assert publish(objects, checkout).uploaded > 0
    assert list(broken_publications(objects)) == []


def test_equal_trees_are_equal_publications_whatever_came_before() -> None:
    one, other = Checkout(SECOND), Checkout(FIRST)
    other.change({})
    other.change(SECOND)
    objects = DictObjects()
    assert publish(objects, one).publication == publish(objects, other).publication


def test_an_index_that_is_not_complete_is_not_published() -> None:
    objects = DictObjects()
    with pytest.raises(Problem) as caught:
        publish(objects, Checkout())
    assert caught.value.code == "index_missing"
    assert objects.objects == {}


@pytest.mark.parametrize("label", ["", "a/b", "..", "x" * 101, "ä"])
def test_a_label_is_checked_before_anything_is_done(label: str) -> None:
    objects = DictObjects()
    with pytest.raises(Problem, match="label"):
        publish(objects, Checkout(FIRST), label)
    assert objects.objects == {}


@pytest.mark.parametrize("mode", MODES)
def test_a_crash_anywhere_leaves_the_old_or_the_new_publication(mode: Mode) -> None:
    whole = FaultyObjects(_published())
    new = publish(whole, changed(), pin=True).publication
    assert len(whole.operations) > 10
    for at in range(len(whole.operations)):
        objects = _published()
        old = label_of(objects)
        with pytest.raises(Crash):
            publish(FaultyObjects(objects, at, mode), changed(), pin=True)
        assert list(broken_publications(objects)) == []
        assert label_of(objects) in {old, new}
        collect(objects, OLD, budget())
        again = publish(objects, changed(), pin=True)
        assert (again.publication, label_of(objects)) == (new, new)
        assert list(broken_publications(objects)) == []


def test_a_run_goes_on_from_the_segments_that_are_there() -> None:
    whole = FaultyObjects(_published())
    publish(whole, changed())
    uploads = [at for at, line in enumerate(whole.operations) if line.startswith("put v1/segments")]
    objects = _published()
    with pytest.raises(Crash):
        publish(FaultyObjects(objects, uploads[-1]), changed())
    assert publish(objects, changed()).uploaded == 1


def _published() -> DictObjects:
    objects = DictObjects()
    publish(objects, Checkout(FIRST))
    return objects


def test_garbage_is_what_nothing_reaches_and_what_is_old() -> None:
    objects = DictObjects()
    publish(objects, Checkout({"pinned.py": "p"}, commit="a" * 40), "release", pin=True)
    publish(objects, Checkout({"superseded.py": "s"}, commit="b" * 40), "release")
    publish(objects, Checkout({"gone.py": "g"}, commit="c" * 40))
    publish(objects, Checkout({"now.py": "n"}, commit="d" * 40))
    before = {*objects.objects}
    assert collect(objects, OLD, budget()) == []
    assert {*objects.objects} == before
    objects.grow_old()
    removed = collect(objects, OLD, budget())
    kinds = [name.split("/")[1] for name in removed]
    # of the one that lost its label: a commit, a publication, and its segments of three indexes
    assert sorted(kinds) == ["commits", "publications", "segments", "segments", "segments"]
    assert any("c" * 40 in name for name in removed)
    assert list(broken_publications(objects)) == []
    # nothing but what was named stays, and all of that
    assert {*objects.objects} == before - {*removed}


def test_a_crash_of_the_collector_anywhere_leaves_all_that_is_reached_whole() -> None:
    def littered() -> DictObjects:
        objects = DictObjects()
        publish(objects, Checkout(FIRST, commit="a" * 40), "gone")
        publish(objects, Checkout(SECOND, commit="b" * 40))
        del objects.objects["v1/labels/gone.json"]
        objects.grow_old()
        return objects

    whole = FaultyObjects(littered())
    assert collect(whole, OLD, budget())
    for at in range(len(whole.operations)):
        for mode in MODES:
            objects = littered()
            with pytest.raises(Crash):
                collect(FaultyObjects(objects, at, mode), OLD, budget())
            assert list(broken_publications(objects)) == []
            objects.grow_old()  # a dead collector's object too
            collect(objects, OLD, budget())
            assert {*objects.objects} == {*whole.inner.objects}  # type: ignore[attr-defined]


def test_nothing_is_removed_where_a_publication_that_stays_is_damaged() -> None:
    objects = _published()
    (name,) = (name for name in objects.objects if name.startswith("v1/publications/"))
    objects.put(name, [b"{}"])
    objects.grow_old()
    before = {*objects.objects}
    with pytest.raises(Problem) as caught:
        collect(objects, OLD, budget())
    assert caught.value.code == "publication_invalid"
    assert {*objects.objects} == before


def test_a_collector_that_slept_removes_nothing_more() -> None:
    objects = _published()
    publish(objects, Checkout(SECOND))
    objects.grow_old()
    times = iter([0.0, 1.0])
    removed = collect(objects, OLD, budget(), wall_clock=lambda: next(times, 1e6))
    assert len(removed) == 1
    assert list(broken_publications(objects)) == []


def test_segments_that_other_writers_remove_meanwhile_are_uploaded() -> None:
    """The publisher has them open; nothing holds the index's lock while it uploads."""
    checkout = Checkout(FIRST)

    class Emptied(DictObjects):
        def rows(self, folder: str) -> Iterator[ObjectRow]:
            for store in checkout.stores.values():
                for name in store.names():
                    store.remove(name)
            return super().rows(folder)

    objects = Emptied()
    publish(objects, checkout)
    assert list(broken_publications(objects)) == []
    target = Checkout()
    pull(objects, target)
    assert target.contents()["index"]


def test_two_collectors_are_never_at_work() -> None:
    objects = _published()
    objects.create("v1/collector/current.json", b"{}")
    assert collect(objects, OLD, budget()) == []
    assert "v1/collector/current.json" in objects.objects


def test_a_publisher_does_not_wait_for_a_dead_collector() -> None:
    objects = _published()
    objects.objects["v1/collector/current.json"] = b"{}", ANCIENT
    publish(objects, changed())
    assert "v1/collector/current.json" not in objects.objects


@settings(max_examples=25, deadline=None)
@given(choices=st.lists(st.integers(0, 2), min_size=20, max_size=120))
def test_publishers_and_a_collector_at_once_lose_and_mix_nothing(choices: list[int]) -> None:
    """The old publication, which nothing reaches any more, is published again meanwhile."""
    objects = DictObjects()
    publish(objects, Checkout(FIRST))
    publish(objects, Checkout({"x.py": "x"}))
    objects.grow_old()
    first, second = Checkout(FIRST, commit="1" * 40), Checkout(SECOND, commit="2" * 40)
    turns = Turns(choices)
    shared = TurnedObjects(objects, turns)
    done: dict[str, str] = {}

    def publish_one(name: str, checkout: Checkout) -> None:
        done[name] = publish(shared, checkout).publication

    turns.run(
        lambda: publish_one("first", first),
        lambda: publish_one("second", second),
        lambda: collect(shared, OLD, budget(), grace=OLD),
    )
    assert turns.errors == []
    assert list(broken_publications(objects)) == []
    assert label_of(objects) in {*done.values()}
    for checkout in (first, second):
        taken = Checkout(commit=checkout.commit)
        pull(objects, taken)
        assert taken.contents() == checkout.contents()
