"""Serves the pages until a signal arrives, and prints the link to them."""

from __future__ import annotations

import secrets
from typing import Final, NoReturn

from repo_mcp.allocator import share_arena
from repo_mcp.app import App
from repo_mcp.budget import Clock
from repo_mcp.console import flush, print_json, print_line
from repo_mcp.protocol.http.connection_table import ConnectionTable
from repo_mcp.protocol.http.guard import Guard
from repo_mcp.protocol.http.limits import LIMITS
from repo_mcp.protocol.http.listener import Address, HttpServer, run
from repo_mcp.settings import Options
from repo_mcp.web.access import HOST, TOKEN, PageRules
from repo_mcp.web.application import PageApplication
from repo_mcp.web.tools import page_app

_TOKEN_BYTES: Final = 24


def serve(options: Options, port: int, clock: Clock, *, as_json: bool) -> NoReturn:
    """Serve on this machine alone; never returns."""
    token = secrets.token_hex(_TOKEN_BYTES)
    share_arena()
    guard = guarded(page_app(options, clock), token)

    def announce(base: str) -> None:
        link = f"{base}/?{TOKEN}={token}"
        if as_json:
            print_json({"url": link})
        else:
            print_line(link)
        flush()

    run(HttpServer(guard, Address(HOST, port), ConnectionTable(LIMITS, clock), announce))


def guarded(app: App, token: str) -> Guard:
    """The pages as an ASGI application that judges each request."""
    rules = PageRules(token)
    return Guard(PageApplication(app, rules), rules, most=LIMITS.requests)
