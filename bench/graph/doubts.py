"""Sorts what keeps lists of uses from being said to be complete, by kinds of lines and causes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from bench.graph.edges import Where
from code_graph.language_table import language_named
from code_graph.query.choice import choose_target
from code_graph.query.edges import external_places, unresolved_places
from code_graph.query.model import Symbol
from code_graph.word_places import WordPlace, token_pattern, word_places
from repo_mcp.app import App
from repo_mcp.ask import KnownUses, UseFinder
from repo_mcp.budget import Budget
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.word_lines import WordLine

_MEMBER: Final = r"(?:\.|->|::)\s*{}(?!\w)"


@dataclass(slots=True)
class Kind:
    """One kind of doubt: the symbols that have it, those that have no other, and examples."""

    symbols: int = 0
    alone: int = 0
    # of the last, those for which an oracle has a use that the list lacks
    founded: int = 0
    places: list[tuple[Where, str]] = field(default_factory=list)


class Doubts:
    """Asks an opened project for the lines and causes behind lists without a claim."""

    def __init__(self, app: App) -> None:
        """The graph and the index of now are asked."""
        services = app.services.running().tools  # no tool tells all lines
        index = services.repository.current_index()
        opened = services.repository.open_graph(Budget())
        assert opened.graph is not None
        self._graph = opened.graph
        self._files = SourceFiles(services.repository.sandbox, opened.graph.snapshot)
        lines = partial(services.lines_with_names(Budget()).of, index)
        self._finder = UseFinder(opened.graph, self._files, lines, opened.is_whole)

    def of(self, where: Where) -> dict[str, list[WordLine]]:
        """The kinds of doubts about a declaration, each with its lines."""
        found = choose_target(self._graph, f"{where.path}:{where.line}")
        symbol = None if found.target is None else found.target.symbol
        if symbol is None:
            return {"no symbol": []}
        known = self._finder.of_symbols([symbol])
        kinds: dict[str, list[WordLine]] = {doubt.name.lower(): [] for doubt in known.doubts}
        for kind, line in self._lines(symbol, known):
            kinds.setdefault(kind, []).append(line)
        return kinds or {"other": []}

    def text(self, line: WordLine) -> str:
        """A line with its place."""
        return f"{line.path}:{line.line}  {self._files.line(*line)[:120]}"

    def _lines(self, symbol: Symbol, known: KnownUses) -> Iterator[tuple[str, WordLine]]:
        language = symbol.named_as
        unknown = {*unresolved_places(self._graph, symbol.name, language=language)}
        outside = external_places(self._graph, symbol.name, language=language)
        external = {(edge.path, edge.line) for edge in outside}
        member = re.compile(_MEMBER.format(re.escape(symbol.simple_name)))
        for line in known.could_add:
            is_member = member.search(self._files.line(*line)) is not None
            what = "member" if is_member else "name"
            if line in unknown:
                yield f"{what} with unknown target", line
            elif line in external:
                yield f"{what} from outside", line
            else:
                yield self._unlinked(symbol, line, what), line

    def _unlinked(self, symbol: Symbol, line: WordLine, what: str) -> str:
        record = self._graph.snapshot.file(line.path)
        ending = PurePosixPath(line.path).suffix or PurePosixPath(line.path).name
        if record is None:
            return f"file {ending}"
        name = self._graph.file(self._graph.file_of(record.first_chunk)).symbols.language
        if name != symbol.language:
            return f"{name or 'no language'} {ending}"
        language = language_named(name)
        text = self._files.text(line.path)
        if word_places(text, language, symbol.simple_name).get(line.line) == WordPlace.NAMING:
            return "text that is a name"
        begin = sum(map(len, text.splitlines(keepends=True)[: line.line - 1]))
        word = re.compile(rf"(?<!\w){re.escape(symbol.simple_name)}(?!\w)")
        at = word.search(text, begin)
        tokens = token_pattern(language).finditer(text)
        if at and any(item.start() <= at.start() < item.end() for item in tokens):
            return "text with code"
        return f"{what} in code"


def table(doubts: Doubts, unclaimed: Iterable[tuple[Where, bool]]) -> dict[str, Kind]:
    """The kinds of doubts; each declaration comes with true if its list does lack a use."""
    kinds: defaultdict[str, Kind] = defaultdict(Kind)
    for where, is_founded in unclaimed:
        found = doubts.of(where)
        for name, lines in found.items():
            kind = kinds[name]
            kind.symbols += 1
            if len(found) == 1:
                kind.alone += 1
                kind.founded += is_founded
                kind.places.append((where, doubts.text(lines[0]) if lines else ""))
    return dict(kinds)


def rows(kinds: dict[str, Kind], examples: int) -> Iterator[str]:
    """The table in text, the most frequent kinds first, with some examples."""
    order = Counter({name: kind.alone * 10_000 + kind.symbols for name, kind in kinds.items()})
    for name, _ in order.most_common():
        kind = kinds[name]
        yield f"  {kind.alone:5} alone ({kind.founded} founded) {kind.symbols:5}  {name}"
        step = max(len(kind.places) // examples, 1) if examples else 1
        for where, text in kind.places[: examples * step : step] if examples else ():
            yield f"        {where.path}:{where.line} {where.name}: {text}"
