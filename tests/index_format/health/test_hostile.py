"""Files with right checksums and wrong content: an error of this library or an answer, no more."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from index_format.errors import CorruptIndexError, IndexFormatError
from index_format.generation.snapshot import Snapshot
from index_format.health.check import Finding, Severity, check
from index_format.health.dump import dump
from index_format.health.repair import repair
from index_format.query.scoring import top_chunks
from index_format.query.term_scores import WeightedTerm
from index_format.store.memory_store import MemoryStore
from tests.index_format.generation.limits import bounded
from tests.index_format.health.hostile_cases import ATTACHMENT_CASES, CASES, Case
from tests.index_format.reseal import (
    Section,
    Sections,
    changed_sections,
    segment_of,
    with_segment,
)
from tests.index_format.samples import (
    SCHEMA,
    answers,
    dense,
    files_of,
    index_in,
    sections_of,
    segment_names,
    tiny,
    wordy,
)
from tests.waiting import HANG

pytestmark = pytest.mark.differential

BASES = {"dense": dense(), "tiny": tiny(), "wordy": wordy()}
BATCHES = 24
PER_BATCH = 25
EXTRA_BYTES = 512 * 1024 * 1024
NUMBERS = [0, 1, 127, 128, 255, (1 << 31) - 1, 1 << 32, 1 << 40, 1 << 60, 1 << 63, (1 << 64) - 1]
# what these hold is the caller's: other values are other files and words, not damage
OPAQUE = {b"PATH", b"FPRT", b"CHNK", b"ATTD", b"TERM"}


def errors(store: MemoryStore) -> list[Finding]:
    return [found for found in check(store) if found.severity is Severity.ERROR]


def tried(step: Callable[[], object]) -> Exception | None:
    """The error that a step ends with, if it is one this library raises on purpose."""
    try:
        step()
    except IndexFormatError as error:
        return error
    return None


def searched(snapshot: Snapshot) -> Iterator[object]:
    for field in SCHEMA.fields:
        for term in snapshot.terms(SCHEMA.fields.index(field)):
            words = [WeightedTerm(field.name, term), WeightedTerm("body", b"every")]
            yield top_chunks(snapshot, words, 3)
            yield top_chunks(snapshot, words, 3, require_all=True)


def exercised(store: MemoryStore) -> list[Exception | None]:
    """Do all there is to do with an index; gives the errors of opening, asking and merging."""
    merging = index_in(MemoryStore(files_of(store)))
    with bounded(HANG, EXTRA_BYTES):
        asked = tried(lambda: answers(index_in(store).snapshot()))
        ranked = tried(lambda: list(searched(index_in(store).snapshot())))
        merged = tried(lambda: merging.compact(full=True))
        for name in store.names():
            assert list(dump(store, name))
        tried(lambda: repair(MemoryStore(files_of(store))))
    return [asked, ranked, merged]


@pytest.mark.parametrize("name", BASES)
def test_the_bases_themselves_are_sound(name: str) -> None:
    assert list(check(BASES[name])) == []
    assert exercised(BASES[name]) == [None, None, None]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_section_is_contained_and_blamed(case: Case) -> None:
    store = changed_sections(BASES["dense"], 0, case.apply)
    exercised(store)
    assert case.reported in {found.section for found in errors(store)}


@pytest.mark.parametrize("case", ATTACHMENT_CASES, ids=lambda case: case.name)
def test_hostile_attachments_are_contained_and_blamed(case: Case) -> None:
    store = changed_sections(BASES["tiny"], 0, case.apply)
    assert isinstance(exercised(store)[0], CorruptIndexError)
    assert case.reported in {found.section for found in errors(store)}


def test_a_repair_drops_the_hostile_segment_and_names_its_files() -> None:
    case = next(case for case in CASES if case.name == "rows-of-ones")
    store = changed_sections(BASES["dense"], 0, case.apply)
    hostile = segment_names(store)[0]
    done = repair(store)
    assert (done.dropped, done.again, done.complete) == ((hostile,), ("a.py",), True)
    assert errors(store) == []


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_changes_are_contained_and_found(batch: int) -> None:
    chance = random.Random(batch)
    for _ in range(PER_BATCH):
        base = BASES[chance.choices(list(BASES), [6, 3, 1])[0]]
        number = chance.randrange(len(segment_names(base)))
        name = segment_names(base)[number]
        before = sections_of(files_of(base)[name], name)
        after = mutated(before, chance)
        store = with_segment(base, number, segment_of(after))
        exercised(store)
        changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        assert errors(store) or all(is_opaque(*pair) for pair in changed)


def is_opaque(before: Section, after: Section) -> bool:
    """True if both are equally good to this library."""
    if before[0] == b"META":  # the names of attachments
        return before[2].partition(b"name")[:2] == after[2].partition(b"name")[:2]
    return before[0] in OPAQUE


def mutated(sections: Sections, chance: random.Random) -> Sections:
    after = list(sections)
    for _ in range(chance.choice([1, 1, 2])):
        at = chance.randrange(len(after))
        tag, field, data = after[at]
        after[at] = tag, field, chance.choice(MUTATIONS)(bytearray(data), chance)
    return after


def insert(data: bytearray, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.randbytes(chance.randrange(1, 9))
    return bytes(data)


def delete(data: bytearray, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    del data[at : at + chance.randrange(1, 9)]
    return bytes(data)


def truncate(data: bytearray, chance: random.Random) -> bytes:
    return bytes(data[: chance.randrange(len(data) + 1)])


def flip(data: bytearray, chance: random.Random) -> bytes:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def noise(data: bytearray, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    size = min(chance.randrange(1, 20), len(data) - at)
    data[at : at + size] = chance.randbytes(size)
    return bytes(data)


def number(data: bytearray, chance: random.Random) -> bytes:
    """An integer of 4 or 8 bytes where one may stand."""
    size = chance.choice([4, 8])
    at = chance.randrange(len(data) // size + 1) * size
    size = min(size, len(data) - at)
    data[at : at + size] = chance.choice(NUMBERS).to_bytes(8, "little")[:size]
    return bytes(data)


MUTATIONS = [insert, delete, truncate, flip, flip, noise, number, number]
