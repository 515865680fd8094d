"""Lowers statements of C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.expressions import NONE, Op, ScopeKind
from code_graph.languages.csharp.lower.patterns import CSharpPatterns

if TYPE_CHECKING:
    from tree_sitter import Node


class CSharpStatements(CSharpPatterns):
    """Statements and local variables."""

    # statements

    def variable_declaration(self, node: Node) -> int:
        """Local variables of one type."""
        declared = self.lower(node.child_by_field_name("type"))
        for child in node.children:
            if child.type == "variable_declarator" and child.children:
                value = self.declarator_value(child)
                self.designate(child.children[0], value, declared)
            elif child.is_error:
                self.lower(child)
        return NONE

    def foreach_statement(self, node: Node) -> int:
        """A loop over elements."""
        of = self.lower(node.child_by_field_name("right"))
        with self.flow(ScopeKind.BLOCK, ScopeKind.LOOP):
            declared = self.lower(node.child_by_field_name("type"))
            value = self.element(of)
            if value != NONE and node.children[0].type == "await":
                value = self.code.add(Op.AWAIT, value)
            left = node.child_by_field_name("left")
            if left is not None:
                if left.type in {"identifier", "tuple_pattern"}:
                    self.designate(left, value, declared)
                else:
                    self.lower(left)
            self.lower(node.child_by_field_name("body"))
        return NONE

    def switch_statement(self, node: Node) -> int:
        """Sections for patterns of a value."""
        of = self.lower(node.child_by_field_name("value"))
        body = node.child_by_field_name("body")
        with self.flow(ScopeKind.BLOCK):
            for section in () if body is None else body.children:
                if section.type == "switch_section":
                    with self.flow(ScopeKind.BRANCH):
                        self.section(section, of)
                elif section.is_named:
                    self.lower(section)
        return NONE

    def section(self, node: Node, of: int) -> None:
        """A section with its pattern."""
        is_head = True
        for child in node.children:
            if child.type == ":":
                is_head = False
            elif is_head and child.is_named and child.type != "when_clause":
                self.pattern(child, of)
            else:
                self.lower(child)

    def return_statement(self, node: Node) -> int:
        """A result of the function around."""
        self.gives = self.gives or node.named_child_count > 0
        return super().return_statement(node)

    def catch_clause(self, node: Node) -> int:
        """A handler with its exception."""
        with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
            for child in node.children:
                if child.type == "catch_declaration":
                    declared = self.lower(child.child_by_field_name("type"))
                    self.bind_name(child.child_by_field_name("name"), annotation=declared)
                else:
                    self.lower(child)
        return NONE

    def preprocessor_branch(self, node: Node) -> int:
        """The contents of a branch, without its condition."""
        condition = node.child_by_field_name("condition")
        self.lower_each([child for child in node.children if child != condition])
        return NONE

    def declarator_value(self, node: Node) -> int:
        """The value that a variable begins with."""
        value = NONE
        for child in node.children[1:]:
            if child.type == "bracketed_argument_list":
                self.argument_list(child)
            else:
                number = self.lower(child)
                value = value if number == NONE else number
        return value
