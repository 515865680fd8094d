"""Lowers declarations and statements of Kotlin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, BindingKind, Op, Role, ScopeKind
from code_graph.languages.kotlin.lower.values import KotlinValues
from code_graph.languages.kotlin.syntax import SHEET
from code_graph.treesitter.code.declared_types import children_of
from code_graph.treesitter.code.forms import slots_of

if TYPE_CHECKING:
    from tree_sitter import Node

_BODIES: Final = frozenset({"class_body", "enum_class_body"})
_JVM_NAME: Final = "JvmName"
# the arguments of an annotation that are one text
_ONE_TEXT: Final = re.compile(r"\(\s*(?:name\s*=\s*)?\"(\w+)\"\s*\)")
_TYPES: Final = frozenset(
    {"user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type"}
)


FUNCTION: Final = slots_of(SHEET.rows["function_declaration"])


class Kotlin(KotlinValues):
    """Symbolic code of a Kotlin file."""

    sheet = SHEET

    def import_header(self, node: Node) -> int:
        """An imported declaration, or all of a package or type."""
        path = next((one for one in node.children if one.type == "qualified_identifier"), None)
        if path is None or not path.children:
            return NONE
        last, bound = path.children[-1], ""
        alias = next((one for one in node.children if one.type == "identifier"), None)
        if any(one.type == "*" for one in node.children):
            bound, number = "*", self.imported_at(node, "")
        else:
            bound = self.spelled(alias or last)
            number = self.imported_at(node, bound)
        if number != NONE:
            line, column = self.place(alias or last)
            self.code.bind(bound, BindingKind.IMPORTED, number, line=line, column=column)
        return NONE

    def file_annotation(self, node: Node) -> int:
        """An annotation of the file, such as the name of its class for Java."""
        self.named_for_java(node, NONE)
        return self.opaque(node)

    def named_for_java(self, node: Node, number: int) -> None:
        """The name that `@JvmName` gives."""
        for child in node.children:
            if child.type == "constructor_invocation":
                of, *arguments = children_of(child)
                given = self.source.of(arguments[-1]) if arguments else ""
                name = _ONE_TEXT.fullmatch(given)
                if name and self.source.of(of).rpartition(".")[2] == _JVM_NAME:
                    self.code.clause(number, Role.NAMED, NONE, name[1])

    # types

    def decorate(self, node: Node, number: int) -> None:
        """Annotations among the modifiers of a declaration."""
        for value in self.lower_each(children_of(node)):
            self.type_clause(number, Role.DECORATOR, value)
        for annotation in children_of(node):
            self.named_for_java(annotation, number)

    def fields(self, node: Node, number: int) -> None:
        """The parameters of a primary constructor, some of which are properties."""
        del number
        for child in children_of(node):
            self._fields += tuple(self.class_parameters(child))

    def class_parameters(self, node: Node) -> list[tuple[Node, int, int]]:
        """Bind the parameters of a primary constructor; gives the ones that are properties."""
        found: list[tuple[Node, int, int]] = []
        for child in children_of(node) if node.type == "class_parameters" else ():
            name, declared, kind = self.parameter(child)
            if name is None:
                continue
            number = self.declared_at(name)
            if number != NONE:
                is_list = kind == BindingKind.VARIADIC
                found.append((name, NONE if is_list else declared, number))
        return found

    def parameter(self, node: Node, *, is_list: bool = False) -> tuple[Node | None, int, int]:
        """Bind a parameter; its name, type and kind."""
        name: Node | None = None
        declared, value, has_default = NONE, NONE, False
        for child in node.children:
            if child.type == "modifiers":
                is_list = is_list or "vararg" in self.source.of(child).split()
                self.lower(child)
            elif child.type == "=":
                has_default = True
            elif name is None and child.type == "identifier":
                name = child
            elif child.is_named and not child.is_extra:
                number = self.lower(child)
                if has_default:
                    value = number
                else:
                    declared = number
        if has_default and value == NONE:
            value = self.code.add(Op.OPAQUE)
        kind = BindingKind.VARIADIC if is_list else BindingKind.PARAMETER
        declared = self.list_of([declared]) if is_list else declared
        self.variable(name, value, declared, kind)
        return name, declared, kind

    def type_parameters(self, node: Node, number: int) -> None:
        """Bind type parameters, with their bounds as clauses; those behind `where` are bound."""
        for child in children_of(node):
            parts = children_of(child)
            if node.type == "type_constraints":
                if len(parts) > 1:
                    bound = self.lower(parts[-1])
                    text = self.spelled(parts[0])
                    self.code.clause(number, Role.TYPE_PARAMETER, bound, text)
                continue
            name = next((part for part in parts if part.type == "identifier"), None)
            if name is not None:
                self.bind_name(name, BindingKind.DECLARED)
                bounds = self.lower_each([part for part in parts if part.type in _TYPES])
                for bound in bounds or [NONE]:
                    self.code.clause(number, Role.TYPE_PARAMETER, bound, self.spelled(name))

    def bases(self, node: Node, number: int) -> None:
        """The types that a type derives from, one maybe with arguments for its constructor."""
        for child in children_of(node):
            for base in children_of(child) if child.type == "delegation_specifier" else [child]:
                of, rest = base, children_of(base)
                if base.type in {"constructor_invocation", "explicit_delegation"} and rest:
                    of = rest[0]
                value = self.lower(of)
                self.type_clause(number, Role.BASE, value)
                if base.type == "constructor_invocation":
                    items = self.argument_list(rest[-1])
                    self.code.add(Op.CALL, value, items=items)
                elif base.type == "explicit_delegation":
                    self.lower_each(rest[1:])

    def object_literal(self, node: Node) -> int:
        """An object of a class without a name."""
        unnamed, bases = NONE, list[int]()
        for child in node.children:
            if child.type == "object":
                unnamed = self.declaration_of(child)
            for one in children_of(child) if child.type == "delegation_specifiers" else ():
                for number in self.lower_each(children_of(one))[:1]:
                    is_call = self.code.expression(number).op == Op.CALL
                    bases.append(self.code.expression(number).of if is_call else number)
        declared = bases[0] if bases else NONE
        for base in bases:
            self.code.clause(unnamed, Role.BASE, base)
        with self.code.inside(ScopeKind.CLASS, unnamed) as scope:
            for child in node.children:
                if child.type in _BODIES or child.is_error:
                    self.lower_each(child.children)
        return self.cast(self.function(scope, node), declared)

    def entry_arguments(self, node: Node, number: int) -> None:
        """The arguments of an entry of an enum."""
        del number
        self.argument_list(node)

    def entry_body(self, node: Node, number: int) -> None:
        """The body of an entry of an enum, which is a class of its own."""
        with self.code.inside(ScopeKind.CLASS, number):
            self.lower_each(node.children)

    # functions

    def anonymous_function(self, node: Node) -> int:
        """A function as a value."""
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            self.lower_parts(node, FUNCTION, NONE)
        return self.function(scope, node)

    def parameters(self, node: Node, number: int) -> None:
        """Bind parameters; their modifiers and defaults are beside them for the grammar."""
        del number
        is_list = False
        children = [child for child in node.children if not child.is_extra]
        for at, child in enumerate(children):
            if child.type == "parameter_modifiers":
                is_list = "vararg" in self.source.of(child).split()
            elif child.type == "parameter":
                value = NONE
                if [one.type for one in children[at + 1 : at + 2]] == ["="]:
                    value = self.lower(children[at + 2]) if at + 2 < len(children) else NONE
                    value = self.code.add(Op.OPAQUE) if value == NONE else value
                names = children_of(child)
                types = self.lower_each(names[1:])
                declared = types[-1] if types else NONE
                declared = self.list_of([declared]) if is_list else declared
                kind = BindingKind.VARIADIC if is_list else BindingKind.PARAMETER
                self.variable(names[0] if names else None, value, declared, kind)
                is_list = False

    def delegation(self, node: Node, number: int) -> None:
        """A call of another constructor."""
        del number
        of = NONE
        for child in node.children:
            if child.type == "this":
                of = self.this(child)
            elif child.type == "super":
                of = self.super(child)
            elif child.type == "value_arguments":
                self.code.add(Op.CALL, of, items=self.argument_list(child))

    def body(self, node: Node, number: int) -> int:
        """The statements of a body, or its value, which is the result."""
        del number
        value = NONE
        for child in children_of(node):
            if child.type == "block":
                self.lower_each(child.children)
            else:
                value = self.lower(child)
                self.result(value)
        return value

    # properties and variables

    def property(self, node: Node) -> int:
        """A property with its accessors, or local variables."""
        outer = self.code.binding_scope()
        parts = [one for one in node.children if one.type == "variable_declaration"]
        names = children_of(parts[0]) if parts else ()
        number = self.declared_at(names[0]) if names else NONE
        if number == NONE:
            self.local_variables(node)
            return NONE
        declared, value, receiver, is_value = NONE, NONE, NONE, False
        with self.code.inside(ScopeKind.BLOCK, number):
            for child in node.children:
                kind = child.type
                if kind == "modifiers":
                    self.decorate(child, number)
                elif kind in {"type_parameters", "type_constraints"}:
                    self.type_parameters(child, number)
                elif kind in _TYPES:
                    receiver = self.lower(child)
                    self.type_clause(number, Role.RECEIVER, receiver)
                elif kind == "variable_declaration":
                    types = self.lower_each(names[1:])
                    declared = types[0] if types else NONE
                elif kind in {"getter", "setter"}:
                    given = self.accessor(child, number, declared, receiver)
                    value = given if kind == "getter" and value == NONE else value
                elif kind == "property_delegate":
                    value = self.delegate(child)
                elif kind == "=":
                    is_value = True
                elif is_value and child.is_named and not child.is_extra:
                    value, is_value = self.lower(child), False
                elif child.is_error:
                    self.lower(child)
        self.type_clause(number, Role.TYPE, declared)
        self.bind_name(names[0], BindingKind.DECLARED, value, declared, number, outer)
        return NONE

    def delegate(self, node: Node) -> int:
        """The value of a property that another object keeps: what `lazy` makes."""
        value = self.pass_through(node)
        item = self.code.expression(value) if value != NONE else None
        if item is None or item.op != Op.CALL or item.of == NONE or not item.items:
            return NONE
        is_lazy = self.code.expression(item.of).name == "lazy"
        return self.code.add(Op.CALL, item.items[-1].value) if is_lazy else NONE

    def accessor(self, node: Node, number: int, declared: int, receiver: int) -> int:
        """A getter or setter; the value that a getter gives."""
        value = NONE
        for annotation in (one for part in node.children for one in part.children):
            self.named_for_java(annotation, number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            if receiver != NONE:
                self.code.bind("this", annotation=receiver)
            if node.type == "setter":
                for child in children_of(node):
                    if child.type == "identifier":
                        self.variable(child, NONE, declared, BindingKind.PARAMETER)
            for child in children_of(node):
                if child.type == "function_body":
                    value = self.body(child, number)
        return value

    def local_variables(self, node: Node) -> None:
        """A local variable, or several for the parts of a value."""
        declared, value, is_value = NONE, NONE, False
        several: Node | None = None
        name: Node | None = None
        for child in node.children:
            if child.type == "variable_declaration":
                parts = children_of(child)
                name = parts[0] if parts else None
                types = self.lower_each(parts[1:])
                declared = types[0] if types else NONE
            elif child.type == "multi_variable_declaration":
                several = child
            elif child.type == "property_delegate":
                value = self.delegate(child)
            elif child.type == "=":
                is_value = True
            elif is_value and child.is_named and not child.is_extra:
                value, is_value = self.lower(child), False
            elif child.is_named:
                self.lower(child)
        if several is not None:
            self.parts(several, value)
        else:
            self.variable(name, value, declared)

    # statements

    def for_statement(self, node: Node) -> int:
        """A loop over elements."""
        parts = [one for one in children_of(node) if one.type not in {"annotation", "label"}]
        body = parts[-1] if len(parts) > len("xy") else None
        if len(parts) > 1:
            of = self.lower(parts[1])
            with self.flow(ScopeKind.BLOCK, ScopeKind.LOOP):
                value = NONE if of == NONE else self.code.add(Op.ELEMENT, of)
                if parts[0].type == "multi_variable_declaration":
                    self.parts(parts[0], value)
                else:
                    names = children_of(parts[0])
                    types = self.lower_each(names[1:])
                    self.variable(names[0] if names else None, value, types[0] if types else NONE)
                self.lower(body)
        return NONE
