"""Terms of a query are read together where segments are far away, with the same answers."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.layout import UNREAD
from index_format.model import Schema
from index_format.query.scoring import open_terms, top_chunks
from index_format.query.term_scores import WeightedTerm, prefetch_counts
from index_format.segment import reader
from index_format.segment.reader import open_segment
from index_format.store.contract import ReadHandle
from index_format.store.memory_store import MemoryStore
from tests.index_format import twins

PAGE = 16_384
FIELDS = ("body", "doc", "tags")


class FarHandle:
    """A file far away: which reads nobody has expected, and in how many rounds the others came."""

    def __init__(self, file: ReadHandle) -> None:
        self._file = file
        self.name, self.size = file.name, file.size
        self.identity = f"{UNREAD}{file.size}"
        self._pages: set[int] = set()
        self.surprises = 0
        self.rounds = 0

    def read(self, offset: int, length: int) -> bytes:
        pages = pages_of(offset, length)
        self.surprises += not self._pages.issuperset(pages)
        self._pages |= pages
        return self._file.read(offset, length)

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        pages = {page for offset, length in ranges if length for page in pages_of(offset, length)}
        self.rounds += not self._pages.issuperset(pages)
        self._pages |= pages

    def close(self) -> None:
        """The file is open for others, too."""


def pages_of(offset: int, length: int) -> set[int]:
    return set(range(offset // PAGE, (offset + length - 1) // PAGE + 1))


def far_from(near: Snapshot) -> tuple[Snapshot, list[FarHandle]]:
    """The same generation, with segments far away."""
    handles = [FarHandle(segment.reader.frame._handle) for segment in near.segments]
    opened = {
        handle.name: open_segment(handle, segment.entry, near.schema)
        for handle, segment in zip(handles, near.segments, strict=True)
    }
    return Snapshot(near.manifest, opened), handles


@pytest.fixture(scope="module")
def near() -> Snapshot:
    """Two segments whose dictionaries are too long to be read whole when they are opened."""
    random = Random(5)
    source = twins.corpus(random, 12_000, 90)
    index = Index(MemoryStore(), Schema(twins.FIELDS))
    for part in range(2):
        files = twins.files(random, source, 200)
        twins.write(index, {f"{part}/{path}": chunks for path, chunks in files.items()})
    return index.snapshot()


@pytest.mark.parametrize("seed", range(10))
def test_four_rounds_bring_all_that_scoring_reads(
    near: Snapshot, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_SMALL_BYTES", 4096)
    random = Random(seed)
    snapshot, handles = far_from(near)
    held = random.sample([*near.terms(0)], 6)
    words = [*held, b"", b"nowhere", *(word + b"x" for word in held[:2])]
    terms = [WeightedTerm(field, word, 1.0) for word in words for field in FIELDS]
    before = [(handle.surprises, handle.rounds) for handle in handles]
    prefetch_counts(snapshot, [(term.field, term.term) for term in terms])
    for found in filter(None, open_terms(snapshot, terms)):
        found.all_scores()
    after = [(handle.surprises, handle.rounds) for handle in handles]
    for (surprises, rounds), (no_more, most) in zip(before, after, strict=True):
        assert no_more == surprises
        assert rounds + 1 <= most <= rounds + 4
    assert top_chunks(snapshot, terms, 20) == top_chunks(near, terms, 20)
