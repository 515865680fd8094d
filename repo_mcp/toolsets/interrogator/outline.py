"""`repo.outline`: the declarations of a file's current content, and outlines of folders.

Declarations come from the index if it holds the same content, so that parsers run in the worker
processes; only a file that is not indexed is parsed in this process.

Of a long outline as much is listed as fits on its first page: names of all before signatures of
few. A page is taken for the deepest declarations that it has room for: with signatures, without
fields and constants that take a line each, then as names and lines alone, then as names in the row
of their type, where overloads are one, at last without short accessors, and then a level less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph import facts_to_store
from code_graph.facts import (
    FAILED,
    MODULE,
    NO_GRAMMAR,
    PARTIAL,
    SKIPPED,
    STOPPED,
    DamagedFactsError,
    Declaration,
    Facts,
    as_stored,
    decode_declarations,
    depths,
)
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.answers.repository import OutlineResult, OutlineSymbol
from repo_mcp.ask import (
    OutlineFilter,
    kind_counts,
    qualified_names,
    reliable_declarations,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import INNER_KINDS, FileContent, OpenIndex, folder_of_path
from repo_mcp.text.cutting import cut
from repo_mcp.toolsets.interrogator.outline_folder import FolderOutlines
from repo_mcp.toolsets.kit.addresses import path_of
from repo_mcp.toolsets.kit.answers import TEXT, Outcome, size
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler

if TYPE_CHECKING:
    from repo_mcp.toolsets.interrogator.references import FileReferences

_MOST_SIGNATURE: Final = 300
_MOST_LABEL: Final = 200
_MOST_DOC: Final = 80
# arguments that ask for a part of a file: of a whole one, the outline takes a share of its size
_NARROWING: Final = ("kinds", "depth", "match", "start_line", "end_line")
_MOST_SHARE: Final = 0.3
_LEAST_ROOM: Final = 2_000
_NO_LANGUAGE: Final = "no_language"
_STATUS_TEXTS: Final = {
    PARTIAL: "parts of it can't be parsed (syntax errors, macros): declarations may be missing",
    FAILED: "the file has syntax errors: it has no outline",
    STOPPED: "parsing the file takes too long: it has no outline",
    SKIPPED: "the file is generated, minified or very large: it is not parsed",
    NO_GRAMMAR: "the parser of this language is not installed",
    _NO_LANGUAGE: "the language of this file is unknown: use repo.search or repo.open_file",
}
# kinds that are left out of a long outline, where they take a line each
_VALUES: Final = frozenset({"macro", "constant"})
_FUNCTIONS: Final = frozenset({"function", "method", "constructor"})
_ACCESSORS: Final = "accessors"
_ACCESSOR: Final = re.compile(r"(?:get|set|is|has|with)(?=[A-Z_])")
# lines of an accessor
_SHORT: Final = 4
# the size of a declaration in the form of answers that is served
Cost = Callable[[OutlineSymbol], int]


class _Place(NamedTuple):
    """The end of a page, by the line, name and number of its last declaration.

    Without any it is the beginning; `is_top` in the list of the top level.
    """

    line: int = 0
    name: str = ""
    end: int = 0
    is_top: bool = False

    @classmethod
    def of(cls, cursor: str | None, cursor_key: object) -> _Place:
        """The place in a cursor."""
        if not cursor:
            return cls()
        return cls(*decode_cursor(cursor, cursor_key, int, str, int, bool).place)

    @classmethod
    def after(cls, listed: Sequence[Declaration], end: int, *, is_top: bool) -> _Place | None:
        """The place before the declaration of this number; None at the end."""
        if end >= len(listed):
            return None
        return cls(listed[end - 1].start_line, listed[end - 1].name, end, is_top)

    def find(self, listed: Sequence[Declaration], warnings: list[AnswerWarning]) -> int:
        """The index of the declaration after the last one shown, found by its line if it moved."""
        last = listed[self.end - 1] if 0 < self.end <= len(listed) else None
        if not self.line or (last and (last.start_line, last.name) == (self.line, self.name)):
            return self.end if self.line else 0
        text = "the file changed since the last page: this page continues at the same line"
        warnings.append(AnswerWarning("changed", text))
        following = (at for at, item in enumerate(listed) if item.start_line > self.line)
        return next(following, len(listed))


class Outline(ToolHandler):
    """Lists the declarations of a file."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of declarations."""
        services, budget = self._services, context.budget
        wanted = OutlineFilter.of(arguments)
        path = path_of(arguments["path"])
        try:
            content = services.repository.read(path, budget)
        except Problem as problem:
            folder = folder_of_path(services.repository.sandbox, path, problem)
            return FolderOutlines(services)(folder, arguments, budget)
        return services.repository.run_without_waiting(
            lambda index: self._outline(arguments, wanted, content, index, budget),
            services.wait,
            budget,
        )

    def _outline(
        self,
        arguments: Arguments,
        wanted: OutlineFilter,
        content: FileContent,
        index: OpenIndex,
        budget: Budget,
    ) -> Outcome:
        warnings = [*index.warnings]
        page = self._services.page_size(arguments["max_chars"], warnings)
        facts = self._facts(content, index, budget)
        shown = reliable_declarations(facts)
        if facts.status in _STATUS_TEXTS:
            failed = facts.status == PARTIAL and not shown
            status = FAILED if failed else facts.status
            warnings.append(AnswerWarning(status, _STATUS_TEXTS[status]))
        names = qualified_names(shown)
        numbers = wanted.numbers(shown, names)
        cursor_key = [content.path, sorted(wanted.kinds), *wanted[1:]]
        result = OutlineResult(
            path=content.path,
            language=facts.language,
            status=facts.status,
            total=len(numbers),
            symbols=[],
        )
        references = self._references(content, warnings) if arguments["with_references"] else None
        room = self._services.room(page, result, warnings)
        cost = _text_size if self._services.content == TEXT else size
        rows = [_symbol(shown, at, names, references) for at in _checked(numbers, budget)]
        listed = [shown[number] for number in numbers]
        if not (arguments["cursor"] or any(arguments[name] for name in _NARROWING)):
            room = min(room, max(_LEAST_ROOM, int(len(content.data) * _MOST_SHARE)))
        place = _Place.of(arguments["cursor"], cursor_key)
        is_long = not arguments["cursor"] and not fits(rows, room, cost, budget.check)
        # levels that were asked for are all shown, page by page
        has_depth = bool(arguments["depth"])
        given = shown, numbers, rows, room, cost, budget.check
        if is_long and not has_depth and summarise(result, *given):
            following = None if len(result.symbols) == len(rows) else _Place()
        else:
            if has_depth:
                for row in rows if is_long or arguments["cursor"] else ():
                    row.doc = ""
            elif is_long or place.is_top:  # names and lines alone, page by page
                result.depth = 1
                room -= size(result.kinds)
                depth_of = depths(shown)
                rows = [bare(row) for row in outer_rows(shown, numbers, rows, depth_of, 1)]
                listed = [shown[number] for number in numbers if depth_of[number] == 1]
            begin = place.find(listed, warnings)
            result.symbols = _fit(rows[begin:], room, cost)
            following = _Place.after(listed, begin + len(result.symbols), is_top=bool(result.depth))
            if following is None and len(listed) < len(numbers):
                following = _Place()
        if following is not None:
            result.truncated = True
            result.cursor = encode_cursor(cursor_key, 0, [*following])
        return Outcome(result, warnings, shown=[content.path], generation=index.generation)

    def _references(self, content: FileContent, warnings: list[AnswerWarning]) -> FileReferences:
        from repo_mcp.toolsets.interrogator.references import FileReferences  # noqa: PLC0415 rarely used

        repository = self._services.repository
        print_ = fingerprint(content.data)
        found = FileReferences(repository, repository.current_graph(), content.path, print_)
        if found.warning is not None:
            warnings.append(found.warning)
        return found

    def _facts(self, content: FileContent, index: OpenIndex, budget: Budget) -> Facts:
        """Declarations of this content: from the index, if need be updated, or parsed here."""
        known = _indexed(content, index.snapshot)
        if known is not None:
            return known
        text = content.text
        if text is None:
            raise Problem("binary_file")
        languages = self._services.repository.languages
        language = languages.language_of(content.path)
        if not language:
            return Facts("", _NO_LANGUAGE)
        is_indexed = index.snapshot is not None and index.snapshot.file(content.path) is not None
        if is_indexed and languages.needs_worker(content.path):
            repository = self._services.repository
            repository.update([content.path], self._services.wait, budget)
            known = _indexed(content, repository.current_index().snapshot)
            if known is not None:
                return known
        adapter = languages.adapter_for(content.path)
        if adapter is None:
            return Facts(language, NO_GRAMMAR)
        try:
            return as_stored(facts_to_store(adapter, content.path, text.content))
        except Exception:  # noqa: BLE001 an adapter may be third-party; the file has no outline then
            return Facts(language, FAILED)


def _checked(numbers: Sequence[int], budget: Budget) -> Iterator[int]:
    """The numbers, as long as the call is not cancelled."""
    for number in numbers:
        budget.check()
        yield number


def _indexed(content: FileContent, snapshot: Snapshot | None) -> Facts | None:
    """Declarations in the index, if it holds exactly this content."""
    record = None if snapshot is None else snapshot.file(content.path)
    if snapshot is None or record is None or record.fingerprint != fingerprint(content.data):
        return None
    data = snapshot.attachment(content.path, FACTS)
    try:
        return decode_declarations(data) if data else None
    except DamagedFactsError:
        return None


def _text_size(row: OutlineSymbol) -> int:
    """Bytes of a declaration as text, indented once."""
    return len("\n".join(row.as_text(1)).encode("utf-8", "surrogatepass")) + 1


def _fit(rows: Sequence[OutlineSymbol], room: int, cost: Cost) -> list[OutlineSymbol]:
    """As many declarations as fit, at least one."""
    symbols: list[OutlineSymbol] = []
    for symbol in rows:
        room -= cost(symbol)
        if room < 0 and symbols:
            break
        symbols.append(symbol)
    return symbols


def _symbol(
    shown: Sequence[Declaration],
    number: int,
    names: Sequence[str],
    references: FileReferences | None,
) -> OutlineSymbol:
    """A declaration as a result; what follows from its parent is left out."""
    item = shown[number]
    known = None if references is None else references.of(number, item)
    inside = item.parent != MODULE
    found = OutlineSymbol(
        kind=item.kind,
        name=_shorten(item.name, _MOST_LABEL),
        signature=_shorten(item.signature or item.name, _MOST_SIGNATURE),
        start_line=item.start_line,
        end_line=item.end_line,
        doc=_shorten(item.doc, _MOST_DOC),
        parent_symbol=_shorten(names[item.parent], _MOST_LABEL) if inside else "",
        scope_kind="" if item.scope_kind == ("class" if inside else "module") else item.scope_kind,
        is_conditional=item.is_conditional,
        decl_context=_shorten(item.decl_context, _MOST_LABEL) if item.is_conditional else "",
    )
    if known is not None:
        found.references, found.callers = known.uses, known.callers
        found.overrides = known.overrides
    return found


def _shorten(text: str, most: int) -> str:
    return cut(" ".join(text.split()), most)


def summarise(
    result: OutlineResult,
    shown: Sequence[Declaration],
    numbers: Sequence[int],
    rows: Sequence[OutlineSymbol],
    room: int,
    cost: Cost,
    check: Callable[[], None],
) -> bool:
    """Fill in as much as fits; false if even the names of the top level do not."""
    for row in rows:
        row.doc = ""
    if fits(rows, room, cost, check):
        result.symbols = [*rows]
        return True
    result.kinds = kind_counts(shown, numbers)
    room -= size(result.kinds)
    depth_of = depths(shown)
    deepest = max(depth_of[number] for number in numbers)
    for depth in range(deepest, 0, -1):
        outer = outer_rows(shown, numbers, rows, depth_of, depth)
        for listed, left_out in _lists(outer, is_whole=depth == deepest):
            if listed and fits(listed, room, cost, check):
                result.symbols, result.left_out = listed, left_out
                result.depth = 0 if depth == deepest else depth
                if len(listed) == len(rows):
                    result.kinds = ""
                return True
        kept = [number for number in numbers if depth_of[number] <= depth]
        for listed, left_out in _with_members(shown, kept, outer):
            if fits(listed, room, cost, check):
                result.symbols, result.left_out = listed, left_out
                result.depth = 0 if depth == deepest else depth
                return True
    return False


def fits(rows: Iterable[OutlineSymbol], room: int, cost: Cost, check: Callable[[], None]) -> bool:
    """True if rows have room; looks at no more than that takes."""
    check()
    for row in rows:
        room -= cost(row)
        if room < 0:
            return False
    return True


def _with_members(
    shown: Sequence[Declaration], numbers: Sequence[int], outer: Sequence[OutlineSymbol]
) -> Iterator[tuple[list[OutlineSymbol], str]]:
    """Lists of types whose members have no rows, and the kinds left out of each."""
    every = {*numbers}
    inside = {number for number in numbers if shown[number].parent in every}
    local = {number for number in inside if shown[shown[number].parent].kind in _FUNCTIONS}
    inner = {number for number in inside - local if shown[number].kind in INNER_KINDS}
    holders = {shown[number].parent for number in inside - local - inner}
    members: dict[int, list[OutlineSymbol]] = {}
    top: list[tuple[int, OutlineSymbol]] = []
    for number, row in zip(numbers, outer, strict=True):
        if number in local or number in inner:
            continue
        if number in inside - holders:
            members.setdefault(shown[number].parent, []).append(row)
        else:
            top.append((number, row))
    left_out = {shown[number].kind for number in inner}
    left_out |= {f"local {shown[number].kind}" for number in local}
    for without in (set(), {_ACCESSORS}) if members else ():
        yield (
            [_with_names(row, members.get(number, ()), without) for number, row in top],
            ", ".join(sorted(left_out | without)),
        )


def _with_names(
    row: OutlineSymbol, members: Sequence[OutlineSymbol], without: Collection[str]
) -> OutlineSymbol:
    """A row with the names and first lines of members, those of overloads together."""
    lines: dict[str, list[str]] = {}
    for item in members:
        if not (without and _is_accessor(item)):
            lines.setdefault(item.name, []).append(str(item.start_line))
    names = [f"{name} {','.join(own)}" for name, own in lines.items()]
    return OutlineSymbol(**{**vars(bare(row)), "members": names, "inside": 0})


def _is_accessor(row: OutlineSymbol) -> bool:
    """True of a function of few lines that is named as what gives or sets a value."""
    return row.end_line - row.start_line < _SHORT and bool(_ACCESSOR.match(row.name))


def _lists(
    outer: list[OutlineSymbol], *, is_whole: bool
) -> Iterator[tuple[list[OutlineSymbol], str]]:
    """Lists that may stand for some levels, the fullest first, and the kinds left out of each."""
    main = [row for row in outer if not row.parent_symbol or row.kind not in INNER_KINDS]
    # register headers have hundreds of macros of a line before the first function
    code = [row for row in main if row.kind not in _VALUES or row.end_line > row.start_line]
    inner = {row.kind for row in outer if row.parent_symbol} & INNER_KINDS
    values = inner | ({row.kind for row in main} & _VALUES)
    fuller = ((main, inner), (code, values)) if is_whole else ((outer, set()), (code, values))
    for listed, left_out in fuller:
        yield listed, ", ".join(sorted(left_out))
    for listed, left_out in ((outer, set()), *fuller):
        yield [bare(row) for row in listed], ", ".join(sorted(left_out))


def bare(row: OutlineSymbol) -> OutlineSymbol:
    """A row with its name and lines alone."""
    return OutlineSymbol(**{**vars(row), "signature": "", "doc": "", "decl_context": ""})


def outer_rows(
    shown: Sequence[Declaration],
    numbers: Sequence[int],
    rows: Sequence[OutlineSymbol],
    depth_of: Sequence[int],
    depth: int,
) -> list[OutlineSymbol]:
    """The rows of some outer levels, each with the number of those inside that are left out."""
    kept = {
        number: row for number, row in zip(numbers, rows, strict=True) if depth_of[number] <= depth
    }
    for row in kept.values():
        row.inside = 0
    # of each declaration, the one of an outer level that it is in
    around: dict[int, int] = {}
    for number in numbers:
        at, inside = number, []
        while depth_of[at] > depth and at not in around:
            inside.append(at)
            at = shown[at].parent
        at = around.get(at, at)
        around |= dict.fromkeys(inside, at)
        if at != number and at in kept:
            kept[at].inside += 1
    return [*kept.values()]
