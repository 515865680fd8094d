"""Conditions in a text that name places: `repo:NAME`, `rev:NAME`, `build:NAME` and `in:deps`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from index_format.tuples import NamedTuple

REPO: Final = "repo"
REVISION: Final = "rev"
IN: Final = "in"
BUILD: Final = "build"
_CONDITION: Final = re.compile(
    rf"(?:(?<=^)|(?<=[\s(]))(?P<sign>-?)(?P<key>{REPO}|{REVISION}|{IN}|{BUILD}):"
    r"(?:\"(?P<quoted>[^\"]+)\"|(?P<plain>[^\s()\"]+))"
)


class PlaceCondition(NamedTuple):
    """One condition, as it is written; it may exclude what it names."""

    name: str
    written: str
    is_excluded: bool
    # the alternatives of `repo:`
    names: list[str]


def find_conditions(text: str, key: str) -> Iterator[PlaceCondition]:
    """The conditions of this key, in the order of the text."""
    matches = _CONDITION.finditer(text) if f"{key}:" in text else ()
    return (_condition(match) for match in matches if match["key"] == key)


def replace_conditions(
    text: str, key: str, text_for: Callable[[PlaceCondition], str | None]
) -> str:
    """The text with others in the place of conditions; those for which there is None stay."""
    if f"{key}:" not in text:  # nearly all texts of calls
        return text

    def replaced(match: re.Match[str]) -> str:
        other = text_for(_condition(match)) if match["key"] == key else None
        return match[0] if other is None else other

    return _CONDITION.sub(replaced, text)


def take_names(
    text: str, key: str, named: Callable[[PlaceCondition], Collection[str]]
) -> tuple[list[str], str]:
    """The names that conditions stand for, and the text without these.

    A condition for which there is no name is a part of the text, and so is one that excludes.
    """
    names: list[str] = []

    def taken(condition: PlaceCondition) -> str | None:
        of_condition = () if condition.is_excluded else named(condition)
        names.extend(of_condition)
        return "" if of_condition else None

    left = replace_conditions(text, key, taken)
    return names, " ".join(left.split()) if names else text


def _condition(match: re.Match[str]) -> PlaceCondition:
    quoted, plain = match["quoted"], match["plain"]
    names = [quoted] if quoted else plain.split(",")
    return PlaceCondition(quoted or plain, match[0], bool(match["sign"]), names)
