"""`find_similar`: the symbols whose code is most like that of one symbol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from index_format import Snapshot
from repo_mcp.errors import Problem
from repo_mcp.graph.query.names import node_text
from repo_mcp.graph.query.snapshot import GraphSnapshot
from repo_mcp.languages.facts import DamagedFactsError, Facts, decode_declarations
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenIndex
from repo_mcp.search import Likeness, SimilarAnswer, SimilarDeclaration
from repo_mcp.stored import FACTS, IndexProgress
from repo_mcp.toolsets.codeagent.symbol_results import SimilarList, SimilarRow
from repo_mcp.toolsets.codeagent.symbols import (
    answered_from_graph,
    find_node,
    graph_warnings,
    limit_of,
    open_graph,
    state_of,
)
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices
from repo_mcp.vectors import symbol_rows

# further ones are asked for, since parts of one symbol are shown once
_SPARE: Final = 10
_SHALLOW: Final = AnswerWarning(
    "incomplete", "the declarations of some files are not indexed yet: call again"
)
_STALE: Final = AnswerWarning(
    "stale", "some files changed since they were indexed: lines of their symbols may have moved"
)
_NO_WORDS: Final = AnswerWarning("no_words", "the symbol has no words to compare")


class FindSimilar:
    """Finds symbols like one."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    @answered_from_graph
    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The nearest symbols."""
        services, budget = self._services, context.budget
        warnings: list[AnswerWarning] = []
        limit = limit_of(arguments, warnings)
        engine = services.engine.similar
        if engine is None:
            raise Problem("vectors_off")
        graph, opened = open_graph(services, context)
        asked = _Subject(graph, arguments["node_id"])

        def find(index: OpenIndex) -> SimilarAnswer:
            if index.snapshot is None:
                raise Problem("index_missing")
            lines = asked.lines(index.snapshot)
            return engine.similar(index.snapshot, asked.path, lines, limit + _SPARE, budget)

        def answer(index: OpenIndex) -> tuple[SimilarAnswer, _Files]:
            found, index = services.repository.run_fresh_query(
                find, lambda found: found.stale_paths, index, services.wait, budget
            )
            if index.snapshot is None:
                raise Problem("index_missing")
            return found, _Files(index.snapshot, (item.path for item in found.found))

        # damage of the text index is met in here, and of the graph outside
        found, files = services.repository.run_query(answer, services.wait, budget)
        rows = _Rows(graph, files).of(found.found, asked.symbol.id, limit)
        listed = [*warnings, *_warnings(found, files), *graph_warnings(opened)]
        result = SimilarList(results=rows, snapshot=state_of(graph, opened))
        shown = [f"{row.file_path}:{row.line_start}-{row.line_end}" for row in rows]
        return Outcome(result, listed, shown=shown)


class _Subject:
    """The symbol that others are compared with."""

    def __init__(self, graph: GraphSnapshot, node_id: str) -> None:
        self.symbol = find_node(graph, node_id)
        self.path = self.symbol.path
        linked = graph.snapshot.file(self.path)
        self._fingerprint = b"" if linked is None else linked.fingerprint
        self._declared = graph.declaration(self.symbol)

    def lines(self, snapshot: Snapshot) -> tuple[int, int]:
        """Its lines in the index, which may be newer than the graph."""
        known = self.symbol.start_line, self.symbol.end_line
        record, declared = snapshot.file(self.path), self._declared
        if record is None or declared is None or record.fingerprint == self._fingerprint:
            return known
        same = [
            (item.start_line, item.end_line)
            for item in _facts(snapshot, self.path).declarations
            if (item.name, item.kind) == (declared.name, declared.kind)
        ]
        return min(same, key=lambda lines: abs(lines[0] - known[0]), default=known)


class _Files:
    """What the index has of the files of an answer."""

    def __init__(self, snapshot: Snapshot, paths: Iterable[str]) -> None:
        self.deep = IndexProgress.of(snapshot).deep
        self.facts = {path: _facts(snapshot, path) for path in dict.fromkeys(paths)}
        records = {path: snapshot.file(path) for path in self.facts}
        self.fingerprints = {
            path: b"" if record is None else record.fingerprint for path, record in records.items()
        }


def _facts(snapshot: Snapshot, path: str) -> Facts:
    try:
        return decode_declarations(snapshot.attachment(path, FACTS))
    except DamagedFactsError:
        return Facts("")


def _warnings(found: SimilarAnswer, files: _Files) -> Iterator[AnswerWarning]:
    if not found.has_words:
        yield _NO_WORDS
    if found.stale_paths:
        yield _STALE
    if not files.deep:
        yield _SHALLOW


class _Rows:
    """Makes rows of declarations."""

    def __init__(self, graph: GraphSnapshot, files: _Files) -> None:
        self._graph = graph
        self._files = files
        self._numbers: dict[str, list[int]] = {}

    def of(self, found: Iterable[SimilarDeclaration], own: int, limit: int) -> list[SimilarRow]:
        """The first rows, each symbol once and without the symbol that was asked about."""
        rows: dict[str, SimilarRow] = {}
        for item in found:
            numbers = self._numbers_of(item.path)
            if len(rows) < limit and item.row < len(numbers):
                row = self._row(item, numbers[item.row])
                if row.node_id != node_text(own):
                    rows.setdefault(row.node_id, row)
        return list(rows.values())

    def _numbers_of(self, path: str) -> list[int]:
        """The declarations of a file that have rows."""
        if path not in self._numbers:
            self._numbers[path] = [
                number
                for number, item in enumerate(self._files.facts[path].declarations)
                if symbol_rows.has_row(item.start_line, item.end_line)
            ]
        return self._numbers[path]

    def _row(self, found: SimilarDeclaration, number: int) -> SimilarRow:
        facts = self._files.facts[found.path]
        node, qualified, kind = self._identity(found.path, number)
        row = SimilarRow(
            node_id=node_text(node),
            name=facts.declarations[number].name,
            qualified_name=qualified,
            node_type=kind,
            language=facts.language,
            file_path=found.path,
            line_start=found.start_line,
            line_end=found.end_line,
            similarity=found.similarity,
        )
        if found.likeness != Likeness.NONE:
            row.near_duplicate = found.likeness.name.lower()
        return row

    def _identity(self, path: str, number: int) -> tuple[int, str, str]:
        """Id, qualified name and type: those of the graph, or of what declarations alone tell."""
        linked = self._graph.snapshot.file(path)
        if linked is not None and linked.fingerprint == self._files.fingerprints[path]:
            chunk = linked.first_chunk + 1 + number
            if chunk < linked.last_chunk:
                symbol = self._graph.symbol_at(chunk)
                return symbol.id, symbol.qualified_name, symbol.node_type
        from repo_mcp.graph.link.linker import declared_symbols  # noqa: PLC0415 seldom needed

        declared = declared_symbols(path, self._files.facts[path])[number + 1]
        return declared.id, declared.qualified_name, declared.node_type
