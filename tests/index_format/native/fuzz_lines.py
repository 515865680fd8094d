"""Asks a compiled module for lines and words of any text: python fuzz_lines.py MODULE ROUNDS."""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parents[3]))

from repo_mcp.languages.facts.columns import pack, pack_steps
from repo_mcp.languages.facts.records import plain_units
from repo_mcp.text.line_spans import plain_span
from repo_mcp.text.marking import Marker
from repo_mcp.text.words import terms
from tests.index_format.native.module_file import load

LETTERS = "aaabcXYZ__09 \n\n.\0\t"
OTHERS = "\u00e9\u0130\u1e9e\u03c2\u4e2d\u2014\u0301\u0663\U00010428\U0010ffff"


def text(chance: random.Random) -> str:
    """Runs of few letters or of one, of all lengths around those at which something changes."""
    size = chance.choice([0, 1, 3, 7, 8, 15, 16, 31, 63, 64, 65, 200, 1000, 4080, 4081, 9000])
    kind = chance.randrange(6)
    if kind == 0:
        return chance.choice(LETTERS + OTHERS) * size
    return "".join(chance.choices(LETTERS if kind < 4 else LETTERS + OTHERS, k=size))


def spans(module: ModuleType, chance: random.Random) -> None:
    """Lines are where they are for the model, whatever is asked for."""
    data = text(chance).encode()
    count = data.count(b"\n")
    numbers = [-(2**62), -1, 0, 1, 2, count, count + 1, count + 2, 2**62]
    for _ in range(20):
        first, last = chance.choice([*numbers, chance.randrange(count + 3)]), chance.choice(numbers)
        assert module.span(data, first, last) == plain_span(data, first, last), (data, first, last)


def marks(module: ModuleType, chance: random.Random) -> None:
    """Words are found where they are for the model."""
    content = text(chance)
    held = sorted(set(terms(content[:300])))
    chosen = chance.sample(held, min(len(held), chance.choice([0, 1, 5, 62])))
    asked = list(dict.fromkeys([*chosen, *chance.choice([[], ["a", "ab", "x" * 70]])]))
    rows = content.split("\n")
    assert Marker(asked, module).marks(rows) == Marker(asked, None).marks(rows), (asked, content)


def units(module: ModuleType, chance: random.Random) -> None:
    """Units are what they are for the model, or the columns are damaged."""
    count = chance.choice([0, 1, 5, 300])
    starts = pack_steps([chance.randrange(1 << chance.choice([3, 9, 20])) for _ in range(count)])
    spans = pack([chance.randrange(1 << chance.choice([3, 9, 20])) for _ in range(count)])
    asked = count, chance.randrange(600), chance.randrange(1 << 20)
    assert module.units(starts, spans, *asked) == plain_units(starts, spans, *asked)
    with suppress(ValueError):
        module.units(chance.randbytes(1 + chance.randrange(9)), spans, *asked)


def wrong(module: ModuleType, chance: random.Random) -> None:
    """Whatever it is given, it ends with an error or an answer."""
    things: list[object] = ["\ud800", "a", b"a", None, 3, (), (b"a",) * 63, (b"",), (3,), [b"a"]]
    for function in (module.span, module.marks, module.units):
        for size in range(4):
            with suppress(TypeError, ValueError, OverflowError):
                function(*chance.choices(things, k=size))


def main() -> None:
    """Raise what is wrong, if anything is."""
    module, rounds = load(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    for _ in range(rounds):
        spans(module, chance)
        marks(module, chance)
        units(module, chance)
        wrong(module, chance)


if __name__ == "__main__":
    main()
