"""The constant parts of a message that a program has printed: its code has them as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from repo_mcp.question.syntax.tree import Phrase

# values that a program puts into a message, by their quotes, brackets, digits or signs, and what is
# printed before it
_BEGIN: Final = r"(?<![^\s\"'`)])"  # of a word, so that one is looked through once
_VALUES: Final = (
    r"`[^`]*`|\"[^\"]*\"|\bb?'[^']*'|(?<!\w)'[^']*'|\([^()]*\)"
    rf"|{_BEGIN}\S*[\d/\\@=<>|{{}}\[\]%]\S*|{_BEGIN}\S*\w[.:]\w\S*"
    r"|(?<=:) -{1,2}\w\S*$"
    r"|^\s*\w*(?:error|warning|exception):"
)
_VALUE: Final = re.compile(_VALUES, re.IGNORECASE)
# the name of a variable or an option is a value, or stands in the message itself
_VALUE_OR_NAME: Final = re.compile(rf"{_VALUES}|{_BEGIN}\S*_\S*", re.IGNORECASE)
# questions, and what is asked for or was done in a change
_ASKS: Final = re.compile(
    r"\W*(?:how|what|where|which|who|why|when|do|does|is|are|can|could|should|find|show|list|explain"
    r"|add|allow|avoid|change|fix|handle|make|improve|prevent|remove|rename|support|update|use)\b"
    r"|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_WORD: Final = re.compile(r"[^\W\d]")
# words of all parts together, and of one, that few other lines have
_LEAST: Final = 4
_LEAST_RUN: Final = 2
# a longer part is also sought by pieces of so many words, as a value may stand in it
_PIECE: Final = 4
_STEP: Final = 2
_MOST_PHRASES: Final = 8


def constant_phrases(text: str) -> tuple[Phrase, ...]:
    """The constant parts of a message, and pieces of them; nothing of a text without values."""
    if _ASKS.match(text) or not _VALUE_OR_NAME.search(text):
        return ()
    found: dict[str, None] = {}
    for values in (_VALUE_OR_NAME, _VALUE):
        long = sorted(filter(None, map(_words, values.split(text))), key=len, reverse=True)
        if sum(map(_count_words, long)) >= _LEAST:
            found.update(dict.fromkeys(" ".join(piece) for run in long for piece in _pieces(run)))
    return tuple(map(Phrase, islice(found, _MOST_PHRASES)))


def _words(run: str) -> list[str]:
    """The words from the first to the last; signs between them stay."""
    written = run.strip(" :,.;!-\t").split()
    places = [at for at, word in enumerate(written) if _WORD.search(word)]
    return written[places[0] : places[-1] + 1] if len(places) >= _LEAST_RUN else []


def _count_words(run: list[str]) -> int:
    """Number of words, without the signs between them."""
    return sum(_WORD.search(word) is not None for word in run)


def _pieces(run: list[str]) -> Iterator[list[str]]:
    yield run
    if len(run) > _PIECE:
        last = len(run) - _PIECE
        yield from (run[at : at + _PIECE] for at in sorted({*range(0, last, _STEP), last}))
