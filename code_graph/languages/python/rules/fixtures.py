"""Fixtures of pytest: functions that the runner calls for the parameters that have their names.

A fixture is looked for in the class, in the module, and in `conftest.py` of the folders around, the
nearest first. One that asks for its own name gets that of the next place.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import name_key, names_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ExternalInstance,
    FunctionValue,
    ModuleValue,
    Result,
    TupleValue,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind, Op, Role, ScopeKind
from code_graph.languages.python.rules.parameter_sets import given_arguments, spread_arguments
from code_graph.model import Strategy
from code_graph.paths.path_kinds import is_test
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation
    from code_graph.languages.python.rules.imports import PythonImports

_DECORATORS: Final = frozenset({"fixture", "yield_fixture", "async_fixture"})
_MARKS: Final = frozenset({"usefixtures"})
_ASKING: Final = frozenset({BindingKind.PARAMETER, BindingKind.KEYWORD_ONLY})
_TEST: Final = "test"
_CONFTEST: Final = "conftest"
_MOST_FOLDERS: Final = 40
# a fixture that yields gives what it yields first
_YIELDING: Final = frozenset(
    {
        *("Generator", "AsyncGenerator", "Iterator", "AsyncIterator", "Iterable"),
        *("AsyncIterable", "Awaitable", "Coroutine"),
    }
)


class _Fixture(NamedTuple):
    """A function by its scope, and whether it is called for all tests around."""

    scope: int
    is_automatic: bool


class PytestFixtures:
    """Finds the fixtures that parameters of tests and of other fixtures get."""

    def __init__(self, evaluation: PythonEvaluation, imports: PythonImports) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation
        self._imports = imports

    def of(self, file: SourceFile, binding: Binding) -> Result:
        """The fixtures that a parameter gets the value of."""
        if binding.kind not in _ASKING or binding.value != NONE or not is_of_tests(file):
            return {}
        declaration = file.code.scopes[binding.scope].declaration
        if declaration == NONE or not self._asks(file, declaration):
            return {}
        return self._named(file, binding.scope, binding.name)

    def given(self, file: SourceFile, binding: Binding) -> list[int]:
        """The expressions that marks of a test give to a parameter."""
        if binding.kind not in _ASKING or not is_of_tests(file):
            return []
        return given_arguments(file, binding)

    def spread(self, file: SourceFile, binding: Binding) -> Result:
        """The elements of lists that marks of a test name, of which a parameter gets one."""
        found: Result = {}
        if binding.kind not in _ASKING or not is_of_tests(file):
            return found
        for number, at in spread_arguments(file, binding):
            rows = self._evaluation.element(self._evaluation.evaluate(file, number))
            for row, how in rows.items():
                if at == NONE:
                    merge(found, {row: how}, Strategy.ARGUMENT)
                elif isinstance(row, TupleValue) and at < len(row.parts):
                    merge(found, dict.fromkeys(row.parts[at], Strategy.ARGUMENT))
        return found

    def used(self, file: SourceFile, declaration: int) -> Result:
        """The fixtures that a mark of a test or of a class of tests names."""
        found: Result = {}
        if not is_of_tests(file):
            return found
        scope = file.scope_of_declaration.get(declaration, NONE)
        for clause in file.clauses.get(declaration, ()):
            item = file.expressions[clause.value] if clause.value != NONE else None
            if item is None or clause.role != Role.DECORATOR or item.op != Op.CALL:
                continue
            if item.of == NONE or file.expressions[item.of].name not in _MARKS or scope == NONE:
                continue
            for part in item.items:
                text = file.expressions[part.value] if part.value != NONE else None
                if text is not None and text.op == Op.TEXT:
                    merge(found, self._named(file, scope, text.name))
        return found

    def automatic(self, file: SourceFile) -> Result:
        """The fixtures that are called for all tests of a file."""
        if not is_of_tests(file) or not _has_tests(file):
            return {}
        found: Result = {}
        for other in (file, *self._around(file.path)):
            # any name may become one of these
            self._evaluation.engine.depend_on(other.path, names_key(other.path))
            for name, fixture in other.cached("pytest fixtures", _fixtures).items():
                self._evaluation.names.depend_on(other, 0, name)
                if fixture.is_automatic:
                    found[FunctionValue(other.path, fixture.scope)] = Strategy.FRAMEWORK
        return found

    def value(self, fixtures: Result) -> Result:
        """The value that a parameter gets: the result, or what is yielded first."""
        found: Result = {}
        for fixture in fixtures:
            if not isinstance(fixture, FunctionValue):
                continue
            for value, strategy in self._evaluation.calls.result(fixture).items():
                is_wrapped = (
                    isinstance(value, ExternalInstance)
                    and value.name.rpartition(".")[2] in _YIELDING
                )
                given = self._evaluation.element({value: strategy}) if is_wrapped else {}
                merge(found, given or {value: strategy}, Strategy.RESULT)
        return found

    def _asks(self, file: SourceFile, declaration: int) -> bool:
        """True for a test, and for a fixture."""
        name = file.declarations[declaration].name.rpartition(".")[2]
        return name.startswith(_TEST) or _decorator(file, declaration) != NONE

    def _named(self, file: SourceFile, scope: int, name: str) -> Result:
        """The nearest fixture of a name that is not the function that asks."""
        around = file.class_around(scope)
        if around != NONE and file.kind(around) == ScopeKind.CLASS:
            found = self._in_class(file, around, scope, name)
            if found:
                return found
        for other in (file, *self._around(file.path)):
            found = self._in_module(other, name)
            found = {value: how for value, how in found.items() if not _is(value, file, scope)}
            if found:
                return found
        return {}

    def _in_class(self, file: SourceFile, around: int, scope: int, name: str) -> Result:
        """A fixture that a class of tests has, or inherits."""
        for owner in self._evaluation.classes.ancestors(file.path, around):
            other = None if owner.external else self._evaluation.file(owner.path)
            if other is None:
                continue
            if other.path != file.path:
                key = name_key(other.path, other.qualified(owner.scope), name)
                self._evaluation.engine.depend_on(other.path, key)
            own = other.cached("pytest fixtures of classes", _fixtures_of_classes)
            fixture = own.get((owner.scope, name))
            if fixture is not None and (other.path, fixture.scope) != (file.path, scope):
                return {FunctionValue(other.path, fixture.scope): Strategy.FRAMEWORK}
        return {}

    def _in_module(self, file: SourceFile, name: str) -> Result:
        """A fixture that a module has, or imports."""
        self._evaluation.names.depend_on(file, 0, name)
        fixture = file.cached("pytest fixtures", _fixtures).get(name)
        if fixture is not None:
            return {FunctionValue(file.path, fixture.scope): Strategy.FRAMEWORK}
        for binding in file.bindings.get((0, name), ()):
            if binding.kind != BindingKind.IMPORTED or binding.value == NONE:
                continue
            item = file.facts.imports[binding.value]
            for module in self._evaluation.language.module_of_import(file, binding.value):
                other = self._file_of(module)
                if other is not None and other.path != file.path and item.name:
                    self._evaluation.names.depend_on(other, 0, item.name)
                    fixture = other.cached("pytest fixtures", _fixtures).get(item.name)
                    if fixture is not None:
                        return {FunctionValue(other.path, fixture.scope): Strategy.FRAMEWORK}
        return {}

    def _file_of(self, module: object) -> SourceFile | None:
        if isinstance(module, ModuleValue) and not module.is_folder:
            return self._evaluation.file(module.path)
        return None

    def _around(self, path: str) -> Iterator[SourceFile]:
        """`conftest.py` of the folder of a file, and of those above it."""
        folder = dirname(path)
        for _ in range(_MOST_FOLDERS):
            for module in self._imports.inside(folder, _CONFTEST, is_folder=True):
                other = self._file_of(module)
                if other is not None and other.path != path:
                    yield other
            if not folder:
                return
            folder = dirname(folder)


def _is(value: object, file: SourceFile, scope: int) -> bool:
    return isinstance(value, FunctionValue) and (value.path, value.scope) == (file.path, scope)


def _decorator(file: SourceFile, declaration: int) -> int:
    """The expression of the decorator that makes a function a fixture; NONE for others."""
    for clause in file.clauses.get(declaration, ()):
        if clause.role == Role.DECORATOR and clause.value != NONE:
            item = file.expressions[clause.value]
            named = file.expressions[item.of] if item.op == Op.CALL and item.of != NONE else item
            if named.name in _DECORATORS:
                return clause.value
    return NONE


def _read(file: SourceFile, declaration: int, decorator: int) -> tuple[str, bool]:
    """The name of a fixture, and whether it is called for all tests."""
    name, is_automatic = file.declarations[declaration].name.rpartition(".")[2], False
    item = file.expressions[decorator]
    for part in item.items if item.op == Op.CALL else ():
        given = file.expressions[part.value] if part.value != NONE else None
        if given is not None and part.name == "name" and given.op == Op.TEXT:
            name = given.name
        elif part.name == "autouse":
            is_automatic = True
    return name, is_automatic


def _every(file: SourceFile) -> Iterator[tuple[int, int, str, bool]]:
    """The scope around, the own scope, the name and the kind of each fixture of a file."""
    for declaration, scope in file.scope_of_declaration.items():
        decorator = _decorator(file, declaration)
        if decorator != NONE:
            yield file.parent(scope), scope, *_read(file, declaration, decorator)


def _fixtures(file: SourceFile) -> dict[str, _Fixture]:
    """The fixtures of a module by their names."""
    return {
        name: _Fixture(scope, is_automatic)
        for around, scope, name, is_automatic in _every(file)
        if file.function_around(around) == 0
    }


def _fixtures_of_classes(file: SourceFile) -> dict[tuple[int, str], _Fixture]:
    """The fixtures in classes, by the scope of the class and their names."""
    return {
        (file.class_around(around), name): _Fixture(scope, is_automatic)
        for around, scope, name, is_automatic in _every(file)
        if file.class_around(around) != NONE
    }


def is_of_tests(file: SourceFile) -> bool:
    """True for a file whose parameters may be fixtures."""
    return file.cached("is of tests", lambda it: is_test(it.path))


def _has_tests(file: SourceFile) -> bool:
    return any(item.name.rpartition(".")[2].startswith(_TEST) for item in file.declarations)
