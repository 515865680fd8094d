"""Selection of tools, and the spelling of their names."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from repo_mcp.toolsets.catalog import TOOLSETS, SelectionError, Toolset, select
from repo_mcp.toolsets.kit.spec import Tool

KNOWN = (Toolset("a", ""), Toolset("b", ""), Toolset("c", "", default=False))
NAMES = {"a": "xy", "b": "z", "c": "w"}


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declarations of the toolsets above."""
    for name, tools in NAMES.items():
        made: Any = ModuleType(name)
        made.TOOLS = tuple(Tool(f"{name}.{tool}", tool, tool, (), {}) for tool in tools)
        made.INSTRUCTIONS = f"use {name}"
        monkeypatch.setitem(sys.modules, f"repo_mcp.toolsets.{name}.declarations", made)


@pytest.mark.parametrize(
    ("toolsets", "tools", "exclude", "expected"),
    [
        ([], [], [], ["a.x", "a.y", "b.z"]),
        (["default"], [], [], ["a.x", "a.y", "b.z"]),
        (["all"], [], [], ["a.x", "a.y", "b.z", "c.w"]),
        (["c", "a"], [], [], ["a.x", "a.y", "c.w"]),
        (["b, c"], [], [], ["b.z", "c.w"]),
        (["b"], ["a_y"], [], ["a.y", "b.z"]),
        ([], ["c.w", "a.y"], [], ["a.y", "c.w"]),
        ([], [" c.w , a.y"], [], ["a.y", "c.w"]),
        ([], [], ["a.x", "b_z"], ["a.y"]),
        ([], ["a.x", "a.y"], ["a.y"], ["a.x"]),
        (["all", ""], [], [], ["a.x", "a.y", "b.z", "c.w"]),
    ],
)
def test_the_choice(
    toolsets: list[str], tools: list[str], exclude: list[str], expected: list[str]
) -> None:
    assert select(toolsets, tools, exclude, known=KNOWN).names() == expected


def test_instructions_are_of_the_toolsets_that_are_served() -> None:
    assert select([], ["a.x", "c.w"], known=KNOWN).instructions == "use a\nuse c"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"toolsets": ["d"]}, "unknown toolset 'd'; known: a, b, c, all, default"),
        ({"tools": ["a.q"]}, "unknown tool 'a.q'; known: a.x, a.y, b.z, c.w"),
        ({"exclude": ["q"]}, "unknown tool 'q'; known: a.x, a.y, b.z, c.w"),
        ({"names": "camel"}, "unknown spelling 'camel'; known: dotted, underscore"),
        ({"toolsets": ["b"], "exclude": ["b.z"]}, "no tool is left"),
    ],
)
def test_what_is_unknown_is_an_error_that_names_what_is_known(
    arguments: dict[str, list[str]], said: str
) -> None:
    with pytest.raises(SelectionError, match=said):
        select(**arguments, known=KNOWN)  # type: ignore[arg-type]


@pytest.mark.parametrize(("names", "shown"), [("dotted", "a.x"), ("underscore", "a_x")])
def test_both_spellings_are_found_whichever_is_listed(names: str, shown: str) -> None:
    catalog = select(names=names, known=KNOWN)
    assert catalog.declarations()[0]["name"] == shown
    assert catalog.find("a.x") is catalog.find("a_x") is KNOWN[0].tools[0]


@pytest.mark.requirement("SWI-order")
def test_a_tool_that_is_registered_again_keeps_its_place() -> None:
    catalog = select(known=KNOWN)
    before = catalog.names()
    again = Tool("a.y", "y", "another", (), {})
    catalog.register(again)
    assert catalog.names() == before
    assert catalog.find("a_y") == again
    catalog.register(Tool("new", "new", "new", (), {}))
    assert catalog.names() == [*before, "new"]


def test_tools_are_listed_in_the_order_of_their_declaration() -> None:
    declared = [tool.name for toolset in TOOLSETS for tool in toolset.tools]
    assert select(["all"]).names() == declared
    assert select(["all"], declared[::-1]).names() == declared


@pytest.mark.requirement("SWI-protocol")
def test_every_tool_has_a_title_and_annotations() -> None:
    for declared in select(["all"]).declarations():
        assert {"title", "annotations", "execution"} <= set(declared)


def test_tools_of_swiftindex_have_schema_and_icons_and_the_server_has_one_for_others() -> None:
    for declared in select(["swiftindex"]).declarations():
        assert {"title", "outputSchema", "annotations", "icons"} <= set(declared)
    assert not any("icons" in declared for declared in select().declarations())


def test_the_default_tools_take_little_of_a_context() -> None:
    declared = select().declarations()
    # as clients show a tool to a model
    shown = ("name", "description", "inputSchema")
    assert sum(_bytes(tool[part]) for tool in declared for part in shown) <= 9_750
    assert _bytes(declared) <= 17_100
    assert _bytes([{**tool, "outputSchema": {}} for tool in declared]) <= 12_300


def test_each_argument_of_the_default_tools_is_described() -> None:
    for tool in select().declarations():
        for name, argument in tool["inputSchema"]["properties"].items():
            assert argument.get("description"), (tool["name"], name)


def _bytes(declared: object) -> int:
    return len(json.dumps(declared, separators=(",", ":")).encode())
