"""The tools that are served: their list, made once, and each by either spelling of its name."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from repo_mcp.tools.spec import Tool


class Catalog:
    """Tools in the order of their declaration."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Take the tools; two names that some client can't tell apart are an error of ours."""
        self._tools = {_plain(tool.name): tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name once dots are underscores")
        self._listing = ""

    def listing(self) -> str:
        """All declarations as one JSON array."""
        if not self._listing:
            declared = [tool.declaration() for tool in self._tools.values()]
            self._listing = json.dumps(declared, separators=(",", ":"))
        return self._listing

    def find(self, name: str) -> Tool | None:
        """The tool of this name, spelled with dots or with underscores."""
        return self._tools.get(_plain(name))

    def names(self) -> list[str]:
        """Names as they are listed."""
        return [tool.name for tool in self._tools.values()]


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)
