"""Questions drawn from a tree's own lines, with a seed: the same for everybody."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench.peers import Kind
from bench.peers.process import Tree

_SEED: Final = 41
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_TOKEN: Final = re.compile(r"\w+|[^\w\s]+")
_DECLARES: Final = re.compile(r"\b(?:def|class|struct|func|fn|enum|interface)\s+([A-Za-z_]\w{3,})")
_TRIES: Final = 4000


def drawn(kind: Kind, count: int, tree: Tree) -> list[str]:
    """So many different questions of a kind."""
    chance = random.Random(f"{_SEED} {kind}")
    paths = list(tree.paths())
    found: dict[str, None] = {}
    for _ in range(count * _TRIES):
        if len(found) == count:
            break
        row = _row(tree.root / chance.choice(paths), chance)
        question = _WAYS[kind](row, chance)
        if question:
            found[question] = None
    return list(found)


def _row(path: Path, chance: random.Random) -> str:
    rows = path.read_text("latin-1").split("\n")
    for _ in range(8):
        row = chance.choice(rows)
        if row.isascii() and _WORD.search(row):
            return row
    return ""


def _some_words(most: int, row: str, chance: random.Random) -> str:
    words = _WORD.findall(row)
    if not words:
        return ""
    begin = chance.randrange(len(words))
    return " ".join(words[begin : begin + chance.randint(1, most)])


def _words(row: str, chance: random.Random) -> str:
    return _some_words(4, row, chance)


def _phrase(row: str, chance: random.Random) -> str:
    """Two or three words with only blanks between them: every tokenizer sees them side by side."""
    runs = re.findall(r"(?<![\w])[A-Za-z]{2,}(?: [A-Za-z]{2,})+(?![\w])", row)
    if not runs:
        return ""
    words = chance.choice(runs).split()
    begin = chance.randrange(len(words) - 1)
    return " ".join(words[begin : begin + chance.randint(2, 3)])


def _literal(row: str, chance: random.Random) -> str:
    tokens = list(_TOKEN.finditer(row))
    first = chance.randrange(len(tokens)) if tokens else 0
    last = min(first + chance.randrange(1, 5), len(tokens) - 1)
    found = row[tokens[first].start() : tokens[last].end()] if last > first else ""
    # one program has no way to quote this
    return found if _WORD.search(found) and r"\E" not in found else ""


def _regex(row: str, chance: random.Random) -> str:
    words = _WORD.findall(row)
    if len(words) < 2:
        return ""
    first, last = words[0], words[-1]
    begin = chance.choice(words).partition("_")[0]
    forms: Sequence[str] = (rf"\b{first}\s*\(", f"{first}.*{last}", rf"\b{begin}_[a-z_]+\(")
    return chance.choice(forms) if begin else ""


def _symbol(row: str, _: random.Random) -> str:
    found = _DECLARES.search(row)
    return found[1] if found else ""


_WAYS: Final[dict[Kind, Callable[[str, random.Random], str]]] = {
    "ranked": _words,
    "passages": _words,
    "phrase": _phrase,
    "literal": _literal,
    "regex": _regex,
    "symbol": _symbol,
}
