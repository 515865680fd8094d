"""Makes segments and stores whose checksums, seals and names are right whatever they hold."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

import xxhash

from index_format import layout
from index_format.codec.frame import FOOTER, SEAL_BYTES, FrameWriter
from index_format.generation.commit import load_current
from index_format.generation.manifest import Manifest, encode, encode_pointer
from index_format.segment.entry import SegmentEntry
from index_format.store.contract import Store
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import files_of, sections_of

Section = tuple[bytes, int, bytes]
Sections = list[Section]


def segment_of(sections: Sequence[tuple[bytes, int, bytes]]) -> bytes:
    """The bytes of a segment that holds these sections."""
    store = MemoryStore()
    writer = FrameWriter(store)
    for tag, field, content in sections:
        writer.section(tag, field, [content])
    name = writer.finish().name
    return files_of(store)[name]


def resealed(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The segment changed, with page checksums and seal that fit; no byte may change its place."""
    changed = change(data)
    tail_offset = FOOTER.unpack(data[-FOOTER.size :])[4]
    size = layout.PAGE_BYTES
    pages = [changed[at : min(at + size, tail_offset)] for at in range(0, tail_offset, size)]
    sums = struct.pack(f"<{len(pages)}Q", *map(xxhash.xxh3_64_intdigest, pages))
    directory = changed[tail_offset : len(data) - FOOTER.size - len(sums)]
    tail = directory + sums + changed[len(data) - FOOTER.size : -SEAL_BYTES]
    return changed[:tail_offset] + tail + xxhash.xxh3_128_digest(tail)


def name_of(data: bytes) -> str:
    """The name that these bytes have as a segment."""
    digest = hashlib.blake2b(data, digest_size=layout.SEGMENT_DIGEST_BYTES)
    return layout.segment_name(digest.digest())


def with_segment(store: Store, number: int, data: bytes) -> MemoryStore:
    """The store with other bytes for a segment of the current generation, all names fitting."""
    manifest = load_current(store)
    old = manifest.segments[number]
    entry = replace(old, name=name_of(data), length=len(data), seal=data[-SEAL_BYTES:].hex())
    files = {name: content for name, content in files_of(store).items() if name != old.name}
    files[entry.name] = data
    segments = (*manifest.segments[:number], entry, *manifest.segments[number + 1 :])
    return with_manifest(MemoryStore(files), replace(manifest, segments=segments))


def with_manifest(store: Store, manifest: Manifest) -> MemoryStore:
    """The store with another manifest as the current one, whether it tells the truth or not."""
    name, data = layout.manifest_name(manifest.generation), encode(manifest)
    files = files_of(store) | {name: data, layout.CURRENT_NAME: encode_pointer(name, data)}
    return MemoryStore(files)


def changed_sections(
    store: Store, number: int, change: Callable[[Sections], Sections]
) -> MemoryStore:
    """The store with the sections of a segment changed and sealed again."""
    entry: SegmentEntry = load_current(store).segments[number]
    with closing(store.open(entry.name)) as handle:
        data = handle.read(0, handle.size)
    return with_segment(store, number, segment_of(change(sections_of(data, entry.name))))
