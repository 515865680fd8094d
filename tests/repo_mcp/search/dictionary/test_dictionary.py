"""A segment's dictionary gives at least the chunks with a needle, with and without caches."""

from __future__ import annotations

import gc
import random
import re
import weakref
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from index_format import Edge, FileStore
from index_format.generation.snapshot import LiveSegment
from index_format.segment.reader import open_segment
from repo_mcp.search.dictionary import words as segment_words
from repo_mcp.search.dictionary.needles import (
    Needle,
    Separator,
    Unit,
    build_branch,
    is_word_character,
)
from repo_mcp.search.dictionary.words import Dictionaries, SegmentWords
from repo_mcp.stored import INDEX_FOLDER
from repo_mcp.text.files import decode, lines
from repo_mcp.text.words import LONG_WORD, terms
from tests.repo_mcp.search.dictionary.needle_oracle import holds
from tests.repo_mcp.search.exact.exact_trees import LONG, WORDS, Engine, hard_tree, made

FAR = 10**6
LONG_WORDS = re.compile(r"\w{65,}")
CACHE_AFTER = {"prepared": -FAR, "unprepared": FAR}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return made(tmp_path_factory.mktemp("tree"), hard_tree(seed=1, for_ripgrep=False))


@pytest.fixture(scope="module")
def held_in(tree: Engine) -> dict[str, set[tuple[int, int]]]:
    """The chunks (segment and number) with each term and each long word."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, segment in enumerate(tree.snapshot.segments):
        for chunk in range(segment.entry.chunks):
            record = tree.snapshot.chunk(chunk + segment.base)
            text = decode(tree.sandbox.read(record.path).data)
            assert text is not None
            rows = lines(text.content)[record.start_line - 1 : record.end_line]
            for row in rows:
                for term in {*terms(row)} - {LONG_WORD}:
                    found[term].add((number, chunk))
                for word in LONG_WORDS.findall(row):
                    found[word.lower()].add((number, chunk))
    return found


def wanted(held_in: dict[str, set[tuple[int, int]]], needle: Needle) -> set[tuple[int, int]]:
    """The chunks that contain a needle."""
    return set().union(*(held_in[term] for term in held_in if holds([term], needle)))


def read(tree: Engine, path: str) -> bytes | None:
    return tree.sandbox.read(path).data


def words(tree: Engine, cache_after: int) -> Iterator[tuple[int, LiveSegment, SegmentWords]]:
    known = Dictionaries(lambda path: read(tree, path), cache_after)
    for number, segment in enumerate(tree.snapshot.segments):
        yield number, segment, known.segment_words(segment.reader, 0)


@pytest.mark.parametrize("cache_after", CACHE_AFTER.values(), ids=CACHE_AFTER)
def test_a_segment_is_closed_once_no_snapshot_holds_it(tmp_path: Path, cache_after: int) -> None:
    tree = made(tmp_path, {"a.txt": b"foo\n"})
    known = Dictionaries(lambda path: read(tree, path), cache_after)
    store = FileStore(tmp_path / "data" / INDEX_FOLDER)
    entry = tree.snapshot.manifest.segments[0]
    reader = open_segment(store.open(entry.name), entry, tree.snapshot.schema)
    held = known.segment_words(reader, 0)
    held.begin()
    assert known.segment_words(reader, 0) is held
    assert held.chunks(Needle("foo"), FAR) is not None
    closed = weakref.ref(reader)
    del reader
    gc.collect()
    assert closed() is None


def units(text: str) -> list[Unit]:
    return [character if is_word_character(character) else Separator.CLOSED for character in text]


def some_needles(chance: random.Random) -> Iterator[Needle]:
    for _ in range(100):
        word = chance.choice(WORDS)
        begin = chance.randrange(len(word))
        end = chance.randrange(begin, len(word)) + 1
        text: list[Unit] = [*units(word[begin:end])]
        for side in (0, len(text) + 1):
            kind = chance.choice([None, None, Separator.CLOSED, Separator.SOFT, Separator.BOUNDARY])
            if kind is not None:
                text.insert(side, kind)
        yield from build_branch(text, folded=chance.random() < 0.4)


@pytest.mark.parametrize("cache_after", CACHE_AFTER.values(), ids=CACHE_AFTER)
def test_no_chunk_that_holds_a_needle_is_left_out(
    tree: Engine, held_in: dict[str, set[tuple[int, int]]], cache_after: int
) -> None:
    needles = dict.fromkeys(some_needles(random.Random(7)))
    spared = 0
    for number, segment, held in words(tree, cache_after):
        for needle in needles:
            found = held.chunks(needle, FAR)
            if found is None:
                continue
            here = {chunk for owner, chunk in wanted(held_in, needle) if owner == number}
            assert here <= set(found.tolist()), needle
            spared += segment.entry.chunks - len(found)
    assert spared > 0


@pytest.mark.parametrize("cache_after", CACHE_AFTER.values(), ids=CACHE_AFTER)
def test_no_chunk_is_given_that_lacks_a_needle_of_ascii(
    tree: Engine, held_in: dict[str, set[tuple[int, int]]], cache_after: int
) -> None:
    asked = 0
    for number, _, held in words(tree, cache_after):
        for text in ("kmalloc", "pages", "server", "utf8"):
            for left in Edge:
                needle = Needle(text, left, Edge.CLOSED, whole=False, long=False)
                found = held.chunks(needle, FAR)
                asked += found is not None
                given = [] if found is None else found.tolist()
                assert {(number, chunk) for chunk in given} <= wanted(held_in, needle)
    assert asked


def test_lookups_that_cost_more_than_reading_are_not_made(tree: Engine) -> None:
    for cache_after in CACHE_AFTER.values():
        for _, _, held in words(tree, cache_after):
            assert held.chunks(Needle("o", whole=False), 2) is None


def test_filled_caches_make_lookups_cheap(tree: Engine) -> None:
    within = Needle("alloc", whole=False)
    for (*_, cold), (*_, warm) in zip(words(tree, FAR), words(tree, -FAR), strict=True):
        before = warm.cost(within)
        warm.chunks(within, FAR)
        assert warm.cost(within) < before
        cold.chunks(within, FAR)
        assert cold.cost(within) == before


def test_long_words_are_distinguished_once_they_were_read(tree: Engine) -> None:
    """The files of long words are no candidates if none of the words contains the needle."""
    needle = Needle("zebra")
    for (_, _, cold), (_, _, warm) in zip(words(tree, FAR), words(tree, -FAR), strict=True):
        suspected, told = cold.chunks(needle, FAR), warm.chunks(needle, FAR)
        assert suspected is not None
        assert told is not None
        assert len(told) == 0 < len(suspected)
        inside = warm.chunks(Needle(LONG[10:40].lower()), FAR)
        assert inside is not None
        assert len(inside) > 0


@pytest.mark.parametrize("change", ["another content", "gone", "too much"])
def test_files_with_unknown_long_words_may_match_every_needle(
    tree: Engine, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "too much":
        monkeypatch.setattr(segment_words, "_MOST_LONG_BYTES", 0)
    given = {"another content": b"nothing", "gone": None}

    def changed(path: str) -> bytes | None:
        return given[change] if change in given else read(tree, path)

    known = Dictionaries(changed, -FAR)
    for segment in tree.snapshot.segments:
        held = known.segment_words(segment.reader, 0)
        everything, any_long = (held.chunks(Needle(text), FAR) for text in ("zebra", ""))
        assert everything is not None
        assert any_long is not None
        assert everything.tolist() == any_long.tolist()
        assert len(everything) > 0
