"""Where an answer ended, in a few characters that only mean something to the next call.

A cursor holds what it was made for, in short, so that it can't be used for another question, and
the index's generation; the place in it is a path, a line or the like, never a count alone, so that
going on in a changed repository shows nothing twice.
"""

from __future__ import annotations

import base64
import binascii
import json
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning

_DIGEST_BYTES: Final = 6
_LONGEST: Final = 8000
CHANGED: Final = AnswerWarning(
    "changed",
    "the index has changed since the last page: this one goes on at the same place in the new"
    " state",
)


class Position(NamedTuple):
    """The generation a cursor is of, and the place in it."""

    generation: int
    place: list[Any]


def cursor_of(question: object, generation: int, place: list[Any]) -> str:
    """A cursor for the next page of this question."""
    held = [_digest(question), generation, *place]
    # a path in other letters than ASCII's is not made longer: a long one would be refused
    packed = json.dumps(held, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(packed.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def position_of(cursor: str, question: object, *kinds: type) -> Position:
    """What a cursor says, if it is one for this question and its place is of these types."""
    held, generation, *place = _unpacked(cursor)
    if held != _digest(question):
        raise Problem(
            "argument_invalid",
            "the cursor belongs to another question: repeat the arguments that it was given for,"
            " or leave it out",
        )
    fits = len(place) == len(kinds) and type(generation) is int
    if not fits or any(type(item) is not kind for item, kind in zip(place, kinds, strict=True)):
        raise _unknown()
    return Position(generation, place)


def _unpacked(cursor: str) -> list[Any]:
    text = cursor.strip()
    if len(text) > _LONGEST:
        raise _unknown()
    try:
        found = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        raise _unknown() from None
    if not isinstance(found, list) or len(found) < 2:
        raise _unknown()
    return found


def _unknown() -> Problem:
    return Problem("argument_invalid", "the cursor is none that was given here: leave it out")


def _digest(question: object) -> str:
    text = json.dumps(question, sort_keys=True)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
    return base64.urlsafe_b64encode(digest).decode()
