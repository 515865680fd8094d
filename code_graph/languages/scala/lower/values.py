"""Lowers expressions, patterns and types of Scala."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.treesitter.code.declared_types import children_of
from code_graph.treesitter.code.quoted_names import QuotedNames

if TYPE_CHECKING:
    from tree_sitter import Node

_CHAIN: Final = frozenset({"call_expression", "field_expression", "generic_function"})
# the operands of an expression that a `_` in them makes a function literal
_OPERANDS: Final[Mapping[str, Sequence[int]]] = {
    "field_expression": (0,),
    "call_expression": (0,),
    "generic_function": (0,),
    "infix_expression": (0, -1),
    "prefix_expression": (-1,),
    "postfix_expression": (0,),
    "ascription_expression": (0,),
    "match_expression": (0,),
    "assignment_expression": (-1,),
}
_MOST_PLACEHOLDERS: Final = 200


def _placeholders(node: Node) -> int:
    """The number of `_` that stand for parameters of the function which an expression is."""
    left, found, seen = [node], 0, 0
    while left and seen < _MOST_PLACEHOLDERS:
        one, seen = left.pop(), seen + 1
        if one.type == "wildcard":
            found += 1
            continue
        children = children_of(one)
        left += [children[at] for at in _OPERANDS.get(one.type, ()) if children]
        if one.type == "call_expression" and children[-1].type == "arguments":
            left += [child for child in children_of(children[-1]) if child.type == "wildcard"]
        if one.type == "parenthesized_expression" and children:
            inner = children[0]
            is_typed = inner.type == "ascription_expression" and one != node
            left += children_of(inner)[:1] if is_typed else ()
    return found


class ScalaValues(QuotedNames):
    """Expressions, patterns and types."""

    names: ClassVar[frozenset[str]] = frozenset({"identifier", "type_identifier"})
    # the number of `_` so far in the function literal that is open
    _used = 0
    # true in a secondary constructor, where `this(…)` is another one
    _is_constructor = False

    # names and types

    def identifier(self, node: Node) -> int:
        """A name; `this` and `super` are names for the grammar."""
        text = self.source.text[node.start_byte : node.end_byte]
        if text == "this":
            return self.this(node)
        return self.super(node) if text == "super" else self.name(node)

    def path(self, node: Node) -> int:
        """Names with dots between them."""
        of = NONE
        for child in children_of(node):
            of = self.lower(child) if of == NONE else self.select(of, child)
        return of

    def select(self, of: int, node: Node) -> int:
        """A member; `A.this` is the object of a class around."""
        if self.source.of(node) == "this":
            return self.cast(self.this(node), of)
        return of if of == NONE else self.member(of, node)

    def generic(self, node: Node) -> int:
        """A type with its type arguments."""
        parts = children_of(node)
        return self.apply(self.lower(parts[0]), parts[-1])

    def apply(self, of: int, arguments: Node | None) -> int:
        """A generic with its type arguments."""
        given = children_of(arguments)
        items = [Argument(NONE if one.type == "wildcard" else self.lower(one)) for one in given]
        return self.code.add(Op.APPLY, of, items=items) if items and of != NONE else of

    def compound(self, node: Node) -> int:
        """A value of several types at once."""
        return self.either(self.lower_each(children_of(node)))

    def infix_type(self, node: Node) -> int:
        """`A op B` is `op[A, B]`."""
        left, operator, right = children_of(node)[:3]
        items = [Argument(self.lower(left)), Argument(self.lower(right))]
        return self.code.add(Op.APPLY, self.lower(operator), items=items)

    def tuple_of(self, node: Node) -> int:
        """A tuple of values or types."""
        return self.code.add(
            Op.TUPLE, items=[Argument(self.value(one)) for one in children_of(node)]
        )

    def function_type(self, node: Node) -> int:
        """The type of a function."""
        parts = children_of(node)
        items = [Argument(self.lower(one)) for one in children_of(parts[0])]
        if parts[0].type != "parameter_types":
            items = [Argument(self.lower(parts[0]))]
        return self.code.add(Op.CALLABLE, self.lower(parts[-1]), items=items)

    # values

    def value(self, node: Node | None) -> int:
        """An expression; one with `_` in it is a function literal."""
        count = 0 if node is None or node.type == "wildcard" else _placeholders(node)
        if node is None or not count:
            return self.lower(node)
        before, self._used = self._used, 0
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            for number in range(count):
                self.code.bind(f"_{number}", BindingKind.PARAMETER)
            self.result(self.lower(node))
        self._used = before
        return self.function(scope, node)

    def placeholder(self, node: Node) -> int:
        """A parameter that has no name."""
        del node
        self._used += 1
        return self.code.add(Op.NAME, name=f"_{self._used - 1}")

    def chain(self, node: Node) -> int:
        """Calls, members and type arguments; a chain of them is no nest."""
        spine: list[Node] = []
        first = node
        while first.type in _CHAIN and first.children:
            spine.append(first)
            first = first.children[0]
        lists: list[Node] = []
        while first.type == "instance_expression" and spine[-1:]:
            if spine[-1].type != "call_expression":
                break
            lists.append(spine.pop().children[-1])
        if first.type == "infix_expression" and not lists:
            return self.infix(first, spine)
        return self.continued(self.made(first, lists) if lists else self.lower(first), spine)

    def continued(self, of: int, spine: Sequence[Node]) -> int:
        """A chain on a value, the last step first; `f[A]` alone calls `f`."""
        for at, one in enumerate(reversed(spine)):
            last = one.children[-1]
            if one.type == "call_expression":
                of = self.call(of, last)
            elif one.type == "field_expression":
                of = self.select(of, last)
            elif of != NONE:
                of = self.apply(of, last)
                behind = spine[-at - 2].type if at + 1 < len(spine) else ""
                if behind != "call_expression":
                    of = self.code.add(Op.CALL, of)
            if self._broken and one.has_error:
                self.lower_errors(one)
        return of

    def call(self, of: int, arguments: Node) -> int:
        """A call; one of a call has the arguments of that, too."""
        items: list[Argument] = []
        if of != NONE and self.code.expression(of).op == Op.CALL:
            items += self.code.expression(of).items
        items += self.argument_list(arguments)
        if of != NONE and self.code.expression(of).op == Op.THIS and not self._is_constructor:
            of = self.code.add(Op.MEMBER, of, "apply")
        return self.code.add(Op.CALL, of, items=items)

    def argument_list(self, node: Node) -> list[Argument]:
        """Arguments with their names; `*` marks one that is spread."""
        if node.type != "arguments":
            return [Argument(self.value(node))]
        items: list[Argument] = []
        for child in children_of(node):
            parts = children_of(child)
            if child.type == "assignment_expression" and parts[0].type == "identifier":
                items.append(Argument(self.value(parts[-1]), self.spelled(parts[0])))
            elif child.type == "vararg":
                items.append(Argument(self.value(parts[0]), "*"))
            else:
                items.append(Argument(self.value(child)))
        return items

    def infix(self, node: Node, behind: Sequence[Node] = ()) -> int:
        """`a op b` is `a.op(b)`; a chain of them is no nest.

        The grammar takes `a op b[C].d` for steps `behind` that `a op b` has: they are those of `b`.
        """
        spine = [node]
        while spine[-1].children[0].type == "infix_expression":
            spine.append(spine[-1].children[0])
        left = self.lower(spine[-1].children[0])
        for one in reversed(spine):
            parts = children_of(one)
            operator, right = parts[1], parts[-1]
            text = self.source.of(operator)
            if behind and one == node:
                of = self.member(left, operator) if left != NONE else NONE
                value = Argument(self.continued(self.lower(right), behind))
                if text == "->":
                    return self.code.add(Op.TUPLE, items=[Argument(left), value])
                left = self.code.add(Op.CALL, of, items=[value])
            elif text.endswith(":"):
                of = self.value(right)
                of = self.member(of, operator) if of != NONE else NONE
                left = self.code.add(Op.CALL, of, items=[Argument(left)])
            elif text == "->":
                items = [Argument(left), Argument(self.value(right))]
                left = self.code.add(Op.TUPLE, items=items)
            else:
                of = self.member(left, operator) if left != NONE else NONE
                several = children_of(right) if right.type == "tuple_expression" else [right]
                items = [Argument(self.value(each)) for each in several]
                left = self.code.add(Op.CALL, of, items=items)
        return left

    def prefix(self, node: Node) -> int:
        """A sign changes no type; `!` gives a truth value."""
        value = self.lower(node.children[-1])
        return self.literal("bool") if self.source.of(node.children[0]) == "!" else value

    def postfix(self, node: Node) -> int:
        """`a op` is `a.op`."""
        parts = children_of(node)
        of = self.lower(parts[0])
        return self.select(of, parts[-1]) if len(parts) > 1 else of

    def instance(self, node: Node) -> int:
        """A new object."""
        return self.made(node, ())

    def made(self, node: Node, lists: Sequence[Node]) -> int:
        """A new object, with further lists of arguments."""
        parts = children_of(node)
        if parts and parts[-1].type.endswith("template_body"):
            return self.unnamed(node)
        of = self.lower(parts[0]) if parts else NONE
        every = [*(one for one in parts[1:] if one.type == "arguments"), *lists]
        items = [item for one in every for item in self.argument_list(one)]
        return self.new(of, items, self._last_name(parts[0]) if parts else node)

    def unnamed(self, node: Node) -> int:
        """An object of a class without a name."""
        raise NotImplementedError

    @staticmethod
    def _last_name(node: Node) -> Node:
        while node.named_children and node.type != "type_identifier":
            is_path = node.type == "stable_type_identifier"
            node = node.named_children[-1 if is_path else 0]
        return node

    def assignment(self, node: Node) -> int:
        """A value is stored."""
        parts = children_of(node)
        target = self.lower(parts[0])
        self.store(target, self.value(parts[-1]))
        return NONE

    def parenthesized(self, node: Node) -> int:
        """An expression in parentheses."""
        parts = children_of(node)
        return self.value(parts[0]) if len(parts) == 1 else self.opaque(node)

    def ascription(self, node: Node) -> int:
        """A value as one of a type."""
        parts = children_of(node)
        of = self.lower(parts[0])
        return of if parts[-1].type == "annotation" else self.cast(of, self.lower(parts[-1]))

    def string(self, node: Node) -> int:
        """A text, maybe with values in it."""
        for child in children_of(node):
            if child.type == "interpolated_string":
                self.lower_each(child.children)
        return self.literal("str")

    # control flow

    def if_expression(self, node: Node) -> int:
        """A condition and its branches, each of which may give the value."""
        values: list[int] = []
        left: Node | None = node
        while left is not None:
            self.value(left.child_by_field_name("condition"))
            with self.flow(ScopeKind.BRANCH):
                values.append(self.value(left.child_by_field_name("consequence")))
            left = left.child_by_field_name("alternative")
            if left is not None and left.type != "if_expression":
                with self.flow(ScopeKind.BRANCH):
                    values.append(self.value(left))
                left = None
        return self.either(values)

    def match_expression(self, node: Node) -> int:
        """Cases, each of which may give the value."""
        subject = self.value(node.child_by_field_name("value"))
        return self.cases(node.child_by_field_name("body"), subject)

    def partial_function(self, node: Node) -> int:
        """A function literal of cases."""
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            self.code.bind("(", BindingKind.PARAMETER)
            self.result(self.cases(node, self.code.add(Op.NAME, name="(")))
        return self.function(scope, node)

    def cases(self, node: Node | None, subject: int) -> int:
        """The value of the cases of a block."""
        values: list[int] = []
        for clause in children_of(node):
            with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
                value = NONE
                for at, child in enumerate(clause.children):
                    if not child.is_named or child.is_extra:
                        continue
                    if clause.field_name_for_child(at) == "pattern":
                        self.pattern(child, subject)
                    else:
                        value = self.value(child)
                values.append(value)
        return self.either(values)

    def try_expression(self, node: Node) -> int:
        """A block with handlers, each of which may give the value."""
        values: list[int] = []
        for child in children_of(node):
            if child.type == "catch_clause":
                handler = children_of(child)[-1]
                is_cases = handler.type in {"case_block", "indented_cases"}
                values.append(self.cases(handler, NONE) if is_cases else self.lower(handler))
            elif child.type == "finally_clause":
                self.lower_each(child.children)
            else:
                values.append(self.value(child))
        return self.either(values)

    def for_expression(self, node: Node) -> int:
        """Generators with their variables, and the value that they yield."""
        first, value = NONE, NONE
        with self.flow(ScopeKind.BLOCK, ScopeKind.LOOP):
            for child in children_of(node):
                if child.type != "enumerators":
                    value = self.value(child)
                    continue
                for one in children_of(child):
                    given = self.enumerator(one)
                    first = given if first == NONE else first
        if NONE in {first, value} or all(one.type != "yield" for one in node.children):
            return NONE
        of = self.code.add(Op.TUPLE, items=(Argument(first), Argument(value)))
        return self.code.add(Op.PART, of, "yield")

    def enumerator(self, node: Node) -> int:
        """One generator, definition or guard; what it goes through."""
        parts = [one for one in children_of(node) if one.type != "guard"]
        guards = [one for one in children_of(node) if one.type == "guard"]
        given = NONE
        if len(parts) > 1:
            given = value = self.value(parts[-1])
            if any(child.type in {"<-", "←"} for child in node.children) and value != NONE:
                value = self.code.add(Op.ELEMENT, value)
            self.pattern(parts[0], value)
        for one in guards if parts else [node]:
            self.lower_each(one.children)
        return given

    def return_expression(self, node: Node) -> int:
        """A result of the function around."""
        for child in children_of(node):
            self.result(self.value(child))
        return NONE

    def block(self, node: Node) -> int:
        """Statements, the last of which is the value."""
        with self.flow(ScopeKind.BLOCK):
            return self.statements(children_of(node))

    def statements(self, nodes: Sequence[Node]) -> int:
        """The value of the last statement."""
        value = NONE
        for child in nodes:
            value = self.value(child)
        return value

    def function_literal(self, node: Node) -> int:
        """A function with its parameters."""
        children = list(node.children)
        arrow = next((at for at, one in enumerate(children) if one.type in {"=>", "?=>"}), 0)
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            for child in children[:arrow]:
                each = children_of(child) if child.type == "bindings" else [child]
                for one in each if child.is_named else ():
                    self.parameter_of_literal(one)
            rest = [one for one in children[arrow + 1 :] if one.is_named and not one.is_extra]
            self.result(self.statements(rest))
        return self.function(scope, node)

    def parameter_of_literal(self, node: Node) -> None:
        """Bind a parameter of a function literal."""
        name = node.child_by_field_name("name") if node.type == "binding" else node
        declared = self.lower(node.child_by_field_name("type"))
        if name is None or name.type == "wildcard":
            self.code.bind("_", BindingKind.PARAMETER, annotation=declared)
        else:
            self.bind_name(name, BindingKind.PARAMETER, NONE, declared)

    # patterns

    def variable(self, node: Node, value: int, declared: int = NONE) -> None:
        """Bind a variable."""
        self.bind_name(node, BindingKind.ASSIGNED, value, declared)

    def pattern(self, node: Node, value: int) -> int:
        """Bind the variables of a pattern; the value as what the pattern shows that it is."""
        kind, parts = node.type, children_of(node)
        if kind == "identifier":
            text = self.source.of(node)
            if text[0] == "`" or not (text[0].islower() or text[0] == "_"):
                self.name(node)
            else:
                self.variable(node, value)
        elif kind == "typed_pattern":
            value = self.cast(value, self.lower(parts[-1]))
            self.pattern(parts[0], value)
        elif kind == "capture_pattern":
            value = self.pattern(parts[-1], value)
            self.variable(parts[0], value)
        elif kind == "case_class_pattern":
            value = self.cast(value, self.lower(parts[0]))
            self.parts(parts[1:], value)
        elif kind == "tuple_pattern" and len(parts) > 1:
            self.parts(parts, value)
        elif kind in {"alternative_pattern", "tuple_pattern", "repeat_pattern", "identifiers"}:
            for part in parts:
                self.pattern(part, value)
        elif kind == "infix_pattern":
            self.infix_pattern(parts, value)
        elif kind not in {"wildcard", "annotation"}:
            self.lower(node)
        return value

    def infix_pattern(self, parts: Sequence[Node], value: int) -> None:
        """`a :: b` is an element and the rest; another operator is a class with two parts."""
        left, operator, right = parts[:3]
        text = self.source.of(operator)
        if text in {"::", "+:", ":+"} and value != NONE:
            element = self.code.add(Op.ELEMENT, value)
            self.pattern(left, value if text == ":+" else element)
            self.pattern(right, element if text == ":+" else value)
        else:
            self.parts([left, right], self.cast(value, self.name(operator)))

    def parts(self, nodes: Sequence[Node], value: int) -> None:
        """Variables for the parts of a value."""
        for position, node in enumerate(nodes):
            part = NONE if value == NONE else self.code.add(Op.PART, value, str(position))
            if node.type == "repeat_pattern":
                part = value
            self.pattern(node, part)
