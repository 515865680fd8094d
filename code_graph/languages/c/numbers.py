"""Names of C and C++ for types of numbers, characters and truth values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# words that are combined, in the order in which a type is written
WORDS: Final = ("unsigned", "signed", "short", "long", "char", "double", "int")
# by size, with the types of the library that are of one size on most machines
INTEGERS: Final = {
    "bool": 0, "char": 1, "signed char": 1, "unsigned char": 1, "char8_t": 1, "int8_t": 1,
    "uint8_t": 1, "short": 2, "unsigned short": 2, "int16_t": 2, "uint16_t": 2, "char16_t": 2,
    "wchar_t": 3, "int": 3, "unsigned": 3, "int32_t": 3, "uint32_t": 3, "char32_t": 3, "long": 4,
    "unsigned long": 4, "int64_t": 4, "uint64_t": 4, "size_t": 4, "ssize_t": 4, "ptrdiff_t": 4,
    "intptr_t": 4, "uintptr_t": 4, "long long": 4, "unsigned long long": 4,
}  # fmt: skip
FLOATS: Final = ("float", "double", "long double")
NUMBERS: Final = frozenset({*INTEGERS, *FLOATS})
CHARACTERS: Final = frozenset({"char", "wchar_t", "char8_t", "char16_t", "char32_t"})
# words of which a type may consist
KEYWORDS: Final = frozenset({*WORDS, *CHARACTERS, "bool", "float", "void", "auto"})


def in_one_form(words: Sequence[str]) -> str:
    """The name of a type of these words, in the order and number in which it is known."""
    found = sorted(words, key=_rank)
    if len(found) > 1 and found[-1] == "int":
        found.pop()
    text = " ".join(found).removeprefix("signed ")
    return "int" if text == "signed" else text


def _rank(word: str) -> int:
    return WORDS.index(word) if word in WORDS else len(WORDS)
