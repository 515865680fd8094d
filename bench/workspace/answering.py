"""Answers of a server in this process, without what two servers can't have in common."""

from __future__ import annotations

import re
from typing import Final

from repo_mcp.app import App

_OWN: Final = re.compile(r"request_id: \w+|cursor=\S+|generation \d+|\d+(?:\.\d+)? ms|\S+Z\b")


def ask(app: App, tool: str, /, **arguments: object) -> str:
    """The text of an answer, without times, numbers of generations and cursors."""
    answer = app.call(tool, arguments, lambda: False)
    return _OWN.sub("", str(answer["content"][0]["text"]))
