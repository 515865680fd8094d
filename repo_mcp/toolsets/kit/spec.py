"""Tool declarations, and their form in `tools/list`.

Schemas stay flat (type, description, enum, items, properties, required, default), because some
clients reject a whole list of tools over one construct they don't know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple
from repo_mcp.answers.records import (
    AnswerRecord,
    Failure,
    boolean,
    nested,
    object_schema,
    properties_of,
    string,
    strings,
    without_descriptions,
)

Schema = Mapping[str, Any]
# a file under a magnifying glass
_ICON: Final = (
    "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2016%2016'"
    "%20fill='none'%20stroke='%23888'%3E%3Cpath%20d='M3%201h6l4%204v3M3%201v14h4'/%3E%3Ccircle"
    "%20cx='10'%20cy='11'%20r='3'/%3E%3Cpath%20d='m12%2013%203%203'/%3E%3C/svg%3E"
)
# what answers of a tool are made of, if not of the graph: texts of files, commits, or two folders
# beside the repository
TEXTS: Final = "texts"
COMMITS: Final = "commits"
FOLDERS: Final = "folders"
ICONS: Final = ({"src": _ICON, "mimeType": "image/svg+xml", "sizes": ["any"]},)


class ToolArgument(NamedTuple):
    """One argument of a tool.

    Type "object" has `properties`, which are arguments themselves; type "array" is a list of
    strings.
    """

    name: str
    type: str
    description: str
    required: bool = False
    # a boolean without one is false
    default: object = None
    minimum: int | None = None
    choices: tuple[str, ...] = ()
    properties: tuple[ToolArgument, ...] = ()
    # characters of a string
    longest: int = 10_000
    # true if an item of an array may be an object, which is given on as JSON
    takes_objects: bool = False

    @property
    def left_out(self) -> object:
        """The value of an argument that is not given."""
        return False if self.default is None and self.type == "boolean" else self.default

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the argument."""
        found: dict[str, Any] = {"type": self.type}
        if self.description:
            found["description"] = self.description
        if self.type == "array":
            found["items"] = {"type": "string"}
        if self.choices:
            found["enum"] = list(self.choices)
        if self.default is not None:
            found["default"] = self.default
        if self.properties:
            found["properties"] = {item.name: item.schema() for item in self.properties}
        return found


# the handler of each tool as "module:class", or a function of the arguments that returns that
HandlerTable = Mapping[str, str | Callable[[Mapping[str, Any]], str]]


class Tool(NamedTuple):
    """One tool; `result` are the properties of its result.

    `meta` is for particular clients, and none may depend on it. `output` is the schema of the whole
    answer, if that is not the envelope of `repo.*`.
    """

    name: str
    title: str
    description: str
    arguments: tuple[ToolArgument, ...]
    result: Schema
    meta: Schema = MappingProxyType({})
    output: Schema | None = None
    # true if the list of tools has the schema of the answer; docs/tools.md has all
    lists_output: bool = True
    # arguments that the pages of this process may give and no client can, with their defaults
    inner: Schema = MappingProxyType({})
    reads: str = ""

    @property
    def output_schema(self) -> Schema:
        """The schema of the whole answer, with descriptions."""
        return _envelope(self.result) if self.output is None else self.output

    def declaration(self) -> dict[str, Any]:
        """The entry in the list of tools."""
        required = [item.name for item in self.arguments if item.required]
        declared: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {item.name: item.schema() for item in self.arguments},
                **({"required": required} if required else {}),
            },
            # tools only change the server's own index, never the repository; the other two hints
            # mean nothing of such tools
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
        if self.lists_output:
            # described in docs/tools.md: no client shows these descriptions to its model
            declared["outputSchema"] = without_descriptions(self.output_schema)
        if self.meta:
            declared["_meta"] = dict(self.meta)
        return declared


def bare_tool(
    name: str,
    title: str,
    description: str,
    arguments: tuple[ToolArgument, ...],
    kind: type[AnswerRecord],
    more: type[AnswerRecord],
    *,
    reads: str = "",
) -> Tool:
    """A tool whose answer has the fields of `kind` without an envelope, and may have `more`."""
    result = properties_of(kind)
    output = {"type": "object", "properties": {**result, **properties_of(more)}}
    return Tool(name, title, description, arguments, result, output=output, reads=reads)


class _Envelope(AnswerRecord):
    """The answer of a tool without an output schema of its own."""

    request_id: str = string("Id of this call")
    ok: bool = boolean("Whether the call succeeded")
    result: Failure = nested(Failure, "The result; code, reason and hint when ok is false")
    warnings: list[str] = strings("Limits of the answer: stale, partial, cut")
    blocked: bool = boolean("Whether the call was refused for safety")
    verdict: str = string(
        "answered, partly: what is open, several meanings: which, or not in this repository",
        default="",
    )
    next: str = string("The step that would add most", default="")


def _envelope(result: Schema) -> dict[str, Any]:
    """The envelope around these properties; those of a failure are possible instead."""
    schema = object_schema(_Envelope)
    shown = schema["properties"]["result"]
    properties = {**result, **shown["properties"]}
    schema["properties"]["result"] = {
        "type": "object",
        "properties": properties,
        "description": shown["description"],
    }
    return schema
