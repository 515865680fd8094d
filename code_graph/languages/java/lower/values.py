"""Lowers expressions, types and patterns of Java."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.java.type_names import name_of_type
from code_graph.treesitter.code.forms import Forms

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.declared_types import Step

_new: Final = tuple.__new__
# expressions that are statements, too
_STATEMENTS: Final = frozenset(
    {"method_invocation", "object_creation_expression", "assignment_expression"}
    | {"update_expression"}
)
# patterns may nest as deeply as nodes
_TOO_DEEP: Final = 120


class JavaValues(Forms):
    """Expressions, types and patterns."""

    def begin(self) -> None:
        """Begin outside of any `switch`."""
        super().begin()
        # the values that `yield` gives to the `switch` around
        self._yielded: list[int] = []
        # true once the function around has returned a value
        self._gives = False

    # types

    def type_name(self, node: Node) -> int:
        """The name of a type; none for `var`."""
        if node.end_byte - node.start_byte == len("var") and self.source.of(node) == "var":
            return NONE
        return self.name(node)

    def qualified_name(self, node: Node) -> int:
        """A name in a package or type."""
        spine = [node.children[-1]]
        first = node.children[0]
        while first.kind_id == node.kind_id:
            spine.append(first.children[-1])
            first = first.children[0]
        of = self.lower(first)
        for name in reversed(spine):
            of = self.member(of, name)
        return of

    def generic_type(self, node: Node) -> int:
        """A generic with its type arguments, which `new A<>()` leaves out."""
        of = self.lower(node.children[0])
        arguments = node.children[-1]
        items = [Argument(self.lower(one)) for one in arguments.children if one.is_named]
        return self.code.add(Op.APPLY, of, items=items)

    def array_type(self, node: Node) -> int:
        """An array is a list."""
        return self.array_of(self.lower(node.child_by_field_name("element")), node)

    def array_of(self, declared: int, node: Node) -> int:
        """The type of an array with the dimensions at a node; without any, the plain type."""
        dimensions = node.child_by_field_name("dimensions")
        for child in () if dimensions is None else dimensions.children:
            if child.type == "[":
                declared = self.list_of([declared])
        return declared

    def wildcard(self, node: Node) -> int:
        """The bound of a type argument; without one, an object."""
        bounds = [child for child in node.children if child.is_named and child.type != "super"]
        found = self.lower_each(bounds)
        return found[-1] if found else self.code.add(Op.NAME, name="Object")

    # members, calls, objects

    def chain_start(self, node: Node, spine: list[tuple[Node, Step]]) -> int:
        """The first value; none where a method is called without an object."""
        begin = spine[-1][0] if spine else node
        if begin.type == "method_invocation" and begin.child_count <= _UNQUALIFIED:
            return NONE
        return self.lower(node)

    def element_step(self, node: Node, of: int) -> int:
        """An element."""
        return self.index(of, node.child_by_field_name("index"))

    def field_access(self, node: Node, of: int) -> int:
        """A member; `A.this` is the object of a class around."""
        last = node.children[-1]
        if last.type == "this":
            return self.cast(self.this(last), of)
        for child in node.children[1:-1]:
            if child.type == "super":
                of = self.cast(self.super(child), of)
        return self.member(of, last)

    def index(self, of: int, key: Node | None) -> int:
        """An element by its key."""
        name = ""
        if key is not None and key.type in {"decimal_integer_literal", "string_literal"}:
            name = self.source.of(key).strip('"')[:80]
        return self.code.add(Op.INDEX, of, name, (Argument(self.lower(key)),))

    def call(self, node: Node, of: int) -> int:
        """A call of a method, of this object where no other is written."""
        children = node.children
        name = children[-2] if len(children) >= _UNQUALIFIED else children[-1]
        arguments: list[int] | None = None
        for child in children[2:-2]:
            if child.type == "type_arguments":
                arguments = self.lower_each(child.children)
            elif child.type == "super":
                of = self.cast(self.super(child), of)
        of = self.name(name) if len(children) <= _UNQUALIFIED else self.member(of, name)
        if arguments:
            of = self.code.add(Op.APPLY, of, items=list(map(Argument, arguments)))
        return self.code.add(Op.CALL, of, items=self.argument_list(children[-1]))

    def argument_list(self, node: Node | None) -> list[Argument]:
        """Positional arguments."""
        children = () if node is None else node.children
        return [
            _new(Argument, (self.lower(child), ""))
            for child in children
            if child.is_named and not child.is_extra
        ]

    def object_creation(self, node: Node) -> int:
        """A new object, maybe of an anonymous class."""
        declared, body = NONE, None
        items: list[Argument] = []
        at, typed, unnamed = node, node.child_by_field_name("type"), NONE
        for child in node.children:
            kind = child.type
            if kind == "new":
                unnamed = self.declaration_of(child)
            elif kind == "argument_list":
                items = self.argument_list(child)
            elif kind == "class_body":
                body = child
            elif child == typed:
                declared = self.lower(child)
                at = name_of_type(child)
            else:
                number = self.lower(child)
                declared = declared if number == NONE else number
        number = self.new(declared, items, at)
        if body is None:
            return number
        if unnamed != NONE:
            self.type_clause(unnamed, Role.BASE, declared)
        with self.code.inside(ScopeKind.CLASS, unnamed) as scope:
            self.lower_each(body.children)
        return self.cast(self.function(scope, at), declared)

    def array_creation(self, node: Node) -> int:
        """A new array of a type."""
        declared = self.lower(node.child_by_field_name("type"))
        value = NONE
        for child in node.children_by_field_name("dimensions"):
            self.lower(child)
            for _ in range(sum(part.type == "[" for part in child.children)):
                declared = self.list_of([declared])
        if node.children[-1].type == "array_initializer":
            value = self.lower(node.children[-1])
        return self.cast(value, declared)

    def method_reference(self, node: Node) -> int:
        """A method as a value; a constructor has the name `new`."""
        of = NONE
        for child in node.children[:-1]:
            number = self.lower(child)
            if child.type == "type_arguments":
                continue
            of = of if number == NONE else number
        return self.member(of, node.children[-1])

    def class_literal(self, node: Node) -> int:
        """The class of a type, as a value."""
        self.lower_each(node.children)
        return self.literal("Class")

    def integer(self, node: Node) -> int:
        """A whole number, which a letter makes a long one."""
        return self.literal("long" if self.spelled(node)[-1:] in "lL" else "int")

    def floating(self, node: Node) -> int:
        """A number with a fraction, which a letter makes a short one."""
        is_short = self.spelled(node)[-1:] in "fF" and node.type.startswith("decimal")
        return self.literal("float" if is_short else "double")

    # operators

    def assignment(self, node: Node) -> int:
        """A value is stored."""
        target = self.lower(node.children[0])
        value = self.lower(node.children[-1])
        self.store(target, value)
        return target if value == NONE else value

    def cast_expression(self, node: Node) -> int:
        """A value as one of a type."""
        types = [self.lower(child) for child in node.children_by_field_name("type")]
        value = self.lower(node.child_by_field_name("value"))
        return self.cast(value, types[0] if types else NONE)

    # functions

    def lambda_expression(self, node: Node) -> int:
        """An anonymous function, with a BODY for the forms of its results."""
        arrow, body = node, node.children[-1]
        around, self._gives = self._gives, False
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            for child in node.children[:-1]:
                kind = child.type
                if kind == "formal_parameters":
                    self.bound(child)
                elif kind == "inferred_parameters":
                    for one in child.named_children:
                        self.bind_name(one, BindingKind.PARAMETER)
                elif kind == "identifier":
                    self.bind_name(child, BindingKind.PARAMETER)
                elif kind == "->":
                    arrow = child
            if body.type == "block":
                self.lower_each(body.children)
            else:
                self.result(self.lower(body))
        number = self.function(scope, arrow)
        self.code.clause(NONE, Role.BODY, number, self._given_by(body))
        self._gives = around
        return number

    def _given_by(self, body: Node) -> str:
        """`value`, `void`, or both for what may be either: a call, or a body that always throws."""
        if body.type != "block":
            return "value void" if body.type in _STATEMENTS else "value"
        if self._gives:
            return "value"
        last = body.named_children[-1:]
        ends = bool(last) and last[0].type in {"throw_statement", "while_statement"}
        return "value void" if ends else "void"

    def return_statement(self, node: Node) -> int:
        """A result of the function around."""
        self._gives = self._gives or any(child.is_named for child in node.children)
        return super().return_statement(node)

    def parameters(self, node: Node, number: int) -> None:
        """Bind the parameters of a function."""
        del number
        self.bound(node)

    def bound(self, node: Node) -> list[tuple[Node | None, int]]:
        """Bind parameters; their names and declared types."""
        found: list[tuple[Node | None, int]] = []
        for child in node.children:
            if child.type == "formal_parameter":
                name = child.child_by_field_name("name")
                self.lower_each([one for one in child.children if one.type == "modifiers"])
                declared = self.array_of(self.lower(child.child_by_field_name("type")), child)
                self.bind_name(name, BindingKind.PARAMETER, annotation=declared)
                found.append((name, declared))
            elif child.type == "spread_parameter":
                found.append(self.spread_parameter(child))
            else:
                self.lower(child)
        return found

    def spread_parameter(self, node: Node) -> tuple[Node | None, int]:
        """Bind a parameter for any number of arguments."""
        name, declared = None, NONE
        for child in node.children:
            if child.type == "variable_declarator":
                name = child.child_by_field_name("name")
            elif child.type != "...":
                number = self.lower(child)
                declared = declared if number == NONE else number
        declared = self.list_of([declared])
        self.bind_name(name, BindingKind.VARIADIC, annotation=declared)
        return name, declared

    # patterns and switches

    def instance_of(self, node: Node) -> int:
        """A test of a type, maybe with a name or a pattern."""
        of = self.lower(node.child_by_field_name("left"))
        pattern = node.child_by_field_name("pattern")
        if pattern is None:
            declared = self.lower(node.child_by_field_name("right"))
            name = node.child_by_field_name("name")
            if name is not None:
                self.bind_name(name, value=self.cast(of, declared))
        else:
            self.pattern(pattern, of)
        return self.literal("bool")

    def pattern(self, node: Node, of: int) -> None:
        """Bind the names of a pattern that a value has."""
        if self._depth > _TOO_DEEP:
            return
        self._depth += 1
        kind, children = node.type, node.children
        if kind in {"type_pattern", "record_pattern_component"} and len(children) > 1:
            declared = self.lower(children[-2])
            self.bind_name(children[-1], value=self.cast(of, declared))
        elif kind == "record_pattern" and children:
            declared = self.lower(children[0])
            of = self.cast(of, declared)
            for position, child in enumerate(children[-1].named_children):
                part = NONE if of == NONE else self.code.add(Op.PART, of, str(position))
                self.pattern(child, part)
        elif kind in {"pattern", "record_pattern_component"}:
            for child in children:
                self.pattern(child, of)
        else:
            self.lower(node)
        self._depth -= 1

    def switch(self, node: Node) -> int:
        """A switch; as an expression it gives one of the values of its rules."""
        of = self.lower(node.child_by_field_name("condition"))
        body = node.child_by_field_name("body")
        around, self._yielded = self._yielded, []
        with self.flow(ScopeKind.BLOCK):
            for section in () if body is None else body.children:
                if section.is_named:
                    with self.flow(ScopeKind.BRANCH):
                        self.section(section, of)
        found, self._yielded = self._yielded, around
        return self.either(found)

    def section(self, node: Node, of: int) -> None:
        """The labels and statements of a section."""
        is_rule = node.type == "switch_rule"
        with self.flow(ScopeKind.BLOCK):
            for child in node.children:
                if child.type == "switch_label":
                    for one in child.named_children:
                        self.label(one, of)
                elif is_rule and child.type == "expression_statement":
                    self._yielded += self.lower_each(child.children)
                else:
                    self.lower(child)

    def label(self, node: Node, of: int) -> None:
        """A pattern or constant after `case`."""
        if node.type != "identifier":
            self.pattern(node, of)
            return
        items = (Argument(of), Argument(self.member(NONE, node)))
        self.code.add(Op.OPERATOR, name="case", items=items)

    def yield_statement(self, node: Node) -> int:
        """A value of the switch around."""
        self._yielded += self.lower_each(node.children)
        return NONE


# children of a call without an object: the name and the arguments
_UNQUALIFIED: Final = 2
