"""Bytes of a file to text, lines and fingerprint: the same for index, snippets and opened files."""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

import xxhash

# control characters that text of any 8-bit encoding does without; tab, line ends, form feed and
# escape are left out
_NOT_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class Text(NamedTuple):
    """A file's text and how it was encoded."""

    content: str
    encoding: str


def fingerprint(data: bytes) -> bytes:
    """What identifies a content."""
    return xxhash.xxh3_128_digest(data)


def decode(data: bytes) -> Text | None:
    """The text of a file, None when it is binary.

    UTF-8 with or without a mark, UTF-16 with one; what is neither and has no control characters is
    read as Latin-1, which never fails and keeps ASCII as it is.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _strict(data, "utf-16")
    if b"\x00" in data:
        return None
    found = _strict(data, "utf-8-sig")
    if found is not None:
        return Text(found.content, "utf-8")
    return None if _NOT_TEXT.search(data) else Text(data.decode("latin-1"), "latin-1")


def _strict(data: bytes, encoding: str) -> Text | None:
    try:
        return Text(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


def lines(content: str) -> list[str]:
    """Lines without their ends: split at line feeds only, one carriage return before it dropped."""
    rows = content.split("\n")
    if not rows[-1]:
        rows.pop()
    return [row.removesuffix("\r") for row in rows]
