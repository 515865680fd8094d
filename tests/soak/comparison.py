"""The size of an index, and a comparison of two of them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from index_format import Snapshot, WeightedTerm, top_chunks
from repo_mcp.stored import FIELDS, INDEX_FOLDER
from tests.repo_mcp.trees import FOREVER, segment_names, served

_TERMS: Final = ("import", "parser", "class", "self", "edit", "branch", "lock", "word7")


def index_bytes(data: Path) -> int:
    """Bytes of all files of an index, needed or not."""
    total = 0
    for file in (data / INDEX_FOLDER).iterdir():
        with suppress(OSError):  # removed meanwhile
            total += file.stat().st_size
    return total


def live_bytes(root: Path, data: Path) -> int:
    """Bytes of the segments of the current generation."""
    snapshot = served(root, data).manager.snapshot()
    return 0 if snapshot is None else sum(item.length for item in snapshot.manifest.segments)


def build_fresh(root: Path, data: Path) -> int:
    """Build an index of a tree; returns its bytes."""
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    manager.close()
    return index_bytes(data)


def compare(root: Path, data: Path, fresh: Path) -> list[str]:
    """How an index differs from a fresh one of the same tree: in answers, or in bytes once merged.

    It is fully merged by this.
    """
    here, there = served(root, data).manager, served(root, fresh).manager
    found = []
    if _answers(here.snapshot()) != _answers(there.snapshot()):
        found.append("the index gives other answers than a fresh one")
    here.tidy(FOREVER, full=True)
    if segment_names(here) != segment_names(there):
        found.append("the fully merged index has other bytes than a fresh one")
    here.close()
    there.close()
    return found


def _answers(snapshot: Snapshot | None) -> list[object]:
    if snapshot is None:
        return []
    found: list[object] = [snapshot.chunk_count, snapshot.fingerprints()]
    for word in _TERMS:
        terms = [WeightedTerm(field, word.encode()) for field in FIELDS]
        hits = top_chunks(snapshot, terms, 50)
        found.append([(snapshot.chunk(hit.chunk), hit.score) for hit in hits])
    return found
