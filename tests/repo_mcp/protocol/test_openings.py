"""The recorded first messages of each client: all can list and call the tools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import pytest
from mcp_types import methods

from tests.repo_mcp.server_process import running
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers

MODERN = "2026-07-28"
KEY = "io.modelcontextprotocol/"
ASKED = {"query": "needle"}

Fields = dict[str, Any]
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Opening(NamedTuple):
    """Openings of a client: a handshake of a version, or a probe."""

    client: str
    version: str
    capabilities: Fields
    # what it asks for before its first call
    lists: tuple[str, ...] = ()
    meta: Mapping[str, Any] = NOTHING

    def said(self) -> Fields:
        """The metadata of each of its requests, where there is no handshake."""
        return {
            KEY + "protocolVersion": self.version,
            KEY + "clientInfo": {"name": self.client, "version": "1"},
            KEY + "clientCapabilities": self.capabilities,
        }


FORMS: Fields = {"elicitation": {"form": {}, "url": {}}}
EXTENSIONS: Fields = {"extensions": {KEY + "tasks": {}, KEY + "skills": {}}}
OPENINGS = [
    Opening(
        "codex-mcp-client",
        "2025-06-18",
        {"experimental": {"codex/auth-change": {}}, **FORMS},
        meta={"callId": "call_0", "threadId": "t", "progressToken": 1, "x-codex-turn-metadata": {}},
    ),
    Opening(
        "claude-code",
        MODERN,
        {"roots": {"listChanged": True}, **FORMS},
        ("prompts/list", "resources/list"),
        {"claudecode/toolUseId": "toolu_0", "progressToken": 3},
    ),
    Opening(
        "gemini-cli-mcp-client",
        "2025-06-18",
        {"roots": {"listChanged": True}},
        ("prompts/list", "resources/list"),
        {"progressToken": "950e81d1-6ae5-4490-9718-bb4d2065d0cd"},
    ),
    Opening("copilot-cli", MODERN, {"sampling": {}, **FORMS}, meta={"progressToken": 1}),
    Opening("opencode", "2025-11-25", {"roots": {}}, meta={"progressToken": 2}),
    Opening("inspector-cli 0.15", "2025-11-25", {}),
    Opening("inspector-cli 2", "2025-11-25", {"roots": {"listChanged": True}, **EXTENSIONS}),
    Opening("TypeScript SDK", "2025-11-25", {}, meta={"progressToken": 2}),
    Opening("Python SDK 1", "2025-11-25", {}, meta={"progressToken": 2}),
    Opening("Python SDK 2", MODERN, {}, meta={"progressToken": 3}),
    Opening("a client of the first version", "2024-11-05", {}),
]


@pytest.mark.requirement("INT-05-stdio")
@pytest.mark.parametrize("opening", OPENINGS, ids=lambda opening: opening.client)
def test_a_client_that_opens_as_it_was_seen_to_calls_a_tool(
    opening: Opening, tmp_path: Path
) -> None:
    root = write(tmp_path / "root", {"a.py": "def needle(): pass\n"})
    modern = opening.version == MODERN
    said = opening.said() if modern else {}
    with running(root, tmp_path / "data") as server:
        if modern:
            found = server.ask(0, "server/discover", _meta=said)["result"]
            assert opening.version in found["supportedVersions"]
        else:
            about = {"name": opening.client, "version": "1"}
            found = server.ask(
                0,
                "initialize",
                protocolVersion=opening.version,
                capabilities=opening.capabilities,
                clientInfo=about,
            )["result"]
            assert found["protocolVersion"] == opening.version
        assert len(found["instructions"]) < 4000
        listed: Fields = {}
        for number, method in enumerate([*opening.lists, "tools/list"], 1):
            listed = server.ask(number, method, **({"_meta": said} if modern else {}))["result"]
            methods.parse_server_result(method, opening.version, listed)
        assert "repo.search" in [tool["name"] for tool in listed["tools"]]
        meta = {**said, **opening.meta, "progressToken": "p"}
        called = server.ask("x", "tools/call", name="repo.search", arguments=ASKED, _meta=meta)
        methods.parse_server_result("tools/call", opening.version, called["result"])
        assert "def needle" in called["result"]["content"][0]["text"]
        assert server.close() == 0
