"""Compares reading segments with pread to mapping them, on the same index, alternately.

    python -m bench.format.reads_or_maps FOLDER --words kmalloc mutex

Measured: a lookup in a newly opened snapshot, and queries for two words, medians. A mapped page is
verified on each read like one that is read, so only the way the bytes arrive differs.
To conclude: whether mapping is worth the risk that a file truncated by another program kills us.
"""

from __future__ import annotations

import argparse
import itertools
import mmap
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from bench import machine
from bench.conftest import SCHEMA
from bench.timing import milliseconds
from index_format import FileStore, Index, Snapshot, Store, WeightedTerm, top_chunks
from index_format.layout import SEGMENT_SUFFIX
from index_format.store.contract import ReadHandle


class _Mapped:
    """A mapped file."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._view = memoryview(self._map)
        self.size = len(self._map)
        self.identity = ""

    def read(self, offset: int, length: int) -> bytes:
        return self._view[offset : offset + length]  # type: ignore[return-value]  # a view serves

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """The system reads ahead."""

    def close(self) -> None:
        """Do nothing: the map is released with its last reference."""


class MapStore(FileStore):
    """A store whose files are mapped."""

    def __init__(self, folder: Path) -> None:
        """Map files of this folder."""
        super().__init__(folder, create=False)
        self._path = folder

    def open(self, name: str) -> ReadHandle:  # type: ignore[override]  # another kind of handle
        """Map a segment; read other files."""
        if not name.endswith(SEGMENT_SUFFIX):
            return super().open(name)
        return _Mapped(self._path / name)


def median_ms(ask: Callable[[], object], rounds: int) -> float:
    """Median milliseconds."""
    return statistics.median(milliseconds(ask) for _ in range(rounds))


def first_lookup(store: Store, word: str) -> int:
    """Open and find a word."""
    snapshot = Index(store, SCHEMA).snapshot()
    return snapshot.counts(snapshot.postings(0, word.encode()))[0]


def ask(snapshot: Snapshot, words: Sequence[str]) -> int:
    """Run a query for two words."""
    terms = [WeightedTerm("body", word.encode()) for word in words]
    return len(top_chunks(snapshot, terms, 10))


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", nargs="+", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    stores = {"reads": FileStore(args.folder), "maps": MapStore(args.folder)}
    pairs = list(itertools.combinations(args.words, 2))
    figures: dict[str, dict[str, float]] = {}
    for _ in range(2):  # the second round counts: both have their files in the cache by then
        for name, store in stores.items():
            snapshot = Index(store, SCHEMA).snapshot()
            lookup = median_ms(partial(first_lookup, store, args.words[0]), args.rounds)
            queries = [median_ms(partial(ask, snapshot, pair), args.rounds) for pair in pairs]
            figures[name] = {
                "open_and_lookup_ms": round(lookup, 3),
                "two_words_ms": round(statistics.median(queries), 3),
            }
    print(machine.keep("reads-or-maps", {"words": args.words, **figures}).read_text())


if __name__ == "__main__":
    main()
