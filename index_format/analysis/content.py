"""The lines of a text, and the fingerprint of a file's bytes."""

from __future__ import annotations

import xxhash


def fingerprint(data: bytes) -> bytes:
    """Hash of a file's content."""
    return xxhash.xxh3_128_digest(data)


def lines(content: str) -> list[str]:
    """Lines without their ends: split at line feeds only; one carriage return before is dropped."""
    rows = content.split("\n")
    if not rows[-1]:
        rows.pop()
    return [row.removesuffix("\r") for row in rows]
