"""What a keyword query asks for: words, and phrases in quotation marks, each exactly as written."""

from __future__ import annotations

import re
from typing import Final

MOST_CHARACTERS: Final = 1000
MOST_WORDS: Final = 32
_PHRASE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?!\S)', re.DOTALL)
_WORD: Final = re.compile(r"\S+")
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LINE_END: Final = re.compile(r"[\r\n]")


class QueryError(ValueError):
    """A query that can't be asked; the message says why."""


def keywords(query: str) -> tuple[str, ...]:
    """What a line must hold, each once, in the order of the query.

    Blanks part words. A quotation mark at the beginning of a word begins a phrase if another one
    ends it before a blank or the end of the query; within it a backslash stands before a quotation
    mark or backslash that is meant. Everything else stands for itself.
    """
    if len(query) > MOST_CHARACTERS:
        raise QueryError(f"it has more than {MOST_CHARACTERS} characters")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise QueryError("it holds half of a character") from None
    found = tuple(dict.fromkeys(filter(None, _pieces(query))))
    if not found:
        raise QueryError("it is empty")
    if len(found) > MOST_WORDS:
        raise QueryError(f"it has more than {MOST_WORDS} words")
    if any(_LINE_END.search(item) for item in found):
        raise QueryError("a phrase goes over several lines")
    return found


def _pieces(query: str) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(query):
        if query[at].isspace():
            at += 1
            continue
        phrase = _PHRASE.match(query, at)
        if phrase is not None:
            found.append(_ESCAPED.sub(r"\1", phrase[1]))
            at = phrase.end()
        else:
            word = _WORD.match(query, at)
            at = word.end() if word else at + 1
            found.append(word[0] if word else "")
    return found
