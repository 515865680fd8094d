"""Roots: the folders that the client has open, which it is asked for."""

from __future__ import annotations

from typing import Any, Final

from repo_mcp.protocol.eras import Peer

METHOD: Final = "roots/list"
SECONDS: Final = 5.0
_MOST_ROWS: Final = 1000


def is_offered(peer: Peer) -> bool:
    """True if the client can be asked."""
    return "roots" in peer.capabilities


def tells_changes(peer: Peer) -> bool:
    """True if the client says that they change; the modern era has no word for it."""
    offered = peer.capabilities.get("roots")
    return not peer.modern and isinstance(offered, dict) and offered.get("listChanged") is True


def rows_of(answer: object) -> list[dict[str, Any]]:
    """The folders in a client's answer; none if it refuses."""
    rows = answer.get("roots") if isinstance(answer, dict) else None
    found = rows if isinstance(rows, list) else []
    return [row for row in found if isinstance(row, dict)][:_MOST_ROWS]
