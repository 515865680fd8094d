"""Answers about symbols and what relates them, with their plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from index_format.annotations import TYPE_CHECKING, Any, Final
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.records import (
    AnswerRecord,
    boolean,
    integer,
    lines,
    list_of,
    mapping,
    nested,
    number,
    objects,
    plain,
    string,
    strings,
)
from repo_mcp.text.plurals import counted, with_rest

if TYPE_CHECKING:  # the declarations of tools are read at start
    from code_graph.query.model import PlacedEdge, Symbol

_NODE: Final = "Id of the symbol, for the other tools"
_TYPE: Final = (
    "file, module, class, interface, type, component, method, constructor, property, function or"
    " variable"
)


_BUILT: Final = (
    "The condition that its line is compiled under, and builds that do not compile it: 'if"
    " defined(WIN32)', 'not compiled in build, if 0'"
)
_STALE: Final = "Whether a file has changed since it was linked: lines may have moved"
_STALE_MARK: Final = " stale: true"
_FEW_FILES: Final = 2
_NO_TESTS: Final = "none found (of frameworks, described ones are followed)"


class SymbolSnapshot(AnswerRecord):
    """The state of the repository that an answer is of."""

    generation: int = integer("Generation of the graph")
    text_generation: int = integer("Generation of the text index that it is linked from")
    complete: bool = boolean("Whether all files are linked, from their current text")


class SymbolRow(AnswerRecord):
    """A symbol in a list."""

    node_id: str = string(_NODE)
    name: str = string("Name")
    qualified_name: str = string("Qualified name, as its language writes it")
    node_type: str = string(_TYPE)
    language: str = string("Language", default="")
    file_path: str = string("File")
    line_start: int = integer("First line")
    line_end: int = integer("Last line")
    access_modifier: str = string("Access: public, private, …", default="")
    parameter_signature: str = string("Parameters as written", default="")
    return_type: str = string("Declared type of the result or value", default="")
    rank: float = number("BM25 score; searches only", default=0.0)
    stale: bool = boolean(_STALE, default=False)


def symbol_fields(symbol: Any) -> dict[str, Any]:  # noqa: ANN401 of the graph, or like one
    """The fields that all records of a symbol have, in their order."""
    return {
        "node_id": f"{symbol.id:016x}",
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "node_type": symbol.node_type,
        "language": symbol.language,
        "file_path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
    }


class SymbolList(AnswerRecord):
    """The answer of tools that list symbols."""

    results: list[SymbolRow] = list_of(SymbolRow, "Symbols")
    truncated: bool = boolean("Whether there are more")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """Symbols below the path of their file, and the state."""
        above = ""
        for item in self.results:
            head = f"{item.file_path} ({item.language})" if item.language else item.file_path
            if head != above:
                yield head
            above = head
            yield _symbol_line(item)
        if not self.results:
            yield "no symbols"
        yield f"truncated: {json.dumps(self.truncated)}"
        yield state_line(self.snapshot)


class SimilarRow(AnswerRecord):
    """A symbol that is like another."""

    node_id: str = string(_NODE)
    name: str = string("Name")
    qualified_name: str = string("Qualified name, as its language writes it")
    node_type: str = string(_TYPE)
    language: str = string("Language")
    file_path: str = string("File")
    line_start: int = integer("First line")
    line_end: int = integer("Last line")
    similarity: float = number("How near its text is by meaning, up to 1")
    near_duplicate: str = string(
        "copy: the same code; renamed: the same code with other names; near: nearly the same words",
        default="",
    )
    stale: bool = boolean(_STALE, default=False)


class SimilarList(AnswerRecord):
    """The answer of `find_similar`."""

    results: list[SimilarRow] = list_of(SimilarRow, "Near-duplicates first, then by similarity")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """A line per symbol, and the state."""
        for item in self.results:
            mark = f" {item.near_duplicate}" if item.near_duplicate else ""
            yield (
                f"{item.file_path}:{item.line_start}-{item.line_end}: {item.node_type}"
                f" {_full_name(item.qualified_name, item.name)} ({item.language}, {item.node_id})"
                f" {item.similarity:.4f}{mark}{_mark(item)}"
            )
        if not self.results:
            yield "no symbols"
        yield state_line(self.snapshot)


class SymbolResult(AnswerRecord):
    """The answer of `get_symbol`."""

    node_id: str = string(_NODE)
    name: str = string("Name")
    qualified_name: str = string("Qualified name, as its language writes it")
    node_type: str = string(_TYPE)
    language: str = string("Language")
    project_id: str = string("Package or project that it belongs to")
    file_path: str = string("File of its primary part")
    line_start: int = integer("First line")
    line_end: int = integer("Last line")
    access_modifier: str = string("Access: public, private, …; empty if the language has none")
    is_public_api: bool = boolean("Whether it is visible outside of its project")
    is_static: bool = boolean("Whether it is static")
    is_abstract: bool = boolean("Whether it is abstract")
    is_async: bool = boolean("Whether it is asynchronous")
    is_override: bool = boolean("Whether it replaces a member of a base")
    is_deprecated: bool = boolean("Whether it is marked as deprecated")
    has_doc_comment: bool = boolean("Whether it has a documentation comment")
    parse_status: str = string("full, or why declarations of its file may be missing")
    parameter_signature: str = string("Parameters as written")
    parameter_count: int = integer("Number of parameters")
    return_type: str = string("Declared type of the result or value")
    reference_count: int = integer(
        "Places that use it, calls that may run it by an override among them"
    )
    documentation: str = string("First line of its documentation", default="")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """A line per field."""
        for name, value in plain(self).items():
            if name != "snapshot":
                yield f"{name}: {value if isinstance(value, str) else json.dumps(value)}"
        yield state_line(self.snapshot)


class SpanRow(AnswerRecord):
    """One location of a symbol."""

    file_path: str = string("File")
    line_start: int = integer("First line")
    line_end: int = integer("Last line")
    is_primary: bool = boolean("Whether it is the part to show first")
    stale: bool = boolean(_STALE, default=False)


class SpanList(AnswerRecord):
    """The answer of `get_source_spans`."""

    results: list[SpanRow] = list_of(SpanRow, "Locations, the primary one first")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """A line per location, and the state."""
        for item in self.results:
            place = f"{item.file_path}:{item.line_start}-{item.line_end}"
            yield f"{place} primary: {json.dumps(item.is_primary)}{_mark(item)}"
        yield state_line(self.snapshot)


# the strategies by which one of several symbols of a name is the likeliest
_REASONS: Final = {
    "receiver_name": "by receiver",
    "argument_count": "by arguments",
    "seen_in_file": "by imports",
}


def told_of(confidence: str, strategy: str) -> str:
    """The confidence; of a contract its kind, as route, of a likeliest symbol the reason, too."""
    if strategy in _REASONS:
        return f"{confidence} {_REASONS[strategy]}"
    return strategy if confidence == "contract" else confidence


def told_edge(edge: PlacedEdge) -> str:
    """The confidence of an edge in the same words."""
    confidence, strategy = edge.words
    return told_of(confidence, strategy)


class RelationRow(AnswerRecord):
    """A symbol at the other end of edges, with the places where they were seen."""

    node_id: str = string("Id of the symbol, for the other tools; of external ones for none")
    name: str = string("Name")
    qualified_name: str = string("Qualified name")
    node_type: str = string(f"{_TYPE}; external for what is declared outside")
    file_path: str = string("File that declares it; empty for external ones")
    line_start: int = integer("First line of the declaration; 0 for external ones")
    edge_type: str = string("calls, inherits, implements, imports, overrides, references, …")
    direction: str = string("incoming or outgoing")
    confidence: str = string("exact, inferred, contract, dispatch, probable or possible")
    strategy: str = string("How the target was found")
    seen_in: str = string("File with the places")
    places: list[str] = strings("Places as line:column")
    distance: int = integer("Number of edges to the symbol that was asked about", default=1)
    via: str = string("Symbol that is one edge nearer, where that is another", default="")
    built: str = string(_BUILT, default="")
    stale: bool = boolean(_STALE, default=False)

    @property
    def told(self) -> str:
        """Its confidence in words."""
        return told_of(self.confidence, self.strategy)


# the lines with a name by what it means there, in words; the first two have plurals
_OF_NAME: Final = {
    "use": "use",
    "import": "import",
    "own": "in its declaration",
    "open": "open",
    "likelier": "probably of other symbols",
    "namesake": "of other symbols",
    "outside": "on values from outside",
    "replaced": "replacing it in tests",
    "left_out": "not compiled",
    "other": "of another meaning",
    "comment": "in comments and texts",
    "document": "in documents",
}
_COUNTED: Final = ("use", "import")


def told_lines(counts: Mapping[str, int], namesakes: Sequence[str]) -> str:
    """The numbers of all lines with a name in one line; they add up to the first one."""
    parts = {
        kind: counted(counts[kind], words) if kind in _COUNTED else f"{counts[kind]} {words}"
        for kind, words in _OF_NAME.items()
        if kind in counts
    }
    of_others = [kind for kind in ("likelier", "namesake") if kind in parts]
    if namesakes and of_others:
        parts[of_others[-1]] += f" ({'; '.join(namesakes)})"
    total = counted(sum(counts.values()), "line")
    return f"all {total} with this name: {', '.join(parts.values())}" if parts else ""


class ListOfUses(AnswerRecord):
    """A list that says whether it has all, and what could add to it."""

    truncated: bool = boolean("Whether there is more than is given: the list is cut")
    complete_list: bool = boolean(
        "Whether the list has all uses: no further one can be, but by a name that is made at run"
        " time"
    )
    could_add: list[str] = strings(
        "The first lines of code that may be a further use, as path:line,line", default=()
    )
    could_add_count: int = integer("Number of these lines", default=0)
    doubts: list[str] = strings(
        "Other causes for which the list is not said to be complete", default=()
    )
    not_compiled: int = integer(
        "Number of listed places that no build compiles: of those here, or of those that are asked"
        " about by build:NAME",
        default=0,
    )
    overloads: list[str] = strings("Overloads whose uses are listed, too", default=())
    lines_of_name: dict[str, int] = mapping(
        "The numbers of all lines with the name by what it means there, as many as a search for the"
        " word finds; empty if not each was looked at",
        default=(),
    )
    of_namesakes: list[str] = strings(
        "Other symbols of the name with their numbers of lines and their places", default=()
    )

    def claim(self) -> str:
        """A line that says whether the list is complete, and what all lines with the name are."""
        lines = told_lines(self.lines_of_name or {}, self.of_namesakes)
        left_out = f"{self.not_compiled} of these not compiled" if self.not_compiled else ""
        return "; ".join(filter(None, (self._claim(), left_out, lines)))

    def _claim(self) -> str:
        if self.complete_list:
            return "complete: no further use can be, but by a name that is made at run time"
        if self.truncated and not (self.could_add_count or self.doubts):
            return "not complete: the list is cut, and nothing else could add to it"
        rows = "; ".join(_with_other_lines(self.could_add, self.could_add_count))
        lines = counted(self.could_add_count, "line")
        added = [f"{lines} of code could add to this: {rows}"] if rows else []
        return "; ".join([*added, *(f"not complete: {doubt}" for doubt in self.doubts)])


class RelationList(ListOfUses):
    """The answer of tools that follow edges."""

    relation: str = string("What was asked, with the symbol that it was asked of")
    results: list[RelationRow] = list_of(RelationRow, "Symbols by file and line")
    resolved: int = integer("Places of all edges that were asked for, on all pages")
    unresolved_same_name: int = integer(
        "Uses of the same name whose target is unknown: 0 means that nothing can be missing"
    )
    external: int = integer("Uses of symbols outside of the repository")
    cursor: str = string("Pass as cursor for the next page; empty on the last", default="")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """The question, places below the path of their file, the counts and the state."""
        yield self.relation
        yield from _listed("and of its overloads", self.overloads)
        for path, rows in groupby(self.results, key=lambda item: item.seen_in):
            yield path
            yield from map(_relation_line, rows)
        yield f"resolved: {self.resolved}, unresolved_same_name: {self.unresolved_same_name}"
        yield f"external: {self.external}, truncated: {json.dumps(self.truncated)}"
        yield self.claim()
        if self.cursor:
            yield f"cursor: {self.cursor}"
        yield state_line(self.snapshot)


class ImpactList(ListOfUses):
    """The answer of `get_impact`."""

    relation: str = string("What was asked, with the symbol that it was asked of")
    results: list[RelationRow] = list_of(RelationRow, "Code that may be affected, nearest first")
    tests: list[RelationRow] = list_of(RelationRow, "Tests that reach it, nearest first")
    affected: int = integer("Number of symbols that reach it")
    files: int = integer("Number of files that these are in")
    unresolved_same_name: int = integer("Uses of the same name whose target is unknown")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """Places by file, of code and then of tests, the counts and the state."""
        yield self.relation
        yield from _listed("and of its overloads", self.overloads)
        for title, rows in (("code:", self.results), ("tests:", self.tests)):
            yield from [title] if rows else []
            for path, group in groupby(rows, key=lambda item: item.seen_in):
                yield path
                yield from map(_relation_line, group)
        yield f"affected: {self.affected} symbols, files: {self.files}"
        yield (
            f"unresolved_same_name: {self.unresolved_same_name},"
            f" truncated: {json.dumps(self.truncated)}"
        )
        yield self.claim()
        yield state_line(self.snapshot)


class PathStep(AnswerRecord):
    """One edge of a way."""

    source: str = string("Symbol that uses the other")
    target: str = string("Symbol that is used")
    edge_type: str = string("calls, references, imports, inherits, …")
    confidence: str = string("exact, inferred, contract, dispatch, probable or possible")
    file_path: str = string("File of the first place")
    line: int = integer("Its line")
    stale: bool = boolean(_STALE, default=False)


class PathResult(AnswerRecord):
    """The answer of `get_path`."""

    relation: str = string("What was asked")
    is_reversed: bool = boolean("Whether the way leads from target to source")
    results: list[PathStep] = list_of(PathStep, "The way, edge by edge; empty if none was found")
    truncated: bool = boolean("Whether there may be a longer way")
    snapshot: SymbolSnapshot = nested(SymbolSnapshot, "State of the repository")

    def as_text(self) -> Iterator[str]:
        """The way, a line for each edge, and the state."""
        yield self.relation
        if not self.results:
            yield "no way was found, in either direction"
        for item in self.results:
            sure = "" if item.confidence == "exact" else f" [{item.confidence}]"
            yield (
                f"{item.source} {item.edge_type} {item.target}{sure}"
                f" ({item.file_path}:{item.line}){_STALE_MARK if item.stale else ''}"
            )
        yield (
            f"is_reversed: {json.dumps(self.is_reversed)}, truncated: {json.dumps(self.truncated)}"
        )
        yield state_line(self.snapshot)


def _symbol_line(item: SymbolRow) -> str:
    """Lines, type, name with parameters, id and rank."""
    access = f"{item.access_modifier} " if item.access_modifier else ""
    name = _full_name(item.qualified_name, item.name)
    shown = f"{access}{item.node_type} {name}{item.parameter_signature}"
    result = f" -> {item.return_type}" if item.return_type else ""
    rank = f" rank {item.rank}" if item.rank else ""
    end = f"-{item.line_end}" if item.line_end != item.line_start else ""
    return f"{item.line_start}{end}: {shown}{result} ({item.node_id}){rank}{_mark(item)}"


def _relation_line(item: RelationRow) -> str:
    """The places of the edges, and the symbol at their other end; exact calls have no mark."""
    marks = [] if item.edge_type == "calls" else [item.edge_type]
    marks += [] if item.confidence == "exact" else [item.told]
    marks += [f"{item.distance} steps, via {item.via}"] if item.distance > 1 else []
    marks += [item.built] if item.built else []
    noted = f" [{', '.join(marks)}]" if marks else ""
    own = item.seen_in if item.direction == "incoming" else item.file_path or item.seen_in
    name = short_name(item.qualified_name or item.name, own) or item.node_type
    places = ", ".join(item.places)
    if item.direction == "incoming":  # places are in the symbol
        return f" {places} in {name}{noted}{_mark(item)}"
    declared = f" ({item.file_path}:{item.line_start})" if item.file_path else " (external)"
    same = item.file_path == item.seen_in
    return f" {places} {name}{f' (:{item.line_start})' if same else declared}{noted}{_mark(item)}"


def describe_symbol(symbol: Symbol) -> str:
    """A symbol with its type and place, in one line."""
    place = f"{symbol.path}:{symbol.start_line}-{symbol.end_line}"
    return f"{symbol.qualified_name or symbol.name} ({symbol.node_type}, {place})"


def _full_name(qualified: str, name: str) -> str:
    """The qualified name, and the name if that does not end with it."""
    return qualified if qualified.endswith(name) else f"{qualified} {name}"


def state_line(state: SymbolSnapshot) -> str:
    """The state that an answer is of."""
    return (
        f"snapshot: generation {state.generation}, text_generation {state.text_generation},"
        f" complete {json.dumps(state.complete)}"
    )


def _mark(row: SymbolRow | SimilarRow | SpanRow | RelationRow) -> str:
    return _STALE_MARK if row.stale else ""


class SymbolUseRow(AnswerRecord):
    """A place that uses the symbol."""

    path: str = string("File")
    line: int = integer("Line")
    symbol: str = string("Declaration that the place is in; empty at the top of a file", default="")
    edge_type: str = string("How it is used", default="calls")
    confidence: str = string(
        "exact, inferred, dispatch, probable, probable by receiver, route, table…", default="exact"
    )
    text: str = string("The line", default="")
    built: str = string(_BUILT, default="")


# of a name with more uses of an unknown target, which of them are listed says nothing
MOST_UNKNOWN: Final = 50


class SymbolAnswer(AnswerRecord):
    """The answer of `repo.symbol`."""

    name: str = string("Qualified name")
    kind: str = string("class, function, method, property, variable, …")
    language: str = string("Language")
    path: str = string("File that declares it")
    start_line: int = integer("First line")
    end_line: int = integer("Last line")
    code: NumberedLines = lines(
        "Its numbered lines; of a long one those that begin it", default=NumberedLines()
    )
    last_commit: str = string("The last commit that changed its lines", default="")
    doc: str = string("Documentation, where the code is not whole", default="")
    outline: list[str] = strings("Members of a long one, with lines", default=())
    parts: list[str] = strings("Where else parts of it are declared", default=())
    overloads: list[str] = strings(
        "Its overloads, whose uses are counted with its own: path:line asks about one",
        default=(),
    )
    callers: list[SymbolUseRow] = list_of(SymbolUseRow, "Places in code that use it", default=())
    caller_count: int = integer("Number of such places", default=0)
    caller_folders: list[str] = strings(
        "Where not all are listed, their numbers by first folder", default=()
    )
    tests: list[SymbolUseRow] = list_of(SymbolUseRow, "Places in tests that use it", default=())
    test_count: int = integer("Number of such places", default=0)
    handed: list[str] = strings("Functions handed to it, as path: name line", default=())
    demanded: list[str] = strings(
        "Members that an implementer has to supply, inherited ones among them", default=()
    )
    makers: list[str] = strings(
        "Where code makes, registers or returns what implements it", default=()
    )
    override_uses: list[SymbolUseRow] = list_of(
        SymbolUseRow, "Places that use what overrides it", default=()
    )
    override_use_count: int = integer("Number of such places", default=0)
    possible: list[str] = strings(
        "Calls of its name whose target is unknown, as path:line in function", default=()
    )
    possible_tests: list[str] = strings(
        "Tests that may reach it where no edge shows it, nearest first", default=()
    )
    callees: list[str] = strings("What it calls, by line, with places of declarations", default=())
    external_callees: list[str] = strings("What it calls of other packages", default=())
    callee_count: int = integer("Number of symbols that it calls", default=0)
    unknown_callees: list[str] = strings(
        "Its calls whose target is unknown, by line, with functions of the name", default=()
    )
    subtypes: list[str] = strings("What extends, implements or overrides it", default=())
    subtype_count: int = integer("Number of these", default=0)
    further_subtypes: list[str] = strings("What does so with these, and so on", default=())
    further_subtype_count: int = integer("Number of these", default=0)
    bases: list[str] = strings("What it extends, implements or overrides", default=())
    overrides_nothing: bool = boolean("Whether it surely overrides nothing", default=False)
    is_not_overridden: bool = boolean("Whether surely nothing overrides it", default=False)
    is_not_extended: bool = boolean("Whether surely no type extends it", default=False)
    reached_by: int = integer("Symbols that reach it over any number of uses", default=0)
    reached_files: int = integer("Files that these are in", default=0)
    reach_is_cut: bool = boolean("Whether more symbols reach it than are counted", default=False)
    reaching_tests: list[str] = strings(
        "Tests among these that are not in `tests`, nearest first", default=()
    )
    reaching_helpers: list[str] = strings(
        "Functions of test files among these, where no test is", default=()
    )
    unknown_uses: int = integer("Uses of its name whose target is unknown", default=0)
    external_uses: int = integer(
        "Uses of its name on values from outside that may be such of it", default=0
    )
    unsure_versions: int = integer(
        "Uses of which no lock file says which of several versions of a package they mean",
        default=0,
    )
    external: list[str] = strings("The first of these, as path:line in function", default=())
    other_lines: list[str] = strings(
        "Further lines of code with its name: keys, texts, uses that are not understood",
        default=(),
    )
    other_line_count: int = integer(
        "Number of these; -1 if not every line was compared", default=-1
    )
    complete_list: bool = boolean(
        "Whether the lists have all uses: no further one can be, but by a name that is made at run"
        " time"
    )
    doubts: list[str] = strings(
        "Causes, besides lines, for which the lists are not said to be complete", default=()
    )
    patched: list[str] = strings("Lines that put another in its place", default=())
    lines_of_name: dict[str, int] = mapping(
        "The numbers of all lines with its name by what it means there, as many as a search for the"
        " word finds; empty if not each was looked at",
        default=(),
    )
    of_namesakes: list[str] = strings(
        "Other symbols of the name with their numbers of lines and their places", default=()
    )
    not_compiled: int = integer("Number of uses on lines that no build compiles", default=0)
    truncated: bool = boolean("Whether lists are cut: max_chars raises that", default=False)
    missing: str = string("What the answer lacks, if anything is known to be missing", default="")
    others: list[str] = strings("Other symbols of this name, with their own uses", default=())
    other_count: int = integer("Number of these", default=0)
    namesakes: list[str] = strings(
        "Other symbols of a member's name, which are no part of it", default=()
    )
    others_asked: list[SymbolAnswer] = objects("The same of further names", default=())

    def as_text(self) -> Iterator[str]:
        """The answers of all names that were asked for, with a blank line between them."""
        yield from self._own_text()
        for other in self.others_asked:
            yield ""
            yield from other.as_text()

    def lines_alone(self) -> Iterator[str]:
        """The text of this name without what a verdict says."""
        return self._own_text(with_missing=False)

    def _own_text(self, *, with_missing: bool = True) -> Iterator[str]:
        """The definition, who uses it, what it uses, and what is not known."""
        place = f"{self.path}:{self.start_line}-{self.end_line}"
        yield f"{self.name}: {self.kind}, {place}" + (
            f" ({self.language})" if self.language else ""
        )
        others = with_rest(self.others, self.other_count - len(self.others))
        yield from _listed(f"one of {self.other_count + 1} of this name, others", others)
        yield from [str(self.code)] if self.code else []
        last = self.code.lines[-1].number if self.code else self.end_line
        if last < self.end_line and self.outline:
            yield f"… to line {self.end_line}"
        elif last < self.end_line:
            left = counted(self.end_line - last, "more line")
            yield f"… {left}: repo.open_file {self.path} {last + 1}-{self.end_line}"
        yield from [f"doc: {self.doc}"] if self.doc else []
        yield from (f" {row}" for row in self.outline)
        yield from [f"last changed: {self.last_commit}"] if self.last_commit else []
        yield from _listed("also declared at", self.parts)
        yield from _listed("uses are those of its overloads, too", self.overloads)
        yield from _listed("extends or overrides", self.bases)
        yield from self._subtypes()
        further = f"and through these by {self.further_subtype_count}"
        yield from _listed(further, self.further_subtypes)
        yield from _listed("an implementer has to supply", self.demanded)
        yield from _listed("implementers are made, registered or returned in", self.makers)
        of_whole = {"is_whole": self.complete_list, "is_so_far": bool(self.missing)}
        of_code = _count_of(self.caller_count, len(self.callers), **of_whole)
        yield from _use_lines(f"used in code, {of_code}", self.callers)
        yield from _listed(f" all {self.caller_count} by folder", self.caller_folders)
        if not (self.caller_count or self.handed):
            known = "nowhere" if self.complete_list else "no place found"
            yield f"used in code: {'not known yet' if self.missing else known}"
        yield from _listed("functions handed to it", self.handed)
        of_tests = _count_of(self.test_count, len(self.tests), **of_whole)
        yield from _use_lines(f"used in tests, {of_tests}", self.tests)
        of_overrides = _count_of(self.override_use_count, len(self.override_uses))
        yield from _use_lines(f"overrides used, {of_overrides}", self.override_uses)
        yield from _listed("perhaps called at (same name, unknown receiver)", self.possible)
        yield from _listed("same name, on values from outside", self.external)
        external = [f"external: {', '.join(self.external_callees)}"]
        external = external if self.external_callees else []
        more = self.callee_count - len(self.callees) - len(self.external_callees)
        calls = with_rest([*self.callees, *external], more)
        yield from _listed(f"calls {self.callee_count}", calls)
        yield from _listed("calls of an unknown target", self.unknown_callees)
        absent = ["overrides nothing"] if self.overrides_nothing else []
        absent += ["not overridden"] if self.is_not_overridden else []
        absent += ["not extended"] if self.is_not_extended else []
        yield from [f"{', '.join(absent)} (in the repository)"] if absent else []
        yield from self._reach()
        yield from self._possible_tests()
        yield from self._gaps(with_missing=with_missing)

    def tests_as_text(self) -> Iterator[str]:
        """The tests that use it, those that a change may reach, and what is not known."""
        place = f"{self.path}:{self.start_line}-{self.end_line}"
        yield f"{self.name}: {self.kind}, {place}"
        of_tests = _count_of(self.test_count, len(self.tests), is_whole=self.complete_list)
        yield from _use_lines(f"used in tests, {of_tests}", self.tests)
        yield from self._reach()
        yield from self._possible_tests()
        yield from (f"not complete: {doubt}" for doubt in self.doubts)

    @property
    def uses_are_cut(self) -> bool:
        """True if there are uses that are counted and not listed."""
        return (
            len(self.callers) < self.caller_count
            or len(self.tests) < self.test_count
            or len(self.override_uses) < self.override_use_count
        )

    def _subtypes(self) -> Iterator[str]:
        """Types and members that extend or override it: of several files a line each."""
        head = f"extended or overridden by {self.subtype_count}"
        if len(self.subtypes) <= _FEW_FILES:
            yield from _listed(head, self.subtypes)
        else:
            yield f"{head}:"
            yield from (f" {row}" for row in self.subtypes)

    def _possible_tests(self) -> Iterator[str]:
        """One line on tests that may reach it: of many files their paths, by which they are run."""
        rows = self.possible_tests
        if len(rows) <= _FEW_FILES:
            yield from _listed("tests that may reach it", rows)
        else:
            files = [row.partition(": ")[0] for row in rows]
            yield from _listed("tests that may reach it, by file", files)

    def _reach(self) -> Iterator[str]:
        """Lines on what a change may reach."""
        if not self.reached_by:
            return
        reach = counted(self.reached_by, "symbol")
        further = "further tests" if self.tests else "tests"
        none = "none found for sure" if self.possible_tests else _NO_TESTS
        if self.reach_is_cut:
            none = "none among what was followed so far"
            reach = f"at least {reach}, nearest {further}"
        else:
            reach = f"{reach} in {counted(self.reached_files, 'file')}, {further}"
        yield from _listed(f"a change may reach {reach}", self.reaching_tests or [none])
        yield from _listed("helpers of tests among them", self.reaching_helpers)

    def _gaps(self, *, with_missing: bool) -> Iterator[str]:
        """Lines on uses that are not resolved, and on lists that are cut."""
        yield from _listed("not it, but of this name", self.namesakes)
        if self.missing and with_missing:
            yield f"missing: {self.missing}"
        if self.unsure_versions:
            yield (
                f"{counted(self.unsure_versions, 'use')} may mean another version of the package:"
                " no lock file says which of those that are here"
            )
        if (self.unknown_uses or self.external_uses) and not self.complete_list:
            yield (
                f"not resolved: {counted(self.unknown_uses, 'use')} of this name with an unknown"
                f" target, {self.external_uses} on values from outside"
            )
            if self.unknown_uses > MOST_UNKNOWN:
                yield (
                    "a common name: get_callers with include_possible lists these, as"
                    " `repo-mcp callers --confidence possible` does"
                )
        elif self.other_line_count < 0 and not self.missing:
            yield "uses are those that the graph has: not each line with the name was checked"
        elif not (self.missing or self.other_line_count):
            one = f", to one of {self.other_count + 1} symbols" if self.other_count else ""
            mark = "complete: " if self.complete_list else ""
            shown = "; not all are shown: max_chars raises that" if self.uses_are_cut else ""
            yield f"{mark}each line of code with this name is resolved{one}{shown}"
        yield from (f"not complete: {doubt}" for doubt in self.doubts)
        if self.other_line_count > 0:
            rows = _with_other_lines(self.other_lines, self.other_line_count)
            listed = f": {'; '.join(rows)}" if rows else ""
            yield (
                f"{counted(self.other_line_count, 'more line')} with this name (key, text that is"
                f" a name, or a use that is not understood){listed}"
            )
        if self.not_compiled:
            count = counted(self.not_compiled, "place")
            yield f"not compiled: {count} of these (build:NAME in the name chooses a build)"
        yield from _listed("patched here, which is no use", self.patched)
        if self.lines_of_name:
            yield told_lines(self.lines_of_name, self.of_namesakes)
        if self.truncated:
            yield "truncated: true, lists are cut: a larger max_chars shows more"


def _with_other_lines(rows: Sequence[str], count: int) -> list[str]:
    """Rows of lines as `a.py:3,17`, and how many of all lines these are not; nothing of none."""
    shown = sum(row.rpartition(":")[2].count(",") + 1 for row in rows)
    return with_rest(rows, count - shown if shown else 0)


def _listed(head: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{head}: {'; '.join(items)}"


def _count_of(count: int, shown: int, *, is_whole: bool = False, is_so_far: bool = False) -> str:
    """The number of places, how many of them are listed, and whether no other can be."""
    places = counted(count, "place") + " so far" * is_so_far
    if shown < count:
        return f"{places}, {shown} here"
    return f"all {places}" if is_whole and count > 1 else places


def _use_lines(head: str, rows: Sequence[SymbolUseRow]) -> Iterator[str]:
    """Places below the path of their file; those without text in one line for each symbol."""
    if not rows:
        return
    yield f"{head}:"
    for path, group in groupby(rows, key=lambda row: row.path):
        yield f" {path}"
        for shown, same in groupby(group, key=_use_form):
            yield f"  {', '.join(str(row.line) for row in same)}{shown}"


def _use_form(row: SymbolUseRow) -> str:
    """The text that follows the line of a use."""
    marks = [row.edge_type] if row.edge_type != "calls" else []
    marks += [row.confidence] if row.confidence != "exact" else []
    marks += [row.built] if row.built else []
    noted = f" [{', '.join(marks)}]" if marks else ""
    inside = f" in {row.symbol}" if row.symbol else ""
    text = f": {row.text}" if row.text else ""
    return f"{inside}{noted}{text}"


def short_name(qualified: str, path: str) -> str:
    """A qualified name without the module that the path of its file says already.

    A file with a capital is named after its type, which is no module.
    """
    # folders may be named after several parts: `Shop.Core/Prices`
    parts, folders = qualified.split("."), path.rpartition(".")[0].replace(".", "/").split("/")
    is_module = folders[-1] != "__init__" and not folders[-1][:1].isupper()
    folders = folders if is_module else folders[:-1]
    for count in range(min(len(parts) - 1, len(folders)), 0, -1):
        if parts[:count] == folders[-count:]:
            return ".".join(parts[count:])
    return qualified
