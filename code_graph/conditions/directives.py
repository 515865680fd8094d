"""Reads the directives of C, and of the languages that have its `#if`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from code_graph.conditions.branches import DEFINE, ELIF, ELSE, END, IF, INCLUDE, UNDEFINE, Directive

# to the end of the line that no backslash joins with the next
_LINE: Final = r"[^\n\\]*+(?:\\[\s\S][^\n\\]*+)*+"
_DIRECTIVE: Final = re.compile(
    r"^[ \t]*+#[ \t]*+(if(?:n?def)?|elif(?:n?def)?|elseif|else|endif|define|undef|include)\b"
    rf"({_LINE})",
    re.MULTILINE,
)
# how generated headers say that nothing was found: `/* #undef HAVE_ARC4RANDOM */`
_NOT_DEFINED: Final = re.compile(r"^/\*[ \t]*#[ \t]*undef[ \t]+(\w+)[ \t]*\*/", re.MULTILINE)
_BLOCK_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_TEXT_OR_COMMENT: Final = re.compile(
    r"\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'|//[^\n]*+|(/\*.*?(?:\*/|\Z))", re.DOTALL
)
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_JOINED: Final = re.compile(r"\\\r?\n")
_KINDS: Final = {
    "if": IF,
    "ifdef": IF,
    "ifndef": IF,
    "elif": ELIF,
    "elifdef": ELIF,
    "elifndef": ELIF,
    "elseif": ELIF,
    "else": ELSE,
    "endif": END,
    "define": DEFINE,
    "undef": UNDEFINE,
    "include": INCLUDE,
}


def read_directives(text: str, path: str) -> Iterator[Directive]:  # noqa: ARG001 all readers have it
    """The directives of a text, without those in comments."""
    if "#" not in text:
        return
    matches = [*_DIRECTIVE.finditer(text)]
    comments = _spans(_BLOCK_COMMENT, text, 0) if "/*" in text else []
    if any(_is_inside(match.start(), comments) for match in matches):
        # a text may have what looks like the begin of a comment
        comments = _spans(_TEXT_OR_COMMENT, text, 1)
    if "#undef" in text:
        matches = sorted([*matches, *_NOT_DEFINED.finditer(text)], key=re.Match.start)
    line, place = 1, 0
    for match in matches:
        line += text.count("\n", place, match.start())
        place = match.start()
        if match.re is _NOT_DEFINED:
            yield Directive(UNDEFINE, line, line, match[1])
            continue
        if comments and _is_inside(match.start(), comments):
            continue
        rest = " ".join(_COMMENT.sub(" ", _JOINED.sub(" ", match[2])).split())
        last = line + match[0].count("\n")
        yield Directive(_KINDS[match[1]], line, last, _condition(match[1], rest))


def _condition(directive: str, rest: str) -> str:
    """The text after a directive; the short forms are written as the long one."""
    if directive.endswith("def") and directive != "undef":
        name = rest.partition(" ")[0]
        return f"!defined({name})" if directive.endswith("ndef") else f"defined({name})"
    return rest


def _spans(pattern: re.Pattern[str], text: str, group: int) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text) if match[group] is not None]


def _is_inside(place: int, spans: list[tuple[int, int]]) -> bool:
    before = bisect_right(spans, (place,)) - 1
    return before >= 0 and place < spans[before][1]
