"""Initialisers of Swift: by name, of extensions, of protocols, and those that nobody wrote."""

from __future__ import annotations

from typing import Final

from code_graph.declared.extended import blocks_of
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    Result,
    SuperValue,
    TupleValue,
    TypeParameter,
    Value,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Expression, Op, Role
from code_graph.languages.swift.rules.containers import SwiftContainers
from code_graph.languages.swift.rules.library import protocols_of
from code_graph.model import Strategy

_INIT: Final = "init"
# types that no initialiser makes which nobody wrote
_UNMADE: Final = frozenset({"extension", "protocol"})
_RESULTS: Final = frozenset({"success", "failure"})


class SwiftMaking(SwiftContainers):
    """Callees that make objects, members of expected types, and what cases carry."""

    def constructed_by(self, value: Value, name: str) -> Result:
        """`self.init`, `super.init`, `Type.init`."""
        if name != _INIT:
            return {}
        if isinstance(value, Instance | ClassValue):
            own = ClassValue(value.path, value.scope, value.arguments)
            return self._evaluation.classes.constructors(own)
        if isinstance(value, SuperValue):
            for item in self._evaluation.classes.ancestors(value.path, value.scope)[1:]:
                if item.external:
                    continue
                base = ClassValue(item.path, item.scope, item.arguments)
                found = self._evaluation.classes.constructors(base)
                if found:
                    return found
        return {}

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """A case of an enum that is made with values, a macro, or what makes an object.

        That is the type for an initialiser that nobody wrote, one of an extension for a type from
        outside, one that a protocol asks for of a type parameter.
        """
        called = file.expressions[number].of
        item = file.expressions[called]
        if item.op not in {Op.NAME, Op.MEMBER, Op.APPLY}:
            return {}
        if item.op != Op.APPLY:
            found = self._evaluation.names.resolve(file, called)
            cases = {v: how for v, how in found.items() if self.is_case(v)}
            if cases:
                return cases
        if item.op == Op.MEMBER and item.name == _INIT:
            return self._made_of(file, number, item)
        made: Result = {}
        for value in self._evaluation.evaluate(file, called):
            merge(made, self._made(file, number, value))
        return made

    def _made_of(self, file: SourceFile, number: int, item: Expression) -> Result:
        """The types of `T.init(…)`, `self.init(…)`, whose initialiser is not written."""
        found: Result = {}
        for value in self._evaluation.evaluate(file, item.of) if item.of != NONE else ():
            if isinstance(value, Instance | ClassValue):
                if self._evaluation.classes.kind_of(value.path, value.scope) in _UNMADE:
                    continue
                made = ClassValue(value.path, value.scope, value.arguments)
                merge(found, {made: Strategy.RECEIVER})
            else:
                merge(found, self._made(file, number, value))
        return found

    def _made(self, file: SourceFile, number: int, value: Value) -> Result:
        """The initialisers of extensions of a type from outside, or of a parameter's bounds."""
        found: Result = {}
        if isinstance(value, External | ExternalInstance):
            own = value.name.rpartition(".")[2]
            for one in (own, *protocols_of(own)):
                merge(found, self._initialisers(one))
        elif isinstance(value, TypeParameter):
            for bound in self._evaluation.types.bound_of(value):
                if isinstance(bound, Instance):
                    of = ClassValue(bound.path, bound.scope, bound.arguments)
                    merge(found, self._evaluation.classes.constructors(of))
        items = file.expressions[number].items
        return self._evaluation.calls.overloads.choose(file, found, items, number)

    def _initialisers(self, name: str) -> Result:
        """The initialisers that extensions give to a type from outside."""
        return self._evaluation.engine.unit(
            ("initialisers", name), lambda: self._initialisers_of(name)
        )

    def _initialisers_of(self, name: str) -> Result:
        found: Result = {}
        for file in self._evaluation.types.declaring(self.language, name):
            for scope, number in blocks_of(file).get(name, ()):
                if any(isinstance(v, External) for v in self._evaluation.types.of(file, number)):
                    of = ClassValue(file.path, scope)
                    merge(found, self._evaluation.classes.own_constructors(of))
        return found

    # contexts

    def implied(self, file: SourceFile, number: int) -> Result:
        """`.name`: a member of the type that is expected where it stands."""
        name = file.expressions[number].name
        chains = file.cached("chains", _chains)
        expected = self._evaluation.types.table(file).expected
        whole = number
        while whole not in expected and whole in chains:
            whole = chains[whole]
        found: Result = {}
        for value in self._evaluation.calls.expected_types(file, whole):
            bounds = (
                self._evaluation.types.bound_of(value) if isinstance(value, TypeParameter) else ()
            )
            for one in (value, *bounds):
                merge(found, self.member_of_type(one, name), Strategy.GENERIC)
        found = {v: how for v, how in found.items() if not isinstance(v, External)}
        return self.fitting_use(file, number, found) if len(found) > 1 else found

    def member_of_type(self, value: Value, name: str) -> Result:
        """The members that the type of an object itself has."""
        if isinstance(value, Instance):
            of = ClassValue(value.path, value.scope, value.arguments)
            return self.constructed_by(of, name) or self._evaluation.classes.members(of, name)
        if isinstance(value, ExternalInstance):
            return {
                one._replace(receiver=ClassValue(one.receiver.path, one.receiver.scope)): how
                for one, how in self.extended_member(value.name, name).items()
                if isinstance(one, MemberValue) and isinstance(one.receiver, Instance)
            }
        return {}

    def is_case(self, value: Value) -> bool:
        """True for a case of an enum, or a macro."""
        item = self._evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
        return item is not None and item.kind in {"enumerator", "macro"}

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """A part of what a case carries, as it is declared."""
        of = file.expressions[item.of] if item.of != NONE else None
        if of is None or of.op != Op.MEMBER or not item.name.isdigit():
            return {}
        found: Result = {}
        for value in self._evaluation.evaluate(file, of.of) if of.of != NONE else ():
            if isinstance(value, ExternalInstance) and value.name == "Result":
                at = ("success", "failure").index(of.name) if of.name in _RESULTS else -1
                values = value.arguments[at] if 0 <= at < len(value.arguments) else ()
                merge(found, with_strategy(values, Strategy.GENERIC))
        for value in self._evaluation.names.resolve(file, item.of) if not found else ():
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if other is None or not isinstance(value, MemberValue) or not self.is_case(value):
                continue
            self._evaluation.classes.depend_on_declaration(other, value.declaration)
            clause = self._evaluation.types.table(other).clause(value.declaration, Role.TYPE)
            for one in self._evaluation.types.instances(other, clause) if clause != NONE else ():
                if isinstance(one, TupleValue) and int(item.name) < len(one.parts):
                    merge(found, with_strategy(one.parts[int(item.name)], Strategy.DECLARED))
        return found


def _chains(file: SourceFile) -> dict[int, int]:
    """The calls and members of each name or member."""
    return {
        item.of: number
        for number, item in enumerate(file.expressions)
        if item.op in {Op.CALL, Op.MEMBER} and item.of != NONE
    }
