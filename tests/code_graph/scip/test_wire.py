"""The codec against protobuf's own implementation, and against bytes that are no message."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from code_graph.scip import messages as field_of, reading
from code_graph.scip.reading import ScipDocument, read_documents, read_root
from code_graph.scip.wire import (
    ProtobufError,
    WireField,
    read_fields,
    read_numbers,
    read_text,
    read_varint,
    write_bytes,
    write_number,
    write_numbers,
    write_text,
    write_varint,
)
from tests.code_graph.scip.schema import Document, Index, Occurrence, SymbolInformation

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
NAMES = st.text(max_size=8)


@given(st.lists(INT32, max_size=6), NAMES, INT32)
def test_protobuf_reads_what_is_written(numbers: list[int], symbol: str, roles: int) -> None:
    data = write_numbers(field_of.RANGE, numbers) + write_text(field_of.SYMBOL, symbol)
    found = Occurrence.FromString(data + write_number(field_of.ROLES, roles))
    assert [*found.range] == numbers
    assert (found.symbol, found.symbol_roles) == (symbol, roles)
    # … and it writes the same bytes
    assert found.SerializeToString(deterministic=True) == data + write_number(3, roles)


@given(st.lists(INT32, max_size=6), NAMES)
def test_what_protobuf_writes_is_read(numbers: list[int], symbol: str) -> None:
    data = Occurrence(range=numbers, symbol=symbol, enclosing_range=numbers).SerializeToString()
    fields = {item.number: item for item in read_fields(data, 0, len(data))}
    if numbers:
        assert read_numbers(data, fields[field_of.RANGE], 6) == numbers
    if symbol:
        assert read_text(data, fields[field_of.SYMBOL]) == symbol


@given(st.integers(0, (1 << 64) - 1), st.binary(max_size=3))
def test_a_varint_is_read_where_it_ends(value: int, rest: bytes) -> None:
    data = write_varint(value)
    assert read_varint(data + rest, 0, len(data + rest)) == (value, len(data))


OCCURRENCES = st.builds(
    lambda line, begin, size, symbol, roles: Occurrence(
        range=[line, begin, begin + size], symbol=symbol, symbol_roles=roles
    ),
    st.integers(0, 99),
    st.integers(0, 99),
    st.integers(0, 9),
    st.sampled_from(["local 1", "s m p v a/b#", "s m p v a/c()."]),
    st.integers(0, 15),
)
DOCUMENTS = st.builds(
    lambda path, occurrences, language: Document(
        relative_path=path, occurrences=occurrences, language=language, position_encoding=1
    ),
    NAMES,
    st.lists(OCCURRENCES, max_size=4),
    NAMES,
)


@given(st.lists(DOCUMENTS, max_size=3))
def test_documents_are_read_as_protobuf_wrote_them(documents: list[Document]) -> None:
    index = Index(documents=documents)
    index.metadata.project_root = "file:///a%20b/c/"
    data = index.SerializeToString()
    found = [*read_documents(data)]
    assert read_root(data) == "/a b/c"
    assert [item.path for item in found] == [item.relative_path for item in documents]
    for given_one, read in zip(documents, found, strict=True):
        rows = [(*o.range, o.symbol, o.symbol_roles) for o in given_one.occurrences]
        assert [(*o[:3], read.symbols[o.symbol], o.roles) for o in read.occurrences] == rows


def read_all(data: bytes) -> list[ScipDocument]:
    try:
        read_root(data)
        return [*read_documents(data)]
    except ProtobufError:
        return []


@given(st.binary(max_size=200))
def test_any_bytes_are_documents_or_an_error(data: bytes) -> None:
    read_all(data)


@given(st.lists(DOCUMENTS, min_size=1, max_size=2), st.data())
def test_damage_is_an_error_or_another_document(
    documents: list[Document], data: st.DataObject
) -> None:
    whole = bytearray(Index(documents=documents).SerializeToString())
    at = data.draw(st.integers(0, len(whole) - 1)) if whole else 0
    if whole:
        whole[at] = data.draw(st.integers(0, 255))
    read_all(bytes(whole))
    read_all(bytes(whole[:at]))


@pytest.mark.parametrize(
    "data",
    [
        b"\x80" * 11,  # a number without end
        b"\xff" * 9 + b"\x7f",  # … of more than 64 bits
        b"\x00\x00",  # field 0
        b"\x0b",  # a group
        b"\x12\x05ab",  # more bytes than there are
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # 2^64 bytes
    ],
)
def test_broken_messages_are_refused(data: bytes) -> None:
    with pytest.raises(ProtobufError):
        [*read_fields(data, 0, len(data))]


def test_too_many_numbers_are_refused() -> None:
    data = write_numbers(1, range(5))
    (item,) = read_fields(data, 0, len(data))
    with pytest.raises(ProtobufError, match="more than 4"):
        read_numbers(data, item, 4)


def document_with(*occurrences: list[int]) -> ScipDocument:
    rows = [Occurrence(range=numbers, symbol="s m p v a#") for numbers in occurrences]
    (found,) = read_documents(Index(documents=[Document(occurrences=rows)]).SerializeToString())
    return found


def test_ranges_without_a_meaning_are_left_out() -> None:
    found = document_with(
        [1, 2, 3],
        [1, 2, 1, 4],
        [1, 2, 2, 4],  # over two lines
        [-1, 2, 3],
        [1, 5, 3],
        [1],
        [],
        [1 << 30, 0, 1],
    )
    assert [item[:3] for item in found.occurrences] == [(1, 2, 3), (1, 2, 4)]


def test_unpacked_numbers_are_a_range_too() -> None:
    message = b"".join(write_number(field_of.RANGE, value) for value in (3, 4, 9))
    message += write_text(field_of.SYMBOL, "local 1")
    data = write_bytes(field_of.DOCUMENTS, write_bytes(field_of.OCCURRENCES, message))
    (found,) = read_documents(data)
    assert [item[:3] for item in found.occurrences] == [(3, 4, 9)]


def test_messages_in_messages_take_no_stack() -> None:
    data = b""
    for _ in range(5_000):
        data = write_bytes(field_of.SYMBOLS, data)
    (found,) = read_documents(write_bytes(field_of.DOCUMENTS, data))
    assert found.symbols == []


def test_implementations_are_read() -> None:
    info = SymbolInformation(symbol="s m p v a#")
    info.relationships.add(symbol="s m p v b#", is_implementation=True)
    info.relationships.add(symbol="s m p v c#", is_reference=True)
    (found,) = read_documents(Index(documents=[Document(symbols=[info])]).SerializeToString())
    names = [(found.symbols[row.symbol], found.symbols[row.other]) for row in found.relations]
    assert names == [("s m p v a#", "s m p v b#")]


def test_of_a_document_that_is_not_wanted_nothing_but_the_path_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [Occurrence(range=[at, 0, 3], symbol=f"local {at}") for at in range(300)]
    both = [Document(relative_path=name, occurrences=rows) for name in ("here.py", "there.py")]
    data = Index(documents=both).SerializeToString()
    spans: list[int] = []

    def counted(data: bytes, begin: int, end: int) -> Iterator[WireField]:
        spans.append(end - begin)
        return read_fields(data, begin, end)

    monkeypatch.setattr(reading, "read_fields", counted)
    found = [*read_documents(data, lambda path, _: path == "here.py")]
    assert [(item.path, len(item.occurrences)) for item in found] == [
        ("here.py", 300),
        ("there.py", 0),
    ]
    assert len(spans) < 310


def test_what_follows_a_range_is_read_once_for_equal_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [Occurrence(range=[at, 0, 3], symbol="local 1", symbol_roles=8) for at in range(300)]
    data = Index(documents=[Document(occurrences=rows)]).SerializeToString()
    calls: list[int] = []
    read = reading._Reader._rest

    def counted(self: reading._Reader, begin: int, end: int) -> tuple[list[int], int, int]:
        calls.append(begin)
        return read(self, begin, end)

    monkeypatch.setattr(reading._Reader, "_rest", counted)
    (found,) = read_documents(data)
    assert len(calls) == 1
    assert [tuple(item) for item in found.occurrences] == [(at, 0, 3, 0, 8) for at in range(300)]
