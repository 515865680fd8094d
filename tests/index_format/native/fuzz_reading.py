"""Gives sound and damaged bytes to a compiled module: python fuzz_reading.py MODULE ROUNDS."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np

from index_format.codec import decoding, postings
from index_format.codec.wire import MalformedError, encode_varints
from index_format.layout import BLOCK, ROW_BYTES
from tests.index_format.native.module_file import load


def batch(chance: random.Random) -> postings.Batch:
    """One term, whose gaps and frequencies are of all widths."""
    count = chance.choice([1, 2, 127, 128, 129, 300, 1000])
    steps = [1 + chance.getrandbits(chance.choice([0, 1, 2, 4, 8, 16, 20])) for _ in range(count)]
    times = [1 + chance.getrandbits(chance.choice([0, 1, 2, 4, 8, 16, 31])) for _ in range(count)]
    chunks = np.cumsum(steps) - 1
    return postings.Batch(
        np.array([count]), chunks.astype(np.uint32), np.array(times, dtype=np.uint32)
    )


def damaged(chance: random.Random, data: bytes) -> bytes:
    """With a few bytes changed, or cut."""
    if not data or chance.random() < 0.3:
        return data
    changed = bytearray(data)
    for _ in range(chance.randrange(3)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.choice([len(changed), chance.randrange(len(changed) + 1)])])


def outcome(work: Callable[[], tuple[object, ...]]) -> object:
    try:
        return work()
    except ValueError:
        return MalformedError


def lists(found: tuple[np.ndarray[tuple[int], np.dtype[np.uint32]], ...]) -> tuple[object, ...]:
    return tuple(item.ravel().tolist() for item in found)


def arrays(found: tuple[bytes, bytes]) -> tuple[object, ...]:
    return tuple(np.frombuffer(item, dtype=np.uint32).tolist() for item in found)


def tails(module: ModuleType, chance: random.Random) -> None:
    """A tail is for both the same, or damaged."""
    item = batch(chance)
    codes = np.zeros(int(item.chunks[-1]) + 1, dtype=np.uint8)
    data = damaged(chance, postings.encode(item, codes, 0).tails)
    count, last = chance.choice([int(item.counts[0]) % BLOCK, 5]), chance.choice([-1, 7, 2**31])
    if not data or not count:
        return
    plain = outcome(lambda: lists(decoding.tail_by_numpy(data, count, last)))
    assert outcome(lambda: arrays(module.tail(data, count, last))) == plain, (data, count, last)


def blocks(module: ModuleType, chance: random.Random) -> None:
    """Blocks are for both the same, or damaged."""
    item = batch(chance)
    codes = np.zeros(int(item.chunks[-1]) + 1, dtype=np.uint8)
    encoded = postings.encode(item, codes, 0)
    meta = encoded.meta
    rows = np.frombuffer(encoded.rows, dtype=np.uint8).reshape(-1, ROW_BYTES)
    at, before = meta["row"].astype(np.int64), np.full(len(meta), -1)
    before[1:] = meta["last"][:-1]
    sound = lists(decoding.blocks_by_numpy(rows, at, meta, before)) if len(meta) else ([], [])
    assert arrays(module.blocks(rows, at, meta, before)) == sound
    worse = damaged(chance, meta.tobytes()), damaged(chance, at.tobytes())
    outcome(lambda: module.blocks(damaged(chance, rows.tobytes()), worse[1], worse[0], before))


def entries(module: ModuleType, chance: random.Random) -> None:
    """A dictionary page gives the entries that were put into it."""
    size = chance.choice([0, 1, 5, 127, 128])
    terms = sorted({chance.randbytes(chance.randrange(1, 6)) for _ in range(size)})
    columns = [[len(term) for term in terms]]
    columns += [[1 + chance.getrandbits(9) for _ in terms] for _ in range(4)]
    info = encode_varints(np.array(columns, dtype=np.uint64).ravel())
    text = b"".join(terms)
    lengths, chunks, surplus, tails, positions = columns
    sums = sum(lengths), sum(tails), sum(positions), sum(count // BLOCK for count in chunks)
    for at, term in enumerate(terms):
        blocks = sum(count // BLOCK for count in chunks[:at])
        spans = sum(tails[:at]), tails[at], sum(positions[:at]), positions[at]
        entry = chunks[at], chunks[at] + surplus[at], blocks, *spans
        assert module.entry(info, text, term, len(terms)) == (sums, entry)
    assert module.entry(info, text, b"......", len(terms)) == (sums, None)
    asked = damaged(chance, info), damaged(chance, text), chance.randbytes(3)
    outcome(lambda: module.entry(*asked, chance.choice([len(terms), -1, 129])))


def main() -> None:
    """Raise what is wrong, if anything is."""
    module, rounds = load(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    for _ in range(rounds):
        tails(module, chance)
        blocks(module, chance)
        entries(module, chance)


if __name__ == "__main__":
    main()
