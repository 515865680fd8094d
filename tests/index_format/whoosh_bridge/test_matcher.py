"""Postings of a term, and the walk over them, are those of Whoosh's own index."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from whoosh.matching import Matcher, ReadTooFar

from index_format.codec.bits import I64, U32
from index_format.codec.postings import Meta
from index_format.generation.index import Index
from index_format.model import Field, Schema
from index_format.segment.posting_lists import PostingLists
from index_format.store.memory_store import MemoryStore
from index_format.whoosh_bridge.reader import SnapshotReader
from tests.index_format.twins import FIELDS, HISTORIES, large, readers, small, uneven, write

pytestmark = pytest.mark.differential

NAMES = [field.name for field in FIELDS]

each_history = pytest.mark.parametrize("history", HISTORIES)


def postings(matcher: Matcher, kinds: list[str]) -> Iterator[tuple[object, ...]]:
    while matcher.is_active():
        values = [matcher.value_as(kind) for kind in kinds]
        spans = [(span.start, span.end) for span in matcher.spans()] if len(kinds) > 2 else []
        yield (matcher.id(), matcher.weight(), matcher.value(), values, spans)
        matcher.next()


@each_history
@pytest.mark.parametrize("name", NAMES)
def test_every_posting_is_that_of_whoosh(history: str, name: str) -> None:
    ours, theirs = readers(history)
    kinds = ["frequency", "weight"]
    if name != "tags":
        kinds += ["positions", "position_boosts"]
    for text in theirs.lexicon(name):
        sides = [side.postings(name, text) for side in (ours, theirs)]
        assert [*postings(sides[0], kinds)] == [*postings(sides[1], kinds)]


@pytest.mark.parametrize("history", ["fresh", "edited", "canonical_then_edited"])
def test_postings_of_many_blocks_are_those_of_whoosh(history: str) -> None:
    ours, theirs = large(history).ours.reader(), large(history).theirs.reader()
    for text in large(history).words[:12]:
        sides = [side.postings("body", text) for side in (ours, theirs)]
        assert [*postings(sides[0], ["positions"])] == [*postings(sides[1], ["positions"])]


@each_history
def test_items_and_numbers_of_postings_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    text = small(history).words[0]
    sides = (ours, theirs)
    got, expected = ([*side.postings("body", text).items_as("positions")] for side in sides)
    assert got == expected
    got, expected = ([*side.postings("body", text).all_items()] for side in sides)
    assert got == expected
    got, expected = ([*side.postings("body", text).all_ids()] for side in sides)
    assert got == expected
    assert list(ours.iter_postings()) == list(theirs.iter_postings())


@pytest.mark.parametrize("history", ["fresh", "edited", "canonical_then_edited"])
@pytest.mark.parametrize("seed", range(4))
def test_matcher_walks_as_that_of_whoosh(history: str, seed: int) -> None:
    twins = uneven(history)
    random = Random(seed)
    for text in random.sample(twins.words[:20], 6):
        sides = (twins.ours.postings("body", text), twins.theirs.postings("body", text))
        while sides[0].is_active():
            _step(random, *sides)
        assert not sides[1].is_active()
        assert sides[0].block_quality() == sides[1].block_quality()


def _step(random: Random, ours: Matcher, theirs: Matcher) -> None:
    """Move both the same way and compare where they get."""
    assert _place(ours) == _place(theirs)
    move = random.random()
    if move < 0.7:
        assert ours.next() == theirs.next()
    elif move < 0.95:
        target = ours.id() + int(random.expovariate(1 / 60))
        assert ours.skip_to(target) == theirs.skip_to(target)
    else:
        some = ours.max_quality() * random.uniform(0.3, 0.8)
        quality = random.choice((some, ours.block_quality()))
        assert ours.skip_to_quality(quality) == theirs.skip_to_quality(quality)


def _place(matcher: Matcher) -> tuple[object, ...]:
    return (
        matcher.is_active(),
        matcher.id(),
        matcher.weight(),
        matcher.score(),
        matcher.max_quality(),
        matcher.block_quality(),
        matcher.block_min_id(),
        matcher.block_max_id(),
        matcher.block_min_length(),
        matcher.block_max_length(),
        matcher.block_max_weight(),
        matcher.supports_block_quality(),
        matcher.supports("positions"),
        matcher.supports("characters"),
        matcher.term(),
        [leaf.term() for leaf in matcher.term_matchers()],
    )


def test_copied_matcher_goes_its_own_way() -> None:
    matcher = uneven("fresh").ours.postings("body", uneven("fresh").words[0])
    matcher.skip_to(700)
    twin = matcher.copy()
    rest = list(matcher.all_ids())
    twin.next()
    assert matcher.id() == rest[0]
    assert list(twin.all_ids()) == rest[1:]
    twin.reset()
    assert list(twin.all_ids())[-len(rest) :] == rest


def test_matcher_beyond_its_end_says_so() -> None:
    matcher = small("fresh").ours.postings("body", small("fresh").words[0])
    matcher.skip_to(10**6)
    assert not matcher.is_active()
    assert list(matcher.all_ids()) == []
    with pytest.raises(ReadTooFar):
        matcher.next()
    with pytest.raises(ReadTooFar):
        matcher.skip_to(1)


def test_postings_outlive_their_reader_and_snapshot() -> None:
    index = Index(MemoryStore(), Schema((Field("body"),)))
    write(index, {f"{at:03}": [{"body": ["b", "a"]}] for at in range(300)})
    write(index, {"000": [{"body": ["a", "c"]}]})
    matchers = [SnapshotReader(index.snapshot()).postings("body", text) for text in "ac"]
    positions = [[*matcher.items_as("positions")] for matcher in matchers]
    assert positions == [[(0, [0]), *((at, [1]) for at in range(1, 300))], [(0, [1])]]


def test_leap_decodes_only_the_block_it_lands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    whole = PostingLists.decode_blocks

    def counted(lists: PostingLists, meta: Meta, chosen: I64) -> tuple[U32, U32]:
        decoded.extend(chosen.tolist())
        return whole(lists, meta, chosen)

    twins = uneven("fresh")
    monkeypatch.setattr(PostingLists, "decode_blocks", counted)
    matcher = SnapshotReader(twins.snapshot).postings("body", twins.words[0])
    assert matcher.id() < 128
    matcher.skip_to(2000)
    matcher.next()
    assert len(decoded) == 2


def test_frequencies_beyond_what_block_metadata_holds_are_exact() -> None:
    index = Index(MemoryStore(), Schema((Field("body"),)))
    often = {3: 65_534, 150: 65_535, 300: 70_000}
    write(index, {f"{at:03}": [{"body": ["a"] * often.get(at, 1)}] for at in range(390)})
    matcher = SnapshotReader(index.snapshot()).postings("body", "a")
    most = []
    while matcher.is_active():
        most.append(matcher.block_max_weight())
        matcher.skip_to(matcher.block_max_id() + 1)
    assert most == [65_534, 65_535, 70_000, 1]
