"""The graphs of both sides of a change, and the lines of the new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.brackets import without_comments
from code_graph.facts import Declaration
from code_graph.model import Confidence, EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.model import USES, PlacedEdge, Symbol
from code_graph.query.names import innermost
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.answers.symbols import told_edge
from repo_mcp.changes.differences import BreakReason
from repo_mcp.changes.model import BREAKS, MAY_BREAK, BreakingPlace, ReadText
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.changes.signatures import CallArguments, arguments_at
from repo_mcp.repository import local_name
from repo_mcp.text.cutting import cut

WORD: Final = re.compile(r"\w+")
# a name where it stands, with the marks that some languages begin it with
NAME: Final = re.compile(r"[#$@]?[\w$]+")
_ANY: Final = EdgeFilter(USES, tuple(Confidence))
_WIDEST: Final = 120
# a line of a list of exports or imports, and how such a list begins
_EXPORTED: Final = re.compile(r"\s*(?:(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*)?(?://.*)?$")
_EXPORTS: Final = re.compile(r"\s*export\s*(?:type\s*)?\{|\s*export\s+default\s+[\w$]+\s*;?$")
_IMPORTS: Final = re.compile(r"\s*import\s*(?:type\b\s*)?(?:[\w$]+\s*,\s*)?\{")
# lines of a call that are read
_MOST_LINES: Final = 60


class TwoSides:
    """The graph before and after, the files that differ, and the texts of the new side."""

    def __init__(
        self,
        old: GraphSnapshot | None,
        new: GraphSnapshot,
        files: Sequence[ComparedFile],
        read: ReadText,
        importing: frozenset[str] = frozenset(),
    ) -> None:
        """Read nothing yet; `read` gives files of the new side, `importing` import other things.

        There is no old graph where no use can have lost its target.
        """
        self.old, self.new = old, new
        self.by_old = {item.old_path: item for item in files if item.old_path}
        self.by_new = {item.new_path: item for item in files if item.new_path}
        self.importing = importing
        self._read = read
        self._known: dict[str, list[str]] = {}
        self._uses: dict[str, NewUses] = {}

    def line(self, path: str, number: int) -> str:
        """A new line; empty where there is none."""
        rows = self._rows(path)
        return rows[number - 1] if 0 < number <= len(rows) else ""

    def arguments(self, edge: PlacedEdge) -> CallArguments | None:
        """The arguments at an edge of the new side; None where nothing is called."""
        is_call = edge.type == EdgeType.CALLS
        return self.arguments_behind(edge.path, edge.line, edge.column) if is_call else None

    def arguments_behind(self, path: str, line: int, column: int) -> CallArguments | None:
        """The arguments of a call whose name stands at a place; None where nothing is called."""
        text = self.text_from(path, line, _MOST_LINES)
        word = NAME.match(text, column)
        return None if word is None else arguments_at(text, word.end())

    def text_from(self, path: str, line: int, count: int) -> str:
        """The text of so many new lines."""
        return "\n".join(self._rows(path)[line - 1 : line - 1 + count])

    def is_exported(self, edge: PlacedEdge) -> bool:
        """True for a name in a list of exports, which gives it on as it is."""
        return _EXPORTS.match(self._head_of_list(edge)) is not None

    def is_listed(self, edge: PlacedEdge) -> bool:
        """True for a name in a list of exports or imports."""
        head = self._head_of_list(edge)
        return bool(_EXPORTS.match(head) or _IMPORTS.match(head))

    def _head_of_list(self, edge: PlacedEdge) -> str:
        """The line above a name on which a list begins that it may stand in."""
        line = edge.line
        while line > 1 and _EXPORTED.match(self.line(edge.path, line)):
            line -= 1
        return self.line(edge.path, line)

    def place(
        self,
        edge: PlacedEdge,
        used: tuple[str, str],
        path: str,
        line: int,
        why: BreakReason,
        verdict: str = "",
    ) -> BreakingPlace:
        """The place of an edge, on a new line; `used` is the declaration's name and its file."""
        is_sure = why.is_sure and edge.confidence == Confidence.EXACT
        return BreakingPlace(
            path,
            line,
            edge.column,
            self.symbol_around(path, line),
            verdict or (BREAKS if is_sure else MAY_BREAK),
            why.text,
            *used,
            edge.type.name.lower(),
            told_edge(edge),
            self.shown_line(path, line),
        )

    def is_blank(self, path: str, first: int, last: int) -> bool:
        """True if nothing but comments stands on some new lines, which may be none."""
        if last < first - 1:
            return False
        rows = self._rows(path)[first - 1 : last]
        return not without_comments("\n".join(rows)).strip()

    def uses_in(self, path: str) -> NewUses:
        """The uses in a file of the new side."""
        if path not in self._uses:
            self._uses[path] = NewUses(self.new, path)
        return self._uses[path]

    def declaration_of(self, edge: PlacedEdge) -> Declaration | None:
        """The declaration that an edge of the new side leads to, where it is known."""
        target = None if edge.external else self.new.symbol(edge.target)
        return None if target is None else self.new.declaration(target)

    def shown_line(self, path: str, line: int) -> str:
        """A new line as answers have it."""
        return cut(self.line(path, line).strip(), _WIDEST)

    def symbol_around(self, path: str, line: int) -> str:
        """The name of the innermost declaration around a new line; empty for none."""
        inner = innermost(self.new, path, line)
        return "" if inner is None else local_name(self.new, inner)

    def _rows(self, path: str) -> list[str]:
        if path not in self._known:
            self._known[path] = (self._read(path) or "").split("\n")
        return self._known[path]


class NewUses:
    """The uses in one file of the new side: edges by their places, and names without a target."""

    def __init__(self, graph: GraphSnapshot, path: str) -> None:
        """Read them all."""
        self._graph = graph
        self._edges: dict[tuple[int, int], list[PlacedEdge]] = {}
        for edge in edges_of_rows(graph, path, _ANY):
            self._edges.setdefault((edge.line, edge.column), []).append(edge)
        record = graph.snapshot.file(path)
        edges = None if record is None else graph.edges(graph.file_of(record.first_chunk))
        self.unanswered = [
            use._replace(name=last_word(use.name)) for use in (edges.unresolved() if edges else ())
        ]
        self._names = frozenset((use.line, use.name) for use in self.unanswered)

    def on_results_of(self, base: str) -> Iterator[PlacedEdge]:
        """The edges to members of what members of a base from outside give."""
        for edges in self._edges.values():
            for edge in edges:
                if edge.external.startswith(f"{base}.") and "()." in edge.external:
                    yield edge

    def at(self, line: int, column: int) -> Sequence[PlacedEdge]:
        """The edges at a place."""
        return self._edges.get((line, column), ())

    def on_lines(self, lines: range) -> Iterator[PlacedEdge]:
        """The edges on some lines."""
        for (line, _), edges in self._edges.items():
            if line in lines:
                yield from edges

    def is_unanswered(self, line: int, name: str) -> bool:
        """True if a use of a name on a line has no target, and no other use of it there has."""
        return (line, name) in self._names and not any(
            at == line and any(self.name_of(edge) == name for edge in edges)
            for (at, _), edges in self._edges.items()
        )

    def has(self, line: int, column: int, name: str) -> bool:
        """True if the use of a name at a place was looked at, whether or not it has a target."""
        return (line, column) in self._edges or self.is_unanswered(line, name)

    def name_of(self, edge: PlacedEdge) -> str:
        """The simple name of an edge's target."""
        if edge.external:
            return last_word(edge.external)
        symbol = self._graph.symbol(edge.target)
        return "" if symbol is None else symbol.simple_name


def last_word(name: str) -> str:
    """The last word of a name."""
    found: list[str] = WORD.findall(name)
    return found[-1] if found else ""


def symbol_at(graph: GraphSnapshot, path: str, wanted: Declaration) -> Symbol | None:
    """The symbol of a declaration; others may be on its line, as members of a parameter's type."""
    for symbol, declared in graph.outline(path):
        if declared is None or not symbol.id or declared.name_line != wanted.name_line:
            continue
        if declared.name == wanted.name:
            return symbol
    return None
