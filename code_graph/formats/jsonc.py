"""Parses JSON with comments and trailing commas into values with positions."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from index_format.tuples import NamedTuple

_MAX_DEPTH: Final = 100
_TRIVIA: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN: Final = re.compile(r"[-+.0-9A-Za-z]+")
_DECODER: Final = json.JSONDecoder()


class JsonError(Exception):
    """A text is not JSON with comments, or is over a limit; the message says why."""


class JsonNode(NamedTuple):
    """A value, its start and its end."""

    value: Any
    start: int
    end: int


class Member(NamedTuple):
    """A member of an object or a list: its position, value, and position of the comma after it."""

    key: str  # empty in a list
    start: int
    node: JsonNode
    comma: int  # -1 for none


def parse(text: str) -> JsonNode:
    """The value of a text; raises `JsonError` unless there is exactly one."""
    reader = _Reader(text)
    node = reader.value(reader.skip(0), 0)
    if reader.skip(node.end) != len(text):
        raise JsonError(f"it is not JSON: text after the end, {_where(text, node.end)}")
    return node


def members_of(text: str, node: JsonNode) -> list[Member]:
    """The members of an object or a list that was parsed from a text; none of any other value."""
    return _Reader(text).members(node.start, 0)[0] if isinstance(node.value, dict | list) else []


def member_of(text: str, node: JsonNode, key: str) -> Member | None:
    """The member of this name; raises `JsonError` if there are two."""
    found = [member for member in members_of(text, node) if member.key == key]
    if len(found) > 1:
        raise JsonError(f"it has {key!r} twice")
    return found[0] if found else None


class _Reader:
    """Reads values at positions of a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """The position after spaces and comments."""
        found = _TRIVIA.match(self._text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> JsonNode:
        if depth > _MAX_DEPTH:
            raise _too_deep()
        first = self._text[at : at + 1]
        if first in {"{", "["}:
            return self._plain(at) or (self._object if first == "{" else self._array)(at, depth)
        if first == '"':
            return self._string(at)
        found = _PLAIN.match(self._text, at)
        if found is None:
            raise self._error(at)
        return JsonNode(self._load(found[0], at), at, found.end())

    def _plain(self, at: int) -> JsonNode | None:
        """An object or a list without comments, which compiled code reads."""
        try:
            value, end = _DECODER.raw_decode(self._text, at)
        except ValueError:
            return None
        except RecursionError:
            raise _too_deep() from None
        return JsonNode(value, at, end)

    def _object(self, at: int, depth: int) -> JsonNode:
        members, end = self.members(at, depth)
        return JsonNode({member.key: member.node.value for member in members}, at, end)

    def members(self, at: int, depth: int) -> tuple[list[Member], int]:
        """The members of an object or a list, and its end."""
        closing = "}" if self._text[at] == "{" else "]"
        members: list[Member] = []
        place = self.skip(at + 1)
        while self._text[place : place + 1] != closing:
            if members and members[-1].comma < 0:
                raise self._error(place)
            key, start = "", place
            if closing == "}":
                key, start = self._key(place)
            node = self.value(start, depth + 1)
            comma = self.skip(node.end)
            has_comma = self._text[comma : comma + 1] == ","
            members.append(Member(key, place, node, comma if has_comma else -1))
            place = self.skip(comma + 1) if has_comma else comma
        return members, place + 1

    def _key(self, at: int) -> tuple[str, int]:
        """The name of a member, and where its value begins."""
        key = self._string(at)
        colon = self.skip(key.end)
        if self._text[colon : colon + 1] != ":":
            raise self._error(colon)
        return key.value, self.skip(colon + 1)

    def _array(self, at: int, depth: int) -> JsonNode:
        members, end = self.members(at, depth)
        return JsonNode([member.node.value for member in members], at, end)

    def _string(self, at: int) -> JsonNode:
        found = _STRING.match(self._text, at)
        if found is None:
            raise self._error(at)
        return JsonNode(self._load(found[0], at), at, found.end())

    def _load(self, text: str, at: int) -> Any:  # noqa: ANN401 JSON
        try:
            return json.loads(text, strict=False)
        except ValueError:
            raise self._error(at) from None

    def _error(self, at: int) -> JsonError:
        return JsonError(f"it is not JSON: {_where(self._text, at)}")


def _too_deep() -> JsonError:
    return JsonError("it is nested too deeply")


def _where(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
