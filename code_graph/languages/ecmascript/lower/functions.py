"""Lowers functions: their scopes, heads and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import (
    NONE,
    Argument,
    BindingKind,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.languages.ecmascript.lower.patterns import Patterns
from code_graph.treesitter.code.lowering import first

if TYPE_CHECKING:
    from tree_sitter import Node

# declarations that apply in all of their block
_HOISTED: Final = frozenset(
    {"function_declaration", "generator_function_declaration", "function_signature"}
)
_AROUND: Final = frozenset({"export_statement", "ambient_declaration"})
_OWN_SCOPE: Final = frozenset(
    {
        "lexical_declaration",
        "using_declaration",
        "class_declaration",
        "abstract_class_declaration",
        "enum_declaration",
        "interface_declaration",
        "type_alias_declaration",
        *_HOISTED,
    }
)
# values that are functions or classes
VALUES: Final = frozenset(
    {"arrow_function", "function_expression", "generator_function", "class", "function"}
)


# contexts that give a function its type
_CASTS: Final = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})


class Functions(Patterns):
    """Lowers functions and blocks."""

    # declarations of functions and classes without names of their own, by offset
    declaration_at: dict[int, int]
    # offsets of functions that are bound already
    hoisted: set[int]

    def statements(self, nodes: Sequence[Node]) -> None:
        """Lower statements, of which functions apply from the beginning."""
        kinds = self._kinds
        for node in nodes:
            kind = kinds.get(node.kind_id) or self.kind(node)
            if kind in _HOISTED:
                self._hoist(node)
            elif kind in _AROUND:
                self._hoist_inside(node)
        for node in nodes:
            self.lower(node)

    def _hoist_inside(self, node: Node) -> None:
        """Bind the function that is exported or declared for another place."""
        inner: Node | None = node
        while inner is not None and inner.type in _AROUND:
            inner = inner.child_by_field_name("declaration") or (
                first(inner) if inner.type == "ambient_declaration" else None
            )
        if inner is not None and inner.type in _HOISTED:
            self._hoist(inner)

    def _hoist(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None and declaration != NONE:
            self.hoisted.add(node.start_byte)
            self.declare(name, declaration)

    def declare(self, name: Node, declaration: int, value: int = NONE) -> None:
        """Bind the name of a declaration in the innermost scope that holds names."""
        self.bind(name, BindingKind.DECLARED, value, declaration=declaration)

    def block(self, node: Node) -> int:
        """Statements in braces; a scope only if they declare names."""
        nodes = node.named_children
        code = self.code
        outer = code.scope
        if not _OWN_SCOPE.isdisjoint(map(self.kind, nodes)):
            code.enter(ScopeKind.BLOCK)
        self.statements(nodes)
        code.scope = outer
        return NONE

    def function_declaration(self, node: Node) -> int:
        """`function f() {}`; without a declaration, its name is bound to its scope."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_of(name)
        if name is not None and declaration != NONE and node.start_byte not in self.hoisted:
            self.declare(name, declaration)
        value = self.function(node, declaration, name)
        if name is not None and declaration == NONE:
            self.declare(name, NONE, value)
        return NONE

    def function_value(self, node: Node) -> int:
        """A function as a value."""
        name = node.child_by_field_name("name")
        declaration = self.declaration_at.pop(node.start_byte, NONE)
        if declaration == NONE:
            declaration = self.declaration_of(name)
        return self.function(node, declaration, name, is_value=True)

    def function(
        self,
        node: Node,
        declaration: int,
        name: Node | None,
        *,
        is_value: bool = False,
        fields: int = NONE,
    ) -> int:
        """The scope of a function; a FUNCTION unless it has a declaration and is no value."""
        code = self.code
        outer = code.enter(ScopeKind.FUNCTION, declaration)
        scope, number = code.scope, NONE
        if is_value or declaration == NONE:
            code.scope = outer
            line, column = self.place(node if name is None else name)
            number = code.add(Op.FUNCTION, scope, "", (), line, column)
            code.scope = scope
        if is_value and name is not None and node.type != "method_definition":
            self.declare(name, self.declaration_of(name), number)
        self._head(node, declaration, fields)
        self.body(node.child_by_field_name("body"))
        code.scope = outer
        return number

    def _head(self, node: Node, declaration: int, fields: int) -> None:
        """Type parameters, parameters, and the declared type of the result."""
        self.type_parameters(node.child_by_field_name("type_parameters"), declaration)
        self.bind_parameters(node, fields)
        result = node.child_by_field_name("return_type")
        if result is None:
            return
        declared = self.lower(result)
        if declaration != NONE:
            self.code.clause(declaration, Role.RESULT, declared)
        elif declared != NONE:
            value = self.code.add(Op.CAST, NONE, "", [Argument(declared)])
            self.code.result(ResultKind.RETURN, value)

    def body(self, body: Node | None) -> None:
        """The statements or the value of a function."""
        if body is None:
            return
        if body.type == "statement_block":
            if self._depth >= self._deepest:
                self._names_only(body)
                return
            self._depth += 1
            self.statements(body.named_children)
            self._depth -= 1
        else:
            self.code.result(ResultKind.RETURN, self.lower(body))

    def value(self, node: Node | None, declaration: int, *, wraps: bool = False) -> int:
        """A value that is bound; a function has the declaration of its name.

        `wraps` if the first argument of a call is the function, as in `memo(forwardRef(f))`.
        """
        if node is None:
            return NONE
        if declaration != NONE:
            inner: Node | None = node
            while inner is not None and inner.type in _CASTS:
                inner = first(inner)
            kind = node.type if inner is None else inner.type
            if inner is not None and kind in VALUES:
                self.declaration_at[inner.start_byte] = declaration
            elif wraps and kind == "call_expression":
                self._wrapped(node, declaration)
        return self.lower(node)

    def _wrapped(self, node: Node, declaration: int) -> None:
        wrapped: Node | None = node
        while wrapped is not None and wrapped.type == "call_expression":
            arguments = wrapped.child_by_field_name("arguments")
            wrapped = None if arguments is None else first(arguments)
        if wrapped is None or wrapped.type not in VALUES:
            return
        if self.declaration_of(wrapped.child_by_field_name("name")) == NONE:
            self.declaration_at[wrapped.start_byte] = declaration
