"""Lowers types and declarators of C.

Primitive types say nothing here: a declaration `int x` has no annotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op
from code_graph.treesitter.code.declared_types import DeclaredTypes
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

# declarators inside one another
_DEEPEST: Final = 100
_TYPEOF: Final = frozenset({"typeof", "__typeof__", "__typeof", "typeof_unqual"})
_LAST_PART: Final = frozenset({"qualified_identifier", "dependent_name"})
# a step back over so many expressions takes one byte
_NEAR: Final = 100


class Declarator(NamedTuple):
    """The name, type and parameters that a declarator declares."""

    name: Node | None
    # the declarator with the parameters; of a function, or of a pointer to one
    function: Node | None
    is_function: bool
    arrays: int
    # the bounds of arrays
    bounds: Sequence[Node]
    # the number of pointers to the type that is written before it
    pointers: int = 0


_IDENTIFIERS: Final = frozenset({"identifier", "field_identifier", "type_identifier"})


def read_declarator(node: Node | None) -> Declarator:
    """The name in a declarator, with the declarators around it."""
    function: Node | None = None
    is_function, arrays, pointers, bounds = False, 0, 0, []
    for _ in range(_DEEPEST):
        if node is None or (kind := node.type) in _IDENTIFIERS:
            break
        inner: Node | None = None
        if kind in {"function_declarator", "abstract_function_declarator"}:
            function, is_function = node, True
            inner = node.child_by_field_name("declarator")
        elif kind in {"array_declarator", "abstract_array_declarator"}:
            arrays, is_function = arrays + (not is_function), False
            inner = node.child_by_field_name("declarator")
            bounds += [one for one in node.children if one.is_named and one != inner]
        elif kind.endswith("_declarator") and kind != "structured_binding_declarator":
            is_function = is_function and kind in _AROUND
            pointers += kind in _POINTERS
            inner = node.child_by_field_name("declarator") or _inner_declarator(node)
        elif kind == "pointer_type_declarator":
            inner = node.child_by_field_name("declarator")
        else:
            break
        node = inner
    return Declarator(node, function, is_function, arrays, bounds, pointers)


_POINTERS: Final = frozenset({"pointer_declarator", "abstract_pointer_declarator"})
_AROUND: Final = frozenset({"parenthesized_declarator", "attributed_declarator"})


def _inner_declarator(node: Node) -> Node | None:
    """The declarator in one that has no field for it."""
    first: Node | None = None
    for child in node.children:
        if child.is_named and not child.is_extra:
            kind = child.type
            if kind.endswith(("_declarator", "identifier", "_name")):
                return child
            first = first or child
    return None if first is None or first.type.startswith(("ms_", "attr", "type_")) else first


class CTypes(DeclaredTypes):
    """Types and declarators."""

    # true if the tags of structs are names of their own
    has_tags: ClassVar[bool] = True

    def record_type(self, node: Node) -> int:
        """A struct, union or enum by its tag, which may be declared here."""
        raise NotImplementedError

    def tag(self, node: Node) -> int:
        """The use of the tag of a struct, union or enum."""
        if not self.has_tags:
            return self.lower(node)
        number = self._literals.get("struct", NONE)
        if number == NONE or self.code.size - number > _NEAR:
            number = self._literals["struct"] = self.code.add(Op.NAME, name="struct")
        return self.member(number, node)

    def type_descriptor(self, node: Node) -> int:
        """A type with abstract declarators."""
        of = self.lower(node.child_by_field_name("type"))
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            return of
        return self.declared_type(of, read_declarator(declarator))

    def macro_type(self, node: Node) -> int:
        """`typeof(x)`, or another macro that gives a type."""
        name = node.child_by_field_name("name")
        inner = [child for child in node.children if child.type == "type_descriptor"]
        if name is None or self.source.of(name) not in _TYPEOF:
            of = NONE if name is None else self.name(name)
            items = [Argument(self.lower(child)) for child in inner]
            return self.code.add(Op.CALL, of, items=items)
        value = self.lower(inner[0]) if inner else NONE
        return NONE if value == NONE else self.code.add(Op.TYPE_OF, value)

    def declared_type(self, base: int, found: Declarator) -> int:
        """The type of a declared variable; none for functions."""
        for bound in found.bounds:
            self.lower(bound)
        if found.function is not None and not (found.is_function and found.name):
            parameters = found.function.child_by_field_name("parameters")
            base = self.code.add(Op.CALLABLE, base, items=self.parameter_types(parameters))
        for _ in range(found.arrays):
            base = self.list_of([base])
        return base

    def parameter_types(self, node: Node | None) -> list[Argument]:
        """The types of parameters whose names say nothing."""
        items: list[Argument] = []
        if node is None or self._depth >= self._deepest:
            if node is not None:
                self._names_only(node)
            return items
        self._depth += 1
        for child in node.children:
            if child.type.endswith("parameter_declaration"):
                declared = self.parameter_type(child, read_declarator(_declarator_of(child)))
                items.append(Argument(declared))
        self._depth -= 1
        return items

    def parameter_type(self, node: Node, found: Declarator) -> int:
        """The type of a parameter; a function stands for a pointer to it."""
        base = self.lower(node.child_by_field_name("type"))
        if found.function is not None:
            found = found._replace(is_function=False)
        return self.declared_type(base, found)

    def parameters(self, node: Node | None) -> None:
        """Bind parameters; those without a name have the blank one."""
        for child in () if node is None else node.children:
            if not child.is_named:
                continue
            kind = child.type
            if kind.endswith("parameter_declaration"):
                self.parameter(child, kind)
            elif kind == "identifier":
                self.old_parameter(child)
            elif kind == "variadic_parameter":
                self.variadic()
            elif child.is_error:
                self.lower(child)

    def parameter(self, node: Node, kind: str) -> None:
        """Bind one parameter."""
        declarator = _declarator_of(node)
        found = self.read_parameter(node)
        declared = self.parameter_type(node, found)
        value = self.lower(node.child_by_field_name("default_value"))
        how = BindingKind.VARIADIC if kind.startswith("variadic") else BindingKind.PARAMETER
        if found.name is not None and found.name.type.endswith("identifier"):
            self.bind_name(found.name, how, value, declared)
        elif declarator is not None or declared != NONE or not self.is_void(node):
            self.code.bind("_", how, annotation=declared)

    def read_parameter(self, node: Node) -> Declarator:
        """The name and type that a parameter declares."""
        return read_declarator(_declarator_of(node))

    def variadic(self) -> None:
        """Any number of further arguments."""
        self.code.bind("_", BindingKind.VARIADIC)

    def old_parameter(self, node: Node) -> None:
        """A parameter whose type is declared later."""
        self.bind_name(node, BindingKind.PARAMETER)

    def is_void(self, node: Node) -> bool:
        """True if a parameter stands for none."""
        base = node.child_by_field_name("type")
        return base is not None and self.source.of(base) == "void"


def _declarator_of(node: Node) -> Node | None:
    return node.child_by_field_name("declarator")


def last_name(node: Node | None) -> Node | None:
    """The last part of a qualified name."""
    for _ in range(_DEEPEST):
        if node is None:
            break
        if node.type in _LAST_PART:
            node = node.child_by_field_name("name") or node.children[-1]
        elif node.type in {"template_function", "template_method", "template_type"}:
            node = node.child_by_field_name("name")
        else:
            break
    return node
