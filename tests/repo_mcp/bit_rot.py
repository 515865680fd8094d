"""Lets damage look as a failing disk makes it: bytes change, and nothing else about the file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from index_format import FileStore
from index_format.generation.origin import OriginRecord, load_record, write_record


def hide_touch(data_dir: Path) -> None:
    """Record the present identities of the index's segments, as if nobody had written to them."""
    store = FileStore(data_dir / "index", origin=data_dir / "origin")
    record = load_record(store)
    assert record is not None
    segments = {}
    for name in record.segments:
        if (data_dir / "index" / name).exists():
            with closing(store.open(name)) as handle:
                segments[name] = handle.identity
    write_record(store, OriginRecord(record.manifests, segments))
