"""Edits a table of a TOML file in place: every other line stays.

The result is parsed again by the fenced reader, and refused unless it has the intended value.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Item

from code_graph.formats.toml import TomlError, TomlLimitError, parse_toml
from repo_mcp.cli.clients.files import EditError

# a client adds to its file for years, so a user's own may be longer than one of a project
_MAX_CHARACTERS: Final = 1 << 20


@lru_cache(maxsize=2)
def value_of(text: str) -> Mapping[str, Any]:
    """The value of a file's text, which is not to be changed: it is kept for the next call."""
    if len(text) > _MAX_CHARACTERS:
        raise EditError(f"it has more than {_MAX_CHARACTERS} characters")
    try:
        return parse_toml(text)
    except TomlLimitError as error:
        raise EditError(str(error)) from None
    except TomlError as error:
        raise EditError(f"it is not TOML: {error}") from None


def with_table(text: str, path: Sequence[str], values: Mapping[str, object]) -> str:
    """The text with these values in a table; a missing table is added at the end."""
    expected = inner = dict(value_of(text))
    for key in path:
        found = inner.get(key, {})
        if not isinstance(found, dict):
            raise EditError(f"{key!r} in it is not a table")
        inner[key] = dict(found)
        inner = inner[key]
    inner.update(values)
    text = f"{text}\n" if text and not text.endswith("\n") else text
    document = _document(text)
    table: MutableMapping[str, Any] = document
    for at, key in enumerate(path):
        if key not in table:
            if not at and text and not text.endswith("\n\n"):
                document.add(tomlkit.nl())
            is_inline = isinstance(table, InlineTable)
            is_outer = at + 1 < len(path)
            table[key] = tomlkit.inline_table() if is_inline else tomlkit.table(is_outer)
        table = cast("MutableMapping[str, Any]", table[key])
    for key, value in values.items():
        item = tomlkit.item(value)
        if key in table:  # what stands behind a value stays
            comment = cast("Item", table[key]).trivia.comment.rstrip()
            item.trivia.comment_ws, item.trivia.comment = "  " if comment else "", comment
        table[key] = item
    return _verified(document.as_string(), expected)


def without_table(text: str, path: Sequence[str]) -> str:
    """The text without a table and its subtables; nor is a parent left that only this one made."""
    expected = inner = dict(value_of(text))
    document = _document(text)
    table: MutableMapping[str, Any] = document
    for key in path[:-1]:
        inner[key] = dict(inner[key])
        inner, table = inner[key], table[key]
    del inner[path[-1]], table[path[-1]]
    left = document.as_string().rstrip("\n")
    written = f"{left}\n" if left.strip("\n") else ""
    if not inner and path[0] not in value_of(written):
        del expected[path[0]]
    return _verified(written, expected)


def format_table(path: Sequence[str], values: Mapping[str, object]) -> str:
    """A table as TOML."""
    return with_table("", path, values).rstrip("\n")


def _document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise EditError(f"it is not TOML: {error}") from None


def _verified(text: str, expected: Mapping[str, Any]) -> str:
    if value_of(text) != expected:
        raise EditError("it can't be changed without side effects")
    return text
