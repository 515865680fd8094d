"""Brackets of code and what is between them, outside of texts and comments, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_OPENING: Final = "([{"
_CLOSING: Final = ")]}"
_TEXT: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    r"|`(?:[^`\\]|\\.)*`",
    re.DOTALL,
)
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LINE_COMMENT: Final = re.compile(r"#[^\n]*")
_GENERIC: Final = re.compile(r"<[\w\s,.:?&*\[\]<>()'|-]*?>")
# characters of a call that are looked at
_MOST: Final = 4_000


def matching(text: str, at: int) -> int:
    """Where the bracket at a place is closed; -1 if it is not."""
    depth = 0
    for place, char in _code(text, at):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
            if not depth:
                return place
        if place - at > _MOST:
            break
    return -1


def directly_inside(text: str, at: int) -> str:
    """The code in the brackets that open at a place, without that in further ones."""
    depth = 0
    kept: list[str] = []
    for _, char in _code(text, at):
        depth += (char in _OPENING) - (char in _CLOSING)
        if not depth:
            break
        if depth == 1:
            kept.append(char)
    return "".join(kept)


def split_at_commas(text: str) -> list[str]:
    """The parts between commas that are in no bracket; none of them is empty."""
    parts: list[str] = []
    depth = begin = 0
    angles = _angles(text)
    for place, char in _code(text, 0):
        if place in angles:
            depth += 1 if char == "<" else -1
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[begin:place])
            begin = place + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


def without_comments(text: str) -> str:
    """The text with a blank for each comment."""
    kept: list[str] = []
    at = 0
    while at < len(text):
        found = _TEXT.match(text, at)
        if found is not None:
            kept.append(found[0])
            at = found.end()
            continue
        comment = _comment_at(text, at)
        if comment > at:
            kept.append(" ")
            at = comment
        else:
            kept.append(text[at])
            at += 1
    return "".join(kept)


def _code(text: str, at: int) -> Iterator[tuple[int, str]]:
    """The characters outside of texts and comments, with their places."""
    while at < len(text):
        found = _TEXT.match(text, at)
        end = _comment_at(text, at) if found is None else found.end()
        if end > at:
            at = end
            continue
        yield at, text[at]
        at += 1


def _comment_at(text: str, at: int) -> int:
    """Where the comment at a place ends; the place itself if there is none."""
    found = _COMMENT.match(text, at)
    if found is None and text[at] == "#" and (not at or text[at - 1].isspace()):
        found = _LINE_COMMENT.match(text, at)
    return at if found is None else found.end()


def _angles(text: str) -> frozenset[int]:
    """The places of angle brackets around type arguments."""
    found: set[int] = set()
    # inner ones first, which are blank then, and no part of a bracket any more
    while (item := _GENERIC.search(text)) is not None:
        begin, end = text.rindex("<", item.start(), item.end()), item.end() - 1
        found |= {begin, end}
        text = f"{text[:begin]} {text[begin + 1 : end]} {text[end + 1 :]}"
    return frozenset(found)
