"""Lowers declarations and statements of Go.

A receiver is bound as a variable, not as a parameter. An embedded field is also a BASE. The TYPE
of a defined type is the one it is made of; that of an alias is its ALIAS. A second variable that
tells success is a bool; the parts of other calls are PARTs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, BindingKind, Op, Role, ScopeKind
from code_graph.languages.go.lower.values import (
    GoValues,
    children_of,
    name_of,
    names_of,
)
from code_graph.languages.go.outline import package_name
from code_graph.languages.go.syntax import SHEET

if TYPE_CHECKING:
    from tree_sitter import Node

# values that may be followed by whether there was one
_TELLING: Final = frozenset({"index_expression", "type_assertion_expression", "unary_expression"})
_PAIR: Final = 2


class Go(GoValues):
    """Symbolic code of a Go file."""

    sheet = SHEET

    def import_spec(self, node: Node) -> int:
        """An imported package, or its names with a dot."""
        path = node.child_by_field_name("path")
        alias = node.child_by_field_name("name")
        name = "" if alias is None else self.spelled(alias)
        if name == ".":
            name = ""
        elif not name and path is not None:
            name = package_name(self.source.of(path).strip('"`'))
        number = self.imported_at(node, name)
        if number != NONE and name != "_":
            at = alias or path or node
            line, column = self.place(at)
            column += max(0, self.source.of(at).rfind(name))
            self.code.bind(name or "*", BindingKind.IMPORTED, number, line=line, column=column)
        return NONE

    # declarations

    def function_declaration(self, node: Node) -> int:
        """A function or method."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        receiver = node.child_by_field_name("receiver")
        if receiver is None:
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            if receiver is not None:
                self.receiver(receiver, number)
            self.type_parameters(node.child_by_field_name("type_parameters"), number)
            self.type_clause(number, Role.RESULT, self.signature(node))
            self.lower_each(children_of(node.child_by_field_name("body")))
        return NONE

    def receiver(self, node: Node, number: int) -> None:
        """The type that a method belongs to, whose arguments are type parameters."""
        for child in children_of(node):
            declared = child.child_by_field_name("type")
            generic = declared
            while generic is not None and generic.type != "generic_type" and generic.children:
                generic = generic.children[-1]
            if generic is not None and generic.type == "generic_type":
                for one in children_of(generic.child_by_field_name("type_arguments")):
                    name = name_of(one)
                    self.bind_name(name, BindingKind.DECLARED)
                    self.code.clause(number, Role.TYPE_PARAMETER, NONE, self.spelled(name))
            value = self.lower(declared)
            self.type_clause(number, Role.RECEIVER, value)
            for name in names_of(child):
                self.bind_name(name, annotation=value)

    def type_parameters(self, node: Node | None, number: int) -> None:
        """Bind type parameters, with their bounds as clauses."""
        for one in children_of(node):
            bound = self.lower(one.child_by_field_name("type"))
            for name in names_of(one):
                self.bind_name(name, BindingKind.DECLARED, annotation=bound)
                self.code.clause(number, Role.TYPE_PARAMETER, bound, self.spelled(name))

    def type_spec(self, node: Node) -> int:
        """A defined type or an alias."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        declared = node.child_by_field_name("type")
        with self.code.inside(ScopeKind.BLOCK, number):
            self.type_parameters(node.child_by_field_name("type_parameters"), number)
            if declared is None:
                return NONE
            if declared.type in {"struct_type", "interface_type"}:
                with self.code.inside(ScopeKind.CLASS, number):
                    self.members(declared, number)
            elif node.type == "type_alias":
                self.type_clause(number, Role.ALIAS, self.lower(declared))
            else:
                self.type_clause(number, Role.TYPE, self.lower(declared))
        return NONE

    def members(self, node: Node, number: int) -> None:
        """The fields of a struct, or the methods of an interface."""
        for child in node.children:
            kind = child.type
            if kind == "field_declaration_list":
                for one in child.children:
                    if one.type == "field_declaration":
                        self.field(one, number)
                    elif one.is_error:
                        self.lower(one)
            elif kind == "method_elem":
                self.interface_method(child)
            elif kind == "type_elem":
                values = self.lower_each(child.children)
                if len(values) == 1:
                    self.type_clause(number, Role.BASE, values[0])
            elif child.is_error:
                self.lower(child)

    def field(self, node: Node, holder: int) -> None:
        """Fields of one type; one without a name is embedded."""
        declared_type = node.child_by_field_name("type")
        if declared_type is None:
            return
        names = names_of(node)
        outer = self.code.scope
        embedded = not names
        names = names or [name_of(declared_type)]
        numbers = [self.declaration_of(name) for name in names]
        with self.code.inside(ScopeKind.BLOCK, numbers[0]):
            declared = self.lower(declared_type)
        if embedded:
            self.type_clause(holder, Role.BASE, declared)
        for name, number in zip(names, numbers, strict=True):
            self.type_clause(number, Role.TYPE, declared)
            self.bind_name(name, BindingKind.DECLARED, NONE, declared, number, outer)

    def interface_method(self, node: Node) -> None:
        """A method of an interface."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.type_clause(number, Role.RESULT, self.signature(node))

    def constants(self, node: Node) -> int:
        """Constants; those without a value have the type of the one before."""
        declared = NONE
        for child in children_of(node):
            if child.type == "const_spec":
                declared = self.specification(child, declared)
            else:
                self.lower(child)
        return NONE

    def variables(self, node: Node) -> int:
        """Variables of the package or a function."""
        self.specification(node, NONE)
        return NONE

    def specification(self, node: Node, before: int) -> int:
        """Names with a type or values; the type."""
        outer = self.code.binding_scope()
        names = names_of(node)
        numbers = [self.declaration_of(name) for name in names]
        first = numbers[0] if numbers else NONE
        values = node.child_by_field_name("value")
        if first == NONE:
            declared, found = self.typed_values(node, values, len(names))
        else:
            with self.code.inside(ScopeKind.BLOCK, first):
                declared, found = self.typed_values(node, values, len(names))
        if declared == NONE and values is None:
            declared = before
        for name, number, value in zip(names, numbers, found, strict=True):
            kind = BindingKind.ASSIGNED if number == NONE else BindingKind.DECLARED
            self.type_clause(number, Role.TYPE, declared)
            self.bind_name(name, kind, value, declared, number, outer)
        return declared

    def typed_values(self, node: Node, values: Node | None, count: int) -> tuple[int, list[int]]:
        """The declared type and the values of several names."""
        return self.lower(node.child_by_field_name("type")), self.values(values, count)

    # statements

    def values(self, node: Node | None, count: int) -> list[int]:
        """So many values: one each, or the parts of one."""
        children: Sequence[Node] = children_of(node) if _is_list(node) else [node] if node else []
        found = [self.lower(child) for child in children]
        if len(found) == 1 and count > 1:
            value = found[0]
            if count == _PAIR and children[0].type in _TELLING:
                return [value, self.literal("bool")]
            if value == NONE:
                return [NONE] * count
            return [self.code.add(Op.PART, value, str(number)) for number in range(count)]
        return [*found, *[NONE] * count][:count]

    def short_variables(self, node: Node) -> int:
        """New variables, or new values for existing ones."""
        left = node.child_by_field_name("left")
        names = children_of(left)
        if any(child.type == "=" for child in node.children):
            return self.assignment(node)
        for name, value in zip(
            names, self.values(node.child_by_field_name("right"), len(names)), strict=True
        ):
            if name.type == "identifier":
                self.bind_name(name, value=value)
            else:
                self.lower(name)
        return NONE

    def assignment(self, node: Node) -> int:
        """Values are stored."""
        targets = [self.lower(child) for child in children_of(node.child_by_field_name("left"))]
        values = self.values(node.child_by_field_name("right"), len(targets))
        for target, value in zip(targets, values, strict=True):
            self.store(target, value)
        return NONE

    def if_statement(self, node: Node) -> int:
        """A condition and its branches, maybe with variables of its own."""
        if node.child_by_field_name("initializer") is None:
            return super().if_statement(node)
        with self.flow(ScopeKind.BLOCK):
            return super().if_statement(node)

    def nested_block(self, node: Node) -> int:
        """The statements of a block within a body."""
        for child in node.children:
            if child.type == "statement_list":
                super().nested_block(child)
            elif child.is_named:
                self.lower(child)
        return NONE

    def range_clause(self, node: Node) -> int:
        """Variables for keys and elements."""
        of = self.lower(node.child_by_field_name("right"))
        targets = children_of(node.child_by_field_name("left"))
        is_new = any(child.type == ":=" for child in node.children)
        for position, target in enumerate(targets):
            value = NONE
            if of != NONE:
                value = self.code.add(Op.ELEMENT, of) if position else self.key_of(of)
            if is_new and target.type == "identifier":
                self.bind_name(target, value=value)
            else:
                number = self.lower(target)
                self.store(number, value)
        return NONE

    def key_of(self, of: int) -> int:
        """The key that an iteration gives."""
        return self.code.add(Op.PART, of, "key")

    def return_statement(self, node: Node) -> int:
        """One result, or a tuple of them."""
        values: list[int] = []
        for child in children_of(node):
            inner = children_of(child) if _is_list(child) else [child]
            values += [self.lower(one) for one in inner]
        if len(values) == 1:
            self.result(values[0])
        elif any(value != NONE for value in values):
            self.result(self.list_of(values, Op.TUPLE))
        return NONE

    def switch(self, node: Node) -> int:
        """Cases, each a branch with names of its own."""
        with self.flow(ScopeKind.BLOCK):
            for child in children_of(node):
                if child.type.endswith("_case"):
                    self.case(child)
                else:
                    self.lower(child)
        return NONE

    def case(self, node: Node, alias: Node | None = None, value: int = NONE) -> None:
        """One case; `alias` is a variable of the type in it."""
        with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
            types = [
                self.lower(one)
                for one in node.children_by_field_name("type")
                if one.is_named and self.source.of(one) != "nil"
            ]
            if alias is not None:
                one_type = types[0] if len(types) == 1 else NONE
                self.bind_name(alias, value=self.cast(value, one_type))
            type_ends = [one.end_byte for one in node.children_by_field_name("type")]
            rest = type_ends[-1] if type_ends else 0
            self.lower_each([one for one in node.children if one.start_byte >= rest])

    def type_switch(self, node: Node) -> int:
        """Cases by the type of a value."""
        with self.flow(ScopeKind.BLOCK):
            self.lower(node.child_by_field_name("initializer"))
            aliases = children_of(node.child_by_field_name("alias"))
            value = self.lower(node.child_by_field_name("value"))
            for child in children_of(node):
                if child.type.endswith("_case"):
                    self.case(child, aliases[0] if aliases else None, value)
                elif child.is_error:
                    self.lower(child)
        return NONE


def _is_list(node: Node | None) -> bool:
    return node is not None and node.type == "expression_list"
