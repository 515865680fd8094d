"""What a tool may ask of the call that it answers: its time, and ways to tell the client."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from repo_mcp.budget import Budget


def _unheard(*_: object) -> None:
    """Nobody listens."""


class Context(NamedTuple):
    """One call; what the client did not ask to be told goes nowhere."""

    budget: Budget
    request_id: str = ""
    # how much is done, of how much (0 where that is not known), and of what
    progress: Callable[[int, int, str], None] = _unheard
    # a level of MCP's and a line for the client's log
    log: Callable[[str, str], None] = _unheard
    # a prompt and how many tokens the answer may take: the client's model's answer, if it gives one
    sample: Callable[[str, int], str | None] = _unheard
