"""Blanks macros of C and C++ that stand where the grammars expect none.

A name in capitals is a macro where the words around it leave no other reading: beside a keyword
that begins a declaration, between a type and a name, behind parameters. Texts keep their length.

Every expression begins with a character of a small set and looks back from there where it has to:
one that may begin anywhere is tried at each character, which takes longer than parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.treesitter.source import blank, spaces

# a macro's name, and its arguments with two levels of brackets inside
_NAME: Final = r"[a-z]{0,3}+[A-Z][A-Z0-9_]++\b"
_STRING: Final = r'"(?:[^"\\\n]++|\\.)*+"'
_PLAIN: Final = r'[^()";{}]++'
_INNER: Final = rf"\((?>(?:{_STRING}|{_PLAIN}|\([^();{{}}]*+\))*)\)"
_ARGUMENTS: Final = rf"\((?>(?:{_STRING}|{_PLAIN}|{_INNER})*)\)"
# the same from the first capital on; whether a name begins there is seen afterwards
_CAPITALS: Final = r"[A-Z](?<![A-Z0-9_].)[A-Z0-9_]++\b"
_LONGEST_PREFIX: Final = 3
# characters before a name that is no macro
_BESIDE: Final = frozenset(".>:#\"'")

# `class API Name {`: of a class any word, of other types one that looks like a macro
_TYPE_NAME: Final = r"(?!final\b|sealed\b)[A-Za-z_]\w*(?:::\w+|<[^;{}()]*>)*\s*"
_CLASS: Final = re.compile(
    rf"""class(?<!\wclass)\s+(?P<macro>(?:\w+(?:\([^()\n]*\))?\s+)+?)
    (?={_TYPE_NAME}(?:final\s*|sealed\s*)?(?:\{{|:(?!:)|;))""",
    re.VERBOSE,
)
_OTHER_TYPE: Final = re.compile(
    rf"""(?:struct(?<!\wstruct)|union(?<!\wunion)|enum(?<!\wenum)(?:\s+(?:class|struct))?)\s+
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
# the first line begins after a line feed too, which is put there
_START: Final = r"[\n;{}][ \t]*+"
_WORDS: Final = r"[A-Za-z_]\w*(?:::\w+|<[^;{}()\n]*>)*"
# words after which a name in capitals is a type
_STORAGE: Final = frozenset(
    """
    return else case goto new delete throw struct class enum union typename using namespace typedef
    static inline const volatile virtual extern friend constexpr mutable explicit register operator
    do public private protected template define undef ifdef ifndef if elif include co_return
    """.split()  # noqa: SIM905 a list of words reads better
)
# words that no type ends with
_UNTYPED: Final = _STORAGE - {"const", "volatile"}
# a line of its own, but for the last of a list
_ALONE: Final = re.compile(
    rf"\n[ \t]*+{_NAME}(?:[ \t]*{_ARGUMENTS})?[ \t]*\r?(?=\n|\Z)"
    r"(?!\s*(?:[{}),;=|&+?:.]|//|/\*))"
)
_TYPED: Final = re.compile(
    rf"(\n[ \t]*+(?>(?:extern[ \t]++)?))({_NAME}[ \t]*)\(([\w \t:*&<>]+)\)"
    r"(?=[ \t]+\*?[A-Za-z_]\w*[ \t]*[(\[;=])"
)
# `int flags CV_DEFAULT(0),`
_DEFAULT: Final = re.compile(rf"({_CAPITALS})[ \t]*{_ARGUMENTS}(?=\s*[,)])")
# `int count GUARDED_BY(mutex);`
_ANNOTATED: Final = re.compile(rf"({_CAPITALS})[ \t]*{_ARGUMENTS}(?=\s*(?:;|=(?!=)|\{{))")
_NUMBERS: Final = frozenset("bool char short int long float double signed unsigned auto".split())  # noqa: SIM905 as above
_CALL_BEFORE: Final = re.compile(rf"{_START}(?P<macro>{_NAME}[ \t]*{_ARGUMENTS})(?=\s+[A-Za-z_~])")
_BEFORE_KEYWORD: Final = re.compile(rf"{_CAPITALS}(?=\s+(?:{_BEGINS}))")
_BEFORE_WORD: Final = re.compile(rf"{_CAPITALS}(?=[ \t]+[A-Za-z_])")
_BEFORE_TYPE: Final = re.compile(
    rf"{_START}(?P<macro>{_NAME})"
    rf"(?=\s+(?!const\b|volatile\b){_WORDS}[ \t*&]+"
    r"(?:operator\b|[A-Za-z_]\w*(?:::~?\w+)*\s*[(;=\[]))"
)
_POINTER: Final = re.compile(rf"\([ \t]*(?P<macro>{_NAME})[ \t]*(?=\*[ \t]*\w+[ \t]*\)[ \t]*\()")
_POINTER_MACRO: Final = re.compile(rf"\([ \t]*{_NAME}(?=[ \t]+\w+[ \t]*\)[ \t]*\()")
_LAST: Final = (
    rf"(?P<macro>{_NAME}(?:[ \t]*{_ARGUMENTS})?)(?=\s*(?:[;{{]|=\s*(?:0|default|delete)\b))"
)
_BEHIND: Final = re.compile(rf"\)\s*{_LAST}")
_BEHIND_WORD: Final = re.compile(rf"\)\s*(?:const|override|noexcept|final)\s+{_LAST}")
_DEPRECATED: Final = re.compile(
    rf"\b[A-Z_]*DEPRECATED[A-Z0-9_]*(?:[ \t]*{_ARGUMENTS})?(?=\s*[=,;}}])"
)
_DIRECTIVE: Final = re.compile(r"\n[ \t]*+#[^\n\\]*+(?:\\[\s\S][^\n\\]*+)*+")


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
    lines = f"\n{text}"
    directives = [found.span() for found in _DIRECTIVE.finditer(lines)]
    changed = _TYPED.sub(_as_type, lines)
    changed = _POINTER_MACRO.sub(_as_pointer, changed)
    changed = _POINTER.sub(_blank_group, changed)
    changed = _blank_defaults(changed)
    changed = _blank_annotations(changed)
    changed = _CALL_BEFORE.sub(_blank_group, changed)
    between = _blank_between(changed)
    # another may stand beside one that is blank now
    changed = between if between is changed else _blank_between(between)
    for expression in (_BEFORE_TYPE, _BEHIND):
        changed = expression.sub(_blank_group, changed)
    changed = _ALONE.sub(_blank_lines, changed)
    changed = _blank_before_keywords(changed)
    if "DEPRECATED" in changed:
        changed = _DEPRECATED.sub(_blank_lines, changed)
    parts: list[str] = []
    done = 1
    for begin, end in directives:
        parts += changed[done : begin + 1], lines[begin + 1 : end]
        done = end
    yield "".join(parts) + changed[done:]


def _blank_defaults(text: str) -> str:
    """Blank macros with arguments behind a word at the end of a parameter."""
    spans: list[tuple[int, int]] = []
    at = 0
    while (found := _DEFAULT.search(text, at)) is not None:
        begin = _name_start(text, found.start())
        blanks = begin
        while blanks > at and text[blanks - 1] in " \t":
            blanks -= 1
        if at < blanks < begin and _is_word(text[blanks - 1]):
            spans.append((begin, found.end()))
            at = found.end()
        else:
            at = found.end(1)  # another may be among the arguments
    return _blank_spans(text, spans)


def _blank_annotations(text: str) -> str:
    """Blank macros with arguments behind the name of a variable, which a type precedes."""
    spans: list[tuple[int, int]] = []
    for found in _ANNOTATED.finditer(text):
        begin = _name_start(text, found.start())
        line = text.rfind("\n", 0, max(begin, 0)) + 1
        words = text[line:begin].replace("*", " ").replace("&", " ").split() if begin > 0 else []
        is_declared = len(words) > 1 and words[-1].isidentifier() and text[begin - 1] in " \t"
        if is_declared and words[-1] not in _NUMBERS | _STORAGE and words[-2] not in _UNTYPED:
            spans.append((begin, found.end()))
    return _blank_spans(text, spans)


def _blank_between(text: str) -> str:
    """Blank macros between a type, `*` or `&` and a name, unless the word before says otherwise."""
    spans: list[tuple[int, int]] = []
    last = 0
    for found in _BEFORE_WORD.finditer(text):
        begin = at = _name_start(text, found.start())
        while at > last and text[at - 1] in " \t":
            at -= 1
        if at <= last:  # no name begins there, or what stands before it is a macro itself
            continue
        word = "" if text[at - 1] in "*&>" else _word_before(text, at, last)
        if word or text[at - 1] in "*&>":
            if word not in _STORAGE and not _is_type_behind(word, found[0]):
                spans.append((begin, found.end()))
            last = found.end()
    return _blank_spans(text, spans)


def _is_type_behind(word: str, name: str) -> bool:
    """True if of two names in capitals the first seems to be the macro: `LIB_INLINE U32 f()`."""
    return "_" in word and "_" not in name and word.isupper()


def _blank_before_keywords(text: str) -> str:
    found = _BEFORE_KEYWORD.finditer(text)
    spans = ((_name_start(text, one.start()), one.end()) for one in found)
    return _blank_spans(text, [span for span in spans if span[0] >= 0])


def _name_start(text: str, capital: int) -> int:
    """Where the name of a macro begins that has its first capital here; -1 if it is none."""
    start = capital
    while start and capital - start <= _LONGEST_PREFIX and "a" <= text[start - 1] <= "z":
        start -= 1
    if capital - start > _LONGEST_PREFIX:
        return -1
    before = text[start - 1] if start else "\n"
    return -1 if before in _BESIDE or _is_word(before) else start


def _is_word(char: str) -> bool:
    return char == "_" or char.isalnum()


def _word_before(text: str, end: int, begin: int) -> str:
    """The word that ends at an offset, without digits that it begins with."""
    start = end
    at = end
    while at > begin and _is_word(char := text[at - 1]):
        at -= 1
        if char == "_" or "a" <= char <= "z" or "A" <= char <= "Z":
            start = at
    return text[start:end]


def _blank_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks in these places; the text itself if there are none."""
    if not spans:
        return text
    parts: list[str] = []
    done = 0
    for begin, end in spans:
        parts += text[done:begin], spaces(text[begin:end])
        done = end
    return "".join((*parts, text[done:]))


def _blank_group(found: re.Match[str]) -> str:
    begin, end = found.start("macro") - found.start(), found.end("macro") - found.start()
    return found[0][:begin] + spaces(found["macro"]) + found[0][end:]


def _blank_named(found: re.Match[str]) -> str:
    words = found["macro"].split()
    return found[0] if _NOT_A_MACRO.intersection(words) else _blank_group(found)


def _blank_lines(found: re.Match[str]) -> str:
    return spaces(found[0])


def _as_type(found: re.Match[str]) -> str:
    return f"{found[1]}{' ' * (len(found[2]) + 1)}{found[3]} "


def _as_pointer(found: re.Match[str]) -> str:
    return f"({' ' * (len(found[0]) - 2)}*"


def _as_public(found: re.Match[str]) -> str:
    return f"{found[1]}{'public':<{len(found[0]) - len(found[1])}}"
