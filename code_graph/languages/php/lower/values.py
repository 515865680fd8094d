"""Lowers expressions and types of PHP.

Names of variables keep their `$`, which no function, class or constant has; those of properties are
without it. What is before the last part of a name with a namespace is one NAME without a place,
which ends with a backslash; the last part is a MEMBER of it. `self` and `static` before `::` are a
THIS, `parent` is a SUPER.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.treesitter.code.declared_types import DeclaredTypes

if TYPE_CHECKING:
    from tree_sitter import Node


THIS: Final = "$this"
_DEFINE: Final = "define"
# types of which nothing is known, or of which there is no value
_NO_TYPES: Final = frozenset({"void", "null", "never", "mixed", "false", "true", "object"})
NAMES: Final = frozenset({"name", "qualified_name", "relative_name"})
_CAST_TYPES: Final = {"string": "str", "int": "int", "float": "float", "bool": "bool"}
_PLAIN_PARAMETERS: Final = frozenset({"simple_parameter", "property_promotion_parameter"})
_VARIADIC: Final = "variadic_parameter"
# patterns may nest as deeply as nodes
_TOO_DEEP: Final = 120
# characters of a name with its namespace
_LONGEST: Final = 500
_BASES: Final = {"base_clause": Role.BASE, "class_interface_clause": Role.IMPLEMENTS}


class PhpValues(DeclaredTypes):
    """Expressions and types."""

    names: ClassVar[frozenset[str]] = frozenset({"name", "variable_name"})

    def begin(self) -> None:
        """Begin outside of any declaration."""
        super().begin()
        # the numbers of enclosing declarations and functions, and the scope of the namespace
        self._inside = 0
        self._module = 0

    # names and types

    def qualified_name(self, node: Node) -> int:
        """A name in a namespace."""
        last = node.children[-1]
        before = self.source.text[node.start_byte : last.start_byte][-_LONGEST:]
        return self.member(self.code.add(Op.NAME, name="".join(before.split())), last)

    def relative_scope(self, node: Node) -> int:
        """The class around, or its base."""
        return self.super(node) if self.spelled(node).lower() == "parent" else self.this(node)

    def variable(self, node: Node) -> int:
        """A variable, or the object that a method is called on."""
        return self.this(node) if self.spelled(node) == THIS else self.name(node)

    def builtin(self, node: Node) -> int:
        """A type of the language; none where it says nothing of the value."""
        return NONE if self.spelled(node).lower() in _NO_TYPES else super().builtin(node)

    def either_type(self, node: Node) -> int:
        """One of several types."""
        return self.either(self.lower_each(node.children))

    # members, calls, objects

    def element_step(self, node: Node, of: int) -> int:
        """An element; the new one of `$list[]` has no key."""
        key = next((child for child in node.children[1:] if child.is_named), None)
        name = ""
        if key is not None and key.type in {"integer", "string"}:
            name = self.source.of(key).strip("'\"")[:80]
        return self.code.add(Op.INDEX, of, name, (Argument(self.lower(key)),))

    def member_access(self, node: Node, of: int) -> int:
        """A member of an object or class; of a name that is computed, nothing is known."""
        last = node.child_by_field_name("name") or node.children[-1]
        if last.type == "variable_name" and node.type.startswith("scoped_property"):
            last = last.children[-1]  # the name of a static property
        if last.type != "name":
            self.lower(last)
            return NONE if of == NONE else self.code.add(Op.OPAQUE, items=(Argument(of),))
        if self.spelled(last) == "class":
            return self.literal("str")
        return self.member(of, last)

    def member_call(self, node: Node, of: int) -> int:
        """A call of a method."""
        last = node.child_by_field_name("name")
        if last is None or last.type != "name":
            self.lower(last)
            of = NONE if of == NONE else self.code.add(Op.OPAQUE, items=(Argument(of),))
        else:
            of = self.member(of, last)
        return self.called(of, node.child_by_field_name("arguments"))

    def function_call(self, node: Node, of: int) -> int:
        """A call of a function by its name, a variable or a property."""
        if of != NONE and node.children[0].type not in NAMES:
            # the callee is a value, not a method of that name
            of = self.code.add(Op.EITHER, items=(Argument(of),))
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and self.spelled(node.children[0]).lower() == _DEFINE:
            self.define(arguments)
        return self.called(of, arguments)

    def define(self, arguments: Node) -> None:
        """The constant that a call of `define` declares."""
        left: Node | None = arguments
        while left is not None and left.type != "string_content":
            left = next((child for child in left.children if child.is_named), None)
        number = self.declaration_of(left)
        if number != NONE:
            self.bind_name(left, BindingKind.DECLARED, declaration=number, scope=self._module)

    def called(self, of: int, arguments: Node | None) -> int:
        """A call; `name(...)` is the function itself."""
        if arguments is not None:
            for child in arguments.children:
                if child.type == "variadic_placeholder":
                    return of
        return self.code.add(Op.CALL, of, items=self.argument_list(arguments))

    def argument_list(self, node: Node | None) -> list[Argument]:
        """Positional, named and spread arguments."""
        found: list[Argument] = []
        for child in () if node is None else node.children:
            if child.type == "argument":
                label = child.child_by_field_name("name")
                name = "" if label is None else f"${self.spelled(label)}"
                values = [one for one in child.children if one != label]
                if values and values[-1].type == "variadic_unpacking":
                    name = "*"
                numbers = self.lower_each(values)
                found.append(Argument(numbers[0] if len(numbers) == 1 else NONE, name))
            elif child.is_named:
                self.lower(child)
        return found

    def object_creation(self, node: Node) -> int:
        """A new object, maybe of an anonymous class."""
        declared, at = NONE, node
        items: list[Argument] = []
        for child in node.children:
            kind = child.type
            if kind == "anonymous_class":
                return self.anonymous_class(child)
            if kind == "arguments":
                items = self.argument_list(child)
            elif kind in NAMES:
                declared = self.lower(child)
                at = child if kind == "name" else child.children[-1]
            elif child.is_named:
                self.lower(child)
        if declared == NONE:
            return self.code.add(Op.OPAQUE, items=items)
        return self.new(declared, items, at)

    def anonymous_class(self, node: Node) -> int:
        """A new object of a class without a name."""
        items: list[Argument] = []
        bases: list[tuple[int, Role]] = []
        unnamed = NONE
        for child in node.children:
            if child.type == "arguments":
                items = self.argument_list(child)
            elif child.type in _BASES:
                bases += [(base, _BASES[child.type]) for base in self.lower_each(child.children)]
            elif child.type == "class":
                unnamed = self.declaration_of(child)
        declared = bases[0][0] if bases else NONE
        for base, role in bases:
            self.code.clause(unnamed, role, base)
        if declared != NONE:
            self.new(declared, items, node)
        self._inside += 1
        with self.code.inside(ScopeKind.CLASS, unnamed) as scope:
            self.lower(node.child_by_field_name("body"))
        self._inside -= 1
        return self.cast(self.function(scope, node), declared)

    def array_element(self, node: Node) -> int:
        """The value of an element; its key is evaluated."""
        found = [self.lower(child) for child in node.children if child.is_named]
        return found[-1] if found else NONE

    # operators

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator."""
        operator = operator.lower()
        if operator == "??":
            return self.either([left, right])
        if operator == ".":
            return self.literal("str")
        return super().operation(operator, left, right)

    def binary(self, node: Node) -> int:
        """Operators; the right side of `instanceof` is a type."""
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type.lower() != "instanceof":
            return super().binary(node)
        self.lower(node.children[0])
        self.lower(node.children[-1])
        return self.literal("bool")

    def conditional(self, node: Node) -> int:
        """A condition and two values; `?:` gives the condition itself."""
        condition = self.lower(node.child_by_field_name("condition"))
        body = node.child_by_field_name("body")
        first = condition if body is None else self.lower(body)
        return self.either([first, self.lower(node.child_by_field_name("alternative"))])

    def cast_expression(self, node: Node) -> int:
        """A value as one of a type of the language."""
        value = self.lower(node.child_by_field_name("value"))
        declared = node.child_by_field_name("type")
        name = "" if declared is None else self.spelled(declared).strip().lower()
        return self.literal(_CAST_TYPES[name]) if name in _CAST_TYPES else value

    def match(self, node: Node) -> int:
        """One of several values."""
        self.lower(node.child_by_field_name("condition"))
        body = node.child_by_field_name("body")
        found: list[int] = []
        for child in () if body is None else body.children:
            given = child.child_by_field_name("return_expression")
            self.lower_each([one for one in child.children if one != given])
            found.append(self.lower(given))
        return self.either(found)

    # variables

    def assignment(self, node: Node) -> int:
        """A value is stored, in a variable of the function around or in a member."""
        left, right = (node.child_by_field_name(field) for field in ("left", "right"))
        if left is None:
            return self.pass_through(node)
        if left.type in {"variable_name", "list_literal"}:
            value = self.lower(right)
            self.assign(left, value)
            return value
        target = self.lower(left)
        value = self.lower(right)
        self.store(target, value)
        return target if value == NONE else value

    def augmented_assignment(self, node: Node) -> int:
        """A value is combined with what is stored."""
        left, right = (node.child_by_field_name(field) for field in ("left", "right"))
        before = self.lower(left)
        value = self.lower(right)
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type != "??=":
            return NONE
        if left is not None and left.type == "variable_name":
            value = self.either([before, value])
            self.assign(left, value)
        else:
            self.store(before, value)
        return value

    def assign(self, node: Node, value: int, depth: int = 0) -> None:
        """Bind the variables of a pattern."""
        if node.type == "variable_name":
            if self.spelled(node) != THIS:
                self.bind_name(node, value=value)
        elif node.type in {"list_literal", "by_ref", "array_creation_expression"}:
            if depth < _TOO_DEEP:
                self.parts(node, value, depth)
        else:
            self.store(self.lower(node), value)

    def parts(self, node: Node, value: int, depth: int) -> None:
        """Bind the parts of a list that is taken apart."""
        if node.type == "by_ref":
            self.assign(node.children[-1], value, depth + 1)
            return
        children = node.children
        for number, child in enumerate(children):
            if not child.is_named or child.is_extra:
                continue
            if children[number + 1 : number + 2] and children[number + 1].type == "=>":
                self.lower(child)
                continue
            inner = NONE if value == NONE else self.code.add(Op.ELEMENT, value)
            self.assign(child, inner, depth + 1)

    # functions

    def anonymous_function(self, node: Node) -> int:
        """A function without a name, which sees the variables around."""
        body = node.child_by_field_name("body")
        self._inside += 1
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            self.parameters(node.child_by_field_name("parameters"))
            self.lower(node.child_by_field_name("return_type"))
            if body is not None and body.type != "compound_statement":
                self.result(self.lower(body))
            else:
                self.lower(body)
        self._inside -= 1
        return self.function(scope, node)

    def parameters(self, node: Node | None) -> None:
        """Bind parameters, and declare the properties that they become."""
        for child in () if node is None else node.children:
            kind = child.type
            if kind not in _PLAIN_PARAMETERS and kind != _VARIADIC:
                self.lower(child)
                continue
            name = child.child_by_field_name("name")
            if name is not None and name.type == "by_ref":
                name = name.children[-1]
            number = NONE
            if name is not None and kind == "property_promotion_parameter":
                number = self.declaration_of(name.children[-1])
            with nullcontext() if number == NONE else self.code.inside(ScopeKind.BLOCK, number):
                self.lower_each(_attributes(child))
                declared = self.lower(child.child_by_field_name("type"))
                self.type_clause(number, Role.TYPE, declared)
            default = child.child_by_field_name("default_value")
            value = self.lower(default)
            if default is not None and value == NONE:
                value = self.code.add(Op.OPAQUE)
            binding = BindingKind.PARAMETER
            if kind == _VARIADIC:
                binding, declared = BindingKind.VARIADIC, self.list_of([declared])
            self.bind_name(name, binding, value, declared)


def _attributes(node: Node) -> Sequence[Node]:
    return [child for child in node.children if child.type == "attribute_list"]
