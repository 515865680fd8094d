"""Lowers patterns and statements of Rust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, BindingKind, Op, ScopeKind
from code_graph.languages.rust.lower.values import RustValues, patterns_of
from code_graph.treesitter.code.declared_types import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

# patterns around another one
_AROUND: Final = frozenset(
    {"ref_pattern", "mut_pattern", "reference_pattern", "match_pattern", "parenthesized_pattern"}
)
_STATEMENTS: Final = frozenset(
    {"let_declaration", "use_declaration", "attribute_item", "empty_statement", "line_comment"}
)


class RustPatterns(RustValues):
    """Patterns and statements."""

    def bind_name(
        self,
        node: Node | None,
        kind: BindingKind = BindingKind.ASSIGNED,
        value: int = NONE,
        annotation: int = NONE,
        declaration: int = NONE,
        scope: int | None = None,
    ) -> None:
        """Bind the name at a node, and remember that a variable has it."""
        if node is not None and kind != BindingKind.DECLARED:
            self.variables.add(self.spelled(node))
        super().bind_name(node, kind, value, annotation, declaration, scope)

    def bind_pattern(
        self, node: Node | None, value: int, kind: BindingKind = BindingKind.ASSIGNED
    ) -> None:
        """Bind the names of a pattern to parts of a value."""
        if node is None:
            return
        if self._depth >= self._deepest:
            self._names_only(node)
            return
        self._depth += 1
        self._bind_pattern(node, value, kind)
        self._depth -= 1

    def _bind_pattern(self, node: Node, value: int, how: BindingKind) -> None:
        kind = node.type
        if kind in {"identifier", "shorthand_field_identifier"}:
            text = self.spelled(node)
            # by convention, a name in capitals is a constant or a variant
            if text[:1].isupper():
                self.name(node)
            else:
                self.bind_name(node, how, value)
        elif kind in _AROUND:
            self.inner_pattern(node, value, how)
        elif kind in {"captured_pattern", "or_pattern"}:
            children = children_of(node)
            is_named = kind == "captured_pattern"
            if is_named:
                self.bind_name(children[0], how, value)
            for child in children[is_named:]:
                self.bind_pattern(child, value, how)
        elif kind == "slice_pattern":
            self.elements(children_of(node), value, how)
        elif kind == "tuple_pattern":
            self.parts(patterns_of(node), value, how)
        elif kind == "tuple_struct_pattern":
            children = patterns_of(node)
            of = self.lower(node.child_by_field_name("type"))
            self.parts(children[1:], self.narrowed(value, of), how)
        elif kind == "struct_pattern":
            self.struct_pattern(node, value, how)
        else:
            self.lower(node)

    def narrowed(self, value: int, of: int) -> int:
        """A value as one of a variant."""
        return NONE if value == NONE else self.cast(value, of)

    def inner_pattern(self, node: Node, value: int, how: BindingKind) -> None:
        """A pattern in another one, maybe with a condition."""
        condition = node.child_by_field_name("condition")
        for child in children_of(node):
            if child == condition:
                self.lower(child)
            elif child.type != "mutable_specifier":
                self.bind_pattern(child, value, how)

    def parts(self, nodes: Sequence[Node], value: int, how: BindingKind) -> None:
        """Patterns of the parts of a value."""
        count = len(nodes)
        rest = next(
            (at for at, one in enumerate(nodes) if one.type == "remaining_field_pattern"), count
        )
        for at, child in enumerate(nodes):
            if at == rest or child.type == "_":
                continue
            position = at if at < rest else at - count
            part = NONE
            if value != NONE and child.type not in self.literals:
                part = self.code.add(Op.PART, value, str(position))
            self.bind_pattern(child, part, how)

    def elements(self, nodes: Sequence[Node], value: int, how: BindingKind) -> None:
        """Patterns of the elements of a row; `name @ ..` is a row, too."""
        element = NONE if value == NONE or not nodes else self.code.add(Op.ELEMENT, value)
        for child in nodes:
            is_rest = any(one.type == "remaining_field_pattern" for one in child.children)
            if child.type != "remaining_field_pattern":
                self.bind_pattern(child, value if is_rest else element, how)

    def struct_pattern(self, node: Node, value: int, how: BindingKind) -> None:
        """Fields of a struct or variant."""
        of = self.narrowed(value, self.lower(node.child_by_field_name("type")))
        for child in children_of(node):
            name = child.child_by_field_name("name")
            if child.type != "field_pattern" or name is None:
                continue
            field = self.member(of, name)
            pattern = child.child_by_field_name("pattern")
            self.bind_pattern(name if pattern is None else pattern, field, how)

    # statements

    def statements(self, node: Node) -> int:
        """The statements of a block; the value of its last expression."""
        last = NONE
        for child in node.children:
            if child.is_named and not child.is_extra:
                value = self.lower(child)
                ends = child.type in _STATEMENTS or child.type.endswith("_item")
                last = (
                    NONE
                    if ends or (child.children[-1:] and child.children[-1].type == ";")
                    else value
                )
        return last

    def body(self, node: Node | None) -> int:
        """The statements of a body; the value of its last expression."""
        if node is None:
            return NONE
        return self.statements(node) if node.type == "block" else self.lower(node)

    def block(self, node: Node) -> int:
        """A block within a body."""
        outer = self.code.enter(ScopeKind.BLOCK)
        value = self.statements(node)
        self.code.leave(outer)
        return value

    def async_block(self, node: Node) -> int:
        """A block that is awaited."""
        return self.pass_through(node)

    def expression_statement(self, node: Node) -> int:
        """An expression; one without a semicolon may be a value."""
        return self.lower(node.children[0] if node.children else None)

    def let_declaration(self, node: Node) -> int:
        """Bind new variables; the `else` block, for a pattern that does not match, is a branch."""
        declared = self.lower(node.child_by_field_name("type"))
        value = self.lower(node.child_by_field_name("value"))
        self.in_branch(node.child_by_field_name("alternative"))
        pattern = node.child_by_field_name("pattern")
        while pattern is not None and pattern.type in {"mut_pattern", "ref_pattern"}:
            pattern = pattern.children[-1]
        if pattern is not None and pattern.type == "identifier":
            self.bind_name(pattern, BindingKind.ASSIGNED, value, declared)
        else:
            self.bind_pattern(pattern, self.cast(value, declared))
        return NONE

    def let_condition(self, node: Node) -> int:
        """A pattern in a condition."""
        value = self.lower(node.child_by_field_name("value"))
        self.bind_pattern(node.child_by_field_name("pattern"), value)
        return NONE

    def if_expression(self, node: Node) -> int:
        """A condition and its branches; a chain of `else if` is no nest."""
        values: list[int] = []
        opened: list[int] = []
        left: Node | None = node
        while left is not None:
            opened.append(self.code.enter(ScopeKind.BRANCH))
            opened.append(self.code.enter(ScopeKind.BLOCK))
            self.lower(left.child_by_field_name("condition"))
            values.append(self.lower(left.child_by_field_name("consequence")))
            self.code.leave(opened.pop())
            self.code.leave(opened.pop())
            other = left.child_by_field_name("alternative")
            children = children_of(other)
            left = children[0] if children else None
            if left is not None and left.type != "if_expression":
                with self.flow(ScopeKind.BRANCH):
                    values.append(self.lower(left))
                left = None
        return self.either(values)

    def match_expression(self, node: Node) -> int:
        """Arms, each a branch with names of its own."""
        value = self.lower(node.child_by_field_name("value"))
        values: list[int] = []
        for arm in children_of(node.child_by_field_name("body")):
            if arm.type != "match_arm":
                self.lower(arm)
                continue
            with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
                self.bind_pattern(arm.child_by_field_name("pattern"), value)
                values.append(self.lower(arm.child_by_field_name("value")))
        return self.either(values)

    def for_expression(self, node: Node) -> int:
        """A loop over elements."""
        of = self.lower(node.child_by_field_name("value"))
        with self.flow(ScopeKind.LOOP, ScopeKind.BLOCK):
            value = NONE if of == NONE else self.code.add(Op.ELEMENT, of)
            self.bind_pattern(node.child_by_field_name("pattern"), value)
            self.lower(node.child_by_field_name("body"))
        return NONE

    def while_expression(self, node: Node) -> int:
        """A loop with its condition inside."""
        with self.flow(ScopeKind.LOOP, ScopeKind.BLOCK):
            self.lower_each(node.children)
        return NONE

    def loop_expression(self, node: Node) -> int:
        """A loop without a condition: its values are those that leave it."""
        self.left_with.append([])
        self.while_expression(node)
        return self.either(self.left_with.pop())

    def break_expression(self, node: Node) -> int:
        """The end of a loop, of an outer one with a label."""
        children = children_of(node)
        has_label = bool(children) and children[0].type in {"label", "lifetime"}
        value = self.pass_through(node)
        if self.left_with and not has_label:
            self.left_with[-1].append(value)
        return NONE
