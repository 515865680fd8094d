"""Recognises questions: of a setting, of what a type asks for, of how something is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from index_format.tuples import NamedTuple

# a question, and not a report that has one in it
_LONGEST: Final = 300
_QUESTION: Final = re.compile(
    r"^\W*(?:please |can you |could you )?(?:where|what|which|how|who|when|is|are|does|do|explain"
    r"|show|describe|find|tell|list)\b|[:,;.-]\s*(?:and )?(?:where|what|which|how|who)\b"
    r"|\bi (?:want|need|would like|have) to\b",
    re.IGNORECASE,
)
_NOUN: Final = (
    r"(?:settings?|options?|config(?:uration)?(?: (?:key|value|parameter|property|option|entry"
    r"|setting))?|env(?:ironment)?(?: var(?:iable)?s?)?|flags?|propert(?:y|ies)|parameters?|keys?)"
)
# keys that are told by their form: flags, dotted keys, names in capitals
_FORMED: Final = r"--[A-Za-z][\w-]*|[A-Za-z][\w-]*(?:\.[\w-]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
# and those of plain words, where a noun stands beside them
_WORDED: Final = r"[a-z]+[A-Z]\w*|[A-Za-z]+(?:[_-][A-Za-z0-9]+)+"
_QUOTE: Final = "[`'\"]?"
_KEY: Final = rf"(?<![\w.-]){_QUOTE}(?P<key>{_FORMED}|{_WORDED}){_QUOTE}(?![\w-])"
_NAMED_KEYS: Final = (
    re.compile(rf"(?i:\b{_NOUN}(?: named| called)?) {_KEY}"),
    re.compile(rf"{_KEY} (?i:{_NOUN}\b)"),
    re.compile(rf"(?i:\b{_NOUN}(?: named| called)?) [`'\"](?P<key>[\w.-]+)[`'\"]"),
    re.compile(rf"[`'\"](?P<key>[\w.-]+)[`'\"] (?i:{_NOUN}\b)"),
)
_BARE_KEY: Final = re.compile(rf"(?<![\w.-]){_QUOTE}(?P<key>{_FORMED}){_QUOTE}(?![\w-])")
_ABOUT: Final = re.compile(
    r"\b(?:read|used?|uses|do|does|means?|effect|for|set|defined|default|controls?|changes?|configured?"
    r"|honou?red|values?|documented|parsed|come from|affects?)\b",
    re.IGNORECASE,
)

_NEW: Final = r"(?:new|further|custom|another|additional|own|different)"
_KIND: Final = r"(?:kind|type|sort|implementation|implementer|subclass|variant)"
_SORT: Final = r"(?:interface|trait|protocol|abstract class|base class|class|type)"
_OF_TYPE: Final = r"[`'\"]?(?P<type>\w+(?:(?:\.|::)\w+)*(?: \w+(?: \w+)?)?)"
_DEMANDS: Final = (
    # a new X, a new kind of X, that somebody adds or that has to supply something
    re.compile(
        rf"\b(?:add|write|create|make|introduce|support|provide|must|should|does|has|would)(?:ing)?"
        rf"\b.{{0,20}}\b{_NEW} (?:{_KIND} of (?:an? |the )?)?(?:{_SORT} )?{_OF_TYPE}",
        re.IGNORECASE,
    ),
    # implement the interface X
    re.compile(
        rf"\b(?:implement|subclass|extend|conform to)(?:ing)? (?:an? |the )?"
        rf"(?:{_SORT} )?{_OF_TYPE}",
        re.IGNORECASE,
    ),
)
_IMPLEMENTATIONS: Final = re.compile(rf"\bimplementations? of (?:the )?{_OF_TYPE}", re.IGNORECASE)
_DEMANDING: Final = re.compile(
    r"\b(?:must|supply|needs? to|has to|have to|required?|new)\b", re.IGNORECASE
)
# words that name no type
_PLAIN: Final = frozenset(
    """
    a an and are as be by do for how in is it its must need needs of on one or so supply that the
    then this to what where which who with
    """.split()  # noqa: SIM905 a list of words reads better
)


_USAGE: Final = re.compile(
    r"\bhow (?:(?:do|can|could|should|would|must) (?:i|we|you|one|users?|people)|to)\b"
    r"|\b(?:examples?|usages?|samples?) (?:of|for|how)\b"
    r"|\bi (?:want|would like|need|try|am trying) to use\b",
    re.IGNORECASE,
)


class SettingQuestion(NamedTuple):
    """A key, and whether the question says that it is one of a setting."""

    key: str
    is_named: bool


class TypeQuestion(NamedTuple):
    """The names that a type may have, the likeliest first."""

    names: tuple[str, ...]
    # whether the first is written as a name
    is_written: bool


def asks_for_usage(text: str) -> bool:
    """True for a question of how something is done with what the code offers."""
    plain = " ".join(text.split())
    return len(plain) <= _LONGEST and _USAGE.search(plain) is not None


def parse_setting_question(text: str) -> SettingQuestion | None:
    """The setting that a question is about."""
    plain = " ".join(text.split())
    if len(plain) > _LONGEST or not _QUESTION.search(plain) or not _ABOUT.search(plain):
        return None
    for pattern in _NAMED_KEYS:
        if found := pattern.search(plain):
            return SettingQuestion(found["key"], is_named=True)
    found = _BARE_KEY.search(plain)
    if found is None:
        return None
    key = found["key"]
    # a dotted name with capitals at its beginnings is one of code
    is_code = "." in key and any(part[:1].isupper() for part in key.split("."))
    return None if is_code else SettingQuestion(key, is_named=key.startswith("--"))


def parse_type_question(text: str) -> TypeQuestion | None:
    """The type whose implementation a question is about."""
    plain = " ".join(text.split())
    if len(plain) > _LONGEST or not _QUESTION.search(plain):
        return None
    patterns = (*_DEMANDS, *((_IMPLEMENTATIONS,) if _DEMANDING.search(plain) else ()))
    for pattern in patterns:
        if found := pattern.search(plain):
            names = tuple(_names(found["type"]))
            if names:
                first = names[0]
                return TypeQuestion(
                    names, first == found["type"].split()[0] and first != first.lower()
                )
    return None


def _names(phrase: str) -> Iterator[str]:
    """The names that a phrase of up to three words may mean."""
    words: list[str] = []
    for word in phrase.split():
        if word.lower() in _PLAIN:
            break
        words.append(word)
    if words and words[0] != words[0].lower():
        yield words[0]
        return
    for count in range(len(words), 0, -1):
        camel = "".join(word[:1].upper() + word[1:] for word in words[:count])
        yield camel
        if camel.endswith("s"):
            yield camel[:-1]
