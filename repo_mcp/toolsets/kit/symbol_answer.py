"""The answer about one symbol: as much of its summary as fits, for tools, commands and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from repo_mcp.text.cutting import SYMBOL_CHARS
from repo_mcp.text.english.plurals import counted
from repo_mcp.toolsets.kit.records import (
    Record,
    boolean,
    integer,
    list_of,
    string,
    strings,
)

if TYPE_CHECKING:
    from repo_mcp.repository import SymbolPlace, SymbolRelations, SymbolSummary, SymbolUse

# shares of the usual lengths of lists, of which the first that fits is taken
_SCALES: Final = (0.7, 0.5, 0.35, 0.2, 0.1)
# so many times longer are lists of callers in an answer without anything else
_ALONE: Final = 4
_MOST_CALLERS: Final = 16
_MOST_TESTS: Final = 8
_MOST_NAMES: Final = 12
_MOST_OUTLINE: Final = 30
_MOST_CODE: Final = 60
_MOST_OTHERS: Final = 5
_LONGEST_DOC: Final = 300


class SymbolUseRow(Record):
    """A place that uses the symbol."""

    path: str = string("File")
    line: int = integer("Line")
    symbol: str = string("Declaration that the place is in; empty at the top of a file", default="")
    edge_type: str = string("How it is used", default="calls")
    confidence: str = string("exact, inferred, or dispatch: by an override", default="exact")
    text: str = string("The line", default="")


class SymbolAnswer(Record):
    """The answer of `repo.symbol`."""

    name: str = string("Qualified name")
    kind: str = string("class, function, method, property, variable, …")
    language: str = string("Language")
    path: str = string("File that declares it")
    start_line: int = integer("First line")
    end_line: int = integer("Last line")
    code: str = string("Its numbered lines; of a long one those that begin it", default="")
    doc: str = string("Documentation, where the code is not whole", default="")
    outline: list[str] = strings("Members of a long one, with lines", default=())
    parts: list[str] = strings("Where else parts of it are declared", default=())
    callers: list[SymbolUseRow] = list_of(SymbolUseRow, "Places in code that use it", default=())
    caller_count: int = integer("Number of such places", default=0)
    tests: list[SymbolUseRow] = list_of(SymbolUseRow, "Places in tests that use it", default=())
    test_count: int = integer("Number of such places", default=0)
    override_uses: list[SymbolUseRow] = list_of(
        SymbolUseRow, "Places that use what overrides it", default=()
    )
    override_use_count: int = integer("Number of such places", default=0)
    possible: list[str] = strings(
        "Calls of its name whose target is unknown, as path:line in function", default=()
    )
    callees: list[str] = strings("What it calls, with the place of each declaration", default=())
    callee_count: int = integer("Number of symbols that it calls", default=0)
    subtypes: list[str] = strings("What extends, implements or overrides it", default=())
    subtype_count: int = integer("Number of these", default=0)
    bases: list[str] = strings("What it extends, implements or overrides", default=())
    reached_by: int = integer("Symbols that reach it over any number of uses", default=0)
    reached_files: int = integer("Files that these are in", default=0)
    reach_is_cut: bool = boolean("Whether more symbols reach it than are counted", default=False)
    reaching_tests: list[str] = strings("Tests among these, nearest first", default=())
    reaching_helpers: list[str] = strings("Other functions of test files among these", default=())
    unknown_uses: int = integer("Uses of its name whose target is unknown", default=0)
    external_uses: int = integer("Uses of its name on values from outside", default=0)
    truncated: bool = boolean("Whether lists are cut: max_chars raises that", default=False)
    missing: str = string("What the answer lacks, if anything is known to be missing", default="")
    others: list[str] = strings("Other symbols of this name", default=())

    def as_text(self) -> Iterator[str]:
        """The definition, who uses it, what it uses, and what is not known."""
        place = f"{self.path}:{self.start_line}-{self.end_line}"
        yield f"{self.name}: {self.kind}, {place}" + (
            f" ({self.language})" if self.language else ""
        )
        yield from [self.code] if self.code else []
        if self.code and self.start_line + self.code.count("\n") < self.end_line:
            yield f"… to line {self.end_line}"
        yield from [f"doc: {self.doc}"] if self.doc else []
        yield from (f" {row}" for row in self.outline)
        yield from _listed("also declared at", self.parts)
        yield from _use_lines("used in code", self.callers, self.caller_count)
        yield from _use_lines("used in tests", self.tests, self.test_count)
        yield from _use_lines("overrides used", self.override_uses, self.override_use_count)
        yield from _listed("perhaps called at (same name, unknown receiver)", self.possible)
        yield from _listed(f"calls {self.callee_count}", self.callees)
        yield from _listed(f"extended or overridden by {self.subtype_count}", self.subtypes)
        yield from _listed("extends or overrides", self.bases)
        if self.reached_by:
            symbols = f"{'at least ' * self.reach_is_cut}{counted(self.reached_by, 'symbol')} in"
            head = f"a change may reach {symbols} {counted(self.reached_files, 'file')}, tests"
            yield from _listed(head, self.reaching_tests or ["none found"])
            yield from _listed("helpers of tests among them", self.reaching_helpers)
        yield from self._gaps()
        yield from _listed("others of this name", self.others)

    def _gaps(self) -> Iterator[str]:
        """Lines on uses that are not resolved, and on lists that are cut."""
        if self.missing:
            yield f"missing: {self.missing}"
        if self.unknown_uses or self.external_uses:
            yield (
                f"not resolved: {counted(self.unknown_uses, 'use')} of this name with an unknown"
                f" target, {self.external_uses} on values from outside"
            )
        elif not self.missing:
            yield "no use of this name is unresolved"
        if self.truncated:
            yield "truncated: true, lists are cut: a larger max_chars shows more"


def symbol_answer(
    summary: SymbolSummary,
    most: int = SYMBOL_CHARS,
    missing: str = "",
    *,
    callers_only: bool = False,
) -> SymbolAnswer:
    """The summary as an answer whose text has about `most` bytes, if it can be so short."""
    largest = max(1.0, most / SYMBOL_CHARS) * (_ALONE if callers_only else 1)
    found = _scaled(summary, largest, missing, callers_only=callers_only)
    for scale in _SCALES:
        if _size(found) <= most:
            break
        found = _scaled(summary, largest * scale, missing, callers_only=callers_only)
    return found


def _size(found: SymbolAnswer) -> int:
    return len("\n".join(found.as_text()).encode("utf-8", "surrogatepass"))


def _scaled(
    summary: SymbolSummary, scale: float, missing: str, *, callers_only: bool
) -> SymbolAnswer:
    """An answer whose lists have a share of their usual lengths."""

    def most(usual: int) -> int:
        return max(1, int(usual * scale))

    definition, relations = summary.definition, summary.relations
    place = definition.place
    rows = () if callers_only else definition.code[: most(_MOST_CODE)]
    is_whole = definition.is_whole and len(rows) == len(definition.code)
    code = "\n".join(f"{place.first + at}: {row}" for at, row in enumerate(rows))
    relations = None if relations is None else _chosen(relations, callers_only=callers_only)
    found = SymbolAnswer(
        name=place.name,
        kind=place.kind,
        language=definition.language,
        path=place.path,
        start_line=place.first,
        end_line=place.last,
        code=code,
        doc="" if is_whole or callers_only else definition.doc[:_LONGEST_DOC],
        outline=[] if callers_only else list(definition.outline[: most(_MOST_OUTLINE)]),
        parts=_places(summary.parts, most(_MOST_OTHERS)),
        others=_places(summary.others, most(_MOST_OTHERS)),
        missing=missing,
    )
    cut = len(found.outline) < len(definition.outline) or (definition.is_whole and not is_whole)
    cut = cut and not callers_only
    if relations is not None:
        found.callers = [_row(use) for use in relations.callers[: most(_MOST_CALLERS)]]
        found.caller_count = len(relations.callers)
        tests = relations.tests[: most(_MOST_TESTS)]
        found.tests = [_row(use, with_text=False) for use in tests]
        found.test_count = len(relations.tests)
        overrides = relations.override_uses[: most(_MOST_NAMES)]
        found.override_uses = [_row(use) for use in overrides]
        found.override_use_count = len(relations.override_uses)
        found.possible = _use_places(relations.possible, most(_MOST_NAMES))
        found.callees = [_callee(use, place.path) for use in relations.callees[: most(_MOST_NAMES)]]
        found.callee_count = len(relations.callees)
        found.subtypes = _places(relations.subtypes, most(_MOST_NAMES))
        found.subtype_count = len(relations.subtypes)
        found.bases = _places(relations.bases, most(_MOST_NAMES))
        found.reached_by, found.reached_files = relations.reached_by, relations.reached_files
        found.reach_is_cut = relations.reach_cut
        found.reaching_tests = _by_file(relations.reaching_tests, most(_MOST_TESTS))
        found.reaching_helpers = _by_file(relations.reaching_helpers, most(_MOST_OTHERS))
        found.unknown_uses = relations.unknown_uses
        found.external_uses = relations.external_uses
        cut = cut or relations.truncated or relations.reach_cut
        cut = cut or len(found.callers) + len(found.tests) < found.caller_count + found.test_count
        cut = cut or len(overrides) < found.override_use_count
        cut = cut or len(found.callees) < found.callee_count
        cut = cut or len(found.subtypes) < found.subtype_count
    found.truncated = cut
    return found


def _chosen(relations: SymbolRelations, *, callers_only: bool) -> SymbolRelations:
    """All relations, or those of places that use the symbol."""
    if not callers_only:
        return relations
    return relations._replace(
        callees=(), subtypes=(), bases=(), reached_by=0, reaching_tests=(), reaching_helpers=()
    )


def _row(use: SymbolUse, *, with_text: bool = True) -> SymbolUseRow:
    return SymbolUseRow(
        path=use.path,
        line=use.line,
        symbol=short_name(use.symbol, use.path),
        edge_type=use.kind,
        confidence=use.confidence,
        text=use.text if with_text else "",
    )


def _places(places: Sequence[SymbolPlace], most: int) -> list[str]:
    """Names with places, and a mark if there are more."""
    shown = [
        f"{short_name(place.name, place.path)} ({place.path}:{place.first})"
        if place.path
        else f"{place.name} (external)"
        for place in places[:most]
    ]
    more = len(places) - most
    return [*shown, *([f"… {more} more"] if more > 0 else [])]


def _callee(use: SymbolUse, home: str) -> str:
    sure = "" if use.confidence == "exact" else f", {use.confidence}"
    if not use.path:
        return f"{use.symbol} (external)"
    place = f":{use.line}" if use.path == home else f"{use.path}:{use.line}"
    return f"{short_name(use.symbol, use.path)} ({place}{sure})"


def _by_file(places: Sequence[SymbolPlace], most: int) -> list[str]:
    """Names with lines, by file, and a mark if there are more."""
    groups: dict[str, list[str]] = {}
    for place in places[:most]:
        row = f"{short_name(place.name, place.path)} {place.first}"
        groups.setdefault(place.path, []).append(row)
    more = len(places) - most
    shown = [f"{path}: {', '.join(rows)}" for path, rows in groups.items()]
    return [*shown, *([f"… {more} more"] if more > 0 else [])]


def _use_places(uses: Sequence[SymbolUse], most: int) -> list[str]:
    """Places with the functions that they are in, each once, and a mark if there are more."""
    places = dict.fromkeys((use.path, use.line, use.symbol) for use in uses)
    rows = [
        f"{path}:{line}{f' in {short_name(name, path)}' if name else ''}"
        for path, line, name in places
    ]
    more = len(rows) - most
    return [*rows[:most], *([f"… {more} more"] if more > 0 else [])]


def _listed(head: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{head}: {'; '.join(items)}"


def _use_lines(head: str, rows: Iterable[SymbolUseRow], count: int) -> Iterator[str]:
    """Places below the path of their file."""
    if not count:
        return
    yield f"{head}, {counted(count, 'place')}:"
    for path, group in groupby(rows, key=lambda row: row.path):
        yield f" {path}"
        for row in group:
            marks = [row.edge_type] if row.edge_type != "calls" else []
            marks += [row.confidence] if row.confidence != "exact" else []
            noted = f" [{', '.join(marks)}]" if marks else ""
            inside = f" in {row.symbol}" if row.symbol else ""
            text = f": {row.text}" if row.text else ""
            yield f"  {row.line}{inside}{noted}{text}"


def short_name(qualified: str, path: str) -> str:
    """A qualified name without the module that the path of its file says already.

    A file with a capital is named after its type, which is no module.
    """
    parts, folders = qualified.split("."), path.rpartition(".")[0].split("/")
    is_module = folders[-1] != "__init__" and not folders[-1][:1].isupper()
    folders = folders if is_module else folders[:-1]
    for count in range(min(len(parts) - 1, len(folders)), 0, -1):
        if parts[:count] == folders[-count:]:
            return ".".join(parts[count:])
    return qualified
