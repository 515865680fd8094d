"""Which tools are served: all toolsets there are, a choice among them, each by either spelling."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.toolsets.codeagent import declarations as codeagent
from repo_mcp.toolsets.interrogator import declarations as interrogator
from repo_mcp.toolsets.kit.spec import ICONS, HandlerTable, Tool
from repo_mcp.toolsets.retrieval import declarations as retrieval

DOTTED: Final = "dotted"
UNDERSCORE: Final = "underscore"
SPELLINGS: Final = (DOTTED, UNDERSCORE)
# words in place of toolsets' names
ALL: Final = "all"
DEFAULT: Final = "default"


class SelectionError(ValueError):
    """What was asked for is not there; the message names what is."""


class Toolset(NamedTuple):
    """Tools that belong together; `instructions` tell a model how to use them."""

    name: str
    tools: tuple[Tool, ...]
    instructions: str
    # what answers calls, and how answers are worded, each as "module:name"
    handlers: HandlerTable
    shape: str
    # served when nothing is asked for
    default: bool = True
    # served when all are asked for
    in_all: bool = True


# in the order in which their tools are listed
TOOLSETS: Final = (
    Toolset(
        interrogator.NAME,
        interrogator.TOOLS,
        interrogator.INSTRUCTIONS,
        interrogator.HANDLERS,
        "repo_mcp.toolsets.kit.envelope:SHAPE",
    ),
    # they double tools of the interrogator
    Toolset(
        codeagent.NAME,
        codeagent.TOOLS,
        codeagent.INSTRUCTIONS,
        codeagent.HANDLERS,
        "repo_mcp.toolsets.codeagent.answers:SHAPE",
        default=False,
    ),
    # whether it can be served depends on the folders that are named for it
    Toolset(
        retrieval.NAME,
        retrieval.TOOLS,
        retrieval.INSTRUCTIONS,
        retrieval.HANDLERS,
        "repo_mcp.toolsets.retrieval.answers:SHAPE",
        default=False,
    ),
)


class Catalog:
    """Tools in the order of their declaration."""

    def __init__(self, tools: Sequence[Tool], names: str = DOTTED, instructions: str = "") -> None:
        """Take the tools; two names that some client can't tell apart are an error of ours."""
        self._tools = {_plain(tool.name): tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name once dots are underscores")
        self._names = names
        self.instructions = instructions

    def declarations(self) -> list[dict[str, Any]]:
        """All declarations with everything that the newest clients know, under the names chosen."""
        return [
            {
                **tool.declaration(),
                "name": self.shown(tool.name),
                "icons": list(ICONS),
                "execution": {"taskSupport": "optional"},
            }
            for tool in self._tools.values()
        ]

    def listing(self) -> str:
        """All declarations as one JSON array."""
        return json.dumps(self.declarations(), separators=(",", ":"))

    @property
    def toolsets(self) -> set[str]:
        """Names of the toolsets that they are of."""
        return {toolset_of(tool).name for tool in self._tools.values()}

    def find(self, name: str) -> Tool | None:
        """The tool of this name, spelled with dots or with underscores."""
        return self._tools.get(_plain(name))

    def names(self) -> list[str]:
        """Names as they are listed."""
        return [self.shown(tool.name) for tool in self._tools.values()]

    def shown(self, name: str) -> str:
        """A tool's name as clients of this server are told it."""
        return _plain(name) if self._names == UNDERSCORE else name


def select(
    toolsets: Sequence[str] = (),
    tools: Sequence[str] = (),
    exclude: Sequence[str] = (),
    names: str = DOTTED,
    known: Sequence[Toolset] = TOOLSETS,
) -> Catalog:
    """The tools of these toolsets and these tools, without those excluded.

    Without toolsets the default ones are meant, or none where single tools are named. `all` and
    `default` stand for toolsets, a tool's name is spelled either way, and exclusion wins. What is
    unknown, or a choice that leaves nothing, is a `SelectionError`.
    """
    if names not in SPELLINGS:
        raise SelectionError(f"unknown spelling {names!r}; known: {', '.join(SPELLINGS)}")
    wanted = _wanted_sets(toolsets or (() if tools else (DEFAULT,)), known)
    every = {_plain(tool.name): tool.name for toolset in known for tool in toolset.tools}
    single, excluded = _wanted_tools(tools, every), _wanted_tools(exclude, every)
    chosen: list[Tool] = []
    said: list[str] = []
    for toolset in known:
        served = [
            tool
            for tool in toolset.tools
            if (toolset.name in wanted or tool.name in single) and tool.name not in excluded
        ]
        chosen += served
        said += [toolset.instructions] if served else []
    if not chosen:
        raise SelectionError(f"no tool is left to serve; known: {', '.join(every.values())}")
    return Catalog(chosen, names, " ".join(said))


def with_folders(*, usable: bool, named: bool) -> tuple[Toolset, ...]:
    """All toolsets; the one of two folders is served by itself when these can be."""
    return tuple(
        toolset._replace(default=usable, in_all=named)
        if toolset.name == retrieval.NAME
        else toolset
        for toolset in TOOLSETS
    )


def toolset_of(tool: Tool, known: Sequence[Toolset] = TOOLSETS) -> Toolset:
    """The toolset that a tool is of."""
    return next(toolset for toolset in known if tool in toolset.tools)


def _wanted_sets(asked: Iterable[str], known: Sequence[Toolset]) -> set[str]:
    wanted: set[str] = set()
    for name in _stripped(asked):
        if name == ALL:
            wanted |= {toolset.name for toolset in known if toolset.in_all}
        elif name == DEFAULT:
            wanted |= {toolset.name for toolset in known if toolset.default}
        elif any(name == toolset.name for toolset in known):
            wanted.add(name)
        else:
            listed = ", ".join([*(toolset.name for toolset in known), ALL, DEFAULT])
            raise SelectionError(f"unknown toolset {name[:60]!r}; known: {listed}")
    return wanted


def _wanted_tools(asked: Iterable[str], every: dict[str, str]) -> set[str]:
    wanted = set()
    for name in _stripped(asked):
        if _plain(name) not in every:
            listed = ", ".join(every.values())
            raise SelectionError(f"unknown tool {name[:60]!r}; known: {listed}")
        wanted.add(every[_plain(name)])
    return wanted


def _stripped(asked: Iterable[str]) -> Iterator[str]:
    """Names without spaces around them; those of one argument may be parted by commas."""
    for text in asked:
        yield from filter(None, (name.strip() for name in text.split(",")))


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)
