"""How many declarations an index holds, and of which languages: counted once for each segment."""

from __future__ import annotations

from itertools import compress
from typing import Final, NamedTuple

from index_format import Snapshot
from index_format.snapshot import LiveSegment
from repo_mcp.budget import Budget
from repo_mcp.languages.facts_wire import DamagedFactsError, decode_count
from repo_mcp.languages.registry import installed

_CHECK_EVERY: Final = 500


class Symbols(NamedTuple):
    """Declarations in live files, and the languages of these files in order of name."""

    declared: int
    languages: tuple[str, ...]


class _Counted(NamedTuple):
    """Of each file of a segment, dead ones too: its declarations and its language."""

    counts: list[int]
    languages: list[str]


class SymbolCounts:
    """Remembers what segments hold, for as long as they are in use."""

    def __init__(self) -> None:
        """Nothing is counted yet."""
        self._known: dict[str, _Counted] = {}

    def of(self, snapshot: Snapshot, budget: Budget) -> Symbols:
        """What a snapshot holds."""
        known = self._known
        found = {
            segment.entry.name: known.get(segment.entry.name) or _counted(segment, budget)
            for segment in snapshot.segments
        }
        self._known = found
        count, languages = 0, set[str]()
        for segment in snapshot.segments:
            counts, names = found[segment.entry.name]
            alive = segment.alive
            count += sum(compress(counts, alive))
            languages.update(compress(names, alive))
        return Symbols(count, tuple(sorted(languages - {""})))


def _counted(segment: LiveSegment, budget: Budget) -> _Counted:
    language_of = installed().language_of
    reader = segment.reader
    counts: list[int] = []
    for number in range(reader.file_count):
        if not number % _CHECK_EVERY:
            budget.check()
        counts.append(_count(reader.attachments.get(number, "facts")))
    paths = (path.decode("utf-8", "surrogatepass") for path in reader.files.paths)
    return _Counted(counts, [language_of(path) for path in paths])


def _count(data: bytes) -> int:
    try:
        return decode_count(data) if data else 0
    except DamagedFactsError:
        return 0
