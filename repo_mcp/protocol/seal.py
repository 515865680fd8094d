"""Signed state that a client carries from one request to the next and can't change.

It holds the call it belongs to, the last question, and the answers so far. The key belongs to this
process, so that no state is valid after a restart.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping

from index_format.annotations import Any, Final

LIFETIME: Final = 900.0
_MAC_BYTES: Final = 32


class Seal:
    """Signs and verifies state; refuses foreign and expired state."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._key = os.urandom(32)
        self._clock = clock

    def close(self, state: Mapping[str, Any]) -> str:
        """The state as signed, opaque text."""
        from base64 import urlsafe_b64encode  # noqa: PLC0415 few calls ask the client back

        text = json.dumps([self._clock() + LIFETIME, state], separators=(",", ":")).encode()
        return urlsafe_b64encode(self._mac(text) + text).decode("ascii")

    def open(self, text: str) -> dict[str, Any] | None:
        """The state in a text; None if the signature is invalid or has expired."""
        import hmac  # noqa: PLC0415 as above
        from base64 import urlsafe_b64decode  # noqa: PLC0415 as above

        try:
            raw = urlsafe_b64decode(text.encode("ascii"))
        except ValueError:
            return None
        mac, body = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(body)):
            return None
        until, state = json.loads(body)
        return state if self._clock() < until else None

    def _mac(self, body: bytes) -> bytes:
        import hmac  # noqa: PLC0415 as above

        return hmac.digest(self._key, body, "sha256")


def digest(*parts: object) -> str:
    """A short hash of JSON values."""
    import hashlib  # noqa: PLC0415 as above

    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]
