"""The state of a line in the builds that a question is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final

from code_graph.conditions.branches import (
    EVERY,
    Branches,
    LineState,
    evaluate_branches,
)
from code_graph.conditions.definitions import MacroTable
from code_graph.conditions.truth import Truth
from code_graph.language_table import language_named
from index_format.tuples import NamedTuple
from repo_mcp.builds.builds import Builds, ChosenBuilds
from repo_mcp.builds.tree_files import KnownDirectives, SandboxFiles, known_directives
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Sandbox

_NONE: Final = Branches([(1, LineState(Truth.FALSE))])

# begins directives and attributes, which are of no branch
_MARK: Final = "#"
_CUT: Final = AnswerWarning(
    "conditions", "not all lines of this answer were looked up in builds: ask for fewer"
)


class BuiltLine(NamedTuple):
    """The condition of a line, and the builds that do not compile it."""

    condition: str = ""
    left_out_of: tuple[str, ...] = ()
    # true if that are all builds, or no build would compile it
    is_left_out: bool = False

    def __str__(self) -> str:
        """The mark of a row, without brackets; empty for a line of every build."""
        parts = [f"if {self.condition}"] if self.condition else []
        if self.left_out_of:
            parts.append(f"not compiled in {', '.join(self.left_out_of)}")
        elif self.is_left_out:
            parts.append("not compiled")
        return ", ".join(reversed(parts))


COMPILED: Final = BuiltLine()


class LineStates:
    """The states of lines in some builds, file by file as they are asked for."""

    def __init__(
        self,
        sandbox: Sandbox,
        language_of: Callable[[str], str],
        builds: Builds,
        names: Sequence[str],
        known: KnownDirectives,
    ) -> None:
        """Builds are chosen once a file has conditions."""
        self._files = SandboxFiles(sandbox, known)
        self._language_of = language_of
        self._builds, self._names = builds, names
        # by path the states in each build that says anything of the file
        self._known: dict[str, Sequence[tuple[str, Branches]]] = {}

    @cached_property
    def chosen(self) -> ChosenBuilds:
        """The builds, and warnings about them."""
        return self._builds.choose(self._names)

    @property
    def warnings(self) -> Sequence[AnswerWarning]:
        """Warnings about the builds, if any file was looked at."""
        known = [*self.chosen.warnings] if "chosen" in vars(self) else []
        return [*known, _CUT] if self._files.is_cut else known

    def at(self, path: str, line: int) -> BuiltLine:
        """The state of a line."""
        if path not in self._known:
            self._known[path] = self._evaluate(path)
        states = [(name, branches.at(line)) for name, branches in self._known[path]]
        if all(state is EVERY for _, state in states):
            return COMPILED
        condition = next((state.condition for _, state in states if state.condition), "")
        left_out = [name for name, state in states if state.is_left_out]
        names = tuple(name for name in left_out if name)
        return BuiltLine(condition, names, len(left_out) == len(states))

    def of_lines(self, path: str, first: int, last: int) -> BuiltLine:
        """The state that lines of code have in common; without one, that of compiled lines."""
        rows = (self._files.text(path) or "").split("\n")[first - 1 : last]
        states = [
            self.at(path, number)
            for number, row in enumerate(rows, first)
            if row.strip() and not row.lstrip().startswith(_MARK)
        ]
        are_alike = len({*states}) == 1 or all(state.is_left_out for state in states)
        return states[0] if states and are_alike else COMPILED

    def _evaluate(self, path: str) -> Sequence[tuple[str, Branches]]:
        language = self._language_of(path)
        reader = language_named(language).conditions
        directives = self._files.conditions(path, reader) if reader else None
        if directives is None:
            return ()
        evaluated: list[tuple[str, Branches]] = []
        for build in self.chosen.builds:
            if build.leaves_out(path, self._files):
                evaluated.append((build.name, _NONE))
            elif (macros := build.definitions(path, language, self._files)) is not None:
                evaluated.append((build.name, evaluate_branches(directives, macros)))
        return evaluated or [("", evaluate_branches(directives, MacroTable()))]


def states_in(
    sandbox: Sandbox, roots: Mapping[str, str], language_of: Callable[[str], str]
) -> Callable[[Sequence[str]], LineStates]:
    """A function that gives the states of lines in builds by their names."""
    builds = Builds(sandbox, roots)
    known = known_directives()
    return lambda names: LineStates(sandbox, language_of, builds, names, known)
