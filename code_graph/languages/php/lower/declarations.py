"""Lowers declarations and statements of PHP.

The code of a file outside of functions is in a BLOCK, the variables of which functions don't see.
Members are not bound: none is named without its object or class.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, BindingKind, Code, Op, Role, ScopeKind
from code_graph.languages.php.lower.narrowing import PhpNarrowing
from code_graph.languages.php.syntax import SHEET

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPE_NAMES: Final = frozenset({"name", "qualified_name", "relative_name"})
_BASES: Final = {"base_clause": Role.BASE, "class_interface_clause": Role.IMPLEMENTS}


class Php(PhpNarrowing):
    """Symbolic code of a PHP file."""

    sheet = SHEET

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self._broken = root.has_error
        with self.code.inside(ScopeKind.BLOCK):
            self.lower_each(root.children)
        return self.code.finish()

    @contextmanager
    def declaring(self) -> Iterator[None]:
        """The scope of the namespace, in which everything is declared that is in no function."""
        outer = self.code.scope
        if not self._inside:
            self.code.scope = self._module
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self.code.scope = outer

    # namespaces

    def namespace(self, node: Node) -> int:
        """A namespace with its own block; without one it covers the file."""
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        if body is None or self._inside or self._module:
            return self.lower(body)
        outer, self.code.scope = self.code.scope, 0
        number = self.declaration_of(name)
        inside = self.code.inside
        with inside(ScopeKind.MODULE, number) as module, inside(ScopeKind.BLOCK):
            self._module = module
            self.lower_each(body.children)
        self.code.scope, self._module = outer, 0
        return NONE

    def use(self, node: Node) -> int:
        """The names that a `use` imports."""
        clauses = list(node.children)
        body = node.child_by_field_name("body")
        clauses += () if body is None else body.children
        for clause in clauses:
            if clause.type != "namespace_use_clause":
                continue
            names = [child for child in clause.children if child.type in _TYPE_NAMES]
            name = clause.child_by_field_name("alias") or (names[0] if names else None)
            if name is not None and name.type != "name":
                name = name.children[-1]
            number = NONE if name is None else self.imported_at(node, self.spelled(name))
            if number != NONE:
                self.bind_name(name, BindingKind.IMPORTED, number, scope=self._module)
        return NONE

    def declare(self, node: Node) -> int:
        """Statements under a directive."""
        self.lower_each([child for child in node.children if child.type != "declare_directive"])
        return NONE

    # declarations

    def attributes(self, node: Node, number: int) -> None:
        """Attributes before a declaration."""
        for child in node.children:
            if child.type == "attribute_list":
                for group in child.children:
                    for value in self.lower_each(group.children):
                        self.code.clause(number, Role.DECORATOR, value)

    def attribute(self, node: Node) -> int:
        """An attribute; a CALL if it has arguments."""
        arguments = node.child_by_field_name("parameters")
        of = self.lower(next((one for one in node.children if one.type in _TYPE_NAMES), None))
        if arguments is None or of == NONE:
            return of
        return self.code.add(Op.CALL, of, items=self.argument_list(arguments))

    def declared(self, node: Node | None) -> int:
        """The number of a declaration that the namespace binds, if it is in no other."""
        number = self.declaration_of(node)
        if self._inside == 1:
            self.bind_name(node, BindingKind.DECLARED, declaration=number)
        return number

    def type_declaration(self, node: Node) -> int:
        """A class, interface, trait or enum."""
        body = node.child_by_field_name("body")
        with self.declaring():
            number = self.declared(node.child_by_field_name("name"))
            with self.code.inside(ScopeKind.BLOCK, number):
                self.attributes(node, number)
                for child in node.children:
                    if child.type in _BASES:
                        self.bases(child, number, _BASES[child.type])
                    elif child.type == "primitive_type":
                        self.lower(child)
                with self.code.inside(ScopeKind.CLASS, number):
                    for child in () if body is None else body.children:
                        if child.type == "use_declaration":
                            self.bases(child, number, Role.BASE)
                        else:
                            self.lower(child)
        return NONE

    def bases(self, node: Node, number: int, role: Role) -> None:
        """The bases, interfaces or traits of a type."""
        for value in self.lower_each([one for one in node.children if one.type in _TYPE_NAMES]):
            self.code.clause(number, role, value)

    def enum_case(self, node: Node) -> int:
        """A case of an enum."""
        number = self.declaration_of(node.child_by_field_name("name"))
        with self.code.inside(ScopeKind.BLOCK, number):
            self.attributes(node, number)
            self.lower(node.child_by_field_name("value"))
        return NONE

    def callable_declaration(self, node: Node) -> int:
        """A function or method."""
        with self.declaring():
            number = self.declared(node.child_by_field_name("name"))
            with self.code.inside(ScopeKind.FUNCTION, number):
                self.attributes(node, number)
                self.parameters(node.child_by_field_name("parameters"))
                declared = self.lower(node.child_by_field_name("return_type"))
                self.type_clause(number, Role.RESULT, declared)
                self.lower(node.child_by_field_name("body"))
        return NONE

    def property_declaration(self, node: Node) -> int:
        """Properties of one type."""
        for at, one in enumerate(
            child for child in node.children if child.type == "property_element"
        ):
            name = one.child_by_field_name("name")
            number = self.declaration_of(None if name is None else name.children[-1])
            with self.code.inside(ScopeKind.BLOCK, number):
                if not at:
                    self.attributes(node, number)
                declared = self.lower(node.child_by_field_name("type"))
                self.type_clause(number, Role.TYPE, declared)
                self.lower(one.child_by_field_name("default_value"))
        for child in node.children:
            if child.type == "property_hook_list":
                self.lower_each(child.children)
        return NONE

    def const_declaration(self, node: Node) -> int:
        """Constants of a class or of a namespace."""
        for one in node.children:
            if one.type != "const_element":
                continue
            with self.declaring():
                number = self.declared(one.children[0])
                with self.code.inside(ScopeKind.BLOCK, number):
                    self.type_clause(
                        number, Role.TYPE, self.lower(node.child_by_field_name("type"))
                    )
                    self.lower_each(one.children[1:])
        return NONE

    # statements

    def foreach(self, node: Node) -> int:
        """A loop over elements."""
        parts = [child for child in node.children if child.is_named and not child.is_extra]
        body = node.child_by_field_name("body")
        of = self.lower(parts[0])
        with self.flow(ScopeKind.LOOP):
            for child in parts[1:]:
                if child == body:
                    continue
                target = child
                if child.type == "pair":
                    inner = [one for one in child.children if one.is_named]
                    self.assign(inner[0], NONE)
                    target = inner[-1]
                self.assign(target, NONE if of == NONE else self.code.add(Op.ELEMENT, of))
            self.lower(body)
        return NONE

    def catch_clause(self, node: Node) -> int:
        """A handler with its exception."""
        with self.flow(ScopeKind.BRANCH):
            declared = self.lower(node.child_by_field_name("type"))
            self.bind_name(node.child_by_field_name("name"), annotation=declared)
            self.lower(node.child_by_field_name("body"))
        return NONE

    def static_variable(self, node: Node) -> int:
        """A variable that keeps its value between calls."""
        value = self.lower(node.child_by_field_name("value"))
        self.bind_name(node.child_by_field_name("name"), value=value)
        return NONE

    def global_variables(self, node: Node) -> int:
        """Variables of the file that a function uses."""
        for child in node.children:
            if child.type == "variable_name":
                self.bind_name(child)
        return NONE
