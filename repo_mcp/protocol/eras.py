"""Protocol versions: which one a request uses, and what each supports.

There are two eras. One begins with a handshake that settles a version for the whole connection; in
the other every request names its version and what its client can do. Which one a request is of is
decided by the request alone, whatever came before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, Message, WireError

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
REQUEST_VERSIONS: Final = ("2026-07-28",)
VERSIONS: Final = (*HANDSHAKE_VERSIONS, *REQUEST_VERSIONS)
UNSUPPORTED_VERSION: Final = -32022
TASKS: Final = "io.modelcontextprotocol/tasks"
_KEY: Final = "io.modelcontextprotocol/"
_SERVER_KEY: Final = _KEY + "serverInfo"
# what every result says of the server: its icons only go with the handshake and the probe
_SERVER_FIELDS: Final = ("name", "version")
# what is listed never changes while the server runs
CACHE: Final = {"ttlMs": 3_600_000, "cacheScope": "private"}
# fields of a tool, a prompt, a resource or the server itself, and the first version that has them
_SINCE: Final = {
    "annotations": "2025-03-26",
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "structuredContent": "2025-06-18",
    "_meta": "2025-06-18",
    "icons": "2025-11-25",
    "execution": "2025-11-25",
}
_GONE: Final = {"execution": "2026-07-28"}
_CONTENT_SINCE: Final = {"audio": "2025-03-26", "resource_link": "2025-06-18"}
_NOT_SHOWN: Final = {"type": "text", "text": "(content of a kind that this protocol version lacks)"}


class Peer(NamedTuple):
    """Who asks: the version its request is of, and what it can do."""

    version: str = HANDSHAKE_VERSIONS[-1]
    capabilities: Mapping[str, Any] = {}
    client: str = ""
    # the least severe message that it wants to be sent; none where it is empty
    log_level: str = ""

    @property
    def modern(self) -> bool:
        """Whether the request tells all this by itself."""
        return self.version in REQUEST_VERSIONS

    @property
    def knows_tasks(self) -> bool:
        """Whether calls of its era may be answered by a task nobody asked for."""
        extensions = self.capabilities.get("extensions")
        return self.modern and isinstance(extensions, dict) and TASKS in extensions

    def has(self, version: str) -> bool:
        """Whether the request's version is this one or a newer one."""
        return self.version >= version


def peer_of(message: Message, handshake: Peer) -> Peer:
    """Who sent a message: as it says itself, else as the connection's handshake said."""
    meta = message.params.get("_meta")
    if not isinstance(meta, dict) or _KEY + "protocolVersion" not in meta:
        return handshake
    version = meta[_KEY + "protocolVersion"]
    if version not in REQUEST_VERSIONS:
        data = {"supported": list(REQUEST_VERSIONS), "requested": str(version)[:100]}
        raise WireError(UNSUPPORTED_VERSION, "unsupported protocol version", data=data)
    capabilities = meta.get(_KEY + "clientCapabilities")
    if not isinstance(capabilities, dict):
        raise WireError(INVALID_PARAMS, f"_meta lacks {_KEY}clientCapabilities, an object")
    level = meta.get(_KEY + "logLevel")
    client = name_of(meta.get(_KEY + "clientInfo"))
    return Peer(version, capabilities, client, level if isinstance(level, str) else "")


def name_of(info: object) -> str:
    """A client's name and version, as far as it says them."""
    if not isinstance(info, dict):
        return ""
    parts = (info.get("name"), info.get("version"))
    return " ".join(part[:60] for part in parts if isinstance(part, str))


def handshake_version(wanted: str) -> str:
    """The version that answers a handshake."""
    return wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def capabilities(version: str) -> dict[str, Any]:
    """What this server can do, in the words of a version."""
    found: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, "logging": {}}
    if version >= "2025-03-26":
        found["completions"] = {}
    if version == "2025-11-25":
        found["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    if version in REQUEST_VERSIONS:
        found["extensions"] = {TASKS: {}}
    return found


def known_fields(version: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A declaration or result without the fields that a version lacks."""
    return {
        name: value
        for name, value in record.items()
        if _SINCE.get(name, version) <= version < _GONE.get(name, "9")
    }


def tool_result(version: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's result as a version writes it; text always stays."""
    found = known_fields(version, result)
    found["content"] = content(version, result["content"])
    return found


def content(version: str, blocks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Blocks of content that a version knows; what remains of none is said."""
    kept = [
        resource_fields(version, block)
        for block in blocks
        if _CONTENT_SINCE.get(block["type"], version) <= version
    ]
    return kept or [dict(_NOT_SHOWN)]


def resource_fields(version: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A resource or block of content; their annotations are older than those of tools."""
    found = known_fields(version, record)
    if "annotations" in record:
        known = version >= "2025-06-18"
        found["annotations"] = {
            name: value
            for name, value in record["annotations"].items()
            if known or name != "lastModified"
        }
    return found


def complete_result(
    peer: Peer, result: Mapping[str, Any], info: Mapping[str, Any]
) -> dict[str, Any]:
    """A result with the marks that its era asks for."""
    if not peer.modern:
        return dict(result)
    server = {name: info[name] for name in _SERVER_FIELDS}
    meta = {**result.get("_meta", {}), _SERVER_KEY: server}
    return {"resultType": "complete", **result, "_meta": meta}
