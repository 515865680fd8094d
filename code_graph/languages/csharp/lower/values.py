"""Lowers expressions of C#."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.csharp.lower.types import CSharpTypes, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.declared_types import Step

NAMEOF: Final = "nameof"
_LONGEST_KEY: Final = 80
# patterns and designations may nest as deeply as nodes
TOO_DEEP: Final = 120
_new: Final = tuple.__new__
# bodies of anonymous functions that may be statements, which give nothing or a value
_CALLS: Final = frozenset({"invocation_expression", "await_expression"})
_STEPS: Final = frozenset(
    {"assignment_expression", "object_creation_expression", "postfix_unary_expression"}
)
_BY_REFERENCE: Final = frozenset({"ref", "out"})
_SIGNS: Final = ("++", "--")
# the types that the last letters of a number say
_NUMBERS: Final = {
    "l": "long",
    "u": "uint",
    "ul": "ulong",
    "lu": "ulong",
    "f": "single",
    "m": "decimal",
    "d": "float",
}
# `out var` arguments: their positions and names
Given = list[tuple[int, "Node"]]


class CSharpValues(CSharpTypes):
    """Members, calls, objects, operators and functions."""

    def begin(self) -> None:
        """Begin; the types of parameters are also those of a record's properties."""
        super().begin()
        # by the offsets of their names
        self.parameter_types: dict[int, int] = {}
        # the scope of a namespace that lasts to the end of the file
        self._namespace = 0
        # true if the function that is lowered returns a value
        self.gives = False

    # members, calls, objects

    def chain_start(self, node: Node, spine: list[tuple[Node, Step]]) -> int:
        """The first value; a name is a text if `nameof` is called."""
        if (
            node.end_byte - node.start_byte != len(NAMEOF)
            or not spine
            or self.source.of(node) != NAMEOF
            or spine[-1][0].type != "invocation_expression"
        ):
            return self.lower(node)
        self.lower(spine.pop()[0].children[-1])
        return self.literal("str")

    def member_step(self, node: Node, of: int) -> int:
        """A member, whose name may have type arguments."""
        return self.named_member(of, node.children[-1])

    def call_step(self, node: Node, of: int) -> int:
        """A call."""
        return self.call(Op.CALL, of, node.children[-1])

    def element_step(self, node: Node, of: int) -> int:
        """An element."""
        return self.index(of, node.children[-1])

    def conditional_step(self, node: Node, of: int) -> int:
        """A member or element of what may be null."""
        last = node.children[-1]
        if last.type == "member_binding_expression":
            return self.named_member(of, last.children[-1])
        if last.type == "element_binding_expression":
            return self.index(of, last)
        return of

    def call(self, op: Op, of: int, arguments: Node | None, at: Node | None = None) -> int:
        """A call or creation, which also gives the values of its `out var` arguments."""
        given: Given = []
        items = self.argument_list(arguments, given)
        number = self.code.add(op, of, items=items) if at is None else self.new(of, items, at)
        for position, name in given:
            self.bind_name(name, value=self.code.add(Op.PART, number, f"out {position}"))
        return number

    def argument_list(self, node: Node | None, given: Given | None = None) -> list[Argument]:
        """Arguments; `given` gets the ones that declare a variable of the parameter's type."""
        items: list[Argument] = []
        if node is None:
            return items
        for child in node.children:
            if not child.is_named:
                continue
            children = child.children
            if not children or child.type != "argument":
                self.lower(child)
                continue
            last, name = children[-1], ""
            if len(children) > 1 and children[1].type == ":":
                name = self.spelled(children[0])
            value = self.lower(last)
            if value != NONE and children[-2:-1] and children[-2].type in _BY_REFERENCE:
                value = self.code.add(Op.OPERATOR, name=children[-2].type, items=(Argument(value),))
            if value == NONE and given is not None and last.type == "declaration_expression":
                given.append((len(items), last.children[-1]))
            items.append(_new(Argument, (value, name)))
        return items

    def index(self, of: int, subscript: Node) -> int:
        """An element by its key."""
        items, name = self.argument_list(subscript), ""
        if len(items) == 1:
            text = self.source.text[subscript.start_byte + 1 : subscript.end_byte - 1].strip()
            if len(text) <= _LONGEST_KEY and (text.isdecimal() or text[:1] + text[-1:] == '""'):
                name = text.strip('"')
        return self.code.add(Op.INDEX, of, name, items)

    def object_creation(self, node: Node) -> int:
        """A new object with its initializer; without a type, it has the type of its target."""
        declared, arguments, initializer = None, None, None
        for child in node.children[1:]:
            if child.type == "argument_list":
                arguments = child
            elif child.type == "initializer_expression":
                initializer = child
            elif child.is_named and declared is None and child.type != "comment":
                declared = child
        at = node if declared is None else name_of(declared)
        number = self.call(Op.NEW, self.lower(declared), arguments, at)
        if initializer is not None:
            self.initialize(number, initializer)
        return number

    def initialize(self, of: int, initializer: Node) -> None:
        """Set members and elements of a new object, or add elements to it."""
        if self._depth > TOO_DEEP:
            return
        self._depth += 1
        for child in initializer.children:
            if child.type != "assignment_expression":
                self.lower(child)
                continue
            left = child.child_by_field_name("left")
            right = child.child_by_field_name("right")
            if left is None or right is None:
                self.lower_each(child.children)
            elif left.type == "element_binding_expression":
                self.set(self.index(of, left), right)
            elif left.type == "identifier":
                self.set(self.member(of, left), right)
            else:
                self.lower(left)
                self.lower(right)
        self._depth -= 1

    def set(self, target: int, right: Node) -> None:
        """Store a value, or initialize the object that is there."""
        if right.type == "initializer_expression":
            self.initialize(target, right)
        else:
            self.store(target, self.lower(right))

    def with_expression(self, node: Node) -> int:
        """A copy of an object with other values in some members."""
        of = self.lower(node.children[0])
        left = list(reversed(node.children[1:]))
        while left:
            child = left.pop()
            if child.type == "with_initializer" and child.children[0].type == "identifier":
                value = self.lower(child.children[-1])
                self.store(self.member(of, child.children[0]), value)
            elif child.is_named:
                left += reversed(child.children)
        return of

    def anonymous_object(self, node: Node) -> int:
        """An object with the properties that are given."""
        items: list[Argument] = []
        name, has_name = "", False
        for child in node.children[1:]:
            if child.type == "=":
                has_name = True
            elif child.type == ",":
                has_name = False
            elif child.is_named and child.type != "comment":
                following = child.next_sibling
                if not has_name and following is not None and following.type == "=":
                    name = self.spelled(child)
                    continue
                value = self.lower(child)
                items.append(Argument(value, name if has_name else self.spelled(name_of(child))))
        return self.code.add(Op.OBJECT, items=items)

    def array_creation(self, node: Node) -> int:
        """A new array of a type."""
        declared = self.lower(node.child_by_field_name("type"))
        value = NONE
        if node.children[-1].type == "initializer_expression":
            value = self.lower(node.children[-1])
        return self.cast(value, declared)

    def element_of(self, node: Node) -> int:
        """An element of a spread list."""
        return self.code.add(Op.ELEMENT, self.lower(node.children[-1]))

    def type_object(self, node: Node) -> int:
        """The object that `typeof` gives."""
        self.lower_each(node.children)
        return self.literal("Type")

    def number_literal(self, node: Node) -> int:
        """A number, of the type that its last letters say."""
        kind = "int" if node.type == "integer_literal" else "float"
        text = self.source.text[node.start_byte : node.end_byte].lower()
        if text[-1:].isalpha():
            digits = text.rstrip("ul" if text[:2] in {"0x", "0b"} else "ulfmd")
            kind = _NUMBERS.get(text[len(digits) :], kind)
        return self.literal(kind)

    def tuple_expression(self, node: Node) -> int:
        """A tuple of values."""
        return self.code.add(Op.TUPLE, items=self.argument_list(node))

    # operators

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator."""
        if operator == "??":
            return self.either([left, right])
        return super().operation(operator, left, right)

    def prefix(self, node: Node) -> int:
        """A sign before a value."""
        value = self.lower(node.children[-1])
        if value != NONE and node.children[0].type == "!":
            return self.literal("bool")
        return value

    def as_expression(self, node: Node) -> int:
        """A value as one of a type."""
        value = self.lower(node.child_by_field_name("left"))
        return self.cast(value, self.lower(node.child_by_field_name("right")))

    def default_expression(self, node: Node) -> int:
        """The default value of a type, or of the target's."""
        declared = self.lower(node.child_by_field_name("type"))
        if declared != NONE:
            return self.cast(NONE, declared)
        return self.literal("none")

    def assignment(self, node: Node) -> int:
        """A value is stored; a tuple of targets takes its parts."""
        left, right = node.children[0], node.children[-1]
        if left.type != "tuple_expression":
            target = self.lower(left)
            value = self.lower(right)
            self.store(target, value)
            return target if value == NONE else value
        targets = [
            (child.children[-1], NONE if self.source.of(child) == "_" else self.lower(child))
            for child in left.named_children
            if child.children
        ]
        value = self.lower(right)
        for position, (child, target) in enumerate(targets):
            part = self.part(value, position)
            if child.type == "declaration_expression" and target == NONE:
                self.bind_name(child.child_by_field_name("name"), value=part)
            else:
                self.store(target, part)
        return value

    def part(self, of: int, position: int) -> int:
        """A part of a tuple."""
        return NONE if of == NONE else self.code.add(Op.PART, of, str(position))

    def declaration_expression(self, node: Node) -> int:
        """A variable declared where it gets its value; its NAME if its type is written."""
        declared = self.lower(node.child_by_field_name("type"))
        name = node.child_by_field_name("name")
        if declared == NONE or name is None:
            return NONE
        self.bind_name(name, annotation=declared)
        return self.name(name)

    def designate(self, node: Node, value: int, declared: int = NONE) -> None:
        """Bind the names in a pattern of parentheses, or a single one."""
        if node.type == "identifier":
            self.bind_name(node, value=value, annotation=declared)
        elif node.type in {"tuple_pattern", "parenthesized_variable_designation"}:
            if self._depth > TOO_DEEP:
                return
            self._depth += 1
            names = [child for child in node.children if child.is_named]
            for position, child in enumerate(names):
                self.designate(child, self.part(value, position))
            self._depth -= 1

    # functions

    def lambda_expression(self, node: Node) -> int:
        """An anonymous function, with a BODY for the forms of its results."""
        arrow, body = node, node.child_by_field_name("body")
        marks = {"any"} if node.type == "anonymous_method_expression" else set[str]()
        outer, self.gives = self.gives, False
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            for child in node.children:
                kind = child.type
                if kind == "parameter_list":
                    marks.discard("any")
                    self.parameters(child)
                elif kind == "implicit_parameter":
                    self.bind_name(child, BindingKind.PARAMETER)
                elif kind == "block":
                    self.lower_each(child.children)
                    marks.add(self.gives_of_block(child))
                elif kind == "=>":
                    arrow = child
                elif child == body:
                    self.result(self.lower(child))
                    marks.add(gives_of_value(child))
                elif kind == "modifier":
                    marks |= {"async"} if self.source.of(child) == "async" else set()
                else:
                    marks |= {"async"} if kind == "async" else set()
                    self.lower(child)
        self.gives = outer
        number = self.function(scope, arrow)
        self.code.clause(NONE, Role.BODY, number, " ".join(sorted(marks)))
        return number

    def gives_of_block(self, node: Node) -> str:
        """The word for what statements give: `value`, `nothing`, or `never` if they throw."""
        if self.gives:
            return "value"
        last = next((child for child in reversed(node.children) if child.is_named), None)
        return "never" if last is not None and last.type == "throw_statement" else "nothing"

    def parameters(self, node: Node) -> int:
        """Bind parameters; the type of the one that an extension method is called on."""
        receiver, declared, is_list = NONE, NONE, False
        for child in node.children:
            kind = child.type
            if kind == "parameter":
                number = self.parameter(child)
                if receiver == NONE and child.children[0].type == "modifier":
                    words = {
                        self.source.of(one) for one in child.children if one.type == "modifier"
                    }
                    receiver = number if "this" in words else NONE
            elif kind == "params":
                is_list = True
            elif kind == "identifier":
                self.bind_name(child, BindingKind.VARIADIC, annotation=declared)
            elif is_list:
                declared = self.lower(child)
            else:
                self.lower(child)
        return receiver

    def parameter(self, node: Node) -> int:
        """Bind a parameter; its declared type."""
        name, declared, value = None, NONE, NONE
        named = node.child_by_field_name("name")
        for child in node.children:
            kind = child.type
            if kind == "attribute_list":
                self.lower(child)
            elif name is None and child == named:
                name = child
            elif name is not None:
                if child.is_named or kind in self.tokens:
                    value = self.lower(child)
                    value = self.code.add(Op.OPAQUE) if value == NONE else value
            elif child.is_named and kind != "modifier":
                declared = self.lower(child)
        self.bind_name(name, BindingKind.PARAMETER, value, declared)
        if name is not None:
            self.parameter_types[name.start_byte] = declared
        return declared


def gives_of_value(node: Node) -> str:
    """The word for what an expression gives as a body; one that is a statement may be void."""
    while node.type == "conditional_access_expression" and node.children:
        node = node.children[-1]
    if node.type == "throw_expression":
        return "never"
    if node.type in _CALLS:
        return "call"
    is_step = node.type == "prefix_unary_expression" and node.children[0].type in _SIGNS
    return "step" if node.type in _STEPS or is_step else "value"
