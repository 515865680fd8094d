"""What clients ask for, by chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.soak.servers import SoakServer

_WORDS: Final = ("import", "parser", "open file", "class", "self", "thread lock", "edit", "word7")
_PATTERNS: Final = (r"def \w+_file", r"raise \w+Error", r"edit\d+")
_PROMPTS: Final = ("how are arguments parsed?", "fix the lock in the thread pool", "read a header")

Request = tuple[str, dict[str, Any]]


class SoakClient:
    """Makes one request after the other."""

    def __init__(self, root: Path, names: list[str], chance: random.Random) -> None:
        self._root = root
        self._names = names
        self._chance = chance
        self._kinds: list[tuple[Callable[[], Request], int]] = [
            (self._search, 30),
            (self._exact, 15),
            (self._open, 20),
            (self._outline, 12),
            (self._list, 6),
            (self._bundle, 6),
            (self._status, 5),
            (self._refresh, 6),
        ]

    def step(self, server: SoakServer) -> str:
        """Make a request; returns "" or the code of the error."""
        requests = [request for request, _ in self._kinds]
        tool, arguments = self._chance.choices(requests, [weight for _, weight in self._kinds])[0]()
        if self._chance.random() < 0.05:
            return server.call_and_cancel(tool, arguments)
        return server.call(tool, arguments)

    def _search(self) -> Request:
        return "repo.search", {"query": self._chance.choice(_WORDS)}

    def _exact(self) -> Request:
        if self._chance.random() < 0.5:
            return "repo.search", {"query": self._chance.choice(_PATTERNS), "mode": "regex"}
        return "repo.search", {"query": self._chance.choice(_WORDS), "mode": "literal"}

    def _open(self) -> Request:
        return "repo.open_file", {"path": self._chance.choice(self._names)}

    def _outline(self) -> Request:
        return "repo.outline", {"path": self._chance.choice(self._names)}

    def _list(self) -> Request:
        return "repo.list_files", {}

    def _bundle(self) -> Request:
        return "repo.build_context_bundle", {"prompt": self._chance.choice(_PROMPTS)}

    def _status(self) -> Request:
        return "repo.status", {}

    def _refresh(self) -> Request:
        return "repo.refresh_index", {"force": self._chance.random() < 0.1}
