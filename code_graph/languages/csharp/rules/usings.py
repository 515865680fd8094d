"""Usings of C#: the namespaces that a place sees, static types, and aliases for all files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from code_graph.declared.tables import GLOBAL_USING
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, ScopeKind
from code_graph.languages.csharp.imports import ProjectUsings

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

LANGUAGE: Final = "csharp"
_GLOBAL_KEY: Final = language_key(LANGUAGE, GLOBAL_USING)


class Usings:
    """The usings of files, of their namespaces, and of their projects."""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        self._evaluation = evaluation
        self._projects = ProjectUsings(evaluation.engine)

    def namespace(self, file: SourceFile, scope: int) -> str:
        """The namespace around a scope; empty for the global one."""
        for number in file.around(scope):
            if file.kind(number) == ScopeKind.MODULE:
                return file.qualified(number) if number else ""
        return ""

    def namespaces(self, file: SourceFile, scope: int) -> tuple[str, ...]:
        """The namespaces that the usings of a scope name; global usings come last."""
        key = ("usings", file.path, scope)
        return self._evaluation.engine.unit(key, lambda: self._namespaces(file, scope), ())

    def _namespaces(self, file: SourceFile, scope: int) -> tuple[str, ...]:
        names = (self._nearest(file, scope, module) for module in self._written(file, scope))
        return tuple(dict.fromkeys(names))

    def _nearest(self, file: SourceFile, scope: int, name: str) -> str:
        """The namespace of a using, whose name is relative to each namespace around it."""
        for whole in self.candidates(file, scope, name):
            if whole != name and self._is_namespace(whole):
                return whole
        return name

    def _is_namespace(self, whole: str) -> bool:
        return bool(self._evaluation.engine.declaring(LANGUAGE, whole))

    def candidates(self, file: SourceFile, scope: int, name: str) -> Iterator[str]:
        """A name in each namespace around a using, the innermost first, then by itself."""
        around = "" if name.startswith("global::") else self.namespace(file, scope)
        while around:
            yield f"{around}.{name}"
            around = around.rpartition(".")[0]
        yield name

    def levels(self, file: SourceFile, scope: int) -> Mapping[str, int]:
        """The levels of the namespaces that a namespace or file sees; 0 is the nearest."""
        key = ("levels of namespaces", file.path, scope)
        return self._evaluation.engine.unit(key, lambda: self._levels(file, scope), {})

    def _levels(self, file: SourceFile, scope: int) -> dict[str, int]:
        levels: dict[str, int] = {}
        level = 0
        for number in file.around(scope):
            if file.kind(number) != ScopeKind.MODULE:
                continue
            around = self.namespace(file, number)
            levels.setdefault(around, level)
            for name in self.namespaces(file, number):
                levels.setdefault(name, level)
            while around:
                level += 1
                around = around.rpartition(".")[0]
                levels.setdefault(around, level)
        return levels

    def static(self, file: SourceFile, scope: int) -> Iterator[Iterator[str]]:
        """The full names that each using of a scope may have as a type."""
        for module in self._written(file, scope):
            yield self.candidates(file, scope, module)

    def _written(self, file: SourceFile, scope: int) -> Iterator[str]:
        self._evaluation.types.depend_on(file, scope, "*")
        imports = file.facts.imports
        rows = (item.value for item in file.bindings.get((scope, "*"), ()))
        yield from (imports[number].module for number in rows if 0 <= number < len(imports))
        if not scope:
            for other in self._global(file):
                yield from (item.module for item in other.code.exports if item.name == "*")
            yield from (name for name, alias in self._projects.of(file.path) if not alias)

    def aliases(self, file: SourceFile) -> Mapping[str, str]:
        """The aliases that other files declare for all files."""
        key = ("aliases", file.path)
        return self._evaluation.engine.unit(key, lambda: self._aliases(file), {})

    def _aliases(self, file: SourceFile) -> dict[str, str]:
        modules: dict[str, str] = {}
        for other in self._global(file):
            names = {item.name for item in other.code.exports}
            for item in other.facts.imports:
                if item.alias in names:
                    modules.setdefault(item.alias, item.module)
        for name, alias in self._projects.of(file.path):
            if alias:
                modules.setdefault(alias, name)
        return modules

    def _global(self, file: SourceFile) -> list[SourceFile]:
        """The other files with usings that reach a file."""
        key = ("global usings", file.path)
        paths = self._evaluation.engine.unit(key, lambda: self._reaching(file.path), ())
        rows = (self._evaluation.file(path) for path in paths)
        return [other for other in rows if other is not None]

    def _reaching(self, path: str) -> tuple[str, ...]:
        engine = self._evaluation.engine
        engine.depend_on("", _GLOBAL_KEY)
        every = engine.files.declaring(LANGUAGE, GLOBAL_USING)
        others = [other for other in every if other != path]
        return tuple(dict.fromkeys(self._projects.beside(path, others)))

    def scope_of_import(self, file: SourceFile, number: int) -> int:
        """The scope that an import is written in."""
        return file.cached("scopes of imports", _scopes_of_imports).get(number, 0)


def _scopes_of_imports(file: SourceFile) -> dict[int, int]:
    rows = ((item.value, item.scope) for item in file.code.bindings if item.name == "*")
    return {number: scope for number, scope in rows if number != NONE}
