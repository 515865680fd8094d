"""Names of TypeScript and JavaScript: in two spaces, through scopes, imports and exports."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import (
    body_key,
    export_key,
    name_key,
    names_key,
)
from code_graph.evaluate.names import NameLookup
from code_graph.evaluate.source_file import MOST_BINDINGS, SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    Result,
    SymbolValue,
    merge,
    through,
    with_strategy,
)
from code_graph.expressions import NONE, Binding, BindingKind, Export, Op, ScopeKind
from code_graph.languages.ecmascript.rules import ambient, library
from code_graph.model import Strategy
from code_graph.projects.tree import shared_depth
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_TYPES_ONLY: Final = frozenset({"interface", "type"})
_BOTH: Final = frozenset({"class", "enum", "namespace", "module"})
_PARAMETERS: Final = frozenset({BindingKind.PARAMETER, BindingKind.VARIADIC})
# scopes whose names are seen from inside; those of a class are its members
_HOLDERS: Final = frozenset({ScopeKind.MODULE, ScopeKind.FUNCTION, ScopeKind.BLOCK})
_BODIES: Final = frozenset({ScopeKind.FUNCTION, ScopeKind.CLASS})
_WHOLE: Final = "="
_ALL: Final = "*"
# bindings before a place among which the one is looked for that shows a type there
_MOST_NARROWED: Final = 1_024


class Space(IntEnum):
    """The two spaces of names: a name may mean one thing as a value and another as a type."""

    VALUE = 0
    TYPE = 1


class _Rows(NamedTuple):
    """The numbers of a name's bindings in a scope; some are made by tests, some declare it."""

    every: list[int]
    plain: list[int]
    declared: list[int]


class EcmaScriptNames(NameLookup):
    """Looks names up in the scopes and modules of JavaScript and TypeScript."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        super().__init__(evaluation)
        self._ecma = evaluation
        # targets of the linked file's imports
        self._imports: dict[int, Result] = {}
        self._imports_of = 0

    def look_up(self, file: SourceFile, scope: int, name: str, at: int) -> Result:
        """Meanings of a name as a value at an expression of a scope."""
        found = self.binding_of(file, scope, name, at, Space.VALUE)
        if found is None:
            return self._global(file, name) or self._ecma.language.undeclared(file, name)
        return self.values(file, found)

    def _global(self, file: SourceFile, name: str) -> Result:
        """The values of a global name that files of declarations declare."""
        found: Result = {}
        for other, row in self.in_globals(file, name, Space.VALUE):
            merge(found, self.value_of_number(other, row), Strategy.SCOPE)
        return found

    def in_globals(
        self, file: SourceFile, name: str, space: Space
    ) -> Sequence[tuple[SourceFile, int]]:
        """The bindings of a name in the global scopes of files of declarations, of the nearest."""
        if library.declares(name):
            return ()
        engine = self._ecma.engine
        every = filter(ambient.is_declarations, engine.declaring(ambient.LANGUAGE, name))
        found: dict[int, list[tuple[SourceFile, int]]] = {}
        for path in every:
            other = self._ecma.file(path)
            if other is None:
                continue
            for scope in ambient.global_scopes(other):
                self.depend_on(other, scope, name)
                near = found.setdefault(shared_depth(path, file.path), [])
                near += [(other, row) for row in self.rows(other, scope, name, space)]
        nearest = max((near for near, rows in found.items() if rows), default=0)
        return found.get(nearest, ())[:MOST_BINDINGS]

    def depend_on(self, file: SourceFile, scope: int, name: str) -> None:
        """Record a dependency on a name of a scope; names of a function are part of its body."""
        engine = self._ecma.engine
        if not engine.is_recording(file.path):
            return
        keys = file.cached("keys", _no_keys)
        key = keys.get((scope, name))
        if key is None:
            owner = file.function_around(scope)
            around = file.qualified(owner)
            is_body = file.kind(owner) == ScopeKind.FUNCTION
            key = body_key(file.path, around) if is_body else name_key(file.path, around, name)
            keys[scope, name] = key
        engine.depend_on(file.path, key)

    def values(self, file: SourceFile, numbers: Sequence[int]) -> Result:
        """The values of several bindings of a file together."""
        if len(numbers) == 1:
            return self.value_of_number(file, numbers[0])
        found: Result = {}
        for number in numbers[:MOST_BINDINGS]:
            merge(found, self.value_of_number(file, number))
        return found

    def value_of_number(self, file: SourceFile, number: int) -> Result:
        """The values of one binding of a file."""
        key = ("bound", file.path, number)
        binding = file.code.bindings[number]
        return self._ecma.engine.unit(key, lambda: self.value_of(file, binding))

    def binding_of(
        self, file: SourceFile, scope: int, name: str, at: int, space: Space
    ) -> list[int] | None:
        """The numbers of the bindings that a name means at a place; None if it has none."""
        region, crossed = scope, False
        is_recording = self._ecma.engine.is_recording(file.path)
        bound = file.binding_numbers
        if not is_recording:  # else each question counts
            self._ecma.engine.count(file.depths[scope])
        while scope != NONE:
            kind = file.kind(scope)
            if kind in _HOLDERS:
                if is_recording:
                    self.depend_on(file, scope, name)
                if (scope, name) in bound:
                    rows = self._rows(file, scope, name, space)
                    if rows.every:
                        return self._chosen(file, scope, rows, at, region, crossed=crossed)
                elif kind == ScopeKind.MODULE and scope:
                    others = self._in_other_parts(file, scope, name, space)
                    if others:
                        return others
            if kind in _BODIES:
                crossed = True
            scope = file.parent(scope)
        return None

    def _in_other_parts(self, file: SourceFile, scope: int, name: str, space: Space) -> list[int]:
        """The bindings of a name in the other parts of a namespace."""
        for owner, other in self._ecma.classes.parts(file.path, scope)[1:]:
            if owner is not file:
                continue  # what another file adds
            self.depend_on(file, other, name)
            if file.kind(other) == ScopeKind.MODULE:
                rows = self.rows(file, other, name, space)
                if rows:
                    return _declared_rows(file, rows)
        return []

    def rows(self, file: SourceFile, scope: int, name: str, space: Space) -> list[int]:
        """The numbers of a scope's bindings of a name in a space."""
        return self._rows(file, scope, name, space).every

    def _rows(self, file: SourceFile, scope: int, name: str, space: Space) -> _Rows:
        """The bindings of a name in a scope by the file alone, found once."""
        known = file.cached("rows", _no_rows)
        rows = known.get((scope, name, space))
        if rows is None:
            bindings = file.code.bindings
            numbers = file.binding_numbers.get((scope, name), ())
            every = [each for each in numbers if self.is_in(file, bindings[each], space)]
            plain = [each for each in every if bindings[each].kind != BindingKind.NARROWED]
            rows = _Rows(every, plain, _declared_rows(file, plain or every))
            known[scope, name, space] = rows
        return rows

    def is_in(self, file: SourceFile, binding: Binding, space: Space) -> bool:
        """True if a binding counts in a space."""
        if binding.kind == BindingKind.IMPORTED:
            return True
        if binding.declaration != NONE:
            declared = file.declarations[binding.declaration].kind
            return declared in _BOTH or (declared in _TYPES_ONLY) == (space == Space.TYPE)
        value = file.expressions[binding.value] if binding.value != NONE else None
        if binding.kind != BindingKind.DECLARED:
            # `import A = B.C` is a type too
            is_alias = value is not None and value.op in {Op.MEMBER, Op.NAME}
            is_alias = is_alias and binding.kind == BindingKind.ASSIGNED
            return space == Space.VALUE or is_alias
        if value is not None and value.op == Op.FUNCTION:
            return space == Space.VALUE or file.kind(value.of) == ScopeKind.CLASS
        return space == Space.TYPE

    def _chosen(
        self,
        file: SourceFile,
        scope: int,
        rows: _Rows,
        at: int,
        region: int,
        *,
        crossed: bool,
    ) -> list[int]:
        """The bindings of a name that count at a place."""
        every, plain = rows.every, rows.plain
        if len(every) > 1 and len(plain) < len(every) and (not crossed or len(plain) == 1):
            shown = self.narrowing(file, scope, every, at, region)
            if shown is not None:
                return [shown]
        return rows.declared

    def narrowing(
        self, file: SourceFile, scope: int, rows: Sequence[int], at: int, region: int
    ) -> int | None:
        """The last binding around a place that shows a type, unless the name is bound after it."""
        inside = set(_until(file, region, scope))
        bindings = file.code.bindings
        here = bisect_right(rows, at, key=lambda number: bindings[number].at)
        for number in reversed(rows[max(here - _MOST_NARROWED, 0) : here]):
            item = bindings[number]
            if item.kind == BindingKind.NARROWED:
                if item.region in inside:
                    return number
            elif item.region in inside and item.kind == BindingKind.ASSIGNED:
                return None
        return None

    def value_of(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a binding."""
        kind = binding.kind
        if kind == BindingKind.IMPORTED:
            return self._imported_value(file, binding.value)
        if kind in _PARAMETERS:
            return self._ecma.calls.parameter(file, binding)
        if kind == BindingKind.NARROWED:
            return self._ecma.narrowing.value(file, binding.value)
        if binding.declaration != NONE and kind == BindingKind.DECLARED:
            return self.declared(file, binding.declaration)
        if binding.annotation != NONE:
            typed = self._ecma.instances(file, binding.annotation)
            if typed:
                return typed
        found = self._ecma.evaluate(file, binding.value)
        return self._ecma.containers.filled(file, binding, found)

    def declared(self, file: SourceFile, declaration: int) -> Result:
        """A declaration as a value."""
        scope = file.scope_of_declaration.get(declaration)
        if scope is None:
            return {}
        if file.kind(scope) == ScopeKind.FUNCTION:
            return {FunctionValue(file.path, scope): Strategy.SCOPE}
        return {ClassValue(file.path, scope): Strategy.SCOPE}

    def _imported_value(self, file: SourceFile, number: int) -> Result:
        return self._values_of(self.followed(file, number))

    def _values_of(self, targets: Result) -> Result:
        """The values of imported symbols, and other targets of imports."""
        found: Result = {}
        for value, strategy in targets.items():
            if isinstance(value, SymbolValue):
                other = self._ecma.file(value.path)
                if other is None or not self._counts(other, value.number, Space.VALUE):
                    continue
                given = self.value_of_number(other, value.number)
                merge(found, given, max(strategy, Strategy.IMPORT))
            else:
                merge(found, {value: strategy}, Strategy.IMPORT)
        return found

    def _counts(self, file: SourceFile, number: int, space: Space) -> bool:
        return self.is_in(file, file.code.bindings[number], space)

    def followed(self, file: SourceFile, number: int) -> Result:
        """The targets of an import: bindings of other files, modules, values."""
        engine = self._ecma.engine
        if engine.is_recording(file.path):
            return self._followed(file, number)
        if self._imports_of != engine.begun:
            self._imports, self._imports_of = {}, engine.begun
        if number not in self._imports:
            self._imports[number] = self._followed(file, number)
        return self._imports[number]

    def _followed(self, file: SourceFile, number: int) -> Result:
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        found: Result = {}
        for module, strategy in self._ecma.modules.find(item.module, file.path).items():
            if isinstance(module, External):
                name = module.name
                if item.name and item.name != "default":
                    name = f"{name}.{item.name}"
                merge(found, {External(name): strategy})
            elif isinstance(module, ModuleValue):
                if item.name:
                    targets = self.exported_targets(module.path, item.name)
                    if not targets and item.name == "default":
                        targets = self._without_default(module)
                    merge(found, targets, through(strategy))
                else:
                    merge(found, self.whole(module), through(strategy))
        return found

    def _without_default(self, module: ModuleValue) -> Result:
        """A module of CommonJS with types, which stands for its default."""
        file = self._ecma.file(module.path) if ambient.is_declarations(module.path) else None
        if file is None:
            return {}
        self._ecma.engine.depend_on(file.path, export_key(file.path, _WHOLE))
        return {} if _WHOLE in file.exports else self.whole(module)

    def augmenting(self, path: str) -> Sequence[tuple[str, int]]:
        """The scopes of `declare module "./m"` that add to a file of declarations.

        Only those of files below its folder count: of most paths there are too many.
        """
        engine = self._ecma.engine
        return engine.unit(("augmenting", path), lambda: self._augmenting(path), ())

    def _augmenting(self, path: str) -> tuple[tuple[str, int], ...]:
        folder, _, name = path.rpartition("/")
        key = ambient.augmented(name.partition(".")[0])
        engine = self._ecma.engine
        scopes: list[tuple[str, int]] = []
        for other in engine.declaring(ambient.LANGUAGE, key):
            is_near = other.startswith(f"{folder}/") and ambient.is_declarations(other)
            file = self._ecma.file(other) if is_near and other != path else None
            if file is None:
                continue
            scopes += (
                (other, scope)
                for scope in ambient.module_scopes(file)
                if self.augmented(file, scope) == path
            )
        return tuple(scopes)

    def augmented(self, file: SourceFile, scope: int) -> str:
        """The file that `declare module "./m"` adds to; empty for another scope."""
        if scope not in ambient.module_scopes(file):
            return ""
        name = file.declarations[file.code.scopes[scope].declaration].name
        if not name.startswith("."):
            return ""
        found = self._ecma.modules.find(name, file.path)
        return next((each.path for each in found if isinstance(each, ModuleValue)), "")

    def module(self, file: SourceFile, specifier: str) -> Result:
        """The values of a module that is imported by a call."""
        found: Result = {}
        for module, strategy in self._ecma.modules.find(specifier, file.path).items():
            if isinstance(module, ModuleValue):
                merge(found, self.whole(module), through(strategy))
            else:
                merge(found, {module: strategy})
        return found

    def whole(self, module: ModuleValue) -> Result:
        """A module as one value: what it exports as a whole, else its names."""
        file = self._ecma.file(module.path)
        if file is None:
            return {module: Strategy.IMPORT}
        self._ecma.engine.depend_on(file.path, export_key(file.path, _WHOLE))
        found: Result = {}
        for row in file.exports.get(_WHOLE, ()):
            merge(found, self._given(file, row))
        if not found and self._is_script(file):
            found = self._in_modules(file, _WHOLE)
        return found or {module: Strategy.IMPORT}

    def exported(self, file: SourceFile, name: str) -> Result:
        """The values that a module exports under a name."""
        targets = self.exported_targets(file.path, name).items()
        return self._values_of(
            {
                value: through(how) if isinstance(value, SymbolValue) else how
                for value, how in targets
            }
        )

    def exported_targets(self, path: str, name: str) -> Result:
        """The exports of a module under a name: bindings, modules, values."""
        key = ("export", path, name)
        return self._ecma.engine.unit(key, lambda: self._exported(path, name))

    def _exported(self, path: str, name: str) -> Result:
        file = self._ecma.file(path)
        found: Result = {}
        if file is None:
            return found
        engine = self._ecma.engine
        engine.depend_on(path, export_key(path, name))
        for row in file.exports.get(name, ()):
            merge(found, self._given(file, row))
        if found:
            return found
        engine.depend_on(path, export_key(path, _WHOLE))
        for row in file.exports.get(_WHOLE, ()):
            for value, strategy in self._given(file, row).items():
                merge(found, self._part_of_whole(value, name), strategy)
        if name != "default":
            engine.depend_on(path, export_key(path, _ALL))
        for row in file.exports.get(_ALL, ()) if name != "default" else ():
            for module, how in self._ecma.modules.find(row.module, path).items():
                if isinstance(module, ModuleValue):
                    merge(found, self.exported_targets(module.path, name), through(how))
        if not found and self._is_script(file):
            return self._own(file, name) or self._of_modules(file, name)
        return found

    def _of_modules(self, file: SourceFile, name: str) -> Result:
        """The targets of a name in `declare module "m"`, or in what one gives as a whole."""
        found = self._in_modules(file, name)
        if not found:
            for value, strategy in self._in_modules(file, _WHOLE).items():
                merge(found, self._part_of_whole(value, name), strategy)
        return found

    def _in_modules(self, file: SourceFile, name: str) -> Result:
        """The bindings of a name in the first `declare module "m"` of a file that has it."""
        for scope in ambient.module_scopes(file):
            self.depend_on(file, scope, name)
            rows = file.binding_numbers.get((scope, name), ())
            if rows:
                return {SymbolValue(file.path, number): Strategy.IMPORT for number in rows}
        return {}

    def _is_script(self, file: SourceFile) -> bool:
        """True if a file exports nothing, so that its names are seen by all."""
        self._ecma.engine.depend_on(file.path, names_key(file.path))
        return not file.exports

    def _part_of_whole(self, value: object, name: str) -> Result:
        if isinstance(value, SymbolValue):
            file = self._ecma.file(value.path)
            if file is None:
                return {}
            found: Result = {}
            for inner in self.value_of_number(file, value.number):
                merge(found, self._declared_member(inner, name) or self._ecma.member(inner, name))
                merge(found, self._types_in(inner, name))
            return found or ({value: Strategy.IMPORT} if name == "default" else {})
        found = {}
        if isinstance(value, tuple):
            merge(found, self._ecma.member(value, name))  # type: ignore[arg-type]
        if not found and name == "default":
            return {value: Strategy.IMPORT}  # type: ignore[dict-item]
        return found

    def _declared_member(self, value: object, name: str) -> Result:
        """The members of an object that are no methods, where its class says all of their type."""
        found: Result = {}
        if isinstance(value, Instance) and not value.arguments:
            for row in self._ecma.classes.rows(value, name):
                binding = row.file.code.bindings[row.number]
                if binding.declaration in row.file.scope_of_declaration:
                    return {}
                found[SymbolValue(row.file.path, row.number)] = Strategy.IMPORT
        return found

    def _types_in(self, value: object, name: str) -> Result:
        """The types of a name that a namespace has."""
        found: Result = {}
        parts = self._ecma.classes.parts(*value[:2]) if isinstance(value, ClassValue) else ()
        for file, scope in parts:
            if file.kind(scope) == ScopeKind.MODULE:
                self.depend_on(file, scope, name)
                for number in self.rows(file, scope, name, Space.TYPE):
                    merge(found, {SymbolValue(file.path, number): Strategy.IMPORT})
        return found

    def _given(self, file: SourceFile, row: Export) -> Result:
        """The values of one export."""
        if row.module:
            found: Result = {}
            for module, how in self._ecma.modules.find(row.module, file.path).items():
                if isinstance(module, External):
                    name = module.name if row.local == _ALL else f"{module.name}.{row.local}"
                    merge(found, {External(name): Strategy.IMPORT})
                elif isinstance(module, ModuleValue) and row.local == _ALL:
                    merge(found, {module: Strategy.IMPORT}, through(how))
                elif isinstance(module, ModuleValue):
                    merge(found, self.exported_targets(module.path, row.local), through(how))
            return found
        if row.local:
            own = self._own(file, row.local)
            if own:
                return own
        return self._ecma.evaluate(file, row.value)

    def _own(self, file: SourceFile, name: str) -> Result:
        """A name of a module's own scope; an imported one is followed."""
        self.depend_on(file, 0, name)
        found: Result = {}
        bindings = file.code.bindings
        for number in file.binding_numbers.get((0, name), ()):
            if bindings[number].kind == BindingKind.IMPORTED:
                merge(found, self.followed(file, bindings[number].value))
            elif bindings[number].kind != BindingKind.NARROWED:
                merge(found, {SymbolValue(file.path, number): Strategy.IMPORT})
        return found

    def types_of_targets(self, targets: Result) -> Iterator[tuple[SourceFile, int]]:
        """The bindings among targets that count as types."""
        for value in targets:
            if isinstance(value, SymbolValue):
                file = self._ecma.file(value.path)
                if file is not None and self._counts(file, value.number, Space.TYPE):
                    yield file, value.number

    def in_scope(self, file: SourceFile, scope: int, name: str) -> Result:
        """A member of a namespace, as a value."""
        self.depend_on(file, scope, name)
        return self.values(file, self.rows(file, scope, name, Space.VALUE))

    def as_instance(self, values: Result) -> Result:
        """Objects of the classes among values."""
        found: Result = {}
        for value, strategy in values.items():
            if isinstance(value, ClassValue):
                made = Instance(value.path, value.scope, value.arguments)
                merge(found, with_strategy((made,), strategy))
        return found


def _declared_rows(file: SourceFile, rows: list[int]) -> list[int]:
    """The declarations of a name: a declared type counts before all that is assigned."""
    bindings = file.code.bindings
    declared = [
        each for each in rows if bindings[each].kind in {BindingKind.DECLARED, BindingKind.IMPORTED}
    ]
    if declared:
        return declared
    for each in rows:
        if bindings[each].annotation != NONE:
            return [each]
        if bindings[each].kind in _PARAMETERS:  # without a type, it is also what it is assigned
            assigned = [row for row in rows if bindings[row].kind == BindingKind.ASSIGNED]
            return [each, *assigned] if bindings[each].value == NONE else [each]
    return rows


def _no_rows(_file: SourceFile) -> dict[tuple[int, str, Space], _Rows]:
    return {}


def _no_keys(_file: SourceFile) -> dict[tuple[int, str], int]:
    return {}


def _until(file: SourceFile, region: int, scope: int) -> Iterator[int]:
    for number in file.around(region):
        yield number
        if number == scope:
            return


__all__ = ["EcmaScriptNames", "Space"]
