"""One flipped bit, anywhere in an index: always noticed, and never a different answer."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from index_format import layout
from index_format.errors import IndexFormatError
from index_format.health.check import Severity, check
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import answers, broad, files_of, index_in, segment_names, tiny

pytestmark = pytest.mark.differential

TINY = files_of(tiny())
BROAD = files_of(broad())
OLDER = layout.manifest_name(1)  # not current any more: damage there is a warning, and not read
PARTS = 4
SAMPLED = 1_500


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def noticed(files: dict[str, bytes], name: str, bit: int) -> Severity | None:
    """The severity of the first finding."""
    found = next(check(MemoryStore(files | {name: flipped(files[name], bit)})), None)
    return None if found is None else found.severity


def answer_of(files: dict[str, bytes]) -> list[object] | None:
    """All answers, None where the library says that it can't give them."""
    try:
        return answers(index_in(MemoryStore(files)).snapshot())
    except IndexFormatError:
        return None


def bits(part: int) -> Iterator[tuple[str, int]]:
    """One of several equal parts of all bits of the tiny index."""
    for name, data in sorted(TINY.items()):
        yield from ((name, bit) for bit in range(part, 8 * len(data), PARTS))


def test_the_tiny_index_is_sound_and_its_bits_are_all_tried() -> None:
    tried = [place for part in range(PARTS) for place in bits(part)]
    assert len(set(tried)) == len(tried) == 8 * sum(map(len, TINY.values()))
    assert list(check(MemoryStore(TINY))) == []
    assert answer_of(TINY)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_flipped_bit_is_noticed(part: int) -> None:
    expected = dict.fromkeys(TINY, Severity.ERROR) | {OLDER: Severity.WARNING}
    silent = [(name, bit) for name, bit in bits(part) if noticed(TINY, name, bit) != expected[name]]
    assert silent == []


@pytest.mark.parametrize("part", range(PARTS))
def test_no_flipped_bit_changes_an_answer(part: int) -> None:
    truth = answer_of(TINY)
    places = [(name, bit) for name, bit in bits(part) if name != OLDER or bit % 64 == part]
    flips = ((name, bit, TINY | {name: flipped(TINY[name], bit)}) for name, bit in places)
    wrong = [(name, bit) for name, bit, files in flips if answer_of(files) not in (None, truth)]
    assert wrong == []


def test_flips_in_larger_segments_are_noticed_page_by_page() -> None:
    chance = random.Random(7)
    name = segment_names(MemoryStore(BROAD))[0]
    places = chance.sample(range(8 * len(BROAD[name])), SAMPLED)
    assert [bit for bit in places if noticed(BROAD, name, bit) != Severity.ERROR] == []


def test_flips_in_larger_segments_change_no_answer() -> None:
    chance = random.Random(8)
    name = segment_names(MemoryStore(BROAD))[0]
    truth = answer_of(BROAD)
    for bit in chance.sample(range(8 * len(BROAD[name])), 20):
        assert answer_of(BROAD | {name: flipped(BROAD[name], bit)}) in (None, truth)
