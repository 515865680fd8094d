"""Groups matching lines into hits by declaration, with line numbers, up to a page's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format import Snapshot
from repo_mcp.errors import Problem
from repo_mcp.languages.facts import DamagedFactsError, DeclarationPlaces, DeclarationSpan
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import LineMatch
from repo_mcp.stored import FACTS
from repo_mcp.text.cutting import cut, cut_around
from repo_mcp.text.files import fingerprint
from repo_mcp.toolsets.interrogator.results import Hit
from repo_mcp.toolsets.kit.answers import size

_WIDEST: Final = 300
# characters of a long line that are shown before its first match
_BEFORE: Final = 100
_MOST_TERMS: Final = 5
_LONGEST_TERM: Final = 80
_LAST_LINE: Final = 1 << 30


class Symbols:
    """Finds the declaration around a line, for files that are unchanged since they were indexed."""

    def __init__(self, sandbox: Sandbox, snapshot: Snapshot | None) -> None:
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._path = ""
        self._places: Sequence[DeclarationSpan] = ()

    def at(self, path: str, line: int) -> str:
        """Its qualified name; empty if unknown."""
        if path != self._path:
            self._path, self._places = path, self._load_places(path)
        around = (item for item in reversed(self._places) if item.start_line <= line)
        return next((item.qualified for item in around if line <= item.end_line), "")

    def _load_places(self, path: str) -> Sequence[DeclarationSpan]:
        if self._snapshot is None:
            return ()
        known = self._snapshot.file(path)
        facts = self._snapshot.attachment(path, FACTS) if known is not None else b""
        if known is None or not facts:
            return ()
        try:
            if fingerprint(self._sandbox.read(path, follow=False).data) != known.fingerprint:
                return ()
            return DeclarationPlaces(facts).between(1, _LAST_LINE)
        except (Problem, DamagedFactsError):
            return ()


class _OpenHit:
    """A hit in the making: matching lines of one declaration, with context lines."""

    def __init__(self, path: str, symbol: str) -> None:
        self.path = path
        self.symbol = symbol
        self.rows: dict[int, str] = {}
        self.terms: dict[str, None] = {}
        self.count = 0

    def as_result(self) -> Hit:
        """The hit as clients get it."""
        numbers = sorted(self.rows)
        return Hit(
            path=self.path,
            start_line=numbers[0] if numbers else 0,
            end_line=numbers[-1] if numbers else 0,
            score=self.count,
            matched_terms=list(self.terms),
            snippet="\n".join(f"{number}\t{self.rows[number]}" for number in numbers),
            stale=False,
            symbol=self.symbol,
        )


class HitPage:
    """Hits up to a size; `lines` counts the matching lines, `last` is the last one."""

    def __init__(self, symbols: Symbols, room: int) -> None:
        self._symbols = symbols
        self._room = room
        self._hits: list[_OpenHit] = []
        self.lines = 0
        self.last: LineMatch | None = None

    def add(self, match: LineMatch) -> bool:
        """Add a line; False if the page is full. The first line is always added."""
        symbol = self._symbols.at(match.path, match.line)
        hit = self._hits[-1] if self._hits else None
        if hit is None or (hit.path, hit.symbol) != (match.path, symbol):
            hit = _OpenHit(match.path, symbol)
        rows = {number: text for number, text in _rows(match).items() if number not in hit.rows}
        terms = [term for term in _terms(match) if term not in hit.terms]
        terms = terms[: _MOST_TERMS - len(hit.terms)]
        costs = {number: size(f"{number}\t{text}") for number, text in rows.items()}
        head = sum(map(size, terms))
        if not hit.count:
            head += size(hit.as_result()) + 2 * len(str(match.line))
        if not self.lines:
            rows = _nearest(rows, costs, match.line, self._room - head)
        cost = head + sum(costs[number] for number in rows)
        if cost > self._room and self.lines:
            return False
        if not hit.count:
            self._hits.append(hit)
        # a matching line may already be there as context of another
        hit.rows |= rows | {match.line: _cut(match)}
        hit.terms |= dict.fromkeys(terms)
        hit.count += 1
        self._room -= cost
        self.lines += 1
        self.last = match
        return True

    def hits(self) -> list[Hit]:
        """The hits on the page."""
        return [hit.as_result() for hit in self._hits]

    def citations(self) -> list[str]:
        """Files and line ranges, for the audit log."""
        return [f"{hit.path}:{min(hit.rows)}-{max(hit.rows)}" for hit in self._hits]


def _rows(match: LineMatch) -> dict[int, str]:
    """The line and its context lines, by number."""
    before = enumerate(match.before, match.line - len(match.before))
    after = enumerate(match.after, match.line + 1)
    around = {number: cut(text, _WIDEST) for number, text in (*before, *after)}
    return {**around, match.line: _cut(match)}


def _nearest(rows: dict[int, str], costs: dict[int, int], line: int, room: int) -> dict[int, str]:
    """The line and as many of the nearest context lines as fit."""
    kept: dict[int, str] = {}
    for number in sorted(rows, key=lambda number: (abs(number - line), number)):
        room -= costs[number]
        if room < 0 and kept:
            break
        kept[number] = rows[number]
    return kept


def _terms(match: LineMatch) -> list[str]:
    found = (match.text[start:stop][:_LONGEST_TERM] for start, stop in match.columns)
    return list(dict.fromkeys(filter(None, found)))[:_MOST_TERMS]


def _cut(match: LineMatch) -> str:
    """The line, cut around its first match if it is long."""
    return cut_around(match.text, match.columns, _WIDEST, _BEFORE)[0]
