"""Finds declarations whose last use a change has taken away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from code_graph.facts import Facts
from code_graph.query.model import FUNCTIONS, TYPES
from code_graph.query.names import symbols_named
from code_graph.query.snapshot import GraphSnapshot
from code_graph.query.unused import is_unused, looks_used
from repo_mcp.changes.model import UnusedDeclaration
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.changes.two_sides import WORD
from repo_mcp.repository import local_name

_KINDS: Final = FUNCTIONS | TYPES
# of a document
_SECTION: Final = "section"
# names that are looked up, and symbols of one of them
_MOST_NAMES: Final = 2_000
_MOST_OF_NAME: Final = 20


def left_unused(
    graph: GraphSnapshot, files: Iterable[ComparedFile], old_facts: Mapping[str, tuple[str, Facts]]
) -> list[UnusedDeclaration]:
    """Functions and types that gone lines named, and nothing uses in the graph of all files."""
    found: dict[int, UnusedDeclaration] = {}
    names = dict.fromkeys(name for file in files for name in _gone_names(file, old_facts))
    for name in [*names][:_MOST_NAMES]:
        symbols, _ = symbols_named(graph, name, _MOST_OF_NAME)
        for symbol in symbols:
            declared = graph.declaration(symbol)
            if declared is None or symbol.node_type not in _KINDS or declared.kind == _SECTION:
                continue
            if not looks_used(symbol, declared) and is_unused(graph, symbol):
                place = symbol.path, declared.name_line
                shown = local_name(graph, symbol)
                found[symbol.id] = UnusedDeclaration(shown, symbol.node_type, *place)
    return sorted(found.values(), key=lambda item: (item.path, item.line))


def left_imports(
    files: Iterable[ComparedFile],
    old_facts: Mapping[str, tuple[str, Facts]],
    new_facts: Mapping[str, tuple[str, Facts]],
) -> list[UnusedDeclaration]:
    """Imported names that a file used, and has only in its imports now."""
    found: list[UnusedDeclaration] = []
    for file in files:
        old, new = old_facts.get(file.old_path), new_facts.get(file.new_path)
        if old is None or new is None:
            continue
        before, behind = _used_words(*old), _used_words(*new)
        for item in new[1].imports:
            name = item.alias or item.name
            if WORD.fullmatch(name) and name in before and name not in behind:
                found.append(UnusedDeclaration(name, "import", file.new_path, item.line))
    return found


def _used_words(text: str, facts: Facts) -> frozenset[str]:
    """The words of all lines but those of imports."""
    imports = {item.line for item in facts.imports}
    rows = text.split("\n")
    kept = (row for line, row in enumerate(rows, 1) if line not in imports)
    return frozenset(word for row in kept for word in WORD.findall(row))


def _gone_names(file: ComparedFile, old_facts: Mapping[str, tuple[str, Facts]]) -> Iterator[str]:
    """The words of lines that are gone, but for names that are declared on them."""
    known = old_facts.get(file.old_path)
    if known is None or file.old is None:
        return
    declared = {(item.name_line, item.name) for item in known[1].declarations}
    rows = file.old.decode("utf-8", "replace").split("\n")
    for hunk in file.lines.hunks:
        for line in range(hunk.old + 1, hunk.old_end + 1):
            for word in WORD.findall(rows[line - 1]):
                if (line, word) not in declared:
                    yield word
                if f"#{word}" in rows[line - 1] and (line, f"#{word}") not in declared:
                    yield f"#{word}"
