"""Checks what a client sends: strict about what it means, liberal about how it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.tools.spec import Argument, Tool

_MAX_TEXT: Final = 10_000
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,15}")
# clients add this to schemas for their own use and may pass it on
_CLIENTS_OWN: Final = frozenset({"wait_for_previous"})


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every argument of the tool with its value or default; null counts as left out."""
    known = {item.name for item in tool.arguments}
    unknown = sorted(repr(name)[:60] for name in given if name not in known | _CLIENTS_OWN)
    if unknown:
        accepted = ", ".join(sorted(known)) or "none"
        raise Problem(
            "argument_invalid", f"unknown {', '.join(unknown[:5])}; {tool.name} takes: {accepted}"
        )
    return {item.name: _value(item, given.get(item.name)) for item in tool.arguments}


def _value(argument: Argument, given: object) -> Any:  # noqa: ANN401 its type is the argument's
    if given is None:
        if argument.required:
            raise Problem("argument_invalid", f"{argument.name} is missing")
        return argument.default
    value = _READERS[argument.type](given)
    if value is None:
        shown = repr(given)[:60]
        raise Problem("argument_invalid", f"{argument.name} is {shown}, not a {argument.type}")
    if argument.choices and value not in argument.choices:
        raise Problem(
            "argument_invalid", f"{argument.name} is one of {', '.join(argument.choices)}"
        )
    too_small = argument.minimum is not None and isinstance(value, int) and value < argument.minimum
    if too_small:
        raise Problem("argument_invalid", f"{argument.name} is {argument.minimum} or more")
    return value


def _text(given: object) -> str | None:
    if not isinstance(given, str):
        return None
    if len(given) > _MAX_TEXT:
        raise Problem("argument_invalid", f"a text has at most {_MAX_TEXT} characters")
    return given


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


def _boolean(given: object) -> bool | None:
    if isinstance(given, bool):
        return given
    if isinstance(given, str):
        return {"true": True, "false": False}.get(given.strip().lower())
    return None


_READERS: Final = {"string": _text, "integer": _integer, "boolean": _boolean}
