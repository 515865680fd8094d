"""Lowers declarations of Scala."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.scala.lower.values import ScalaValues
from code_graph.languages.scala.syntax import SHEET
from code_graph.treesitter.code.declared_types import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

_BODIES: Final = frozenset({"template_body", "with_template_body", "enum_body"})
_NAMES: Final = frozenset({"identifier", "operator_identifier"})
_LISTS: Final = frozenset({"parameters", "class_parameters"})
# the names of values that parameters behind the first list have
LIST: Final = ")("
IMPLICIT: Final = "implicit"
# the name that has the type of `self: T =>`
SELF_TYPE: Final = "self =>"


class Scala(ScalaValues):
    """Symbolic code of a Scala file."""

    sheet = SHEET

    # the parameters of the extension that is open
    _extended: Sequence[Node] = ()
    # the head of the type that is open
    _head: int | None = None

    def package(self, node: Node) -> int:
        """A package, maybe with what is in it."""
        return self.opaque(body) if (body := node.child_by_field_name("body")) else NONE

    def import_declaration(self, node: Node) -> int:
        """The names that an import binds; `*` stands for all of a package, type or value."""
        left, seen = list(node.children), set[str]()
        # names of a class are its members, so an import in it is one of its head
        is_member = node.parent is not None and node.parent.type in _BODIES
        scope = self._head if is_member else None
        while left:
            one = left.pop()
            if one.type == "namespace_wildcard":
                number = self.imported_at(node, "")
                if number != NONE:
                    line, column = self.place(one)
                    self.code.bind("*", BindingKind.IMPORTED, number, line=line, column=column)
            elif one.type not in _NAMES:
                left += one.children
            elif self.spelled(one) not in seen:
                name = self.spelled(one)
                seen.add(name)
                number = self.imported_at(node, name)
                if number != NONE:
                    self.bind_name(one, BindingKind.IMPORTED, number, scope=scope)
        return NONE

    # types

    def decorate(self, node: Node, number: int) -> None:
        """Annotations of a declaration."""
        for child in node.children:
            if child.type == "annotation":
                name = child.child_by_field_name("name")
                of = self.lower(name)
                for one in children_of(child):
                    if one.type == "arguments":
                        self.argument_list(one)
                self.type_clause(number, Role.DECORATOR, of)

    def type_declaration(self, node: Node) -> int:
        """A class, object, trait, enum or package object."""
        name = node.child_by_field_name("name")
        number = self.declared_at(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.decorate(node, number)
            self.type_parameters(node, number)
            fields: list[tuple[Node, int, int]] = []
            lists = [child for child in node.children if child.type in _LISTS]
            for at, child in enumerate(lists):
                fields += self.parameters(child, at)
            for child in node.children:
                if child.type == "extends_clause" or node.type == "given_definition":
                    self.bases(child, number, is_called=node.type != "trait_definition")
            outer, self._head = self._head, self.code.scope
            with self.code.inside(ScopeKind.CLASS, number):
                for field, declared, inner in fields:
                    self.type_clause(inner, Role.TYPE, declared)
                    self.bind_name(field, BindingKind.DECLARED, NONE, declared, inner)
                for child in node.children:
                    if child.type in _BODIES or child.is_error:
                        self.statements(children_of(child))
            self._head = outer
        return NONE

    def bases(self, node: Node, number: int, *, is_called: bool) -> None:
        """The types that a type derives from; the constructor of the first is called."""
        types: list[int] = []
        items: list[Argument] = []
        for child in children_of(node):
            if child.type == "arguments":
                items += self.argument_list(child)
            elif child.type != "with":
                if types and is_called and len(types) == 1:
                    self.code.add(Op.CALL, types[0], items=items)
                    items = []
                for one in self.several(child):
                    types.append(self.lower(one))
                    self.type_clause(number, Role.BASE, types[-1])
        if is_called and types and (len(types) == 1 or items):
            self.code.add(Op.CALL, types[-1], items=items)

    @staticmethod
    def several(node: Node) -> Sequence[Node]:
        """The types in `A with B`."""
        found: list[Node] = []
        while node.type == "compound_type":
            parts = children_of(node)
            found += reversed([one for one in parts[1:] if one.type != "refinement"])
            node = parts[0]
        return [node, *reversed(found)]

    def self_type(self, node: Node) -> int:
        """The name of the object in a type, and the type that it has beside its own."""
        parts = children_of(node)
        types = [self.lower(one) for part in parts[1:] for one in self.several(part)]
        if parts and self.source.of(parts[0]) not in {"this", "_"}:
            self.bind_name(parts[0], value=self.code.add(Op.THIS), scope=self._head)
        for one in types:
            self.code.bind(SELF_TYPE, annotation=one)
        return NONE

    def unnamed(self, node: Node) -> int:
        """An object of a class without a name."""
        parts = children_of(node)
        number = self.declaration_of(node.children[0])
        types = [each for one in parts[:1] if one != parts[-1] for each in self.several(one)]
        bases = [self.lower(one) for one in types]
        items = [i for one in parts if one.type == "arguments" for i in self.argument_list(one)]
        for base in bases:
            self.type_clause(number, Role.BASE, base)
        for base in bases[:1]:
            self.code.add(Op.CALL, base, items=items)
        with self.code.inside(ScopeKind.CLASS, number) as scope:
            self.statements(children_of(parts[-1]))
        return self.cast(self.function(scope, node), bases[0] if bases else NONE)

    def enum_case(self, node: Node) -> int:
        """A case of an enum without parameters."""
        name = node.child_by_field_name("name")
        number = self.declared_at(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.lower_each([one for one in node.children if one != name])
        return NONE

    def given(self, node: Node) -> int:
        """An instance that is given: an object of its own, or a value."""
        if any(child.type in _BODIES for child in node.children):
            name = node.child_by_field_name("name")
            number = self.declared_at(name)
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
            with self.code.inside(ScopeKind.BLOCK, number):
                for at, child in enumerate(node.children):
                    if node.field_name_for_child(at) == "return_type" and child.type != "with":
                        self.type_clause(number, Role.BASE, self.lower(child))
                with self.code.inside(ScopeKind.CLASS, number):
                    for child in node.children:
                        if child.type in _BODIES:
                            self.statements(children_of(child))
            return NONE
        return self.value_declaration(node)

    def alias(self, node: Node) -> int:
        """A name for a type, or a type that derived ones say."""
        name = node.child_by_field_name("name")
        number = self.declared_at(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.type_parameters(node, number)
            for at, child in enumerate(node.children):
                if node.field_name_for_child(at) == "type":
                    self.type_clause(number, Role.ALIAS, self.lower(child))
                elif child.type.endswith("_bound"):
                    bound = self.lower_each(child.children)
                    if child.type == "upper_bound" and bound:
                        self.type_clause(number, Role.ALIAS, bound[0])
        return NONE

    def type_parameters(self, node: Node, number: int) -> None:
        """Bind type parameters, with their upper bounds as clauses."""
        lists = [child for child in node.children if child.type == "type_parameters"]
        name: Node | None = None
        for child in (one for each in lists for one in each.children):
            if child.type.endswith("type_parameter") or child.type == "identifier":
                name = child if child.type == "identifier" else children_of(child)[0]
                self.bind_name(name, BindingKind.DECLARED)
                self.code.clause(number, Role.TYPE_PARAMETER, NONE, self.spelled(name))
            elif child.type == "upper_bound" and name is not None:
                bound = self.lower(children_of(child)[0])
                self.code.clause(number, Role.TYPE_PARAMETER, bound, self.spelled(name))
            elif child.type.endswith("_bound"):
                for one in self.lower_each(child.children):
                    self.cast(NONE, one)

    # functions

    def extension(self, node: Node) -> int:
        """Functions that a type has from outside."""
        self._extended = [one for one in node.children if one.type != "{"]
        self.statements([one for one in children_of(node) if one.type == "function_definition"])
        for child in children_of(node):
            if child.type in _BODIES:
                self.statements(children_of(child))
        self._extended = ()
        return NONE

    def function_declaration(self, node: Node) -> int:
        """A function or a secondary constructor."""
        name, extended = node.child_by_field_name("name"), self._extended
        number = self.declared_at(name)
        if name is not None and self.source.of(name) != "this":
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
        self._extended, around = (), self._is_constructor
        self._is_constructor = name is not None and self.source.of(name) == "this"
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.decorate(node, number)
            lists = [child for child in extended if child.type == "parameters"]
            for at, child in enumerate(lists):
                if not at:
                    self.type_parameters(child.parent or child, number)
                self.parameters(child, 0, number if not at else NONE)
            self.type_parameters(node, number)
            own = [child for child in node.children if child.type == "parameters"]
            for at, child in enumerate(own):
                self.parameters(child, at)
            self.type_clause(number, Role.RESULT, self.lower(_result_of(node)))
            self.result(self.value(node.child_by_field_name("body")))
        self._extended, self._is_constructor = extended, around
        return NONE

    def parameters(self, node: Node, at: int, receiver: int = NONE) -> list[tuple[Node, int, int]]:
        """Bind the parameters of a list; those that are properties, with their types."""
        found: list[tuple[Node, int, int]] = []
        is_implicit = any(child.type in {"implicit", "using"} for child in node.children)
        for child in children_of(node):
            name = child.child_by_field_name("name")
            typed = child.child_by_field_name("type")
            if name is None:
                self.lower(child)
                continue
            self.decorate(child, NONE)
            number = self.declared_at(name)
            if number == NONE:
                declared = self.lower(typed)
            else:  # a member, which may replace that of a base
                with self.code.inside(ScopeKind.BLOCK, number):
                    declared = self.lower(typed)
            self.type_clause(receiver, Role.RECEIVER, declared)
            is_list = typed is not None and typed.type == "repeated_parameter_type"
            default = child.child_by_field_name("default_value")
            value = NONE
            if default is not None:
                self.value(default)
            if is_implicit or at or default is not None:
                mark = IMPLICIT if is_implicit else LIST * (at > 0)
                value = self.code.add(Op.OPAQUE, name=mark)
            kind = BindingKind.VARIADIC if is_list else BindingKind.PARAMETER
            whole = self.list_of([declared]) if is_list else declared
            self.bind_name(name, kind, value, whole)
            if number != NONE:
                found.append((name, NONE if is_list else declared, number))
        return found

    # values

    def value_declaration(self, node: Node) -> int:
        """Values of a type, or local variables; several have one type."""
        outer = self.code.binding_scope()
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        names = [pattern] if pattern is not None else []
        number = self.declared_at(pattern)
        if node.type.endswith("_declaration"):
            names = [child for child in children_of(node) if child.type in _NAMES]
            number = self.declared_at(names[0]) if names else NONE
        given = node.child_by_field_name("value") or node.child_by_field_name("body")
        is_declared = number != NONE
        with self.code.inside(ScopeKind.BLOCK, number) if is_declared else self.flow():
            self.decorate(node, number)
            declared = self.lower(_result_of(node))
            is_value = given is not None and given.type != "wildcard"
            value = self.value(given) if is_value else NONE
        for one in names:
            if one.type in _NAMES:
                self.declare(one, value, declared, outer)
            else:
                self.pattern(one, self.cast(value, declared))
        return NONE

    def declare(self, name: Node, value: int, declared: int, scope: int) -> None:
        """Bind a value of a type, or a local variable."""
        number = self.declared_at(name)
        if number == NONE:
            self.bind_name(name, BindingKind.ASSIGNED, value, declared)
            return
        self.type_clause(number, Role.TYPE, declared)
        self.bind_name(name, BindingKind.DECLARED, value, declared, number, scope)

    def variable(self, node: Node, value: int, declared: int = NONE) -> None:
        """Bind a variable, which may be a member."""
        self.declare(node, value, declared, self.code.binding_scope())


def _result_of(node: Node) -> Node | None:
    """The type that a declaration says it has."""
    return node.child_by_field_name("return_type") or node.child_by_field_name("type")
