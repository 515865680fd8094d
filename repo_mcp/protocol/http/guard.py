"""Access control for HTTP: bearer token, `Host` and `Origin`.

Web pages can make a browser send requests to this machine, under names that they have pointed at
it. So the host that is asked for is this machine by number or as `localhost`, or the one served at;
a page that sends along where it comes from must come from there too.
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
    """In front of an application: what it refuses, the application never sees."""

    def __init__(self, application: Application, host: str, token: str, *, most: int) -> None:
        """Serve at a host, for a token, and so many requests at a time at most."""
        if not token:
            raise ValueError("a token is needed")
        self._application = application
        self._host = host.lower()
        self._token = token.encode("utf-8")
        self._most = most
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
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
        """The status that refuses a request with these headers; 0 where it is let in."""
        found: dict[str, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts, origins = found.get("host", []), found.get("origin", [])
        if len(hosts) != 1 or not self._is_ours(_hostname(hosts[0])):
            return _MISDIRECTED
        if len(origins) > 1 or not all(self._is_ours(_of_origin(origin)) for origin in origins):
            return _FORBIDDEN
        if not self._has_token(found.get("authorization", [])):
            return _UNAUTHORIZED
        return _UNAVAILABLE if self._open >= self._most else 0

    def _is_ours(self, name: str) -> bool:
        if name in {_LOCAL, self._host}:
            return bool(name)
        try:
            asked = ip_address(name)
        except ValueError:
            return False
        # who serves at all addresses is asked for by any of them; a name would have to be known
        return asked.is_loopback or _is_everywhere(self._host)

    def _has_token(self, given: list[str]) -> bool:
        if len(given) != 1 or not given[0].lower().startswith(_BEARER):
            return False
        said = given[0][len(_BEARER) :].strip().encode("latin-1", "replace")
        return hmac.compare_digest(said, self._token)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == _LOCAL


def _is_everywhere(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _hostname(host: str) -> str:
    """A host without its port; empty where it is not written as one."""
    text = host.strip().lower()
    if text.startswith("["):
        name, closed, port = text[1:].partition("]")
        port = port.removeprefix(":") if port.startswith(":") or not port else "x"
        return name if closed and (not port or port.isdecimal()) else ""
    name, _, port = text.partition(":")
    return name if not port or port.isdecimal() else ""


def _of_origin(origin: str) -> str:
    scheme, divided, host = origin.strip().lower().partition("://")
    return _hostname(host) if divided and scheme in {"http", "https"} else ""


async def _refuse(status: int, send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"0")]
    if status == _UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
