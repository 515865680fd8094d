"""Lowers expressions and types of Swift."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.treesitter.code.declared_types import children_of
from code_graph.treesitter.code.quoted_names import QuotedNames

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.declared_types import Step

_SHORTHAND: Final = re.compile(r"\$\d(?!\d)")
# characters of a closure that are searched for parameters
_LONGEST: Final = 2_000
_BINARY: Final = (
    *("additive", "multiplicative", "comparison", "equality", "conjunction", "disjunction"),
    *("infix", "range", "bitwise_operation"),
)
# what has operands, of which the last may begin a chain
_OPERANDS: Final = frozenset(
    {f"{word}_expression" for word in (*_BINARY, "prefix", "nil_coalescing", "try", "await")}
)
_OF_OPERATOR: Final = 3
_LITERAL_TYPES: Final = frozenset({"array_literal", "dictionary_literal"})
_META: Final = frozenset({"Type", "Protocol"})


def _is_made(node: Node) -> bool:
    """True for `[A]` in `[A]()`."""
    parent = node.parent
    if parent is None or parent.type != "call_expression" or parent.children[0] != node:
        return False
    behind = parent.children[-1].children[0] if parent.children[-1].children else None
    is_list = behind is not None and behind.type == "value_arguments" and bool(behind.children)
    return behind is not None and is_list and behind.children[0].type == "("


def _begins_with_member(node: Node) -> bool:
    """True for `B > .f()`."""
    if len(node.children) != _OF_OPERATOR or node.children[1].type != ">":
        return False
    first = node.children[-1]
    while first.type in {"call_expression", "navigation_expression"}:
        first = first.children[0]
    return first.type == "prefix_expression" and first.children[0].type == "."


class SwiftValues(QuotedNames):
    """Expressions and types."""

    names: ClassVar[frozenset[str]] = frozenset({"simple_identifier", "type_identifier"})

    # names

    def path(self, node: Node) -> int:
        """Names in one another."""
        of = NONE
        for child in children_of(node):
            of = self.name(child) if of == NONE else self.member(of, child)
        return of

    # types

    def user_type(self, node: Node) -> int:
        """A type by its name, maybe in another one and with arguments; `T.Type` is T."""
        of = NONE
        for child in node.children:
            kind = child.type
            if kind == "type_identifier":
                is_meta = of != NONE and self.source.of(child) in _META
                if not is_meta:
                    of = self.name(child) if of == NONE else self.member(of, child)
            elif kind == "type_arguments":
                of = self.apply(of, child)
            elif child.is_named:
                self.lower(child)
        return of

    # true where the types of parameters are read, which tell functions apart
    _marks_optional = False

    def optional_type(self, node: Node) -> int:
        """A type that may have no value: as the type itself, but where overloads differ in it."""
        inner = self.first_child(node)
        if not self._marks_optional or inner == NONE:
            return inner
        of = self.code.add(Op.NAME, name="Optional")
        return self.code.add(Op.APPLY, of, items=[Argument(inner)])

    def marking_optional(self, node: Node) -> int:
        """A type with marks where there may be no value."""
        before, self._marks_optional = self._marks_optional, True
        number = self.lower(node)
        self._marks_optional = before
        return number

    def array_type(self, node: Node) -> int:
        """An array."""
        return self.list_of(self.lower_each(node.children)[:1])

    def dictionary_type(self, node: Node) -> int:
        """A dictionary."""
        return self.dictionary_of(self.lower_each(node.children))

    def function_type(self, node: Node) -> int:
        """The type of a function."""
        items: list[Argument] = []
        result = NONE
        for child in children_of(node):
            if child.type == "tuple_type" and not items and child == children_of(node)[0]:
                items = self.typed_items(child)
            else:
                number = self.lower(child)
                result = number if number != NONE else result
        return self.code.add(Op.CALLABLE, result, items=items)

    def typed_items(self, node: Node) -> list[Argument]:
        """The types in a tuple, by their names."""
        items: list[Argument] = []
        for child in children_of(node):
            parts = children_of(child) if child.type == "tuple_type_item" else [child]
            name = parts[0] if parts and parts[0].type == "simple_identifier" else None
            values = self.lower_each(parts if name is None else parts[1:])
            if values:
                items.append(Argument(values[-1], "" if name is None else self.spelled(name)))
        return items

    def tuple_type(self, node: Node) -> int:
        """A tuple of types, or one in parentheses."""
        items = self.typed_items(node)
        if len(items) == 1:
            return items[0].value
        return self.code.add(Op.TUPLE, items=items) if items else NONE

    def composition(self, node: Node) -> int:
        """A type with several protocols."""
        items = [Argument(number) for number in self.lower_each(node.children)]
        return self.code.add(Op.EITHER, items=items) if items else NONE

    # members, calls, objects

    def chain_start(self, node: Node, spine: list[tuple[Node, Step]]) -> int:
        """The first node of a chain: the last operand in `a + b.f()`.

        The grammar reads that as a call of `a + b.f`.
        """
        del spine
        left = NONE
        # `.f` alone is a member of the type that is expected
        while node.type in _OPERANDS and node.children and node.children[0].type != ".":
            before = self.lower_each(node.children[:-1])
            left = before[-1] if before else left
            node = node.children[-1]
        if node.type in _LITERAL_TYPES and _is_made(node):
            items = self.lower_each(node.children)
            is_list = node.type == "array_literal"
            base = self.list_of(items[:1]) if is_list else self.dictionary_of(items)
            self._types.add(base)
            return base
        base = self.lower(node)
        self.like(left, base)
        return base

    @cached_property
    def _types(self) -> set[int]:
        """The types that are written as literals: `[A]` in `[A]()`."""
        return set()

    def dictionary_of(self, numbers: Sequence[int]) -> int:
        """The type of a dictionary."""
        of = self.code.add(Op.NAME, name="Dictionary")
        return self.code.add(Op.APPLY, of, items=[Argument(number) for number in numbers])

    def member_chain(self, node: Node) -> int:
        """Members and calls; those behind a backslash are a path."""
        first = node
        while first.type in self.steps:
            first = first.children[0]
        return self.key_path(node) if first.type == "key_path_expression" else self.chain(node)

    def key_path(self, node: Node) -> int:
        """A path of members: a function that gives them of its argument."""
        spine: list[Node] = []
        while node.type != "key_path_expression":
            spine.append(node)
            node = node.children[0]
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            root = self.lower_each(node.children)
            annotation = root[0] if root else NONE
            self.code.bind("$0", BindingKind.PARAMETER, annotation=annotation)
            of = self.code.add(Op.NAME, name="$0")
            for one in reversed(spine):
                of = self.step(one, of)
            self.result(of)
        return self.function(scope, node)

    def step(self, node: Node, of: int) -> int:
        """One step of a chain."""
        kind = node.type
        for child in node.children[1:]:
            if child.type == "navigation_suffix":
                of = self.suffix(child, of)
            elif child.type == "call_suffix":
                of = self.call(child, of)
            elif child.is_named and kind == "call_expression":
                self.lower(child)
        return of

    def suffix(self, node: Node, of: int) -> int:
        """A member; `x.self` is x."""
        for child in children_of(node):
            if child.type == "simple_identifier":
                of = of if self.source.of(child) == "self" else self.member(of, child)
            elif child.type == "integer_literal":
                of = NONE if of == NONE else self.code.add(Op.PART, of, self.source.of(child)[:9])
            else:
                self.lower(child)
        return of

    def call(self, node: Node, of: int) -> int:
        """A call with arguments and closures, or an element."""
        items: list[Argument] = []
        is_element = is_slice = False
        label = ""
        for child in node.children:
            kind = child.type
            if kind == "value_arguments":
                is_slice = any(
                    part.type.endswith("range_expression")
                    for one in children_of(child)
                    for part in children_of(one)
                )
                is_element = bool(child.children) and child.children[0].type == "["
                items += self.argument_list(child)
            elif kind == "simple_identifier":
                label = self.spelled(child)
            elif kind == "type_arguments":
                of = self.apply(of, child)
            elif child.is_named and not child.is_extra:
                items.append(Argument(self.lower(child), label))
                label = ""
        if is_element and is_slice:
            return of
        if of in self._types and not is_element:
            return self.cast(NONE, of)
        return self.code.add(Op.INDEX if is_element else Op.CALL, of, items=items)

    def argument_list(self, node: Node) -> list[Argument]:
        """Arguments with their labels."""
        items: list[Argument] = []
        for child in children_of(node):
            if child.type != "value_argument":
                items.append(Argument(self.lower(child)))
                continue
            name, value = "", NONE
            for part in children_of(child):
                if part.type == "value_argument_label":
                    inner = children_of(part)
                    name = self.spelled(inner[0]) if inner else ""
                else:
                    number = self.lower(part)
                    value = number if number != NONE else value
            items.append(Argument(value, name))
        return items

    def constructor(self, node: Node) -> int:
        """A call of a type with arguments."""
        of = NONE
        items: list[Argument] = []
        for child in children_of(node):
            if child.type == "constructor_suffix":
                for inner in children_of(child):
                    if inner.type == "value_arguments":
                        items += self.argument_list(inner)
                    else:
                        items.append(Argument(self.lower(inner)))
            else:
                of = self.lower(child)
        return self.code.add(Op.CALL, of, items=items)

    def prefix_expression(self, node: Node) -> int:
        """`.name` is a member of nothing; a sign changes no type."""
        last = node.children[-1]
        if node.children[0].type == "." and last.type == "simple_identifier":
            of, self._applied = self._applied, NONE
            value = self.member(of, last)
            if self._compared[1] == node.start_byte:
                self.store(self._compared[0], value)
            return value
        return self.lower(last)

    def as_expression(self, node: Node) -> int:
        """A value as one of a type."""
        numbers = [self.lower(child) for child in children_of(node) if child.type != "as_operator"]
        return self.cast(numbers[0], numbers[-1]) if len(numbers) > 1 else NONE

    def either_child(self, node: Node) -> int:
        """One of several values."""
        values = self.lower_each(node.children)
        self.like(values[0] if values else NONE, values[-1] if values else NONE)
        return self.either(values)

    def ternary(self, node: Node) -> int:
        """A condition and two values."""
        values = [self.lower(child) for child in children_of(node)]
        return self.either(values[1:])

    def tuple_expression(self, node: Node) -> int:
        """A tuple, or a value in parentheses."""
        items: list[Argument] = []
        label = ""
        children = [child for child in node.children if not child.is_extra]
        for at, child in enumerate(children):
            if not child.is_named:
                continue
            if child.type == "simple_identifier" and children[at + 1].type == ":":
                label = self.spelled(child)
                continue
            items.append(Argument(self.lower(child), label))
            label = ""
        if len(items) == 1 and not items[0].name:
            return items[0].value
        return self.code.add(Op.TUPLE, items=items) if items else NONE

    def dictionary_literal(self, node: Node) -> int:
        """A dictionary; only the values are kept."""
        items: list[Argument] = []
        is_value = False
        for child in node.children:
            if child.type in {":", ","}:
                is_value = child.type == ":"
            elif child.is_named and not child.is_extra:
                number = self.lower(child)
                if is_value:
                    items.append(Argument(number))
        value = self.code.add(Op.DICT, items=items)
        return self.cast(value, self.code.add(Op.NAME, name="Dictionary"))

    def assignment(self, node: Node) -> int:
        """A value is stored."""
        numbers = [self.lower(child) for child in children_of(node)]
        if len(numbers) > 1 and any(child.type == "=" for child in node.children):
            self.store(numbers[0], numbers[-1])
        return NONE

    def macro_call(self, node: Node) -> int:
        """`#name(…)`."""
        of = NONE
        for child in children_of(node):
            if child.type == "simple_identifier":
                of = self.name(child)
            elif child.type == "call_suffix":
                of = self.call(child, of)
            else:
                self.lower(child)
        return of

    # closures

    def closure(self, node: Node) -> int:
        """An anonymous function."""
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            has_parameters = False
            for child in children_of(node):
                kind = child.type
                if kind == "lambda_function_type":
                    has_parameters = self.closure_type(child) or has_parameters
                elif kind == "capture_list":
                    self.captures(child)
                elif kind == "statements":
                    if not has_parameters:
                        self.shorthand(child)
                    self.body(child)
                else:
                    self.lower(child)
        return self.function(scope, node)

    def captures(self, node: Node) -> None:
        """Values that a closure keeps."""
        for child in children_of(node):
            parts = [one for one in children_of(child) if one.type != "ownership_modifier"]
            if not parts:
                continue
            name = parts[0]
            if self.source.of(name) == "self":
                self.lower_each(parts[1:])
            elif len(parts) > 1:
                self.bind_name(name, value=self.lower(parts[-1]))
            else:
                self.lower(name)

    def closure_type(self, node: Node) -> bool:
        """The parameters of a closure; whether it declares any."""
        found = False
        for child in children_of(node):
            if child.type != "lambda_function_type_parameters":
                self.lower(child)
                continue
            for one in children_of(child):
                found = True
                parts = children_of(one)
                if not parts:
                    continue
                names = [part for part in parts if part.type == "simple_identifier"]
                types = self.lower_each([part for part in parts if part not in names])
                declared = types[-1] if types else NONE
                self.bind_name(names[-1] if names else None, BindingKind.PARAMETER, NONE, declared)
        return found

    def shorthand(self, node: Node) -> None:
        """Bind the parameters that a closure uses without declaring them."""
        end = min(node.end_byte, node.start_byte + _LONGEST)
        text = self.source.text[node.start_byte : end]
        if "$" in text:
            last = max(map(int, (one[1] for one in _SHORTHAND.findall(text))), default=-1)
            for number in range(last + 1):
                self.code.bind(f"${number}", BindingKind.PARAMETER)

    def body(self, node: Node | None) -> None:
        """The statements of a body, whose only expression is its result."""
        children = [child for child in children_of(node) if child.type != "directive"]
        numbers = [self.lower(child) for child in children]
        if len(numbers) == 1:
            self.result(numbers[0])

    # the type that a chain begins with which is read as two comparisons
    _applied = NONE

    def binary(self, node: Node) -> int:
        """Operators; `A<B>.f()` is read as two comparisons."""
        if node.type == "comparison_expression" and len(node.children) == _OF_OPERATOR:
            one, less, right = node.children
            if less.type == "<" and right.type == node.type and _begins_with_member(right):
                argument = self.lower(right.children[0])
                items = [Argument(argument)] if argument != NONE else []
                before, self._applied = (
                    self._applied,
                    self.code.add(Op.APPLY, self.lower(one), items=items),
                )
                value = self.lower(right.children[-1])
                self._applied = before
                return value
        if node.type != "equality_expression":
            return super().binary(node)
        value = self.lower(node.children[0])
        # `a == .b || c` is read as a comparison with all that follows
        outer, self._compared = self._compared, (value, node.children[-1].start_byte)
        other = self.lower(node.children[-1])
        self._compared = outer
        return self.operation(node.children[1].type, value, other)

    # what is compared with what begins at a place
    _compared = (NONE, NONE)

    def like(self, one: int, other: int) -> None:
        """Have `.name` be looked up in the type of the other operand."""
        left = other
        while left != NONE and self.code.expression(left).op in {Op.CALL, Op.MEMBER}:
            item = self.code.expression(left)
            if item.op == Op.MEMBER and item.of == NONE:
                self.store(one, other)
                return
            left = item.of

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator."""
        if operator in self.truths:
            self.like(left, right)
            self.like(right, left)
            return self.literal("bool")
        kinds = {self.code.expression(one).op for one in (left, right) if one != NONE}
        return left if kinds == {Op.LITERAL} else super().operation(operator, left, right)
