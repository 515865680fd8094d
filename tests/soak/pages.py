"""The pages of `repo-mcp web`, and the addresses that a browser asks for."""

from __future__ import annotations

import http.client
import random
import re
import subprocess
from collections import deque
from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode, urlsplit

from tests.soak.clients import PATTERNS, PROMPTS, WORDS
from tests.soak.processes import Place, SoakProcess
from tests.waiting import HANG

_ID: Final = re.compile(r'"node_id": ?"(\w+)"')
_FIRST_FAULT: Final = 500


class PageServer(SoakProcess):
    """Pages that are fetched with the cookie of the link."""

    def __init__(self, place: Place) -> None:
        """Start it on a free port and follow the link."""
        super().__init__(place, ["web", "--port", "0"], stdout=subprocess.PIPE)
        assert self.process.stdout
        link = urlsplit(self.process.stdout.readline().decode().strip())
        self._address, self._cookie = link.netloc, ""
        self.get(f"/?{link.query}")

    def get(self, target: str) -> str:
        """The text of a page; empty if the server was ended on purpose."""
        connection = http.client.HTTPConnection(self._address, timeout=HANG)
        try:
            connection.request("GET", target, headers={"Cookie": self._cookie})
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self._complain(f"{target}: {error!r}")
            return ""
        finally:
            connection.close()
        self._cookie = self._cookie or answer.headers.get("set-cookie", "").partition(";")[0]
        if answer.status >= _FIRST_FAULT or answer.status == http.HTTPStatus.FORBIDDEN:
            self.violations.append(f"{target} was answered {answer.status}")
        return text

    def _leave(self, started: dict[int, str]) -> None:
        super()._leave(started)
        if self.process.stdout:
            self.process.stdout.close()


class Visitor:
    """Looks at one page after the other."""

    def __init__(self, names: list[str], chance: random.Random) -> None:
        """Take the files whose pages are asked for."""
        one = self._choose = chance.choice
        # of symbols that were seen
        self._ids: deque[str] = deque(["0" * 16], 50)
        self.pages: list[Callable[[], str]] = [
            lambda: _link("/search", q=one(WORDS)),
            lambda: _link("/search", q=one(WORDS), mode="literal"),
            lambda: _link("/search", q=one(PATTERNS), mode="regex"),
            lambda: _link("/search.json", q=one(WORDS)),
            lambda: _link("/file", path=one(names), line="9"),
            lambda: _link("/outline.json", path=one(names)),
            lambda: "/",
            lambda: _link("/folder", path=one(names).rpartition("/")[0]),
            lambda: _link("/uses", path=one(names).rpartition("/")[0]),
            lambda: _link("/bundle", prompt=one(PROMPTS)),
            lambda: _link("/symbol.json", q=one(WORDS)),
            lambda: _link("/symbol", q=one(WORDS)),
            lambda: _link("/symbol", path=one(names)),
            lambda: _link("/symbol", id=one(self._ids)),
            lambda: _link("/callers.json", id=one(self._ids)),
            lambda: "/audit",
            lambda: "/status",
        ]

    def step(self, server: PageServer, page: int | None = None) -> None:
        """Look at this page, or at any."""
        chosen = self._choose(self.pages) if page is None else self.pages[page % len(self.pages)]
        self._ids.extend(_ID.findall(server.get(chosen())))


def _link(page: str, **parameters: str) -> str:
    return f"{page}?{urlencode(parameters)}"
