"""File globs over repository paths; no pattern takes exponential time.

`*`, `?` and `[...]` match within one component of a path, `**` matches any number of components. A
pattern without a slash matches a name at any depth. Matching is case-sensitive.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import Final

from repo_mcp.errors import Problem

_MAX_LENGTH: Final = 1000
_MAX_WILDCARDS: Final = 60
_ANY_DEPTH: Final = None


class Glob:
    """One compiled pattern."""

    def __init__(self, pattern: str) -> None:
        """Compile component by component: each expression takes linear time."""
        text = pattern.strip().removeprefix("./").lstrip("/")
        wildcards = sum(text.count(mark) for mark in "*?[")
        if not text or len(text) > _MAX_LENGTH or wildcards > _MAX_WILDCARDS:
            raise Problem(
                "argument_invalid",
                f"a glob has 1 to {_MAX_LENGTH} characters and at most {_MAX_WILDCARDS} wildcards",
            )
        parts = f"{text}**".split("/") if text.endswith("/") else text.split("/")
        if parts[-1] == "**":  # the contents of a folder, not the folder itself
            parts.append("*")
        if len(parts) == 1:
            parts.insert(0, "**")
        self._parts = [_ANY_DEPTH if part == "**" else _compile(part) for part in parts]

    def matches(self, path: str) -> bool:
        """Whether the whole path matches; on a mismatch the last `**` takes one more component."""
        names, parts = path.split("/"), self._parts
        name = part = 0
        retry: tuple[int, int] | None = None
        while name < len(names):
            if part < len(parts) and parts[part] is _ANY_DEPTH:
                retry = (part, name)
                part += 1
            elif part < len(parts) and _fits(parts[part], names[name]):
                name, part = name + 1, part + 1
            elif retry is not None:
                retry = (retry[0], retry[1] + 1)
                part, name = retry[0] + 1, retry[1]
            else:
                return False
        return all(rest is _ANY_DEPTH for rest in parts[part:])


def _compile(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


def _fits(part: re.Pattern[str] | None, name: str) -> bool:
    return part is not None and part.match(name) is not None
