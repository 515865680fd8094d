"""Lets a client call the server's tools without asking, and takes that back on removal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from repo_mcp.cli.clients import files, jsonc_edit
from repo_mcp.cli.clients.entries import ClientTarget
from repo_mcp.cli.clients.files import ClientFile, EditError

_PATH: Final = ("permissions", "allow")
# clients with a list of rules in a file of their own, and those with a field of the entry
_WITH_RULES: Final = "claude"
_TRUST: Final[dict[str, object]] = {"trust": True}
_FIELDS: Final[dict[str, dict[str, object]]] = {"gemini": _TRUST, "qwen": _TRUST}
_ASKED: Final = "choose to always allow the server's tools when it asks"
# the way to tell the others
HOW: Final = {
    "codex": "it runs read-only tools, as these are, without asking",
    "copilot": "start it with --allow-tool 'NAME'",
    "cursor": "allow the server in its settings, Agents, Auto-Run",
    "opencode": "it asks only if its setting permission says so",
}


def allowed_fields(target: ClientTarget) -> dict[str, object]:
    """Fields of the entry that let the client call the tools."""
    return _FIELDS.get(target.client.name, {})


def note(target: ClientTarget) -> str:
    """Instructions to allow the tools by hand; empty if a file of the client allows them."""
    if target.client.name in {_WITH_RULES, *_FIELDS}:
        return ""
    return HOW.get(target.client.name, _ASKED).replace("NAME", target.name)


def rule_change(target: ClientTarget, *, allowed: bool) -> tuple[ClientFile, str] | None:
    """The client's file of rules and its new text; None if it has no rules or they are right."""
    file = rules_file(target)
    if file is None:
        return None
    rules, rule = _rules(file.text), f"mcp__{target.name}"
    if (rule in rules) is allowed:
        return None
    if allowed:
        return file, rule_added(target, file.text) or file.text
    return file, _without(file, [item for item in rules if item != rule], rule)


def rules_file(target: ClientTarget) -> ClientFile | None:
    """The client's file of rules; None if it has none."""
    if target.client.name != _WITH_RULES:
        return None
    return files.read(_rules_path(target), target.project if target.scope == "project" else None)


def rule_added(target: ClientTarget, text: str) -> str | None:
    """A text of such a file with the rule; None if it has it already, or no client's rules."""
    rule = f"mcp__{target.name}"
    if target.client.name != _WITH_RULES or rule in (rules := _rules(text)):
        return None
    return jsonc_edit.with_member(text, _PATH, [*rules, rule])


def without_rule(target: ClientTarget, text: str) -> str:
    """A text of such a file without the rule, and without what is empty then."""
    rule = f"mcp__{target.name}"
    if target.client.name != _WITH_RULES or rule not in (rules := _rules(text)):
        return text
    return _with_rules(text, [kept for kept in rules if kept != rule])


def _without(file: ClientFile, rules: list[Any], rule: str) -> str:
    """The text with these rules alone: as it was before, if nothing else has changed since."""
    before = files.backup_text(file) or ""
    with suppress(EditError):
        known = _rules(before)
        if rule not in known and jsonc_edit.with_member(before, _PATH, [*known, rule]) == file.text:
            return before
    return _with_rules(file.text, rules)


def _with_rules(text: str, rules: list[Any]) -> str:
    text = jsonc_edit.with_member(text, _PATH, rules)
    for depth in (2, 1):  # what is empty now goes
        if not _at(jsonc_edit.value_of(text), _PATH[:depth]):
            text = jsonc_edit.without_member(text, _PATH[:depth])
    return text


def _at(whole: Any, path: Sequence[str]) -> Any:  # noqa: ANN401 JSON
    for key in path:
        whole = whole[key]
    return whole


def _rules_path(target: ClientTarget) -> Path:
    if target.scope == "project":
        # the file of one person: the other one is shared with the project
        return target.project / ".claude" / "settings.local.json"
    folder = os.environ.get("CLAUDE_CONFIG_DIR", "").strip()
    return (Path(folder).expanduser() if folder else Path.home() / ".claude") / "settings.json"


def _rules(text: str) -> list[Any]:
    whole: Any = jsonc_edit.value_of(text)
    for key in _PATH:
        whole = whole.get(key, {} if key != _PATH[-1] else [])
        if not isinstance(whole, list if key == _PATH[-1] else dict):
            raise EditError(f"{key!r} in it has another form")
    return list(whole)
