"""Facts are encoded and decoded without loss; other bytes are refused."""

from __future__ import annotations

import contextlib
import random
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import MODULE, Declaration, Facts, Import, Use, wire
from code_graph.facts.model import normalize_name
from code_graph.facts.records import MAX_DOC
from code_graph.facts.wire import (
    VERSION,
    DamagedFactsError,
    DeclarationPlaces,
    as_stored,
    decode,
    decode_declarations,
    decode_imports,
    decode_uses,
    encode,
)
from code_graph.languages.python.adapter import adapter
from code_graph.parts import pack_part, unpack_part
from index_format.native import (
    pack_column,
    pack_signed,
    pack_steps,
    unpack_column,
    unpack_signed,
    unpack_steps,
)
from tests.code_graph.facts.samples import any_facts
from tests.code_graph.languages.python.python_golden import source

ROOT = Path(__file__).parents[3]
HEAD = 17


def sample() -> Facts:
    return adapter().facts("x.py", source())


@given(any_facts())
def test_decoding_restores_the_encoded_facts(facts: Facts) -> None:
    assert decode(encode(facts)) == as_stored(facts)


@given(any_facts())
def test_equal_facts_give_equal_bytes(facts: Facts) -> None:
    modifiers = [frozenset(sorted(one.modifiers, reverse=True)) for one in facts.declarations]
    again = tuple(map(_with_modifiers, facts.declarations, modifiers))
    assert encode(replace(facts, declarations=again)) == encode(facts)
    assert encode(as_stored(facts)) == encode(facts)


def _with_modifiers(item: Declaration, modifiers: frozenset[str]) -> Declaration:
    return replace(item, modifiers=modifiers)


@given(any_facts())
def test_each_part_can_be_decoded_alone(facts: Facts) -> None:
    data = encode(facts)
    assert decode_declarations(data) == replace(as_stored(facts), uses=(), imports=())
    assert decode_imports(data) == facts.imports
    assert decode_uses(data) == as_stored(facts).uses


def test_declarations_are_decoded_without_the_uses() -> None:
    data = bytearray(encode(sample()))
    data[-9:] = bytes(9)
    assert decode_declarations(bytes(data)).declarations == as_stored(sample()).declarations
    with pytest.raises(DamagedFactsError):
        decode_uses(bytes(data))


def test_only_the_first_line_of_documentation_is_stored() -> None:
    item = Declaration("class", "A", 1, 1, 1, 0, doc="First.\n\nSecond.")
    long = replace(item, doc="x" * (MAX_DOC + 1))
    found = decode(encode(Facts("python", declarations=(item, long))))
    assert [one.doc for one in found.declarations] == ["First.", "x" * (MAX_DOC - 1) + "…"]


def test_facts_of_real_files_take_far_fewer_bytes() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("index_format/*.py"))]
    facts = [adapter().facts("x.py", text) for text in texts]
    data = [encode(found) for found in facts]
    assert [decode(item) for item in data] == [as_stored(found) for found in facts]
    assert 0 < sum(map(len, data)) < 0.75 * sum(map(len, texts))


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\0" * HEAD,
        bytes([VERSION + 1]) + encode(Facts("python"))[1:],
        encode(Facts("python"))[:-1],
        encode(Facts("python")) + b"\0",
        encode(Facts("python"))[:HEAD],
    ],
    ids=["empty", "zeros", "version", "short", "long", "head alone"],
)
def test_other_bytes_are_refused(damaged: bytes) -> None:
    with pytest.raises(DamagedFactsError):
        decode(damaged)


def test_every_truncation_is_detected() -> None:
    data = encode(sample())
    for end in range(len(data)):
        with pytest.raises(DamagedFactsError):
            decode(data[:end])


def test_every_changed_byte_is_detected() -> None:
    data = encode(sample())
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        try:
            found = decode(bytes(changed))
        except DamagedFactsError:
            continue
        # the last byte of what is deflated has bits that mean nothing
        assert found == as_stored(sample()), at


def resealed(facts: Facts, part: int, change: tuple[int, object]) -> bytes:
    """Encoded facts with one item of a part replaced, and correct checksums and lengths."""
    data = encode(facts)
    parts = [wire._part(data, number) for number in range(4)]
    record = unpack_part(parts[part])
    record[change[0] % len(record)] = change[1]
    parts[part] = pack_part(record)
    sizes = b"".join(len(item).to_bytes(4, "little") for item in parts)
    return bytes([VERSION]) + sizes + b"".join(parts)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.text(max_size=4)
    | st.binary(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(st.integers(0, 3), st.integers(0, 20), ODD)
def test_a_replaced_item_is_refused_or_gives_facts(part: int, item: int, odd: object) -> None:
    try:
        found = decode(resealed(sample(), part, (item, odd)))
    except DamagedFactsError:
        return
    assert decode(encode(found)) == found
    assert all(one.line.__class__ is int for one in found.uses)


@given(any_facts(), st.integers(1, 60), st.integers(0, 60))
def test_places_are_the_declarations_that_overlap_the_range(
    facts: Facts, first: int, more: int
) -> None:
    last = first + more
    expected = [
        (item.name, qualified(facts, item), item.start_line, item.end_line)
        for item in sorted(facts.declarations, key=lambda item: item.start_line - item.end_line)
        if item.start_line <= last and item.end_line >= first
    ]
    found = DeclarationPlaces(encode(facts)).between(first, last)
    told = [(place.name, place.qualified, place.start_line, place.end_line) for place in found]
    assert told == expected


@given(any_facts(), st.text("ab_C", max_size=3))
def test_named_are_the_declarations_whose_last_part_is_a_name(facts: Facts, name: str) -> None:
    normalized = normalize_name(name)
    expected = [
        (item.name, qualified(facts, item), item.start_line, item.end_line)
        for item in facts.declarations
        if normalized == normalize_name(re.split(r"\W+", item.name)[-1])
    ]
    found = DeclarationPlaces(encode(facts)).named(name)
    told = [(place.name, place.qualified, place.start_line, place.end_line) for place in found]
    assert told == expected


@pytest.mark.parametrize("names", ["abc", "a", ["a", "b"], b"ab", None])
def test_names_that_are_longer_or_shorter_than_their_places_are_refused(names: object) -> None:
    columns = pack_column([1, 1]), pack_steps([1, 2]), pack_column([5, 5]), pack_signed([0, -1])
    places = pack_part([2, names, *columns])
    rest = [wire._part(encode(sample()), number) for number in range(1, 4)]
    sizes = b"".join(len(item).to_bytes(4, "little") for item in (places, *rest))
    data = bytes([VERSION]) + sizes + b"".join((places, *rest))
    with pytest.raises(DamagedFactsError):
        DeclarationPlaces(data).between(1, 9)
    with pytest.raises(DamagedFactsError):
        DeclarationPlaces(data).named("b")


def qualified(facts: Facts, item: Declaration) -> str:
    names = [item.name]
    while item.parent != MODULE:
        item = facts.declarations[item.parent]
        names.append(item.name)
    return ".".join(reversed(names))


@given(st.integers(0, 20), ODD)
def test_a_replaced_item_is_refused_or_gives_places(item: int, odd: object) -> None:
    with contextlib.suppress(DamagedFactsError):
        for place in DeclarationPlaces(resealed(sample(), 0, (item, odd))).between(1, 1 << 40):
            assert place.start_line <= place.end_line
            assert isinstance(place.qualified, str)


def test_a_cycle_of_parents_is_refused() -> None:
    items = [Declaration("class", name, 1, 1, 1, 0, parent=1 - at) for at, name in enumerate("ab")]
    with pytest.raises(ValueError, match="cycle of parents"):
        encode(Facts("python", declarations=tuple(items)))
    alone = replace(items[0], parent=0)
    with pytest.raises(ValueError, match="cycle of parents"):
        encode(Facts("python", declarations=(alone,)))


def test_an_encoded_cycle_of_parents_is_refused() -> None:
    items = [Declaration("class", name, 1, 1, 1, 0) for name in "ab"]
    facts = Facts("python", declarations=tuple(items))
    parents = 5
    assert decode(resealed(facts, 0, (parents, pack_signed([0, 1])))).declarations[1].parent == 0
    with pytest.raises(DamagedFactsError, match="cycle of parents"):
        decode(resealed(facts, 0, (parents, pack_signed([-1, 1]))))
    with pytest.raises(DamagedFactsError, match="unknown parent"):
        decode(resealed(facts, 0, (parents, pack_signed([-2, 1]))))


@pytest.mark.parametrize("column", [[1, 2, 3], "abc", b"\1\1", b"\1\1\1\1", b"\3\1\1", b"", None])
def test_an_invalid_column_of_two_is_refused(column: object) -> None:
    assert unpack_column(b"\1\1\1", 2) == [1, 1]
    with pytest.raises((ValueError, IndexError)):
        unpack_column(column, 2)  # type: ignore[arg-type]


def test_a_parent_may_come_after() -> None:
    child = Declaration("field", "a", 1, 1, 1, 0, parent=1)
    facts = Facts("python", declarations=(child, Declaration("class", "b", 1, 1, 1, 0)))
    assert decode(encode(facts)) == facts


@pytest.mark.parametrize(
    "facts",
    [
        Facts("x", declarations=(Declaration("class", "a", 1, 1, 1, 0, parent=1),)),
        Facts("x", declarations=(Declaration("class", "a", 2, 1, 1, 0),)),
        Facts("x", declarations=(Declaration("class", "a", 1, 1, 1, -1),)),
        Facts("x", uses=(Use("a", 1),)),
        Facts("x", imports=(Import("a", "", "", 1 << 70, MODULE),)),
    ],
    ids=["parent", "end", "column", "use", "number"],
)
def test_impossible_facts_are_refused(facts: Facts) -> None:
    with pytest.raises((ValueError, OverflowError)):
        encode(facts)


def test_a_part_that_inflates_beyond_the_limit_is_refused() -> None:
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    bomb = bytes(4) + deflater.compress(bytes(65 << 20)) + deflater.flush()
    data = bytes([VERSION]) + len(bomb).to_bytes(4, "little") + bytes(12) + bomb
    with pytest.raises(DamagedFactsError, match="cut off or too long"):
        decode(data)


@given(st.lists(st.integers(0, (1 << 64) - 1) | st.integers(0, 3)))
def test_columns_of_any_width(numbers: list[int]) -> None:
    assert unpack_column(pack_column(numbers), len(numbers)) == numbers


@given(st.lists(st.integers(-(1 << 62), (1 << 62) - 1)))
def test_columns_of_either_sign_and_of_steps(numbers: list[int]) -> None:
    assert unpack_signed(pack_signed(numbers), len(numbers)) == numbers
    small = [number >> 2 for number in numbers]
    assert unpack_steps(pack_steps(small), len(small)) == small


def test_small_numbers_take_one_byte_each() -> None:
    chance = random.Random(1)
    numbers = [chance.randrange(256) for _ in range(1000)]
    assert len(pack_column(numbers)) == 1001
