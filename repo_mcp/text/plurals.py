"""Numbers in words: "1 file", "2 files", "3 hours", "4.5 kB"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from index_format.annotations import Final

_MILLISECOND: Final = 0.001
_MOST_NAMED: Final = 3
# endings after which a plural takes "es"
_HISSING: Final = ("s", "x", "z", "ch", "sh")


def counted(number: int, what: str, *, least: bool = False) -> str:
    """A number and what is counted, in the singular or plural; `least`: there may be more."""
    more = " or more" if least else ""
    return f"{number}{more} {what if number == 1 and not least else plural(what)}"


def plural(what: str) -> str:
    """The plural of a noun, or of the last word of several."""
    if what.endswith(_HISSING):
        return f"{what}es"
    if what.endswith("y") and what[-2:-1] not in "aeiou":
        return f"{what[:-1]}ies"
    return f"{what}s"


def verb(number: int, one: str, many: str) -> str:
    """The form of a verb for so many."""
    return one if number == 1 else many


def span(seconds: float) -> str:
    """A length of time in its largest unit: "3 hours"."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), unit)
    return counted(max(int(seconds), 0), "second")


def duration(seconds: float) -> str:
    """The text of a time that something took, in milliseconds below a second: "12 ms", "3.40 s"."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= _MILLISECOND else "less than 1 ms"


def size_text(size: int) -> str:
    """A number of bytes, for people."""
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def with_rest(rows: Iterable[str], left: int) -> list[str]:
    """The rows of a list, and a mark if so many more are left out."""
    return [*rows, *([f"… {left} more"] if left > 0 else [])]


def named(names: Sequence[str]) -> str:
    """The first of some names, and the number of the others."""
    more = len(names) - _MOST_NAMED
    listed = ", ".join(names[:_MOST_NAMED])
    return f"{listed} and {more} more" if more > 0 else listed
