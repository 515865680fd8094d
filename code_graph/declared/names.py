"""Finds what a name or member means where a value stands."""

from __future__ import annotations

from code_graph.declared.part import EvaluationPart
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.source_file import END, SourceFile
from code_graph.evaluate.values import (
    MOST_MEMBERS,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    ModuleValue,
    RecordValue,
    Result,
    SuperValue,
    TupleValue,
    TypeParameter,
    Value,
    is_none,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Binding, BindingKind, Op, ScopeKind
from code_graph.model import Strategy

_PARAMETERS = frozenset({BindingKind.PARAMETER, BindingKind.VARIADIC, BindingKind.KEYWORDS})


class DeclaredNames(EvaluationPart):
    """Names in scopes, and members of values."""

    def look_up(self, file: SourceFile, number: int) -> Result:
        """Meanings of a NAME: declared members and types, or the values of a local variable."""
        item = file.expressions[number]
        if item.name in self._rules.keywords:
            return {External(self._rules.plain_name(item.name)): Strategy.SCOPE}
        start = file.code.scope_of[number]
        arity = self._evaluation.types.arity(file, number)
        is_method = self._is_method(file, number)
        crossed = False
        sees_members = self._rules.sees_members
        for scope in file.around(start):
            kind = file.kind(scope)
            found: Result = {}
            if kind == ScopeKind.MODULE or (kind == ScopeKind.CLASS and sees_members):
                found = self._outside(file, scope, item.name, arity)
                found = self._of_use(found, is_method=is_method)
            elif kind != ScopeKind.CLASS and not is_method:
                self._evaluation.types.depend_on(file, scope, item.name)
                if (scope, item.name) in file.bindings:
                    is_late = crossed and not self._rules.binds_in_order
                    place, region = (END, scope) if is_late else (number, start)
                    found = self._local(file, scope, item.name, place, region)
            if is_method and kind == ScopeKind.CLASS and not found:
                found = self._inherited(file, scope, item.name)
            found = found or self._rules.own_name(file, scope, item.name)
            if found:
                return self._fitting_use(file, number, found)
            crossed = crossed or kind in {ScopeKind.FUNCTION, ScopeKind.CLASS}
        return {External(self._rules.plain_name(item.name)): Strategy.SCOPE}

    def _outside(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """Meanings of a name in the classes and namespaces around a place."""
        key = ("outside", file.path, scope, name, arity)
        if file.kind(scope) == ScopeKind.CLASS:
            return self._evaluation.engine.unit(
                key, lambda: self._in_class(file, scope, name, arity)
            )
        return self._evaluation.engine.unit(key, lambda: self._in_module(file, scope, name, arity))

    def _of_use(self, found: Result, *, is_method: bool) -> Result:
        """The meanings without methods where no method is called, or without all others."""
        if not found or not self._rules.separates_methods:
            return found
        is_function = self._evaluation.classes.is_function
        return {
            value: how
            for value, how in found.items()
            if not isinstance(value, MemberValue) or is_function(value) == is_method
        }

    def _inherited(self, file: SourceFile, scope: int, name: str) -> Result:
        """A method that the class of a scope has from outside."""
        owner = self._evaluation.classes.canonical(ClassValue(file.path, scope))
        arguments = tuple((item,) for item in self._evaluation.types.parameters_of(owner))
        receiver = Instance(owner.path, owner.scope, arguments)
        return self._rules.inherited(receiver, name, "")

    def _is_method(self, file: SourceFile, number: int) -> bool:
        """True if a name means a method because it is called."""
        rules = self._rules
        return rules.separates_methods and number in self._evaluation.types.table(file).called

    def _fitting_use(self, file: SourceFile, number: int, found: Result) -> Result:
        """The methods for a call and the variables for other uses, if a name means both."""
        if len(found) > 1:
            found = self._rules.fitting_use(file, number, found)
        if len(found) == 1 or not self._rules.separates_methods:
            return found
        is_called = number in self._evaluation.types.table(file).called
        is_function = self._evaluation.classes.is_function
        kept = {v: how for v, how in found.items() if is_function(v) == is_called}
        return kept or found

    def _local(self, file: SourceFile, scope: int, name: str, place: int, region: int) -> Result:
        found: Result = {}
        in_order = self._rules.binds_in_order
        reaching = file.bound_before if in_order else file.reaching
        for binding in reaching(scope, name, place, region):
            if binding.kind == BindingKind.IMPORTED:
                merge(found, self._rules.imported(file, binding.value))
            elif binding.declaration != NONE and binding.kind == BindingKind.DECLARED:
                merge(found, {MemberValue(file.path, binding.declaration): Strategy.SCOPE})
            elif binding.kind == BindingKind.DECLARED:
                merge(found, self._evaluation.types.parameter(file, scope, name))
            else:
                merge(found, self._bound(file, binding))
        return found

    def _bound(self, file: SourceFile, binding: Binding) -> Result:
        key = ("bound", file.path, binding.scope, binding.name, binding.at)

        def compute() -> Result:
            found = self.value_of(file, binding)
            return found or {ExternalInstance(""): Strategy.SCOPE}

        return self._evaluation.engine.unit(key, compute)

    def value_of(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a local variable or a parameter."""
        if binding.kind in _PARAMETERS:
            return self._evaluation.calls.parameter(file, binding)
        if binding.annotation != NONE:
            return self._evaluation.types.instances(file, binding.annotation)
        return self._evaluation.evaluate(file, binding.value)

    def _in_class(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A member of the class around, or a type in it."""
        owner = self._evaluation.classes.canonical(ClassValue(file.path, scope))
        if file.code.scopes[scope].declaration == NONE:
            return self._in_anonymous(file, scope, name)
        arguments = tuple((item,) for item in self._evaluation.types.parameters_of(owner))
        receiver = Instance(owner.path, owner.scope, arguments)
        members = self._evaluation.classes.members(receiver, name)
        return self._members_or_nested_types(members, name, arity, owner)

    def _in_anonymous(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        for binding in file.bindings.get((scope, name), ()):
            if binding.declaration != NONE:
                found[MemberValue(file.path, binding.declaration)] = Strategy.SCOPE
        for base in self._evaluation.anonymous(file, scope) if not found else ():
            if isinstance(base, Instance):
                members = self._evaluation.classes.members(base, name)
                found.update({v: h for v, h in members.items() if isinstance(v, MemberValue)})
        return found

    def _members_or_nested_types(
        self, found: Result, name: str, arity: int, owner: ClassValue
    ) -> Result:
        """The members that are no types; without any, nested types with so many parameters."""
        kept: Result = {}
        for value, how in found.items():
            file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if file is None or not isinstance(value, MemberValue):
                continue
            inner = file.scope_of_declaration.get(value.declaration, NONE)
            item = file.declarations[value.declaration]
            if inner != NONE and file.kind(inner) == ScopeKind.CLASS and item.kind != "enumerator":
                continue
            kept[value] = how
        return kept or self._evaluation.types.nested(owner, name, arity)

    def _in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """An imported member, or a type of the namespace."""
        found = self._rules.names_in_module(file, scope, name)
        return found or self._rules.types_in_module(file, scope, name, arity)

    def member(self, file: SourceFile, number: int) -> Result:
        """Meanings of a MEMBER: declared members, types, or values without a declaration."""
        item = file.expressions[number]
        if item.of == NONE:
            return self._rules.implied(file, number)
        found = self._of_values(file, number)
        if all(isinstance(value, External) for value in found):
            # the steps that a place may take count this, too
            self._evaluation.evaluate(file, item.of)
        if any(not isinstance(value, External) for value in found):
            found = {v: how for v, how in found.items() if not isinstance(v, External)}
            return self._fitting_use(file, number, found)
        whole = self._evaluation.types.dotted(file, item)
        if whole and (not found or self._is_unknown(file, item.of)):
            arity = self._evaluation.types.arity(file, number)
            scope = file.code.scope_of[number]
            typed = self._evaluation.types.qualified(file, scope, whole, arity)
            found = typed or found
        return self._fitting_use(file, number, found)

    def _of_values(self, file: SourceFile, number: int) -> Result:
        """The members of all values of an object."""
        item = file.expressions[number]
        found: Result = {}
        for value, strategy in self._evaluation.evaluate(file, item.of).items():
            for inner, how in self.member_of(file, number, value, item.name).items():
                merge(found, {inner: how}, strategy, MOST_MEMBERS)
        return found

    def _is_unknown(self, file: SourceFile, number: int) -> bool:
        return all(isinstance(value, External) for value in self._evaluation.evaluate(file, number))

    def member_of(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of one value."""
        made = self._rules.constructed_by(value, name)
        if made:
            return made
        if isinstance(value, Instance | ClassValue):
            found = self._of_type(file, number, value, name)
        elif isinstance(value, SuperValue):
            receiver = value.receiver
            base = receiver if isinstance(receiver, Instance) else Instance(value.path, value.scope)
            found = self._evaluation.classes.members(base, name, 1)
            found = {item: max(how, Strategy.RECEIVER) for item, how in found.items()}
        elif isinstance(value, TypeParameter):
            found = {}
            for bound in self._evaluation.types.bound_of(value):
                more = self.member_of(file, number, bound, name)
                merge(found, more, Strategy.DECLARED, MOST_MEMBERS)
        elif isinstance(value, RecordValue):
            rows = [values for key, values in value.parts if key == name]
            found = with_strategy(tuple(v for row in rows for v in row), Strategy.FLOW)
        elif isinstance(value, ExternalInstance) and value.name == CALLABLE:
            found = {value: Strategy.SCOPE} if name in self._rules.invoking else {}
        elif isinstance(value, FunctionValue) and name in self._rules.invoking:
            found = {value: Strategy.SCOPE}
        elif isinstance(value, TupleValue) and name.startswith("Item") and name[4:].isdigit():
            at = int(name[4:]) - 1
            parts = value.parts[at] if 0 <= at < len(value.parts) else ()
            found = with_strategy(parts, Strategy.FLOW)
        elif isinstance(value, ModuleValue):
            found = self._rules.member_of_package(file, value, name)
        elif isinstance(value, External | ExternalInstance | TupleValue) and not is_none(value):
            found = self._rules.member_of_external(file, number, value, name)
        else:
            found = {}
        return found

    def _of_type(
        self, file: SourceFile, number: int, value: Instance | ClassValue, name: str
    ) -> Result:
        found = self._evaluation.classes.members(value, name)
        if found:
            found = self._rules.members_meant(file, number, value, found)
        if isinstance(value, Instance) and all(isinstance(item, External) for item in found):
            behind: Result = {}
            for inner, how in self._rules.pointed(value).items():
                merge(behind, self.member_of(file, number, inner, name), how, MOST_MEMBERS)
            found = behind or found
        if isinstance(value, ClassValue):
            arity = self._evaluation.types.arity(file, number)
            kept = self._members_or_nested_types(found, name, arity, value)
            found = kept or found
        return {item: max(how, Strategy.DECLARED) for item, how in found.items()}

    def values(self, found: Result) -> Result:
        """The values of declared members; all other values unchanged."""
        result: Result = {}
        self._evaluation.engine.count(len(found))
        for value, strategy in found.items():
            if isinstance(value, MemberValue):
                merge(result, self._evaluation.classes.value_of(value), strategy, MOST_MEMBERS)
            else:
                merge(result, {value: strategy}, Strategy.SCOPE, MOST_MEMBERS)
        return result

    def resolve(self, file: SourceFile, number: int) -> Result:
        """Meanings of a NAME or MEMBER; declared members as such: `values` gives their values."""
        op = file.expressions[number].op
        key = ("resolved", file.path, number)
        if op == Op.NAME:
            return self._evaluation.engine.unit(key, lambda: self.look_up(file, number))
        return self._evaluation.engine.unit(key, lambda: self.member(file, number))
