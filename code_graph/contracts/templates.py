"""Reads the names that templates of components use: chains of members in bindings.

A template is HTML whose attributes and braces hold expressions on the members of a component, as
Angular has them. What a template names itself, by `let`, `as`, `#` or a loop, is no member; what a
loop runs over says what its variable is: `items[]` is an element of `items`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from index_format.tuples import NamedTuple

CALLED: Final = "()"
ELEMENT: Final = "[]"
# what is bound: an event, a property, a structure, text in braces, a block
_BOUND: Final = re.compile(
    r"""(?:[(\[*][\w.\-()\[\]]+|\*\w+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')"""
    r"|\{\{(?P<text>[^{}]{0,2000})\}\}"
    r"|@(?:if|else if|for|switch|case)\b(?P<block>\s*\([^{}]{0,2000}?\)\s*(?=\{))"
    r"|@let\b(?P<let>[^;{}\n]*;)"
    r"|\{%-?\s*(?:if|elif|for|set|with)\b(?P<statement>[^%{}]{0,2000})%\}"
)
_GROUPS: Final = ("double", "single", "text", "block", "let", "statement")
_TEXT: Final = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_CHAIN: Final = re.compile(
    r"(?<![\w$.@#])[A-Za-z_$][\w$]*(?:\(\))?(?:\s*[?!]?\.\s*[A-Za-z_$][\w$]*(?:\(\))?)*"
)
_NAME: Final = re.compile(r"([A-Za-z_$][\w$]*)(\(\))?")
# a key of an object, not the second part of `a ? b : c`
_KEY: Final = re.compile(r"\s*:(?!:)")
_OF: Final = re.compile(r"(?:\blet\s+)?([A-Za-z_$][\w$]*)\s+of\s+([A-Za-z_$][\w$.?()]*)")
_LOCAL: Final = re.compile(r"\b(?:let|as)\s+([A-Za-z_$][\w$]*)|@let\s+([A-Za-z_$][\w$]*)|#([\w$]+)")
_WORDS: Final = frozenset(
    {"true", "false", "null", "undefined", "this", "let", "of", "as", "if", "else", "then", "track"}
    | {"trackBy", "typeof", "in", "index", "first", "last", "even", "odd", "count", "async", "void"}
    | {"$index", "$event", "$first", "$last", "$even", "$odd", "$count", "$any"}
)


class TemplateName(NamedTuple):
    """A name in a template: the offset of it, and the members on the way to it, joined by dots."""

    offset: int
    chain: str
    is_called: bool


def template_names(text: str) -> Iterator[TemplateName]:
    """The names that a template uses, by their places."""
    elements = {item[1]: _plain(item[2]) + ELEMENT for item in _OF.finditer(text)}
    own = {name for item in _LOCAL.finditer(text) for name in item.groups() if name} - {*elements}
    for bound in _BOUND.finditer(text):
        group = next((one for one in _GROUPS if bound[one]), "")
        if group:
            yield from _in_expression(text, bound.span(group), elements, own)


def lines_with_name(text: str, word: str) -> set[int]:
    """The lines, from 1 on, on which a template uses a name."""
    if word not in text:
        return set()
    return {
        text.count("\n", 0, item.offset) + 1
        for item in template_names(text)
        if item.chain.rpartition(".")[2] == word
    }


def _in_expression(
    text: str, span: tuple[int, int], elements: dict[str, str], own: set[str]
) -> Iterator[TemplateName]:
    begin, end = span
    texts = [item.span() for item in _TEXT.finditer(text, begin, end)]
    at = 0
    for item in _CHAIN.finditer(text, begin, end):
        while at < len(texts) and texts[at][1] <= item.start():
            at += 1
        if at < len(texts) and texts[at][0] <= item.start():
            continue
        if _is_key(text, item, begin) or _is_pipe(text, item.start(), begin):
            continue
        chain = ""
        for number, part in enumerate(_NAME.finditer(text, item.start(), item.end())):
            name, call = part[1], part[2] or ""
            if not number and name == "this":
                continue
            if not chain and (name in _WORDS or name in own):
                break
            is_local = not chain and name in elements
            chain = elements[name] if is_local else f"{chain}.{name}" if chain else name
            if not is_local:
                is_last = part.end() == item.end()
                called = bool(call) or (is_last and text[part.end() : part.end() + 1] == "(")
                yield TemplateName(part.start(), chain, called)
            chain += call


def _plain(chain: str) -> str:
    return chain.replace("?", "").removeprefix("this.")


def _is_key(text: str, item: re.Match[str], begin: int) -> bool:
    """True for a key of an object: `{ key: value }`."""
    before = _before(text, item.start(), begin)[-1:]
    return before in {"{", ","} and _KEY.match(text, item.end()) is not None


def _is_pipe(text: str, start: int, begin: int) -> bool:
    """True for the name of a pipe: `value | name`."""
    before = _before(text, start, begin)
    return before.endswith("|") and before != "||"


def _before(text: str, start: int, begin: int) -> str:
    """The last two characters before an offset that are not blank."""
    while start > begin and text[start - 1].isspace():
        start -= 1
    return text[max(start - 2, begin) : start]
