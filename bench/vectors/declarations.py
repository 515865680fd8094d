"""Pairs of declarations: documentation -> body, and name -> body without the name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bench.ranking import comments
from bench.vectors.pair import DOC, LONGEST_QUERY, NAME, Pair, is_noise
from code_graph import Languages
from code_graph.facts import Declaration
from index_format.analysis.words import split_identifier

_KINDS: Final = frozenset(
    {"function", "method", "class", "struct", "interface", "trait", "enum", "protocol", "impl"}
    | {"constructor", "record", "actor", "extension", "object", "module", "union", "type"}
)
_DOCS_OF_A_FILE: Final = 12
_NAMES_OF_A_FILE: Final = 6
_SHORTEST_BODY: Final = 3
_SHORTEST_NAMED: Final = 5
_FEWEST_LETTERS: Final = 12
_QUOTES: Final = re.compile(r"\s*[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
_COMMENT: Final = re.compile(r"\s*(?://|#(?!include|define|if|endif)|\*|/\*|--)")


def pairs(languages: Languages, path: str, text: str) -> Iterator[Pair]:
    """The pairs of a file, those with documentation first."""
    rows = text.split("\n")
    documented = named = 0
    for item, doc, body in _bodies(languages, path, text, rows):
        query = question(doc)
        if query and documented < _DOCS_OF_A_FILE:
            documented += 1
            yield Pair(DOC, query, path, body)
        elif named < _NAMES_OF_A_FILE and body.count("\n") >= _SHORTEST_NAMED:
            parts = split_identifier(item.name)
            if sum(len(part) > 1 for part in parts) > 1:
                named += 1
                without = re.sub(rf"\b{re.escape(item.name)}\b", " ", body)
                yield Pair(NAME, " ".join(parts), path, without)


def question(doc: str) -> str:
    """The first paragraph of a documentation; empty if it tells nothing about code."""
    text = comments.paragraph(doc.split("\n"), marked=False)[:LONGEST_QUERY]
    letters = sum(char.isalpha() for char in text)
    return "" if letters < _FEWEST_LETTERS or is_noise(text) else text


def _bodies(
    languages: Languages, path: str, text: str, rows: Sequence[str]
) -> Iterator[tuple[Declaration, str, str]]:
    """Declarations with their documentation and their lines without it."""
    is_python = languages.language_of(path) == "python"
    for item, doc in _declared(languages, path, text):
        if item.kind not in _KINDS or "test" in item.name.lower():
            continue
        lines = list(rows[max(item.start_line, 1) - 1 : item.end_line])
        if is_python and doc:
            lines = _without_docstring(lines, item.name_line - item.start_line)
        while lines and (not lines[-1].strip() or _COMMENT.match(lines[-1])):
            lines.pop()
        while lines and _COMMENT.match(lines[0]):
            lines.pop(0)
        if len(lines) >= _SHORTEST_BODY:
            yield item, doc, "\n".join(lines)


def _declared(languages: Languages, path: str, text: str) -> Iterator[tuple[Declaration, str]]:
    adapter = languages.adapter_for(path)
    if adapter is not None:
        yield from ((item, item.doc) for item in adapter.facts(path, text).declarations)


def _without_docstring(lines: list[str], head: int) -> list[str]:
    """The lines without the string literal that stands first below the head."""
    for at in range(max(head, 0), len(lines)):
        found = _QUOTES.match(lines[at])
        if found:
            quote = found[1]
            rest = lines[at][found.end() :]
            end = at
            while quote not in rest and end + 1 < len(lines):
                end += 1
                rest = lines[end]
            return lines[:at] + lines[end + 1 :]
    return lines
