"""The pairs of functions that a run of a test suite wrote down."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

DIRECT: Final = "direct"
BUILTIN: Final = "builtin"
LIBRARY: Final = "library"
WAYS: Final = (DIRECT, BUILTIN, LIBRARY)
# in place of an instruction: Lua's syntax called it
METAMETHOD: Final = "METAMETHOD"


class Code(NamedTuple):
    """A function as it ran: its file, its first line, and its name with those around it."""

    path: str
    first: int
    name: str

    @property
    def simple_name(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]


class Pair(NamedTuple):
    """Two functions, of which one was called below the other."""

    caller: Code
    callee: Code


@dataclass(slots=True)
class Calls:
    """The calls of one pair: their lines, and by which ways they came."""

    lines: set[int] = field(default_factory=set)
    ways: dict[str, str] = field(default_factory=dict)
    ops: set[str] = field(default_factory=set)
    is_late: bool = False

    def add(self, other: Calls) -> None:
        """Count calls of the same pair, too."""
        self.lines |= other.lines
        self.ways = other.ways | self.ways
        self.ops |= other.ops
        self.is_late |= other.is_late

    @property
    def way(self) -> str:
        """The most direct way."""
        return min(self.ways, key=WAYS.index)

    @property
    def by(self) -> str:
        """The frames or the function in C on this way."""
        return self.ways[self.way]


class Recording(NamedTuple):
    """All that a run wrote."""

    pairs: Mapping[Pair, Calls]
    # the lines of each function that ran
    lines: Mapping[Code, frozenset[int]]


def read_recording(path: Path) -> Recording:
    """The recording in a file."""
    pairs: defaultdict[Pair, Calls] = defaultdict(Calls)
    lines: dict[Code, frozenset[int]] = {}
    for text in path.read_text("utf-8").rstrip("\n").split("\n"):
        row = json.loads(text)
        if "ran" in row:
            lines[Code(*row["ran"])] = frozenset(row["lines"])
            continue
        calls = pairs[Pair(Code(*row["caller"]), Code(*row["callee"]))]
        calls.lines.add(row["line"])
        calls.ways.setdefault(row["way"], row["by"])
        calls.ops.add(row["op"])
        calls.is_late |= row["late"]
    return Recording(dict(pairs), lines)
