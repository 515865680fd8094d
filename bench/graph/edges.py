"""Edges in the form that oracles and the product are compared in, and their files.

A file of truth is JSON lines of five kinds: `edge` is one edge that the oracle sees, `judged` a
place of which it knows all edges of a type, `declared` a declaration with its kind, `same` a
declaration that is part of the symbol of another one, `constructor` one of a class. Lines count
from 1 and columns from 0 in characters; the file itself stands for a declaration as line 0 without
a name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

CALLS: Final = "calls"
REFERENCES: Final = "references"
IMPLEMENTS: Final = "implements"
OVERRIDES: Final = "overrides"
# the product's: a body that is one of several of a symbol, under conditions of one file
VARIANT: Final = "variant"
TYPES: Final = (CALLS, REFERENCES, IMPLEMENTS, OVERRIDES)


class Where(NamedTuple):
    """A declaration by its file, the line of its name, and its name."""

    path: str
    line: int
    name: str

    def __str__(self) -> str:
        """The declaration for display."""
        return f"{self.path}:{self.line} {self.name}" if self.line else self.path


class At(NamedTuple):
    """The place of a name in the text."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        """The place for display."""
        return f"{self.path}:{self.line}:{self.column}"


class Edge(NamedTuple):
    """An edge of the oracle or the product; the oracle's have neither confidence nor strategy."""

    type: str
    source: Where
    target: Where
    at: At
    confidence: str = ""
    strategy: str = ""

    def row(self) -> dict[str, Any]:
        """The edge as it stands in a file."""
        row: dict[str, Any] = {
            "type": self.type,
            "from": list(self.source),
            "to": list(self.target),
            "at": list(self.at),
        }
        if self.confidence:
            row |= {"confidence": self.confidence, "strategy": self.strategy}
        return row

    @classmethod
    def parse(cls, row: Mapping[str, Any]) -> Edge:
        """The edge of a row."""
        return cls(
            row["type"],
            Where(*row["from"]),
            Where(*row["to"]),
            At(*row["at"]),
            row.get("confidence", ""),
            row.get("strategy", ""),
        )


@dataclass(slots=True)
class Truth:
    """The edges that an oracle finds in a project."""

    edges: set[Edge] = field(default_factory=set)
    # places whose edges of a type are all known, none included
    judged: set[tuple[str, At]] = field(default_factory=set)
    kinds: dict[Where, str] = field(default_factory=dict)
    # constructor → the class that it makes an instance of
    holders: dict[Where, Where] = field(default_factory=dict)
    # parts of a symbol → the part that stands for it
    same: dict[Where, Where] = field(default_factory=dict)

    def add(self, edge: Edge) -> None:
        """Add an edge; its place is judged."""
        self.edges.add(edge)
        self.judged.add((edge.type, edge.at))

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows in the order of the text."""
        for where, kind in sorted(self.kinds.items()):
            yield {"declared": list(where), "kind": kind}
        for member, holder in sorted(self.holders.items()):
            yield {"constructor": list(member), "of": list(holder)}
        for part, whole in sorted(self.same.items()):
            yield {"same": list(part), "is": list(whole)}
        for type_, at in sorted(self.judged, key=lambda pair: (pair[1], pair[0])):
            yield {"judged": type_, "at": list(at)}
        for edge in sorted(self.edges, key=lambda edge: (edge.at, edge)):
            yield edge.row()

    def write(self, path: Path) -> None:
        """Store it; a reader never sees half of it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows()), "utf-8")
        part.replace(path)

    @classmethod
    def read(cls, path: Path) -> Truth:
        """The truth that `write` or the script of another oracle stored."""
        truth = cls()
        # a title may have other characters that end lines
        for line in path.read_text("utf-8").rstrip("\n").split("\n"):
            row = json.loads(line)
            if "declared" in row:
                truth.kinds[Where(*row["declared"])] = row["kind"]
            elif "constructor" in row:
                truth.holders[Where(*row["constructor"])] = Where(*row["of"])
            elif "same" in row:
                truth.same[Where(*row["same"])] = Where(*row["is"])
            elif "judged" in row:
                truth.judged.add((row["judged"], At(*row["at"])))
            else:
                truth.add(Edge.parse(row))
        return truth


def write_edges(edges: Iterable[Edge], path: Path) -> None:
    """Store edges of the product."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(set(edges), key=lambda edge: (edge.at, edge))
    path.write_text("".join(f"{json.dumps(edge.row())}\n" for edge in ordered), "utf-8")


def read_edges(path: Path) -> list[Edge]:
    """The edges that `write_edges` stored."""
    rows = path.read_text("utf-8").rstrip("\n").split("\n")
    return [Edge.parse(json.loads(line)) for line in rows if line]
