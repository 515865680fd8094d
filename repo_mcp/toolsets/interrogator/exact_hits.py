"""Groups matching lines by file, with line numbers and declarations, up to a page's size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from code_graph.facts import DamagedFactsError, DeclarationPlaces, DeclarationSpan
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import AnswerLine, NumberedLines
from repo_mcp.answers.repository import FileMatches
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import LineMatch
from repo_mcp.text.cutting import cut, cut_around, heading, numbered_line, stretches
from repo_mcp.toolsets.interrogator.line_order import runs_of
from repo_mcp.toolsets.kit.answers import size

if TYPE_CHECKING:  # loaded by those who parse
    from repo_mcp.indexing.workers.on_demand import ParsedNow

NOTHING_PARSED: Final[Mapping[str, ParsedNow]] = MappingProxyType({})
_WIDEST: Final = 300
# characters of a long line that are shown before its first match
_BEFORE: Final = 100
_LAST_LINE: Final = 1 << 30
# so many lines below the first line of a declaration, it is seen to be in that
_NEAR: Final = 2


class Symbols:
    """Finds the declaration around a line, for files that are unchanged since they were parsed."""

    def __init__(
        self,
        sandbox: Sandbox,
        snapshot: Snapshot | None,
        parsed: Mapping[str, ParsedNow] = NOTHING_PARSED,
    ) -> None:
        """Facts are those that were `parsed` for the question, or else those of the index."""
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._parsed = parsed
        self._places: dict[str, Sequence[DeclarationSpan]] = {}

    def at(self, path: str, line: int) -> DeclarationSpan | None:
        """The innermost one of several lines, or else of one; None if there is none known.

        A field that a function sets on several lines is declared by the class around it: a line of
        it is in the function.
        """
        self.has_any(path)
        inside: DeclarationSpan | None = None
        alone: DeclarationSpan | None = None
        for item in reversed(self._places[path]):
            if not item.holds(line, line):
                continue
            if item.start_line == item.end_line:
                alone = alone or item
            elif inside is None or _are_members_of_one(inside, item):
                inside = item
            else:
                break
        return inside or alone

    def has_any(self, path: str) -> bool:
        """True if any declaration of a file is known."""
        if path not in self._places:
            self._places[path] = self._load_places(path)
        return bool(self._places[path])

    def _load_places(self, path: str) -> Sequence[DeclarationSpan]:
        print_, facts = self._facts_of(path)
        if not facts:
            return ()
        try:
            if fingerprint(self._sandbox.read(path, follow=False).data) != print_:
                return ()
            return DeclarationPlaces(facts).between(1, _LAST_LINE)
        except (Problem, DamagedFactsError):
            return ()

    def _facts_of(self, path: str) -> tuple[bytes, bytes]:
        """The fingerprint of the text that a file's facts are of, and these."""
        if path in self._parsed:
            return self._parsed[path]
        known = None if self._snapshot is None else self._snapshot.file(path)
        if known is None or self._snapshot is None:
            return b"", b""
        return known.fingerprint, self._snapshot.attachment(path, FACTS)


def _are_members_of_one(field: DeclarationSpan, function: DeclarationSpan) -> bool:
    """True if one declaration is inside another one, and a member of what that is a member of."""
    holder = function.qualified.rpartition(".")[0]
    return bool(holder) and field.qualified.rpartition(".")[0] == holder


class _OpenFile:
    """Matching lines of one file, with lines around them and names of declarations."""

    def __init__(self, path: str) -> None:
        self.path = path
        # lines and their declarations by number, and the numbers of the lines that match
        self.rows: dict[int, str] = {}
        self.declarations: dict[int, DeclarationSpan | None] = {}
        self.matching: set[int] = set()
        # the declaration that the last of these lines is known to be in
        self.told = _HeadingState()
        # the last lines of matches that are longer than a line, by the first
        self.ends: dict[int, int] = {}

    def copy(self) -> _OpenFile:
        """Another one with the same lines."""
        copied = _OpenFile(self.path)
        vars(copied).update(vars(self))
        return copied

    def as_result(self) -> FileMatches:
        """The file as clients get it."""
        ends = ", ".join(f"{first}-{last}" for first, last in sorted(self.ends.items()))
        return FileMatches(path=self.path, lines=NumberedLines(self._lines()), ends=ends)

    def _lines(self) -> Iterator[AnswerLine]:
        headings, _ = _headings(sorted(self.declarations.items()), self.matching, _HeadingState())
        for number in sorted(self.rows):
            around = number not in self.matching
            yield AnswerLine(number, self.rows[number], around, headings.get(number))

    def citations(self) -> Iterator[str]:
        """Each run of lines, for the audit log."""
        for first, last in stretches(sorted(self.rows)):
            yield f"{self.path}:{first}-{last}"


class HitPage:
    """Files with matching lines up to a size; `lines` counts these lines."""

    def __init__(
        self,
        room: int,
        symbols: Symbols | None = None,
        around: int = 0,
        *,
        whole: bool = True,
    ) -> None:
        """With `symbols`, lines stand below the names of the declarations that they are in.

        So many lines `around` are shown, and with `whole` those of a match of several lines.
        """
        self._around = around
        self._whole = whole
        self.has_long = False
        self._symbols = symbols
        self.room = room
        self._files: dict[str, _OpenFile] = {}
        self.lines = 0

    def add(self, match: LineMatch) -> bool:
        """Add a line to those of its file; False if the page is full, but for the first one."""
        file = self._files.get(match.path) or _OpenFile(match.path)
        if file.rows and match.line < max(file.rows):
            return self._insert(file, match)
        rows = {
            number: text
            for number, text in _rows(match, self._around, whole=self._whole).items()
            if number not in file.rows
        }
        costs = {number: size(numbered_line(number, text)) for number, text in rows.items()}
        last = max(_ends(match))
        head = size(f"{match.line}-{last}, ") if last > match.line else 0
        self.has_long |= last > match.line
        if not file.rows:
            head += size(file.as_result())
        if not self.lines:
            rows = _nearest(rows, costs, match.line, self.room - head)
        cost = head + sum(costs[number] for number in rows)
        declarations = self._declarations(match, rows)
        following = [item for item in declarations.items() if item[0] not in file.declarations]
        named, told = _headings(sorted(following), {match.line}, file.told)
        cost += sum(size(heading(name)) for name in named.values())
        if match.line in file.declarations and declarations[match.line] is None:
            # it was one beside a match, without a heading, and so were those that follow
            cost += size(heading("")) + size(heading(file.told.name))
        if cost > self.room and self.lines:
            return False
        self._files[match.path] = file
        # a matching line may already be there as one around another
        file.rows |= rows | {match.line: _cut(match)}
        file.declarations |= declarations
        file.matching.add(match.line)
        file.told = told
        if last > match.line:
            file.ends[match.line] = last
        self.room -= cost
        self.lines += 1
        return True

    def _insert(self, file: _OpenFile, match: LineMatch) -> bool:
        """Add a line above others of its file; False if the page is full."""
        rows = _rows(match, self._around, whole=self._whole)
        wider = file.copy()
        wider.rows = rows | file.rows | {match.line: _cut(match)}
        wider.declarations = self._declarations(match, rows) | file.declarations
        wider.matching = {*file.matching, match.line}
        if (last := max(_ends(match))) > match.line:
            wider.ends = {**file.ends, match.line: last}
            self.has_long = True
        cost = size(wider.as_result()) - size(file.as_result())
        if cost > self.room:
            return False
        self._files[file.path] = wider
        self.room -= cost
        self.lines += 1
        return True

    def _declarations(
        self, match: LineMatch, rows: Mapping[int, str]
    ) -> dict[int, DeclarationSpan | None]:
        """The innermost declaration of the line and of those around it that are not blank."""
        symbols = self._symbols
        if symbols is None:
            return {}
        named = {match.line, *(number for number, text in rows.items() if text.strip())}
        return {number: symbols.at(match.path, number) for number in named}

    def left(self, path: str, matches: Sequence[LineMatch]) -> tuple[int, list[tuple[str, int]]]:
        """The number of a file's matching lines that are shown, and where the others are."""
        shown = len(self._files[path].matching) if path in self._files else 0
        return shown, runs_of(sorted(match.line for match in matches[shown:]))

    def files(self, order: Iterable[str]) -> list[FileMatches]:
        """The files on the page, in an order of all files."""
        return [self._files[path].as_result() for path in order if path in self._files]

    def citations(self) -> list[str]:
        """Files and line ranges, for the audit log."""
        return [item for file in self._files.values() for item in file.citations()]


class _HeadingState(NamedTuple):
    """The declaration that the lines so far are known to be in, by a heading or its first line.

    And the last heading: it tells what further declarations are in that begin below it.
    """

    name: str = ""
    by_heading: bool = False
    line: int = -_NEAR
    heading: str = ""


def _headings(
    declarations: Iterable[tuple[int, DeclarationSpan | None]],
    matching: AbstractSet[int],
    told: _HeadingState,
) -> tuple[dict[int, str], _HeadingState]:
    """By number, the names above lines that are in another declaration than those before.

    And what the last one has told. A line beside a match that no declaration has gets none.
    """
    found: dict[int, str] = {}
    for number, declaration in declarations:
        named: str | None = None
        if declaration is not None:
            named, told = _heading(declaration, number, told)
        elif told.name and number in matching:
            named, told = "", _HeadingState("", by_heading=True, line=number)
        if named is not None:
            found[number] = named
            told = told._replace(heading=named)
    return found, told


def _heading(
    declaration: DeclarationSpan, line: int, told: _HeadingState
) -> tuple[str | None, _HeadingState]:
    """The name above a line of a declaration, if it is due, and what the line tells.

    A line that begins a declaration names it, for itself and the lines close below, but not the
    class that it is of.
    """
    symbol, is_near = declaration.qualified, line - told.line <= _NEAR
    around = symbol.rpartition(".")[0]
    if declaration.start_line != line:
        is_told = symbol == told.name and (told.by_heading or is_near)
        if is_told:
            return None, told._replace(line=line)
        return symbol, _HeadingState(symbol, by_heading=True, line=line)
    siblings = (told.name, told.name.rpartition(".")[0]) if is_near else (told.name,)
    # the head of a function of the top level is seen to be in no other
    is_head = not around and declaration.end_line > line
    is_told = around in siblings or is_head or (is_near and not around)
    above = told.heading if around == told.heading else ""
    if declaration.end_line > line:
        following = _HeadingState(symbol, by_heading=False, line=line, heading=above)
    else:
        following = _HeadingState(around, by_heading=True, line=line, heading=above)
    return None if is_told or above else around, following


def _rows(match: LineMatch, around: int, *, whole: bool) -> dict[int, str]:
    """The line, so many lines around it, and if `whole` the others of its match, by number."""
    first, last = match.line - around, match.line + around
    last = max(last, *_ends(match)) if whole else last
    before = enumerate(match.before, match.line - len(match.before))
    after = enumerate(match.after, match.line + 1)
    shown = {
        number: cut(text, _WIDEST) for number, text in (*before, *after) if first <= number <= last
    }
    return {**shown, match.line: _cut(match)}


def _ends(match: LineMatch) -> Iterator[int]:
    yield match.line
    yield from (tree.end_line for tree in match.trees)


def _nearest(rows: dict[int, str], costs: dict[int, int], line: int, room: int) -> dict[int, str]:
    """The line and as many of the nearest context lines as fit."""
    kept: dict[int, str] = {}
    for number in sorted(rows, key=lambda number: (abs(number - line), number)):
        room -= costs[number]
        if room < 0 and kept:
            break
        kept[number] = rows[number]
    return kept


def _cut(match: LineMatch) -> str:
    """The line, cut around its first match if it is long."""
    return cut_around(match.text, match.columns, _WIDEST, _BEFORE)[0]
