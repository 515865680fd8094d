"""How a tool is declared, and what of it clients are told.

Schemas stay flat (type, description, enum, items, properties, required, default), because some
clients reject a whole list of tools over one construct they don't know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

Schema = Mapping[str, Any]
# what a file seen through a lens looks like, in the colour of the text around it
_ICON: Final = (
    "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2016%2016'"
    "%20fill='none'%20stroke='%23888'%3E%3Cpath%20d='M3%201h6l4%204v3M3%201v14h4'/%3E%3Ccircle"
    "%20cx='10'%20cy='11'%20r='3'/%3E%3Cpath%20d='m12%2013%203%203'/%3E%3C/svg%3E"
)
ICONS: Final = ({"src": _ICON, "mimeType": "image/svg+xml", "sizes": ["any"]},)


class Argument(NamedTuple):
    """One argument; it is required exactly when it has no default and `required` says so.

    One of type "object" has `properties`, which are arguments themselves; one of type "array" is a
    list of strings.
    """

    name: str
    type: str
    description: str
    required: bool = False
    default: object = None
    minimum: int | None = None
    choices: tuple[str, ...] = ()
    properties: tuple[Argument, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The argument in a client's words."""
        found: dict[str, Any] = {"type": self.type, "description": self.description}
        if self.type == "array":
            found["items"] = {"type": "string"}
        if self.choices:
            found["enum"] = list(self.choices)
        if self.default is not None:
            found["default"] = self.default
        if self.properties:
            found["properties"] = {item.name: item.schema() for item in self.properties}
        return found


# of each tool what handles it, as "module:class", or what says so by its arguments
HandlerTable = Mapping[str, str | Callable[[Mapping[str, Any]], str]]


class Tool(NamedTuple):
    """One tool; `result` are the properties of its result.

    `meta` is for single clients: what it says must not be needed by any. `output` is the schema of
    the whole answer where that is not the envelope of `repo.*`.
    """

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    result: Schema
    meta: Schema = MappingProxyType({})
    output: Schema | None = None

    def declaration(self) -> dict[str, Any]:
        """The entry in the list of tools."""
        declared: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {item.name: item.schema() for item in self.arguments},
                "required": [item.name for item in self.arguments if item.required],
            },
            "outputSchema": _envelope(self.result) if self.output is None else dict(self.output),
            # what changes is the server's own index, never the repository
            "annotations": {
                "title": self.title,
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        if self.meta:
            declared["_meta"] = dict(self.meta)
        return declared


def text(description: str) -> dict[str, str]:
    """A string in a result."""
    return {"type": "string", "description": description}


def integer(description: str) -> dict[str, str]:
    """A whole number in a result."""
    return {"type": "integer", "description": description}


def number(description: str) -> dict[str, str]:
    """A number in a result."""
    return {"type": "number", "description": description}


def boolean(description: str) -> dict[str, str]:
    """A truth value in a result."""
    return {"type": "boolean", "description": description}


def several(item: Schema, description: str) -> dict[str, Any]:
    """A list in a result."""
    return {"type": "array", "items": item, "description": description}


def texts(description: str) -> dict[str, Any]:
    """A list of strings in a result."""
    return several({"type": "string"}, description)


def record(properties: Schema, optional: Sequence[str] = ()) -> dict[str, Any]:
    """An object in a result; all of its properties are always there but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


# what a result holds in place of its own properties when ok is false
FAILURE: Final[Schema] = {
    "code": text("What went wrong, as a word"),
    "reason": text("What went wrong"),
    "hint": text("What to do instead"),
}


def _envelope(result: Schema) -> dict[str, Any]:
    shown = {"type": "object", "properties": {**result, **FAILURE}}
    return record(
        {
            "request_id": text("Id of this call"),
            "ok": boolean("Whether the call was answered"),
            "result": {
                **shown,
                "description": "The answer; code, reason and hint when ok is false",
            },
            "warnings": texts("What limits the answer: stale, partial, cut"),
            "blocked": boolean("Whether the answer was refused for safety"),
        }
    )
