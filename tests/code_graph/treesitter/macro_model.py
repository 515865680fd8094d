"""The expressions for macros as one would write them: the slow model of `macros.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.treesitter.source import blank

# a macro's name, and its arguments with two levels of brackets inside
_NAME: Final = r"(?:[a-z]{1,3})?[A-Z][A-Z0-9]*_?[A-Z0-9_]+\b"
_STRING: Final = r'"(?:[^"\\\n]|\\.)*+"'
_PLAIN: Final = r'[^()";{}]++'
_INNER: Final = rf"\((?:{_STRING}|{_PLAIN}|\([^();{{}}]*+\))*+\)"
_ARGUMENTS: Final = rf"\((?:{_STRING}|{_PLAIN}|{_INNER})*+\)"
_MACRO: Final = rf"(?<![\w.>:#\"']){_NAME}(?!\s*(?:::|<|\())"
_CALL: Final = rf"(?<![\w.>:#\"']){_NAME}[ \t]*{_ARGUMENTS}"

# `class API Name {`: of a class any word, of other types one that looks like a macro
_TYPE_NAME: Final = r"(?!final\b|sealed\b)[A-Za-z_]\w*(?:::\w+|<[^;{}()]*>)*\s*"
_CLASS: Final = re.compile(
    rf"""\bclass\s+(?P<macro>(?:\w+(?:\([^()\n]*\))?\s+)+?)
    (?={_TYPE_NAME}(?:final\s*|sealed\s*)?(?:\{{|:(?!:)|;))""",
    re.VERBOSE,
)
_OTHER_TYPE: Final = re.compile(
    rf"""\b(?:struct|union|enum(?:\s+(?:class|struct))?)\s+
    (?P<macro>(?:(?:[A-Z][A-Z0-9_]{{2,}}|\w*(?:EXPORT|Export|export|API|DLL)\w*)(?:\([^()\n]*\))?\s+)+)
    (?={_TYPE_NAME}(?:final\s*)?(?::(?!:)[^;{{}}()]*)?\{{)""",
    re.VERBOSE,
)
_NOT_A_MACRO: Final = frozenset({"class", "struct", "enum", "final", "alignas"})
# `signals:` and `public slots:`, which access labels take the place of
_SIGNALS: Final = re.compile(r"(?m)^([ \t]*)(?:Q_SIGNALS|signals)(?=[ \t]*:(?!:))")
_SLOTS: Final = re.compile(r"(?m)(?<=public|rivate|tected)[ \t]+(?:Q_SLOTS|slots)(?=[ \t]*:(?!:))")

_BEGINS: Final = (
    r"(?:void|bool|char|short|int|long|float|double|signed|unsigned|auto|static|inline|virtual"
    r"|explicit|constexpr|extern|struct|class|enum|union|template|typedef|typename|friend)\b|~"
)
_START: Final = r"(?m)(?:^|(?<=[;{}]))[ \t]*"
_WORDS: Final = r"[A-Za-z_]\w*(?:::\w+|<[^;{}()\n]*>)*"
# words after which a name in capitals is a type
_STORAGE: Final = frozenset(
    """
    return else case goto new delete throw struct class enum union typename using namespace typedef
    static inline const volatile virtual extern friend constexpr mutable explicit register operator
    do public private protected template define undef ifdef ifndef if elif include co_return
    """.split()  # noqa: SIM905 a list of words reads better
)
# a line of its own, but for the last of a list
_ALONE: Final = re.compile(
    rf"(?m)^[ \t]*{_NAME}(?:[ \t]*{_ARGUMENTS})?[ \t]*\r?$(?!\s*(?:[{{}}),;=|&+?:.]|//|/\*))"
)
_TYPED: Final = re.compile(
    rf"(?m)^([ \t]*(?:extern[ \t]+)?)({_NAME}[ \t]*)\(([\w \t:*&<>]+)\)"
    r"(?=[ \t]+\*?[A-Za-z_]\w*[ \t]*[(\[;=])"
)
# `int flags CV_DEFAULT(0),`
_DEFAULT: Final = re.compile(rf"(?<=\w)[ \t]+(?P<macro>{_NAME}[ \t]*{_ARGUMENTS})(?=\s*[,)])")
_CALL_BEFORE: Final = re.compile(rf"{_START}(?P<macro>{_CALL})(?=\s+[A-Za-z_~])")
_BEFORE_KEYWORD: Final = re.compile(rf"{_MACRO}(?=\s+(?:{_BEGINS}))")
_BETWEEN: Final = re.compile(
    rf"(?P<word>[A-Za-z_]\w*[ \t]+|[*&>][ \t]*)(?P<macro>{_MACRO})(?=[ \t]+[A-Za-z_])"
)
_BEFORE_TYPE: Final = re.compile(
    rf"{_START}(?P<macro>{_MACRO})"
    rf"(?=\s+(?!const\b|volatile\b){_WORDS}[ \t*&]+"
    r"(?:operator\b|[A-Za-z_]\w*(?:::~?\w+)*\s*[(;=\[]))"
)
_POINTER: Final = re.compile(
    rf"(?<=\()[ \t]*(?P<macro>{_NAME})[ \t]*(?=\*[ \t]*\w+[ \t]*\)[ \t]*\()"
)
_POINTER_MACRO: Final = re.compile(rf"(?<=\()[ \t]*{_NAME}(?=[ \t]+\w+[ \t]*\)[ \t]*\()")
_LAST: Final = (
    rf"(?P<macro>{_NAME}(?:[ \t]*{_ARGUMENTS})?)(?=\s*(?:[;{{]|=\s*(?:0|default|delete)\b))"
)
_BEHIND: Final = re.compile(rf"\)\s*{_LAST}")
_BEHIND_WORD: Final = re.compile(rf"\)\s*(?:const|override|noexcept|final)\s+{_LAST}")
_DEPRECATED: Final = re.compile(
    rf"\b[A-Z_]*DEPRECATED[A-Z0-9_]*(?:[ \t]*{_ARGUMENTS})?(?=\s*[=,;}}])"
)
_DIRECTIVE: Final = re.compile(r"(?m)^[ \t]*#(?:[^\n\\]|\\[\s\S])*")


def plain_types(text: str) -> str:
    """The text without macros that hide a name, and with plain access labels."""
    text = _CLASS.sub(_blank_named, text)
    text = _OTHER_TYPE.sub(_blank_group, text)
    text = _BEHIND_WORD.sub(_blank_group, text)
    if "slots" in text or "SLOTS" in text:
        text = _SLOTS.sub(blank, text)
    if "signals" in text or "SIGNALS" in text:
        text = _SIGNALS.sub(_as_public, text)
    return text


def without_macros(text: str) -> Iterator[str]:
    """The text without macros around declarations: for a file that has errors with them."""
    directives = [found.span() for found in _DIRECTIVE.finditer(text)]
    changed = _TYPED.sub(_as_type, text)
    changed = _POINTER_MACRO.sub(_as_pointer, changed)
    for expression in (_POINTER, _DEFAULT, _CALL_BEFORE, _BETWEEN, _BETWEEN, _BEFORE_TYPE, _BEHIND):
        changed = expression.sub(_blank_group, changed)
    for expression in (_ALONE, _BEFORE_KEYWORD, _DEPRECATED):
        changed = expression.sub(_blank_lines, changed)
    parts: list[str] = []
    done = 0
    for begin, end in directives:
        parts += changed[done:begin], text[begin:end]
        done = end
    yield "".join(parts) + changed[done:]


def _blank_group(found: re.Match[str]) -> str:
    """Blanks in place of the macro, unless the word before says that it is a type.

    A word in capitals with `_` does, where the name has none: `LIB_INLINE U32 f()`.
    """
    word = (found.groupdict().get("word") or "").strip()
    is_macro = "_" in word and word.isupper() and "_" not in found["macro"]
    if word in _STORAGE or is_macro:
        return found[0]
    begin, end = found.start("macro") - found.start(), found.end("macro") - found.start()
    return found[0][:begin] + _spaces(found["macro"]) + found[0][end:]


def _blank_named(found: re.Match[str]) -> str:
    words = found["macro"].split()
    return found[0] if _NOT_A_MACRO.intersection(words) else _blank_group(found)


def _blank_lines(found: re.Match[str]) -> str:
    return _spaces(found[0])


def _as_type(found: re.Match[str]) -> str:
    return f"{found[1]}{' ' * (len(found[2]) + 1)}{found[3]} "


def _as_pointer(found: re.Match[str]) -> str:
    return " " * (len(found[0]) - 1) + "*"


def _as_public(found: re.Match[str]) -> str:
    return f"{found[1]}{'public':<{len(found[0]) - len(found[1])}}"


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
