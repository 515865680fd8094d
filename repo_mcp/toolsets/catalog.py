"""All toolsets, and the selection of tools that are served, with dotted or underscore names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple
from repo_mcp.settings import ConfigError
from repo_mcp.toolsets.kit.spec import ICONS, HandlerTable, Tool

DOTTED: Final = "dotted"
UNDERSCORE: Final = "underscore"
SPELLINGS: Final = (DOTTED, UNDERSCORE)
# a tool that asks the symbol graph, among others that do without
OVERVIEW_TOOL: Final = "repo.symbol"
# the toolset that serves two folders instead of the repository
RETRIEVAL: Final = "retrieval"
# selections that stand for several toolsets
ALL: Final = "all"
DEFAULT: Final = "default"


class SelectionError(ConfigError):
    """An invalid selection; the message names the valid ones."""


class Toolset(NamedTuple):
    """Tools that belong together, with instructions for models.

    What they are is in its folder, and is loaded when it is asked for: most servers have one.
    """

    # also of its folder
    name: str
    # the shape of answers, as "module:name"
    shape: str
    # part of the selection `default`
    default: bool = True
    # part of the selection `all`
    in_all: bool = True
    # true if its tools carry icons, as its specification says; the server has one for all others
    icons: bool = False

    @property
    def _declared(self) -> Any:  # noqa: ANN401 a module
        return import_module(f"repo_mcp.toolsets.{self.name}.declarations")

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Its tools in order."""
        found: tuple[Tool, ...] = self._declared.TOOLS
        return found

    @property
    def instructions(self) -> str:
        """Instructions for models."""
        return str(self._declared.INSTRUCTIONS)

    @property
    def graph_tools(self) -> tuple[str, ...]:
        """Names of the tools that need the symbol graph."""
        found: tuple[str, ...] = getattr(self._declared, "GRAPH_TOOLS", ())
        return found

    @property
    def handlers(self) -> HandlerTable:
        """The handlers of its tools, as "module:name"."""
        found: HandlerTable = self._declared.HANDLERS
        return found


# in the order of the tools in `tools/list`
TOOLSETS: Final = (
    Toolset("interrogator", "repo_mcp.toolsets.kit.envelope:SHAPE"),
    # not a default: its tools duplicate those of the interrogator
    Toolset("codeagent", "repo_mcp.toolsets.codeagent.answers:SHAPE", default=False),
    # `with_folders` makes it a default if its folders are configured
    Toolset(RETRIEVAL, "repo_mcp.toolsets.retrieval.answers:SHAPE", default=False),
    Toolset("swiftindex", "repo_mcp.toolsets.swiftindex.answers:SHAPE", default=False, icons=True),
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
        has_icons = (toolset.icons for toolset in TOOLSETS if tool in toolset.tools)
        icons = {"icons": list(ICONS)} if next(has_icons, False) else {}
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
    single, excluded = _resolve_tools(tools, known), _resolve_tools(exclude, known)
    chosen: list[Tool] = []
    instructions: list[str] = []
    for toolset in known:
        if not (single or toolset.name in selected):
            continue
        served = [
            tool
            for tool in toolset.tools
            if (toolset.name in selected or tool.name in single) and tool.name not in excluded
        ]
        chosen += served
        instructions += [toolset.instructions] if served else []
    if not chosen:
        raise SelectionError(f"no tool is left to serve; known: {', '.join(_names(known))}")
    return Catalog(chosen, names, "\n".join(instructions))


def with_folders(*, usable: bool, named: bool) -> tuple[Toolset, ...]:
    """All toolsets; retrieval is a default if its folders are usable, in `all` if configured."""
    return tuple(
        toolset._replace(default=usable, in_all=named) if toolset.name == RETRIEVAL else toolset
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


def _names(known: Sequence[Toolset]) -> list[str]:
    return [tool.name for toolset in known for tool in toolset.tools]


def _resolve_tools(names: Iterable[str], known: Sequence[Toolset]) -> set[str]:
    found: set[str] = set()
    every: dict[str, str] = {}
    for name in _split_names(names):
        every = every or {_underscored(tool): tool for tool in _names(known)}
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
