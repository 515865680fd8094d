"""All toolsets, and the selection of tools that are served, with dotted or underscore names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.settings import ConfigError
from repo_mcp.toolsets.codeagent import declarations as codeagent
from repo_mcp.toolsets.interrogator import declarations as interrogator
from repo_mcp.toolsets.kit.spec import ICONS, HandlerTable, Tool
from repo_mcp.toolsets.retrieval import declarations as retrieval
from repo_mcp.toolsets.swiftindex import declarations as swiftindex

DOTTED: Final = "dotted"
UNDERSCORE: Final = "underscore"
SPELLINGS: Final = (DOTTED, UNDERSCORE)
# tools that need the symbol graph
GRAPH_TOOLS: Final = (*codeagent.GRAPH_TOOLS, swiftindex.CODE_RESEARCH.name)
# a tool that asks it, among others that do without
OVERVIEW_TOOL: Final = interrogator.SYMBOL.name
# selections that stand for several toolsets
ALL: Final = "all"
DEFAULT: Final = "default"


class SelectionError(ConfigError):
    """An invalid selection; the message names the valid ones."""


class Toolset(NamedTuple):
    """Tools that belong together, with instructions for models."""

    name: str
    tools: tuple[Tool, ...]
    instructions: str
    # handlers of the tools, and the shape of answers, as "module:name"
    handlers: HandlerTable
    shape: str
    # part of the selection `default`
    default: bool = True
    # part of the selection `all`
    in_all: bool = True
    # true if its tools carry icons, as its specification says; the server has one for all others
    icons: bool = False


# in the order of the tools in `tools/list`
TOOLSETS: Final = (
    Toolset(
        interrogator.NAME,
        interrogator.TOOLS,
        interrogator.INSTRUCTIONS,
        interrogator.HANDLERS,
        "repo_mcp.toolsets.kit.envelope:SHAPE",
    ),
    # not a default: its tools duplicate those of the interrogator
    Toolset(
        codeagent.NAME,
        codeagent.TOOLS,
        codeagent.INSTRUCTIONS,
        codeagent.HANDLERS,
        "repo_mcp.toolsets.codeagent.answers:SHAPE",
        default=False,
    ),
    # `with_folders` makes it a default if its folders are configured
    Toolset(
        retrieval.NAME,
        retrieval.TOOLS,
        retrieval.INSTRUCTIONS,
        retrieval.HANDLERS,
        "repo_mcp.toolsets.retrieval.answers:SHAPE",
        default=False,
    ),
    Toolset(
        swiftindex.NAME,
        swiftindex.TOOLS,
        swiftindex.INSTRUCTIONS,
        swiftindex.HANDLERS,
        "repo_mcp.toolsets.swiftindex.answers:SHAPE",
        default=False,
        icons=True,
    ),
)

_WITH_ICONS: Final = frozenset(
    tool.name for toolset in TOOLSETS if toolset.icons for tool in toolset.tools
)


class Catalog:
    """The served tools, in the order of their declaration."""

    def __init__(self, tools: Sequence[Tool], names: str = DOTTED, instructions: str = "") -> None:
        """Raise `ValueError` if two names are equal with underscores for dots."""
        self._tools: dict[str, Tool] = {}
        self._names = names
        for tool in tools:
            self.register(tool)
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name once dots are underscores")
        self.instructions = instructions

    def register(self, tool: Tool) -> None:
        """Add a tool at the end, or replace the one of its name in its place."""
        self._tools[_underscored(tool.name)] = tool

    def declarations(self) -> list[dict[str, Any]]:
        """All declarations for the newest protocol version, under the selected names."""
        return [self._declaration(tool) for tool in self._tools.values()]

    def _declaration(self, tool: Tool) -> dict[str, Any]:
        icons = {"icons": list(ICONS)} if tool.name in _WITH_ICONS else {}
        return {
            **tool.declaration(),
            "name": self.public_name(tool.name),
            **icons,
            "execution": {"taskSupport": "optional"},
        }

    def listing(self) -> str:
        """All declarations as one JSON array."""
        return json.dumps(self.declarations(), separators=(",", ":"))

    @property
    def toolsets(self) -> set[str]:
        """Names of the toolsets that the tools belong to."""
        return {toolset_of(tool).name for tool in self._tools.values()}

    def find(self, name: str) -> Tool | None:
        """The tool of this name, with dots or underscores; None if there is none."""
        return self._tools.get(_underscored(name))

    def names(self) -> list[str]:
        """Names as clients see them."""
        return [self.public_name(tool.name) for tool in self._tools.values()]

    def public_name(self, name: str) -> str:
        """A tool's name as clients see it."""
        return _underscored(name) if self._names == UNDERSCORE else name


def select(
    toolsets: Sequence[str] = (),
    tools: Sequence[str] = (),
    exclude: Sequence[str] = (),
    names: str = DOTTED,
    known: Sequence[Toolset] = TOOLSETS,
) -> Catalog:
    """Select the tools of these toolsets and these single tools, without those excluded.

    Without toolsets, the default ones are selected, or none if there are single tools. `all` and
    `default` stand for toolsets, and names of tools may be spelled either way. Raises
    `SelectionError` for an unknown name, and if no tool is left.
    """
    if names not in SPELLINGS:
        raise SelectionError(f"unknown spelling {names!r}; known: {', '.join(SPELLINGS)}")
    selected = _resolve_toolsets(toolsets or (() if tools else (DEFAULT,)), known)
    every = {_underscored(tool.name): tool.name for toolset in known for tool in toolset.tools}
    single, excluded = _resolve_tools(tools, every), _resolve_tools(exclude, every)
    chosen: list[Tool] = []
    instructions: list[str] = []
    for toolset in known:
        served = [
            tool
            for tool in toolset.tools
            if (toolset.name in selected or tool.name in single) and tool.name not in excluded
        ]
        chosen += served
        instructions += [toolset.instructions] if served else []
    if not chosen:
        raise SelectionError(f"no tool is left to serve; known: {', '.join(every.values())}")
    return Catalog(chosen, names, "\n".join(instructions))


def with_folders(*, usable: bool, named: bool) -> tuple[Toolset, ...]:
    """All toolsets; retrieval is a default if its folders are usable, in `all` if configured."""
    return tuple(
        toolset._replace(default=usable, in_all=named)
        if toolset.name == retrieval.NAME
        else toolset
        for toolset in TOOLSETS
    )


def toolset_of(tool: Tool, known: Sequence[Toolset] = TOOLSETS) -> Toolset:
    """The toolset of a tool."""
    return next(toolset for toolset in known if tool in toolset.tools)


def _resolve_toolsets(names: Iterable[str], known: Sequence[Toolset]) -> set[str]:
    found: set[str] = set()
    for name in _split_names(names):
        if name == ALL:
            found |= {toolset.name for toolset in known if toolset.in_all}
        elif name == DEFAULT:
            found |= {toolset.name for toolset in known if toolset.default}
        elif any(name == toolset.name for toolset in known):
            found.add(name)
        else:
            listed = ", ".join([*(toolset.name for toolset in known), ALL, DEFAULT])
            raise SelectionError(f"unknown toolset {name[:60]!r}; known: {listed}")
    return found


def _resolve_tools(names: Iterable[str], every: dict[str, str]) -> set[str]:
    found = set()
    for name in _split_names(names):
        if _underscored(name) not in every:
            listed = ", ".join(every.values())
            raise SelectionError(f"unknown tool {name[:60]!r}; known: {listed}")
        found.add(every[_underscored(name)])
    return found


def _split_names(texts: Iterable[str]) -> Iterator[str]:
    """Stripped names; one text may hold several, separated by commas."""
    for text in texts:
        yield from filter(None, (name.strip() for name in text.split(",")))


def _underscored(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)
