"""The rules of Rust for the linker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.rules import Parts
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import export_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    MemberValue,
    ModuleValue,
    Result,
    TypeParameter,
    Value,
    merge,
    through,
)
from code_graph.expressions import NONE, Binding, BindingKind, Op, ScopeKind
from code_graph.facts import MODULE, Declaration
from code_graph.languages.rust.imports import RustModules
from code_graph.languages.rust.rules.generics import RustGenerics
from code_graph.languages.rust.rules.parts import (
    RustDefinitions,
    RustEvaluation,
    RustNames,
    RustTypes,
)
from code_graph.model import FILE, Strategy
from code_graph.projects.model import ImportOutcome, Resolution
from code_graph.projects.tree import Probe

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "rust"
_CALLED: Final = frozenset({"macro", "enumerator"})
_STARTS: Final = frozenset({"crate", "self", "super"})
_SELF: Final = "Self"
# what a path may lead through
_OUTER: Final = frozenset({"module", "struct", "enum", "union", "trait", "type"})
_INNER: Final = "#"
_MOST_STEPS: Final = 40
_MOST_GLOBS: Final = 200
_MOST_MACROS: Final = 3


class RustRules(RustGenerics):
    """Crates, modules, uses, implementations and traits of Rust."""

    parts = Parts(
        evaluation=RustEvaluation, types=RustTypes, names=RustNames, definitions=RustDefinitions
    )
    language: ClassVar[str] = _LANGUAGE
    new_calls: ClassVar[bool] = False
    renames_parameters: ClassVar[bool] = True
    binds_in_order: ClassVar[bool] = True
    refers_to_alias: ClassVar[bool] = True
    replaces_by_name: ClassVar[bool] = True
    checks_arguments: ClassVar[bool] = False
    sees_members: ClassVar[bool] = False
    top_types: ClassVar[frozenset[str]] = frozenset()
    literals: ClassVar[dict[str, str]] = {"int": "i32", "float": "f64"}

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._modules = evaluation.engine.files.finders.of(RustModules)
        self._probe = Probe(
            evaluation.engine.files.finders.projects.tree, evaluation.engine.depend_on_note
        )

    # files

    def _find(self, path: str, from_path: str) -> Resolution:
        return self._modules.find(path, from_path, self._probe)

    def _file_of(self, file: SourceFile, scope: int, name: str) -> Result:
        """The file of a module that is declared without a body."""
        inline = [
            file.declarations[declaration].name
            for number in reversed(list(file.around(scope)))
            if (declaration := file.code.scopes[number].declaration) != NONE
            and file.kind(number) == ScopeKind.MODULE
        ]
        found = self._modules.module_file(name, file.path, self._probe, inline=inline)
        if (
            found.outcome != ImportOutcome.FILE
            or found.path not in self._evaluation.engine.files.paths
        ):
            return {}
        return {ModuleValue(found.path): Strategy.SCOPE}

    def place_of_module(self, value: ModuleValue) -> tuple[SourceFile, int] | None:
        """The file and the scope of a module."""
        path, _, scope = value.path.partition(_INNER)
        file = self._evaluation.file(path)
        return None if file is None else (file, int(scope or 0))

    # names of modules

    def module_around(self, file: SourceFile, scope: int) -> int:
        """The scope of the module that a scope is in."""
        rows = (number for number in file.around(scope) if file.kind(number) == ScopeKind.MODULE)
        return next(rows, 0)

    def _in(self, file: SourceFile, scope: int, name: str) -> Result:
        """The declarations and imports of a module under a name."""
        key = ("in module", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._declared_in(file, scope, name))

    def _declared_in(self, file: SourceFile, scope: int, name: str) -> Result:
        self._evaluation.types.depend_on(file, scope, name)
        found: Result = {}
        for binding in file.bindings.get((scope, name), ()):
            if binding.kind == BindingKind.IMPORTED:
                merge(found, self.imported(file, binding.value))
            elif binding.declaration != NONE:
                merge(found, self._meaning(file, scope, binding))
        known: Result = {v: how for v, how in found.items() if not isinstance(v, External)}
        for value in [value for value in known if isinstance(value, ModuleValue)]:
            merge(known, self._named_as_module(file, scope, name, value))
        return known or found or self._by_globs(file, scope, name)

    def _named_as_module(
        self, file: SourceFile, scope: int, name: str, value: ModuleValue
    ) -> Result:
        """The function that has the name of its module, where that is imported whole."""
        for binding in file.bindings.get((scope, "*"), ()):
            item = file.facts.imports[binding.value]
            place = self.place_of_module(value)
            if item.module.rpartition("::")[2] == name and place is not None:
                return self._bound_in(*place, name, sees_all=False)
        return {}

    def _meaning(self, file: SourceFile, scope: int, binding: Binding) -> Result:
        number = binding.declaration
        item = file.declarations[number]
        inner = file.scope_of_declaration.get(number, NONE)
        if item.kind == "module":
            if inner == NONE:
                return self._file_of(file, scope, item.name)
            return {ModuleValue(f"{file.path}{_INNER}{inner}"): Strategy.SCOPE}
        if inner != NONE and file.kind(inner) == ScopeKind.CLASS:
            return {ClassValue(file.path, inner): Strategy.SCOPE}
        if item.kind == "type":
            return self._evaluation.types.alias(file, number)
        return {MemberValue(file.path, number): Strategy.SCOPE}

    def _by_globs(self, file: SourceFile, scope: int, name: str) -> Result:
        """The meanings of a name that a glob brings: what is known, before what is external."""
        outside: Result = {}
        self._evaluation.types.depend_on(file, scope, "*")
        for value in self._globs(file, scope) if (scope, "*") in file.bindings else ():
            place = self.place_of_module(value) if isinstance(value, ModuleValue) else None
            if place is not None:
                is_inside = _is_inside(file, scope, *place)
                found = self._bound_in(*place, name, sees_all=is_inside)
            else:
                found = self._member(value, name)
            known = {v: how for v, how in found.items() if not isinstance(v, External)}
            if known:
                return {one: max(how, Strategy.IMPORT) for one, how in known.items()}
            outside = outside or found
        # a module that is not here may have any name, and a crate that is here has this one
        return self._crate(file, name) or outside if outside else {}

    def _globs(self, file: SourceFile, scope: int) -> Result:
        """The modules and types that the globs of a module import, also through further globs."""
        key = ("globs", file.path, scope)
        return self._evaluation.engine.unit(key, lambda: self._follow_globs(file, scope))

    def _follow_globs(self, file: SourceFile, scope: int) -> Result:
        found: Result = {}
        left = [(file, scope, True)]
        for other, inner, sees_all in left:
            self._evaluation.types.depend_on(other, inner, "*")
            for binding in other.bindings.get((inner, "*"), ()):
                if not sees_all and not self._is_public(other, binding):
                    continue
                for value in self.imported(other, binding.value):
                    if value in found or len(found) >= _MOST_GLOBS:
                        continue
                    found[value] = Strategy.IMPORT
                    if isinstance(value, ModuleValue):
                        place = self.place_of_module(value)
                        is_new = place is not None and place != (file, scope)
                        if place is not None and is_new:
                            left.append((*place, _is_inside(file, scope, *place)))
        return found

    def _is_public(self, file: SourceFile, binding: Binding) -> bool:
        """True if other modules see an imported name."""
        self._evaluation.engine.depend_on(file.path, export_key(file.path, binding.name))
        item = file.facts.imports[binding.value]
        return (binding.name, item.module) in file.cached("public uses", _public_uses)

    def _bound_in(self, file: SourceFile, scope: int, name: str, *, sees_all: bool) -> Result:
        """The meanings of a name that a module itself binds, for a glob of another module."""
        self._evaluation.types.depend_on(file, scope, name)
        found: Result = {}
        for binding in file.bindings.get((scope, name), ()):
            if binding.kind == BindingKind.IMPORTED:
                if sees_all or self._is_public(file, binding):
                    merge(found, self.imported(file, binding.value))
            elif binding.declaration != NONE:
                merge(found, self._meaning(file, scope, binding))
        return found

    def _member(self, value: Value, name: str) -> Result:
        """The meanings of `name` in `value::name`."""
        if isinstance(value, ModuleValue):
            place = self.place_of_module(value)
            return {} if place is None else self._in(*place, name)
        if isinstance(value, ClassValue):
            return self._evaluation.classes.members(value, name)
        if isinstance(value, External):
            return {External(f"{value.name}.{name}"): Strategy.IMPORT}
        return {}

    def _start(self, file: SourceFile, scope: int, name: str) -> Result:
        """The modules of `crate`, `self` and `super` at the beginning of a path."""
        scope = self.module_around(file, scope)
        if name == "self":
            return {self._module_value(file, scope): Strategy.SCOPE}
        if name == "super" and scope:
            outer = self.module_around(file, file.parent(scope))
            return {self._module_value(file, outer): Strategy.SCOPE}
        found = self._find(name, file.path)
        if (
            found.outcome == ImportOutcome.FILE
            and found.path in self._evaluation.engine.files.paths
        ):
            return {ModuleValue(found.path): Strategy.SCOPE}
        return {}

    def _module_value(self, file: SourceFile, scope: int) -> ModuleValue:
        return ModuleValue(f"{file.path}{_INNER}{scope}" if scope else file.path)

    def _crate(self, file: SourceFile, name: str) -> Result:
        found = self._find(name, file.path)
        is_other = found.path != file.path and found.path in self._evaluation.engine.files.paths
        if found.outcome == ImportOutcome.FILE and not found.rest and is_other:
            how = Strategy.VERSION if found.others else Strategy.IMPORT
            return dict.fromkeys(map(ModuleValue, (found.path, *found.others)), how)
        return {}

    def _macro(self, file: SourceFile, name: str) -> Result:
        """A macro of the file, or one of the tree if there is only one."""
        rows: list[MemberValue] = []
        for other in self._evaluation.types.declaring(_LANGUAGE, name):
            numbers = self._evaluation.types.table(other).members.get((MODULE, name), ())
            kinds = other.declarations
            rows += [MemberValue(other.path, n) for n in numbers if kinds[n].kind == "macro"]
        own = [row for row in rows if row.path == file.path]
        if own:
            return {own[-1]: Strategy.SCOPE}
        how = Strategy.IMPORT if len(rows) == 1 else Strategy.NAME
        return dict.fromkeys(rows[:_MOST_MACROS], how)

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """The meanings of a name in a module; enclosing modules are not searched."""
        if name in _STARTS:
            return self._start(file, scope, name)
        found = self._in(file, scope, name) or self._crate(file, name) or self._macro(file, name)
        return found or {External(name): Strategy.SCOPE}

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """The types that a name means in a module."""
        del arity
        found = self.names_in_module(file, scope, name)
        return {v: how for v, how in found.items() if not isinstance(v, MemberValue)}

    def fitting_use(self, file: SourceFile, number: int, found: Result) -> Result:
        """The modules and types of a name that a path begins with, else what is no module."""
        is_outer = number in file.cached("beginnings of paths", _beginnings)
        kinds = (ModuleValue, ClassValue) if is_outer else (ModuleValue,)
        kept = {v: how for v, how in found.items() if isinstance(v, kinds) == is_outer}
        return kept or found

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type around, by the name of its own; what the globs of a function import."""
        if name == _SELF:
            return self.own_type(file, scope, name)
        is_inner = scope and file.kind(scope) != ScopeKind.MODULE
        return self._by_globs(file, scope, name) if is_inner else {}

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type around, by the name of its own."""
        around = file.class_around(scope) if name == _SELF else NONE
        if around == NONE:
            return {}
        owner = self._evaluation.classes.canonical(ClassValue(file.path, around))
        arguments = tuple((one,) for one in self._evaluation.types.parameters_of(owner))
        return {ClassValue(owner.path, owner.scope, arguments): Strategy.SCOPE}

    def member_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """The meanings of a name in a module."""
        del file
        if name in _STARTS:
            place = self.place_of_module(value)
            return {} if place is None else self._start(*place, name)
        return self._member(value, name)

    def type_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """The types that a name means in a module."""
        found = self.member_of_package(file, value, name)
        return {v: how for v, how in found.items() if not isinstance(v, MemberValue)}

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """Paths are followed step by step."""
        del file, scope, whole, arity
        return {}

    # uses

    def imported(self, file: SourceFile, number: int) -> Result:
        """The targets of a `use`: modules, types, functions."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        key = ("used", file.path, number)
        return self._evaluation.engine.unit(key, lambda: self._imported(file, number))

    def _imported(self, file: SourceFile, number: int) -> Result:
        item = file.facts.imports[number]
        scope = 0
        if item.owner != MODULE:
            scope = self.module_around(file, file.scope_of_declaration.get(item.owner, 0))
        names = [item.module] if item.name in {"", "*"} else [item.module, item.name]
        steps = "::".join(filter(None, names)).removeprefix("::").split("::")
        if item.name == "*":
            steps.append("*")  # all that stands before is a module or a type
        found = self._path(file, scope, steps[:_MOST_STEPS])
        whole = ".".join(step for step in steps if step not in _STARTS)
        return {v: max(how, Strategy.IMPORT) for v, how in found.items()} or {
            External(whole): Strategy.IMPORT
        }

    def _path(self, file: SourceFile, scope: int, steps: Sequence[str]) -> Result:
        first = steps[0]
        last = len(steps) - 1
        if first in _STARTS:
            found = self._start(file, scope, first)
        else:
            found = self._outer(file, scope, first) if last else {}
            found = {v: how for v, how in found.items() if not isinstance(v, External)}
            found = found or self._crate(file, first)
        for at, step in enumerate(steps[1:], 1):
            if step == "*":
                break
            inner: Result = {}
            for value, how in found.items():
                if isinstance(value, ModuleValue) and at < last and step not in _STARTS:
                    place = self.place_of_module(value)
                    outer = {} if place is None else self._outer(*place, step)
                    merge(inner, outer, through(how))
                elif isinstance(value, ModuleValue):
                    merge(inner, self.member_of_package(file, value, step), through(how))
                else:
                    merge(inner, self._member(value, step))
            found = inner
        return found

    # aliases

    def alias_target(self, file: SourceFile, declaration: int) -> Result:
        """The type that an associated type is."""
        return self._evaluation.types.alias(file, declaration)

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The alias that a name is, which stands for another type."""
        is_outer = number in file.cached("beginnings of paths", _beginnings)
        if not is_outer and number not in self._evaluation.types.table(file).type_places:
            return {}
        if any(isinstance(v, MemberValue | ModuleValue | TypeParameter) for v in found):
            return {}
        item = file.expressions[number]
        if item.op == Op.MEMBER:
            made: Result = {}
            for value in self._evaluation.evaluate(file, item.of) if item.of != NONE else ():
                place = self.place_of_module(value) if isinstance(value, ModuleValue) else None
                merge(made, self._alias(*place, item.name) if place is not None else {})
            return made
        for scope in file.around(file.code.scope_of[number]):
            if file.kind(scope) == ScopeKind.CLASS:
                continue  # an associated type has a name behind `Self::` alone
            is_bound = (scope, item.name) in file.bindings or (scope, "*") in file.bindings
            made = self._alias(file, scope, item.name) if is_bound else {}
            if made or file.kind(scope) == ScopeKind.MODULE:
                return made
        return {}

    def _alias(self, file: SourceFile, scope: int, name: str) -> Result:
        """The alias of a name in a module."""
        key = ("alias", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._find_alias(file, scope, name))

    def _find_alias(self, file: SourceFile, scope: int, name: str) -> Result:
        found = self._alias_bound(file, scope, name, sees_all=True)
        if found or (scope, "*") not in file.bindings or (scope, name) in file.bindings:
            return found
        for value in self._globs(file, scope):
            place = self.place_of_module(value) if isinstance(value, ModuleValue) else None
            if place is not None:
                is_inside = _is_inside(file, scope, *place)
                found = self._alias_bound(*place, name, sees_all=is_inside)
            if found:
                return found
        return {}

    def _alias_bound(self, file: SourceFile, scope: int, name: str, *, sees_all: bool) -> Result:
        """The alias that a module itself declares or imports by name."""
        self._evaluation.types.depend_on(file, scope, name)
        for binding in file.bindings.get((scope, name), ()):
            number = binding.declaration
            if binding.kind == BindingKind.IMPORTED:
                if not sees_all and not self._is_public(file, binding):
                    return {}
                return self._imported_alias(file, binding.value)
            if number != NONE and file.declarations[number].kind == "type":
                return {MemberValue(file.path, number): Strategy.SCOPE}
        return {}

    def _imported_alias(self, file: SourceFile, number: int) -> Result:
        item = file.facts.imports[number] if 0 <= number < len(file.facts.imports) else None
        if item is None or item.name in {"", "*"}:
            return {}
        scope = 0
        if item.owner != MODULE:
            scope = self.module_around(file, file.scope_of_declaration.get(item.owner, 0))
        found: Result = {}
        steps = item.module.removeprefix("::").split("::")[:_MOST_STEPS]
        for value in self._path(file, scope, steps):
            place = self.place_of_module(value) if isinstance(value, ModuleValue) else None
            merge(found, self._alias(*place, item.name) if place is not None else {})
        return {value: max(how, Strategy.IMPORT) for value, how in found.items()}

    def _outer(self, file: SourceFile, scope: int, name: str) -> Result:
        """The modules and types of a name, where a path goes on; a function may have it too."""
        for binding in file.bindings.get((scope, name), ()):
            number = binding.declaration
            if number != NONE and file.declarations[number].kind in _OUTER:
                self._evaluation.types.depend_on(file, scope, name)
                return self._meaning(file, scope, binding)
        return self._in(file, scope, name)

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """The file or the declaration of a module."""
        place = self.place_of_module(value)
        if place is not None:
            file, scope = place
            declaration = file.code.scopes[scope].declaration if scope else FILE
            yield Definition(file.path, declaration, strategy)

    # members

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """A block of the crate of its type; other crates implement traits of their own."""
        del number
        projects = self._evaluation.engine.files.finders.projects
        if file.path == owner.path:
            return True
        found = (projects.project_of(path, self._probe) for path in (file.path, owner.path))
        return len({project.id for project in found}) == 1

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """A macro that is called, or a variant that is made with values."""
        found = self._evaluation.names.resolve(file, file.expressions[number].of)
        rows = (
            (v, self._evaluation.file(v.path), how)
            for v, how in found.items()
            if isinstance(v, MemberValue)
        )
        return {
            value: how
            for value, other, how in rows
            if other is not None and other.declarations[value.declaration].kind in _CALLED
        }

    def replaces(self, item: Declaration) -> bool:
        """No method replaces one of another type but by a trait."""
        del item
        return False


def _beginnings(file: SourceFile) -> frozenset[int]:
    """The names that have a member."""
    return frozenset(item.of for item in file.expressions if item.op == Op.MEMBER)


def _public_uses(file: SourceFile) -> frozenset[tuple[str, str]]:
    return frozenset((item.name, item.module) for item in file.code.exports)


def _is_inside(file: SourceFile, scope: int, other: SourceFile, outer: int) -> bool:
    """True if a module is inside of another one, whose private names it sees."""
    if file.path == other.path:
        return outer in set(file.around(scope))
    folder, _, name = other.path.rpartition("/")
    stem = name.removesuffix(".rs")
    inner = folder if stem in {"mod", "lib", "main"} else f"{folder}/{stem}".lstrip("/")
    return not outer and file.path.startswith(f"{inner}/" if inner else "")
