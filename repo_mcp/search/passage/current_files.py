"""The files of hits as they are now, and where their declarations were when they were indexed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from code_graph.facts import DamagedFactsError, DeclarationPlaces, DeclarationSpan
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import LineScan, Sandbox
from repo_mcp.text.files import Rows


class CurrentFile(NamedTuple):
    """A file as it is now."""

    data: bytes
    rows: Rows
    fingerprint: bytes


class CurrentFiles:
    """Reads each file of one answer once: several hits may be in one file."""

    def __init__(self, sandbox: Sandbox, snapshot: Snapshot) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._files: dict[str, CurrentFile | None] = {}
        self._places: dict[str, DeclarationPlaces | None] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read files in one go, which is faster than one by one."""
        named = [path for path in dict.fromkeys(paths) if path not in self._files]
        for path, content in zip(named, self._sandbox.scan(named, LineScan()), strict=True):
            if isinstance(content, bytes):
                self._files[path] = _current_file(content)

    def keep(self, path: str, data: bytes, rows: Rows) -> None:
        """Keep what was read, unless the file was read before."""
        if path not in self._files:
            self._files[path] = CurrentFile(data, rows, fingerprint(data))

    def get(self, path: str) -> CurrentFile | None:
        """The file; None if it is gone or must not be read."""
        if path not in self._files:
            data = self.read(path)
            self._files[path] = None if data is None else _current_file(data)
        return self._files[path]

    def read(self, path: str) -> bytes | None:
        """The content, which is not kept."""
        try:
            return self._sandbox.read(path, follow=False).data
        except Problem:
            return None

    def declarations_named(self, path: str, chunk: int, name: str) -> list[DeclarationSpan]:
        """The declarations of a name in the file of a chunk, if known."""
        places = self.places(path, chunk)
        with suppress(DamagedFactsError):
            return places.named(name) if places else []
        return []

    def declarations_between(
        self, path: str, chunk: int, first: int, last: int
    ) -> list[DeclarationSpan]:
        """The declarations in or around these lines of the file of a chunk, if known."""
        places = self.places(path, chunk)
        with suppress(DamagedFactsError):
            return places.between(first, last) if places else []
        return []

    def places(self, path: str, chunk: int) -> DeclarationPlaces | None:
        """The declarations of the file of a chunk; None if they are missing or damaged."""
        if path not in self._places:
            data = self._snapshot.attachment_of(chunk, FACTS)
            self._places[path] = None
            with suppress(DamagedFactsError):
                self._places[path] = DeclarationPlaces(data) if data else None
        return self._places[path]


def _current_file(data: bytes) -> CurrentFile:
    return CurrentFile(data, Rows(data), fingerprint(data))
