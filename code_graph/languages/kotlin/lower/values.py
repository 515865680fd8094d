"""Lowers expressions and types of Kotlin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.treesitter.code.declared_types import ShownType, children_of
from code_graph.treesitter.code.quoted_names import QuotedNames

if TYPE_CHECKING:
    from tree_sitter import Node


_CHAIN: Final = frozenset({"call_expression", "navigation_expression", "index_expression"})
_CONSTANTS: Final = {"true": "bool", "false": "bool", "null": "none"}
# conditions that are taken apart for what `is` shows
_MOST_PARTS: Final = 20


class KotlinValues(QuotedNames):
    """Expressions and types."""

    names: ClassVar[frozenset[str]] = frozenset({"identifier"})

    def begin(self) -> None:
        """Begin without local variables."""
        super().begin()
        # the names of parameters and local variables so far
        self._local: set[str] = set()
        self._around = 0  # the scope around the innermost branch

    # names

    def variable(
        self, node: Node | None, value: int, declared: int, kind: BindingKind = BindingKind.ASSIGNED
    ) -> None:
        """Bind a parameter or local variable."""
        if node is not None:
            text, here = self.spelled(node), self.code.binding_scope()
            self._local.add(text)
            self._shown = tuple(one for one in self._shown if one[:2] != (text, here))
            self.bind_name(node, kind, value, declared)

    def identifier(self, node: Node) -> int:
        """A name; constants are names for the grammar."""
        constant = _CONSTANTS.get(self.source.of(node)) if node.child_count == 0 else None
        return self.name(node) if constant is None else self.literal(constant)

    def this_expression(self, node: Node) -> int:
        """The object of a class, an extension or a function literal; `this@A` is the one of A."""
        of = self.code.add(Op.NAME, name="this")
        labels = children_of(node)
        return self.cast(of, self.name(labels[-1])) if labels else of

    def super_expression(self, node: Node) -> int:
        """The same object as an object of its base; `super<A>` is an A."""
        of = self.super(node)
        types = [self.lower(child) for child in children_of(node) if child.type == "user_type"]
        return self.cast(of, types[0]) if types else of

    # types

    def user_type(self, node: Node) -> int:
        """A type by its name, maybe in another one and with arguments."""
        of = NONE
        for child in children_of(node):
            if child.type == "identifier":
                of = self.name(child) if of == NONE else self.member(of, child)
            elif child.type == "type_arguments":
                of = self.apply(of, child)
            else:
                self.lower(child)
        return of

    def function_type(self, node: Node) -> int:
        """The type of a function; one with a receiver has it as its first parameter."""
        items: list[Argument] = []
        result = NONE
        for child in children_of(node):
            if child.type == "function_type_parameters":
                for one in children_of(child):
                    typed = children_of(one)[-1] if one.type == "parameter" else one
                    items.append(Argument(self.lower(typed)))
            elif child.type != "type_modifiers":
                number = self.lower(child)
                is_receiver = any(one.type == "." for one in node.children) and not items
                if is_receiver and result == NONE and child.end_byte < _arrow(node):
                    items.append(Argument(number, "this"))
                else:
                    result = number
        return self.code.add(Op.CALLABLE, result, items=items)

    # members, calls, objects

    def chain(self, node: Node) -> int:
        """Calls, members and elements; a chain of them is no nest."""
        spine: list[tuple[Node, Node | None]] = []
        first = node
        while first.type in _CHAIN and first.children:
            inner = first.children[0]
            # a lambda behind the parentheses of a call is its last argument
            if first.type == "call_expression" and _is_cut(first, inner):
                spine.append((first, inner))
                first = inner.children[0]
            else:
                spine.append((first, None))
                first = inner
        # the grammar binds a sign before a chain to its first name
        is_signed = first.type == "unary_expression" and not first.children[0].is_named
        of = self.lower(first.children[-1] if is_signed else first)
        for one, inner_call in reversed(spine):
            if one.type == "call_expression":
                of = self.call(one, inner_call, of)
            elif one.type == "index_expression":
                items = [Argument(self.lower(child)) for child in children_of(one)[1:]]
                of = self.code.add(Op.INDEX, of, items=items)
            else:
                of = self.navigation(one, of)
            if self._broken and one.has_error:
                self.lower_errors(one)
        return self.literal("bool") if is_signed and first.children[0].type == "!" else of

    def navigation(self, node: Node, of: int) -> int:
        """A member; of `A::class` nothing is known."""
        last = node.children[-1]
        if last.type != "identifier":
            return NONE
        if self.source.of(last) == "class" and any(one.type == "::" for one in node.children):
            return NONE
        return self.member(of, last)

    def call(self, node: Node, inner: Node | None, of: int) -> int:
        """A call with arguments and function literals."""
        items: list[Argument] = []
        for child in [*(inner.children[1:] if inner is not None else ()), *node.children[1:]]:
            if child.type == "type_arguments":
                of = self.apply(of, child)
            elif child.type == "value_arguments":
                items += self.argument_list(child)
            elif child.is_named and not child.is_extra:
                items.append(Argument(self.lower(child)))
        return self.code.add(Op.CALL, of, items=items)

    def argument_list(self, node: Node) -> list[Argument]:
        """Arguments with their names; `*` marks one that is spread."""
        items: list[Argument] = []
        for child in children_of(node):
            name = ""
            parts = children_of(child) if child.type == "value_argument" else [child]
            if any(one.type == "=" for one in child.children) and len(parts) > 1:
                name, parts = self.spelled(parts[0]), parts[1:]
            values = [self.lower(part) for part in parts]
            if parts and parts[-1].type == "spread_expression":
                name = "*"
            items.append(Argument(values[-1] if values else NONE, name))
        return items

    def constructor_invocation(self, node: Node) -> int:
        """A call of the base's constructor, or of an annotation's."""
        of = NONE
        items: list[Argument] = []
        for child in children_of(node):
            if child.type == "value_arguments":
                items = self.argument_list(child)
            else:
                of = self.lower(child)
        return self.code.add(Op.CALL, of, items=items)

    def callable_reference(self, node: Node) -> int:
        """A function as a value."""
        names = children_of(node)
        return self.lower(names[-1]) if names else NONE

    # operators

    def unary(self, node: Node) -> int:
        """A sign changes no type; `!` gives a truth value."""
        value = self.pass_through(node)
        is_not = bool(node.children) and node.children[0].type == "!"
        return self.literal("bool") if is_not else value

    def binary(self, node: Node) -> int:
        """Operators; a call with a type argument, `f<T>(x)`, is two of them for the grammar."""
        inner = node.children[0]
        if inner.type == "binary_expression" and _is_call(self.source.text, node, inner):
            of = self.lower(inner.children[0])
            items = [Argument(self.lower(inner.children[-1]))]
            of = self.code.add(Op.APPLY, of, items=items)
            given = [Argument(self.lower(one)) for one in children_of(node.children[-1])]
            return self.code.add(Op.CALL, of, items=given)
        return super().binary(node)

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator."""
        if operator == "?:":
            return self.either([left, right])
        return super().operation(operator, left, right)

    def infix(self, node: Node) -> int:
        """`a f b` is `a.f(b)`."""
        parts = children_of(node)
        left = self.lower(parts[0])
        of = self.member(left, parts[1])
        return self.code.add(Op.CALL, of, items=[Argument(self.lower(one)) for one in parts[2:]])

    def as_expression(self, node: Node) -> int:
        """A value as one of a type."""
        numbers = [self.lower(child) for child in children_of(node)]
        return self.cast(numbers[0], numbers[-1]) if len(numbers) > 1 else NONE

    def assignment(self, node: Node) -> int:
        """A value is stored."""
        parts = children_of(node)
        target = self.lower(parts[0])
        value = self.lower(parts[-1]) if len(parts) > 1 else NONE
        if any(child.type == "=" for child in node.children):
            is_member = target != NONE and self.code.expression(target).op == Op.MEMBER
            if is_member and value != NONE:  # a setter of Java, whatever the value is
                self.code.store(target, value)
            else:
                self.store(target, value)
        if parts[0].type == "identifier":
            name = self.spelled(parts[0])
            ended = [one for one in self._shown if one.name == name]
            self.end_shown(ended, ended[0].outside if ended else NONE)
        return NONE

    def string(self, node: Node) -> int:
        """A string, maybe with values in it."""
        self.lower_each(children_of(node))
        return self.literal("str")

    # conditions

    @contextmanager
    def shown(self, node: Node | None) -> Iterator[None]:
        """A branch, with the types that its condition shows."""
        self._around = self.code.scope
        with self.showing():
            left, count = [] if node is None else [node], 0
            while left and count < _MOST_PARTS:
                one, count = left.pop(), count + 1
                signs = {child.type for child in one.children if not child.is_named}
                is_both = one.type == "binary_expression" and "&&" in signs
                if is_both or one.type == "parenthesized_expression":
                    left += children_of(one)
                elif one.type == "is_expression" and "is" in signs:
                    parts = children_of(one)
                    self.show(parts[0], parts[-1])
            yield

    def show(self, name: Node, declared: Node) -> bool:
        """A local variable as one of a type, in the branch that is open; whether it is one."""
        text = self.spelled(name)
        if name.type != "identifier" or text not in self._local or declared == name:
            return False
        self.bind_shown(name, declared)
        branch, self.code.scope = self.code.scope, self._around
        self._shown += (ShownType(text, branch, self.code.add(Op.NAME, name=text)),)
        self.code.scope = branch
        return True

    def if_expression(self, node: Node) -> int:
        """A condition and its branches, each of which may give the value."""
        values: list[int] = []
        left: Node | None = node
        while left is not None:
            condition = left.child_by_field_name("condition")
            self.lower(condition)
            branches = [child for child in children_of(left) if child != condition]
            has_else = any(child.type == "else" for child in left.children)
            left = None
            for at, branch in enumerate(branches):
                is_else = has_else and at == len(branches) - 1
                if is_else and branch.type == "if_expression":
                    left = branch
                    continue
                with self.shown(None if is_else else condition):
                    values.append(self.block_value(branch))
        return self.either(values)

    def block_value(self, node: Node) -> int:
        """The value of a branch: its last expression."""
        if node.type not in {"block", "control_structure_body"}:
            return self.lower(node)
        numbers = [self.lower(child) for child in children_of(node)]
        return numbers[-1] if numbers else NONE

    def when_expression(self, node: Node) -> int:
        """Branches by conditions; `is` shows the subject's type."""
        values: list[int] = []
        subject: Node | None = None
        with self.flow(ScopeKind.BLOCK):
            for child in children_of(node):
                if child.type == "when_subject":
                    subject = self.when_subject(child)
                elif child.type == "when_entry":
                    values.append(self.when_entry(child, subject))
                else:
                    self.lower(child)
        return self.either(values)

    def when_subject(self, node: Node) -> Node | None:
        """The name of the subject, if it has one; one may be declared there."""
        parts = children_of(node)
        declared = next((one for one in parts if one.type == "variable_declaration"), None)
        if declared is None:
            self.lower_each(parts)
            return parts[0] if parts else None
        names = children_of(declared)
        types = self.lower_each(names[1:])
        value = self.lower(parts[-1])
        self.variable(names[0] if names else None, value, types[0] if types else NONE)
        return names[0] if names else None

    def when_entry(self, node: Node, subject: Node | None) -> int:
        """One branch."""
        conditions = node.children_by_field_name("condition")
        for one in conditions:
            if one.type != "type_test":
                self.lower(one)
        only = conditions[0] if len(conditions) == 1 else None
        rest = [child for child in children_of(node) if child not in conditions]
        with self.shown(only):
            for one in conditions:
                if one.type == "type_test":
                    self.type_test(one, subject if one == only else None)
            values = [self.block_value(child) for child in rest]
        return values[-1] if values else NONE

    def type_test(self, node: Node, subject: Node | None) -> None:
        """`is T` in a branch."""
        parts = children_of(node)
        is_shown = subject is not None and parts and node.children[0].type == "is"
        if subject is None or not is_shown or not self.show(subject, parts[-1]):
            self.lower_each(parts)

    def try_expression(self, node: Node) -> int:
        """A block with handlers, each of which may give the value."""
        values: list[int] = []
        for child in children_of(node):
            if child.type == "catch_block":
                values.append(self.catch_block(child))
            elif child.type == "finally_block":
                self.lower_each(child.children)
            else:
                with self.flow(ScopeKind.BLOCK):
                    values.append(self.block_value(child))
        return self.either(values)

    def catch_block(self, node: Node) -> int:
        """A handler with its exception."""
        value = NONE
        with self.flow(ScopeKind.BRANCH, ScopeKind.BLOCK):
            name = next((one for one in children_of(node) if one.type == "identifier"), None)
            for child in children_of(node):
                if child.type == "block":
                    value = self.block_value(child)
                elif child != name:
                    self.variable(name, NONE, self.lower(child))
        return value

    def return_expression(self, node: Node) -> int:
        """A result of the function around; a label may name a function literal."""
        label = node.child_by_field_name("label")
        rest = [child for child in children_of(node) if child != label]
        values = [self.lower(child) for child in rest]
        if values:
            self.result(values[-1])
        return NONE

    # functions

    def function_literal(self, node: Node) -> int:
        """An anonymous function; without parameters it has one, `it`."""
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            parameters = next((c for c in node.children if c.type == "lambda_parameters"), None)
            if not any(child.type == "->" for child in node.children):
                self.code.bind("it", BindingKind.PARAMETER)
                self._local.add("it")
            for one in children_of(parameters):
                self.parameter_of_literal(one)
            rest = [child for child in children_of(node) if child != parameters]
            numbers = [self.lower(child) for child in rest]
            if numbers:
                self.result(numbers[-1])
        return self.function(scope, node)

    def parameter_of_literal(self, node: Node) -> None:
        """A parameter of a function literal, which may be taken apart."""
        if node.type == "variable_declaration":
            names = children_of(node)
            types = self.lower_each(names[1:])
            declared = types[0] if types else NONE
            self.variable(names[0] if names else None, NONE, declared, BindingKind.PARAMETER)
        elif node.type == "multi_variable_declaration":
            self.code.bind("(", BindingKind.PARAMETER)
            self.parts(node, self.code.add(Op.NAME, name="("))

    def parts(self, node: Node, value: int) -> None:
        """Variables for the parts of a value."""
        for position, child in enumerate(children_of(node)):
            names = children_of(child)
            types = self.lower_each(names[1:])
            part = NONE if value == NONE else self.code.add(Op.PART, value, str(position))
            self.variable(names[0] if names else None, part, types[0] if types else NONE)


def _arrow(node: Node) -> int:
    return next((child.start_byte for child in node.children if child.type == "->"), 0)


def _is_cut(node: Node, inner: Node) -> bool:
    """True if a call repeats the call in it with a function literal behind."""
    if inner.type != "call_expression" or not inner.children:
        return False
    is_last = node.children[-1].type == "annotated_lambda" and len(node.children) == len("()")
    return is_last and inner.children[-1].type == "value_arguments"


def _is_call(text: str, node: Node, inner: Node) -> bool:
    """True if `f<T>(x)` is written as a call is, without blanks."""
    last = node.children[-1]
    signs = inner.children[1].type, node.children[1].type
    if signs != ("<", ">") or last.type != "parenthesized_expression":
        return False
    begin, end = inner.children[0].end_byte, last.start_byte
    return text[begin : begin + 2].strip() == text[begin : begin + 2] and text[end - 1] == ">"
