"""Manifests and the pointer: what is written is read, and nothing else is."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from index_format import layout
from index_format.errors import (
    CorruptIndexError,
    InvalidInputError,
    UnsupportedVersionError,
)
from index_format.generation.manifest import (
    MAX_GENERATION,
    Manifest,
    checksum,
    decode,
    decode_pointer,
    encode,
    encode_pointer,
)
from index_format.model import Field, Schema
from index_format.segment.entry import SegmentEntry

SCHEMA = Schema((Field("body"), Field("path", positions=False)))
HUGE = 2**63 - 1


def entry(number: int = 1) -> SegmentEntry:
    return SegmentEntry(
        name=layout.segment_name(bytes([number]) * layout.SEGMENT_DIGEST_BYTES),
        length=4096,
        seal="0123456789abcdef" * 2,
        files=10,
        chunks=30,
        dead_files=(0, 3, 9),
        live_chunks=20,
        live_totals=(1000, 5),
        canonical=True,
    )


MANIFEST = Manifest(7, SCHEMA, "settings \N{SNOWMAN} \ud800", (entry(2), entry(1)))
NAME = layout.manifest_name(7)


@st.composite
def entries(draw: st.DrawFn, name: str, field_count: int) -> SegmentEntry:
    files = draw(st.integers(0, 40))
    chunks = draw(st.integers(0, layout.MAX_CHUNKS_PER_SEGMENT))
    dead = draw(st.sets(st.integers(0, files - 1)) if files else st.just(set()))
    live = draw(st.integers(0, chunks)) if dead else chunks
    total = st.integers(0, HUGE)
    return SegmentEntry(
        name=name,
        length=draw(st.integers(1, HUGE)),
        seal=draw(st.integers(0, 2**128 - 1).map("{:032x}".format)),
        files=files,
        chunks=chunks,
        dead_files=tuple(sorted(dead)),
        live_chunks=0 if dead and len(dead) == files else live,
        live_totals=tuple(draw(st.lists(total, min_size=field_count, max_size=field_count))),
        canonical=draw(st.booleans()),
    )


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    text = st.text(st.characters(codec=None), max_size=20)
    fields = draw(
        st.lists(st.builds(Field, text, st.booleans()), min_size=1, max_size=4, unique=True)
    )
    if len({item.name for item in fields}) != len(fields):
        fields = fields[:1]
    digests = draw(st.sets(st.binary(min_size=20, max_size=20), max_size=4))
    return Manifest(
        generation=draw(st.integers(1, MAX_GENERATION)),
        schema=Schema(tuple(fields)),
        settings=draw(text),
        segments=tuple(
            draw(entries(layout.segment_name(digest), len(fields))) for digest in sorted(digests)
        ),
    )


def sealed(inner: bytes) -> bytes:
    return b'{"checksum":"%s","manifest":%s}\n' % (checksum(inner).encode(), inner)


def spelled(document: object) -> bytes:
    return sealed(json.dumps(document, separators=(",", ":"), sort_keys=True).encode())


def document(manifest: Manifest = MANIFEST) -> dict[str, Any]:
    outer: dict[str, Any] = json.loads(encode(manifest))
    inner: dict[str, Any] = outer["manifest"]
    return inner


@given(manifests())
def test_what_is_written_is_read(manifest: Manifest) -> None:
    data = encode(manifest)
    name = layout.manifest_name(manifest.generation)
    assert decode(data, name) == manifest
    assert encode(decode(data, name)) == data
    assert data.isascii()
    assert data.count(b"\n") == 1


def test_the_spelling_is_fixed() -> None:
    manifest = Manifest(3, Schema((Field("body"),)), "s", (replace(entry(), live_totals=(9,)),))
    inner = (
        '{"feature":0,"fields":[["body",true]],"format":2,"generation":3,"segments":[{'
        '"canonical":true,"chunks":30,"dead_files":[0,3,9],"files":10,"length":4096,'
        '"live_chunks":20,"live_totals":[9],"name":"seg-' + "01" * 20 + '.rix",'
        '"seal":"0123456789abcdef0123456789abcdef"}],"settings":"s"}'
    )
    envelope = '{"checksum":"92ad92a4dfc2ed9ebb9d4fbc615bb945","manifest":' + inner + "}\n"
    assert encode(manifest).decode() == envelope


def test_the_pointer_names_the_manifest_and_its_bytes() -> None:
    data = encode(MANIFEST)
    pointer = encode_pointer(NAME, data)
    assert pointer == f"{NAME} {checksum(data)}\n".encode()
    assert decode_pointer(pointer) == (NAME, checksum(data))


@pytest.mark.parametrize("name", ["CURRENT", "manifest-1.json", NAME + "\n", "../" + NAME, ""])
def test_the_pointer_names_nothing_but_manifests(name: str) -> None:
    with pytest.raises(InvalidInputError):
        encode_pointer(name, b"")


POINTER = encode_pointer(NAME, b"data")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        POINTER[:-1],
        POINTER + b"\n",
        POINTER.upper(),
        POINTER.replace(b"\n", b"\r\n"),
        POINTER.replace(b" ", b"  "),
        b" " + POINTER,
        POINTER.replace(b"manifest", b"../../xx"),
        POINTER.replace(b"000000000007", "00000000000\u0667".encode()),
        bytes(len(POINTER)),
    ],
)
def test_a_pointer_has_one_spelling(data: bytes) -> None:
    with pytest.raises(CorruptIndexError) as caught:
        decode_pointer(data)
    assert caught.value.file == layout.CURRENT_NAME


# ----------------------------------------------------------------------- hostile documents


def change(**values: object) -> Callable[[], object]:
    return lambda: document() | values


def change_segment(**values: object) -> Callable[[], object]:
    def build() -> object:
        inner = document()
        inner["segments"][1].update(values)
        return inner

    return build


def drop(key: str) -> Callable[[], object]:
    return lambda: {name: value for name, value in document().items() if name != key}


def drop_segment_key() -> object:
    inner = document()
    del inner["segments"][0]["seal"]
    return inner


HOSTILE: list[Callable[[], object]] = [
    lambda: None,
    list,
    dict,
    lambda: [document()],
    lambda: "text",
    drop("settings"),
    drop("feature"),
    drop("format"),
    change(extra=1),
    change(format=True),
    change(format="2"),
    change(format=2.0),
    change(feature=None),
    change(generation=0),
    change(generation=-7),
    change(generation=8),
    change(generation=True),
    change(generation=7.0),
    change(generation="7"),
    change(generation=10**12),
    change(generation=10**4000),
    change(settings=None),
    change(settings=1),
    change(settings=["s"]),
    change(fields=[]),
    change(fields={}),
    change(fields=[["body", True], ["body", False]]),
    change(fields=[["body", 1], ["path", 0]]),
    change(fields=[["body"], ["path"]]),
    change(fields=[["body", True, 1], ["path", False, 1]]),
    change(fields=[[None, True], ["path", False]]),
    change(fields=["body", "path"]),
    change(fields=[["body", True]]),
    change(fields=[[str(n), True] for n in range(layout.MAX_FIELDS + 1)]),
    change(segments=None),
    change(segments={}),
    change(segments=[None]),
    change(segments=[[]]),
    change(segments=[document()["segments"][0]] * 2),
    drop_segment_key,
    change_segment(extra=1),
    change_segment(name="CURRENT"),
    change_segment(name="../" + entry().name),
    change_segment(name="/etc/passwd"),
    change_segment(name=entry().name + "\n"),
    change_segment(name=entry().name + "\0"),
    change_segment(name=entry().name.upper()),
    change_segment(name=NAME),
    change_segment(name=None),
    change_segment(name=entry(2).name),
    change_segment(length=0),
    change_segment(length=-1),
    change_segment(length=2**63),
    change_segment(length=True),
    change_segment(length="4096"),
    change_segment(length=1e3),
    change_segment(seal=""),
    change_segment(seal="0" * 31),
    change_segment(seal="0" * 33),
    change_segment(seal="A" * 32),
    change_segment(seal="0" * 32 + "\n"),
    change_segment(seal=0),
    change_segment(files=-1),
    change_segment(files=9),
    change_segment(files=2**31),
    change_segment(files=10**4000),
    change_segment(chunks=-1),
    change_segment(chunks=19),
    change_segment(chunks=layout.MAX_CHUNKS_PER_SEGMENT + 1),
    change_segment(dead_files=[3, 0, 9]),
    change_segment(dead_files=[0, 3, 3, 9]),
    change_segment(dead_files=[-1, 3, 9]),
    change_segment(dead_files=[0, 3, 10]),
    change_segment(dead_files=[0, True]),
    change_segment(dead_files=[[0]]),
    change_segment(dead_files="0"),
    change_segment(dead_files={"0": 0}),
    change_segment(dead_files=None),
    change_segment(dead_files=[]),
    change_segment(dead_files=list(range(10))),
    change_segment(live_chunks=-1),
    change_segment(live_chunks=31),
    change_segment(live_chunks=None),
    change_segment(live_totals=[]),
    change_segment(live_totals=[1000]),
    change_segment(live_totals=[1000, 5, 0]),
    change_segment(live_totals=[1000, -1]),
    change_segment(live_totals=[1000, 2**63]),
    change_segment(live_totals=[1000, False]),
    change_segment(canonical=1),
    change_segment(canonical=None),
    change_segment(canonical="true"),
]


@pytest.mark.parametrize("value", [[], {}, {"k": 0}])
def test_a_document_of_small_values_is_not_parsed(value: object) -> None:
    inner = json.dumps([value] * 100_000, separators=(",", ":")).encode()
    data = b'{"checksum":"%s","manifest":%s}\n' % (checksum(inner).encode(), inner)

    def peak() -> int:
        tracemalloc.start()
        with pytest.raises(CorruptIndexError, match="values within values"):
            decode(data, NAME)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    # threads of other tests may allocate meanwhile
    assert min(peak() for _ in range(3)) < 4 * len(data)


@pytest.mark.parametrize("build", HOSTILE)
def test_a_hostile_document_is_corrupt(build: Callable[[], object]) -> None:
    with pytest.raises(CorruptIndexError) as caught:
        decode(spelled(build()), NAME)
    assert caught.value.file == NAME


INNER = json.dumps(document(), separators=(",", ":"), sort_keys=True).encode()


@pytest.mark.parametrize(
    "inner",
    [
        b"",
        b"{",
        b"nonsense",
        b"\xff\xfe{\0}\0",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 100_000,
        INNER + b" ",
        INNER.replace(b":7,", b": 7,"),
        INNER.replace(b":7,", b":7e0,"),
        INNER.replace(b":7,", b":NaN,"),
        INNER.replace(b":7,", b":Infinity,"),
        INNER.replace(b'"feature":0', b'"feature":-0'),
        INNER.replace(b'"format":2', b'"format":2,"format":2'),
        INNER.replace(b"\\u2603", "\N{SNOWMAN}".encode()),
        INNER.replace(b"\\ud800", b"\\uD800"),
        INNER.replace(b'"settings"', b'"\\u0073ettings"'),
        INNER.decode().encode("utf-16"),
        json.dumps(document(), sort_keys=True).encode(),
        json.dumps(dict(reversed(document().items())), separators=(",", ":")).encode(),
    ],
)
def test_another_spelling_is_corrupt(inner: bytes) -> None:
    assert inner != INNER
    with pytest.raises(CorruptIndexError) as caught:
        decode(sealed(inner), NAME)
    assert caught.value.file == NAME


@pytest.mark.parametrize("version", [layout.MIN_READABLE_VERSION - 1, layout.FORMAT_VERSION + 1])
def test_another_version_is_told_from_damage(version: int) -> None:
    with pytest.raises(UnsupportedVersionError) as caught:
        decode(spelled({"format": version, "and": ["whatever", "comes"]}), NAME)
    assert (caught.value.file, caught.value.got) == (NAME, version)


@pytest.mark.parametrize("name", [layout.manifest_name(8), layout.CURRENT_NAME, ""])
def test_a_manifest_under_another_name_is_corrupt(name: str) -> None:
    with pytest.raises(CorruptIndexError):
        decode(encode(MANIFEST), name)


@given(st.binary(max_size=200))
def test_random_bytes_are_corrupt(data: bytes) -> None:
    for hostile in (data, sealed(data), encode(MANIFEST)[: len(data)]):
        with pytest.raises(CorruptIndexError):
            decode(hostile, NAME)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.floats()
    | st.sampled_from(["", "0" * 32, entry().name]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.data())
def test_a_changed_document_is_read_as_it_stands_or_not_at_all(data: st.DataObject) -> None:
    inner = document()
    place = data.draw(st.sampled_from([inner, *inner["segments"]]))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JSON)
    hostile = spelled(inner)
    try:
        found = decode(hostile, NAME)
    except (CorruptIndexError, UnsupportedVersionError):
        return
    assert encode(found) == hostile


@pytest.mark.parametrize(
    "build",
    [
        lambda: replace(entry(), name="CURRENT"),
        lambda: replace(entry(), dead_files=(3, 3)),
        lambda: replace(entry(), dead_files=(10,)),
        lambda: replace(entry(), dead_files=(), live_chunks=29),
        lambda: replace(entry(), dead_files=tuple(range(10)), live_chunks=1),
        lambda: Manifest(0, SCHEMA, "", ()),
        lambda: Manifest(1, SCHEMA, "", (entry(), entry())),
        lambda: Manifest(1, SCHEMA, "", (replace(entry(), live_totals=(1,)),)),
    ],
)
def test_a_contradiction_is_never_written(build: Callable[[], object]) -> None:
    with pytest.raises(InvalidInputError):
        build()
