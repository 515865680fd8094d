"""Protocol versions: which one a request uses, and what each supports.

There are two eras. In one, a handshake settles the version of the whole connection; in the other
(`modern`), every request has its version and the client's capabilities. The request alone decides
which era it belongs to, whatever came before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, JsonRpcRequest, WireError

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
REQUEST_VERSIONS: Final = ("2026-07-28",)
VERSIONS: Final = (*HANDSHAKE_VERSIONS, *REQUEST_VERSIONS)
UNSUPPORTED_VERSION: Final = -32022
TASKS: Final = "io.modelcontextprotocol/tasks"
# SEP-2640; clients of the last version with a handshake know extensions, too
SKILLS: Final = "io.modelcontextprotocol/skills"
_KEY: Final = "io.modelcontextprotocol/"
_SERVER_KEY: Final = _KEY + "serverInfo"
# server info in every modern result; icons are only in the handshake and in `server/discover`
_SERVER_FIELDS: Final = ("name", "version")
# listings never change while the server runs
CACHE: Final = {"ttlMs": 3_600_000, "cacheScope": "private"}
STRUCTURED_SINCE: Final = "2025-06-18"
# fields of tools, prompts, resources and the server, and the first version that has them
_SINCE: Final = {
    "annotations": "2025-03-26",
    "title": "2025-06-18",
    "outputSchema": "2025-06-18",
    "structuredContent": STRUCTURED_SINCE,
    "_meta": "2025-06-18",
    "icons": "2025-11-25",
    "execution": "2025-11-25",
}
_UNTIL: Final = {"execution": "2026-07-28"}
_CONTENT_SINCE: Final = {"audio": "2025-03-26", "resource_link": "2025-06-18"}
_NOT_SHOWN: Final = {"type": "text", "text": "(content of a type that this protocol version lacks)"}


class Peer(NamedTuple):
    """The sender of a request: protocol version and capabilities."""

    version: str = HANDSHAKE_VERSIONS[-1]
    capabilities: Mapping[str, Any] = {}
    client: str = ""
    # the minimum level of log messages for it; empty for none
    log_level: str = ""
    # the name of the token that it has shown, where there are several
    token: str = ""

    @property
    def modern(self) -> bool:
        """True if the request carries its own version and capabilities."""
        return self.version in REQUEST_VERSIONS

    @property
    def knows_tasks(self) -> bool:
        """True if the server may answer its calls with a task."""
        extensions = self.capabilities.get("extensions")
        return self.modern and isinstance(extensions, dict) and TASKS in extensions

    def has(self, version: str) -> bool:
        """True if the request's version is at least this one."""
        return self.version >= version


def peer_of(message: JsonRpcRequest, handshake: Peer) -> Peer:
    """The sender of a message: from its own `_meta`, else from the connection's handshake."""
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
    """A client's name and version, as far as known."""
    if not isinstance(info, dict):
        return ""
    parts = (info.get("name"), info.get("version"))
    return " ".join(part[:60] for part in parts if isinstance(part, str))


def handshake_version(requested: str) -> str:
    """The version that the server answers in a handshake."""
    return requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def capabilities(version: str) -> dict[str, Any]:
    """The server's capabilities in a protocol version."""
    found: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, "logging": {}}
    if version >= "2025-03-26":
        found["completions"] = {}
    if version == "2025-11-25":
        found["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    if version >= "2025-11-25":
        found["extensions"] = {SKILLS: {}}
    if version in REQUEST_VERSIONS:
        found["extensions"][TASKS] = {}
    return found


def known_fields(version: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A declaration or result without the fields that the version lacks."""
    return {
        name: value
        for name, value in record.items()
        if _SINCE.get(name, version) <= version < _UNTIL.get(name, "9")
    }


def tool_result(version: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's result in a protocol version; text is always kept."""
    found = known_fields(version, result)
    blocks = result["content"]
    # structured results need no other content
    found["content"] = content(version, blocks) if blocks else []
    return found


def content(version: str, blocks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The content blocks that a version supports; a placeholder if there are none."""
    kept = [
        resource_fields(version, block)
        for block in blocks
        if _CONTENT_SINCE.get(block["type"], version) <= version
    ]
    return kept or [dict(_NOT_SHOWN)]


def resource_fields(version: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A resource or content block in a version; these had annotations before tools did."""
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
    """A result with the additional fields of its era."""
    if not peer.modern:
        return dict(result)
    server = {name: info[name] for name in _SERVER_FIELDS}
    meta = {**result.get("_meta", {}), _SERVER_KEY: server}
    return {"resultType": "complete", **result, "_meta": meta}
