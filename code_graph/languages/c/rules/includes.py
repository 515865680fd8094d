"""Files that include each other: the target of an include, and the visible declarations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import imports_key, path_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    MemberValue,
    ModuleValue,
    Result,
    Value,
)
from code_graph.expressions import Op
from code_graph.languages.c.imports import IncludePaths
from code_graph.languages.c.rules.linkage import HEADERS as SEEN, shared
from code_graph.model import FILE, Strategy
from code_graph.projects.model import ImportOutcome
from code_graph.projects.tree import Probe, join, parent, shared_depth
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

# names of files that others include
HEADERS: Final = (".h", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".cuh")
LANGUAGES: Final = ("c", "cpp")
# declarations of one name that are all given, as possible ones
_MOST_POSSIBLE: Final = 3

# files that a file includes in any number of steps
_MOST_REACHED: Final = 400

Row = tuple[str, int]


class Inclusion(NamedTuple):
    """A file and the files that it includes; `sources` share no local names."""

    found: Result
    paths: frozenset[str]
    sources: Sequence[str]


def _no_inclusion(_: SourceFile) -> list[Inclusion]:
    return []


class Includes:
    """Visibility between files of C and C++: a header may be one of either."""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        self._evaluation = evaluation
        self._engine = evaluation.engine
        finders = evaluation.engine.files.finders
        self._paths = finders.of(IncludePaths)
        self._probe = Probe(finders.projects.tree, evaluation.engine.depend_on_note)

    def sharing(self, name: str, linkage: str) -> list[str]:
        """The paths of the files of both languages that share a name in this way."""
        whole = shared(name, linkage)
        return [path for language in LANGUAGES for path in self.holding(language, whole)]

    def holding(self, language: str, name: str) -> list[str]:
        """The paths of the files of a language that share a name."""
        return self._engine.declaring(language, name)

    def called_macros(self, file: SourceFile, called: int) -> Result:
        """The macros that a called name means."""
        item = file.expressions[called]
        if item.op != Op.NAME:
            return {}
        found = self._evaluation.names.resolve(file, called)
        return {v: how for v, how in found.items() if self.is_macro(v)}

    def is_macro(self, value: Value) -> bool:
        """True if a name means a macro."""
        item = self._evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
        return item is not None and item.kind == "macro"

    def find(self, file: SourceFile, number: int) -> Result:
        """The file that an include means."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        module = file.facts.imports[number].module
        path = self._path(file, module)
        if path:
            return {ModuleValue(path): Strategy.IMPORT}
        return {External(module): Strategy.IMPORT}

    def _path(self, file: SourceFile, module: str) -> str:
        beside = join(parent(file.path), module)
        if beside is not None:
            self._engine.depend_on(beside, path_key(beside))
            if beside in self._engine.files.paths:
                return beside
        return self._around(file, module)

    def _around(self, file: SourceFile, module: str) -> str:
        found = self._paths.find(module, file.path, self._probe, is_quoted=False)
        return found.path if found.outcome == ImportOutcome.FILE else ""

    def included(self, file: SourceFile) -> frozenset[str]:
        """A file and its direct includes."""
        return self._inclusion(file).paths

    def reached(self, file: SourceFile) -> frozenset[str]:
        """A file and its transitive includes."""
        key = ("reached", file.path)
        paths = self._engine.unit(key, lambda: self._all_reached(file), frozenset())
        self._engine.count(len(paths))
        return paths

    def _all_reached(self, file: SourceFile) -> frozenset[str]:
        paths = [file.path]
        seen = set(paths)
        for path in paths:
            other = self._evaluation.file(path)
            for inner in () if other is None else sorted(self.included(other) - seen):
                if len(paths) < _MOST_REACHED:
                    seen.add(inner)
                    paths.append(inner)
        return frozenset(seen)

    def included_sources(self, file: SourceFile) -> Sequence[str]:
        """The files that a file includes though others see nothing of them, ascending."""
        return self._inclusion(file).sources

    def _inclusion(self, file: SourceFile) -> Inclusion:
        found = self._engine.unit(("included", file.path), lambda: self._all_included(file))
        self._engine.count(len(found))
        made: list[Inclusion] = file.cached("included", _no_inclusion)
        if not made or made[0].found is not found:  # less than all where a budget has ended
            paths = {v.path for v in found if isinstance(v, ModuleValue)}
            sources = [item for item in sorted(paths - {file.path}) if not item.endswith(SEEN)]
            made[:] = [Inclusion(found, frozenset({file.path, *paths}), sources)]
        return made[0]

    def _all_included(self, file: SourceFile) -> Result:
        found: Result = {}
        self._engine.depend_on(file.path, imports_key(file.path))
        for number in range(len(file.facts.imports)):
            found.update(self.find(file, number))
        return found

    def nearest(self, file: SourceFile, rows: Sequence[Row]) -> list[tuple[Row, Strategy]]:
        """The declarations that one name may mean, with how sure that is."""
        self._engine.count(len(rows))
        if len({path for path, _ in rows}) <= 1:
            return [(row, Strategy.IMPORT) for row in rows]
        included = self.included(file)
        seen = [row for row in rows if row[0] in included]
        if len({path for path, _ in seen}) == 1:
            return [(row, Strategy.IMPORT) for row in seen]
        if file.language != "c" and not seen:
            reached = self.reached(file)
            seen = [row for row in rows if row[0] in reached]
            if len({path for path, _ in seen}) == 1:
                return [(row, Strategy.IMPORT) for row in seen]
        rows = seen or rows
        depths = [shared_depth(parent(path), parent(file.path)) for path, _ in rows]
        best = [row for row, depth in zip(rows, depths, strict=True) if depth == max(depths)]
        if len({path for path, _ in best}) == 1:
            return [(row, Strategy.OVERLOAD) for row in best]
        if len({parent(path) for path, _ in best}) == 1:  # one of them is built
            return [(best[0], Strategy.OVERLOAD)]
        return [(row, Strategy.NAME) for row in best[:_MOST_POSSIBLE]]


def of_file(value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
    """A file as the target of an include."""
    yield Definition(value.path, FILE, strategy)


def as_members(rows: Sequence[tuple[Row, Strategy]]) -> Result:
    """Declarations as values."""
    return {MemberValue(path, number): how for (path, number), how in rows}
