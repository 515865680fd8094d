"""Finds the declarations that a place refers to, and the overridden ones of a member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from code_graph.declared.part import EvaluationPart
from code_graph.evaluate.definitions import Definition, Finder
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    FunctionValue,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    TypeParameter,
    Value,
    Values,
)
from code_graph.expressions import NONE, Binding, Op, Role
from code_graph.facts import INTERFACES, Declaration
from code_graph.model import FILE, Strategy

_MODULES = frozenset({"module", "namespace", "package"})
_REPLACING = frozenset({"method", "function", "property", "event", "indexer"})
_MARKS = re.compile(r"@[\w.]+(?:\([^()]*\))?|\bfinal\b|[\s:]")
_OVERRIDE = frozenset({"override", "final"})


class DeclaredDefinitions(EvaluationPart, Finder):
    """Follows names and members to declarations."""

    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions that a NAME or MEMBER expression refers to."""
        is_type = number in self._evaluation.types.table(file).type_places
        if not is_type and file.expressions[number].op not in {Op.NAME, Op.MEMBER}:
            return []
        found = self._types(file, number) if is_type else self._meanings(file, number)
        written = self._rules.written(file, number, found)
        if written:
            # what is behind an alias is its value, and the name is that of the alias
            behind = {} if self._rules.refers_to_alias else found
            behind = {value: max(how, Strategy.FLOW) for value, how in behind.items()}
            found = {**behind, **written}
        best: dict[tuple[str, int], Definition] = {}
        functions = 0
        self._evaluation.engine.count(len(found))
        for value, strategy in found.items():
            for item in self.of_value(value, strategy):
                known = best.get(item[:2])
                if known is None or item.strategy < known.strategy:
                    best[item[:2]] = item
                functions += isinstance(value, MemberValue)
        if functions > 1:
            return [self._one_of(item) for item in best.values()]
        return list(best.values())

    def _types(self, file: SourceFile, number: int) -> Result:
        """The types that a place names."""
        return self._evaluation.types.of(file, number)

    def _meanings(self, file: SourceFile, number: int) -> Result:
        """The meanings of a NAME or MEMBER that is no type."""
        found = self._evaluation.names.resolve(file, number)
        if any(isinstance(value, FunctionValue) for value in found):
            return {v: how for v, how in found.items() if not self._is_held(file, number, v)}
        return found

    def _is_held(self, file: SourceFile, number: int, value: Value) -> bool:
        """True if a value is a function that a variable holds, which has a name of its own."""
        item = self._evaluation.declaration_of(value) if isinstance(value, FunctionValue) else None
        return item is not None and item.name != file.expressions[number].name

    def _one_of(self, item: Definition) -> Definition:
        return item._replace(strategy=max(item.strategy, Strategy.OVERLOAD))

    def of_import(self, file: SourceFile, binding: Binding) -> list[Definition]:
        """The declarations of the tree that an import names."""
        found = self._rules.imported(file, binding.value)
        return [item for value, how in found.items() for item in self.of_value(value, how)]

    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a function, member or class."""
        if isinstance(value, ModuleValue):
            yield from self._rules.of_package(value, strategy)
        elif isinstance(value, MemberValue):
            self._evaluation.engine.count(1)  # the work that a file may take counts this, too
            yield Definition(value.path, value.declaration, strategy)
        elif isinstance(value, FunctionValue | ClassValue):
            file = self._evaluation.file(value.path)
            if file is not None:
                declaration = file.code.scopes[value.scope].declaration
                if declaration != NONE:
                    yield Definition(value.path, declaration, strategy)

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The members of bases that a member replaces or implements."""
        item = file.declarations[number]
        owner = self._evaluation.classes.owner_of(file, number)
        rules = self._rules
        if owner is None or item.kind not in _REPLACING | rules.replacing:
            return []
        if "static" in item.modifiers and not rules.replaces_static:
            return []
        explicit = self._written_owner(file, number)
        if explicit != NONE:
            return self._explicit(file, number, explicit, item.name.rpartition(".")[2])
        return self._in_bases(file, number, owner)

    def _written_owner(self, file: SourceFile, number: int) -> int:
        """The expression of the interface that a member says it implements."""
        return self._evaluation.types.table(file).clause(number, Role.MEMBER_OF)

    def _in_bases(self, file: SourceFile, number: int, owner: ClassValue) -> list[Definition]:
        """The members of bases that a member of a type replaces."""
        item = file.declarations[number]
        found: list[Definition] = []
        is_class_done = not self._rules.replaces(item)
        for ancestor in self._bases(owner):
            if ancestor.external:
                continue
            kind = self._evaluation.classes.kind_of(ancestor.path, ancestor.scope)
            if kind not in INTERFACES and is_class_done:
                continue
            rows = self._same(file, number, owner, ancestor)
            found += rows
            is_class_done = is_class_done or (bool(rows) and kind not in INTERFACES)
        return found

    def _bases(self, owner: ClassValue) -> Sequence[Ancestor]:
        """The bases of a type whose members its own may replace."""
        return self._evaluation.classes.ancestors(owner.path, owner.scope)[1:]

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """True if a declaration outside of its type belongs to it, and is no extension of it."""
        other = self._evaluation.file(owner.path)
        if other is None or owner.declaration == FILE:
            return False
        is_type = other.declarations[owner.declaration].kind not in _MODULES
        return is_type and self._rules.belongs_to_type(file, number, owner)

    def is_called_by_name(self, found: Definition) -> bool:
        """True if a function is called where its name stands alone."""
        other = self._evaluation.file(found.path)
        if other is None or found.declaration == FILE:
            return False
        return self._rules.is_called_by_name(other, found.declaration)

    def _explicit(
        self, file: SourceFile, number: int, explicit: int, name: str
    ) -> list[Definition]:
        found: list[Definition] = []
        for value in self._evaluation.types.of(file, explicit):
            if isinstance(value, ClassValue):
                base = Instance(value.path, value.scope, value.arguments)
                mine = self._signature(file, number, None)
                for member in self._evaluation.classes.members(base, name):
                    if isinstance(member, MemberValue):
                        other = self._evaluation.file(member.path)
                        if other is not None and self._agree(
                            mine, self._signature(other, member.declaration, base)
                        ):
                            found.append(
                                Definition(member.path, member.declaration, Strategy.RECEIVER)
                            )
        return found

    def _same(
        self, file: SourceFile, number: int, owner: ClassValue, ancestor: Ancestor
    ) -> list[Definition]:
        receiver = Instance(owner.path, owner.scope, ())
        mine = self._signature(file, number, None)
        found: list[Definition] = []
        rules = self._rules
        for path, declaration in self._named(ancestor, file.declarations[number].name):
            other = self._evaluation.file(path)
            if other is None:
                continue
            item = other.declarations[declaration]
            if item.kind not in _REPLACING | rules.replacing:
                continue
            if not rules.may_replace(file, number, other, declaration):
                continue
            self._evaluation.classes.depend_on_declaration(other, declaration)
            if self._agree(mine, self._signature(other, declaration, receiver)):
                found.append(Definition(path, declaration, Strategy.RECEIVER))
        return self._written_alike(file, number, found) if len(found) > 1 else found

    def _named(self, ancestor: Ancestor, name: str) -> list[tuple[str, int]]:
        """The members of a base by their name."""
        return self._evaluation.classes.own_members(ancestor.path, ancestor.scope, name)

    def _written_alike(
        self, file: SourceFile, number: int, found: list[Definition]
    ) -> list[Definition]:
        """The overloads whose parameters are written as a member's are, or all if none is.

        What is unknown agrees with anything, and `int?` is another type than `int`.
        """
        mine = _written_types(file, number)
        alike = [
            each
            for each in found
            if (other := self._evaluation.file(each.path)) is not None
            and _written_types(other, each.declaration) == mine
        ]
        return alike or found

    def _signature(
        self, file: SourceFile, declaration: int, receiver: Instance | None
    ) -> tuple[Values, ...]:
        scope = file.scope_of_declaration.get(declaration, NONE)
        if scope == NONE or file.declarations[declaration].kind in {"property", "event"}:
            return ()
        return self._evaluation.classes.signature(FunctionValue(file.path, scope, receiver)) or ()

    def _agree(self, one: tuple[Values, ...], other: tuple[Values, ...]) -> bool:
        """True if two lists of parameters may be of one signature."""
        if self._rules.replaces_by_name:
            return True
        if len(one) != len(other):
            return False
        return all(not a or not b or self._alike(a, b) for a, b in zip(one, other, strict=True))

    def _alike(self, one: Values, other: Values) -> bool:
        return any(
            bare(a) == bare(b) or isinstance(a, TypeParameter) or isinstance(b, TypeParameter)
            for a in one
            for b in other
        )


def _written_types(file: SourceFile, declaration: int) -> str:
    """The parameters of a function as they are written, without their names and marks."""
    text = file.declarations[declaration].parameters
    scope = file.scope_of_declaration.get(declaration, NONE)
    for row in file.parameters.get(scope, ()):
        text = re.sub(rf"(?<![\w$.]){re.escape(row.name)}(?![\w$.<])", "", text, count=1)
    return _MARKS.sub("", text)


def says_override(item: Declaration) -> bool:
    """True of a head that ends with `override` or `final`."""
    return not _OVERRIDE.isdisjoint(item.signature.rpartition(")")[2].split())


def bare(value: Value) -> object:
    """A type without its arguments, to be compared with others."""
    if isinstance(value, Instance):
        return value.path, value.scope
    return getattr(value, "name", value)
