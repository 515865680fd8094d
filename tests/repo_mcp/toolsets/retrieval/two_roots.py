"""A docs and a code root, and calls of the toolset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.toolsets.retrieval.declarations import TOOLS
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.schemas import check_shape
from tests.repo_mcp.tree_files import write

BY_NAME = {tool.name: tool for tool in TOOLS}
Files = dict[str, str | bytes]
DOCS: Files = {
    "README.md": "# Guide\n\nHow to retry a call.\n",
    "guide/intro.md": "Retry with backoff.\nThe backoff doubles.\n",
    "guide/setup.txt": "install the needle\r\nthen run it\r\n",
    "guide/logo.png": b"\x89PNG\r\n\x1a\n\x00needle\x00",
    ".hidden.md": "needle in a hidden file\n",
    ".github/workflow.yml": "needle: hidden folder\n",
}
CODE: Files = {
    "src/call.py": "def call():\n    retry(backoff=2)\n    return needle\n",
    "src/Zeta.py": "needle = 1\n",
    "src/alpha.weird": "Needle of an unknown kind\n",
    "src/deep/er/x.py": "backoff = 1\n" * 3 + "x = retry\n",
    "build/made.py": "needle = 'ignored'\n",
    ".gitignore": "build/\n*.log\n",
    "run.log": "needle ignored\n",
    ".env": "TOKEN=needle\n",
    "keys/id_rsa": "needle\n",
    "node_modules/p/index.js": "needle\n",
}


class TwoRoots:
    """The toolset over two folders."""

    def __init__(self, folder: Path, docs: Files = DOCS, code: Files = CODE, **more: Any) -> None:  # noqa: ANN401 any option
        self.docs, self.code = folder / "docs", folder / "code"
        for root in (self.docs, self.code):
            root.mkdir(parents=True, exist_ok=True)
        write(self.docs, docs)
        write(self.code, code)
        (folder / "elsewhere").mkdir(exist_ok=True)
        self.data = folder / "data"
        given: dict[str, Any] = {"watch": False, "workers": 1, "toolsets": ("retrieval",), **more}
        self.options = Options(
            str(folder / "elsewhere"),
            str(self.data),
            docs_root=str(self.docs),
            code_root=str(self.code),
            **given,
        )
        self.app = App(self.options, Clock())

    def restart(self) -> None:
        """Serve the same folders by another process, as far as a test can tell."""
        self.close()
        self.app = App(self.options, Clock())

    def close(self) -> None:
        """Stop what runs in the background."""
        if self.app._retrieval is not None:
            self.app._retrieval.close()

    def answer(self, name: str, **arguments: object) -> dict[str, Any]:
        """The whole answer, after checks that hold for any."""
        found = self.app.call(name, arguments, lambda: False)
        check(name, found)
        return found

    def __call__(self, name: str, **arguments: object) -> dict[str, Any]:
        """The envelope."""
        envelope: dict[str, Any] = self.answer(name, **arguments)["structuredContent"]
        return envelope

    def result(self, name: str, **arguments: object) -> dict[str, Any]:
        """The result of a call that must be answered."""
        envelope = self(name, **arguments)
        assert "error" not in envelope, envelope
        result: dict[str, Any] = envelope["result"]
        return result

    def error(self, name: str, **arguments: object) -> dict[str, Any]:
        """The error of a call that must not be answered."""
        envelope = self(name, **arguments)
        assert "result" not in envelope, envelope
        error: dict[str, Any] = envelope["error"]
        return error

    def found(self, query: str, **arguments: object) -> list[tuple[str, str, int]]:
        """Places of matches."""
        matches = self.result("search", query=query, **arguments)["matches"]
        return [(match["repo"], match["path"], match["line"]) for match in matches]

    def log(self) -> list[dict[str, Any]]:
        """The log's entries, in order."""
        text = (self.data / "retrieval" / "audit.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]


def check(name: str, answer: dict[str, Any]) -> None:
    """The schema holds, and both forms say the same."""
    envelope = answer["structuredContent"]
    check_shape(envelope, BY_NAME[name].declaration()["outputSchema"])
    assert ("result" in envelope) is not ("error" in envelope)
    assert set(envelope["meta"]) == {"repo", "duration_ms", "truncated"}
    assert answer["isError"] is ("error" in envelope)
    if "error" in envelope:
        assert set(envelope["error"]) == {"code", "message", "details"}
    (block,) = answer["content"]
    assert [leaf for leaf in leaves(envelope) if leaf not in block["text"]] == []


def leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if isinstance(value, bool) or value in {0, ""} else [str(value)]


Make = Callable[..., TwoRoots]
