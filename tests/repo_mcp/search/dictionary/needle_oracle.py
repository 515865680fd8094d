"""An oracle for whether terms satisfy a needle, without an index."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]  # it brings no types

from index_format import Edge
from index_format.analysis.words import LONG_WORD, MAX_WORD
from repo_mcp.search.dictionary.needles import Clause, Needle


def holds(terms: Collection[str], needle: Needle) -> bool:
    """True if one of the terms contains the needle, or stands for a word that may.

    In place of what stands for a long word there may be the word itself.
    """
    return any(_in_term(term, needle) for term in terms)


def satisfied(terms: Collection[str], clause: Clause) -> bool:
    """True if the terms contain all needles of one branch."""
    return any(all(holds(terms, needle) for needle in branch) for branch in clause)


def _in_term(term: str, needle: Needle) -> bool:
    if term == LONG_WORD:
        return needle.long
    if not needle.text:
        return len(term) > MAX_WORD
    if len(term) > MAX_WORD and not needle.long:
        return False
    if not needle.folded and needle.text.isascii() and needle.text not in term:
        return False
    size = len(needle.text)
    # parts of a long word are no terms; of other words, the letters decide what is a part
    soft = Edge.SOFT in {needle.left, needle.right} and not term.isascii()
    loose = not needle.whole and (len(term) > MAX_WORD or soft)
    return any(
        (loose or _fits(term[:at][-1:], needle.left))
        and (loose or _fits(term[at + size : at + size + 1], needle.right))
        and _alike(needle, term[at : at + size])
        for at in range(len(term) - size + 1)
    )


def _alike(needle: Needle, text: str) -> bool:
    """True if a text equals a needle to the engine, which may treat other letters as equal."""
    if not needle.folded and needle.text.isascii():
        return needle.text == text
    return _any_case(needle.text).fullmatch(text) is not None


@lru_cache(maxsize=64)
def _any_case(text: str) -> Any:  # noqa: ANN401 the engine brings no types
    return re2.compile("(?i)" + re2.escape(text))


def _fits(neighbour: str, edge: Edge) -> bool:
    return not neighbour or edge == Edge.OPEN or (edge == Edge.SOFT and not neighbour.isascii())
