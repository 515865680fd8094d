"""Facts about symbols: where one is declared, its signature, how often it is used, its tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph import identifiers_in
from code_graph.facts import last_part
from code_graph.paths.name_places import with_dots
from code_graph.paths.path_kinds import is_test, rank_path
from code_graph.query.choice import NameChoice, choose_target, is_heading, target_of
from code_graph.query.edges import USED, EdgeFilter, edges_into, names_on_lines, sources_of
from code_graph.query.model import LISTED, PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot, distinct
from code_graph.whole_word import whole_word
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.hook.fact import INDENT, Fact, quoted, quoted_line, quoted_place, span
from repo_mcp.hook.place_facts import first_lines_with
from repo_mcp.hook.stored import StoredIndex
from repo_mcp.hook.weights import FactLimits
from repo_mcp.repository.name_lookup import declared_symbols
from repo_mcp.repository.symbol_places import local_name
from repo_mcp.text.plurals import counted

_DERIVED: Final = EdgeFilter(USED.types, LISTED)


class CurrentDeclaration(NamedTuple):
    """Where a declaration is now: its lines, and the text of the one with its name."""

    path: str
    first: int
    last: int
    line: str


def symbol_fact(index: StoredIndex, written: str) -> Fact | None:
    """The fact about the symbol that a name means; None if none has it as it is written."""
    graph = index.graph
    if graph is None:
        return _declared_fact(index, written)
    choice = choose_target(graph, written)
    return _choice_fact(index, graph, choice, written)


def expression_fact(
    index: StoredIndex, written: str, budget: Budget, *, is_marked: bool
) -> Fact | None:
    """The fact about the member that an expression means where code has it: `db.view`.

    Where that is not known, a member is meant that is a name by its form, or `is_marked`, and the
    only one of its name.
    """
    graph, member = index.graph, last_part(with_dots(written))
    if graph is None or member == written:
        return None
    uses = [
        use
        for place in first_lines_with(index, written, budget)[: FactLimits.LINES_OF_EXPRESSION]
        for use in names_on_lines(graph, place.path, [place.line])
        if use.name == member
    ]
    meant = Counter(use.symbol for use in uses if use.symbol).most_common(1)
    symbol = graph.symbol(meant[0][0]) if meant else None
    if symbol is not None:
        return _choice_fact(index, graph, NameChoice(target_of(symbol)), written)
    if not all(use.is_unknown for use in uses) or not (is_marked or identifiers_in(member)):
        return None
    choice = choose_target(graph, member)
    return None if choice.others else _choice_fact(index, graph, choice, member)


def _choice_fact(
    index: StoredIndex, graph: GraphSnapshot, choice: NameChoice, written: str
) -> Fact | None:
    symbol = None if choice.target is None else choice.target.symbol
    if symbol is None or is_heading(symbol) or not _is_written_so(symbol, written):
        return None
    place = current_place(index, graph, symbol)
    if place is None:
        return None
    where = quoted_place(place.path, place.first, place.last)
    name = quoted(local_name(graph, symbol))
    shown = [span(place.path, place.first, place.last)]
    if len(choice.others) > FactLimits.NAMESAKES:
        count = f"{len(choice.others) + 1}{'+' if choice.truncated else ''} symbols have this name"
        return Fact([f"- {name}: {count}; the likeliest is a {symbol.node_type}, {where}"], shown)
    lines = [
        f"- {name}: {symbol.node_type}, {where}",
        f"{INDENT}{place.first}: {quoted_line(place.line)}",
        f"{INDENT}{use_text(index, graph, choice)}",
    ]
    others = [*_other_places(index, choice)]
    if others:
        lines.append(f"{INDENT}others of this name: {', '.join(others)}")
    return Fact(lines, shown)


def current_place(
    index: StoredIndex, graph: GraphSnapshot, symbol: Symbol
) -> CurrentDeclaration | None:
    """Where a symbol is declared in the file of now; None if its name is no longer there."""
    declared = graph.declaration(symbol)
    if declared is None:
        return None
    return _place_now(index, symbol.path, symbol.simple_name, declared.name_line, symbol.end_line)


def use_text(index: StoredIndex, graph: GraphSnapshot, choice: NameChoice) -> str:
    """The number of uses of a symbol and its overloads, and their places if they are few."""
    ids = [symbol.id for symbol in choice.symbols]
    found = [sources_of(graph, number, USED) for number in ids]
    total = sum(int(counts.sum()) for _, counts in found)
    if not total:
        # what is called by dispatch takes longer to tell, and is asked for where it is all there is
        from repo_mcp.ask.uses import find_uses  # noqa: PLC0415 as above

        derived = find_uses(graph, ids, _DERIVED, limit=FactLimits.FEW_USES)
        more = derived.counts.resolved - len(derived.edges)
        return _places_text(index, graph, derived.edges, more, "may be used by dispatch at")
    files = {file for chunks, _ in found for file in distinct(graph.files_of(chunks)).tolist()}
    text = f"{counted(total, 'use')} in {counted(len(files), 'file')}"
    if total <= FactLimits.READ_USES:
        edges = [edge for id_ in ids for edge in edges_into(graph, id_, USED, limit=total).edges]
        own = [edge for edge in edges if not is_test(edge.path)]
        for uses, how in ((edges, "used at"), (own, f"{text}, those outside of tests at")):
            if 0 < len(uses) <= FactLimits.FEW_USES:
                return _places_text(index, graph, uses, 0, how)
    if len(files) > FactLimits.FILES_OF_USES:
        return text
    paths = (graph.path_of(file) for file in files if graph.is_test(file))
    tests = sorted(path for path in paths if index.is_shown(path))
    named = ", ".join(quoted(path) for path in tests[: FactLimits.TESTS])
    return f"{text}, {len(tests)} of tests: {named}" if tests else f"{text}, none of tests"


def _places_text(
    index: StoredIndex, graph: GraphSnapshot, edges: Sequence[PlacedEdge], more: int, how: str
) -> str:
    places = [_use_place(graph, edge) for edge in edges if index.is_shown(edge.path)]
    rest = f" and {counted(more, 'more place')}" if more > 0 else ""
    return f"{how} {', '.join(places)}{rest}" if places else "no certain use in the index"


def _use_place(graph: GraphSnapshot, edge: PlacedEdge) -> str:
    around = graph.symbol_at(edge.source_chunk)
    inside = f" in {quoted(around.simple_name)}" if around.declaration >= 0 else ""
    return f"{quoted_place(edge.path, edge.line)}{inside}"


def _other_places(index: StoredIndex, choice: NameChoice) -> Iterator[str]:
    named = (item.symbol for item in choice.others)
    symbols = [symbol for symbol in named if symbol is not None and index.is_shown(symbol.path)]
    symbols.sort(key=lambda item: rank_path(item.path))
    for symbol in symbols[: FactLimits.OTHERS]:
        yield quoted_place(symbol.path, symbol.start_line)
    if len(symbols) > FactLimits.OTHERS:
        yield f"{len(symbols) - FactLimits.OTHERS} more"


def _is_written_so(symbol: Symbol, written: str) -> bool:
    """True if a symbol has a name in these letters: a hook guesses no other spelling."""
    return last_part(with_dots(written)) in {symbol.simple_name, last_part(symbol.name)}


def _declared_fact(index: StoredIndex, written: str) -> Fact | None:
    """The same by the text index, which knows no uses."""
    declared = declared_symbols(index.text, written)
    if not declared or last_part(declared[0].name) != last_part(with_dots(written)):
        return None
    path, item = declared[0].path, declared[0].declaration
    place = _place_now(index, path, last_part(item.name), item.name_line, item.end_line)
    if place is None:
        return None
    where = quoted_place(path, place.first, place.last)
    lines = [
        f"- {quoted(declared[0].name)}: {item.kind}, {where}",
        f"{INDENT}{place.first}: {quoted_line(place.line)}",
    ]
    return Fact(lines, [span(path, place.first, place.last)])


def _place_now(
    index: StoredIndex, path: str, name: str, first: int, last: int
) -> CurrentDeclaration | None:
    """The lines of a declaration, moved with its name where the file has changed."""
    has_name = whole_word(name).search
    line = index.files.line(path, first)
    if has_name(line):
        return CurrentDeclaration(path, first, last, line)
    if path not in index.files.outdated().paths:
        # its name is on no single line: a destructor, an operator
        return CurrentDeclaration(path, first, last, line) if line else None
    rows = index.files.text(path).split("\n")
    near = [number for number, row in enumerate(rows, 1) if has_name(row)]
    if not near:
        return None
    moved = min(near, key=lambda number: abs(number - first))
    return CurrentDeclaration(path, moved, moved, rows[moved - 1].strip())
