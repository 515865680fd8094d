"""Lowers classes, interfaces, type aliases, enums and namespaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, BindingKind, Op, Role, ScopeKind
from code_graph.languages.ecmascript.lower.functions import Functions
from code_graph.treesitter.code.lowering import first

if TYPE_CHECKING:
    from tree_sitter import Node

# characters before a name that is a string, and before one that is computed from a string
_BEFORE_NAMES: Final = {"string": 1, "template_string": 1, "computed_property_name": 2}


class ClassSyntax(Functions):
    """Lowers declarations with members."""

    def class_declaration(self, node: Node) -> int:
        """A class with a name."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None and declaration != NONE:
            self.declare(name, declaration)
        value = self._class(node, declaration, is_value=False)
        if name is not None and declaration == NONE:
            self.declare(name, NONE, value)
        return NONE

    def class_value(self, node: Node) -> int:
        """A class as a value."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_at.pop(node.start_byte, NONE)
        if declaration == NONE:
            declaration = self.declaration_of(name)
        return self._class(node, declaration, is_value=True)

    def _class(self, node: Node, declaration: int, *, is_value: bool) -> int:
        code = self.code
        outer = code.scope
        self.decorators(node, declaration)
        name = node.child_by_field_name("name")
        parameters = node.child_by_field_name("type_parameters")
        if parameters is not None or (is_value and name is not None):
            code.enter(ScopeKind.BLOCK)
            self.type_parameters(parameters, declaration)
        bases = self._heritage(node, declaration)
        around = code.enter(ScopeKind.CLASS, declaration)
        inner, number = code.scope, NONE
        if is_value or declaration == NONE:
            code.scope = around
            line, column = self.place(node if name is None else name)
            number = code.add(Op.FUNCTION, inner, "", (), line, column)
            if is_value and name is not None:
                self.declare(name, self.declaration_of(name), number)
            code.scope = inner
        if declaration == NONE:
            for base in bases:
                code.bind("super", value=base)
        self._members(node.child_by_field_name("body"))
        code.scope = outer
        return number

    def decorators(self, node: Node, declaration: int) -> None:
        """The decorators of a class or member, and those before its `export`."""
        for child in node.children:
            if child.type == "decorator":
                self.code.clause(declaration, Role.DECORATOR, self.lower(first(child)))
            elif child.is_named and not child.is_extra:
                break

    def _heritage(self, node: Node, declaration: int) -> list[int]:
        """The bases of a class; gives those that it extends."""
        found = []
        for child in node.named_children:
            if child.type != "class_heritage":
                continue
            for clause in child.named_children:
                if clause.type == "implements_clause":
                    for kind in clause.named_children:
                        self.code.clause(declaration, Role.IMPLEMENTS, self.lower(kind))
                elif clause.type == "extends_clause":
                    found += self._extended(clause)
                elif not clause.is_extra:
                    found.append(self.lower(clause))
        for base in found:
            self.code.clause(declaration, Role.BASE, base)
        return found

    def _extended(self, clause: Node) -> list[int]:
        found: list[int] = []
        for child in clause.named_children:
            if child.type == "type_arguments":
                if found:
                    found[-1] = self.apply(found[-1], child)
            elif not child.is_extra:
                found.append(self.lower(child))
        return found

    def _members(self, body: Node | None) -> None:
        """Lower members; the decorators before one are its own."""
        pending = []
        for child in () if body is None else body.named_children:
            if child.type == "decorator":
                pending.append(self.lower(first(child)))
                continue
            if pending and not child.is_extra:
                field = "property" if child.type == "field_definition" else "name"
                declaration = self.declaration_of(child.child_by_field_name(field))
                for number in pending:
                    self.code.clause(declaration, Role.DECORATOR, number)
                pending = []
            self.lower(child)

    def declaration_of(self, name: Node | None) -> int:
        """The number of the declaration with its name at this node; its name is without quotes."""
        if name is None:
            return NONE
        found = self._declared.get(name.start_byte, NONE)
        before = _BEFORE_NAMES.get(self.kind(name), 0)
        if found == NONE and before:
            found = self._declared.get(name.start_byte + before, NONE)
        return found

    def method(self, node: Node) -> int:
        """A method, accessor, constructor or signature; gives its FUNCTION if it is a value."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        self.decorators(node, declaration)
        key = self.key(name)
        fields = self.code.scope if key == "constructor" else NONE
        value = self.function(node, declaration, name, fields=fields)
        self.bind_member(name, key, declaration, value, self.optional(node, NONE))
        return NONE

    def object_method(self, node: Node) -> tuple[str, int]:
        """The key and the FUNCTION of a method of an object."""
        name = node.child_by_field_name("name")
        key = self.key(name)
        return key, self.function(node, self.declaration_of(name), name, is_value=True)

    def construct_signature(self, node: Node) -> int:
        """`new (a: A): B` of an interface."""
        name = node.children[0]
        declaration = self.declaration_of(name)
        value = self.function(node, declaration, None)
        self._result_type(node, declaration)
        self.bind_member(name, "new", declaration, value)
        return NONE

    def _result_type(self, node: Node, declaration: int) -> None:
        """The result of a construct signature, which is no `return_type` in the grammar."""
        result = node.child_by_field_name("type")
        if result is not None:
            self.code.clause(declaration, Role.RESULT, self.lower(result))

    def call_signature(self, node: Node) -> int:
        """`(a: A): B` of an interface."""
        self.bind_member(node, "()", NONE, NONE, self.signature(node))
        return NONE

    def field(self, node: Node) -> int:
        """A field or property."""
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        declaration = self.declaration_of(name)
        self.decorators(node, declaration)
        key = self.key(name)
        annotation = self.optional(node, self.lower(node.child_by_field_name("type")))
        value = self.value(node.child_by_field_name("value"), declaration)
        self.bind_member(name, key, declaration, value, annotation, BindingKind.ASSIGNED)
        return NONE

    def index_member(self, node: Node) -> int:
        """`[key: string]: T`."""
        value = self.index_signature(node)
        self.bind_member(node, "[]", NONE, NONE, value, BindingKind.ASSIGNED)
        return NONE

    def static_block(self, node: Node) -> int:
        """`static { … }`."""
        code = self.code
        outer = code.enter(ScopeKind.BLOCK)
        body = node.child_by_field_name("body")
        self.statements([] if body is None else body.named_children)
        code.scope = outer
        return NONE

    def interface(self, node: Node) -> int:
        """An interface: its members are bound in its scope."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None:
            self.declare(name, declaration)
        self._typed(node, declaration, lambda: self._interface(node, declaration))
        return NONE

    def _typed(self, node: Node, declaration: int, lower: Callable[[], None]) -> None:
        """Lower the inside of what may have type parameters."""
        code = self.code
        outer = code.scope
        parameters = node.child_by_field_name("type_parameters")
        if parameters is not None:
            code.enter(ScopeKind.BLOCK)
            self.type_parameters(parameters, declaration)
        lower()
        code.scope = outer

    def _interface(self, node: Node, declaration: int) -> None:
        for clause in node.named_children:
            if clause.type == "extends_type_clause":
                for kind in clause.named_children:
                    self.code.clause(declaration, Role.BASE, self.lower(kind))
        self.code.enter(ScopeKind.CLASS, declaration)
        self._members(node.child_by_field_name("body"))

    def type_alias(self, node: Node) -> int:
        """`type T = …`; the members of a type literal are those of the alias."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None:
            self.declare(name, declaration)
        self._typed(node, declaration, lambda: self._aliased(node, declaration))
        return NONE

    def _aliased(self, node: Node, declaration: int) -> None:
        value = node.child_by_field_name("value")
        code = self.code
        outer = code.scope
        if value is not None and value.type == "object_type":
            code.enter(ScopeKind.CLASS, declaration)
            self.binds_members = True
        code.clause(declaration, Role.ALIAS, self.lower(value))
        self.binds_members = False
        code.scope = outer

    def enum(self, node: Node) -> int:
        """An enum: its members are bound in its scope."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None:
            self.declare(name, declaration)
        code = self.code
        outer = code.enter(ScopeKind.CLASS, declaration)
        body = node.child_by_field_name("body")
        for child in () if body is None else body.named_children:
            key: Node | None = child
            value = NONE
            if child.type == "enum_assignment":
                key = child.child_by_field_name("name")
                given = child.child_by_field_name("value")
                is_text = given is not None and given.type == "string"
                value = self.named_text(given) if is_text and given else self.lower(given)
            elif child.is_extra:
                continue
            text = self.key(key)
            number = self.declaration_of(key)
            self.bind_member(key, text, number, value, NONE, BindingKind.ASSIGNED)
        code.scope = outer
        return NONE

    def namespace(self, node: Node) -> int:
        """`namespace N {}`, `declare module "m" {}`."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None and name.type != "string":
            self.declare(name, declaration)
        code = self.code
        outer = code.enter(ScopeKind.MODULE, declaration)
        body = node.child_by_field_name("body")
        self.statements([] if body is None else body.named_children)
        code.scope = outer
        return NONE

    def ambient(self, node: Node) -> int:
        """`declare …`; `declare global` is a scope without a declaration."""
        code = self.code
        for child in node.named_children:
            if child.type == "statement_block":
                outer = code.enter(ScopeKind.MODULE)
                self.statements(child.named_children)
                code.scope = outer
            else:
                self.lower(child)
        return NONE
