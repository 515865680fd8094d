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

from index_format import Edge, FileStore, TermSearch
from index_format.analysis.content import lines
from index_format.analysis.words import LONG_WORD, MAX_WORD, terms
from index_format.generation.snapshot import LiveSegment
from index_format.segment.reader import open_segment
from repo_mcp.search.dictionary.needles import (
    Needle,
    Separator,
    Unit,
    build_branch,
    is_word_character,
)
from repo_mcp.search.dictionary.words import Dictionaries, SegmentWords
from repo_mcp.stored import INDEX_FOLDER
from repo_mcp.text.files import decode
from tests.repo_mcp.search.dictionary.needle_oracle import holds
from tests.repo_mcp.search.exact.exact_trees import WORDS, Engine, hard_tree, made

pytestmark = pytest.mark.differential

FAR = 10**6
LONG_WORDS = re.compile(rf"\w{{{MAX_WORD + 1},}}")
# `once`: for one search alone
WAYS = ("compiled", "plain", "once")


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


def words(tree: Engine, *, way: str) -> Iterator[tuple[int, LiveSegment, SegmentWords]]:
    known = Dictionaries(once=way == "once")
    for number, segment in enumerate(tree.snapshot.segments):
        with pytest.MonkeyPatch.context() as patch:
            if way == "plain":
                patch.setattr(TermSearch, "can_split", False)
                patch.setattr(TermSearch, "split", lambda *_: None)
            yield number, segment, known.segment_words(segment.reader, 0)


def test_a_segment_is_closed_once_no_snapshot_holds_it(tmp_path: Path) -> None:
    tree = made(tmp_path, {"a.txt": b"foo\n"})
    known = Dictionaries()
    store = FileStore(tmp_path / "data" / INDEX_FOLDER)
    entry = tree.snapshot.manifest.segments[0]
    reader = open_segment(store.open(entry.name), entry, tree.snapshot.schema)
    held = known.segment_words(reader, 0)
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


@pytest.mark.parametrize("way", WAYS)
def test_no_chunk_that_holds_a_needle_is_left_out(
    *, tree: Engine, held_in: dict[str, set[tuple[int, int]]], way: str
) -> None:
    needles = dict.fromkeys(some_needles(random.Random(7)))
    spared = 0
    for number, segment, held in words(tree, way=way):
        for needle in needles:
            found = held.chunks(needle, FAR)
            if found is None:
                continue
            here = {chunk for owner, chunk in wanted(held_in, needle) if owner == number}
            assert here <= set(found.tolist()), needle
            spared += segment.entry.chunks - len(found)
    assert spared > 0


@pytest.mark.parametrize("way", WAYS)
def test_no_chunk_is_given_that_lacks_a_needle_of_ascii(
    *, tree: Engine, held_in: dict[str, set[tuple[int, int]]], way: str
) -> None:
    asked = 0
    for number, _, held in words(tree, way=way):
        for text in ("kmalloc", "pages", "server", "utf8"):
            for left in Edge:
                needle = Needle(text, left, Edge.CLOSED, whole=False, long=False)
                found = held.chunks(needle, FAR)
                asked += found is not None
                given = [] if found is None else found.tolist()
                assert {(number, chunk) for chunk in given} <= wanted(held_in, needle)
    assert asked


def test_lookups_that_cost_more_than_reading_are_not_made(tree: Engine) -> None:
    for way in WAYS:
        for _, _, held in words(tree, way=way):
            assert held.chunks(Needle("o", whole=False), 2) is None


def test_lookups_give_and_cost_the_same_whatever_was_asked_before(tree: Engine) -> None:
    needles = [*dict.fromkeys(some_needles(random.Random(3)))]
    for (*_, one), (*_, other) in zip(
        words(tree, way="compiled"), words(tree, way="compiled"), strict=True
    ):
        asked = {needle: (one.cost(needle), given(one, needle)) for needle in needles}
        again = {needle: (other.cost(needle), given(other, needle)) for needle in needles[::-1]}
        assert asked == again


def given(held: SegmentWords, needle: Needle) -> list[int] | None:
    found = held.chunks(needle, FAR)
    return None if found is None else found.tolist()
