"""Marks hits on lines that stand under a condition; those that no build compiles rank lower."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from code_graph.language_table import language_named
from index_format.records import replace
from repo_mcp.answers.repository import FileMatches
from repo_mcp.model import AnswerWarning, SearchHit
from repo_mcp.repository import Repository
from repo_mcp.toolsets.kit.answers import size

if TYPE_CHECKING:  # few answers have such lines
    from repo_mcp.builds.line_states import BuiltLine, LineStates

# code that no build compiles has to be so many times as likely: a question may be about it alone
_WEIGHT: Final = 0.5


class BuiltLines:
    """The states of the lines of one answer, in the builds that it is about."""

    def __init__(self, repository: Repository, builds: Sequence[str]) -> None:
        """Nothing is read before a file has conditions."""
        self._repository = repository
        self._builds = builds
        self._states: LineStates | None = None

    @property
    def warnings(self) -> Sequence[AnswerWarning]:
        """Warnings about the builds; of names of builds in any case."""
        if self._builds and self._states is None:
            return self._repository.line_states(self._builds).chosen.warnings
        return () if self._states is None else self._states.warnings

    def of_hits(self, hits: Sequence[SearchHit]) -> list[SearchHit]:
        """The hits with what is known of their lines."""
        states = [self._at(hit.path, hit.shown) for hit in hits]
        marked = [
            replace(hit, built=str(state)) if state and str(state) else hit
            for hit, state in zip(hits, states, strict=True)
        ]
        ordered: list[SearchHit] = []
        waiting: list[SearchHit] = []
        for hit, state in zip(marked, states, strict=True):
            if state is not None and state.is_left_out:
                waiting.append(hit)
                continue
            while waiting and waiting[0].score * _WEIGHT >= hit.score:
                ordered.append(waiting.pop(0))
            ordered.append(hit)
        return [*ordered, *waiting]

    def of_files(self, files: Iterable[FileMatches], room: int) -> int:
        """Mark the matching lines of files as far as there is room; the room that is left."""
        for file in files:
            numbers = [line.number for line in file.lines.lines if not line.around]
            marked = ((str(self._at(file.path, (it, it)) or ""), it) for it in numbers)
            groups = groupby(marked, key=lambda item: item[0])
            told = [
                f"{', '.join(str(number) for _, number in group)}: {mark}"
                for mark, group in groups
                if mark
            ]
            text = "; ".join(told)
            if text and size(text) <= room:
                file.built = text
                room -= size(text)
        return room

    def _at(self, path: str, lines: tuple[int, int]) -> BuiltLine | None:
        """The state that lines have in common; None in a language without conditions."""
        language = self._repository.languages.language_of(path)
        if not language_named(language).conditions:
            return None
        if self._states is None:
            self._states = self._repository.line_states(self._builds)
        first, last = lines
        return self._states.of_lines(path, first, last)
