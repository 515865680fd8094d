"""The parts of the evaluation that differ in Swift: names, types, members, calls, inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.inference import Inference
from code_graph.declared.members import DeclaredClasses
from code_graph.declared.names import DeclaredNames
from code_graph.declared.types import Types
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import Given
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Expression, Role
from code_graph.facts.model import INTERFACES
from code_graph.languages.swift.rules.associated import SELF
from code_graph.languages.swift.rules.labels import is_contextual
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.swift.rules.language import SwiftRules

# parts of a type that are looked through one by one, and files that are told apart
_FEW_PARTS: Final = 4
_MOST_FILES: Final = 300
# methods of the library's collections that are given an element
_TAKES_ELEMENT: Final = frozenset(
    "append insert contains firstIndex lastIndex remove removeFirst prepend update fill".split()  # noqa: SIM905
)


class SwiftEvaluation(DeclaredEvaluation):
    """Evaluates expressions, with the types that protocols ask for."""

    rules: SwiftRules

    def substituted(self, values: Result, given: Given) -> Result:
        """Values with type parameters replaced, and with types in these."""
        return self.rules.associated.projected(super().substituted(values, given))


class SwiftNames(DeclaredNames):
    """Names, of which type parameters precede what protocols call alike."""

    _rules: SwiftRules

    def _in_class(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type parameter of the type around, or a member."""
        is_named = file.code.scopes[scope].declaration != NONE
        found = self._rules.own_type(file, scope, name) if is_named else {}
        own: Result = {v: how for v, how in found.items() if isinstance(v, TypeParameter)}
        return own or super()._in_class(file, scope, name, arity)


class SwiftTypes(Types):
    """Types, with `Self` and the types that protocols ask for."""

    def _bound_of(self, value: TypeParameter) -> Result:
        """The types that a type parameter is limited to; the protocol whose `Self` it is."""
        path, _, rest = value.name.partition("\0")
        number, _, name = rest.partition("\0")
        file = self._evaluation.file(path)
        scope = NONE if file is None else file.scope_of_declaration.get(int(number), NONE)
        is_self = name == SELF and scope != NONE
        found: Result = {Instance(path, scope): Strategy.DECLARED} if is_self else {}
        merge(found, super()._bound_of(value))
        return found

    def _in_type(self, file: SourceFile, value: Value, name: str, arity: int) -> Result:
        """The types of a name in another one; of a type parameter, what protocols ask for."""
        found = super()._in_type(file, value, name, arity)
        bounds = self.bound_of(value) if isinstance(value, TypeParameter) else {}
        for bound in bounds:
            if isinstance(bound, Instance) and isinstance(value, TypeParameter):
                of = ClassValue(bound.path, bound.scope, bound.arguments)
                for one, how in self.nested(of, name, -1).items():
                    if isinstance(one, TypeParameter):
                        merge(found, {one._replace(bound=(value,)): how})
                    else:
                        merge(found, {one: how})
        return found


class SwiftClasses(DeclaredClasses):
    """Members of types with many extensions, and initialisers that types have of their bases."""

    _rules: SwiftRules

    def parts_with(self, path: str, scope: int, name: str) -> Sequence[tuple[str, int]]:
        """The parts of a type in files that declare a name."""
        parts = self.parts(path, scope)
        if len(parts) < _FEW_PARTS:
            return parts
        engine = self._evaluation.engine
        name = name or "init"
        files = engine.declaring(self._rules.language, name)
        if len(files) >= _MOST_FILES:
            return parts
        known = set(files)
        return [part for part in parts if part[0] in known]

    def given_at(self, receiver: Value | None, path: str, scope: int) -> dict[str, Values]:
        """Bindings of a base's type parameters, and of the types that a protocol asks for."""
        given = super().given_at(receiver, path, scope)
        if not isinstance(receiver, Instance | ClassValue):
            return given
        is_own = (receiver.path, receiver.scope) == (path, scope)
        if not is_own and not self.is_subclass(receiver, ClassValue(path, scope)):
            return given
        return self._rules.associated.given(receiver, path, scope) | given

    def constructors(self, value: ClassValue) -> Result:
        """The initialisers of a type and those of its bases that have a body."""
        key = ("all constructors", value)
        return self._evaluation.engine.unit(key, lambda: self._joined(value))

    def _joined(self, value: ClassValue) -> Result:
        """The constructors of a class and those of its bases that have a body."""
        found = self.own_constructors(value)
        for item in self.ancestors(value.path, value.scope)[1:]:
            if not item.external:
                rows = self.own_constructors(ClassValue(item.path, item.scope, item.arguments))
                merge(found, {v: how for v, how in rows.items() if self._is_made(v)})
        return found

    def _is_made(self, value: Value) -> bool:
        """True for a constructor that has a body: not one that an interface only asks for."""
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return False
        holder = file.declarations[file.code.scopes[value.scope].declaration].parent
        return holder < 0 or file.declarations[holder].kind not in INTERFACES


class SwiftCalls(DeclaredCalls):
    """Calls of initialisers that nobody wrote, and of cases with values."""

    _rules: SwiftRules

    def _sole(self, functions: Result, item: Expression) -> Result:
        """The only function of a name, if its labels are those of the call."""
        return {
            value: how
            for value, how in super()._sole(functions, item).items()
            if not isinstance(value, FunctionValue)
            or self.overloads.matched(value, item.items) is not None
        }

    def _given_to(self, file: SourceFile, number: int, value: ClassValue) -> dict[str, Values]:
        """The type arguments of an object by its initialiser, or the values of its properties."""
        given = super()._given_to(file, number, value)
        items = file.expressions[number].items if not given else ()
        for position, item in enumerate(items):
            values = plain(self._evaluation.evaluate(file, item.value))
            for declared in self._stored_in(value, items, position):
                self.inference.unify(declared, values, given)
        return given

    def _expected_argument(
        self, file: SourceFile, call: int, position: int, *, without_functions: bool
    ) -> Result:
        found: Result = {}
        for value in self.callees(file, call):
            if isinstance(value, External | MemberValue | ClassValue):
                merge(found, self._taken(value, file, call, position))
        expected = super()._expected_argument(
            file, call, position, without_functions=without_functions
        )
        merge(found, expected)
        return found

    def _taken(
        self,
        value: External | MemberValue | ClassValue,
        file: SourceFile,
        number: int,
        position: int,
    ) -> Result:
        """The types of an argument: of what a case carries, an element, or as the others are."""
        items = file.expressions[number].items
        if isinstance(value, ClassValue):
            made = self.constructors(file, number, value)
            return {} if made else self._stored_in(value, items, position)
        if isinstance(value, MemberValue):
            return self._carried_at(value, items, position)
        if value.arguments and value.name.rpartition(".")[2] in _TAKES_ELEMENT:
            return with_strategy(value.arguments[-1], Strategy.GENERIC)
        found: Result = {}
        for at, item in enumerate(items):
            if at != position and not item.name and not is_contextual(file, item.value):
                merge(found, self._evaluation.evaluate(file, item.value), Strategy.GENERIC)
        return {
            v: how
            for v, how in found.items()
            if isinstance(v, Instance) or (isinstance(v, ExternalInstance) and v.arguments)
        }

    def _stored_in(self, value: ClassValue, items: Sequence[Argument], position: int) -> Result:
        """The type of the property that an initialiser sets which nobody wrote.

        A closure behind a call has no label: it is for the last property that is left.
        """
        file = self._evaluation.file(value.path)
        if file is None or position >= len(items):
            return {}
        holder = file.code.scopes[value.scope].declaration
        self.depend_on_head(file, value.scope)
        rows = [
            number
            for number, item in enumerate(file.declarations)
            if item.parent == holder and item.kind == "property"
        ]
        label = items[position].name
        named = [number for number in rows if file.declarations[number].name == label]
        left = [] if label else rows[-1:]
        found: Result = {}
        for number in named or left:
            receiver = Instance(value.path, value.scope, value.arguments)
            member = MemberValue(value.path, number, receiver)
            merge(found, self._evaluation.classes.value_of(member))
        return found

    def _carried_at(self, value: MemberValue, items: Sequence[Argument], position: int) -> Result:
        """The type of what a case carries, by its label."""
        file = self._evaluation.file(value.path)
        if file is None or not self._rules.is_case(value):
            return {}
        self._evaluation.classes.depend_on_declaration(file, value.declaration)
        clause = self._evaluation.types.table(file).clause(value.declaration, Role.TYPE)
        parts = file.expressions[clause].items if clause != NONE else ()
        label = items[position].name if position < len(items) else ""
        named = [part for part in parts if label and part.name == label]
        at = position if position < len(parts) else len(parts) - 1
        row = named[0] if named else (parts[at] if parts else None)
        return self._evaluation.types.instances(file, row.value) if row is not None else {}


class SwiftInference(Inference):
    """Type arguments, without arguments that depend on them."""

    def unified(
        self,
        file: SourceFile,
        value: FunctionValue,
        items: Sequence[Argument],
        *,
        without_functions: bool = False,
    ) -> dict[str, Values]:
        """Bindings of a function's type parameters by the arguments that do not depend on them."""
        known = [
            Argument(NONE, item.name) if is_contextual(file, item.value) else item for item in items
        ]
        return super().unified(file, value, known, without_functions=without_functions)

    def unify(
        self, declared: Value, values: Values, given: dict[str, Values], depth: int = 0
    ) -> None:
        """Note what a type's parameters are; an argument `T.self` is an object of `T.Type`."""
        if isinstance(declared, TypeParameter):
            values = tuple(
                Instance(value.path, value.scope, value.arguments)
                if isinstance(value, ClassValue)
                else value
                for value in values
            )
        super().unify(declared, values, given, depth)
