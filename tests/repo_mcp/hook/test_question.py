"""Hooks look at a person's own words, and at the expression of a search."""

from __future__ import annotations

from typing import Any

import pytest

from repo_mcp.hook.event import HookEvent
from repo_mcp.hook.question import searched_pattern, written_by_person


@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>\n<summary>add_tax ended</summary>\n</task-notification>",
        "<system-reminder>add_tax has changed</system-reminder>\n",
        "<local-command-stdout>add_tax",
        "<command-name>/review</command-name>\n<command-args></command-args>",
        "/clear",
        "/review add_tax",
        "!grep add_tax",
        "# add_tax is deprecated",
        "  \n",
        "",
    ],
)
def test_what_a_client_writes_is_no_question(prompt: str) -> None:
    assert written_by_person(prompt) == ""


@pytest.mark.parametrize(
    ("prompt", "own"),
    [
        ("why does add_tax fail?", "why does add_tax fail?"),
        (
            "<ide-selection>lines 3-9</ide-selection>why does add_tax fail?",
            "why does add_tax fail?",
        ),
        ("/srv/shop/tax.py is slow", "/srv/shop/tax.py is slow"),
        ("replace <div>total</div> by add_tax", "replace <div>total</div> by add_tax"),
    ],
)
def test_what_a_person_writes_is(prompt: str, own: str) -> None:
    assert written_by_person(prompt) == own


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        ({"pattern": "add_\\w+", "path": "shop"}, "add_\\w+"),
        ({"query": "add_tax"}, "add_tax"),
        ({"command": "rg -n add_tax shop"}, "add_tax"),
        (
            {"command": "cd shop && grep -rn --include='*.py' 'def add_tax' . | head -5"},
            "def add_tax",
        ),
        ({"command": "git grep -n add_tax"}, "add_tax"),
        ({"command": "rg -A 3 -e add_tax -e other"}, "add_tax"),
        ({"command": "rg -C2 -t py add_tax"}, "add_tax"),
        ({"command": ["bash", "-lc", "rg add_tax"]}, "add_tax"),
        ({"cmd": "/usr/bin/rg add_tax"}, "add_tax"),
        ({"command": "ls -la"}, ""),
        ({"command": "git log --grep add_tax"}, ""),
        ({"command": "rg"}, ""),
        ({"command": "echo 'never closed"}, ""),
        ({"command": 3}, ""),
        ({"file_path": "shop/tax.py"}, ""),
        ({}, ""),
    ],
)
def test_the_expression_of_a_search_is_found(arguments: dict[str, Any], pattern: str) -> None:
    assert searched_pattern(HookEvent("", "", arguments=arguments)) == pattern
