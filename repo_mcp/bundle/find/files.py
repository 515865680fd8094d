"""Reads current files, and the stored facts of unchanged ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from code_graph import Languages
from code_graph.facts import (
    DamagedFactsError,
    Declaration,
    DeclarationPlaces,
    DeclarationSpan,
    Use,
    decode_declarations,
    decode_uses,
)
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.bundle.weights import FileWeights as Weights
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import Rows

T = TypeVar("T")


class FileText(NamedTuple):
    """The content of a file; `stale` if it changed since it was indexed."""

    path: str
    rows: Rows
    fingerprint: str
    stale: bool


class Files:
    """Reads files through the sandbox, with a cache, and looks up their facts in the index.

    A changed file has no facts, as its declarations may have moved.
    """

    def __init__(
        self, snapshot: Snapshot, sandbox: Sandbox, languages: Languages, budget: Budget
    ) -> None:
        self._budget = budget
        self._snapshot = snapshot
        self._sandbox = sandbox
        self.languages = languages
        # error codes of files that could not be read
        self.refused: Counter[str] = Counter()
        # no `lru_cache` of methods: the circle would keep the snapshot's segments open
        self._sources: dict[str, FileText | None] = {}
        self._declared: dict[str, Sequence[Declaration]] = {}
        self._used: dict[str, tuple[Use, ...]] = {}

    def source(self, path: str) -> FileText | None:
        """A file of the index, None if it is gone, refused or not text."""
        return _remember(self._sources, path, self._source)

    def line(self, path: str, number: int) -> str:
        """A line of a file as it is now; empty where it can't be read."""
        source = self.source(path)
        if source is None or not 0 < number <= source.rows.count:
            return ""
        return "".join(source.rows.between(number, number))

    def text(self, path: str) -> str:
        """The text of a file as it is now; empty where it can't be read."""
        source = self.source(path)
        return "" if source is None else "\n".join(source.rows.between(1, source.rows.count))

    def declarations(self, path: str) -> Sequence[Declaration]:
        """The declarations of an unchanged file."""
        return _remember(self._declared, path, self._declarations)

    def uses(self, path: str) -> tuple[Use, ...]:
        """The uses of names in an unchanged file."""
        return _remember(self._used, path, self._uses)

    def _source(self, path: str) -> FileText | None:
        try:
            data = self._sandbox.read(path, follow=False).data
        except Problem as problem:
            self.refused[problem.code] += 1
            return None
        rows = Rows(data)
        if not rows.is_text or rows.is_empty:
            self.refused["binary_file"] += 1
            return None
        now = fingerprint(data)
        known = self._snapshot.file(path)
        return FileText(path, rows, now.hex(), known is None or known.fingerprint != now)

    def places(self, path: str, first: int, last: int) -> list[DeclarationSpan]:
        """Declarations between or around two lines, shorter ones last."""
        data = self._facts(path)
        try:
            return DeclarationPlaces(data).between(first, last) if data else []
        except DamagedFactsError:
            return []

    def _declarations(self, path: str) -> Sequence[Declaration]:
        data = self._facts(path)
        try:
            return decode_declarations(data).declarations if data else ()
        except DamagedFactsError:
            return ()

    def _uses(self, path: str) -> tuple[Use, ...]:
        data = self._facts(path)
        try:
            return decode_uses(data) if data else ()
        except DamagedFactsError:
            return ()

    def _facts(self, path: str) -> bytes:
        self._budget.check()
        source = self.source(path)
        if source is None or source.stale:
            return b""
        return self._snapshot.attachment(path, FACTS)


def _remember(kept: dict[str, T], path: str, read: Callable[[str], T]) -> T:
    """The result for a path, read once; of too many, those used longest ago are dropped."""
    found = kept.pop(path) if path in kept else read(path)
    kept[path] = found
    if len(kept) > Weights.MOST_CACHED:
        del kept[next(iter(kept))]
    return found
