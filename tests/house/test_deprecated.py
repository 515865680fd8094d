"""Deprecated parts of the protocol can be removed in one place, on the day that is written down."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo_mcp.protocol.deprecated import FEATURES, DeprecatedFeature

ROOT = Path(__file__).parents[2]
MODULE = "repo_mcp/protocol/deprecated.py"
DECISION = ROOT / "docs" / "decisions" / "0014-one-protocol-core.md"
# names on the wire; responses and capabilities have none of their own
WIRE = ("roots/list", "roots/list_changed", "sampling/", "logging/", "notifications/message")
# hands on what a call asks in another process
FORWARDER = "repo_mcp/answering/processes.py"
# who uses functions of a call that ask a client for what is deprecated, beside the protocol
USERS = {
    r"\.list_roots\b|\.has_silent_roots\b": {"repo_mcp/app.py"},
    r"\bcaller\.sample\b": {"repo_mcp/app.py", FORWARDER},
    r"\bcontext\.sample\b": {"repo_mcp/toolsets/swiftindex/sampling.py"},
    r"\b(caller|context)\.log\b": {FORWARDER},
}


def sources() -> dict[str, str]:
    files = (ROOT / "repo_mcp").rglob("*.py")
    return {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in files}


@pytest.mark.parametrize("name", WIRE)
def test_a_name_on_the_wire_stands_in_one_module(name: str) -> None:
    assert [path for path, text in sources().items() if name in text] == [MODULE]


@pytest.mark.parametrize("pattern", USERS)
def test_no_other_part_of_the_program_asks_for_it(pattern: str) -> None:
    outside = {path: text for path, text in sources().items() if "/protocol/" not in path}
    assert {path for path, text in outside.items() if re.search(pattern, text)} == USERS[pattern]


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_the_decision_has_its_end(feature: DeprecatedFeature) -> None:
    text = DECISION.read_text("utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith(f"| {feature.name} |"))
    assert feature.ends in row
    assert feature.since in text
