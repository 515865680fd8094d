"""Lowers patterns and statements of Swift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from code_graph.expressions import NONE, BindingKind, Op, ScopeKind
from code_graph.languages.swift.lower.values import SwiftValues
from code_graph.treesitter.code.declared_types import children_of

if TYPE_CHECKING:
    from tree_sitter import Node


class SwiftStatements(SwiftValues):
    """Patterns and statements."""

    # patterns

    def bind_pattern(self, children: Sequence[Node], value: int, *, binds: bool) -> None:
        """Bind the names of a pattern, given by its children, to parts of a value."""
        if self._depth >= self._deepest:
            for child in children:
                self._names_only(child)
            return
        self._depth += 1
        parts = [child for child in children if not child.is_extra]
        value = self.pattern_type(parts, value)
        binds = binds or any(child.type == "value_binding_pattern" for child in parts)
        self.pattern_parts(parts, value, binds=binds)
        self._depth -= 1

    def pattern_parts(self, children: Sequence[Node], of: int, *, binds: bool) -> None:
        """The patterns in a tuple or case, or the one there is."""
        has_parts = any(child.type == "," for child in children)
        position, before = 0, ""
        for child, after in zip(children, [*children[1:], None], strict=True):
            kind = child.type
            if kind in {"as", "is"}:
                break
            if kind == ",":
                position += 1
            elif kind == "user_type":
                of = self.lower(child)
            elif kind == "simple_identifier" and before == ".":
                of, has_parts = self.member(of, child), True
            elif kind in {"simple_identifier", "pattern"}:
                if after is None or after.type != ":":
                    part = self.part_of(of, position) if has_parts else of
                    self.inner_pattern(child, part, binds=binds)
            elif child.is_named:
                self.lower(child)
            before = kind

    def inner_pattern(self, node: Node, value: int, *, binds: bool) -> None:
        """A pattern or name in another one."""
        if node.type == "pattern":
            self.bind_pattern(node.children, value, binds=binds)
        elif binds:
            self.bind_name(node, BindingKind.ASSIGNED, value)
        elif self.source.of(node) != "_":
            self.name(node)

    def pattern_type(self, children: Sequence[Node], value: int) -> int:
        """The value as one of the type that a pattern asks for."""
        for at, child in enumerate(children[:-1]):
            if child.type in {"as", "is"}:
                declared = self.lower(children[at + 1])
                return self.cast(value, declared) if child.type == "as" else value
        return value

    def part_of(self, of: int, position: int) -> int:
        """A part of a tuple or case."""
        return NONE if of == NONE else self.code.add(Op.PART, of, str(position))

    # conditions

    def conditions(self, children: Sequence[Node]) -> list[Node]:
        """Bind the variables of conditions; the children after them."""
        at, count = 0, len(children)
        while at < count:
            child = children[at]
            kind = child.type
            if kind in {"statements", "else", "{"}:
                break
            if kind == "value_binding_pattern":
                at = self.optional_binding(children, at + 1)
            elif kind == "case":
                at = self.case_binding(children, at + 1)
            else:
                if child.is_named:
                    self.lower(child)
                at += 1
        return list(children[at:])

    def optional_binding(self, children: Sequence[Node], at: int) -> int:
        """`let name: T = value`; the position after it."""
        name: Node | None = None
        declared, value = NONE, NONE
        while at < len(children):
            child = children[at]
            kind = child.type
            if kind == "=":
                value = self.lower(children[at + 1]) if at + 1 < len(children) else NONE
                self.outside(name, value)
                at += 2
                break
            if name is None and kind in {"simple_identifier", "pattern"}:
                name = child
            elif kind == "type_annotation":
                declared = self.lower(child)
            elif not child.is_extra:
                # `if let name {`: the name still means what it did, and now has a value
                self.lower(name)
                return at
            at += 1
        if name is not None and name.type == "pattern":
            self.bind_pattern(name.children, value, binds=True)
        else:
            self.bind_name(name, BindingKind.ASSIGNED, value, declared)
        return at

    def outside(self, name: Node | None, value: int) -> None:
        """Have a value of the name that it is bound to looked up outside of the condition."""
        if value == NONE or name is None or self._around == NONE:
            return
        item = self.code.expression(value)
        if item.op == Op.NAME and item.name == self.spelled(name):
            self.code.look_up_from(value, self._around)

    # the scope around the condition that is read
    _around = NONE

    def case_binding(self, children: Sequence[Node], at: int) -> int:
        """`case pattern = value`; the position after it."""
        begin = at
        while at < len(children) and children[at].type not in {"=", "statements", "{"}:
            at += 1
        value = NONE
        end = at
        if at + 1 < len(children) and children[at].type == "=":
            value = self.lower(children[at + 1])
            at += 2
        self.bind_pattern(children[begin:end], value, binds=False)
        return at

    # statements

    def block(self, node: Node) -> int:
        """Statements within a body."""
        outer = self.code.enter(ScopeKind.BLOCK)
        self.lower_each(node.children)
        self.code.leave(outer)
        return NONE

    def if_statement(self, node: Node) -> int:
        """Conditions and branches; a chain of `else if` is no nest."""
        left: Node | None = node
        values: list[int] = []
        while left is not None:
            before, self._around = self._around, self.code.scope
            with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
                rest = self.conditions(left.children[1:])
                self._around = before
                for child in rest:
                    if child.type == "else":
                        break
                    if child.type == "statements":
                        values.append(self.only_value(child))
            left, follows = None, False
            for child in rest:
                follows = follows or child.type == "else"
                if follows and child.type == "if_statement":
                    left = child
                elif follows and child.type == "statements":
                    with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
                        values.append(self.only_value(child))
                elif child.is_error:
                    self.lower(child)
        return self.either(values)

    def only_value(self, node: Node) -> int:
        """The value of a block with one expression."""
        numbers = [self.lower(child) for child in children_of(node)]
        return numbers[0] if len(numbers) == 1 else NONE

    def guard_statement(self, node: Node) -> int:
        """Conditions, whose variables are those of the block around."""
        for child in self.conditions(node.children[1:]):
            if child.type == "statements":
                self.in_branch(child)
            elif child.is_error:
                self.lower(child)
        return NONE

    def repeat_statement(self, node: Node) -> int:
        """A loop with its condition behind."""
        return super().while_statement(node)

    def while_statement(self, node: Node) -> int:
        """A loop with its conditions inside."""
        with self.flow(ScopeKind.LOOP, ScopeKind.BLOCK):
            self.lower_each(self.conditions(node.children[1:]))
        return NONE

    def for_statement(self, node: Node) -> int:
        """A loop over elements."""
        of = self.lower(node.child_by_field_name("collection"))
        item = node.child_by_field_name("item")
        with self.flow(ScopeKind.LOOP, ScopeKind.BLOCK):
            value = NONE if of == NONE else self.code.add(Op.ELEMENT, of)
            if item is not None:
                has_case = any(child.type == "case" for child in item.children)
                self.bind_pattern(item.children, value, binds=not has_case)
            for child in node.children:
                if (
                    child.type in {"where_clause", "statements", "type_annotation"}
                    or child.is_error
                ):
                    self.lower(child)
        return NONE

    def switch_statement(self, node: Node) -> int:
        """Cases, each a branch with names of its own."""
        value = self.lower(node.child_by_field_name("expr"))
        values: list[int] = []
        for entry in children_of(node):
            if entry.type != "switch_entry":
                if entry.is_error:
                    self.lower(entry)
                continue
            with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
                for child in children_of(entry):
                    if child.type == "switch_pattern":
                        for one in children_of(child):
                            self.bind_pattern(one.children, value, binds=False)
                    elif child.type == "statements":
                        values.append(self.only_value(child))
                    else:
                        self.lower(child)
        return self.either(values)

    def catch_block(self, node: Node) -> int:
        """A handler; its error has a name even if none is declared."""
        with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
            error = node.child_by_field_name("error")
            if error is None:
                self.code.bind("error")
            else:
                self.bind_pattern(error.children, NONE, binds=False)
            self.lower_each([child for child in node.children if child != error])
        return NONE

    def control_transfer(self, node: Node) -> int:
        """A result, or a way out."""
        value = self.pass_through(node)
        if node.children and node.children[0].type == "return":
            self.result(value)
        return NONE
