"""Tells where a text of code has a word: in code, in a comment, or in a text, without parsing it.

It errs on the side of code: what may be code, as a text with braces that may hold some, is taken
for code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache
from typing import Final

from code_graph.language import Language

_CHARACTER: Final = r"'(?:\\[^\n']{1,10}|[^'\\\n])'"
_RAW_CPP: Final = r'R"(?P<fence>[^\s()\\]{0,16})\([\s\S]*?\)(?P=fence)"'
# what holds code within texts, in one of the languages
_HOLDS_CODE: Final = re.compile(r"[{$]|\\\(|#\{")
# all of a text that names something: a path, a dotted or a plain name
_NAMES: Final = re.compile(r"[\w.:/$#-]+")
_PREFIX: Final = re.compile(r"[A-Za-z]*\Z")


class WordPlace(IntEnum):
    """The kinds of places at which a text of code has a word."""

    CODE = 0
    NAMING = 1  # in a text that is a name or a path, by which something may be looked up
    PROSE = 2  # in a comment, or in any other text


def word_places(text: str, language: Language, word: str) -> Mapping[int, WordPlace]:
    """The lines with a word, from 1 on, each with the place that matters most."""
    wanted = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    found: dict[int, WordPlace] = {}
    line, at = 1, 0
    tokens = _tokens(text, language)
    token = next(tokens, None)
    for item in wanted.finditer(text):
        line += text.count("\n", at, item.start())
        at = item.start()
        while token is not None and token[1] <= at:
            token = next(tokens, None)
        place = token[2] if token is not None and token[0] <= at else WordPlace.CODE
        found[line] = min(place, found.get(line, WordPlace.PROSE))
    return found


def _tokens(text: str, language: Language) -> Iterator[tuple[int, int, WordPlace]]:
    """Comments and texts, by begin and end."""
    for item in token_pattern(language).finditer(text):
        is_comment = item.lastgroup == "comment"
        place = WordPlace.PROSE if is_comment else _of_text(text, item, language)
        yield item.start(), item.end(), place


def _of_text(text: str, item: re.Match[str], language: Language) -> WordPlace:
    content = item[0].strip("'\"`")
    if language.code_prefixes:
        before = _PREFIX.search(text, max(item.start() - 3, 0), item.start())
        holds = before is not None and any(mark in before[0] for mark in language.code_prefixes)
    else:
        holds = True
    if holds and _HOLDS_CODE.search(content):
        return WordPlace.CODE
    return WordPlace.NAMING if _NAMES.fullmatch(content) else WordPlace.PROSE


@cache
def token_pattern(language: Language) -> re.Pattern[str]:
    """Matches comments and texts, as its groups say."""
    comments = [rf"{re.escape(mark)}[^\n]*" for mark in language.line_comments]
    if language.has_block_comments:
        comments.append(r"/\*[\s\S]*?(?:\*/|\Z)")
    texts = [rf"{3 * mark}(?:\\[\s\S]|[^\\])*?{3 * mark}" for mark in language.triple_quotes]
    texts += [rf"{mark}(?:\\[\s\S]|[^{mark}\\])*{mark}" for mark in language.raw_quotes]
    texts += [rf"{mark}(?:\\[\s\S]|[^{mark}\\\n])*{mark}" for mark in language.quotes]
    characters = [] if "'" in language.quotes else [_CHARACTER, _RAW_CPP]
    return re.compile(
        rf"(?P<comment>{'|'.join(comments) or '(?!)'})|(?P<text>{'|'.join([*characters, *texts])})"
    )
