"""The places of files of TypeScript and JavaScript: what is called is what its name refers to."""

from __future__ import annotations

from typing import Final

from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, Instance, Result
from code_graph.expressions import NONE, BindingKind, Op, Role, ScopeKind
from code_graph.language import Language
from code_graph.languages.ecmascript.components import list_declared_values
from code_graph.languages.ecmascript.rules.definitions import EcmaScriptDefinitions
from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation
from code_graph.link.families import Family
from code_graph.link.focus import names_in
from code_graph.link.places import LinkContext, Places, named_by
from code_graph.model import FILE, EdgeType, Strategy

_CALLED: Final = frozenset({"function", "method", "class", "constructor"})
_HOLDING: Final = frozenset({"property", "field", "variable", "constant"})
_CONSTANTS: Final = frozenset({"variable", "constant"})
# constants that name each other, one after the other
_MOST_ALIASES: Final = 5
_TYPES_ONLY: Final = frozenset({"interface", "type"})
_PATHS: Final = frozenset({Op.NAME, Op.MEMBER})
_OVERRIDING: Final = frozenset({"method", "getter", "setter"})
_NAMED: Final = frozenset({Op.NAME, Op.MEMBER, Op.APPLY})


class EcmaScriptPlaces(Places):
    """The places of one file of TypeScript or JavaScript."""

    def __init__(
        self,
        context: LinkContext,
        file: SourceFile,
        evaluation: EcmaScriptEvaluation,
        finder: EcmaScriptDefinitions,
    ) -> None:
        super().__init__(context, file)
        self._ecma = evaluation
        self._finder = finder
        self._called |= {
            named_by(file, _without_casts(file, item.of))
            for item in file.expressions
            if item.op in {Op.CALL, Op.NEW} and item.of != NONE
        }

    def visit(self) -> None:
        """Visit all places, and the heads of classes without a declaration."""
        super().visit()
        file = self._file
        for binding in file.code.bindings:
            is_head = binding.name == "super" and file.kind(binding.scope) == ScopeKind.CLASS
            if is_head and file.code.scopes[binding.scope].declaration == NONE:
                if not self._engine.begin_place():
                    return
                source = file.owner(binding.scope)
                for found in self._base_symbols(binding.value, is_class=True)[0]:
                    self.add(source, found, EdgeType.INHERITS, file.place(binding.value))

    def _call(self, number: int) -> None:
        file = self._file
        item = file.expressions[number]
        if item.of == NONE:
            return
        source = file.owner(file.code.scope_of[number])
        place = file.place(item.of)
        of = _without_casts(file, item.of)
        if file.expressions[of].op in _NAMED:
            found = self._finder.of(file, of)
            called = [each for each in found if self._kind(each) in _CALLED]
            for each in called:
                self.add(source, each, EdgeType.CALLS, place)
                self._constructor_of(each, source, place, number)
            if called:
                return
            held = [each for each in found if self._kind(each) in _HOLDING]
            if held and self._call_alias(held[0], number, source, place):
                return
            held = held or self._finder.taken_from(file, of)
            for each in held:  # the function that it holds
                self.add(source, each, EdgeType.CALLS, place)
            if held:
                self._add_held(number, source, place)
                return
            if self._call_object(of, source, place):
                return
        super()._call(number)

    def _call_object(self, of: int, source: int, place: tuple[int, int]) -> bool:
        """Add the calls of interfaces with a signature: of members that nothing declares."""
        values = self._evaluation.evaluate(self._file, of)
        rows = [*self._ecma.calls.signatures_of_objects(values)]
        for owner, row in rows:
            declaration = owner.code.scopes[row.scope].declaration
            if declaration != NONE:
                found = Definition(owner.path, declaration, Strategy.FLOW)
                self.add(source, found, EdgeType.CALLS, place)
        return bool(rows)

    def _add_held(self, number: int, source: int, place: tuple[int, int]) -> None:
        """Add calls to the functions that a variable or member may hold, as overrides of it."""
        functions = self._evaluation.callees(self._file, number)
        self._add_calls(functions, source, place, number, at_least=Strategy.OVERRIDE)

    def _add_calls(
        self,
        functions: Result,
        source: int,
        place: tuple[int, int],
        number: int,
        at_least: Strategy = Strategy.SCOPE,
    ) -> bool:
        # the callee was not named, but followed to
        return super()._add_calls(functions, source, place, number, max(at_least, Strategy.FLOW))

    def _kind(self, found: Definition) -> str:
        file = self._evaluation.file(found.path)
        if file is None or found.declaration == FILE:
            return ""
        return file.declarations[found.declaration].kind

    def _call_alias(
        self, found: Definition, number: int, source: int, place: tuple[int, int]
    ) -> bool:
        """Add the calls of what a constant only gives another name to: `const a = b.c`."""
        targets = self._named_by_constant(found, _MOST_ALIASES)
        if targets is None:
            return False
        for each in targets:
            strategy = max(each.strategy, found.strategy, Strategy.FLOW)
            self.add(source, each._replace(strategy=strategy), EdgeType.CALLS, place)
            self._constructor_of(each, source, place, number)
        if not targets:
            functions = self._evaluation.callees(self._file, number)
            held = self._evaluation.targets(functions)
            if not any(True for value, how in held for _ in self._finder.of_value(value, how)):
                return False  # what is elsewhere has no other name here
            self._add_calls(functions, source, place, number)
        self.add(source, found, EdgeType.REFERENCES, place)
        return True

    def _named_by_constant(self, found: Definition, depth: int) -> list[Definition] | None:
        """The declarations that a constant is a name for; None if it is more than a name."""
        file = self._evaluation.file(found.path)
        if file is None or not depth or self._kind(found) not in _CONSTANTS:
            return None
        values = file.cached("declared values", list_declared_values).get(found.declaration, ())
        named = [value for value in values if file.expressions[value].op in _PATHS]
        if not named:
            return None
        targets = [each for value in named for each in self._finder.of(file, value)]
        called = [each for each in targets if self._kind(each) in _CALLED]
        if called:
            return called
        held = [each for each in targets if self._kind(each) in _HOLDING]
        inner = [self._named_by_constant(each, depth - 1) for each in held]
        return [
            one
            for each, more in zip(held, inner, strict=True)
            for one in (more if more is not None else [each])
        ]

    def _is_callable(self, found: Definition) -> bool:
        return self._kind(found) in _CALLED | _HOLDING

    def _constructor_of(
        self, found: Definition, source: int, place: tuple[int, int], number: int
    ) -> None:
        file = self._evaluation.file(found.path)
        if file is None or self._kind(found) != "class":
            return
        scope = file.scope_of_declaration.get(found.declaration)
        if scope is not None:
            value = ClassValue(found.path, scope)
            self._constructor(value, found.strategy, source, place, number)

    def _constructor(
        self,
        value: ClassValue,
        strategy: Strategy,
        source: int,
        place: tuple[int, int],
        number: int,
    ) -> None:
        del number
        file = self._evaluation.file(value.path)
        if file is None:
            return
        for row in file.bindings.get((value.scope, "constructor"), ()):
            is_one = row.declaration != NONE and row.kind == BindingKind.DECLARED
            if is_one:  # a field may have the name as well
                found = Definition(value.path, row.declaration, strategy)
                self.add(source, found, EdgeType.CALLS, place)

    def _bases(self, number: int, scope: int) -> None:
        del scope
        file = self._file
        is_class = file.declarations[number].kind not in _TYPES_ONLY
        for clause in file.clauses.get(number, ()):
            if clause.role not in {Role.BASE, Role.IMPLEMENTS} or clause.value == NONE:
                continue
            kind = EdgeType.INHERITS if is_class else EdgeType.EXTENDS
            if clause.role == Role.IMPLEMENTS:
                kind = EdgeType.IMPLEMENTS
            place = file.place(clause.value)
            bases, values = self._base_symbols(clause.value, is_class=is_class)
            for found in bases:
                self.add(number, found, kind, place)
            for value in values:
                self._external(value, number, kind, place)

    def _base_symbols(self, number: int, *, is_class: bool) -> tuple[list[Definition], Result]:
        """The types that a base means, what it names or the class that this holds; its values."""
        file = self._file
        named = self._finder.of(file, number)
        is_value = all(self._kind(found) in _HOLDING for found in named)
        values = dict(self._heads(number)) | self._ecma.classes.mixed(file, number)
        if is_class and is_value:
            made = self._ecma.classes.made(values)
            values |= {
                ClassValue(each.path, each.scope): how
                for each, how in made.items()
                if isinstance(each, Instance)
            }
        classes = {
            found: None
            for value, how in values.items()
            if isinstance(value, ClassValue)
            for found in self._finder.of_value(value, how)
        }
        return [*(classes if is_value and classes else named)], values

    def _heads(self, number: int) -> Result:
        return self._evaluation.evaluate(self._file, number)

    def _overridden(self, number: int) -> None:
        """The members of the bases that a method or accessor of a class replaces."""
        file = self._file
        scope = file.scope_of_declaration[number]
        item = file.declarations[number]
        around = file.function_around(file.parent(scope))
        declaration = file.code.scopes[around].declaration
        if file.kind(around) != ScopeKind.CLASS or declaration == NONE:
            return
        if item.kind not in _OVERRIDING or "static" in item.modifiers:
            return
        place = item.name_line, item.name_column
        for clause in file.clauses.get(declaration, ()):
            if clause.role not in {Role.BASE, Role.IMPLEMENTS}:
                continue
            for base in self._base_objects(clause.value, clause.role):
                for found in self._finder.of_member(base, item.name):
                    if (found.path, found.declaration) == (file.path, number):
                        continue  # picked from the class itself
                    replaced = found._replace(strategy=Strategy.RECEIVER)
                    self.add(number, replaced, EdgeType.OVERRIDES, place)

    def _base_objects(self, number: int, role: int) -> Result:
        if role == Role.IMPLEMENTS:
            return self._ecma.instances(self._file, number)
        return self._ecma.classes.base_objects(self._file, number)

    def _accepted(self, number: int, scope: int) -> None:
        """The types of a function's parameters."""
        file = self._file
        for row in file.parameters.get(scope, ()):
            for part in names_in(file, row.annotation):
                for found in self._finder.of(file, part):
                    self.add(number, found, EdgeType.ACCEPTS, file.place(part))


def _without_casts(file: SourceFile, number: int) -> int:
    """The expression that is called, as in `(f as any)(a)`."""
    item = file.expressions[number]
    while item.op == Op.CAST and item.of != NONE:
        number = item.of
        item = file.expressions[number]
    return number


def family(engine: Engine, _language: Language) -> Family:
    """The evaluation of TypeScript and JavaScript."""
    evaluation = EcmaScriptEvaluation(engine)
    definitions = EcmaScriptDefinitions(evaluation)
    return Family(
        evaluation,
        definitions,
        lambda context, file: EcmaScriptPlaces(context, file, evaluation, definitions),
    )
