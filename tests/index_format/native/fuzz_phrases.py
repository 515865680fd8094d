"""Calls the functions on pairs and phrases with random input, and compares them with the models."""

from __future__ import annotations

import random
import re
from contextlib import suppress

import numpy as np

from index_format.native import Native, plain_pairs
from repo_mcp.native import ServerNative
from repo_mcp.question.syntax.tree import Phrase
from repo_mcp.search.filter.phrases import find_phrase

BLANKS = [b" ", b"  ", b"\n", b"\r\n", b"\t", b"\x1c", b"\x0b"]


def check_pairs(native: Native, chance: random.Random) -> None:
    """Pairs are those of the model, wherever stretches begin and end."""
    words = tuple(sorted(set(chance.choices([b"a", b"bb", b"x_1", b"0", b"c" * 16], k=3))))
    parts = [b"a", b"BB", b"x_1", b"0", b"C" * 16, b"c" * 17, b"\xff", b".", *BLANKS]
    texts = []
    for _ in range(chance.randrange(3)):
        text = b"".join(chance.choices(parts, k=chance.choice([0, 3, 40, 200])))
        edges = [sorted(chance.choices(range(len(text) + 1), k=2)) for _ in range(3)]
        texts.append((text, np.array(edges, np.int64).tobytes()))
    assert native.find_pairs(words, tuple(texts)) == plain_pairs(words, texts)
    with suppress(ValueError):
        native.find_pairs(words, ((b"a a", np.array([chance.choice([-1, 4]), 3]).tobytes()),))
    for wrong in ((b"",), (b"A",), (b"a", b"a"), (b"a" * 17,), (b"\xff",), (b"a ",)):
        with suppress(ValueError):
            native.find_pairs(wrong, ())
            raise AssertionError(wrong)


def check_phrases(native: ServerNative, chance: random.Random) -> None:
    """A phrase is where the model finds it."""
    parts = ["a", "B", "ab", "(", "_", "1", "\n", *map(bytes.decode, BLANKS)]
    text = "".join(chance.choices(parts, k=chance.choice([0, 5, 60, 300])))
    phrase = "".join(chance.choices(parts, k=chance.choice([1, 3, 6])))
    first = chance.choice([1, 1, 2, 9])
    last = first + chance.choice([0, 3, 400])
    rows = "\n".join(text.split("\n")[first - 1 : last])
    pieces = tuple(piece.encode() for piece in phrase.lower().split())
    begins, ends = bool(re.match(r"\s*\w", phrase)), bool(re.search(r"\w\s*\Z", phrase))
    found = native.find_phrase(text.encode(), first, last, pieces, begins, ends)
    expected = find_phrase(rows, Phrase(phrase)) if pieces else []
    assert found == [first - 1 + line for line in expected]
    assert native.find_phrase("é a".encode(), 1, 1, (b"a",), True, True) is None  # noqa: FBT003
    with suppress(ValueError):
        native.find_phrase(b"a", 1, 1, (b"a", b""), begins, ends)
        raise AssertionError
