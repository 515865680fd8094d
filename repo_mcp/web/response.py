"""Responses, and the headers that each of them has."""

from __future__ import annotations

from typing import Final

from index_format.tuples import NamedTuple

HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
# scripts and styles come from files of this package alone; nothing may be framed, sent or stored
# elsewhere
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFETY: Final = (
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)


class Response(NamedTuple):
    """Status, type, body, and headers beside those that all have."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()

    def all_headers(self) -> list[tuple[bytes, bytes]]:
        """All headers, as they are sent."""
        length = str(len(self.body))
        own = (("content-type", self.content_type), ("content-length", length), *self.headers)
        return [(name.encode("ascii"), value.encode("ascii")) for name, value in (*own, *SAFETY)]
