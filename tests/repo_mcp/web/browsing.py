"""Asks the pages in this process, as a browser that has used the link, and reads their HTML."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from repo_mcp.settings import Options
from repo_mcp.web.server import guarded
from repo_mcp.web.tools import page_app
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, served, write

PHRASE = "sesame"
HOST = "127.0.0.1:8000"
VOID = frozenset({"meta", "link", "input"})


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def json(self) -> Any:  # noqa: ANN401 JSON
        return json.loads(self.body)


class Browser:
    """Pages of a tree of files, whose index is there already."""

    def __init__(self, folder: Path, files: dict[str, str | bytes], **options: Any) -> None:  # noqa: ANN401
        self.root = write(folder / "root", files)
        self.data = folder / "data"
        served(self.root, self.data).manager.refresh(FOREVER)
        given = Options(str(self.root), str(self.data), watch=False, **options)
        self.app = page_app(given, Clock())
        self._served = guarded(self.app, PHRASE)
        self._cookie = ""

    def get(self, target: str, method: str = "GET") -> Answer:
        """A page, after the link was used."""
        if not self._cookie:
            link = self.request(f"/?token={PHRASE}", {"host": HOST})
            self._cookie = link.headers["set-cookie"].partition(";")[0]
        return self.request(target, {"host": HOST, "cookie": self._cookie}, method)

    def request(self, target: str, headers: dict[str, str], method: str = "GET") -> Answer:
        """The exact response to this request."""
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": [
                (name.encode(), value.encode("latin-1")) for name, value in headers.items()
            ],
        }
        sent: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not waiting:
                await asyncio.Event().wait()
            return waiting.pop()

        async def send(message: Any) -> None:  # noqa: ANN401 ASGI
            sent.append(message)

        asyncio.run(self._served(scope, receive, send))
        start, *rest = sent
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        assert len(found) == len(start["headers"])
        return Answer(start["status"], found, b"".join(item["body"] for item in rest))


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its attributes and the text in it."""

    tag: str
    attributes: dict[str, str | None]
    text: list[str]

    def __getitem__(self, name: str) -> str:
        return self.attributes[name] or ""


class Document(HTMLParser):
    """The elements of a page; checks that they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert [item.tag for item in self._open] == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        element = Element(tag, dict(attrs), [])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def all(self, tag: str, css: str = "") -> list[Element]:
        """Elements of a name, and of a class."""
        return [
            item
            for item in self.elements
            if item.tag == tag and (not css or css in (item.attributes.get("class") or "").split())
        ]

    def texts(self, tag: str, css: str = "") -> list[str]:
        """Their texts."""
        return ["".join(item.text) for item in self.all(tag, css)]
