"""Edits a member of JSON with comments in place: every other character stays.

The result is parsed again, and refused unless it has the intended value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from code_graph.formats.jsonc import JsonError, JsonNode, Member, member_of, members_of, parse
from repo_mcp.cli.clients.files import EditError
from repo_mcp.console import HIDDEN

_ESCAPES: Final = {code: f"\\u{code:04x}" for code in HIDDEN}
_UNIT: Final = re.compile(r"^([ \t]+)\S", re.MULTILINE)


def to_json(value: object) -> str:
    """A value on one line, right for JSON and TOML; control characters in it are escaped."""
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)


def value_of(text: str) -> dict[str, Any]:
    """The object in a file's text; empty for an empty file."""
    found = _parse(text).value if text.strip() else {}
    if not isinstance(found, dict):
        raise EditError("it is not a JSON object")
    return found


def with_member(text: str, path: Sequence[str], value: object) -> str:
    """The text with this member set; missing objects on its path are created."""
    expected = value_of(text)  # made for this call alone
    inner = expected
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise EditError(f"{key!r} in it is not an object")
    inner[path[-1]] = value
    return _verified(_set(text if text.strip() else "{}\n", path, value), expected)


def without_member(text: str, path: Sequence[str]) -> str:
    """The text without this member, which must exist."""
    expected, node = value_of(text), _parse(text)
    inner = expected
    for key in path[:-1]:
        inner, node = inner[key], _inner(text, node, key)
    del inner[path[-1]]
    member = _member(text, node, path[-1])
    if member is None:
        raise EditError(f"{path[-1]!r} is not in it")
    return _verified(_remove(text, node, member), expected)


def with_element(text: str, path: Sequence[str], value: object) -> str:
    """The text with this value at the end of the list there; what is missing is created."""
    expected, node = value_of(text), _parse(text) if text.strip() else None
    inner: Any = expected
    for key in path:
        member = None if node is None else _member(text, node, key)
        node, inner = (None, None) if member is None else (member.node, inner[key])
    if node is None:
        return with_member(text, path, [value])
    if not isinstance(inner, list):
        raise EditError(f"{path[-1]!r} in it is not a list")
    inner.append(value)
    return _verified(_insert(text, node, None, value), expected)


def without_element(text: str, path: Sequence[str], at: int) -> str:
    """The text without one element of the list there, which must exist."""
    expected, node = value_of(text), _parse(text)
    inner: Any = expected
    for key in path[:-1]:
        inner, node = inner[key], _inner(text, node, key)
    member = _member(text, node, path[-1])
    if member is None or not isinstance(member.node.value, list):
        raise EditError(f"{path[-1]!r} in it is not a list")
    del inner[path[-1]][at]
    return _verified(_remove(text, member.node, members_of(text, member.node)[at]), expected)


def _set(text: str, path: Sequence[str], value: object) -> str:
    node = _parse(text)
    for at, key in enumerate(path):
        member = _member(text, node, key)
        if member is None:
            for rest in reversed(path[at + 1 :]):
                value = {rest: value}
            return _insert(text, node, key, value)
        node = member.node
    indent = _indent_at(text, node.start)
    return text[: node.start] + _dump(value, indent, _unit(text)) + text[node.end :]


def _insert(text: str, node: JsonNode, key: str | None, value: object) -> str:
    """The text with a member at the end of an object or a list, on a line after comments there."""
    unit, outer = _unit(text), _indent_at(text, node.start)
    indent, last = outer + unit, next(reversed(members_of(text, node)), None)
    if last is not None and _begins_line(text, last.start):
        indent = _indent_at(text, last.start)
    name = "" if key is None else f"{to_json(key)}: "
    member = f"{name}{_dump(value, indent, unit)}"
    closing = node.end - 1
    end = len(text[:closing].rstrip(" \t\r\n"))
    tail = text[end:closing]
    if "\n" not in tail:
        tail = f"\n{outer}"
    head = text[:end]
    if last is not None and last.comma >= 0:  # keep the trailing comma
        member += ","
    elif last is not None:
        head = f"{text[: last.node.end]},{text[last.node.end : end]}"
    return f"{head}\n{indent}{member}{tail}{text[closing:]}"


def _remove(text: str, node: JsonNode, member: Member) -> str:
    members = members_of(text, node)
    at = members.index(member)
    start, end = member.start, member.node.end
    if member.comma >= 0:
        end = member.comma + 1
    elif at:  # the last member: remove the comma before it
        comma = members[at - 1].comma
        text = text[:comma] + text[comma + 1 :]
        start, end = start - 1, end - 1
    line = len(text[:start].rstrip(" \t"))
    rest = len(text) - len(text[end:].lstrip(" \t\r"))
    left = text[node.start + 1 : start] + text[end : node.end - 1]
    if len(members) == 1 and not left.strip():
        return f"{text[: node.start + 1]}{text[node.end - 1 :]}"
    if text[line - 1 : line] == "\n" and text[rest : rest + 1] == "\n":
        return text[:line] + text[rest + 1 :]
    return text[:start] + text[end:].removeprefix(" ")


def _parse(text: str) -> JsonNode:
    try:
        return parse(text)
    except JsonError as error:
        raise EditError(str(error)) from None


def _member(text: str, node: JsonNode, key: str) -> Member | None:
    try:
        return member_of(text, node, key)
    except JsonError as error:
        raise EditError(str(error)) from None


def _inner(text: str, node: JsonNode, key: str) -> JsonNode:
    member = _member(text, node, key)
    if member is None or not isinstance(member.node.value, dict):
        raise EditError(f"{key!r} in it is not an object")
    return member.node


def _verified(text: str, expected: dict[str, Any]) -> str:
    if value_of(text) != expected:
        raise EditError("it can't be changed without side effects")
    return text


def _dump(value: object, indent: str, unit: str) -> str:
    """Indented JSON; lists take one line."""
    if isinstance(value, dict) and value:
        inner = indent + unit
        lines = [
            f"{inner}{to_json(key)}: {_dump(item, inner, unit)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    return to_json(value)


def _unit(text: str) -> str:
    """The file's unit of indentation, from its first indented line."""
    found = _UNIT.search(text)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    """The indentation of the line at a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")
