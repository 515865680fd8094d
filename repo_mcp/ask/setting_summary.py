"""Gathers what reads and names a setting or a variable of the environment, which no file declares.

Its key stands in code as a whole text, as a key, or is made of a prefix and a text. What gets its
value is used in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from code_graph.language_table import language_named
from code_graph.paths.path_kinds import is_test, rank_path
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.answers.symbols import SymbolUseRow
from repo_mcp.ask.lines_of_name import LinesOfName, UnlinkedLines
from repo_mcp.ask.symbol_summary import (
    SymbolDefinition,
    SymbolRelations,
    SymbolSummary,
    use_at,
)
from repo_mcp.flow import KeyLine, SettingSources, SettingWay, find_setting
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.symbol_places import SymbolPlace, local_name
from repo_mcp.repository.word_lines import WordLine, WordLines
from repo_mcp.text.cutting import cut

_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_KEY: Final = re.compile(r"[A-Za-z][\w-]*(?:[./-][\w-]+)+")
_KIND: Final = "setting"
_WIDEST: Final = 160


def prefer_setting(
    summary: SymbolSummary | None,
    graph: GraphSnapshot,
    files: SourceFiles,
    name: str,
    lines: Callable[[str], WordLines],
) -> SymbolSummary | None:
    """The summary of a symbol of this name; where no code declares the name, of the setting."""
    # files of data and documents set what code declares as a text
    language = None if summary is None else language_named(summary.definition.language)
    if language is None or not (language.rules or language.declares_settings):
        return summarize_setting(graph, files, name, lines) or summary
    return summary


def summarize_setting(
    graph: GraphSnapshot, files: SourceFiles, name: str, lines: Callable[[str], WordLines]
) -> SymbolSummary | None:
    """The places that read a name in capitals, or a key of parts, which code does not declare."""
    is_key = _KEY.fullmatch(name) is not None
    if not is_key and not _NAME.fullmatch(name):
        return None
    found: list[WordLines] = []

    def lines_with(word: str) -> list[tuple[str, int]]:
        found.append(lines(word))
        return [(item.path, item.line) for item in found[-1].lines]

    sources = SettingSources(lines_with, files.text, files.line)
    setting = find_setting(graph, name, sources)
    if setting is None or (is_key and not _in_texts(setting, files)) or not setting.lines:
        return None
    is_complete = all(item.is_complete for item in found)
    others = UnlinkedLines([WordLine(*place) for place in setting.data])
    uses = [_key_use(graph, files, item) for item in setting.lines]
    counts = {"use": len(uses), "own": len(setting.data), "document": len(setting.documents)}
    of_name = LinesOfName({kind: count for kind, count in counts.items() if count})
    names = {holder.symbol.id: holder.symbol.name for holder in setting.holders}
    for number, edge in setting.uses:
        use = use_at(graph, files, edge)
        use.edge_type = f"through {names[number]}"
        uses.append(use)
    uses.sort(key=lambda use: rank_path(use.path))
    if is_complete:
        return _summary(graph, name, uses, others, of_name)
    return _summary(graph, name, uses, None, LinesOfName())


def _in_texts(setting: SettingWay, files: SourceFiles) -> bool:
    """True if code has a key of parts in a text, or makes it of parts; else it may be a member."""
    key = re.escape(setting.key)
    written = re.compile(rf"[\"'`][^\"'`]*{key}")
    texts = (files.line(item.path, item.line) for item in setting.lines_of_code)
    return any(setting.key not in text or written.search(text) for text in texts)


def _summary(
    graph: GraphSnapshot,
    name: str,
    uses: Sequence[SymbolUseRow],
    others: UnlinkedLines | None,
    of_name: LinesOfName,
) -> SymbolSummary:
    first = uses[0]
    rows = graph.outline(first.path)
    place = SymbolPlace(name, _KIND, first.path, first.line, first.line)
    language = rows[0][0].language if rows else ""
    definition = SymbolDefinition(place, language, [(first.line, first.text)], is_whole=True)
    relations = SymbolRelations(
        [use for use in uses if not is_test(use.path)],
        [use for use in uses if is_test(use.path)],
        other_lines=others,
        of_name=of_name,
    )
    return SymbolSummary(definition, (), (), relations)


def _key_use(graph: GraphSnapshot, files: SourceFiles, item: KeyLine) -> SymbolUseRow:
    text = cut(files.line(item.path, item.line), _WIDEST)
    inside = "" if item.around is None else local_name(graph, item.around)
    return SymbolUseRow(
        path=item.path,
        line=item.line,
        symbol=inside,
        edge_type="references",
        confidence=_KIND,
        text=text,
    )
