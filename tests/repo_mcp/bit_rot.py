"""Lets damage look as a failing disk makes it: bytes change, and nothing else about the file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from index_format import FileStore
from index_format.generation.origin import OriginRecord, load_record, write_record
from repo_mcp.stored import TEXT_INDEX, StoredKind


def hide_touch(data_dir: Path, kind: StoredKind = TEXT_INDEX) -> None:
    """Record the present identities of an index's segments, as if nobody had written to them."""
    store = FileStore(data_dir / kind.folder, origin=data_dir / kind.origin)
    record = load_record(store)
    assert record is not None
    segments = {}
    for name in record.segments:
        if (data_dir / kind.folder / name).exists():
            with closing(store.open(name)) as handle:
                segments[name] = handle.identity
    write_record(store, OriginRecord(record.manifests, segments))
