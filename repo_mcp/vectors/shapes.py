"""The shape of code: what remains of it without its names, numbers, texts and comments.

A copy of a function has its shape, whatever was renamed in it. Marks of strings and comments are
those of most languages; where a language has others, the same text still gives the same shape.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import xxhash

from repo_mcp.native import NATIVE

# part of the identity of stored shapes: raise it when the same code gets another shape
VERSION: Final = 1
BYTES: Final = 4
# shorter code is like other code by chance
FEWEST_MARKS: Final = 32

# the share of the words that are replaced as they are elsewhere
_RENAMED_ALIKE: Final = 0.8
_SHAPES: Final = (1 << (8 * BYTES)) - 1
_TOKEN: Final = (
    rb"(?P<blank>[ \t-\r]+)|(?P<number>[0-9][\w\x80-\xff]*)|(?P<word>[\w\x80-\xff]+)"
    rb'|(?P<string>(?s:""".*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z))'
    rb'|"(?:\\[^\n]|[^"\n])*"?|\'(?:\\[^\n]|[^\'\n])*\'?|`(?:\\[^\n]|[^`\n])*`?)'
    rb"|(?P<comment>(?s:/\*.*?(?:\*/|\Z))|(?:\#|//)[^\n]*)"
)
_MARKS: Final = {"blank": b"", "number": b"0", "word": b"i", "string": b"s", "comment": b""}


@cache
def _token() -> re.Pattern[bytes]:
    return re.compile(_TOKEN)


def plain_fold(text: bytes) -> bytes:
    """Code with a mark for each word, number and string, without blanks and comments."""
    return _token().sub(lambda found: _MARKS[found.lastgroup or ""], text)


fold_code: Final[Callable[[bytes], bytes]] = plain_fold if NATIVE is None else NATIVE.fold_code


def shape_of(text: bytes) -> bytes:
    """A hash of what remains of code; of zeros for what is too short to be told apart."""
    folded = fold_code(text)
    if len(folded) < FEWEST_MARKS:
        return bytes(BYTES)
    number = xxhash.xxh3_64_intdigest(folded) & _SHAPES
    return (number or 1).to_bytes(BYTES, "little")


def words_of(text: bytes) -> list[bytes]:
    """The words of code in order, without those of strings and comments."""
    return [found[0] for found in _token().finditer(text) if found.lastgroup == "word"]


def is_renaming(words: Sequence[bytes], others: Sequence[bytes]) -> bool:
    """True if one is the other with words replaced, nearly each by one word everywhere.

    A name that stands for two things may be kept where it is one of them.
    """
    if len(words) != len(others):
        return False
    pairs = Counter(zip(words, others, strict=True))
    for side in (0, 1):
        usual: dict[bytes, int] = {}
        for pair, times in pairs.items():
            usual[pair[side]] = max(times, usual.get(pair[side], 0))
        if sum(usual.values()) < _RENAMED_ALIKE * len(words):
            return False
    return True
