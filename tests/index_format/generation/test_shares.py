"""A large index is divided into shares, which can be merged one by one: the bytes are the same."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
import xxhash
from hypothesis import given, strategies as st

from index_format import SegmentEntry, Vocabulary, build_segment, layout
from index_format.errors import InvalidInputError
from index_format.generation.compaction import plan_full
from index_format.generation.cuts import find_cuts, find_shares
from index_format.generation.index import Index
from index_format.generation.writer import IndexWriter
from index_format.model import Limits
from index_format.store.memory_store import MemoryStore
from tests.index_format.generation.canonical_build import content, current_segments
from tests.index_format.samples import SCHEMA, answers, document, index_in

FILES = content()
SIZES = {path: 100 + 17 * number % 90 for number, path in enumerate(FILES)}


def shares_of(writer: IndexWriter) -> list[bytes]:
    """Where shares of all files begin."""
    paths = sorted(SIZES)
    return writer.shares([path.encode() for path in paths], [SIZES[path] for path in paths])


# one segment for each share
WHOLE = Limits(1_000, 2_000, 3, min_shared=1_000)
# segments end within shares, too
CUT = Limits(2, 9, 2, min_shared=1_000)
PATHS = st.sets(st.binary(min_size=1, max_size=3), min_size=1, max_size=120).map(sorted)


def around(sizes: list[int], share: int, before: int) -> list[int]:
    """The ends that a share may have which begins at `before`."""
    total, slack = sum(sizes), layout.SEGMENT_SHARE_SLACK
    low, high = total * (share - slack) // 1000, total * (share + slack) // 1000
    least = next(at for at in range(1, len(sizes) + 1) if sum(sizes[:at]) >= low)
    first = max(least, before + 1)
    return [
        at for at in range(1, len(sizes)) if at == first or (at > first and sum(sizes[:at]) <= high)
    ]


@given(PATHS, st.data())
def test_a_share_ends_at_the_least_hash_around_its_place(
    paths: list[bytes], data: st.DataObject
) -> None:
    one = st.integers(0, 50)
    sizes = data.draw(st.lists(one, min_size=len(paths), max_size=len(paths)))
    wanted: list[int] = []
    for share in layout.SEGMENT_SHARES:
        found = around(sizes, share, (wanted or [0])[-1])
        if found:
            wanted.append(min(found, key=lambda at: (xxhash.xxh3_64_intdigest(paths[at]), at)))
    assert find_shares(paths, sizes, Limits(min_shared=0)) == wanted


def test_little_text_is_not_divided() -> None:
    paths = sorted(path.encode() for path in FILES)
    assert find_shares(paths, [1] * len(paths)) == []
    assert find_shares([], [], Limits(min_shared=0)) == []
    assert find_cuts(paths, sizes=[1] * len(paths)) == [len(paths)]


def test_a_longer_file_seldom_moves_a_share() -> None:
    paths = sorted(f"f{number:05}".encode() for number in range(4_000))
    chance = random.Random(5)
    sizes = [chance.randrange(1_000, 20_000) for _ in paths]
    limits = Limits(min_shared=0)
    before = find_shares(paths, sizes, limits)
    moved = 0
    for _ in range(300):
        sizes[chance.randrange(len(sizes))] += chance.randrange(2_000)
        after = find_shares(paths, sizes, limits)
        moved += len(set(after) - set(before))
        before = after
    assert len(before) == len(layout.SEGMENT_SHARES)
    assert moved < 10


def add(writer: IndexWriter, paths: list[str]) -> None:
    for path in paths:
        size = SIZES[path]
        writer.add(document(path, FILES[path], writer.vocabulary, size=size))
    writer.commit()


def built(store: MemoryStore, paths: list[str]) -> SegmentEntry:
    """A segment of these files that no manifest lists yet."""
    words = Vocabulary()
    documents = [document(path, FILES[path], words, size=SIZES[path]) for path in paths]
    return build_segment(store, SCHEMA, documents, words)


def compacted(limits: Limits) -> dict[str, bytes]:
    """The segments of an index that was merged as a whole."""
    store = MemoryStore()
    index = index_in(store, limits)
    with index.writer() as writer:
        add(writer, list(FILES))
    index.compact(full=True)
    return current_segments(store)


def settled(limits: Limits, seed: int) -> tuple[MemoryStore, Index]:
    """An index that was built in commits, each share merged as soon as its files were there."""
    store = MemoryStore()
    index = index_in(store, limits)
    chance = random.Random(seed)
    paths = sorted(FILES)
    with index.writer() as writer:
        ends = shares_of(writer)
        begin = b""
        left = chance.sample(paths, len(paths))
        for end in [*ends, None]:
            share = [path for path in left if end is None or path.encode() < end]
            others = [path for path in left if path not in share]
            early = others[: len(others) // 3]
            for part in (share[::2], early, share[1::2]):
                if part:
                    add(writer, part)
            steps = list(writer.settle(begin, end))
            assert steps
            assert [one.generation + 1 for one, _ in pairwise(steps)] == [
                one.generation for one in steps[1:]
            ]
            writer.free_replaced()
            left, begin = [path for path in others if path not in early], end or b""
    return store, index


@pytest.mark.parametrize("limits", [WHOLE, CUT], ids=["whole", "cut"])
@pytest.mark.parametrize("seed", range(3))
def test_shares_merged_on_the_way_are_those_of_a_full_compaction(limits: Limits, seed: int) -> None:
    fresh = compacted(limits)
    store, index = settled(limits, seed)
    assert len(fresh) >= len(layout.SEGMENT_SHARES) + 1
    assert current_segments(store) == fresh
    assert plan_full(index.snapshot(), limits) == []
    # nothing of what was replaced is left
    assert len(store.names()) == len(fresh) + 2


def test_readers_keep_what_is_freed() -> None:
    store = MemoryStore()
    index = index_in(store, WHOLE)
    with index.writer() as writer:
        add(writer, sorted(FILES)[::2])
        add(writer, sorted(FILES)[1::2])
        before = index.snapshot()
        truth = answers(before)[1:]
        list(writer.settle(b"", None))
        writer.free_replaced()
        assert answers(before)[1:] == truth
        assert list(index.snapshot().paths()) == sorted(FILES, key=str.encode)
        replaced = {entry.name for entry in before.manifest.segments}
        assert replaced.isdisjoint(store.names())


def test_a_segment_that_is_built_again_is_not_freed_before_it_is_adopted() -> None:
    store = MemoryStore()
    index = index_in(store, WHOLE)
    paths = sorted(FILES)
    with index.writer() as writer:
        add(writer, paths[1::2])
        writer.adopt(built(store, paths[::2]))
        writer.commit()
    with index.writer() as writer:
        # another process builds what a segment has already, while this one merges segments
        again = built(store, paths[::2])
        list(writer.settle(b"", None))
        writer.free_replaced()
        writer.adopt(again)
        writer.commit()
    assert list(index.snapshot().paths()) == paths


def test_edits_of_merged_files_are_kept() -> None:
    store = MemoryStore()
    index = index_in(store, WHOLE)
    paths = sorted(FILES)
    with index.writer() as writer:
        add(writer, paths)
        (middle, *_) = shares_of(writer)
        list(writer.settle(b"", middle))
        writer.remove(paths[0])
        writer.commit()
        list(writer.settle(middle, None))
        writer.free_replaced()
    assert list(index.snapshot().paths()) == paths[1:]
    index.compact(full=True)
    assert list(index.snapshot().paths()) == paths[1:]


def test_only_what_is_committed_is_merged() -> None:
    index = index_in(MemoryStore(), WHOLE)
    with index.writer() as writer:
        with pytest.raises(InvalidInputError, match="committed"):
            list(writer.settle(b"", None))
        add(writer, sorted(FILES)[:3])
        writer.remove(min(FILES))
        with pytest.raises(InvalidInputError, match="committed"):
            list(writer.settle(b"", None))
