"""Files of an index as a hostile data folder may hold them: manifests, `CURRENT`, segments.

Checksums, seals and names are made to fit, since an attacker can do that too.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple
from unittest import mock

import numpy as np
import numpy.typing as npt

from index_format import layout
from index_format.codec import decoding
from index_format.codec.terms import TermDictionary
from index_format.errors import (
    CorruptIndexError,
    ForeignIndexError,
    IndexFormatError,
    UnsupportedVersionError,
)
from index_format.generation import manifest, origin
from index_format.generation.origin import OriginRecord
from index_format.generation.snapshot import Snapshot
from index_format.health.check import check
from index_format.health.dump import dump
from index_format.native import NATIVE
from index_format.query import Edge
from index_format.query.edit_distance import select_near
from index_format.query.live_terms import LiveTerms
from index_format.query.scoring import top_chunks
from index_format.query.term_lists import frequent_prefix_terms, list_prefix_chunks
from index_format.query.term_scores import WeightedTerm
from index_format.query.term_search import TermSearch, TermText
from index_format.store.memory_store import MemoryStore
from tests.fuzz.engine import Target
from tests.fuzz.mutations import NUMBERS, json_bytes, mutated, tree_mutation
from tests.index_format.reseal import Sections, segment_of, with_segment
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

_NAME: Final = layout.manifest_name(1)
_GENERATION: Final = re.compile(rb'"generation":([0-9]{1,12})[,}]')


# ---- manifests: an input is the inner object, or a whole file, or a pointer ----


def run_manifest(data: bytes) -> object:
    """A readable manifest is written again in the same bytes; all else is refused as damage."""
    _run_pointer(data)
    return _decoded(data), _decoded(_sealed(data))


def _sealed(inner: bytes) -> bytes:
    stated = manifest.checksum(inner).encode()
    return manifest._OPENING + stated + manifest._MIDDLE + inner + manifest._CLOSING


def _decoded(data: bytes) -> object:
    match = _GENERATION.search(data)
    name = _NAME if match is None else layout.manifest_name(int(match[1]))
    try:
        found = manifest.decode(data, name)
    except (CorruptIndexError, UnsupportedVersionError) as error:
        return type(error).__name__, getattr(error, "section", "")
    assert manifest.encode(found) == data
    return len(found.segments)


def _run_pointer(data: bytes) -> None:
    try:
        name, stated = manifest.decode_pointer(data)
    except CorruptIndexError:
        return
    assert f"{name} {stated}\n".encode() == data


def manifest_seeds() -> Iterator[bytes]:
    """Inner objects, whole files and a pointer."""
    for store in (tiny(), dense()):
        for name, data in files_of(store).items():
            if name.endswith(".json"):
                yield data
                yield data[manifest._INNER_OFFSET : -len(manifest._CLOSING)]
            elif name == layout.CURRENT_NAME:
                yield data


MANIFEST: Final = Target(
    "manifest",
    run_manifest,
    manifest_seeds,
    (
        "index_format/generation/manifest.py",
        "index_format/segment/entry.py",
        "index_format/model.py",
    ),
    words=[b'"dead_files":[0,1]', b"[", b"{", b'"segments":[]', b"1e400", b"NaN", b'"\\ud800"'],
    mutation=tree_mutation(json.loads, json_bytes, sorted(manifest._KEYS | manifest._ENTRY_KEYS)),
)


# ---- the record of origin: an input is the whole file, or its lines without the tag ----


def run_origin(data: bytes) -> object:
    """A record is read or refused, and what was read is written again in an equal record."""
    store = MemoryStore(origin_key=_KEY, origin=data)
    return _recorded(store, data), _recorded(store, origin._tag(store, data) + b"\n" + data)


def _recorded(store: MemoryStore, data: bytes) -> object:
    store.origin = data
    try:
        found = origin.load_record(store)
    except ForeignIndexError as error:
        return str(error)
    assert found is not None
    origin.write_record(store, found)
    assert origin.load_record(store) == found
    return len(found.manifests), len(found.segments)


def origin_seeds() -> Iterator[bytes]:
    """Records of no, one and several files."""
    segments = {layout.segment_name(bytes([n]) * 20): f"{n:x}-2-3-4" for n in range(3)}
    for record in (OriginRecord(), OriginRecord({_NAME: "0" * 32}, segments)):
        store = MemoryStore(origin_key=_KEY)
        origin.write_record(store, record)
        data = store.read_origin()
        yield data
        yield data.partition(b"\n")[2]


_KEY: Final = b"a folder"
ORIGIN: Final = Target("origin", run_origin, origin_seeds, ("index_format/generation/origin.py",))


# ---- segments: an input is a list of changes of a segment's sections ----

_BASES: Final[tuple[Callable[[], MemoryStore], ...]] = (tiny, dense, wordy)
_MOST_CHANGES: Final = 8
# most bytes that a change may add
_MOST_ADDED: Final = 1 << 16


class _Base(NamedTuple):
    store: MemoryStore
    segments: list[Sections]


@cache
def _base(number: int) -> _Base:
    store = _BASES[number]()
    files = files_of(store)
    return _Base(store, [sections_of(files[name], name) for name in segment_names(store)])


class _Reader:
    """Takes small numbers and bytes from an input; zeros behind its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, count: int) -> bytes:
        """The next bytes."""
        found, self._data = self._data[:count], self._data[count:]
        return found.ljust(count, b"\0")

    def number(self, below: int) -> int:
        """The next number, in two bytes."""
        return int.from_bytes(self.take(2), "little") % below

    @property
    def is_empty(self) -> bool:
        """True if nothing is left."""
        return not self._data


def hostile_store(data: bytes) -> tuple[MemoryStore, str]:
    """The store that an input stands for, and the changed sections."""
    reader = _Reader(data)
    base = _base(reader.number(len(_BASES)))
    number = reader.number(len(base.segments))
    sections = list(base.segments[number])
    touched: list[str] = []
    for _ in range(_MOST_CHANGES):
        if reader.is_empty:
            break
        at = reader.number(len(sections))
        tag, field, content = sections[at]
        sections[at] = tag, field, _changed(content, reader)
        touched.append(tag.decode())
    return with_segment(base.store, number, segment_of(sections)), ",".join(touched)


def _changed(content: bytes, reader: _Reader) -> bytes:
    """The section with a piece deleted, cut, filled, inserted, exchanged or written over."""
    kind, at = reader.number(8), reader.number(len(content) + 1)
    before, after = content[:at], content[at:]
    if kind in {4, 5}:
        return _with_number(content, at, (4, 8)[kind - 4], NUMBERS[reader.number(len(NUMBERS))])
    if kind == 0:
        after = after[1 + reader.number(9) :]
    elif kind == 1:
        after = b""
    elif kind == 2:
        after = reader.take(1) * reader.number(_MOST_ADDED) + after
    elif kind == 3:
        after = reader.take(1 + reader.number(16)) + after
    else:
        size, other = 1 + reader.number(16), reader.number(len(content) + 1)
        piece = content[other : other + size] if kind == 6 else reader.take(size)
        after = piece + after[size:]
    return before + after


def _with_number(content: bytes, at: int, size: int, number: int) -> bytes:
    """A number where one may stand."""
    begin = at - at % size
    data = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return content[:begin] + data + content[begin + size :]


def run_segment(data: bytes) -> object:
    """An error of this library or an answer, the same with compiled code and without.

    The input's checksum decides what else is done: all of it would take most of the time.
    """
    store, touched = hostile_store(data)
    more = zlib.crc32(data) % 4
    steps = (_answer, _rank, _look_up) if more else (_answer, _merge)
    found = [_outcome(step, store) for step in steps]
    if NATIVE is not None and more < 3:
        with without_compiled():
            assert [_outcome(step, store) for step in steps[:2]] == found[:2]
    blamed: set[str] = set()
    if more == 3:
        for name in store.names():
            assert list(dump(store, name))
        blamed = {item.section for item in check(store)}
    return touched, [item[0] for item in found], sorted(blamed)


def _outcome(step: Callable[[MemoryStore], object], store: MemoryStore) -> tuple[str, object]:
    try:
        return "", step(store)
    except IndexFormatError as error:
        return type(error).__name__, getattr(error, "file", "")


def _answer(store: MemoryStore) -> object:
    return answers(index_in(store).snapshot())


def _rank(store: MemoryStore) -> object:
    snapshot = index_in(store).snapshot()
    return [hits for words in _queries(snapshot) for hits in _ranked(snapshot, words)]


def _queries(snapshot: Snapshot) -> Iterator[list[WeightedTerm]]:
    for number, field in enumerate(SCHEMA.fields):
        for term in islice(snapshot.terms(number), 20):
            yield [WeightedTerm(field.name, term), WeightedTerm("body", b"every")]


def _ranked(snapshot: Snapshot, words: list[WeightedTerm]) -> Iterator[object]:
    yield top_chunks(snapshot, words, 3)
    yield top_chunks(snapshot, words, 3, require_all=True)


def _look_up(store: MemoryStore) -> object:
    """Queries of dictionaries."""
    snapshot = index_in(store).snapshot()
    found: list[object] = []
    for number in range(len(SCHEMA.fields)):
        terms = list(LiveTerms(snapshot).list_from(number))
        found += [terms, list(LiveTerms(snapshot).list_prefix(number, b"w0"))]
        found += [_columns(chunks) for chunks in list_prefix_chunks(snapshot, number, b"w")]
        found.append(frequent_prefix_terms(snapshot, number, b"t", 5))
        found.append(
            list(select_near([term.decode("utf-8", "replace") for term in terms], "two", 2))
        )
        for segment in snapshot.segments:
            found += _searched(TermSearch(segment.reader, number))
    return found


def _columns(array: npt.NDArray[Any]) -> list[int]:
    return sorted(set(array.tolist()))


def _searched(search: TermSearch) -> Iterator[object]:
    """Answers before and after all terms were read."""
    for _ in range(2):
        yield search.entry(b"two")
        for text in ("t", "w00", "\n"):
            for columns in (
                search.beginning(text.encode(), 9),
                search.containing(TermText(text, Edge.OPEN, Edge.SOFT), 9),
            ):
                if columns is not None:
                    held = np.zeros(search._chunk_count, dtype=np.bool_)
                    search.mark(held, columns)
                    yield [*map(_columns, columns), held.tolist()]
        for lines in search.split() or ():
            found = lines.containing(TermText("O", any_case=True), 9)
            yield None if found is None else search.on_lines(lines, found).postings


def _merge(store: MemoryStore) -> object:
    copy = MemoryStore(files_of(store))
    index_in(copy).compact(full=True)
    return sorted(files_of(copy).items())


@contextmanager
def without_compiled() -> Iterator[None]:
    """The library as it is where nothing was compiled."""
    with (
        mock.patch.object(decoding, "decode_blocks", decoding.blocks_by_numpy),
        mock.patch.object(decoding, "decode_tail", decoding.tail_by_numpy),
        mock.patch.object(TermDictionary.__init__, "__defaults__", (None,)),
    ):
        yield


def segment_seeds() -> Iterator[bytes]:
    """Each section of each base changed in two ways."""
    chance = Random(1)
    for base in range(len(_BASES)):
        yield bytes([base, 0])
        for segment, sections in enumerate(_base(base).segments):
            for at in range(len(sections)):
                for kind in chance.sample(range(8), 2):
                    begin = chance.randrange(64)
                    yield bytes([base, 0, segment, 0, at, 0, kind, 0, begin, 0]) + chance.randbytes(
                        6
                    )


def mutate_segment(data: bytes, chance: Random) -> bytes:
    """One more change of a section, or other values in one."""
    if chance.random() < 0.5:
        head, tail = data[:4].ljust(4, b"\0"), data[4:]
        section, kind = chance.randrange(48), chance.randrange(8)
        at = chance.choice((chance.randrange(24), chance.randrange(1 << 12)))
        change = bytes([section, 0, kind, 0]) + at.to_bytes(2, "little") + chance.randbytes(6)
        return head + (tail + change if chance.random() < 0.5 else change)
    return data[:2] + mutated(data[2:], chance)


SEGMENT: Final = Target(
    "segment",
    run_segment,
    segment_seeds,
    ("index_format/codec", "index_format/segment"),
    mutation=mutate_segment,
    max_input=128,
)

TARGETS: Final = (MANIFEST, ORIGIN, SEGMENT)
