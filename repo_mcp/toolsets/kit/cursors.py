"""Opaque cursors for pages of results.

A cursor holds a digest of the arguments, so that it can't be used with others, the index
generation, and a position: a path, a line or the like, never an offset alone, so that continuing
in a changed repository shows nothing twice.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Final

from index_format.blake2 import blake2b
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning

# arguments that pages of one answer may differ in
PAGING: Final = frozenset({"cursor", "limit", "max_chars"})
_DIGEST_BYTES: Final = 6
_LONGEST: Final = 8000
CHANGED: Final = AnswerWarning(
    "changed",
    "the index has changed since the last page: this page continues at the same position",
)


class Position(NamedTuple):
    """The content of a cursor: index generation and position."""

    generation: int
    place: list[Any]


def encode_cursor(cursor_key: object, generation: int, place: list[Any]) -> str:
    """A cursor for the next page of these arguments."""
    content = [_digest(cursor_key), generation, *place]
    # non-ASCII paths are not escaped: the cursor could exceed _LONGEST
    packed = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(packed.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def decode_cursor(cursor: str, cursor_key: object, *kinds: type) -> Position:
    """Decode a cursor; raises `Problem` unless it belongs to these arguments and types."""
    digest, generation, *place = _decode(cursor)
    if digest != _digest(cursor_key):
        raise Problem(
            "argument_invalid",
            "the cursor belongs to other arguments: repeat those of the call that returned it,"
            " or leave it out",
        )
    fits = len(place) == len(kinds) and type(generation) is int
    if not fits or any(type(item) is not kind for item, kind in zip(place, kinds, strict=True)):
        raise invalid_cursor()
    return Position(generation, place)


def _decode(cursor: str) -> list[Any]:
    text = cursor.strip()
    if len(text) > _LONGEST:
        raise invalid_cursor()
    try:
        found = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        raise invalid_cursor() from None
    if not isinstance(found, list) or len(found) < 2:
        raise invalid_cursor()
    return found


def invalid_cursor() -> Problem:
    """The refusal of a cursor that was made elsewhere."""
    return Problem("argument_invalid", "the cursor was not issued by this server: leave it out")


def _digest(cursor_key: object) -> str:
    text = json.dumps(cursor_key, sort_keys=True)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
    return base64.urlsafe_b64encode(digest).decode()
