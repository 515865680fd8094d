"""Finds the branches of conditional compilation by their directives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from repo_mcp.languages.treesitter.source import blank

_DIRECTIVE: Final = re.compile(
    r"^[ \t]*+#[ \t]*+(if|elif|elseif|else|endif)\b([^\n\r]*+)", re.MULTILINE
)
_VISIBLE: Final = re.compile(r"\S")
_DEEPEST: Final = 50


def branches(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and condition of each branch, inner ones before outer ones."""
    if "#" not in text:
        return
    opened: list[tuple[int, str]] = []
    for found in _DIRECTIVE.finditer(text):
        if found[1] != "if" and opened:
            start, label = opened.pop()
            yield start, found.start(), label
        if found[1] != "endif" and len(opened) < _DEEPEST:
            condition = " ".join(found[2].partition("//")[0].split())[:80]
            opened.append((found.end(), f"#{found[1]} {condition}".rstrip()))


def branch_alternatives(text: str) -> Iterator[str]:
    """Alternative texts to parse: with all branches of `#if`, then with only the first of each."""
    if "#if" in text or "# if" in text:
        yield without_directives(text)
        yield first_branches(text)


def without_directives(text: str) -> str:
    """The text with all branches, and blanks instead of directives."""
    return _DIRECTIVE.sub(blank, text)


def first_branches(text: str) -> str:
    """The text with the first branch of each condition, and blanks instead of the others."""
    pieces: list[str] = []
    # for each open condition, whether its first branch is still open
    first: list[bool] = []
    left_out = done = 0
    for found in _DIRECTIVE.finditer(text):
        piece = text[done : found.start()]
        pieces.append(_VISIBLE.sub(" ", piece) if left_out else piece)
        pieces.append(blank(found))
        done = found.end()
        kind = found[1]
        if kind == "if":
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
