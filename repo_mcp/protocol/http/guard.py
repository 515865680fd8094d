"""Access control for HTTP: bearer token, `Host` and `Origin`.

Web pages can make a browser send requests to this machine under a name that they have pointed at
it (DNS rebinding). So `Host` must be a loopback address, `localhost` or the host served at, and
`Origin`, if there is one, must be one of these too.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from ipaddress import ip_address
from typing import Any, Final

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOCAL: Final = "localhost"
_BEARER: Final = "bearer "
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_MISDIRECTED: Final = 421
_UNAVAILABLE: Final = 503


class Guard:
    """Wraps an application, which never sees refused requests.

    A connection asks `refusal` before it reads a body. The application is wrapped all the same: it
    must not depend on what serves it.
    """

    def __init__(self, application: Application, host: str, token: str, *, most: int) -> None:
        """Accept requests for this host with this token, at most `most` at a time."""
        if not token:
            raise ValueError("a token is required")
        self._application = application
        self._host = host.lower()
        self._token = token.encode("utf-8")
        self._most = most
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it to the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._application(scope, receive, send)
            return
        status = self.refusal(scope["headers"])
        if status:
            await _refuse(status, send)
            return
        self._open += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._open -= 1

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> int:
        """The status for refusing a request with these headers; 0 if it is accepted."""
        found: dict[str, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts, origins = found.get("host", []), found.get("origin", [])
        if len(hosts) != 1 or not self._is_ours(_hostname(hosts[0])):
            return _MISDIRECTED
        if len(origins) > 1 or not all(self._is_ours(_origin_host(origin)) for origin in origins):
            return _FORBIDDEN
        if not self._has_token(found.get("authorization", [])):
            return _UNAUTHORIZED
        return _UNAVAILABLE if self._open >= self._most else 0

    def _is_ours(self, name: str) -> bool:
        if name in {_LOCAL, self._host}:
            return bool(name)
        try:
            address = ip_address(name)
        except ValueError:
            return False
        # a server at all addresses accepts any address, but no name
        return address.is_loopback or _is_unspecified(self._host)

    def _has_token(self, given: list[str]) -> bool:
        if len(given) != 1 or not given[0].lower().startswith(_BEARER):
            return False
        token = given[0][len(_BEARER) :].strip().encode("latin-1", "replace")
        return hmac.compare_digest(token, self._token)


def is_loopback(host: str) -> bool:
    """Whether the host is a loopback address or `localhost`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == _LOCAL


def _is_unspecified(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _hostname(host: str) -> str:
    """A host without its port; empty if malformed."""
    text = host.strip().lower()
    if text.startswith("["):
        name, closed, port = text[1:].partition("]")
        port = port.removeprefix(":") if port.startswith(":") or not port else "x"
        return name if closed and (not port or port.isdecimal()) else ""
    name, _, port = text.partition(":")
    return name if not port or port.isdecimal() else ""


def _origin_host(origin: str) -> str:
    scheme, divided, host = origin.strip().lower().partition("://")
    return _hostname(host) if divided and scheme in {"http", "https"} else ""


async def _refuse(status: int, send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"0")]
    if status == _UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == _UNAVAILABLE:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
