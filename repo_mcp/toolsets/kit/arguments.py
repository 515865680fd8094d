"""Checks a tool's arguments: strict about meaning, lenient about JSON types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.errors import Problem, nearest_name
from repo_mcp.toolsets.kit.spec import Tool, ToolArgument

_MAX_TEXT: Final = 10_000
_MOST_JSON: Final = 1_000_000
_MOST_NAMED: Final = 5
_MOST_SHOWN: Final = 60
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,15}")
_TRUTH: Final = {"true": True, "false": False}
# argument names that clients add to schemas and may pass on
_CLIENT_NAMES: Final = frozenset({"wait_for_previous"})


def check_arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every argument of the tool with its value or default; null counts as left out."""
    return _values(tool.arguments, given, tool.name)


def unknown_names(tool: Tool, given: Mapping[str, Any]) -> list[str]:
    """A text for each object with unknown names: these names, and the known ones."""
    return list(_unknown(tool.arguments, given, tool.name))


def _values(
    arguments: Sequence[ToolArgument], given: Mapping[str, Any], owner: str
) -> dict[str, Any]:
    return {item.name: _value(item, given.get(item.name), given, owner) for item in arguments}


def _value(argument: ToolArgument, given: object, siblings: Mapping[str, Any], owner: str) -> Any:  # noqa: ANN401 as declared
    name = argument.name
    if given is None:
        if argument.required:
            raise Problem("argument_invalid", f"{name} is missing{_similar_name(name, siblings)}")
        if argument.properties:
            return _values(argument.properties, {}, name)
        return argument.left_out
    if argument.properties:
        return _values(argument.properties, _object(argument, given), f"{owner}'s {name}")
    if argument.takes_objects:
        given = _objects_as_text(given)
    value = _READERS[argument.type](given)
    if value is None:
        raise _wrong_type(argument, given)
    if isinstance(value, str) and len(value) > argument.longest:
        raise Problem("argument_invalid", f"{name} has at most {argument.longest} characters")
    if argument.choices and value not in argument.choices:
        raise Problem("argument_invalid", f"{name} must be one of {', '.join(argument.choices)}")
    too_small = argument.minimum is not None and isinstance(value, int) and value < argument.minimum
    if too_small:
        raise Problem("argument_invalid", f"{name} must be {argument.minimum} or more")
    return value


def _object(argument: ToolArgument, given: object) -> Mapping[str, Any]:
    """The object; some models pass it as a JSON string."""
    if isinstance(given, str) and given.lstrip().startswith("{") and len(given) <= _MAX_TEXT:
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise _wrong_type(argument, given) from None
    if not isinstance(given, dict):
        raise _wrong_type(argument, given)
    return given


def _wrong_type(argument: ToolArgument, given: object) -> Problem:
    article = "an" if argument.type[0] in "aeio" else "a"
    shown = repr(given)[:_MOST_SHOWN]
    return Problem("argument_invalid", f"{argument.name} is {shown}, not {article} {argument.type}")


def _similar_name(name: str, siblings: Mapping[str, Any]) -> str:
    """Names an argument that was sent under a similar name, if there is one."""
    near = nearest_name(name, siblings)
    return f" ({near[:_MOST_SHOWN]!r} was sent)" if near else ""


def _unknown(
    arguments: Sequence[ToolArgument], given: Mapping[str, Any], owner: str
) -> Iterator[str]:
    known = {item.name: item for item in arguments}
    names = sorted(
        repr(name)[:_MOST_SHOWN] for name in given if name not in known.keys() | _CLIENT_NAMES
    )
    if names:
        accepted = ", ".join(sorted(known)) or "nothing"
        yield f"{', '.join(names[:_MOST_NAMED])}; {owner} takes {accepted}"
    for name, item in known.items():
        if item.properties and given.get(name) is not None:
            yield from _unknown(item.properties, _object(item, given[name]), name)


def _text(given: object) -> str | None:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    try:
        return str(given)
    except ValueError:  # a number of more digits than Python writes
        return None


def _integer(given: object) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    if isinstance(given, float):
        return int(given) if given.is_integer() else None
    if isinstance(given, str) and _INTEGER.fullmatch(given.strip()):
        return int(given)
    return None


def _number(given: object) -> float | None:
    if isinstance(given, bool):
        return None
    try:
        found = float(given) if isinstance(given, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _boolean(given: object) -> bool | None:
    if isinstance(given, bool):
        return given
    return _TRUTH.get(given.strip().lower()) if isinstance(given, str) else None


def _texts(given: object) -> list[str] | None:
    """A list of strings; a single string or a JSON array in a string is accepted, too."""
    if isinstance(given, str):
        found = _json_list(given)
        given = [given] if found is None else found
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        return None
    return given


def _objects_as_text(given: object) -> object:
    """A list with the objects in it as JSON; any other value as it is."""
    if isinstance(given, dict):
        given = [given]
    elif isinstance(given, str):
        given = _json_list(given) or given
    if not isinstance(given, list):
        return given
    return [json.dumps(item) if isinstance(item, dict) else item for item in given]


def _json_list(given: str) -> list[Any] | None:
    if not given.lstrip().startswith("[") or len(given) > _MOST_JSON:
        return None
    try:
        found = json.loads(given)
    except (ValueError, RecursionError):  # a file name that begins with a bracket
        return None
    return found if isinstance(found, list) else None


_READERS: Final = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _texts,
}
