"""Calls the functions on dictionaries with random input, and compares them with the models."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np

from index_format.codec import term_pages
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK
from index_format.native import Native
from index_format.segment.term_order import rank_words, sort_bytes
from tests.index_format.native.fuzz_ranking import damage


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except ValueError:
        return MalformedError


def check_split(native: Native, chance: random.Random) -> None:
    words = ["ab", "a_b", "\u00e9t\u00e9", "_", "x" * 40, "y_" * 30, "\u00e9" * 90]
    terms = [
        word.encode()
        for word in chance.choices(words, k=chance.choice([0, 1, 3, 127, 128, 129, 257, 1000]))
    ]
    ones = np.ones((4, len(terms)), dtype=np.int64)
    text, info, sizes = term_pages.encode_pages(terms, ones, None)
    starts = np.cumsum([0, *sizes[:, 1]])[: len(sizes)].astype(np.int64).tobytes()
    asked = text, info, starts, len(terms)
    kinds = [(None if b"_" in term else 0) if term.isascii() else 1 for term in terms]
    for which, found in enumerate(native.split_terms(*asked)):
        numbers = [at for at, kind in enumerate(kinds) if kind == which]
        assert found[0] == b"\n" + b"".join(terms[at] + b"\n" for at in numbers)
        assert np.frombuffer(found[2], np.uint32).tolist() == numbers
    with suppress(ValueError):
        native.split_terms(damage(chance, asked[0]), damage(chance, asked[1]), starts, len(terms))


def check_entries(native: Native, chance: random.Random) -> None:
    """A dictionary page gives the entries that were put into it."""
    size = chance.choice([1, 5, 127, 128])
    terms = sorted({chance.randbytes(chance.randrange(1, 6)) for _ in range(size)})
    numbers = [[1 + chance.getrandbits(chance.choice([1, 9])) for _ in terms] for _ in range(4)]
    columns = np.array(numbers, dtype=np.int64)
    text, info, sizes = term_pages.encode_pages(terms, columns, None)
    assert native.encode_pages(terms, columns.tobytes()) == (text, info, sizes.tobytes())
    chunks, surplus, tails, positions = numbers
    sums = len(text), sum(tails), sum(positions), sum(count // BLOCK for count in chunks)
    for at, term in enumerate(terms):
        blocks = sum(count // BLOCK for count in chunks[:at])
        spans = sum(tails[:at]), tails[at], sum(positions[:at]), positions[at]
        entry = chunks[at], chunks[at] + surplus[at], blocks, *spans
        assert native.decode_entry(info, text, term, len(terms)) == (sums, entry)
    assert not native.decode_entry(info, text, b"......", len(terms))
    check_pages(native, chance, (text, info), len(terms))
    asked = damage(chance, info), damage(chance, text), chance.randbytes(3)
    outcome(lambda: native.decode_entry(*asked, chance.choice([len(terms), -1, 129])))


def check_pages(
    native: Native, chance: random.Random, page: tuple[bytes, bytes], count: int
) -> None:
    """Damaged pages are for both codes the same, or damaged."""
    text, info = (damage(chance, part) for part in page)
    starts = np.zeros(1 if count else 0, dtype=np.int64)
    asked: list[Callable[[Native | None], object]] = [
        lambda one: term_pages.decode_pages(info, starts, count, one).tolist(),
        lambda one: [*map(bytes, term_pages.spell_terms(text, info, starts, count, one))],
        lambda one: term_pages.mark_trigrams(text, info, starts, count, one).tolist(),
    ]
    for ask in asked:
        found = outcome(partial(ask, native))
        assert found == outcome(partial(ask, None)), (text, info, count)
        if found is MalformedError:
            break


def check_order(native: Native, chance: random.Random) -> None:
    """Terms are sorted and words ranked as the model does it, some in ascending runs."""
    parts = [b"a", b"\0", b"\xff", b"abcdefgh", b"x" * 40]
    runs = [
        [b"".join(chance.choices(parts, k=chance.randrange(4))) for _ in range(size)]
        for size in chance.choices([0, 1, 11, 12, 13, 90], k=chance.randrange(5))
    ]
    terms = [term for run in runs for term in (sorted(run) if chance.random() < 0.5 else run)]
    for one, other in zip(sort_bytes(terms, native), sort_bytes(terms, None), strict=True):
        assert one.tolist() == other.tolist()
    words = sorted(set(terms), key=lambda _: chance.random())
    numbers = np.array([chance.randrange(len(words)) for _ in words], np.uint32)
    found, model = (rank_words(words, numbers, one) for one in (native, None))
    assert (found[0], found[1].tolist()) == (model[0], model[1].tolist())
    with suppress(ValueError):
        native.rank_words(words, np.array([len(words)], np.uint32))
        raise AssertionError(words)


CHECKS = (check_split, check_entries, check_order)
