"""The files of a snapshot as they are now, and what the index knows of those unchanged."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.bundle.weights import FileWeights
from repo_mcp.errors import Problem
from repo_mcp.languages.facts.model import Declaration, Import, Place, Reference
from repo_mcp.languages.facts.wire import (
    DamagedFactsError,
    decode_declarations,
    decode_imports,
    decode_places,
    decode_references,
)
from repo_mcp.languages.registry import Languages
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import FACTS
from repo_mcp.text.files import Rows, fingerprint

_ENDINGS: Final = ("h", "hpp", "hh", "c", "cc", "cpp", "cxx", "m", "pyi", "py", "d.ts", "ts", "js")


class Source(NamedTuple):
    """A file as it was read; `stale` when it is not what was indexed."""

    path: str
    rows: Rows
    fingerprint: str
    stale: bool


class Files:
    """Reads files through the sandbox, each once, and looks up what the index has of them.

    Of a file that changed nothing is known but its text: what was declared may stand elsewhere now.
    """

    def __init__(
        self, snapshot: Snapshot, sandbox: Sandbox, languages: Languages, budget: Budget
    ) -> None:
        """Nothing is read yet; each look at a file asks whether anybody still wants it."""
        self._budget = budget
        self._snapshot = snapshot
        self._sandbox = sandbox
        self.languages = languages
        # why files that were asked for are not shown
        self.refused: Counter[str] = Counter()
        self.source = lru_cache(FileWeights.MOST_CACHED)(self._source)
        self.declarations = lru_cache(FileWeights.MOST_CACHED)(self._declarations)
        self.references = lru_cache(FileWeights.MOST_CACHED)(self._references)
        self.imports = lru_cache(FileWeights.MOST_CACHED)(self._imports)

    def _source(self, path: str) -> Source | None:
        """A file of the index, None when it is gone, refused or no text any more."""
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
        return Source(path, rows, now.hex(), known is None or known.fingerprint != now)

    def siblings(self, path: str) -> list[str]:
        """Files of the same name beside a file that end otherwise: its header, its declarations."""
        stem, dot, ending = path.rpartition(".")
        names = [f"{stem}.{other}" for other in _ENDINGS if other != ending]
        return [name for name in names if dot and self._snapshot.file(name) is not None]

    def places(self, path: str, first: int, last: int) -> list[Place]:
        """Declarations of several lines between two lines or around them; the shorter ones last."""
        data = self._facts(path)
        try:
            return decode_places(data, first, last) if data else []
        except DamagedFactsError:
            return []

    def _declarations(self, path: str) -> tuple[Declaration, ...]:
        """All that a file declares."""
        data = self._facts(path)
        try:
            return decode_declarations(data).declarations if data else ()
        except DamagedFactsError:
            return ()

    def _references(self, path: str) -> tuple[Reference, ...]:
        """The names that a file uses."""
        data = self._facts(path)
        try:
            return decode_references(data) if data else ()
        except DamagedFactsError:
            return ()

    def _imports(self, path: str) -> tuple[Import, ...]:
        """What a file imports."""
        data = self._facts(path)
        try:
            return decode_imports(data) if data else ()
        except DamagedFactsError:
            return ()

    def _facts(self, path: str) -> bytes:
        self._budget.check()
        source = self.source(path)
        if source is None or source.stale:
            return b""
        return self._snapshot.attachment(path, FACTS)
