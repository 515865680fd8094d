"""What git would ignore: rules of every folder on the way, the deepest first.

Read are `.gitignore` in each folder and `.git/info/exclude`; not read are rules from outside the
repository. A file that git tracks although a rule names it counts as ignored here.

A rule speaks of an entry itself. pathspec lets it speak of all that lies below as well, which takes
in too much where a rule that lifts another names a folder; so its expressions are asked here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

RULES_NAME: Final = ".gitignore"
EXCLUDE_NAME: Final = ".git/info/exclude"


class _Rule(NamedTuple):
    expression: re.Pattern[str]
    ignores: bool


class _Level(NamedTuple):
    prefix: int
    rules: Sequence[_Rule]


class Ignore:
    """The rules in force in one folder."""

    __slots__ = ("_levels",)

    def __init__(self, levels: tuple[_Level, ...] = ()) -> None:
        """Begin without rules."""
        self._levels = levels

    def below(self, folder: str, text: bytes) -> Ignore:
        """The rules in a folder that has these of its own."""
        rules = _rules(text)
        prefix = len(folder) + 1 if folder else 0
        return Ignore((_Level(prefix, rules), *self._levels)) if rules else self

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether a path whose parents are not ignored is; the last rule that speaks decides."""
        for level in self._levels:
            entry = path[level.prefix :] + ("/" if folder else "")
            for rule in level.rules:
                if _speaks_of(rule.expression, entry):
                    return rule.ignores
        return False


def _rules(text: bytes) -> list[_Rule]:
    """Rules, the last one first."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 a search does without

    lines = [line.removesuffix("\r") for line in text.decode("utf-8-sig", "replace").split("\n")]
    return [
        _Rule(pattern.regex, pattern.include)
        for pattern in reversed(list(GitIgnoreSpec.from_lines(lines).patterns))
        if pattern.include is not None and pattern.regex is not None
    ]


def _speaks_of(expression: re.Pattern[str], entry: str) -> bool:
    """Whether a match ends with the entry, or is one of all that lies below a folder."""
    for match in expression.finditer(entry):
        whole = match.end() == len(entry)
        if match.lastgroup is not None:  # the slash that ends the name of a folder
            if whole:
                return True
        else:
            return not (whole and entry.endswith("/"))
    return False
