"""Finds the branches of conditional compilation by their directives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# to the end of the line that no backslash joins with the next
_LINE: Final = r"[^\n\\]*+(?:\\[\s\S][^\n\\]*+)*+"
_DIRECTIVE: Final = re.compile(
    rf"^[ \t]*+#[ \t]*+(if(?:n?def)?|elif(?:n?def)?|elseif|else|endif)\b({_LINE})", re.MULTILINE
)
_ANY_DIRECTIVE: Final = re.compile(rf"^[ \t]*+#{_LINE}", re.MULTILINE)
_VISIBLE: Final = re.compile(r"\S")
_DEEPEST: Final = 50
# comments, strings and characters
_NO_CODE: Final = re.compile(
    r"//[^\n]*+|/\*.*?(?:\*/|\Z)|@\"(?>(?:[^\"]++|\"\")*)\"?|\"(?:[^\"\\\n]++|\\.)*+\"?|'(?:[^'\\\n]++|\\.)*+'?",
    re.DOTALL,
)
_BRACKET: Final = re.compile(r"[()\[\]{}]")
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
# characters that statements, declarations and attributes end with
_ENDS: Final = ";}]:"
_ENDS_BEFORE: Final = frozenset({"", "{", *_ENDS})
# characters before a condition that show where it begins
_LOOK_BACK: Final = 2000


def _blank(found: re.Match[str]) -> str:
    """Blanks in place of a directive, which may have several lines."""
    return _VISIBLE.sub(" ", found[0])


def branches(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and condition of each branch, inner ones before outer ones."""
    if "#" not in text:
        return
    opened: list[tuple[int, str]] = []
    for found in _DIRECTIVE.finditer(text):
        if not found[1].startswith("if") and opened:
            start, label = opened.pop()
            yield start, found.start(), label
        if found[1] != "endif" and len(opened) < _DEEPEST:
            condition = " ".join(found[2].partition("//")[0].split())[:80]
            opened.append((found.end(), f"#{found[1]} {condition}".rstrip()))


def branch_alternatives(text: str) -> Iterator[str]:
    """Texts to parse instead: with all branches of `#if`, the fitting ones, or the first."""
    if "#if" in text or "# if" in text:
        yield without_directives(text)
        yield fitting_branches(text)
        yield first_branches(text)


def without_directives(text: str) -> str:
    """The text with all branches, and blanks instead of directives."""
    return _DIRECTIVE.sub(_blank, text)


def fitting_branches(text: str) -> str:
    """The text with blanks instead of directives, and of branches that can't follow one another.

    Branches can if they begin where a statement or declaration may begin, and if each has as many
    closing as opening brackets and ends as those end; of others only the first is kept.
    """
    left_out: list[tuple[int, int]] = []
    for group in _groups(text):
        begin = text.rfind("\n", 0, group[0][0]) + 1
        before = _code(_before(text, begin))
        if before[-1:] not in _ENDS_BEFORE or not all(
            _is_whole(text[start:end]) for start, end in group
        ):
            left_out += group[1:]
    pieces: list[str] = []
    done = 0
    for start, end in sorted(left_out):
        if start >= done:
            pieces += (text[done:start], _VISIBLE.sub(" ", text[start:end]))
            done = end
    return without_directives("".join((*pieces, text[done:])))


def _groups(text: str) -> Iterator[list[tuple[int, int]]]:
    """The branches of each condition, as ranges without the directives."""
    opened: list[list[tuple[int, int]]] = []
    for found in _DIRECTIVE.finditer(text):
        if found[1].startswith("if"):
            opened.append([(found.end(), found.end())])
        elif opened:
            start, _ = opened[-1][-1]
            opened[-1][-1] = start, found.start()
            if found[1] == "endif":
                group = opened.pop()
                if len(opened) < _DEEPEST:
                    yield group
            else:
                opened[-1].append((found.end(), found.end()))


def _before(text: str, end: int) -> str:
    """Whole lines before a place, without the rest of what begins earlier: directives, comments."""
    start = end - _LOOK_BACK
    if start <= 0:
        return text[:end]
    start = text.find("\n", start, end) + 1 or end
    while text[start - 2 : start - 1] == "\\" and start < end:
        start = text.find("\n", start, end) + 1 or end
    closed = text.find("*/", start, end)
    if closed >= 0 and not 0 <= text.find("/*", start, end) < closed:
        start = closed + 2
    return text[start:end]


def _code(text: str) -> str:
    """The text without comments, strings and directives."""
    return _NO_CODE.sub("", _ANY_DIRECTIVE.sub("", text)).rstrip()


def _is_whole(branch: str) -> bool:
    """True if the text of a branch is whole statements or declarations, as far as brackets tell."""
    code = _code(branch)
    if code and code[-1] not in _ENDS:
        return False
    open_brackets: list[str] = []
    for bracket in _BRACKET.findall(code):
        if bracket in _PAIRS:
            open_brackets.append(_PAIRS[bracket])
        elif not open_brackets or open_brackets.pop() != bracket:
            return False
    return not open_brackets


def first_branches(text: str) -> str:
    """The text with the first branch of each condition, and blanks instead of the others."""
    pieces: list[str] = []
    # for each open condition, whether its first branch is still open
    first: list[bool] = []
    left_out = done = 0
    for found in _DIRECTIVE.finditer(text):
        piece = text[done : found.start()]
        pieces.append(_VISIBLE.sub(" ", piece) if left_out else piece)
        pieces.append(_blank(found))
        done = found.end()
        kind = found[1]
        if kind.startswith("if"):
            first.append(True)
        elif first:
            left_out -= not first[-1]
            if kind == "endif":
                first.pop()
            else:
                first[-1] = False
                left_out += 1
    pieces.append(_VISIBLE.sub(" ", text[done:]) if left_out else text[done:])
    return "".join(pieces)
