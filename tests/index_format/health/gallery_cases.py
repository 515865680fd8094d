"""Damaged indexes by name, and how each comes about."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

from index_format import layout
from index_format.codec.frame import ENTRY, FOOTER
from index_format.generation.commit import load_current
from index_format.generation.manifest import Manifest, checksum
from index_format.store.memory_store import MemoryStore
from tests.index_format.reseal import (
    changed_sections,
    resealed,
    with_manifest,
    with_segment,
)
from tests.index_format.samples import files_of, segment_names

Files = dict[str, bytes]
CURRENT, OLD, NEW = layout.CURRENT_NAME, layout.manifest_name(1), layout.manifest_name(2)


def on_segment(change: Callable[[bytes], bytes]) -> Callable[[MemoryStore], Files]:
    """Change the first segment's bytes under its name."""

    def damage(store: MemoryStore) -> Files:
        files, name = files_of(store), segment_names(store)[0]
        return files | {name: change(files[name])}

    return damage


def sealed(change: Callable[[bytes], bytes]) -> Callable[[MemoryStore], Files]:
    """Change the first segment's bytes, and make seal, name and manifest fit."""

    def damage(store: MemoryStore) -> Files:
        data = files_of(store)[segment_names(store)[0]]
        changed = with_segment(store, 0, resealed(data, change))
        return mark_dead(OLD)(changed)  # the older generation's segment is gone

    return damage


def mark_dead(*names: str) -> Callable[[MemoryStore], Files]:
    return lambda store: {n: data for n, data in files_of(store).items() if n not in names}


def with_files(**made: Callable[[Files], bytes]) -> Callable[[MemoryStore], Files]:
    """Replace files by name: `current`, `old` and `new` manifest."""
    known = {"current": CURRENT, "old": OLD, "new": NEW}

    def damage(store: MemoryStore) -> Files:
        files = files_of(store)
        return files | {known[key]: make(files) for key, make in made.items()}

    return damage


def manifest_with(change: Callable[[Manifest], Manifest]) -> Callable[[MemoryStore], Files]:
    """Another current manifest, sound in itself."""
    return lambda store: files_of(with_manifest(store, change(load_current(store))))


def entry_with(**values: object) -> Callable[[Manifest], Manifest]:
    """The manifest with other numbers for its first segment."""

    def change(manifest: Manifest) -> Manifest:
        first = replace(manifest.segments[0], **values)  # type: ignore[arg-type]  # as the cases say
        return replace(manifest, segments=(first, *manifest.segments[1:]))

    return change


def put(at: int, kind: str, value: int) -> Callable[[bytes], bytes]:
    """Write an integer; negative offsets count from the end."""

    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        struct.pack_into(kind, changed, at % len(data), value)
        return bytes(changed)

    return change


def entry(number: int, column: int, value: int | bytes) -> Callable[[bytes], bytes]:
    """Change a number of the section directory."""

    def change(data: bytes) -> bytes:
        at = FOOTER.unpack(data[-FOOTER.size :])[4] + number * ENTRY.size
        fields = list(ENTRY.unpack_from(data, at))
        fields[column] = value
        return data[:at] + ENTRY.pack(*fields) + data[at + ENTRY.size :]

    return change


def swapped(store: MemoryStore) -> Files:
    files, (first, second) = files_of(store), segment_names(store)
    return files | {first: files[second], second: files[first]}


def posting_changed(store: MemoryStore) -> Files:
    changed = changed_sections(
        store, 0, lambda all_: [(t, f, bytes(len(d)) if t == b"TAIL" else d) for t, f, d in all_]
    )
    return mark_dead(OLD)(changed)


def respelled(files: Files) -> bytes:
    inner = files[NEW].partition(b'"manifest":')[2][:-2].replace(b"false", b"false ", 1)
    return b'{"checksum":"%s","manifest":%s}\n' % (checksum(inner).encode(), inner)


def newer_version(manifest: Manifest) -> Manifest:
    return replace(manifest, format_version=layout.FORMAT_VERSION + 1)


def zeroed(name: str) -> Callable[[Files], bytes]:
    return lambda files: bytes(len(files[name]))


def first_only(store: MemoryStore) -> Files:
    """The store after the first publication died before the pointer was written."""
    keep = {OLD, segment_names(store)[0]}
    return {name: data for name, data in files_of(store).items() if name in keep}


def with_extra(name: str, data: bytes) -> Callable[[MemoryStore], Files]:
    return lambda store: files_of(store) | {name: data}


# name and damage; what is expected of each stands in `gallery_expected`
DAMAGES: dict[str, Callable[[MemoryStore], Files]] = {
    "sound": files_of,
    "footer-truncated": on_segment(lambda data: data[:-10]),
    "segment-cut-to-nothing": on_segment(lambda _: b""),
    "segment-longer": on_segment(lambda data: data + b"x"),
    "segment-zeroed": on_segment(lambda data: bytes(len(data))),
    "segment-half-zeroed": on_segment(lambda data: data[:500] + bytes(len(data) - 500)),
    "segment-header-flipped": on_segment(lambda data: b"r" + data[1:]),
    "segment-page-flipped": on_segment(put(530, "<B", 0xFF)),
    "segment-seal-flipped": on_segment(put(-1, "<B", 0)),
    "segment-missing": lambda store: mark_dead(segment_names(store)[0])(store),
    "segments-swapped": swapped,
    "segment-of-other-bytes": on_segment(lambda data: resealed(data, put(90, "<B", 0xFF))),
    "header-version-other": sealed(put(8, "<H", 7)),
    "segment-of-newer-version": sealed(put(-FOOTER.size + 8, "<H", 7)),
    "footer-of-too-many-sections": sealed(put(-FOOTER.size + 12, "<I", 0xFFFFFFFF)),
    "footer-tail-beyond": sealed(put(-FOOTER.size + 16, "<Q", 1 << 60)),
    "footer-zero-not-zero": sealed(put(-FOOTER.size + 40, "<Q", 1)),
    "directory-overlap": sealed(entry(2, 3, 48)),
    "directory-beyond": sealed(entry(2, 4, 1 << 60)),
    "directory-gap": sealed(entry(2, 3, 96)),
    "directory-section-twice": sealed(entry(2, 0, b"PATH")),
    "padding-not-zero": sealed(put(44, "<B", 1)),
    "postings-changed": posting_changed,
    "current-missing": mark_dead(CURRENT),
    "current-empty": with_files(current=lambda _: b""),
    "current-zeroed": with_files(current=zeroed(CURRENT)),
    "current-torn": with_files(current=lambda files: files[CURRENT][:20]),
    "current-of-other-bytes": with_files(
        current=lambda files: f"{NEW} {checksum(files[OLD])}\n".encode()
    ),
    "current-to-nowhere": with_files(
        current=lambda files: f"{layout.manifest_name(9)} {checksum(files[NEW])}\n".encode()
    ),
    "manifest-missing": mark_dead(NEW),
    "manifest-zeroed": with_files(new=zeroed(NEW)),
    "manifest-torn": with_files(new=lambda files: files[NEW][:300]),
    "manifest-respelled": with_files(
        new=respelled, current=lambda f: f"{NEW} {checksum(respelled(f))}\n".encode()
    ),
    "manifest-of-newer-version": manifest_with(newer_version),
    "mixed-generation": with_files(new=lambda files: files[OLD]),
    "both-manifests-missing": mark_dead(OLD, NEW),
    "older-manifest-zeroed": with_files(old=zeroed(OLD)),
    "counts-untrue": manifest_with(entry_with(live_totals=(7, 7))),
    "file-alive-twice": manifest_with(entry_with(dead_files=(), live_chunks=3, live_totals=(5, 2))),
    "never-published": first_only,
    "temporary-left-over": with_extra("tmp-0a-0b.part", b"half a segm"),
    "segment-left-over": with_extra(layout.segment_name(bytes(20)), b"nobody lists this"),
    "foreign-file": with_extra("notes.txt", b"not ours"),
}
