"""The terms of a question and how much each counts."""

from __future__ import annotations

from typing import Final

from whoosh.analysis import STOP_WORDS, RegexTokenizer

from repo_mcp.analysis.words import LONG_WORD, WORD, terms

STOP: Final = frozenset(STOP_WORDS)

_TOKENIZER: Final = RegexTokenizer(WORD)
_WHOLE: Final = 3.0
_PART: Final = 0.7


def question(text: str) -> dict[str, float]:
    """Distinct terms of a question and how much each counts.

    Who writes an identifier means that one first, and its parts less. Words that say nothing count
    only when there are no others.
    """
    found: dict[str, float] = {}
    for token in _TOKENIZER(text):
        whole, *rest = terms(token.text) or [""]
        for term, boost in ((whole, _WHOLE if rest else 1.0), *((part, _PART) for part in rest)):
            found[term] = max(found.get(term, 0.0), boost)
    found.pop("", None)
    found.pop(LONG_WORD, None)
    return {term: boost for term, boost in found.items() if term not in STOP} or found
