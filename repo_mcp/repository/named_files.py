"""Finds the files that a question about names is about, while no graph tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from code_graph.facts import last_part
from code_graph.paths.name_places import without_parameters
from code_graph.query.model import FUNCTIONS
from repo_mcp.budget import Budget
from repo_mcp.model import QuestionFiles
from repo_mcp.repository.name_lookup import declared_symbols, owner_in
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.repository.word_lines import NamedLines
from repo_mcp.search import RankedEngine

_MOST_HITS: Final = 50
_SECONDS: Final = 1.0


class NamedFiles:
    """Finds the files that questions to one repository are about."""

    def __init__(self, ranked: RankedEngine, lines: NamedLines) -> None:
        self._ranked = ranked
        self._lines = lines

    def find(
        self,
        names: Sequence[str],
        index: OpenIndex,
        budget: Budget,
        *,
        is_direct: bool,
        has_types: bool = True,
    ) -> QuestionFiles:
        """The files that declare names, then all with them, the best ranked ones first.

        A question that `is_direct` needs what uses the names, and not what uses that. Of types it
        needs what their members use only if it `has_types`.
        """
        declaring: dict[str, None] = {}
        using: dict[str, None] = {}
        words: list[str] = []
        bodies: list[str] = []
        names = [*map(without_parameters, names)]
        self._lines.expect(index, (part for name in names for part in _words_of(name)))
        for name in names:
            declared = [] if index.snapshot is None else declared_symbols(index.snapshot, name)
            declaring.update(dict.fromkeys(item.path for item in declared))
            # a place means the symbol there
            whole = declared[0].name if declared else name
            # with the sign of a private member, or of a variable
            own = [last_part(whole), *(item.declaration.name for item in declared[:1])]
            is_type = bool(declared) and declared[0].declaration.kind not in FUNCTIONS
            if has_types or not is_type:
                bodies += own
            if not is_type:  # a constructor is called by the name of its type
                own.append(owner_in(whole))
            words += own
            using.update(dict.fromkeys(self._files_of(whole, index, budget)))
        paths = [*declaring, *(path for path in using if path not in declaring)]
        asked = [*dict.fromkeys(filter(None, words))]
        has_all = all(self._lines.of(index, word).is_complete for word in asked)
        if not is_direct:
            return QuestionFiles(paths, has_all=has_all)
        return QuestionFiles(paths, asked, [*filter(None, bodies)], len(declaring), has_all)

    def _files_of(self, whole: str, index: OpenIndex, budget: Budget) -> Iterator[str]:
        snapshot, limit = index.snapshot, budget.within(_SECONDS)
        word = last_part(whole)
        if not word:
            return
        paths = self._lines.of(index, word).paths()
        owner = owner_in(whole)
        if owner:  # of a common name, files that have its owner's, too
            around = frozenset(self._lines.of(index, owner).paths())
            both = [path for path in paths if path in around]
            yield from sorted(both, key=lambda path: PurePosixPath(path).stem != owner)
        if snapshot is not None:
            hits = self._ranked.search_code(snapshot, word, _MOST_HITS, limit).hits
            having = frozenset(paths)
            yield from (hit.path for hit in hits if hit.path in having or not having)
        yield from paths


def _words_of(name: str) -> Iterator[str]:
    """The words whose lines a question about a name needs."""
    yield last_part(name)
    yield owner_in(name)
