"""Access to the pages: a browser on this machine that was given the printed link.

The link's token is exchanged for a cookie, so that it stays in no address and goes to no other
page. Pages of other sites can't use the cookie (`SameSite=Strict`), and are refused by `Origin` and
`Sec-Fetch-Site` even where they can: browsers count all ports of this machine as one site.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator, Mapping
from typing import Final

from repo_mcp.protocol.http.guard import Headers, Refusal, by_name, has_own_host
from repo_mcp.web.addresses import Parameters
from repo_mcp.web.response import HTML, SAFETY

HOST: Final = "127.0.0.1"
TOKEN: Final = "token"  # noqa: S105 the name of a parameter
_FORBIDDEN: Final = 403
_COOKIE: Final = "repo_mcp"
# seconds that a cookie lives; then the link is used again
_AGE: Final = 12 * 3600
# headers of browsers for requests that no other page has made
_OWN_SITES: Final = frozenset({"none", "same-origin"})

_WRONG_HOST: Final = (
    "They are served at 127.0.0.1 and localhost alone. Use the link that <code>repo-mcp web</code>"
    " has printed."
)
_WRONG_SITE: Final = (
    "Pages are not shown to other sites. To see them yourself, open"
    ' <a href="/">the search page</a>, or copy the link that <code>repo-mcp web</code> has printed'
    " into the address bar."
)
_NO_LINK: Final = (
    "Open the link that <code>repo-mcp web</code> has printed; it ends with a token. A link is of"
    " use as long as the command runs."
)


class PageRules:
    """The rules for browsers."""

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("a token is required")
        self._token = token.encode("utf-8")
        # another value than the link's: what reads the one does not know the other
        self._secret = secrets.token_hex(24)

    def __call__(self, target: bytes, headers: Headers) -> Refusal | None:
        """The refusal of a request."""
        found = by_name(headers)
        if not has_own_host(found, HOST):
            return _refuse("This address is not that of the pages", _WRONG_HOST)
        if not _is_own_site(found):
            return _refuse("Another page has asked for this", _WRONG_SITE)
        if self.has_token(target) or self._has_cookie(found):
            return None
        return _refuse("This browser has not used the link yet", _NO_LINK)

    def has_token(self, target: bytes) -> bool:
        """True if the target is the printed link."""
        path, _, query = target.partition(b"?")
        if path != b"/":
            return False
        given = Parameters(query).text(TOKEN)
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token)

    def cookie(self, headers: Headers) -> str:
        """The value of `Set-Cookie` for who has used the link."""
        name = _cookie_name(by_name(headers))
        return f"{name}={self._secret}; Path=/; Max-Age={_AGE}; HttpOnly; SameSite=Strict"

    def _has_cookie(self, headers: Mapping[str, list[str]]) -> bool:
        name, secret = _cookie_name(headers), self._secret.encode("ascii")
        values = [value for given, value in _cookies(headers) if given == name]
        return any(hmac.compare_digest(value.encode("latin-1"), secret) for value in values)


def _is_own_site(headers: Mapping[str, list[str]]) -> bool:
    own = f"http://{headers['host'][0].strip()}".lower()
    return all(origin.strip().lower() == own for origin in headers.get("origin", [])) and all(
        site.strip().lower() in _OWN_SITES for site in headers.get("sec-fetch-site", [])
    )


def _cookies(headers: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for line in headers.get("cookie", []):
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            yield name, value


def _cookie_name(headers: Mapping[str, list[str]]) -> str:
    """Of each port another one: cookies know no ports, so that two servers would share one."""
    port = headers["host"][0].strip().rpartition(":")[2]
    return f"{_COOKIE}_{port if port.isascii() and port.isdecimal() else 80}"


def _refuse(title: str, text: str) -> Refusal:
    body = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><main><h1>{title}</h1><p>{text}</p></main></body></html>\n"
    )
    return Refusal(_FORBIDDEN, (("content-type", HTML), *SAFETY), body.encode("ascii"))
