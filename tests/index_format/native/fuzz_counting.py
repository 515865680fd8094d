"""Counts random texts with a compiled module and without: python fuzz_counting.py MODULE ROUNDS.

It needs nothing but that file and Whoosh's filters: so a module can be put to the test that was
compiled with sanitizers, which stop the program at the first wrong step.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parents[3]))

from repo_mcp.text.words import terms
from tests.index_format.native.module_file import load

LETTERS = "aaabcXYZ__09 \n.\0\t"
OTHERS = "\u00e9\u0130\u1e9e\u03c2\u4e2d\u2014\u0301\u0663\U00010428\ud800\udfff\U0010ffff"


def text(chance: random.Random) -> str:
    """Runs of few letters or of one, of all lengths around those at which something changes."""
    size = chance.choice([0, 1, 3, 7, 8, 9, 15, 16, 31, 63, 64, 65, 128, 200, 257, 1000])
    kind = chance.randrange(6)
    if kind == 0:
        return "".join(map(chr, chance.choices(range(0x110000), k=size)))
    if kind == 1:
        return chance.choice(LETTERS + OTHERS) * size
    return "".join(chance.choices(LETTERS if kind < 4 else LETTERS + OTHERS, k=size))


def encoded(chance: random.Random, content: str) -> str | bytes:
    """As it may come: text, or bytes where it is ASCII."""
    return content.encode() if content.isascii() and chance.random() < 0.7 else content


def other_terms(word: bytes) -> list[bytes]:
    found = terms(word.decode("utf-8", "surrogatepass"))
    return [term.encode("utf-8", "surrogatepass") for term in found]


class Failing:
    """Gives no answer now and then, or one that is of no use."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._numbers: dict[bytes, int] = {}

    def numbers(self, words: list[bytes]) -> object:
        fate = self._chance.randrange(12)
        if fate == 0:
            raise LookupError
        found = [self._numbers.setdefault(word, len(self._numbers)) for word in words]
        wrong = {1: None, 2: found[1:], 3: [*found[1:], -1], 4: [*found[1:], "x"]}
        return wrong.get(fate, found)

    def other_terms(self, word: bytes) -> object:
        fate = self._chance.randrange(40)
        if fate == 0:
            raise LookupError
        wrong: dict[int, object] = {1: None, 2: [3], 3: ()}
        return wrong.get(fate, other_terms(word))


def words_of(found: tuple[bytes, bytes, list[int]], names: list[bytes]) -> list[Counter[str]]:
    numbers, times = memoryview(found[0]).cast("I"), memoryview(found[1]).cast("I")
    counters = []
    begin = 0
    for end in found[2]:
        pairs = zip(numbers[begin:end], times[begin:end], strict=True)
        held = [(names[word].decode("utf-8", "surrogatepass"), count) for word, count in pairs]
        assert len({name for name, _ in held}) == len(held)
        counters.append(Counter(dict(held)))
        begin = end
    return counters


def right(module: ModuleType, chance: random.Random, rounds: int) -> None:
    """Everything is counted as Whoosh's filters have it."""
    names: dict[bytes, int] = {}
    counter = module.WordCounter(chance.randbytes(16))

    def numbers(words: list[bytes]) -> list[int]:
        return [names.setdefault(word, len(names)) for word in words]

    for _ in range(rounds):
        texts = [text(chance) for _ in range(chance.randrange(6))]
        pieces = [encoded(chance, content) for content in texts]
        found = counter.count(pieces, numbers, other_terms)
        assert words_of(found, list(names)) == [Counter(terms(content)) for content in texts], texts


def wrong(module: ModuleType, chance: random.Random, rounds: int) -> None:
    """Whatever goes wrong around it, and whatever the bytes, it ends with an error or an answer."""
    failing = Failing(chance)
    counter = module.WordCounter(chance.randbytes(16))
    for _ in range(rounds):
        pieces: list[object] = [encoded(chance, text(chance)) for _ in range(4)]
        pieces.append(chance.choice([chance.randbytes(chance.randrange(200)), None, 3, "x"]))
        try:
            counter.count(pieces, failing.numbers, failing.other_terms)
        except (LookupError, TypeError, OverflowError):
            assert len(counter) == 0


def many(module: ModuleType, chance: random.Random) -> None:
    """Tables grow many times."""
    counter = module.WordCounter(chance.randbytes(16))
    content = " ".join(f"w{number}_{chance.random()}" for number in range(20_000))
    counter.count([content, content + "\u00e4"], lambda words: [*range(len(words))], other_terms)


def main() -> None:
    """Raise what is wrong, if anything is."""
    module, rounds = load(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    right(module, chance, rounds)
    wrong(module, chance, rounds)
    many(module, chance)


if __name__ == "__main__":
    main()
