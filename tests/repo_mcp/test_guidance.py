"""The texts for assistants name tools that are served by default, and no others."""

from __future__ import annotations

import re

from repo_mcp import guidance
from repo_mcp.toolsets.catalog import select

SERVED = set(select().names())


def test_the_names_are_those_of_the_server() -> None:
    assert set(guidance.TOOL_NAMES) == SERVED


def test_the_skill_and_the_instructions_name_served_tools() -> None:
    named = set(re.findall(r"\brepo\.[a-z_]+", guidance.skill().text))
    assert named
    assert named <= SERVED


def test_the_explorer_has_tools_that_only_read_and_its_prompt_names_them() -> None:
    explorer = guidance.EXPLORER
    reading = {
        tool["name"] for tool in select().declarations() if tool["annotations"]["readOnlyHint"]
    }
    assert set(explorer.tools) <= reading
    words = set(re.findall(r"`([a-z_]+)`", explorer.prompt))
    short = {name.removeprefix("repo.") for name in SERVED}
    assert words & short <= {name.removeprefix("repo.") for name in explorer.tools}
    assert "Stop when the verdict is `answered`" in explorer.prompt


def test_the_texts_name_the_server_as_the_client_does() -> None:
    assert "MCP server `mine`" in guidance.instructions("mine")
    assert "NAME" not in guidance.skill("mine").text
