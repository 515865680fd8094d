"""Lowers patterns, switch expressions and queries of C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.expressions import NONE, Op, ScopeKind
from code_graph.languages.csharp.lower.values import NAMEOF, TOO_DEEP, CSharpValues

if TYPE_CHECKING:
    from tree_sitter import Node


class CSharpPatterns(CSharpValues):
    """Patterns and queries."""

    # patterns

    def is_pattern(self, node: Node) -> int:
        """A test by a pattern."""
        of = self.lower(node.child_by_field_name("expression"))
        self.pattern(node.child_by_field_name("pattern"), of)
        return self.literal("bool")

    def pattern(self, node: Node | None, of: int) -> None:
        """Bind the names of a pattern that a value has."""
        if node is None or self._depth > TOO_DEEP:
            return
        self._depth += 1
        kind = node.type
        if kind in {"declaration_pattern", "recursive_pattern", "var_pattern"}:
            self.typed_pattern(node, of)
        elif kind in {"and_pattern", "or_pattern", "negated_pattern", "parenthesized_pattern"}:
            for child in node.named_children:
                self.pattern(child, of)
        elif kind in {"list_pattern", "slice_pattern"}:
            inside = of
            if kind == "list_pattern" and of != NONE:
                inside = self.code.add(Op.ELEMENT, of)
            name = node.child_by_field_name("name")
            for child in node.named_children:
                if child == name:
                    self.bind_name(child, value=of)
                else:
                    self.pattern(child, of if child.type == "slice_pattern" else inside)
        else:
            self.lower(node)
        self._depth -= 1

    def typed_pattern(self, node: Node, of: int) -> None:
        """A pattern with a type, parts, members and a name, each optional."""
        declared_type = node.child_by_field_name("type")
        if declared_type is not None and self.source.of(declared_type) == NAMEOF:
            # the grammar takes `nameof(X)` for a type and what it declares
            self.lower_all(node.named_children[-1].named_children)
            return
        declared = self.lower(declared_type)
        of = self.cast(of, declared)
        for child in node.named_children:
            kind = child.type
            if kind in {"identifier", "parenthesized_variable_designation"}:
                if child != declared_type:
                    self.designate(child, of)
            elif kind == "positional_pattern_clause":
                for position, one in enumerate(child.named_children):
                    self.pattern(one.children[-1], self.part(of, position))
            elif kind == "property_pattern_clause":
                for one in child.named_children:
                    self.subpattern(one, of)

    def subpattern(self, node: Node, of: int) -> None:
        """A pattern of a member, or of a member of one."""
        path: list[Node] = []
        left = node.children[0]
        while left.type == "member_access_expression":
            name = left.child_by_field_name("name")
            if name is not None:
                path.append(name)
            left = left.children[0]
        for name in [left, *reversed(path)]:
            of = self.member(of, name)
        self.pattern(node.children[-1], of)

    def switch_expression(self, node: Node) -> int:
        """One of the values of its arms."""
        of = self.lower(node.children[0])
        found: list[int] = []
        arms = list(node.children[1:])
        for arm in arms:
            if arm.type == "switch_expression_body":
                arms += arm.children
            elif arm.type == "switch_expression_arm":
                with self.flow(ScopeKind.BLOCK):
                    found.append(self.arm(arm, of))
            elif arm.is_error:
                self.lower(arm)
        return self.either(found)

    def arm(self, node: Node, of: int) -> int:
        """The value of one arm."""
        children = node.children
        self.pattern(children[0], of)
        for child in children[1:-1]:
            self.lower(child)
        return self.lower(children[-1])

    # queries

    def query_expression(self, node: Node) -> int:
        """A query gives a list of the selected values."""
        result = NONE
        with self.flow(ScopeKind.BLOCK):
            for child in node.children:
                kind = child.type
                if kind == "select_clause":
                    result = self.list_of([self.lower(child.children[-1])])
                elif kind == "group_clause":
                    self.lower_each(child.children)
                    result = NONE
                elif kind == "identifier":  # after `into`
                    self.bind_name(child, value=self.element(result))
                else:
                    self.lower(child)
        return result

    def element(self, of: int) -> int:
        """The element of an iteration."""
        return NONE if of == NONE else self.code.add(Op.ELEMENT, of)

    def from_clause(self, node: Node) -> int:
        """A variable for the elements of a source."""
        declared = self.lower(node.child_by_field_name("type"))
        value = self.element(self.lower(node.children[-1]))
        self.bind_name(node.child_by_field_name("name"), value=value, annotation=declared)
        return NONE

    def let_clause(self, node: Node) -> int:
        """A variable for a value."""
        value = self.lower(node.children[-1])
        names = [child for child in node.children if child.type == "identifier"]
        self.bind_name(names[0] if names else None, value=value)
        return NONE

    def join_clause(self, node: Node) -> int:
        """A variable for the elements of another source."""
        children = node.children
        words = [child.type for child in children]
        if "in" not in words:
            return self.opaque(node)
        at = words.index("in")
        declared = self.lower(node.child_by_field_name("type"))
        value = self.element(self.lower(children[at + 1] if at + 1 < len(children) else None))
        self.bind_name(children[at - 1], value=value, annotation=declared)
        for child in children[at + 2 :]:
            if child.type == "join_into_clause":
                self.bind_name(child.children[-1], value=self.list_of([value]))
            else:
                self.lower(child)
        return NONE
