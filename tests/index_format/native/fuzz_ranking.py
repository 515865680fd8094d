"""Random input for the compiled functions that rank: whole terms, sums, scores, passages.

What they answer is compared where a model is short; longer models are those of the packages, whose
own tests compare them. All of it is called by `fuzz.py`.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from index_format.codec import postings
from index_format.codec.chunks import CODE_LENGTHS
from index_format.layout import BLOCK
from index_format.native import Native, StoredTerm, pack_column, pack_signed, pack_steps
from repo_mcp.native import ServerNative

LENGTHS = CODE_LENGTHS.astype(np.float64)
FIELDS = 4
LIMITS = (8, 2, 5, 30, 40, 24, 12, 12, 16, 3, 6.0, 1000.0, 0.3, b" ...", (b"#", b"//"))
WORDS = ["alpha", "Beta", "_", "x" * 70, "\u00e9", "# alpha", "\t", "\r", ""]


def doubles(chance: random.Random, count: int) -> bytes:
    return struct.pack(
        f"{count}d", *(chance.choice([0.0, 1.0, chance.random()]) for _ in range(count))
    )


def numbers(values: list[int]) -> bytes:
    return struct.pack(f"{len(values)}q", *values)


def damage(chance: random.Random, data: bytes) -> bytes:
    """The bytes, some changed or cut off."""
    worse = bytearray(data)
    for _ in range(chance.randrange(3)):
        if worse:
            worse[chance.randrange(len(worse))] = chance.randrange(256)
    return bytes(worse[: len(worse) - chance.choice([0, 0, 1, 8])])


def check_terms(native: Native, chance: random.Random) -> None:
    """A whole term is what was encoded, with the base added; or it is damaged."""
    count = chance.choice([1, 127, 128, 129, 300])
    steps = [1 + chance.getrandbits(chance.choice([0, 1, 4, 8, 16])) for _ in range(count)]
    times = [1 + chance.getrandbits(chance.choice([0, 1, 8, 31])) for _ in range(count)]
    chunks = np.cumsum(steps).astype(np.uint32) - np.uint32(1)
    batch = postings.Batch(np.array([count]), chunks, np.array(times, dtype=np.uint32))
    span = int(chunks[-1]) + 1
    encoded = postings.encode(batch, np.zeros(span, dtype=np.uint8), 0)
    meta, rows, tail = encoded.meta.tobytes(), bytes(encoded.rows), bytes(encoded.tails)
    found = native.decode_term(rows, meta, tail, count % BLOCK, 5, span)
    assert np.frombuffer(found[0], np.int64).tolist() == [int(chunk) + 5 for chunk in chunks]
    assert np.frombuffer(found[1], np.uint32).tolist() == times
    for _ in range(4):
        with suppress(ValueError):
            worse = damage(chance, rows), damage(chance, meta), damage(chance, tail)
            native.decode_term(*worse, chance.choice([count % BLOCK, 0, 127]), 5, span)


def stored(chunks: list[int], times: list[int], base: int, span: int) -> StoredTerm:
    """The postings of a term as they are stored in a segment of so many chunks."""
    columns = np.array(chunks, dtype=np.uint32), np.array(times, dtype=np.uint32)
    batch = postings.Batch(np.array([len(chunks)]), *columns)
    encoded = postings.encode(batch, np.zeros(span, dtype=np.uint8), 0)
    meta, rows, tail = encoded.meta.tobytes(), bytes(encoded.rows), bytes(encoded.tails)
    return rows, meta, tail, len(chunks) % BLOCK, base, span


def check_sums(native: Native, chance: random.Random) -> None:
    """Sums are those of one posting after the other."""
    span = chance.choice([1, 64, 4096, 9000])
    codes = chance.randbytes(span)
    terms: list[tuple[list[int], list[int], float, float]] = []
    sums: dict[int, float] = {}
    keep = np.array([chance.random() < 0.7 for _ in range(span)])
    for _ in range(chance.randrange(4)):
        chunks = sorted(chance.sample(range(span), chance.randrange(1 + min(span, 400))))
        times = [chance.randrange(1, 9) for _ in chunks]
        idf, boost = chance.random(), chance.choice([1.0, 0.5])
        for chunk, count in zip(chunks, times, strict=True):
            if keep[chunk]:
                divisor = 1.2 * ((1 - 0.75) + 0.75 * LENGTHS[codes[chunk]] / 50.0)
                score = idf * ((count * (1.2 + 1)) / (count + divisor))
                score = score * boost if boost != 1.0 else score
                sums[chunk] = sums.get(chunk, 0.0) + score
        terms.append((chunks, times, idf, boost))
    limit, is_ordered = chance.choice([1, 7, 10_000]), chance.random() < 0.5
    middle = span // 2
    asked = tuple(
        (
            (
                stored(
                    *zip_below(
                        [pair for pair in zip(chunks, times, strict=True) if pair[0] < middle]
                    ),
                    0,
                    span,
                ),
                stored(
                    *zip_below(
                        [
                            (chunk - middle, n)
                            for chunk, n in zip(chunks, times, strict=True)
                            if chunk >= middle
                        ]
                    ),
                    middle,
                    span,
                ),
            ),
            codes,
            *(idf, 1.2, 0.75, 50.0, boost),
        )
        for chunks, times, idf, boost in terms
    )
    found, ties, counts = native.best_postings(asked, LENGTHS, keep, span, limit, is_ordered)
    rounded = {chunk: float(np.round(total, 9)) for chunk, total in sums.items()}
    last = sorted(rounded.values(), reverse=True)[limit - 1] if len(rounded) > limit else -1.0
    best = [chunk for chunk in sorted(rounded) if rounded[chunk] > last]
    tied = [chunk for chunk in sorted(rounded) if rounded[chunk] == last]
    if is_ordered or len(best) + len(tied) <= limit:
        best, tied = sorted(best + tied[: limit - len(best)]), []
    assert np.frombuffer(found, np.int64).tolist() == best
    assert np.frombuffer(ties, np.int64).tolist() == tied
    assert (counts is None) == bool(tied)
    for column, (chunks, times, _, _) in zip(counts or (), terms, strict=not tied):
        held = dict(zip(chunks, times, strict=True))
        assert np.frombuffer(column).tolist() == [float(held.get(chunk, 0)) for chunk in best]
    worse: Any
    for parts, *figures in asked:
        worse = worsen(chance, parts[0])
        with suppress(ValueError, TypeError, OverflowError):
            worse = (chance.choice([(worse,), parts[::-1], (*parts, worse)]), *figures)
            native.best_postings((worse,), LENGTHS, keep, span, limit, is_ordered)


def check_lookups(native: Native, chance: random.Random) -> None:
    """Only the wanted chunks are looked up, in rows that are read as they are needed."""
    span = chance.choice([1, 300, 9000, 70_000])
    chunks = sorted(chance.sample(range(span), chance.randrange(1 + min(span, 3000))))
    times = [chance.choice([1, 1, 2, 300, 70_000]) for _ in chunks]
    rows, meta, tail, count, base, _ = stored(chunks, times, chance.choice([0, 7]), span)
    assert isinstance(rows, bytes)
    assert isinstance(meta, bytes)
    assert isinstance(tail, bytes)

    def read(low: int, size: int) -> bytes:
        assert 0 <= low <= low + size <= len(rows) // 16
        return rows[16 * low : 16 * (low + size)]

    wanted = sorted(chance.sample(range(span + 20), chance.randrange(1 + min(span, 300))))
    asked = np.array(wanted, dtype=np.int64)
    held = dict(zip([base + chunk for chunk in chunks], times, strict=True))
    (column,) = native.count_in_chunks((((read, meta, tail, count, base, span),),), asked)
    assert np.frombuffer(column).tolist() == [float(held.get(chunk, 0)) for chunk in wanted]

    def lie(low: int, size: int) -> bytes:
        return damage(chance, rows)[16 * low : 16 * (low + size)] if low < 1 << 20 else b""

    for _ in range(4):
        parts = lie, damage(chance, meta), damage(chance, tail), chance.choice([count, 0, 127])
        with suppress(ValueError):
            native.count_in_chunks((((*parts, base, chance.choice([span, 3])),),), asked)
    for worse in (asked[::-1].copy(), damage(chance, asked.tobytes())):
        with suppress(ValueError):
            native.count_in_chunks((((read, meta, tail, count, base, span),),), worse)


def zip_below(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [chunk for chunk, _ in pairs], [times for _, times in pairs]


def some_fields(chance: random.Random, count: int) -> tuple[tuple[int, bytes], ...]:
    chosen = chance.sample(range(FIELDS), chance.randrange(FIELDS + 1))
    return tuple((field, doubles(chance, count)) for field in chosen)


def some_signs(chance: random.Random, count: int) -> list[tuple[object, ...]]:
    """Signs of paths: five sets of texts."""
    return [
        tuple(frozenset(chance.sample(WORDS, chance.randrange(4))) for _ in range(5))
        for _ in range(count)
    ]


def check_ranks(native: ServerNative, chance: random.Random) -> None:
    """Whatever the columns, they are ranked or refused."""
    count = chance.choice([0, 1, 9, 40])
    terms = tuple(
        (
            *(chance.random(), chance.random(), chance.choice([0.0, 1.5]), chance.random() < 0.5),
            *(chance.choice(WORDS), chance.choice(WORDS)),
            *(some_fields(chance, count), some_fields(chance, count)),
        )
        for _ in range(chance.randrange(4))
    )
    weights = (2.5, 0.6, 1.5, 0.25, 9.0, 1.5)
    files = sorted(chance.choices(range(4), k=count))
    known = sorted(set(files))
    size, owners = len(known), [known.index(file) for file in files]
    chosen = doubles(chance, count), numbers(owners), numbers([3 * at for at in range(count)])
    about = some_signs(chance, size), doubles(chance, size), doubles(chance, size)
    asked = terms, weights, chosen, about, (5, 0.3, 0.75, 6.0, 2.0)
    found = native.rank_files(*asked)
    sizes = [len(column) // 8 for column in found[:4]]
    assert sizes == [sizes[0]] * 3 + [size]
    assert len(found[4]) == count
    scores = np.frombuffer(found[0]).tolist()
    assert any(map(math.isnan, scores)) or scores == sorted(scores, reverse=True)
    refused = ValueError, TypeError, OverflowError
    for place in range(len(asked)):
        worse: list[Any] = list(asked)
        worse[place] = worsen(chance, asked[place])
        with suppress(*refused):
            native.rank_files(*worse)


def worsen(chance: random.Random, given: Any) -> Any:  # noqa: ANN401 whatever is asked for
    """The same with one thing in it changed."""
    if isinstance(given, bytes):
        return damage(chance, given)
    if isinstance(given, list | tuple) and given:
        worse = list(given)
        at = chance.randrange(len(worse))
        worse[at] = worsen(chance, worse[at])
        return worse if isinstance(given, list) else tuple(worse)
    return chance.choice([None, -1, 1 << 70, (), "", b"12345678", [()], given])


def check_passages(native: ServerNative, chance: random.Random) -> None:
    """A passage has lines of the file, whatever the declarations are."""
    rows = [" ".join(chance.choices(WORDS, k=2)) for _ in range(chance.choice([0, 1, 30, 90]))]
    data = "\n".join(rows).encode() + chance.choice([b"", b"\n"])
    terms = tuple(word.encode() for word in chance.sample(["alpha", "beta", "x"], 2))
    question = terms, doubles(chance, 2), chance.choice([b"", b"alpha", b"alphabeta", b"\xff"])
    count = chance.choice([0, 1, 6, 200])
    names = [
        chance.choice(["alpha", "be_ta", "", "a.b", "\n", "\u00e9"][: chance.choice([4, 6])])
        for _ in range(count)
    ]
    starts = [chance.randrange(1, 100) for _ in range(count)]
    spans = [chance.choice([0, 3, 50, 1 << 40]) for _ in range(count)]
    steps = [chance.choice([0, 1, -1, 7]) for _ in range(count)]
    columns = (
        pack_column([len(name) for name in names]),
        pack_steps(starts),
        pack_column(spans),
        pack_signed(steps),
    )
    first = chance.choice([1, 1, 5, 91, 0, 1 << 50])
    last = first + chance.choice([0, 20, 100, -1])
    places = "".join(names), *columns, count
    asked: Callable[..., object] = native.choose_lines
    quoted = tuple(range(first, min(last + 1, first + chance.choice([0, 0, 1, 9]))))
    found = native.choose_lines(data, first, last, question, places, LIMITS, quoted)
    if found is not None:
        assert 1 <= found[0] <= found[1] <= len(rows) + 1
    with suppress(ValueError):
        worse = "".join(names), *(damage(chance, column) for column in columns), count
        asked(data, first, last, question, worse, LIMITS, quoted)
    with suppress(ValueError, TypeError, OverflowError):
        limits = list(LIMITS)
        limits[chance.randrange(len(limits))] = chance.choice([0, -1, 1 << 40, 0.5, b"", (3,)])
        asked(data, first, last, question, places, tuple(limits), quoted)
    with suppress(ValueError, TypeError, OverflowError):
        wrong = chance.choice([(first - 1,), (last + 1,), ("x",), (1 << 70,)])
        asked(data, first, last, question, places, LIMITS, wrong)


POSTING_CHECKS = (check_terms, check_sums, check_lookups)
RANKING_CHECKS = (check_ranks, check_passages)
