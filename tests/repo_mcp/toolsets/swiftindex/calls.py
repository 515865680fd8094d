"""Calls the SwiftIndex tools and checks invariants of every answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import toon_format

from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.toolsets.swiftindex.declarations import TOOLS
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.schemas import check_shape

BY_NAME = {tool.name: tool for tool in TOOLS}


class Client:
    """A call as a tool sees it, with a model that gives prepared answers."""

    client = "tester 1.0"
    token = ""
    reads_structured = True
    has_silent_roots = False

    def __init__(self, *answers: str | None, is_task: bool = False) -> None:
        self.is_task = is_task
        self.asked: list[str] = []
        self.reports: list[tuple[int, int, str]] = []
        self._answers = list(answers)

    def is_cancelled(self) -> bool:
        """Never."""
        return False

    def progress(self, done: int, total: int, what: str) -> None:
        """Keep a report."""
        self.reports.append((done, total, what))

    def log(self, level: str, text: str) -> None:
        """Nothing is kept."""

    def sample(self, prompt: str, tokens: int) -> str | None:
        """The next prepared answer."""
        assert tokens > 0
        self.asked.append(prompt)
        return self._answers.pop(0) if self._answers else None

    def list_roots(self) -> list[dict[str, object]]:
        """None is open."""
        return []


class Caller:
    """The tools of one repository."""

    def __init__(self, root: Path, data: Path, **options: object) -> None:
        given: dict[str, Any] = {"watch": False, "toolsets": ("swiftindex",), **options}
        self.root = root
        self.app = App(Options(str(root), str(data), **given), Clock())

    def answer(self, name: str, client: Client | None = None, **arguments: object) -> Any:  # noqa: ANN401 JSON
        """The whole answer, after checks that hold for any."""
        found = self.app.call(name, arguments, lambda: False, client or Client())
        check(name, arguments, found)
        return found

    def __call__(self, name: str, client: Client | None = None, **arguments: object) -> Any:  # noqa: ANN401 JSON
        """The result of a call that must be answered."""
        found = self.answer(name, client, **arguments)
        assert not found["isError"], found
        return found["structuredContent"]

    def error(self, name: str, **arguments: object) -> str:
        """The message of a call that must not be answered."""
        found = self.answer(name, None, **arguments)
        assert found["isError"], found
        text: str = found["content"][0]["text"]
        return text

    def index(self) -> None:
        """Index all files."""
        assert self("index_codebase", path=str(self.root))["complete"]


def check(name: str, arguments: dict[str, Any], answer: dict[str, Any]) -> None:
    """The schema holds, and the text says the same in each form."""
    block = answer["content"][0]
    if answer["isError"]:
        assert answer.keys() == {"content", "isError"}
        assert len(answer["content"]) == 1
        assert block.keys() == {"type", "text"}
        return
    data = answer["structuredContent"]
    schema = BY_NAME[name].declaration()["outputSchema"]
    check_shape(data, schema)
    assert set(data) <= set(schema["properties"])
    form = arguments.get("format") or ("toon" if name.startswith("search") else "human")
    if form == "json":
        assert json.loads(block["text"]) == data
    elif form == "toon":
        assert toon_format.decode(block["text"]) == data
    else:
        for row in data.get("results", ()):
            assert f"{row['path']}:{row['start_line']}-{row['end_line']}" in block["text"]
            assert row["content"] in block["text"]
