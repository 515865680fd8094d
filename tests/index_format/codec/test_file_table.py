"""A path is found among the files of a segment, whether or not they were read as objects."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from index_format import CorruptIndexError, Document, Field, Index, MemoryStore, Schema
from index_format.codec.frame import FramedFile, FrameWriter
from index_format.codec.paths import PathTable, encode_paths
from index_format.layout import SectionTag

SCHEMA = Schema((Field("body"),))
PATH = st.text("ab/é\ud800", min_size=1, max_size=4)
# files before, between and behind the subfolders of their folder
MIXED = [b"a", b"b/c", b"b/c-d", b"b/c.d/e", b"b/c/e", b"b/cc", b"b0", "b\u00e9/\u00e9".encode()]


def encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def read(data: bytes, files: int) -> PathTable:
    store = MemoryStore()
    writer = FrameWriter(store)
    writer.section(SectionTag.PATHS, 0, [data])
    return PathTable(FramedFile(store.open(writer.finish().name)), files)


@given(st.sets(PATH, min_size=1), st.sets(PATH), st.booleans())
def test_the_numbers_of_paths_are_their_places_in_order(
    paths: set[str],
    wanted: set[str],
    is_read: bool,  # noqa: FBT001 drawn
) -> None:
    index = Index(MemoryStore(), SCHEMA)
    with index.writer() as writer:
        for path in paths:
            writer.add(Document(path, []))
        writer.commit()
    table = index.snapshot().segments[0].reader.files.paths
    ordered = sorted(map(encoded, paths))
    if is_read:
        assert table.all == ordered
    asked = sorted(map(encoded, wanted))
    expected = {ordered.index(path) for path in asked if path in ordered}
    assert table.find_all(asked) == expected
    assert {table.find(path) for path in asked} - {None} == expected
    assert list(table.each()) == ordered
    assert table.list_all() == ordered
    assert [table.path(file) for file in range(len(ordered))] == ordered
    assert list(map(encoded, table.paths_of(range(len(ordered))))) == ordered


@given(
    st.sets(st.text("abAB/\u00e9", min_size=1, max_size=6), min_size=1),
    st.lists(st.text("ab", max_size=3)),
)
def test_files_are_found_by_parts_of_their_own_names(paths: set[str], parts: list[str]) -> None:
    index = Index(MemoryStore(), SCHEMA)
    with index.writer() as writer:
        for path in paths:
            writer.add(Document(path, []))
        writer.commit()
    with index.writer() as writer:
        writer.remove(min(paths))
        writer.commit()
    names = {path: path.rpartition("/")[2].lower() for path in paths - {min(paths)}}
    expected = {path for path, name in names.items() if any(part in name for part in parts)}
    assert index.snapshot().paths_named(parts) == sorted(expected)


@pytest.mark.parametrize("count", range(len(MIXED) + 1))
def test_a_folder_is_stored_once(count: int) -> None:
    data = encode_paths(MIXED[:count])
    assert read(data, count).list_all() == MIXED[:count]
    assert data.count(b"b/c/") <= 1
    assert data[0] == len({path[: path.rfind(b"/") + 1] for path in MIXED[:count]})


def test_paths_that_are_no_text_alone_are_damage() -> None:
    table = read(encode_paths([b"a\xc3", b"\xa9"]), 2)
    for ask in (table.list_all, lambda: table.path(0), lambda: table.paths_of([1])):
        with pytest.raises(CorruptIndexError, match="UTF-8"):
            ask()


@pytest.mark.parametrize("cut", range(len(encode_paths(MIXED))))
def test_paths_that_are_cut_short_are_damage(cut: int) -> None:
    table = read(encode_paths(MIXED)[:cut], len(MIXED))
    with pytest.raises(CorruptIndexError):
        table.path(0)


@pytest.mark.parametrize("at", range(len(encode_paths(MIXED))))
@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_gives_other_paths_or_is_damage(at: int, bit: int) -> None:
    data = bytearray(encode_paths(MIXED))
    data[at] ^= 1 << bit
    try:
        paths = read(bytes(data), len(MIXED)).all
    except CorruptIndexError:
        return
    assert paths != MIXED
    assert sorted(set(paths)) == paths
    for path in paths:
        path.decode("utf-8", "surrogatepass")
