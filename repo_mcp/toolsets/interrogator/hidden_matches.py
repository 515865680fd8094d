"""Matching files that the filters of an exact search leave out, told beside its first page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.console import visible
from repo_mcp.model import FILE_KINDS, AnswerWarning
from repo_mcp.repository import OpenIndex
from repo_mcp.search import (
    RANK_OF_TESTS,
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    facet_filters,
    has_values,
    kind_of,
    reading_rank,
)
from repo_mcp.text.globs import compile_globs
from repo_mcp.text.plurals import counted, named, verb
from repo_mcp.toolsets.kit.services import Arguments, ToolServices

# bytes of files that are read for it
_MOST_BYTES: Final = 8 << 20
# files that are named, of all and of a kind
_FILTERS: Final = ("file_glob", "language", "kind")


class HiddenMatches:
    """Tells which files match and are left out."""

    def __init__(self, services: ToolServices, engine: ExactEngine) -> None:
        self._services = services
        self._engine = engine

    def warnings(
        self,
        arguments: Arguments,
        query: ExactQuery,
        found: ExactAnswer,
        index: OpenIndex,
        budget: Budget,
    ) -> list[AnswerWarning]:
        """Files of other kinds; where nothing matches, files that any filter leaves out."""
        given = [name for name in _FILTERS if arguments[name]]
        if arguments["mode"] == "structure":  # `language` is the pattern's, and files are parsed
            return []
        if not given or (found.per_file and "kind" not in given):
            return []
        meant = self._other_kinds(arguments) if found.per_file else None
        paths = self._matching(query, meant, index, budget)
        if not paths:
            return []
        if found.per_file:
            return [self._of_kinds(arguments["kind"], paths)]
        return [_of_filters(given, paths)]

    def _other_kinds(self, arguments: Arguments) -> Callable[[str], bool]:
        """True for files of another kind that fulfil all else."""
        languages = self._services.repository.languages
        kinds = facet_filters(None, arguments["kind"])
        by_language = facet_filters(arguments["language"], None)
        glob = compile_globs(arguments["file_glob"]) if arguments["file_glob"] else None

        def fits(path: str) -> bool:
            is_meant = glob is None or glob.matches(path)
            is_meant = is_meant and has_values(path, by_language, languages)
            return is_meant and not has_values(path, kinds, languages)

        return fits

    def _matching(
        self,
        query: ExactQuery,
        fits: Callable[[str], bool] | None,
        index: OpenIndex,
        budget: Budget,
    ) -> Sequence[str]:
        """The files that match among those, in the order of answers."""
        if index.snapshot is None:
            return ()
        counting = replace(query, allowed=fits, limit=0, context=0, most_bytes=_MOST_BYTES)
        return [item.path for item in self._engine.find(index.snapshot, counting, budget).per_file]

    def _of_kinds(self, kind: str, paths: Sequence[str]) -> AnswerWarning:
        """The number of files of each kind; what runs beside code is named, as templates are."""
        languages = self._services.repository.languages
        found: dict[str, list[str]] = {name: [] for name in FILE_KINDS}
        for path in paths:
            found[kind_of(path, languages)].append(path)
        parts: list[str] = []
        for name, of_kind in found.items():
            beside = [path for path in of_kind if reading_rank(path, languages) < RANK_OF_TESTS]
            listed = f" ({named([*map(visible, beside)])})" if beside else ""
            parts += [f"{name} {len(of_kind)}{listed}"] if of_kind else []
        text = f"kind={visible(kind)} leaves out files that match: {', '.join(parts)}"
        return AnswerWarning("elsewhere", text, paths=tuple(paths))


def _of_filters(given: Sequence[str], paths: Sequence[str]) -> AnswerWarning:
    files = counted(len(paths), "file")
    text = (
        f"nothing matches with {' and '.join(given)}; without,"
        f" {files} {verb(len(paths), 'does', 'do')}: {named([*map(visible, paths)])}"
    )
    return AnswerWarning("elsewhere", text, paths=tuple(paths))
