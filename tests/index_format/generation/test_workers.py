"""Several processes build one index: the bytes are those of one process."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from index_format.errors import InvalidInputError
from index_format.generation.writer import build_segment
from index_format.health.check import check
from index_format.model import Document, Vocabulary
from index_format.segment.entry import SegmentEntry
from index_format.store.file_store import FileStore
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import LIMITS, SCHEMA, document, index_in

PATHS = [f"d{number % 5}/f{number:02}" for number in range(60)]


def made(path: str, vocabulary: Vocabulary, version: int = 0) -> Document:
    words = " ".join(f"w{(len(path) + at * 7 + hash_of(path)) % 50}" for at in range(30 + version))
    return document(path, [{"body": words, "name": path}], vocabulary, {"kind": path.encode()})


def hash_of(path: str) -> int:
    return sum(path.encode())


def build_part(folder: str, paths: list[str]) -> SegmentEntry:
    vocabulary = Vocabulary()
    documents = [made(path, vocabulary) for path in paths]
    return build_segment(FileStore(folder), SCHEMA, documents, vocabulary)


def names(store: FileStore | MemoryStore) -> list[str]:
    return [entry.name for entry in index_in(store).snapshot().manifest.segments]


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """Segments of an index that one process built."""
    store = MemoryStore()
    index = index_in(store)
    with index.writer() as writer:
        for path in PATHS:
            writer.add(made(path, writer.vocabulary))
        writer.commit()
    index.compact(full=True)
    return names(store)


@pytest.mark.servers
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same_bytes(
    workers: int, tmp_path: Path, alone: list[str]
) -> None:
    """Parts built elsewhere, adopted in any order, compact to the same segments."""
    parts = [PATHS[at :: 2 * workers] for at in range(2 * workers)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        entries = list(pool.map(build_part, [str(tmp_path)] * len(parts), parts))
    store = FileStore(tmp_path)
    index = index_in(store)
    with index.writer() as writer:
        for entry in reversed(entries):
            writer.adopt(entry)
        writer.commit()
    assert list(index.snapshot().paths()) == sorted(PATHS)
    index.compact(full=True)
    assert names(store) == alone
    index.collect_garbage(grace_seconds=0)
    assert list(check(store)) == []


def test_what_comes_later_wins() -> None:
    """Adopted files replace earlier ones, and are replaced and removed like any others."""
    store = MemoryStore()
    index = index_in(store, LIMITS)
    with index.writer() as writer:
        writer.add(made("a", writer.vocabulary, version=5))
        writer.add(made("b", writer.vocabulary, version=5))
        vocabulary = Vocabulary()
        parts = [made(path, vocabulary) for path in ("a", "c", "d")]
        writer.adopt(build_segment(store, SCHEMA, parts, vocabulary))
        writer.add(made("c", writer.vocabulary, version=9))
        writer.remove("d")
        snapshot = writer.commit()
    assert list(snapshot.paths()) == ["a", "b", "c"]
    assert snapshot.token_count(0) == 30 + 35 + 39
    assert list(check(store)) == []


def test_only_what_was_built_is_adopted() -> None:
    """Entries with dead files or of the compacted layout come from a manifest, not a builder."""
    store = MemoryStore()
    vocabulary = Vocabulary()
    entry = build_segment(store, SCHEMA, [made("a", vocabulary)], vocabulary)
    with index_in(store).writer() as writer:
        with pytest.raises(InvalidInputError, match="as made by `build_segment`"):
            writer.adopt(replace(entry, canonical=True))
        writer.adopt(entry)
        writer.commit()
    with pytest.raises(InvalidInputError, match="has released its lock"):
        writer.adopt(entry)


@pytest.mark.parametrize("paths", [[], ["a", "a"]])
def test_a_segment_has_documents_and_each_path_once(paths: list[str]) -> None:
    """Nothing to build, or two documents that would be one file, are refused."""
    vocabulary = Vocabulary()
    documents = [made(path, vocabulary) for path in paths]
    with pytest.raises(InvalidInputError, match="one document or more"):
        build_segment(MemoryStore(), SCHEMA, documents, vocabulary)
