"""Lowers expressions, types and macros of Rust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.treesitter.code.declared_types import DeclaredTypes, children_of
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_PATHS: Final = frozenset({"scoped_identifier", "scoped_type_identifier"})
_FIRST_NAMES: Final = frozenset({"self", "super", "crate"})
_NAMES: Final = frozenset({"identifier", "type_identifier", "field_identifier"})


def patterns_of(node: Node | None) -> Sequence[Node]:
    """The patterns that a node holds, in their places: `_` is one, though it has no name."""
    if node is None:
        return ()
    return [c for c in node.children if c.type == "_" or (c.is_named and not c.is_extra)]


class PointedType(NamedTuple):
    """A type, and the number of stars before `self` that give a value of it."""

    stars: int = 0
    type: int = NONE


def _stars(node: Node) -> int:
    """The number of stars of an expression as `**self`."""
    count = 0
    while node.type == "unary_expression" and node.children[0].type == "*":
        count += 1
        node = node.children[-1]
    return count


class RustValues(DeclaredTypes):
    """Expressions, types and macros."""

    # the type that the block around is for a reference or pointer to, as of `impl T for &U`
    pointed = PointedType()
    # the names that variables have had above
    variables: set[str]
    # for each loop around, the values with which `break` leaves it
    left_with: list[list[int]]
    names: ClassVar[frozenset[str]] = _NAMES | {"shorthand_field_identifier"}

    def last_child(self, node: Node) -> int:
        """The operand of a sign."""
        found = NONE
        for child in children_of(node):
            found = self.lower(child)
        return found

    # paths and types

    def path(self, node: Node) -> int:
        """Names in modules and types; a chain of them is no nest."""
        spine = [node]
        left = node.child_by_field_name("path")
        while left is not None and left.type in _PATHS:
            spine.append(left)
            left = left.child_by_field_name("path")
        of = NONE
        if left is not None:
            of = self.name(left) if left.type in _FIRST_NAMES else self.lower(left)
            is_variable = left.type == "identifier" and self.spelled(left) in self.variables
            if is_variable or left.type == "self":
                of = self.code.add(Op.APPLY, of)  # a variable of the name is not meant
        for one in reversed(spine):
            name = one.child_by_field_name("name")
            if name is not None:
                of = self.name(name) if of == NONE else self.member(of, name)
        return of

    def apply(self, of: int, arguments: Node | None) -> int:
        """A generic with its type arguments, or itself."""
        items = []
        for child in children_of(arguments):
            if child.type == "type_binding":
                name = child.child_by_field_name("name")
                if name is not None:
                    self.member(of, name)
                value = self.lower(child.child_by_field_name("type"))
                items.append(Argument(value, "" if name is None else self.spelled(name)))
            elif child.type not in {"lifetime", "trait_bounds"}:
                items.append(Argument(self.lower(child)))
            else:
                self.lower(child)
        return self.code.add(Op.APPLY, of, items=items) if items else of

    def type_binding(self, node: Node) -> int:
        """The type of an associated type."""
        return self.lower(node.child_by_field_name("type"))

    def abstract_type(self, node: Node) -> int:
        """`impl T`."""
        return self.lower(node.child_by_field_name("trait"))

    def tuple_type(self, node: Node) -> int:
        """A tuple of types."""
        return self.list_of([self.lower(child) for child in children_of(node)], Op.TUPLE)

    def array_type(self, node: Node) -> int:
        """An array or slice."""
        element = self.lower(node.child_by_field_name("element"))
        self.lower(node.child_by_field_name("length"))
        return self.list_of([element])

    def function_type(self, node: Node) -> int:
        """The type of a function, maybe by a trait of functions."""
        self.lower(node.child_by_field_name("trait"))
        items = []
        for child in children_of(node.child_by_field_name("parameters")):
            declared = child.child_by_field_name("type") if child.type == "parameter" else child
            items.append(Argument(self.lower(declared)))
        result = self.lower(node.child_by_field_name("return_type"))
        return self.code.add(Op.CALLABLE, result, items=items)

    def qualified_type(self, node: Node) -> int:
        """`<T as Trait>`: a type as one of a trait."""
        of = self.lower(node.child_by_field_name("type"))
        return self.cast(of, self.lower(node.child_by_field_name("alias")))

    # members, calls, objects

    def step(self, node: Node, of: int) -> int:
        """One step of a chain."""
        kind = node.type
        last = node.children[-1]
        if kind == "field_expression":
            if last.type == "integer_literal":
                return NONE if of == NONE else self.code.add(Op.PART, of, self.source.of(last)[:9])
            return self.member(of, last)
        if kind in {"call_expression", "index_expression"}:
            is_call = kind == "call_expression"
            operands = children_of(last) if is_call else children_of(node)[1:]
            items = [Argument(self.lower(child)) for child in operands]
            # a range of a row is a row
            is_row = not is_call and [one.type for one in operands] == ["range_expression"]
            return (
                of if is_row else self.code.add(Op.CALL if is_call else Op.INDEX, of, items=items)
            )
        if kind == "generic_function":
            return self.apply(of, node.child_by_field_name("type_arguments"))
        if kind == "await_expression":
            return NONE if of == NONE else self.code.add(Op.AWAIT, of)
        return of

    def struct_expression(self, node: Node) -> int:
        """A new object with its fields."""
        name = node.child_by_field_name("name")
        of = self.lower(name)
        number = self.new(of, (), name or node)
        for child in children_of(node.child_by_field_name("body")):
            field = child.child_by_field_name("field")
            if child.type == "shorthand_field_initializer":
                value = self.lower(child.children[-1])
                self.store(self.member(number, child.children[-1]), value)
            elif field is not None:
                value = self.lower(child.child_by_field_name("value"))
                self.store(self.member(number, field), value)
            else:
                self.lower_each(child.children)
        return number

    def unary(self, node: Node) -> int:
        """A sign before a value; `*x` is x, but `*self` is what the type of a block points to."""
        value = self.lower(node.children[-1])
        is_own = value != NONE and self.code.expression(value).op == Op.THIS
        stars = _stars(node) if is_own else 0
        return self.cast(value, self.pointed.type) if stars == self.pointed.stars else value

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator, which may be a method."""
        if operator in self.truths:
            return self.literal("bool")
        kinds = {self.code.expression(one).op for one in (left, right) if one != NONE}
        return left if kinds == {Op.LITERAL} else super().operation(operator, left, right)

    def assignment(self, node: Node) -> int:
        """A value is stored."""
        target = self.lower(node.child_by_field_name("left"))
        self.store(target, self.lower(node.child_by_field_name("right")))
        return NONE

    def type_cast(self, node: Node) -> int:
        """`x as T`."""
        value = self.lower(node.child_by_field_name("value"))
        return self.cast(value, self.lower(node.child_by_field_name("type")))

    def tuple_expression(self, node: Node) -> int:
        """A tuple."""
        return self.list_of([self.lower(child) for child in children_of(node)], Op.TUPLE)

    def array_expression(self, node: Node) -> int:
        """An array."""
        length = node.child_by_field_name("length")
        found = []
        for child in children_of(node):
            number = self.lower(child)
            if child != length and number != NONE:
                found.append(number)
        return self.list_of(found)

    def closure(self, node: Node) -> int:
        """An anonymous function."""
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            for child in patterns_of(node.child_by_field_name("parameters")):
                self.parameter(child)
            declared = self.lower(node.child_by_field_name("return_type"))
            self.result(self.cast(self.body(node.child_by_field_name("body")), declared))
        return self.function(scope, node)

    def parameter(self, node: Node) -> None:
        """Bind a parameter."""
        raise NotImplementedError

    def body(self, node: Node | None) -> int:
        """The statements of a body; the value of its last expression."""
        raise NotImplementedError

    # macros

    def macro_call(self, node: Node) -> int:
        """`name!(…)`."""
        macro = node.child_by_field_name("macro")
        of = self.lower(macro)
        items: list[Argument] = []
        for child in node.children:
            if child.type == "token_tree":
                items = self.tokens_of(child)
        return self.code.add(Op.CALL, of, items=items)

    def tokens_of(self, tree: Node) -> list[Argument]:
        """The arguments in a token tree, which end at commas."""
        if self._depth >= self._deepest:
            self._names_only(tree)
            return []
        self._depth += 1
        items: list[Argument] = []
        last, before, count = NONE, "", 0
        for child in tree.children[1:-1]:
            if child.is_extra:
                continue
            kind = child.type
            if kind == ",":
                items.append(Argument(last if count else NONE))
                last, before, count = NONE, "", 0
                continue
            last = self.token(child, kind, last, before)
            before = kind
            count += 1
        if count:
            items.append(Argument(last))
        self._depth -= 1
        return items

    def token(self, node: Node, kind: str, last: int, before: str) -> int:
        """The value up to a token."""
        if kind in _NAMES:
            is_member = before in {".", "::"} and last != NONE
            return self.member(last, node) if is_member else self.name(node)
        if kind in _FIRST_NAMES:
            return self.this(node) if kind == "self" else self.name(node)
        if kind == "token_tree":
            return self.token_group(node, last, before)
        if kind in {".", "::", "?", "!", "&"}:
            return last
        return self.lower(node) if node.is_named else NONE

    def token_group(self, node: Node, last: int, before: str) -> int:
        """Tokens in brackets: arguments, an element, or a value of its own."""
        opening = node.children[0].type if node.children else ""
        items = self.tokens_of(node)
        if last != NONE and opening == "(" and (before in _NAMES or before in {"!", "token_tree"}):
            return self.code.add(Op.CALL, last, items=items)
        if last != NONE and opening == "[" and before in _NAMES:
            return self.code.add(Op.INDEX, last, items=items)
        if last != NONE and before == "!":
            return self.code.add(Op.CALL, last, items=items)
        return items[0].value if len(items) == 1 and opening == "(" else NONE

    def bind_pattern(self, node: Node | None, value: int, kind: BindingKind) -> None:
        """Bind the names of a pattern to parts of a value."""
        raise NotImplementedError
