"""A segment as a manifest describes it: when it has just been written, and with some files dead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from index_format.frame import FrameFile
from index_format.manifest import SegmentEntry
from index_format.segment_reader import SegmentReader
from index_format.segment_writer import SegmentContent


def entry_of(frame: FrameFile, content: SegmentContent, *, canonical: bool) -> SegmentEntry:
    """The entry of a segment that was just written, all its files alive."""
    chunks = len(content.chunks.ids)
    totals = content.files.totals.sum(axis=1, dtype=np.int64)
    return SegmentEntry(
        frame.name,
        frame.length,
        frame.seal,
        len(content.files.paths),
        chunks,
        (),
        chunks,
        tuple(totals.tolist()),
        canonical,
    )


def with_dead(entry: SegmentEntry, reader: SegmentReader, dead: Iterable[int]) -> SegmentEntry:
    """The entry with exactly these files dead, counts as the segment gives them."""
    numbers = sorted(dead)
    counts = np.diff(reader.files.bounds)
    totals = reader.files.totals(len(entry.live_totals)).astype(np.int64)
    live = totals.sum(axis=1) - totals[:, numbers].sum(axis=1)
    return replace(
        entry,
        dead_files=tuple(numbers),
        live_chunks=reader.chunk_count - int(counts[numbers].sum()),
        live_totals=tuple(live.tolist()),
    )
