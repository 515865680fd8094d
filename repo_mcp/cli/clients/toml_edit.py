"""Edits a table of a TOML file in place: every other line stays.

Tables are found by lines that look like headers; such a line may also be inside a multi-line value,
so the result is parsed again, and refused unless it has the intended value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from code_graph.formats.toml import TomlError, TomlLimitError, first_statement, parse_toml
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.clients.jsonc_edit import to_json

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
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
    lines = text.split("\n")
    heads = [
        at
        for at, line in enumerate(lines)
        if _may_be_header(line, path) and _header(line) == tuple(path)
    ]
    if heads:
        for key, value in values.items():
            _set(lines, heads[0], key, value)
    else:
        _append(lines, path, values)
    return _verified("\n".join(lines), expected)


def without_table(text: str, path: Sequence[str]) -> str:
    """The text without a table and its subtables."""
    expected = inner = dict(value_of(text))
    for key in path[:-1]:
        inner[key] = dict(inner[key])
        inner = inner[key]
    del inner[path[-1]]
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        head = _header(line) if inside or _may_be_header(line, path) else ()
        if head:
            inside = head[: len(path)] == tuple(path)
        if not inside:
            kept.append(line)
    if not inner:  # a parent that only this table defined is gone, too
        _drop_empty_table(expected, path[:-1], "\n".join(kept))
    return _verified("\n".join(kept).rstrip("\n") + "\n" if any(kept) else "", expected)


def format_table(path: Sequence[str], values: Mapping[str, object]) -> str:
    """A table as TOML."""
    lines = [f"[{'.'.join(map(_key, path))}]"]
    return "\n".join([*lines, *(f"{_key(key)} = {to_json(item)}" for key, item in values.items())])


def _append(lines: list[str], path: Sequence[str], values: Mapping[str, object]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
    if lines:
        lines.append("")
    lines += [*format_table(path, values).split("\n"), ""]


def _set(lines: list[str], head: int, key: str, value: object) -> None:
    """Replace a value in the table, or insert it first."""
    after = (at for at in range(head + 1, len(lines)) if _header(lines[at]))
    for at in range(head + 1, next(after, len(lines))):
        if _key_of(lines[at]) == key:
            end, comment = _statement(lines, at)
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines[at:end] = [f"{indent}{_key(key)} = {to_json(value)}{comment}"]
            return
    lines.insert(head + 1, f"{_key(key)} = {to_json(value)}")


def _statement(lines: Sequence[str], at: int) -> tuple[int, str]:
    """The line after a statement, and the comment at its end."""
    text = "\n".join(lines[at:])
    end, comment = first_statement(text)
    if end < 0:
        raise EditError(f"a value in it does not end: line {at + 1}")
    return at + text.count("\n", 0, end) + 1, f"  {comment.rstrip()}" if comment else ""


def _key_of(line: str) -> str:
    name, equals, _ = line.partition("=")
    found = _read(f"{name} = 0") if equals and not name.lstrip().startswith("#") else None
    return next(iter(found)) if found else ""


def _may_be_header(line: str, path: Sequence[str]) -> bool:
    """True for a line that may be the header of a table or one below it; parsing it tells."""
    named = "\\" in line or all(key in line for key in path)
    return named and line.lstrip().startswith("[")


def _header(line: str) -> tuple[str, ...]:
    """The name in a table header; empty for any other line."""
    if not line.lstrip().startswith("["):
        return ()
    found: Any = _read(line)
    names: list[str] = []
    while isinstance(found, dict | list) and found:
        found = found[0] if isinstance(found, list) else found
        if found:
            names.append(next(iter(found)))
            found = found[names[-1]]
    return tuple(names)


def _read(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except TomlError:
        return None


def _drop_empty_table(expected: dict[str, Any], path: Sequence[str], text: str) -> None:
    """Remove an empty table that the text does not define."""
    found: Any = _read(text)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if found is None and len(path) == 1:
        expected.pop(path[0], None)


def _verified(text: str, expected: dict[str, Any]) -> str:
    if value_of(text) != expected:
        raise EditError("it can't be changed without side effects")
    return text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else to_json(name)
