"""Lowers expressions and types of Go.

Pointers are what they point to. A slice or array is a LIST of its element, `map[K]V` and `chan T`
are an APPLY of the name `map` or `chan`, which has no place, and receiving from a channel gives its
ELEMENT. An iteration gives a PART `key` besides the ELEMENT.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.treesitter.code.declared_types import DeclaredTypes

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.declared_types import Step

_new: Final = tuple.__new__
# calls of these give a value of the type, or the first argument
_MAKERS: Final = frozenset({"make", "new"})
_APPEND: Final = "append"
_TYPE_NAMES: Final = frozenset({"identifier", "type_identifier", "field_identifier"})
# children of a call without type arguments
_PLAIN_CALL: Final = 2
# composite literals may nest as deeply as nodes
_TOO_DEEP: Final = 120


class GoValues(DeclaredTypes):
    """Expressions and types."""

    def identifier(self, node: Node) -> int:
        """A name; none for the blank one."""
        if node.end_byte - node.start_byte == 1 and self.source.of(node) == "_":
            return NONE
        return self.name(node)

    # types

    def qualified_type(self, node: Node) -> int:
        """A type of a package."""
        return self.member(self.lower(node.children[0]), node.children[-1])

    def list_type(self, node: Node) -> int:
        """A slice or array."""
        self.lower(node.child_by_field_name("length"))
        return self.list_of([self.lower(node.child_by_field_name("element"))])

    def map_type(self, node: Node) -> int:
        """A map from a type to a type."""
        of = self.code.add(Op.NAME, name="map")
        key = self.lower(node.child_by_field_name("key"))
        value = self.lower(node.child_by_field_name("value"))
        return self.code.add(Op.APPLY, of, items=(Argument(key), Argument(value)))

    def channel_type(self, node: Node) -> int:
        """A channel of a type."""
        of = self.code.add(Op.NAME, name="chan")
        value = self.lower(node.child_by_field_name("value"))
        return self.code.add(Op.APPLY, of, items=(Argument(value),))

    def function_type(self, node: Node) -> int:
        """The type of a function."""
        items: list[Argument] = []
        for child in children_of(node.child_by_field_name("parameters")):
            declared = self.lower(child.child_by_field_name("type"))
            count = max(1, len(child.children_by_field_name("name")))
            name = "*" if child.type == "variadic_parameter_declaration" else ""
            items += [Argument(declared, name)] * count
        result = self.result_type(node.child_by_field_name("result"))
        return self.code.add(Op.CALLABLE, result, items=items)

    def result_type(self, node: Node | None) -> int:
        """The type of a result; a tuple for several."""
        if node is None or node.type != "parameter_list":
            return self.lower(node)
        items: list[Argument] = []
        for child in children_of(node):
            declared = self.lower(child.child_by_field_name("type"))
            names = child.children_by_field_name("name")
            items += [Argument(declared, self.spelled(name)) for name in names if name.is_named]
            items += [] if names else [Argument(declared)]
        return items[0].value if len(items) == 1 else self.code.add(Op.TUPLE, items=items)

    def anonymous_type(self, node: Node) -> int:
        """A type without a name is the FUNCTION of its class scope."""
        with self.code.inside(ScopeKind.CLASS) as scope:
            self.members(node, NONE)
        return self.function(scope, node)

    def members(self, node: Node, number: int) -> None:
        """Declare the members of a type."""
        raise NotImplementedError

    # members, calls, objects

    def chain_start(self, node: Node, spine: list[tuple[Node, Step]]) -> int:
        """The first value, or the value of a call of `make`, `new` and `append`."""
        if (
            spine
            and node.end_byte - node.start_byte <= len(_APPEND)
            and node.type == "identifier"
            and spine[-1][0].type == "call_expression"
        ):
            name = self.source.of(node)
            if name in _MAKERS or name == _APPEND:
                return self.builtin_call(spine.pop()[0], name)
        return self.lower(node)

    def builtin_call(self, node: Node, name: str) -> int:
        """The value of `make`, `new` and `append`."""
        items = self.argument_list(node.child_by_field_name("arguments"))
        first = items[0].value if items else NONE
        return self.cast(NONE, first) if name in _MAKERS else first

    def member_step(self, node: Node, of: int) -> int:
        """A member."""
        return self.member(of, node.children[-1])

    def call_step(self, node: Node, of: int) -> int:
        """A call, maybe with type arguments."""
        children = node.children
        if len(children) > _PLAIN_CALL:
            of = self.apply(of, node.child_by_field_name("type_arguments"))
        return self.code.add(Op.CALL, of, "", self.argument_list(children[-1]))

    def cast_step(self, node: Node, of: int) -> int:
        """A value as one of a type."""
        return self.cast(of, self.lower(node.child_by_field_name("type")))

    def element_step(self, node: Node, of: int) -> int:
        """An element by its key."""
        key = node.child_by_field_name("index")
        name = ""
        if key is not None and key.type in {"int_literal", "interpreted_string_literal"}:
            name = self.source.of(key).strip('"')[:80]
        around = node.parent
        if around is not None and around.type == "call_expression" and key is not None:
            is_name = key.type in {"identifier", "selector_expression"}
            if is_name and around.child_by_field_name("function") == node:
                # a function with a type, unless what has it turns out to be a slice or map
                return self.code.add(Op.APPLY, of, items=(Argument(self.lower(key)),))
        return self.code.add(Op.INDEX, of, name, (Argument(self.lower(key)),))

    def slice_step(self, node: Node, of: int) -> int:
        """A slice has the same type."""
        self.lower_each(node.children[1:])
        return of

    def argument_list(self, node: Node | None) -> list[Argument]:
        """Positional arguments; a spread one has the name `*`."""
        children = children_of(node)
        items = [_new(Argument, (self.lower(child), "")) for child in children]
        if children and children[-1].type == "variadic_argument":
            items[-1] = Argument(items[-1].value, "*")
        return items

    def conversion(self, node: Node) -> int:
        """A call with type arguments, or a conversion to a type."""
        of = self.lower(node.child_by_field_name("type"))
        operand = self.lower(node.child_by_field_name("operand"))
        return self.code.add(Op.CALL, of, items=(Argument(operand),))

    def instantiation(self, node: Node) -> int:
        """A generic with its type arguments."""
        numbers = [self.lower(child) for child in node.named_children]
        if not numbers:
            return NONE
        return self.code.add(Op.APPLY, numbers[0], items=list(map(Argument, numbers[1:])))

    def composite_literal(self, node: Node) -> int:
        """A composite literal: a new value of a type, with its elements."""
        declared = node.child_by_field_name("type")
        body = node.child_by_field_name("body")
        if declared is None:
            return self.pass_through(node)
        if declared.type in {"slice_type", "array_type", "implicit_length_array_type"}:
            self.lower(declared.child_by_field_name("length"))
            element = self.lower(declared.child_by_field_name("element"))
            value = self.elements(body, element)
            return self.cast(value, self.list_of([element]))
        if declared.type == "map_type":
            of = self.lower(declared)
            element = self.code.add(Op.INDEX, of)
            return self.cast(self.elements(body, element), of)
        number = self.new(self.lower(declared), (), name_of(declared))
        self.fields(body, number)
        return number

    def elements(self, node: Node | None, element: int) -> int:
        """A list of values, whose types may be left out."""
        found: list[int] = []
        for child in children_of(node):
            value = child
            if child.type == "keyed_element":
                self.element_value(child.children[0], NONE)
                value = child.children[-1]
            found.append(self.element_value(value, element))
        return self.list_of([number for number in found if number != NONE])

    def element_value(self, node: Node, element: int) -> int:
        """The value of an element; without a type it has the element type."""
        inner = node.children[0] if node.type == "literal_element" and node.children else node
        if inner.type != "literal_value" or self._depth > _TOO_DEEP:
            return self.lower(inner)
        self._depth += 1
        number = self.code.add(Op.NEW, element)
        self.fields(inner, number)
        self._depth -= 1
        return number

    def fields(self, node: Node | None, of: int) -> None:
        """Set the fields of a new value."""
        for child in children_of(node):
            if child.type != "keyed_element" or not child.children:
                self.element_value(child, NONE)
                continue
            key, last = child.children[0], child.children[-1]
            name = key.children[0] if key.type == "literal_element" and key.children else key
            if name.type in _TYPE_NAMES:
                target = self.member(of, name)
                value = self.element_value(last, target)
                self.store(target, value)
            else:
                self.element_value(key, NONE)
                self.element_value(last, NONE)

    # operators and functions

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator; types declare none."""
        if operator in self.truths:
            return self.literal("bool")
        return left if left != NONE else right

    def unary(self, node: Node) -> int:
        """A unary operator; `<-` gives an element of a channel."""
        value = self.lower(node.children[-1])
        sign = node.children[0].type
        if sign == "!":
            return self.literal("bool")
        if sign == "<-" and value != NONE:
            return self.code.add(Op.ELEMENT, value)
        return value

    def function_literal(self, node: Node) -> int:
        """An anonymous function."""
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            self.signature(node)
            self.lower_each(children_of(node.child_by_field_name("body")))
        return self.function(scope, node)

    def signature(self, node: Node) -> int:
        """Bind parameters and named results; the declared type of the result."""
        self.parameters(node.child_by_field_name("parameters"))
        result = node.child_by_field_name("result")
        if result is None or result.type != "parameter_list":
            return self.lower(result)
        items: list[Argument] = []
        for child in children_of(result):
            declared = self.lower(child.child_by_field_name("type"))
            names = names_of(child)
            for name in names:
                self.bind_name(name, annotation=declared)
                items.append(Argument(declared, self.spelled(name)))
            items += [] if names else [Argument(declared)]
        return items[0].value if len(items) == 1 else self.code.add(Op.TUPLE, items=items)

    def parameters(self, node: Node | None) -> None:
        """Bind parameters; those without a name have the blank one."""
        for child in children_of(node):
            declared = self.lower(child.child_by_field_name("type"))
            kind = BindingKind.PARAMETER
            if child.type == "variadic_parameter_declaration":
                kind, declared = BindingKind.VARIADIC, self.list_of([declared])
            names = names_of(child)
            for name in names:
                self.bind_name(name, kind, annotation=declared)
            if not names and not child.is_error:
                self.code.bind("_", kind, annotation=declared)


def children_of(node: Node | None) -> Sequence[Node]:
    """The named children of a node, without comments."""
    if node is None:
        return ()
    return [child for child in node.named_children if not child.is_extra]


def names_of(node: Node) -> list[Node]:
    """The names that a specification declares, without the commas between them."""
    return [name for name in node.children_by_field_name("name") if name.is_named]


def name_of(node: Node) -> Node:
    """The node of the last name in a type."""
    while node.children and node.type not in _TYPE_NAMES:
        inner = node.child_by_field_name("type") or node.child_by_field_name("name")
        node = inner or node.children[-1]
    return node
