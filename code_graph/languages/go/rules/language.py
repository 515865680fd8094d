"""The rules of Go for the linker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import dirname
from typing import ClassVar, Final

from code_graph.declared.effects import LibraryRules, LibraryTable
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.rules import Parts
from code_graph.declared.tables import DeclarationTable
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, BindingKind, Expression, Op, Role, ScopeKind
from code_graph.facts import MODULE, Declaration
from code_graph.languages.go.conditions import LEFT_OUT, is_of_default
from code_graph.languages.go.imports import GoPackages
from code_graph.languages.go.outline import package_name
from code_graph.languages.go.rules.interfaces import GoDefinitions
from code_graph.languages.go.rules.signatures import types_of
from code_graph.model import Strategy
from code_graph.paths.installed import is_package
from code_graph.projects.model import ImportOutcome
from code_graph.projects.tree import Probe

_LANGUAGE: Final = "go"
# questions for the files of a folder
_FILES: Final = "go-files:"
_TESTS: Final = "_test.go"


class GoEvaluation(DeclaredEvaluation):
    """Evaluates expressions; some look like types."""

    def _of(self, file: SourceFile, number: int, item: Expression) -> Result:
        """An element at a key, which looks as a type with arguments does."""
        values = self.evaluate(file, item.of) if item.op == Op.APPLY else {}
        if any(isinstance(value, Instance | ExternalInstance) for value in values):
            return self._index(file, number, item)
        return super()._of(file, number, item)


class GoRules(LibraryRules):
    """Packages, receivers, embedded types and builtins of Go."""

    parts = Parts(evaluation=GoEvaluation, definitions=GoDefinitions)
    constructs: ClassVar[bool] = False
    binds_in_order: ClassVar[bool] = True
    refers_to_alias: ClassVar[bool] = True
    renames_parameters: ClassVar[bool] = True
    library = LibraryTable.of(_LANGUAGE)
    has_properties: ClassVar[bool] = False
    plain_types = library.types["plain"]
    top_types: ClassVar[frozenset[str]] = frozenset({"any"})
    literals = library.literals
    nullable: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._folders: dict[str, list[str]] | None = None
        self._methods: dict[str, dict[tuple[str, str], list[tuple[str, int]]]] = {}

    # packages

    def package_paths(self, folder: str) -> list[str]:
        """The paths of the files of a folder, without the tests of an installed package."""
        if self._folders is None:
            self._folders = {}
            for path in sorted(self._evaluation.engine.files.paths):
                if path.endswith(".go") and not (path.endswith(_TESTS) and is_package(path)):
                    self._folders.setdefault(dirname(path), []).append(path)
        return self._folders.get(folder, [])

    def package_files(self, folder: str) -> list[SourceFile]:
        """The files of a folder."""
        rows = (self._evaluation.file(path) for path in self.package_paths(folder))
        return [file for file in rows if file is not None]

    def _in_package(self, file: SourceFile, folder: str, name: str, *, is_own: bool) -> Result:
        """The declarations of a package by name; tests are visible in their own package only."""
        package = self._evaluation.types.table(file).package if is_own else ""
        sees_tests = is_own and file.path.endswith(_TESTS)
        key = ("in package", folder, name, package, sees_tests, self._is_left_out(file.path))
        return self._evaluation.engine.unit(
            key, lambda: self._find_in_package(file, folder, name, is_own=is_own)
        )

    def _find_in_package(self, file: SourceFile, folder: str, name: str, *, is_own: bool) -> Result:
        self._evaluation.engine.depend_on("", language_key(_LANGUAGE, f"{folder}\0{name}"))
        found: Result = {}
        for other in self.package_files(folder):
            if other.path.endswith(_TESTS) and not (is_own and file.path.endswith(_TESTS)):
                continue
            if is_own and not self._is_same(file, other):
                continue
            for binding in other.bindings.get((0, name), ()):
                if binding.kind == BindingKind.DECLARED and binding.declaration != NONE:
                    merge(found, {MemberValue(other.path, binding.declaration): Strategy.SCOPE})
        if len(found) > 1 and not self._is_left_out(file.path):
            # the declaration that a build takes by default, of those under conditions
            kept: Result = {
                value: Strategy.OVERLOAD
                for value in found
                if isinstance(value, MemberValue) and not self._is_left_out(value.path)
            }
            return kept or found
        return found

    def _is_left_out(self, path: str) -> bool:
        """True if the conditions of a file do not hold by default."""
        file = self._evaluation.file(path)
        return file is not None and is_left_out(file)

    def _is_same(self, file: SourceFile, other: SourceFile) -> bool:
        table = self._evaluation.types.table
        return table(file).package == table(other).package

    def _imported(self, file: SourceFile, name: str) -> Result:
        """The package that a name stands for in a file."""
        for binding in file.bindings.get((0, name), ()):
            if binding.kind == BindingKind.IMPORTED:
                return self.imported(file, binding.value)
        return {}

    def imported(self, file: SourceFile, number: int) -> Result:
        """The package that an import names."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        return self.package_of(file.facts.imports[number].module, file.path)

    def package_of(self, module: str, path: str) -> Result:
        """The package that an import of a file names."""
        engine = self._evaluation.engine
        probe = Probe(engine.files.finders.projects.tree, engine.depend_on_note)
        found = engine.files.finders.of(GoPackages).find(module, path, probe)
        if found.outcome == ImportOutcome.FOLDER:
            how = Strategy.VERSION if found.others else Strategy.IMPORT
            places = (found.path, *found.others)
            return {ModuleValue(place, is_folder=True): how for place in places}
        return {External(module): Strategy.IMPORT}

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A name of the package, or an imported package."""
        self._evaluation.types.depend_on(file, scope, name)
        found = self._imported(file, name)
        if found:
            return found
        declared = self._in_package(file, dirname(file.path), name, is_own=True)
        found = {value: how for value, how in declared.items() if not self._is_type(value)}
        if found or declared:
            return found
        return self._unnamed(file, name) or self._of_dots(file, name, self.member_of_package)

    def _is_type(self, value: Value) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return False
        scope = file.scope_of_declaration.get(value.declaration, NONE)
        is_class = scope != NONE and file.kind(scope) == ScopeKind.CLASS
        return is_class or file.declarations[value.declaration].kind == "type"

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the package, or an imported package."""
        del arity
        self._evaluation.types.depend_on(file, scope, name)
        found = self._imported(file, name)
        if found:
            return found
        found = self._types(self._in_package(file, dirname(file.path), name, is_own=True))
        return found or self._unnamed(file, name) or self._of_dots(file, name, self.type_of_package)

    def _of_dots(
        self, file: SourceFile, name: str, of: Callable[[SourceFile, ModuleValue, str], Result]
    ) -> Result:
        """A name of a package that is imported with a dot."""
        for binding in file.bindings.get((0, "*"), ()):
            for value in self.imported(file, binding.value):
                found = of(file, value, name) if isinstance(value, ModuleValue) else {}
                if found:
                    return found
        return {}

    def _unnamed(self, file: SourceFile, name: str) -> Result:
        """The imported package that says a name which its path does not end with."""
        key = ("unnamed packages", file.path)
        found = self._evaluation.engine.unit(key, lambda: self._other_names(file))
        rows = (v for v in found if isinstance(v, ModuleValue) and self._says(v, name))
        return dict.fromkeys(rows, Strategy.IMPORT)

    def _other_names(self, file: SourceFile) -> Result:
        """The packages that are imported without a name, and say another than expected."""
        found: Result = {}
        self._evaluation.engine.depend_on("", language_key(_LANGUAGE, f"{file.path}\0"))
        for binding in file.code.bindings:
            is_imported = binding.kind == BindingKind.IMPORTED and binding.name != "*"
            item = file.facts.imports[binding.value] if is_imported else None
            if item is None or item.alias != package_name(item.module):
                continue
            for value in self.imported(file, binding.value):
                if isinstance(value, ModuleValue) and not self._says(value, binding.name):
                    found[value] = Strategy.IMPORT
        return found

    def _says(self, value: ModuleValue, name: str) -> bool:
        """True if the files of a package say that it has a name."""
        self._evaluation.engine.depend_on("", language_key(_LANGUAGE, f"{value.path}\0"))
        for path in self.package_paths(value.path):
            file = None if path.endswith(_TESTS) else self._evaluation.file(path)
            if file is not None:
                return self._evaluation.types.table(file).package == name
        return False

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The alias that a name is, which stands for another type."""
        item = file.expressions[number]
        if any(not isinstance(v, ClassValue | External) or self._has(v, item.name) for v in found):
            return {}
        if item.op == Op.NAME:
            return self._alias(file, dirname(file.path), item.name, is_own=True)
        made: Result = {}
        for value in self._evaluation.evaluate(file, item.of) if item.of != NONE else ():
            if isinstance(value, ModuleValue):
                merge(made, self._alias(file, value.path, item.name, is_own=False))
        return made

    def _has(self, value: Value, name: str) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, ClassValue) else None
        if file is None or not isinstance(value, ClassValue):
            return isinstance(value, External) and name in self.library.types["builtins"]
        declaration = file.code.scopes[value.scope].declaration
        return declaration != NONE and file.declarations[declaration].name == name

    def _alias(self, file: SourceFile, folder: str, name: str, *, is_own: bool) -> Result:
        key = ("alias", file.path if is_own else "", folder, name)

        def compute() -> Result:
            return {
                value: how
                for value, how in self._in_package(file, folder, name, is_own=is_own).items()
                if isinstance(value, MemberValue) and self._is_alias(value)
            }

        return self._evaluation.engine.unit(key, compute)

    def _is_alias(self, value: MemberValue) -> bool:
        file = self._evaluation.file(value.path)
        if file is None:
            return False
        self._evaluation.classes.depend_on_declaration(file, value.declaration)
        return self._evaluation.types.table(file).clause(value.declaration, Role.ALIAS) != NONE

    def _types(self, declared: Result) -> Result:
        found: Result = {}
        for value, how in declared.items():
            file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if isinstance(value, MemberValue) and file is not None and self._is_type(value):
                alias = self._evaluation.types.table(file).clause(value.declaration, Role.ALIAS)
                if alias != NONE:
                    merge(found, self._evaluation.types.of(file, alias), how)
                else:
                    merge(found, self._evaluation.types.value_of(file, value.declaration), how)
        return found

    def member_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """Meanings of a name in an imported package."""
        declared = self._in_package(file, value.path, name, is_own=False)
        found = {v: how for v, how in declared.items() if not self._is_type(v)}
        merge(found, self._types(declared))
        return {v: max(how, Strategy.IMPORT) for v, how in found.items()}

    def type_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """Types that a name means in an imported package."""
        found = self._types(self._in_package(file, value.path, name, is_own=False))
        return {v: max(how, Strategy.IMPORT) for v, how in found.items()}

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with its package; that is a member of the package."""
        del file, scope, whole, arity
        return {}

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """The first file of a package that says its name stands for it."""
        self._evaluation.engine.depend_on("", language_key(_LANGUAGE, f"{value.path}\0"))
        for file in self.package_files(value.path):
            for number, item in enumerate(file.declarations):
                if item.kind == "package" and not file.path.endswith(_TESTS):
                    yield Definition(file.path, number, strategy)
                    return

    # methods outside of their types

    def members_elsewhere(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """The methods of a type in the files of its package."""
        file = self._evaluation.file(path)
        if file is None or file.code.scopes[scope].declaration == NONE:
            return []
        folder = dirname(path)
        own = file.declarations[file.code.scopes[scope].declaration].name
        self._evaluation.engine.depend_on("", language_key(_LANGUAGE, f"{folder}\0{own}.{name}"))
        methods = self._methods.get(folder)
        if methods is None:
            methods = self._methods[folder] = {}
            for other in self.package_files(folder):
                for clause in other.code.clauses:
                    if clause.role == Role.RECEIVER and clause.declaration != NONE:
                        last = method_name(other, clause.declaration)
                        key = receiver_name(other, clause.value), last
                        methods.setdefault(key, []).append((other.path, clause.declaration))
        rows = methods.get((own, name), [])
        if len(rows) > 1:
            return [row for row in rows if not self._is_left_out(row[0])] or rows
        return rows

    def owner_elsewhere(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The type of the receiver of a method."""
        number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
        for value in self._evaluation.types.of(file, number) if number != NONE else ():
            if isinstance(value, ClassValue):
                return ClassValue(value.path, value.scope)
        return None

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """Methods are declared in the package of their type alone."""
        del file, number, owner
        return True

    # types

    def iterated(self, value: Instance) -> Result:
        """The elements of a type's underlying type."""
        return self._evaluation.element(self._underlying(value))

    def indexed(self, value: Instance) -> Result:
        """The values of a type's underlying type at a key."""
        found: Result = {}
        for inner in self._underlying(value):
            merge(found, with_strategy(self.item(inner), Strategy.GENERIC))
        return found

    def function_in(self, value: Instance) -> Value | None:
        """The function that a type's underlying type is."""
        functions = (
            inner
            for inner in self._underlying(value)
            if isinstance(inner, ExternalInstance) and inner.name == CALLABLE
        )
        return next(functions, None)

    def _underlying(self, value: Instance) -> Result:
        """The underlying type of a declared type: `type Names []string`."""
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE or file.declarations[declaration].kind != "type":
            return {}
        number = self._evaluation.types.table(file).clause(declaration, Role.TYPE)
        if number == NONE:
            return {}
        key = ("underlying", value.path, value.scope)
        return self._evaluation.engine.unit(
            key, lambda: self._evaluation.types.instances(file, number)
        )

    def is_interface(self, name: str) -> bool:
        """Interfaces of other packages are not told from structs."""
        del name
        return False

    def deconstructed(self, value: Instance, position: int) -> Result:
        """The value of `v, ok := m[k]` and of a type assertion."""
        return {value: Strategy.DECLARED} if position == 0 else {}

    def part(self, value: Value, position: int) -> Values:
        """The value of `v, ok := m[k]`."""
        return (value,) if position == 0 and not isinstance(value, TupleValue) else ()

    def key(self, value: Value) -> Values:
        """The first value of an iteration: an element of a channel."""
        if isinstance(value, ExternalInstance) and value.name == "chan":
            return self.element(value)
        return super().key(value)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a builtin or a function of another module returns."""
        items = file.expressions[number].items
        if value.name in {"make", "new"} and items:
            return self._evaluation.types.instances(file, items[0].value)
        if value.name in self.library.types["builtins"] and value.name not in self.library.names:
            return {ExternalInstance(value.name): Strategy.DECLARED}
        return super().call_external(value, file, number)

    def replaces(self, item: Declaration) -> bool:
        """A method hides a method of an embedded type; it overrides none."""
        del item
        return False


def is_left_out(file: SourceFile) -> bool:
    """True if the conditions of a file do not hold by default."""
    return file.cached("left out", _is_left_out)


def _is_left_out(file: SourceFile) -> bool:
    package = next((item for item in file.declarations if item.kind == "package"), None)
    is_excluded = package is not None and LEFT_OUT in package.modifiers
    return is_excluded or not is_of_default(file.path)


def method_name(file: SourceFile, declaration: int) -> str:
    """The name of a method, without the type that stands before it in another file."""
    return file.declarations[declaration].name.rpartition(".")[2]


def receiver_name(file: SourceFile, number: int) -> str:
    """The name of the type that a method belongs to."""
    for _ in range(8):
        item = file.expressions[number]
        if item.op == Op.NAME:
            return item.name
        if item.of == NONE:
            break
        number = item.of
    return ""


def shared_in_package(file: SourceFile) -> dict[str, object]:
    """The names that a file declares for its package and for importing files."""
    folder = dirname(file.path)
    found: dict[str, list[object]] = {}
    package = DeclarationTable(file).package
    is_other = is_left_out(file)
    found[f"{folder}\0"] = [package, file.path.endswith(_TESTS), is_other]
    imports: list[object] = [(item.module, item.alias) for item in file.facts.imports]
    found[f"{file.path}\0"] = imports
    for item in file.declarations:
        if item.parent == MODULE:
            found.setdefault(f"{folder}\0{item.name}", []).append((item.kind, package, is_other))
    for clause in file.code.clauses:
        if clause.role == Role.RECEIVER and clause.declaration != NONE:
            name = f"{receiver_name(file, clause.value)}.{method_name(file, clause.declaration)}"
            found.setdefault(f"{folder}\0{name}", []).append(f"method {is_other}")
    return {**found, **types_of(file).exports(folder)}
