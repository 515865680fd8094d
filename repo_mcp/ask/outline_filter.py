"""Chooses the declarations of a file that an outline shows, for tools and the command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from code_graph.facts import (
    FULL,
    MODULE,
    PARTIAL,
    Declaration,
    Facts,
    depths,
    in_text_order,
    levels,
)
from index_format.tuples import NamedTuple
from repo_mcp.repository import LineRange

_LAST_LINE: Final = 1 << 30


class OutlineFilter(NamedTuple):
    """The arguments that choose declarations."""

    kinds: frozenset[str] = frozenset()
    depth: int = 0
    match: str = ""
    first: int = 1
    last: int = _LAST_LINE

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> OutlineFilter:
        """The arguments of a call; raises `Problem` if the range of lines ends before it begins."""
        lines = LineRange(arguments["start_line"] or 1, arguments["end_line"])
        lines.check()
        return cls(
            frozenset(kind.strip().lower() for kind in arguments["kinds"] or ()),
            arguments["depth"] or 0,
            (arguments["match"] or "").strip().lower(),
            lines.first,
            lines.last or _LAST_LINE,
        )

    @property
    def chooses_names(self) -> bool:
        """True if declarations are chosen by name or kind."""
        return bool(self.match or self.kinds)

    def numbers(self, rows: Sequence[Declaration], names: Sequence[str]) -> list[int]:
        """The numbers of the declarations that are asked for; `names` are qualified."""
        level, depth = levels(rows), depths(rows)
        return [
            number
            for number in in_text_order(rows, level)
            if (not self.kinds or rows[number].kind in self.kinds)
            and (not self.depth or depth[number] <= self.depth)
            and rows[number].start_line <= self.last
            and rows[number].end_line >= self.first
            and self._names(rows[number].name.lower(), names[number].lower())
        ]

    def _names(self, name: str, qualified: str) -> bool:
        """True if the name itself matches: what a class is called says nothing of its members.

        A text with a dot may begin in the names that the declaration is in.
        """
        if "*" in self.match:
            dotted = "." in self.match and _matches(self.match, qualified)
            return dotted or _matches(self.match, name)
        at = qualified.rfind(self.match)
        return at >= 0 and at + len(self.match) > len(qualified) - len(name)


def _matches(pattern: str, name: str) -> bool:
    """True if a whole name matches; a star stands for any characters."""
    head, *middle, tail = pattern.split("*")
    if not name.startswith(head) or not name.endswith(tail) or len(name) < len(head + tail):
        return False
    at, end = len(head), len(name) - len(tail)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def qualified_names(shown: Sequence[Declaration]) -> list[str]:
    """The qualified name of each declaration."""
    names: list[str] = []
    for item in shown:
        parts = [item.name]
        at = item.parent
        while at != MODULE:
            parts.append(shown[at].name)
            at = shown[at].parent
        names.append(".".join(reversed(parts)))
    return names


def reliable_declarations(facts: Facts) -> Sequence[Declaration]:
    """The declarations of a file that was parsed; an adapter may be third-party."""
    return facts.declarations if facts.status in {FULL, PARTIAL} else ()


def kind_counts(rows: Sequence[Declaration], numbers: Sequence[int]) -> str:
    """The number of declarations of each kind, most frequent first."""
    counts = Counter(rows[number].kind for number in numbers)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{kind} {count}" for kind, count in ordered)
