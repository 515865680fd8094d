"""The constant parts of a message that a program has printed: its code has them as they are."""

from __future__ import annotations

import re
from typing import Final

from repo_mcp.search.query.tree import Phrase

# values that a program puts into a message, and what is printed before it
_VALUE: Final = re.compile(
    r"`[^`]*`|'[^']*'|\([^()]*\)|\b\d[\w.]*|^\s*\w*(?:error|warning):", re.IGNORECASE
)
# questions, and what is asked for or was done in a change
_ASKS: Final = re.compile(
    r"\W*(?:how|what|where|which|who|why|when|do|does|is|are|can|could|should|find|show|list|explain"
    r"|add|allow|avoid|change|fix|handle|make|improve|prevent|remove|rename|support|update|use)\b"
    r"|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_WORD: Final = re.compile(r"[^\W\d]")
# words of a part that few other lines have, and of one that is a half of another
_LEAST: Final = 4
_LEAST_HALF: Final = 3


def constant_phrases(text: str) -> tuple[Phrase, ...]:
    """The longest constant part of a message and its halves; nothing of a text without values."""
    if _ASKS.match(text) or not _VALUE.search(text):
        return ()
    runs = (run.strip(" :,.;!\t").split() for run in _VALUE.split(text))
    words = max(runs, key=len, default=[])
    if sum(map(bool, map(_WORD.search, words))) < _LEAST:
        return ()
    middle = len(words) // 2
    halves = [half for half in (words[:middle], words[middle:]) if len(half) >= _LEAST_HALF]
    return tuple(Phrase(" ".join(part)) for part in (words, *halves))
