"""The id of a request that is nested too deeply to be read: its first level alone is looked at."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Final

# a longer message is looked at as far as this
_MOST: Final = 1 << 18
_TOKEN: Final = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]+|[\]}]+|[^\s\[\]{}":,]+|[:,]|"', re.DOTALL
)
_OPEN: Final = frozenset("[{")
_CLOSED: Final = frozenset("]}")


def id_of(line: bytes) -> str | int | None:
    """The id of a request; None where there is none, or where it stands too far away."""
    fields = _fields(line[:_MOST].decode("utf-8", "replace"))
    id_ = _read(fields.get("id", ""))
    # what has no method is an answer to a request of ours: nothing is to be said to it
    method = isinstance(_read(fields.get("method", "")), str)
    if not method or isinstance(id_, bool) or not isinstance(id_, str | int):
        return None
    return id_


def _fields(text: str) -> dict[str, str]:
    """Members of the outermost object whose values are no lists or objects, as they are written."""
    found: dict[str, str] = {}
    depth = 0
    before = ["", "", ""]
    for match in _TOKEN.finditer(text):
        if match[0] == '"':  # it never ends
            break
        token = match[0]
        if token[0] in _OPEN:
            depth += len(token)
        elif token[0] in _CLOSED:
            depth -= len(token)
        elif depth != 1:
            continue
        before = [*before[1:], token]
        if before[1] == ":" and isinstance(name := _read(before[0]), str):
            found[name] = token
    return found


def _read(token: str) -> object:
    with suppress(ValueError):
        return json.loads(token)
    return None
