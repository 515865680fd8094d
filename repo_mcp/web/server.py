"""Serves the pages until a signal arrives, and prints the link to them.

They are an ASGI application: routes, threads for tools, and nothing but GET and HEAD.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from index_format.tuples import NamedTuple
from repo_mcp.allocator import share_arena
from repo_mcp.app import App
from repo_mcp.budget import Clock
from repo_mcp.console import flush, log_place, print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.place.reading import read_place
from repo_mcp.protocol.http.connection_table import ConnectionTable
from repo_mcp.protocol.http.guard import Guard, Receive, Scope, Send
from repo_mcp.protocol.http.limits import LIMITS
from repo_mcp.protocol.http.listener import Address, HttpServer, run
from repo_mcp.settings import Options
from repo_mcp.web.access import HOST, TOKEN, PageRules
from repo_mcp.web.addresses import Parameters, links_of
from repo_mcp.web.pages import (
    ask,
    audit,
    bundle,
    changes,
    file,
    folder,
    history,
    home,
    search,
    status,
    symbol,
    uses,
)
from repo_mcp.web.pages.page import Page
from repo_mcp.web.render import View, render
from repo_mcp.web.response import HTML, JSON, Response
from repo_mcp.web.tools import ToolAnswer, Visit, page_app

_TOKEN_BYTES: Final = 24
_ASSETS: Final = Path(__file__).with_name("assets")
_ASSET_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_METHODS: Final = frozenset({"GET", "HEAD"})
# as many pages are made at a time; a browser asks for few
_THREADS: Final = 8
_SEARCH: Final = "/search"
# their parameter `rev` is a question about the past
_OF_THE_PAST: Final = frozenset({"/history", "/history.json", "/changes", "/changes.json"})
PAGES: Final[dict[str, Page]] = {
    "/": home.PAGE,
    _SEARCH: search.PAGE,
    "/ask": ask.PAGE,
    "/file": file.PAGE,
    "/folder": folder.PAGE,
    "/uses": uses.PAGE,
    "/bundle": bundle.PAGE,
    "/history": history.PAGE,
    "/changes": changes.PAGE,
    "/symbol": symbol.PAGE,
    "/audit": audit.PAGE,
    "/status": status.PAGE,
}
_Data = Callable[[Parameters, Visit], ToolAnswer]
_JSON: Final[dict[str, _Data]] = {
    **{f"{name}.json": page.ask for name, page in PAGES.items() if name != "/"},
    "/home.json": home.PAGE.ask,
    "/outline.json": file.outline_data,
    **{f"/{name}.json": relation.ask for name, relation in symbol.RELATIONS.items()},
}


class _Request(NamedTuple):
    path: str
    query: bytes
    gone: threading.Event


class PageApplication:
    """Answers requests that the guard lets pass."""

    def __init__(self, app: App, rules: PageRules) -> None:
        self._app = app
        self._rules = rules
        self._pool = ThreadPoolExecutor(_THREADS, "page")
        self._assets = {
            f"/assets/{file.name}": Response(200, _ASSET_TYPES[file.suffix], file.read_bytes())
            for file in sorted(_ASSETS.iterdir())
            if file.suffix in _ASSET_TYPES
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        response = await self._respond(scope, receive)
        start = {"status": response.status, "headers": response.all_headers()}
        await send({"type": "http.response.start", **start})
        body = response.body if scope["method"] != "HEAD" else b""
        await send({"type": "http.response.body", "body": body})

    async def _respond(self, scope: Scope, receive: Receive) -> Response:
        if scope["method"] not in _METHODS:
            return Response(405, HTML, b"", (("allow", "GET, HEAD"),))
        path, query = scope["path"], scope.get("query_string", b"")
        if query and self._rules.has_token(scope.get("raw_path", b"/") + b"?" + query):
            cookie = self._rules.cookie(scope["headers"])
            return Response(303, HTML, b"", (("location", "/"), ("set-cookie", cookie)))
        if path in self._assets:
            return self._assets[path]
        request = _Request(path, query, threading.Event())
        return await self._in_thread(lambda: self._answer(request), receive, request.gone)

    @staticmethod
    def _page(request: _Request, given: Parameters, visit: Visit) -> Response:
        if request.path in _JSON:
            answer = _JSON[request.path](given, visit)
            data = json.dumps(answer.fields).encode("ascii")
            return Response(answer.status, JSON, data)
        page = PAGES.get(request.path)
        view = _MISSING if page is None else _view(page, given, visit)
        return _html(view, visit.name)

    async def _in_thread(
        self, work: Callable[[], Response], receive: Receive, gone: threading.Event
    ) -> Response:
        """The value that a thread makes; it is told when the browser has gone."""
        watch = asyncio.create_task(_watch(receive, gone))
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            gone.set()
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch

    def _answer(self, request: _Request) -> Response:
        given = Parameters(request.query)
        revision = _revision_of(request.path, given)
        visit = Visit(self._app, request.gone.is_set, revision)
        try:
            with links_of(revision):
                return self._page(request, given, visit)
        except Exception as error:  # noqa: BLE001 the browser gets an answer
            log_place(error)
            return _html(_failed("Not answered", "this is a bug in repo-mcp", 500))


def _revision_of(path: str, given: Parameters) -> str:
    """The revision that a page is of: it has one parameter of this name, or its query has."""
    if path in _OF_THE_PAST:
        return ""
    revision = given.text("rev")
    if not revision:
        with suppress(Problem):  # the tool says what is wrong
            query = {"query": given.text("q"), "mode": given.text("mode")}
            revision = read_place(query).place.revision
    return revision


def _view(page: Page, given: Parameters, visit: Visit) -> View:
    blank = page.blank(given)
    return page.view(given, visit, page.ask(given, visit)) if blank is None else blank


async def _watch(receive: Receive, gone: threading.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


def _html(view: View, repository: str = "") -> Response:
    return Response(view.status, HTML, render(view, repository))


def _failed(title: str, reason: str, status_code: int) -> View:
    values = {"page": "", "title": title, "reason": reason, "hint": "", "warnings": []}
    return View("failure.html", values, status_code)


_MISSING: Final = _failed("No such page", "there is nothing at this address", 404)


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
