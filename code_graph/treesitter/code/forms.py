"""Forms: what nodes of many languages are, and how their parts are lowered.

A form takes a row of a sheet and gives the handler of its nodes. Parts are lowered in the order of
the row, each by the method that its slot names: it gets the part and the declaration's number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from code_graph.expressions import NONE, BindingKind, Role, ScopeKind
from code_graph.treesitter.code.declared_types import DeclaredTypes
from code_graph.treesitter.sheet import SheetRow
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.declared_types import Handler

    # finds a part of a node
    Pick: TypeAlias = Callable[[Node], Node | None]

_MEMBERS: Final = "members"
_PARAMETERS: Final = "parameters"
_RECEIVER: Final = "receiver"


class Forms(DeclaredTypes):
    """Symbolic code of a language with a sheet."""

    # the fields that parameters of the open type declare: name, type and number
    _fields: tuple[tuple[Node, int, int], ...] = ()

    def _handler_named(self, form: str, node: str) -> Handler:
        """The handler of nodes of a form."""
        make = FORMS.get(form)
        if make is None or self.sheet is None:
            return super()._handler_named(form, node)
        return make(self.sheet.rows[node])

    # parts

    def declared_at(self, name: Node | None) -> int:
        """The number of the declaration with its name at this node, or NONE."""
        return self.declaration_of(name)

    def lower_parts(self, node: Node, slots: Slots, number: int) -> None:
        """Lower the parts of a declaration in the order of the row."""
        parts: list[tuple[int, Node]] = []
        is_behind = False
        by_field = [(node.child_by_field_name(field), places) for field, places in slots.by_field]
        for child in node.children:
            places = slots.by_type.get(child.type) or next(
                (places for part, places in by_field if part == child), ()
            )
            if places:
                # a receiver stands before parameters, and may be what a result is
                place = places[-1] if is_behind else places[0]
                is_behind = is_behind or slots.names[place] == _PARAMETERS
                parts.append((place, child))
            elif child.is_error:
                parts.append((len(slots.names), child))
        parts.sort(key=_place)
        for place, child in parts:
            if place == len(slots.names):
                self.lower(child)
            elif slots.names[place] != _MEMBERS:
                getattr(self, slots.names[place])(child, number)

    def block_body(self, node: Node, number: int) -> None:
        """The statements of a body."""
        del number
        self.lower_each(node.children)

    def evaluated(self, node: Node, number: int) -> None:
        """A part that says nothing of the declaration."""
        del number
        self.lower(node)

    def attributes(self, node: Node, number: int) -> None:
        """Attributes or annotations of a declaration."""
        for value in self.lower_each(node.children):
            self.code.clause(number, Role.DECORATOR, value)

    def raised(self, node: Node, number: int) -> None:
        """The exceptions that a function says it raises."""
        for value in self.lower_each(node.children):
            self.code.clause(number, Role.RAISES, value)

    def base_type(self, node: Node, number: int) -> None:
        """The only type that a type derives from."""
        self.type_clause(number, Role.BASE, self.pass_through(node))

    def result_type(self, node: Node, number: int) -> None:
        """The type of the result of a function."""
        self.type_clause(number, Role.RESULT, self.lower(node))

    def receiver(self, node: Node, number: int) -> None:
        """The object that an extension is called on."""
        declared = self.lower(node)
        self.type_clause(number, Role.RECEIVER, declared)
        self.code.bind("this", BindingKind.PARAMETER, annotation=declared)

    def aliased(self, node: Node, number: int) -> None:
        """The type that a name stands for."""
        self.type_clause(number, Role.ALIAS, self.lower(node))


def _named(row: SheetRow) -> Pick:
    """Finds the name of a declaration, as the query does."""
    picks = [_picked(selector) for selector in row.value("@name").split("|")]

    def pick(node: Node) -> Node | None:
        for one in picks:
            name = one(node)
            if name is not None:
                return name
        return None

    return pick


def _picked(selector: str) -> Pick:
    if selector.endswith(":"):
        field = selector[:-1]
        return lambda node: node.child_by_field_name(field)
    kind = selector.strip('"')
    return lambda node: next((child for child in node.children if child.type == kind), None)


class Slots(NamedTuple):
    """The methods that lower parts of a declaration, and whose they are by types and fields."""

    names: Sequence[str]
    by_type: Mapping[str, tuple[int, ...]]
    by_field: Sequence[tuple[str, tuple[int, ...]]]


def slots_of(row: SheetRow) -> Slots:
    """The parts that a row names."""
    by_type: dict[str, tuple[int, ...]] = {}
    by_field: list[tuple[str, tuple[int, ...]]] = []
    names = [name for name, _ in row.parts()]
    for place, (_, kinds) in enumerate(row.parts()):
        for kind in kinds:
            if kind.endswith(":"):
                by_field.append((kind[:-1], (place,)))
            else:
                by_type[kind] = (*by_type.get(kind, ()), place)
    return Slots(names, by_type, by_field)


def _place(part: tuple[int, Node]) -> int:
    return part[0]


def _type(row: SheetRow) -> Handler:
    """A type: its head in a BLOCK, its members in a CLASS."""
    named, slots = _named(row), slots_of(row)
    bodies = frozenset(kind for name, kinds in row.parts() if name == _MEMBERS for kind in kinds)

    def lower(lowering: Any, node: Node) -> int:  # noqa: ANN401 of the language
        name = named(node)
        number = lowering.declared_at(name)
        lowering.bind_name(name, BindingKind.DECLARED, declaration=number)
        around, lowering._fields = lowering._fields, ()
        with lowering.code.inside(ScopeKind.BLOCK, number):
            lowering.lower_parts(node, slots, number)
            with lowering.code.inside(ScopeKind.CLASS, number):
                for field, declared, inner in lowering._fields:
                    lowering.type_clause(inner, Role.TYPE, declared)
                    lowering.bind_name(field, BindingKind.DECLARED, NONE, declared, inner)
                for child in node.children:
                    if child.type in bodies or child.is_error:
                        lowering.lower_each(child.children)
        lowering._fields = around
        return NONE

    return lower


def _scoped(kind: ScopeKind) -> Callable[[SheetRow], Handler]:
    """A declaration with a scope of its own; no name finds an `unbound` one."""

    def form(row: SheetRow) -> Handler:
        named, slots, is_bound = _named(row), slots_of(row), ("unbound", "") not in row.slots

        def lower(lowering: Any, node: Node) -> int:  # noqa: ANN401 as above
            name = named(node)
            number = lowering.declared_at(name)
            if is_bound:
                lowering.bind_name(name, BindingKind.DECLARED, declaration=number)
            with lowering.code.inside(kind, number):
                lowering.lower_parts(node, slots, number)
            return NONE

        return lower

    return form


FORMS: Final[Mapping[str, Callable[[SheetRow], Handler]]] = {
    "type": _type,
    "function": _scoped(ScopeKind.FUNCTION),
    "head": _scoped(ScopeKind.BLOCK),
}
