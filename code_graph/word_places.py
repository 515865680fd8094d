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

from code_graph.language import IN_ATTRIBUTES, MEMBERS, Language
from code_graph.whole_word import whole_word

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
# what stands before a text within an attribute, and before one that names what tests replace
_ATTRIBUTE: Final = re.compile(r"#!?\[[^\]]*\Z")
_REPLACED: Final = re.compile(
    r"\b(?:patch(?:\.\w+)?|[sd]e[tl]attr|spyOn|spy|stub)\(\s*(?:\w+\s*=\s*)?(?:[\w.]+\s*,\s*)?[rb]?\Z"
)
# behind the name of a member that an object is made with, or that a pattern takes
_KEY: Final = re.compile(r"\s*:")
# a value that no pattern has: more than a name, with a default
_EXPRESSION: Final = re.compile(
    r"\s*:\s*(?:[\w$]+\s*[.(?|&+]|\(|[-\"'`\d!]|(?:async|function|new|await|typeof)\b)"
)
# brackets outside of texts
_BRACKETS: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[(){}\[\]]")
_WIDEST: Final = 4000
# behind a pattern: what it is taken from, or what a parameter is followed by
_ASSIGNED: Final = re.compile(r"\s*(?:=(?!=|>)|\)\s*(?:=>|\{|:)|,|:|\bof\b|\bin\b|\])")
_COMMENTED: Final = re.compile(r"(?:\*/|//[^\n]*)\Z")
# a text that is compared, is one of the values of a type, or is the title of a test
_COMPARED: Final = re.compile(r"(?:[=!]==?|\bcase|\|)\s*\Z|\b(?:test|it|describe)(?:\.\w+)?\(\s*\Z")
_COMPARING: Final = re.compile(r"\s*(?:[=!]==?|\|(?!\|))")
_IMPORT: Final = re.compile(
    r"\s*(?:pub(?:\([^()\n]*\))?\s+)?(?:import|from|use|using|package)\b[\w\s.:*{},]*\Z"
)
_CALLED: Final = re.compile(r"(?:<[^<>()]*>)?\s*\(|\s*::\s*new\b")
_PREFIX: Final = re.compile(r"[A-Za-z]*\Z")
_BLANKS: Final = re.compile(r"\s+")
# what documentation stands behind, where it is a text and no comment
_BEGINS: Final = re.compile(r":\s*\Z")
# comments and documentation that compilers read, or that are run as tests
_READ_BY_TOOLS: Final = re.compile(
    r"//(?:go:|export\b|\s*\+build\b)|/{2,3}\s*<reference|#\s*(?:type:|cython:|include\b|define\b"
    r"|(?:el)?if|else|endif|pragma\b)|@(?:ts-|jsx|flow)|>>>|```"
)


class WordPlace(IntEnum):
    """The kinds of places at which a text of code has a word."""

    CODE = 0
    NAMING = 1  # in a text that is a name or a path, by which something may be looked up
    REPLACED = 2  # in a text that names what another is put in the place of
    OTHER = 3  # in code, where it means something else
    PROSE = 4  # in a comment, or in any other text


class NameKind(IntEnum):
    """The kinds of declarations by how a place can mean one."""

    ANY = 0
    METHOD = 1
    CONSTRUCTOR = 2
    FREE = 3  # of a module or a function: no member of anything


def word_places(
    text: str, language: Language, word: str, kind: NameKind = NameKind.ANY
) -> Mapping[int, WordPlace]:
    """The lines with a word, from 1 on, each with the place that matters most.

    A name is in code only where the language lets a declaration of its kind be meant, and is not
    bound: a plain name that scopes bind has an edge if it means the declaration.
    """
    wanted = whole_word(word)
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
            if place == WordPlace.NAMING:
                place = _of_name(text, token, language, kind)
        elif _can_mean(text, item, language, kind):
            place = WordPlace.CODE
        else:
            place = WordPlace.OTHER
        found[line] = min(place, found.get(line, WordPlace.PROSE))
    return found


def code_alone(text: str, language: Language) -> str:
    """The text without comments, documentation and blanks: equal ones mean the same to compilers.

    A comment that is run, or that a compiler reads, stays.
    """
    parts: list[str] = []
    at = 0
    for item in token_pattern(language).finditer(text):
        is_left_out = item.lastgroup == "comment" or _is_documentation(text, item, language)
        if is_left_out and not _READ_BY_TOOLS.search(item[0]):
            parts.append(text[at : item.start()])
            at = item.end()
    return _BLANKS.sub("", "".join((*parts, text[at:])))


def _is_documentation(text: str, item: re.Match[str], language: Language) -> bool:
    """True for a text that stands as a statement at the head of a body."""
    if not item[0].startswith(tuple(3 * mark for mark in language.triple_quotes)):
        return False
    behind = text[item.end() : text.find("\n", item.end()) + 1 or len(text)]
    before = text[max(item.start() - _FARTHEST, 0) : item.start()].rstrip("rRuU")
    return not behind.strip() and _BEGINS.search(before) is not None


def _can_mean(text: str, item: re.Match[str], language: Language, kind: NameKind) -> bool:
    """True if a word of code can mean a declaration of a kind that no edge leads to."""
    if kind in (NameKind.METHOD, NameKind.CONSTRUCTOR) and _is_import(text, item.start()):
        return False
    if kind in (NameKind.METHOD, NameKind.CONSTRUCTOR) and language.methods_are_called:
        is_handed = text.startswith("::", item.start() - 2)
        return is_handed or _CALLED.match(text, item.end()) is not None
    if kind == NameKind.METHOD:
        return not language.methods_need_owner or _may_be_method(text, item, language)
    if kind == NameKind.CONSTRUCTOR:
        return not language.reads_constructors
    return kind != NameKind.FREE or not language.binds_names or _has_owner(text, item)


def _of_name(
    text: str, token: tuple[int, int, WordPlace], language: Language, kind: NameKind
) -> WordPlace:
    """The place of a text that is a name, which may look up a declaration of a kind."""
    start, end, _ = token
    far = max(start - _FARTHEST, 0)
    if language.texts_name == IN_ATTRIBUTES:
        return WordPlace.NAMING if _ATTRIBUTE.search(text, far, start) else WordPlace.PROSE
    if _REPLACED.search(text, far, start):
        return WordPlace.REPLACED
    is_compared = _COMPARING.match(text, end) or _COMPARED.search(text, far, start)
    if kind != NameKind.ANY and is_compared:
        return WordPlace.PROSE
    is_hidden = kind == NameKind.FREE and language.texts_name == MEMBERS
    return WordPlace.PROSE if is_hidden else WordPlace.NAMING


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


def _is_import(text: str, at: int) -> bool:
    """True for a line that imports: a member of a type is no part of a path."""
    return _IMPORT.match(text, text.rfind("\n", 0, at) + 1, at) is not None


def _has_owner(text: str, item: re.Match[str]) -> bool:
    return _OWNER.search(text, max(item.start() - _FARTHEST, 0), item.start()) is not None


def _may_be_method(text: str, item: re.Match[str], language: Language) -> bool:
    """True if an owner stands before a word, or it may be in braces that name members."""
    if _has_owner(text, item):
        return True
    return language.braces_name_methods and _takes_member(text, item)


def _takes_member(text: str, item: re.Match[str]) -> bool:
    """True for a name in braces that may take a member out of an object."""
    before = text[max(item.start() - _FARTHEST, 0) : item.start()].rstrip()
    # behind a comment it is not seen what stands before
    if before[-1:] not in ("{", ",") and not _COMMENTED.search(before):
        return False
    if _IN_BRACES.match(text, item.end()) is None:
        return False
    return _KEY.match(text, item.end()) is None or _is_pattern(text, item.end())


def _is_pattern(text: str, start: int) -> bool:
    """True unless the braces around a place are known to be no pattern, by what follows them."""
    if _EXPRESSION.match(text, start):
        return False
    depth = 0
    for mark in _BRACKETS.finditer(text, start, start + _WIDEST):
        depth += 1 if mark[0] in "([{" else -1 if mark[0] in ")]}" else 0
        if depth < 0:
            return mark[0] != "}" or _ASSIGNED.match(text, mark.end()) is not None
    return True


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
