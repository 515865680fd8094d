"""Colours of source text: spans of a line and the kind of token that they are.

Pygments cuts the text into tokens. Its expressions may take long on text that was written to that
end, so it sees little of it at a time, in short lines, for a short time; what is left stays plain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from code_graph import LANGUAGES
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget

# seconds for all texts of a page
SECONDS: Final = 0.2
# characters that are cut into tokens as one text, and of a line
_MOST: Final = 60_000
_LONGEST: Final = 400


class Span(NamedTuple):
    """Columns of a line, and the style class of what stands there."""

    start: int
    end: int
    style: str


_STYLES: Final = {
    Token.Comment: "tc",
    Token.Literal.String: "ts",
    Token.Literal.String.Doc: "tc",
    Token.Literal.Number: "tn",
    Token.Keyword: "tk",
    Token.Operator.Word: "tk",
    Token.Name.Function: "tf",
    Token.Name.Class: "tf",
    Token.Name.Decorator: "td",
    Token.Name.Attribute: "td",
    Token.Name.Tag: "tk",
    Token.Name.Builtin: "tb",
    Token.Name.Exception: "tb",
    Token.Generic.Heading: "tk",
    Token.Generic.Subheading: "tk",
}
# Pygments' names of the languages of endings of names; those with a row have theirs there
_LEXERS: Final = {
    ending: lexer
    for lexer, endings in {
        "css": ".css .scss .less",
        "diff": ".diff .patch",
        "ini": ".ini .cfg .conf",
        "json": ".json .jsonc",
        "toml": ".toml",
        "xml": ".xml .xsd .xsl .svg",
        "yaml": ".yaml .yml",
    }.items()
    for ending in endings.split()
} | {
    ending: language.lexer or language.name
    for language in LANGUAGES
    for ending in (*language.endings, *language.file_names.split())
}


def highlight(rows: Sequence[str], path: str, budget: Budget, near: int = 0) -> list[list[Span]]:
    """The spans of each line; none where the language is unknown or a line is very long.

    A long text is coloured in parts, from the one that has the row `near` outwards; what is left
    when the budget is spent has none.
    """
    found: list[list[Span]] = [[] for _ in rows]
    lexer = _lexer_of(path)
    if lexer is None:
        return found
    parts = list(_parts(rows))
    for part in sorted(parts, key=lambda part: max(part.start - near, near - part.stop + 1, 0)):
        if budget.spent:
            break
        _colour(lexer, rows, part, found, budget)
    return found


def _parts(rows: Sequence[str]) -> Iterator[range]:
    """Rows that are one text for a lexer, in order."""
    first = characters = 0
    for number, row in enumerate(rows):
        characters += len(_short(row)) + 1
        if characters > _MOST:
            yield range(first, number)
            first, characters = number, len(_short(row)) + 1
    yield range(first, len(rows))


def _short(row: str) -> str:
    """The line as a lexer sees it: not at all if it is long."""
    return row if len(row) <= _LONGEST else ""


def _colour(
    lexer: Lexer, rows: Sequence[str], part: range, found: list[list[Span]], budget: Budget
) -> None:
    """Add the spans of these rows."""
    row, column = part.start, 0
    for kind, text in _tokens(lexer, "\n".join(_short(rows[number]) for number in part)):
        if budget.spent:
            return
        style = _style(kind)
        for number, piece in enumerate(text.split("\n")):
            if number:
                row, column = row + 1, 0
            if style and piece:
                found[row].append(Span(column, column + len(piece), style))
            column += len(piece)


def _tokens(lexer: Lexer, text: str) -> Iterator[tuple[_TokenType, str]]:
    """The tokens of a text; a lexer that omits some, or fails, ends them."""
    end = 0
    for at, kind, part in lexer.get_tokens_unprocessed(text):
        if at != end:
            return
        end = at + len(part)
        yield kind, part


def _lexer_of(path: str) -> Lexer | None:
    name = path.rpartition("/")[2].lower()
    stem, dot, ending = name.rpartition(".")
    language = _LEXERS.get(name) or (_LEXERS.get(f".{ending}") if dot and stem else None)
    return None if language is None else _lexer(language)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:  # a later version has another name for it
        return None


@lru_cache(maxsize=512)
def _style(kind: _TokenType) -> str:
    while kind not in _STYLES:
        if kind.parent is None:
            return ""
        kind = kind.parent
    return _STYLES[kind]
