"""Reads declarations of Swift by keywords and braces, as a parser that shares nothing with ours.

The language's own parser is no package of Debian. This one reads tokens: what stands directly in a
file or in the braces of a type is declared there, what stands in any other braces is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"(?P<space>[^\S\n]+)|(?P<newline>\n)|(?P<line>//[^\n]*)|(?P<comment>/\*)"
    r"|(?P<directive>\#(?:if|elseif|else|endif|sourceLocation|error|warning)\b[^\n]*)"
    r'|(?P<text>\#*"(?:"")?)|(?P<name>`\w+`|\w+)|(?P<sign>[-+*/%=<>!&|^~?]+|.)',
    re.DOTALL,
)
_TYPES: Final = frozenset({"class", "struct", "enum", "protocol", "actor", "extension"})
_OPENING: Final = {"(": ")", "[": "]"}
# what begins a pattern that binds a name for a statement, and declares nothing
_STATEMENTS: Final = frozenset({"if", "guard", "while", "case", "for", "catch", ",", "switch"})


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def read_swift(paths: Sequence[Path]) -> str:
    """One JSON object for each declaration of the files."""
    rows: list[str] = []
    for path in paths:
        try:
            tokens = list(_tokens(path.read_text("utf-8")))
        except (ValueError, IndexError):
            rows.append(json.dumps({"failed": str(path)}))
            continue
        for kind, name, line in _Reader(tokens).declared():
            rows.append(json.dumps({"path": str(path), "kind": kind, "name": name, "line": line}))
    return "\n".join(rows)


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None
        kind, start = str(match.lastgroup), at
        at = match.end()
        if kind == "comment":
            at = _end_of_comment(text, at)
        elif kind == "text":
            at = _end_of_text(text, at, match.group())
        elif kind in {"name", "sign"}:
            yield _Token(kind, match.group().strip("`"), line)
        if kind == "text":
            yield _Token(kind, "", line)
        line += text.count("\n", start, at)


def _end_of_comment(text: str, at: int) -> int:
    depth = 1
    while depth:
        match = re.compile(r"/\*|\*/").search(text, at)
        if match is None:
            raise ValueError(at)
        depth += 1 if match.group() == "/*" else -1
        at = match.end()
    return at


def _end_of_text(text: str, at: int, opening: str) -> int:
    hashes = opening.rstrip('"')
    quotes = opening[len(hashes) :]
    if quotes == '""':
        return at
    while not text.startswith(quotes + hashes, at):
        if text.startswith(f"\\{hashes}(", at):
            at = _end_of_interpolation(text, at + 2 + len(hashes))
        elif text.startswith(f"\\{hashes}", at):
            at += 2 + len(hashes)
        else:
            at += 1
        if at >= len(text):
            raise ValueError(at)
    return at + len(quotes + hashes)


def _end_of_interpolation(text: str, at: int) -> int:
    depth = 1
    while depth:
        match = re.compile(r'[()]|#*"(?:"")?').search(text, at)
        if match is None:
            raise ValueError(at)
        at = match.end()
        if match.group() in {"(", ")"}:
            depth += 1 if match.group() == "(" else -1
        else:
            at = _end_of_text(text, at, match.group())
    return at


class _Reader:
    """Walks over the tokens of a file and keeps which braces they are in."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = [*tokens, *[_Token("end", "", 0)] * 3]

    def declared(self) -> Iterator[tuple[str, str, int]]:
        """Kind, name and line of each declaration."""
        around = ["file"]
        opening = "body"
        at = 0
        while (token := self._tokens[at]).kind != "end":
            before = self._tokens[at - 1].text if at else ""
            at += 1
            if token.text in _OPENING:
                at = self._after(at, token.text)
            elif token.text == "{":
                around.append(opening)
                opening = "body"
            elif token.text == "}":
                around = around[:-1] or ["file"]
            elif token.kind == "name" and around[-1] != "body" and before != ".":
                found = list(self._at_keyword(token.text, at, before, around[-1]))
                yield from found
                if found and token.text in _TYPES:
                    opening = "enum" if token.text == "enum" else "type"

    def _at_keyword(
        self, word: str, at: int, before: str, around: str
    ) -> Iterator[tuple[str, str, int]]:
        following = self._tokens[at]
        if word in _TYPES:
            if following.kind == "name" and not self._is_modifier(word, at):
                yield "type", *self._dotted(at)
        elif word in {"func", "macro"}:
            yield "function" if word == "func" else word, following.text, following.line
        elif word in {"typealias", "associatedtype"}:
            yield "type", following.text, following.line
        elif word == "init" and around != "file" and following.text[:1] in {"(", "<", "?", "!"}:
            yield "constructor", word, self._tokens[at - 1].line
        elif word in {"var", "let"} and before not in _STATEMENTS and following.kind == "name":
            yield "field", following.text, following.line
        elif word == "case" and around == "enum":
            yield from self._cases(at)

    def _is_modifier(self, word: str, at: int) -> bool:
        following, after = self._tokens[at].text, self._tokens[at + 1].text
        if word == "class":
            return following in {"func", "var", "let", "subscript", "override", "final", "private"}
        return word == "actor" and after not in {"{", ":", "<", "where"}

    def _dotted(self, at: int) -> tuple[str, int]:
        line = self._tokens[at].line
        while self._tokens[at + 1].text == "." and self._tokens[at + 2].kind == "name":
            at += 2
        return self._tokens[at].text, line

    def _cases(self, at: int) -> Iterator[tuple[str, str, int]]:
        while self._tokens[at].kind == "name":
            yield "enumerator", self._tokens[at].text, self._tokens[at].line
            at += 1
            if self._tokens[at].text == "(":
                at = self._after(at + 1, "(")
            if self._tokens[at].text == "=":
                at += 2
            if self._tokens[at].text != ",":
                return
            at += 1

    def _after(self, at: int, opening: str) -> int:
        """The place after the bracket that closes."""
        open_brackets = [_OPENING[opening]]
        while open_brackets and (token := self._tokens[at]).kind != "end":
            at += 1
            if token.text in {"(", "[", "{"}:
                open_brackets.append({**_OPENING, "{": "}"}[token.text])
            elif token.text == open_brackets[-1]:
                open_brackets.pop()
        return at
