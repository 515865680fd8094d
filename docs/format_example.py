"""The index that docs/format.md takes apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from index_format.codec.frame import FramedFile
from index_format.generation.index import Index
from index_format.health.check import check
from index_format.health.dump import dump, hex_lines
from index_format.model import Chunk, Document, Field, Schema
from index_format.store.memory_store import MemoryStore
from index_format.store.names import is_segment

SCHEMA = Schema((Field("body"),))
FINGERPRINT = bytes(range(16))


def example_store() -> MemoryStore:
    """Two files, one in a folder, three chunks, three terms; one chunk holds a term twice."""
    store = MemoryStore()
    with Index(store, SCHEMA, settings="example").writer() as writer:
        words = writer.vocabulary.tokens
        first = Chunk(1, 10, {"body": words(["def", "main", "def"])}, 1)
        second = Chunk(8, 12, {"body": words(["main"])}, 2)
        writer.add(Document("a.py", [first, second], FINGERPRINT, 120))
        third = Chunk(1, 3, {"body": words(["return", "main"])}, 3)
        writer.add(Document("lib/b.py", [third], FINGERPRINT[::-1], 30))
        writer.commit()
    if list(check(store)):
        msg = "the example is not sound"
        raise ValueError(msg)
    return store


def example_files() -> dict[str, bytes]:
    """Its files by name."""
    store = example_store()
    return {name: _bytes_of(store, name) for name in store.names()}


def example_dump(name: str) -> Iterator[str]:
    """The dump of a file; of a segment, each section's bytes stand before its records."""
    store = example_store()
    if not is_segment(name):
        yield from dump(store, name)
        yield from hex_lines(_bytes_of(store, name), 0)
        return
    data = _bytes_of(store, name)
    with closing(store.open(name)) as handle:
        found = FramedFile(handle)
    yield from (line for line in dump(store, name, section=""))
    yield from hex_lines(data[: found.sections[0].offset], 0)
    for section in found.sections:
        title, *lines = list(dump(store, name, section.label))[1:]
        yield title
        yield from hex_lines(data[section.offset : section.offset + section.length], section.offset)
        yield from lines
    yield f"directory, page checksums and footer at {found.tail_offset}"
    yield from hex_lines(data[found.tail_offset :], found.tail_offset)


def _bytes_of(store: MemoryStore, name: str) -> bytes:
    with closing(store.open(name)) as handle:
        return handle.read(0, handle.size)
