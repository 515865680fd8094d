"""Matches globs component by component: a model for the expression of `Glob`."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import Final

_ANY_DEPTH: Final = None


class GlobModel:
    """One pattern, component by component."""

    def __init__(self, pattern: str) -> None:
        text = pattern.strip().removeprefix("./").lstrip("/")
        parts = f"{text}**".split("/") if text.endswith("/") else text.split("/")
        if parts[-1] == "**":  # the contents of a folder, not the folder itself
            parts.append("*")
        if len(parts) == 1:
            parts.insert(0, "**")
        self._parts = [_ANY_DEPTH if part == "**" else _compile(part) for part in parts]

    def matches(self, path: str) -> bool:
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
