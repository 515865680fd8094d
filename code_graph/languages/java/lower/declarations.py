"""Lowers Java.

`A.this` is a THIS cast to A. The value of `new A() { … }` is the FUNCTION of its class scope, cast
to A, after the NEW that calls the constructor. A plain name after `case` may be a constant of the
value's type: it is an OPERATOR `case` of the value and the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.java.lower.values import JavaValues
from code_graph.languages.java.syntax import SHEET
from code_graph.languages.java.type_names import NAMES

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.forms import Slots

# of an enum, after its constants
_MEMBERS: Final = "enum_body_declarations"


class Java(JavaValues):
    """Symbolic code of a Java file."""

    sheet = SHEET

    def import_declaration(self, node: Node) -> int:
        """An imported type, member, or all of a package or type."""
        path = next((child for child in node.children if child.type == "scoped_identifier"), None)
        if any(child.type == "asterisk" for child in node.children):
            number = self.imported_at(node, "")
            if number != NONE:
                line, column = self.place(node if path is None else path.children[-1])
                self.code.bind("*", BindingKind.IMPORTED, number, line=line, column=column)
            return NONE
        name = node.children[1] if path is None else path.children[-1]
        number = self.imported_at(node, self.spelled(name))
        if number != NONE:
            self.bind_name(name, BindingKind.IMPORTED, number)
        return NONE

    # declarations

    def lower_parts(self, node: Node, slots: Slots, number: int) -> None:
        """Lower the parts of a declaration, apart from the results of a function literal around."""
        around = self._gives
        super().lower_parts(node, slots, number)
        self._gives = around

    def annotation(self, node: Node) -> int:
        """An annotation; a CALL if it has arguments, which may set named elements."""
        of, arguments = NONE, None
        for child in node.children[1:]:
            if child.type == "annotation_argument_list":
                arguments = child
            else:
                of = self.lower(child)
        if arguments is None:
            return of
        items: list[Argument] = []
        elements: list[tuple[Node, int]] = []
        for one in arguments.named_children:
            key, value = one.child_by_field_name("key"), self.lower(one)
            if key is not None:
                elements.append((key, value))
            elif not one.is_extra:
                items.append(Argument(value))
        of = self.code.add(Op.CALL, of, items=items)
        for key, value in elements:
            target = self.member(of, key)
            self.store(target, value)
        return of

    def type_parameters(self, node: Node, number: int) -> None:
        """Bind type parameters, with their bounds as clauses."""
        found: list[tuple[str, list[int]]] = []
        for one in node.named_children:
            name = next((child for child in one.children if child.type in NAMES), None)
            if name is None:
                continue
            bounds: list[int] = []
            for child in one.children:
                if child != name:
                    bounds += self.lower_each(child.children)
            first = bounds[0] if bounds else NONE
            self.bind_name(name, BindingKind.DECLARED, annotation=first)
            found.append((self.spelled(name), bounds))
        for text, bounds in found:
            for bound in bounds or [NONE]:
                self.code.clause(number, Role.TYPE_PARAMETER, bound, text)

    def fields(self, node: Node, number: int) -> None:
        """The fields that a record has for its parameters."""
        del number
        rows = ((name, declared, self.declaration_of(name)) for name, declared in self.bound(node))
        self._fields += tuple(
            (name, declared, inner) for name, declared, inner in rows if name and inner != NONE
        )

    def interfaces(self, node: Node, number: int) -> None:
        """The interfaces that a class implements, or one extends."""
        role = Role.BASE if node.type == "extends_interfaces" else Role.IMPLEMENTS
        for child in node.named_children:
            for base in self.lower_each(child.children):
                self.code.clause(number, role, base)

    def enum_constant(self, node: Node) -> int:
        """A constant of an enum, which calls a constructor; its body is a class of its own."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            items: list[Argument] = []
            body: Node | None = None
            for child in node.children:
                if child.type == "modifiers":
                    self.attributes(child, number)
                elif child.type == "argument_list":
                    items = self.argument_list(child)
                elif child.type == "class_body":
                    body = child
            if name is not None and _has_constructor(node):
                line, column = self.place(name)
                of = self.code.add(Op.NAME, name=self._enum_around(node))
                self.code.add(Op.NEW, of, items=items, line=line, column=column)
            if body is not None:
                base = self.code.add(Op.NAME, name=self._enum_around(node))
                self.code.clause(number, Role.BASE, base)
                with self.code.inside(ScopeKind.CLASS, number):
                    self.lower_each(body.children)
        return NONE

    def _enum_around(self, constant: Node) -> str:
        """The name of the enum of a constant."""
        body = constant.parent
        around = None if body is None else body.parent
        name = None if around is None else around.child_by_field_name("name")
        return "" if name is None else self.spelled(name)

    def constructor_invocation(self, node: Node) -> int:
        """A call of another constructor."""
        of = NONE
        for child in node.children:
            if child.type != "argument_list":
                number = self.lower(child)
                of = of if number == NONE else number
        items = self.argument_list(node.child_by_field_name("arguments"))
        return self.code.add(Op.CALL, of, items=items)

    def field_declaration(self, node: Node) -> int:
        """Fields of one type."""
        outer, declared, count = self.code.scope, NONE, 0
        names = node.children_by_field_name("declarator")
        numbers = [self.declaration_of(one.child_by_field_name("name")) for one in names]
        with self.code.inside(ScopeKind.BLOCK, numbers[0] if numbers else NONE):
            for child in node.children:
                if child.type == "modifiers":
                    self.attributes(child, numbers[0] if numbers else NONE)
            declared = self.lower(node.child_by_field_name("type"))
            if names:
                self.field(names[0], declared, numbers[0], outer)
        for count, one in enumerate(names[1:], 1):
            with self.code.inside(ScopeKind.BLOCK, numbers[count]):
                self.field(one, declared, numbers[count], outer)
        return NONE

    def field(self, node: Node, declared: int, number: int, scope: int) -> None:
        """One field."""
        declared, value = self.declarator(node, declared)
        self.type_clause(number, Role.TYPE, declared)
        name = node.child_by_field_name("name")
        self.bind_name(name, BindingKind.DECLARED, value, declared, number, scope)

    def declarator(self, node: Node, declared: int) -> tuple[int, int]:
        """The type and the value of a variable."""
        declared = self.array_of(declared, node)
        return declared, self.lower(node.child_by_field_name("value"))

    # statements

    def local_variables(self, node: Node) -> int:
        """Local variables of one type."""
        declared = NONE
        for child in node.children:
            if child.type == "variable_declarator":
                own, value = self.declarator(child, declared)
                self.bind_name(child.child_by_field_name("name"), value=value, annotation=own)
            else:
                number = self.lower(child)
                declared = declared if number == NONE else number
        return NONE

    def resource(self, node: Node) -> int:
        """A variable that is closed at the end."""
        name = node.child_by_field_name("name")
        if name is None:
            return self.pass_through(node)
        declared = self.lower(node.child_by_field_name("type"))
        value = self.lower(node.child_by_field_name("value"))
        self.bind_name(name, value=value, annotation=declared)
        # the call is where the variable stands, which is the first name in it
        self.code.add(Op.CALL, self.code.add(Op.MEMBER, self.name(name), "close"))
        return NONE

    def enhanced_for(self, node: Node) -> int:
        """A loop over elements."""
        of = self.lower(node.child_by_field_name("value"))
        with self.flow(ScopeKind.BLOCK, ScopeKind.LOOP):
            declared = self.lower(node.child_by_field_name("type"))
            value = NONE if of == NONE else self.code.add(Op.ELEMENT, of)
            self.bind_name(node.child_by_field_name("name"), value=value, annotation=declared)
            self.lower(node.child_by_field_name("body"))
        return NONE

    def catch_clause(self, node: Node) -> int:
        """A handler with its exception."""
        with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
            for child in node.children:
                if child.type == "catch_formal_parameter":
                    name = child.child_by_field_name("name")
                    types: list[int] = []
                    for one in child.children:
                        if one.type == "catch_type":
                            types = self.lower_each(one.children)
                        elif one != name:
                            self.lower(one)
                    self.bind_name(name, annotation=self.either(types))
                else:
                    self.lower(child)
        return NONE


def _has_constructor(constant: Node) -> bool:
    """True if the enum of a constant declares a constructor."""
    body = constant.parent
    rows = (part for part in (() if body is None else body.children) if part.type == _MEMBERS)
    return any(one.type == "constructor_declaration" for part in rows for one in part.children)
