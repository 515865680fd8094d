"""Builds an index in one of several ways and prints names and checksums of its segments."""

from __future__ import annotations

import hashlib
import random
import sys

from index_format import layout
from index_format.model import Limits
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import LIMITS, add_all, files_of, index_in, segment_names

COUNT = 60
WAYS = ("sorted", "reversed", "shuffled", "spilled", "one by one", "edited", "compacted twice")
Files = dict[str, list[dict[str, str]]]


def content(count: int = COUNT) -> Files:
    """Files that share some words; non-ASCII paths sort by bytes."""
    return {
        f"{'é' if number % 7 == 0 else 'src'}/f{number:03}.py": [
            {"body": f"shared w{number} w{number % 5} " * (number % 3), "name": f"n{number % 4}"},
            {"body": "return shared"},
        ]
        for number in range(count)
    }


def built(way: str, files: Files, seed: int = 0, limits: Limits = LIMITS) -> MemoryStore:
    """The fully compacted index of these files."""
    store = MemoryStore()
    index = index_in(store, limits)
    order = list(files)
    if way == "reversed":
        order.reverse()
    if way == "shuffled":
        random.Random(seed).shuffle(order)
    with index.writer(memory=64 * 100 if way == "spilled" else 1 << 20) as writer:
        if way == "edited":
            add_all(writer, {path: [{"body": "old words", "name": "gone"}] for path in order})
            add_all(writer, {"gone.py": [{"body": "never again"}]})
            writer.commit()
            writer.remove("gone.py")
        for path in order:
            add_all(writer, {path: files[path]})
            if way == "one by one":
                writer.commit()
        writer.commit()
    if way == "compacted twice":
        index.compact()
        with index.writer() as writer:
            add_all(writer, {order[0]: files[order[0]]})
            writer.commit()
    index.compact(full=True, memory=1 if way == "spilled" else 1 << 20)
    return store


def current_segments(store: MemoryStore) -> dict[str, bytes]:
    """Bytes of the current generation's segments, in its order."""
    files = files_of(store)
    return {name: files[name] for name in segment_names(store)}


def main() -> int:
    """Print what two processes are compared by."""
    for name, data in current_segments(built(sys.argv[1], content(), int(sys.argv[2]))).items():
        print(name, hashlib.sha256(data).hexdigest(), layout.FORMAT_VERSION)  # noqa: T201  (read by the test)
    return 0


if __name__ == "__main__":
    sys.exit(main())
