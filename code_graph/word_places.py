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
# what stands before a member's name, at most so far away
_OWNER: Final = re.compile(r"(?:\.|::|->|#)\s*\Z")
_FARTHEST: Final = 200
# what follows a name in a pattern or literal of an object, or may on the next line
_IN_BRACES: Final = re.compile(r"\s*(?:[,}:=]|\Z)")
_PREFIX: Final = re.compile(r"[A-Za-z]*\Z")


class WordPlace(IntEnum):
    """The kinds of places at which a text of code has a word."""

    CODE = 0
    NAMING = 1  # in a text that is a name or a path, by which something may be looked up
    OTHER = 2  # in code, where it means something else
    PROSE = 3  # in a comment, or in any other text


def word_places(
    text: str, language: Language, word: str, *, is_method: bool = False
) -> Mapping[int, WordPlace]:
    """The lines with a word, from 1 on, each with the place that matters most.

    The name of a method is in code only where the language lets a method be meant.
    """
    needs_owner = is_method and language.methods_need_owner
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
        if token is not None and token[0] <= at:
            place = _in_token(text, token, item)
        elif needs_owner and not _may_be_method(text, item, language):
            place = WordPlace.OTHER
        else:
            place = WordPlace.CODE
        found[line] = min(place, found.get(line, WordPlace.PROSE))
    return found


def _in_token(text: str, token: tuple[int, int, WordPlace], item: re.Match[str]) -> WordPlace:
    """The place of a word in a comment or text."""
    begin, end, place = token
    if place == WordPlace.NAMING:
        is_part = "-" in (text[item.start() - 1], text[item.end() : item.end() + 1])
        is_path = text.startswith(("./", "../"), begin + 1)
        return WordPlace.PROSE if is_part or is_path else place
    if place == WordPlace.CODE:
        mark = _HOLDS_CODE.search(text, begin, end)
        last = max(text.rfind("}", begin, end), text.rfind("$", begin, end))
        is_outside = mark is not None and (
            item.end() <= mark.start() or (last >= 0 and text[last] == "}" and item.start() > last)
        )
        return WordPlace.PROSE if is_outside else place
    return place


def _may_be_method(text: str, item: re.Match[str], language: Language) -> bool:
    """True if an owner stands before a word, or it may be in braces that name members."""
    if _OWNER.search(text, max(item.start() - _FARTHEST, 0), item.start()):
        return True
    return language.braces_name_methods and _IN_BRACES.match(text, item.end()) is not None


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
