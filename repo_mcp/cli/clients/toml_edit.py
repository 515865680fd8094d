"""Edits a table of a TOML file in place: every other line stays.

Tables are found by the lines that look like their heads, which no line inside of a longer value may
do for long: what comes out is read again, and is given back only if it says what was wanted.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from repo_mcp.cli.clients.jsonc_tree import EditError

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_MAX_LINES: Final = 200


def value_of(text: str) -> dict[str, Any]:
    """What a file says."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise EditError(f"it is not TOML: {error}") from None


def with_table(text: str, path: Sequence[str], values: Mapping[str, object]) -> str:
    """The text with these values in a table, which is made at the end where it is missing."""
    wanted = deepcopy(value_of(text))
    inner = wanted
    for key in path:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise EditError(f"{key!r} in it is no table")
    inner.update(values)
    lines = text.split("\n")
    heads = [at for at, line in enumerate(lines) if _head(line) == tuple(path)]
    if heads:
        for key, value in values.items():
            _set(lines, heads[0], key, value)
    else:
        _append(lines, path, values)
    return _checked("\n".join(lines), wanted)


def without_table(text: str, path: Sequence[str]) -> str:
    """The text without a table and all that is below it."""
    wanted = deepcopy(value_of(text))
    inner = wanted
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        head = _head(line)
        if head:
            inside = head[: len(path)] == tuple(path)
        if not inside:
            kept.append(line)
    if not inner:  # a table that only the one inside had made is gone with it
        _forget(wanted, path[:-1], "\n".join(kept))
    return _checked("\n".join(kept).rstrip("\n") + "\n" if any(kept) else "", wanted)


def format_table(path: Sequence[str], values: Mapping[str, object]) -> str:
    """A table as it is written."""
    lines = [f"[{'.'.join(map(_key, path))}]"]
    return "\n".join([*lines, *(f"{_key(key)} = {_dumped(item)}" for key, item in values.items())])


def _append(lines: list[str], path: Sequence[str], values: Mapping[str, object]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
    if lines:
        lines.append("")
    lines += [*format_table(path, values).split("\n"), ""]


def _set(lines: list[str], head: int, key: str, value: object) -> None:
    """Put a value in place of the one that the table has, or first in it."""
    after = (at for at in range(head + 1, len(lines)) if _head(lines[at]))
    for at in range(head + 1, next(after, len(lines))):
        if _said_key(lines[at]) == key:
            end, comment = _statement(lines, at)
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines[at:end] = [f"{indent}{_key(key)} = {_dumped(value)}{comment}"]
            return
    lines.insert(head + 1, f"{_key(key)} = {_dumped(value)}")


def _statement(lines: Sequence[str], at: int) -> tuple[int, str]:
    """Where a statement ends, and the comment at its end."""
    for end in range(at + 1, min(at + _MAX_LINES, len(lines)) + 1):
        said = _read("\n".join(lines[at:end]))
        if said is not None:
            return end, _comment(lines[at], said) if end == at + 1 else ""
    raise EditError(f"a value in it has no end: line {at + 1}")


def _comment(line: str, said: dict[str, Any]) -> str:
    for mark in re.finditer("#", line):
        if _read(line[: mark.start()]) == said:
            return f"  {line[mark.start() :].rstrip()}"
    return ""


def _said_key(line: str) -> str:
    name, equals, _ = line.partition("=")
    found = _read(f"{name} = 0") if equals and not name.lstrip().startswith("#") else None
    return next(iter(found)) if found else ""


def _head(line: str) -> tuple[str, ...]:
    """The name of the table that a line begins, empty for any other line."""
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
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _forget(wanted: dict[str, Any], path: Sequence[str], text: str) -> None:
    """Take out an empty table that the text does not name either."""
    found: Any = _read(text)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if found is None and len(path) == 1:
        wanted.pop(path[0], None)


def _checked(text: str, wanted: dict[str, Any]) -> str:
    if value_of(text) != wanted:
        raise EditError("it can't be changed without changing more than that")
    return text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _dumped(name)


def _dumped(value: object) -> str:
    """A text, a number, a truth value or a list of them: JSON, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
