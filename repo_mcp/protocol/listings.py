"""Lists that never change while the server runs: written once for each version that asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from repo_mcp.protocol.eras import CACHE, Peer, completed, known_fields
from repo_mcp.protocol.jsonrpc import dumps
from repo_mcp.protocol.offer import Offer

Fields = dict[str, Any]


class Listings:
    """All of a kind in one page: some clients read only the first."""

    def __init__(self, offer: Offer) -> None:
        """Nothing is written yet."""
        self._offer = offer
        self._made: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()
        self._sources: dict[str, Callable[[], Sequence[Fields]]] = {
            "tools": offer.tools,
            "prompts": offer.prompts,
            "resourceTemplates": offer.templates,
        }

    def body(self, kind: str, peer: Peer) -> str:
        """The whole result as JSON."""
        key = kind, peer.version
        with self._lock:
            if key not in self._made:
                self._made[key] = self._written(kind, peer)
            return self._made[key]

    def _written(self, kind: str, peer: Peer) -> str:
        listed = [declared(peer.version, record) for record in self._sources[kind]()]
        found = {kind: listed, **(CACHE if peer.modern else {})}
        return dumps(completed(peer, found, self._offer.info))


def declared(version: str, record: Fields) -> Fields:
    """A declaration as a version has it, arguments of prompts included."""
    found = known_fields(version, record)
    if "arguments" in found:
        found["arguments"] = [known_fields(version, argument) for argument in found["arguments"]]
    return found
