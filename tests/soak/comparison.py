"""The size of the indexes of a data folder, and a comparison with those of another one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from index_format import FileStore, Index, IndexMissingError, Snapshot, WeightedTerm, top_chunks
from repo_mcp.stored import FIELDS, STORED_KINDS, TEXT_INDEX, StoredKind
from tests.repo_mcp.trees import FOREVER, served

_TERMS: Final = ("import", "parser", "class", "self", "edit", "branch", "lock", "word7")


def index_bytes(data: Path) -> int:
    """Bytes of all files of all indexes, needed or not."""
    total = 0
    for kind in STORED_KINDS:
        for file in (data / kind.folder).glob("*"):
            with suppress(OSError):  # removed meanwhile
                total += file.stat().st_size
    return total


def live_bytes(data: Path) -> int:
    """Bytes of the segments of the current generations."""
    return sum(
        item.length
        for kind in STORED_KINDS
        if (snapshot := _snapshot(data, kind)) is not None
        for item in snapshot.manifest.segments
    )


def build_fresh(root: Path, data: Path) -> int:
    """Build the indexes of a tree; returns their bytes."""
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    manager.tidy(FOREVER, full=True)
    manager.close()
    return index_bytes(data)


def compare_answers(data: Path, fresh: Path) -> list[str]:
    """The indexes that give other answers than fresh ones of the same tree."""
    return [
        f"{data.name}: the {kind.title} gives other answers than a fresh one"
        for kind in STORED_KINDS
        if list(_answers(data, kind)) != list(_answers(fresh, kind))
    ]


def compare_merged(root: Path, data: Path, fresh: Path) -> list[str]:
    """The indexes that have other bytes than fresh ones once they are fully merged, as by this."""
    manager = served(root, data).manager
    manager.tidy(FOREVER, full=True)
    manager.close()
    return [
        f"{data.name}: the fully merged {kind.title} has other bytes than a fresh one"
        for kind in STORED_KINDS
        if _segment_names(data, kind) != _segment_names(fresh, kind)
    ]


def _answers(data: Path, kind: StoredKind) -> Iterator[object]:
    snapshot = _snapshot(data, kind)
    if snapshot is None:
        return
    yield snapshot.chunk_count, snapshot.fingerprints()
    for path, number, file in snapshot.files():
        stored = snapshot.segments[number].reader.attachments
        attached = {name: bytes(stored.get(file, name)) for name in stored.kinds}
        yield path, {name: data for name, data in attached.items() if data}
    for word in _TERMS if kind is TEXT_INDEX else ():
        terms = [WeightedTerm(field, word.encode()) for field in FIELDS]
        hits = top_chunks(snapshot, terms, 50)
        yield [(snapshot.chunk(hit.chunk), hit.score) for hit in hits]


def _segment_names(data: Path, kind: StoredKind) -> list[str]:
    snapshot = _snapshot(data, kind)
    return [] if snapshot is None else [item.name for item in snapshot.manifest.segments]


def _snapshot(data: Path, kind: StoredKind) -> Snapshot | None:
    with suppress(IndexMissingError):
        return Index(FileStore(data / kind.folder, create=False), kind.schema).snapshot()
    return None
