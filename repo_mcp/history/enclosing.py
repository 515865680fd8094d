"""Names of the declarations that lines of old texts are in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from code_graph.facts import FAILED, MODULE, DamagedFactsError, Declaration, decode_declarations
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import Indexes

# seconds for parsing the files of a commit, and how many of them are
_SECONDS: Final = 3.0
_MOST_FILES: Final = 40
_MOST_NAMES: Final = 4
# names of a file whose lines are not shown
_MOST_OF_FILE: Final = 30
_VALUES: Final = frozenset({"variable", "constant", "field", "property", "parameter"})
_FUNCTION: Final = "function"
# kinds of declarations that a file begins with, whatever is in it
_AROUND_ALL: Final = frozenset({"module", "namespace", "package"})


class LinesOwner(NamedTuple):
    """A declaration with lines of a text; of one with others inside, some of its own lines."""

    name: str
    first: int
    last: int
    is_outer: bool


class DeclaredLines:
    """The innermost declaration of each line of a text, from 1 on."""

    def __init__(self, rows: Sequence[Declaration]) -> None:
        """Declarations of values inside of functions are none."""
        self._rows = rows
        self._owner: dict[int, int] = {}
        kept = [number for number, item in enumerate(rows) if _is_named(item)]
        # an inner one is written over the one around it
        for number in sorted(kept, key=lambda at: rows[at].start_line - rows[at].end_line):
            item = rows[number]
            self._owner.update(dict.fromkeys(range(item.start_line, item.end_line + 1), number))

    def names(self, first: int, last: int) -> list[str]:
        """The names of those with these lines; without any, of the one that they stood in."""
        return _first_of(self._all_names(first, last), _MOST_NAMES)

    def all_names(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """The names of those with lines of any of these ranges."""
        found = dict.fromkeys(name for span in spans for name in self._all_names(*span))
        return _first_of([*found], _MOST_OF_FILE)

    @cached_property
    def first_line(self) -> int:
        """The first line of a declaration that is not of a module; 1 without any."""
        firsts = (row.start_line for row in self._rows if row.kind not in _AROUND_ALL)
        return min(firsts, default=1)

    def owners(self, first: int, last: int) -> Iterator[LinesOwner]:
        """The declarations with these lines, each with its lines.

        Of one with others inside, as a class is, only those of these lines that are its own.
        """
        for number in self._owners(first, last):
            if number in self._outer:
                own = [at for at in range(first, last + 1) if self._owner.get(at) == number]
                if own:
                    yield LinesOwner(self._name(number), own[0], own[-1], is_outer=True)
            else:
                yield self._whole(number)

    def begun_at(self, line: int) -> LinesOwner | None:
        """The innermost one that begins at a line."""
        number = self._owner.get(line, MODULE)
        return None if number == MODULE or number in self._outer else self._whole(number)

    def _whole(self, number: int) -> LinesOwner:
        item = self._rows[number]
        return LinesOwner(self._name(number), item.start_line, item.end_line, is_outer=False)

    @cached_property
    def all_declared(self) -> frozenset[str]:
        """The names of all."""
        return frozenset(map(self._name, {*self._owner.values()}))

    @cached_property
    def _outer(self) -> set[int]:
        return {self._rows[number].parent for number in self._owner.values()}

    def _all_names(self, first: int, last: int) -> list[str]:
        return [self._name(number) for number in self._owners(first, last)]

    def _owners(self, first: int, last: int) -> list[int]:
        owners = [self._owner.get(at, MODULE) for at in range(first, last + 1)]
        if last < first:  # between two lines
            before, behind = (self._owner.get(at, MODULE) for at in (last, first))
            owners = [before] if before == behind else []
        return [
            number
            for number in dict.fromkeys(owners)
            if number != MODULE and not self._is_within_another(number, first, last)
        ]

    def _is_within_another(self, number: int, first: int, last: int) -> bool:
        """True if the lines have all of a declaration around this one."""
        while (number := self._rows[number].parent) != MODULE:
            if first <= self._rows[number].start_line and self._rows[number].end_line <= last:
                return True
        return False

    def _name(self, number: int) -> str:
        return ".".join(reversed([*self._names(number)]))

    def _names(self, number: int) -> Iterator[str]:
        while number != MODULE:
            yield self._rows[number].name
            number = self._rows[number].parent


def _first_of(names: Sequence[str], most: int) -> list[str]:
    more = len(names) - most
    return [*names[:most], *([f"{more} more"] if more > 0 else [])]


def _is_named(item: Declaration) -> bool:
    return item.kind not in _VALUES or item.scope_kind != _FUNCTION


def declared_lines(
    manager: Indexes, texts: Mapping[str, bytes], budget: Budget
) -> Mapping[str, DeclaredLines]:
    """The declarations of texts by their paths, as far as they are parsed in time.

    They are parsed in a worker, since a text may be made to crash a parser.
    """
    languages = manager.languages
    paths = [path for path in texts if languages.language_of(path)][:_MOST_FILES]
    if not paths:
        return {}
    own: dict[str, bytes | None] = {path: texts[path] for path in paths}
    parsed = manager.on_demand.parse(paths, _SECONDS, budget.within(_SECONDS), own)
    found: dict[str, DeclaredLines] = {}
    for path, item in parsed.items():
        try:
            facts = decode_declarations(item.facts) if item.facts else None
        except DamagedFactsError:
            continue
        if facts is not None and facts.status != FAILED:
            found[path] = DeclaredLines(facts.declarations)
    return found
