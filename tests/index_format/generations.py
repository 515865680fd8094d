"""Generations made of stand-in segments: enough for all that never looks inside one."""

from __future__ import annotations

from contextlib import closing

from index_format import layout
from index_format.generation.manifest import Manifest, encode, encode_pointer
from index_format.model import Field, Schema
from index_format.segment.entry import SegmentEntry
from index_format.store.contract import Store

SCHEMA = Schema((Field("body"),))
CURRENT = layout.CURRENT_NAME


def data_of(entry: SegmentEntry) -> bytes:
    return entry.name.encode() * 2


def entry(number: int) -> SegmentEntry:
    name = layout.segment_name(bytes([number]) * layout.SEGMENT_DIGEST_BYTES)
    return SegmentEntry(name, 2 * len(name), "0" * 32, 1, 1, (), 1, (1,), canonical=False)


def manifest(generation: int, *numbers: int, settings: str = "") -> Manifest:
    return Manifest(generation, SCHEMA, settings, tuple(map(entry, numbers)))


def files_of(*manifests: Manifest) -> dict[str, bytes]:
    """The files of a store after these were published one after the other."""
    files = {item.name: data_of(item) for each in manifests for item in each.segments}
    for each in manifests:
        name = layout.manifest_name(each.generation)
        files[name] = encode(each)
        files[CURRENT] = encode_pointer(name, files[name])
    return files


def add_segment(store: Store, item: SegmentEntry) -> None:
    handle = store.create()
    try:
        data = data_of(item)
        handle.write(data[:70])
        handle.write(data[70:])
        handle.publish(item.name)
    finally:
        handle.discard()


def read(store: Store, name: str) -> bytes:
    with closing(store.open(name)) as handle:
        return handle.read(0, handle.size)
