"""A dump shows every file, as far as it can be read, and always in the same words."""

from __future__ import annotations

import pytest

from index_format import layout
from index_format.errors import InvalidInputError
from index_format.health.dump import dump
from index_format.store.memory_store import MemoryStore
from tests.index_format.health.gallery_cases import DAMAGES
from tests.index_format.reseal import changed_sections
from tests.index_format.samples import (
    add_all,
    broad,
    dense,
    files_of,
    index_in,
    segment_names,
    tiny,
)

OURS = [name for name in DAMAGES if name not in {"foreign-file", "temporary-left-over"}]


def shown(store: MemoryStore, name: str, section: str | None = None, limit: int = 1000) -> str:
    return "\n".join(dump(store, name, section, limit))


def test_the_same_bytes_give_the_same_lines() -> None:
    one, other = tiny(), MemoryStore(files_of(tiny()))
    assert [shown(one, name) for name in one.names()] == [
        shown(other, name) for name in other.names()
    ]


def test_a_manifest_is_told_in_words() -> None:
    text = shown(tiny(), layout.manifest_name(2))
    for line in ("generation 2", "field 0: 'body', positions", "field 1: 'name'"):
        assert f"  {line}\n" in text
    assert "files 3, dead [1]" in text
    assert "chunks 3, live 1, live tokens [3, 1]" in text


def test_a_segment_shows_files_terms_postings_and_positions() -> None:
    store = tiny()
    text = shown(store, segment_names(store)[0])
    assert "file 0: 'a.py'" in text
    assert "file 0: 30313233343536373839616263646566, 99 bytes" in text
    assert "chunk 0: lines 1 to 9, id 7" in text
    assert "'one', 1 chunks, 2 occurrences" in text
    assert "'one': chunks and frequencies [(0, 2)]\n    positions [0, 4000]" in text


def test_blocks_are_decoded() -> None:
    store = dense()
    text = shown(store, segment_names(store)[0], "BLKM[0]")
    last = text.splitlines()[-1]
    assert last.startswith("  block 3: last chunk 255, row 9, positions to 344, ")
    assert last.endswith(", widths 0 and 9")


def test_one_section_alone_is_shown_when_it_is_named() -> None:
    store = tiny()
    name = segment_names(store)[0]
    both = shown(store, name, "TERM")
    assert [line.split()[0] for line in both.splitlines() if " at " in line] == [
        "TERM[0]",
        "TERM[1]",
    ]
    assert "TERM[0]" not in shown(store, name, "TERM[1]")


def test_the_limit_is_said_and_held() -> None:
    store = broad(50)
    text = shown(store, segment_names(store)[0], "PATH", limit=3)
    assert text.splitlines()[2:] == [
        *(f"  file {number}: 'src/m{number:03}.py'" for number in range(3)),
        "  ...",
    ]


@pytest.mark.parametrize("damage", OURS)
def test_damaged_files_are_shown_as_far_as_they_can_be_read(damage: str) -> None:
    files = DAMAGES[damage](tiny())
    store = MemoryStore(files)
    for name, data in files.items():
        text = shown(store, name)
        assert text.startswith(f"{name}: {len(data)} bytes")
        assert text.count("\n") > 0


def test_what_is_unreadable_is_marked_and_the_rest_follows() -> None:
    store = changed_sections(
        tiny(), 0, lambda all_: [(t, f, b"\xff" if t == b"TINF" else d) for t, f, d in all_]
    )
    lines = shown(store, segment_names(store)[0]).splitlines()
    bad = next(at for at, line in enumerate(lines) if "TINF[0]" in line and "!" in line)
    assert any(line.startswith("POSN[0] at ") for line in lines[bad:])


def test_texts_from_the_index_are_escaped() -> None:
    store = MemoryStore()
    with index_in(store).writer() as writer:
        add_all(writer, {"a\n! x\x1b[31m\u202e": [{"body": "b"}]})
        writer.commit()
    text = shown(store, segment_names(store)[0], "PATH")
    assert "file 0: 'a\\n! x\\x1b[31m\\u202e'" in text
    assert text.isascii()


@pytest.mark.parametrize("name", ["../x", "writer.lock", "tmp-0a-0b.part", ""])
def test_other_files_are_not_shown(name: str) -> None:
    with pytest.raises(InvalidInputError):
        shown(tiny(), name)


def test_a_missing_file_is_one_line() -> None:
    lines = list(dump(tiny(), layout.manifest_name(7)))
    assert lines == ["! manifest-000000000007.json: no such file in the store"]
