"""The pages as an ASGI application: routes, threads for tools, and nothing but GET and HEAD."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from repo_mcp.app import App
from repo_mcp.log import log_place
from repo_mcp.protocol.http.guard import Receive, Scope, Send
from repo_mcp.web.access import PageRules
from repo_mcp.web.addresses import Parameters
from repo_mcp.web.pages import file, search, status
from repo_mcp.web.pages.page import Page
from repo_mcp.web.render import View, render
from repo_mcp.web.response import HTML, JSON, Response
from repo_mcp.web.tools import Visit

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
PAGES: Final[dict[str, Page]] = {
    "/": search.PAGE,
    _SEARCH: search.PAGE,
    "/file": file.PAGE,
    "/status": status.PAGE,
}
_JSON: Final[dict[str, Page]] = {
    "/search.json": search.PAGE,
    "/file.json": file.PAGE,
    "/outline.json": file.OUTLINE,
    "/status.json": status.PAGE,
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
        page = PAGES.get(path) or _JSON.get(path)
        if page is None:
            return _missing()
        request = _Request(path, query, threading.Event())
        return await self._in_thread(lambda: self._answer(page, request), receive, request.gone)

    async def _in_thread(
        self, work: Callable[[], Response], receive: Receive, gone: threading.Event
    ) -> Response:
        """What a thread makes; it is told when the browser has gone."""
        watch = asyncio.create_task(_watch(receive, gone))
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            gone.set()
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch

    def _answer(self, page: Page, request: _Request) -> Response:
        visit = Visit(self._app, request.gone.is_set)
        given = Parameters(request.query)
        try:
            return _page(page, given, visit, as_json=request.path in _JSON)
        except Exception as error:  # noqa: BLE001 the browser gets an answer
            log_place(error)
            return _html(_failed("Not answered", "this is a bug in repo-mcp", 500))


def _page(page: Page, given: Parameters, visit: Visit, *, as_json: bool) -> Response:
    if as_json:
        answer = visit.ask(page.tool, page.arguments(given, visit))
        return Response(answer.status, JSON, json.dumps(answer.fields).encode("ascii"))
    view = page.blank(given)
    if view is None:
        view = page.view(given, visit, visit.ask(page.tool, page.arguments(given, visit)))
    return _html(view)


async def _watch(receive: Receive, gone: threading.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


def _html(view: View) -> Response:
    return Response(view.status, HTML, render(view))


def _missing() -> Response:
    return _html(_failed("No such page", "there is nothing at this address", 404))


def _failed(title: str, reason: str, status_code: int) -> View:
    values = {"page": "", "title": title, "reason": reason, "hint": "", "warnings": []}
    return View("failure.html", values, status_code)
