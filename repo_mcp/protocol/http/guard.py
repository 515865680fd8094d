"""Access control for HTTP: what is refused, bearer token, `Host` and `Origin`.

Web pages can make a browser send requests to this machine under a name that they have pointed at
it (DNS rebinding). So `Host` must be a loopback address, `localhost` or the host served at, and
`Origin`, if there is one, must be one of these too.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from ipaddress import ip_address
from typing import Any, Final

from index_format.tuples import NamedTuple

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


Headers = Iterable[tuple[bytes, bytes]]


class Refusal(NamedTuple):
    """A refused request; without a body the status says all."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


# judges the target and the headers of a request; None: it is accepted
Rules = Callable[[bytes, Headers], Refusal | None]


class Guard:
    """Wraps an application, which never sees refused requests.

    A connection asks `judge` before it reads a body. The application is wrapped all the same: it
    must not depend on what serves it.
    """

    def __init__(self, application: Application, rules: Rules, *, most: int) -> None:
        """Accept requests that the rules accept, at most `most` at a time."""
        self._application = application
        self._rules = rules
        self._most = most
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it to the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._application(scope, receive, send)
            return
        refusal = self.judge(_target(scope), scope["headers"])
        if refusal is not None:
            await _refuse(refusal, send)
            return
        self._open += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._open -= 1

    def judge(self, target: bytes, headers: Headers) -> Refusal | None:
        """The refusal of a request; None if it is accepted."""
        refusal = self._rules(target, headers)
        if refusal is None and self._open >= self._most:
            return Refusal(_UNAVAILABLE, (("retry-after", "1"),))
        return refusal


# the name of the bearer of a token; None for a token of nobody
Bearers = Callable[[bytes], str | None]


class SingleToken:
    """One token for all, whose bearer has no name."""

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("a token is required")
        self._token = token.encode("utf-8")

    def __call__(self, token: bytes) -> str | None:
        """An empty name for the token; None for any other."""
        return "" if hmac.compare_digest(token, self._token) else None


class BearerRules:
    """The rules for programs: `Host` and `Origin` of this machine, and a bearer token."""

    def __init__(self, host: str, bearers: Bearers) -> None:
        self._host = host
        self._bearers = bearers

    def __call__(self, _: bytes, headers: Headers) -> Refusal | None:
        """The refusal of a request with these headers."""
        found = by_name(headers)
        if not has_own_host(found, self._host):
            return Refusal(_MISDIRECTED)
        origins = found.get("origin", [])
        if len(origins) > 1 or not all(
            is_own(_origin_host(origin), self._host) for origin in origins
        ):
            return Refusal(_FORBIDDEN)
        if bearer_of(found.get("authorization", []), self._bearers) is None:
            return Refusal(_UNAUTHORIZED, (("www-authenticate", "Bearer"),))
        return None


def bearer_of(given: Sequence[str], bearers: Bearers) -> str | None:
    """The name of the bearer of the one token that headers give; None without one that is known."""
    if len(given) != 1 or not given[0].lower().startswith(_BEARER):
        return None
    return bearers(given[0][len(_BEARER) :].strip().encode("latin-1", "replace"))


def by_name(headers: Headers) -> dict[str, list[str]]:
    """The values of headers by lower-case name."""
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def has_own_host(headers: Mapping[str, list[str]], host: str) -> bool:
    """True if there is one `Host`, and it names this machine; `host` is what is served at."""
    hosts = headers.get("host", [])
    return len(hosts) == 1 and is_own(_hostname(hosts[0]), host)


def is_own(name: str, host: str) -> bool:
    """True if a name is one of this machine."""
    if name in {_LOCAL, host.lower()}:
        return bool(name)
    try:
        address = ip_address(name)
    except ValueError:
        return False
    # a server at all addresses accepts any address, but no name
    return address.is_loopback or _is_unspecified(host)


def is_loopback(host: str) -> bool:
    """True if the host is a loopback address or `localhost`."""
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


def _target(scope: Scope) -> bytes:
    path, query = scope.get("raw_path") or b"", scope.get("query_string", b"")
    return path + b"?" + query if query else path


async def _refuse(refusal: Refusal, send: Send) -> None:
    headers = {"content-type": "text/plain", **dict(refusal.headers)}
    headers["content-length"] = str(len(refusal.body))
    encoded = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": encoded})
    await send({"type": "http.response.body", "body": refusal.body})
