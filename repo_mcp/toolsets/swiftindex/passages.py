"""Declarations of a file around and inside of a passage."""

from __future__ import annotations

from typing import Final

from code_graph import PROSE
from code_graph.facts import (
    MODULE,
    DamagedFactsError,
    Declaration,
    Facts,
    decode_declarations,
)
from code_graph.store.schema import FACTS
from index_format import Snapshot
from repo_mcp.model import SearchHit
from repo_mcp.text.cutting import cut

_MOST_SYMBOLS: Final = 12
_MOST_TEXT: Final = 300
_CODE: Final = "code"
_TEXT: Final = "text"
_PROSE: Final = PROSE | {""}
_NOTHING: Final = Facts("")


class DeclaredPassage:
    """A passage, and the declarations around and inside of it."""

    def __init__(self, hit: SearchHit, facts: Facts) -> None:
        self._rows = facts.declarations
        self._language = facts.language
        first, last = hit.start_line, hit.end_line
        around = [
            number
            for number, item in enumerate(self._rows)
            if item.start_line <= first and item.end_line >= last
        ]
        self._inside = [
            number
            for number, item in enumerate(self._rows)
            if first <= item.start_line <= last and number not in around
        ]
        outer = [number for number in self._inside if self._rows[number].parent not in self._inside]
        innermost = max(around, key=lambda number: self._rows[number].start_line, default=MODULE)
        self._main = outer[0] if len(outer) == 1 or (outer and not around) else innermost

    @property
    def declaration(self) -> Declaration | None:
        """The declaration that the passage is of, if there is one."""
        return None if self._main == MODULE else self._rows[self._main]

    @property
    def kind(self) -> str:
        """The kind of the declaration, or of the file's text."""
        if self.declaration is not None:
            return self.declaration.kind
        return _TEXT if self._language in _PROSE else _CODE

    @property
    def symbols(self) -> list[str]:
        """The name of the declaration, and names declared in the passage."""
        main = [] if self._main == MODULE else [self._main]
        names = [self._rows[number].name for number in [*main, *self._inside]]
        return [_line(name) for name in dict.fromkeys(names)][:_MOST_SYMBOLS]

    @property
    def signature(self) -> str:
        """The signature of the declaration."""
        found = self.declaration
        return "" if found is None or self._language in _PROSE else _line(found.signature)

    @property
    def doc_comment(self) -> str:
        """The first line of its documentation."""
        return "" if self.declaration is None else _line(self.declaration.doc)

    def breadcrumb(self, *, whole: bool = False) -> str:
        """The names of the declarations around it, outermost first; `whole` adds its own."""
        names: list[str] = []
        at = self._main
        if at != MODULE and not whole:
            at = self._rows[at].parent
        while at != MODULE:
            names.append(_line(self._rows[at].name))
            at = self._rows[at].parent
        return cut(" > ".join(reversed(names)), _MOST_TEXT)


class PassageReader:
    """Reads the declarations of files of one snapshot, each once."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self._snapshot = snapshot
        self._known: dict[str, Facts] = {}

    def of(self, hit: SearchHit) -> DeclaredPassage:
        """The passage of a hit; one in a changed file has no declarations."""
        return DeclaredPassage(hit, _NOTHING if hit.stale else self._facts(hit.path))

    def _facts(self, path: str) -> Facts:
        if path not in self._known:
            data = b"" if self._snapshot is None else self._snapshot.attachment(path, FACTS)
            try:
                self._known[path] = decode_declarations(data) if data else _NOTHING
            except DamagedFactsError:
                self._known[path] = _NOTHING
        return self._known[path]


def _line(text: str) -> str:
    return cut(" ".join(text.split()), _MOST_TEXT)
