"""Lowers declarations of Swift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.swift.lower.statements import SwiftStatements
from code_graph.languages.swift.syntax import SHEET
from code_graph.treesitter.code.declared_types import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

# declarations whose names are words of the language
_WORDS: Final = frozenset({"init", "deinit", "subscript"})
# bytes of a list of parameters whose text may be cut, and parameters that are told apart
_LONG_LIST: Final = 120
_MOST_PARAMETERS: Final = 100
_ACCESSORS: Final = {
    "computed_setter": "newValue",
    "willset_clause": "newValue",
    "didset_clause": "oldValue",
}


class Swift(SwiftStatements):
    """Symbolic code of a Swift file."""

    sheet = SHEET

    def import_declaration(self, node: Node) -> int:
        """An imported module with all its names, or one name of it."""
        self.decorate(node, NONE)
        for child in children_of(node):
            if child.type != "identifier" or not child.children:
                continue
            last = child.children[-1]
            text = self.spelled(last)
            number = self.imported_at(node, text)
            bound = text
            if number == NONE:
                number, bound = self.imported_at(node, ""), "*"
            if number != NONE:
                line, column = self.place(last)
                self.code.bind(bound, BindingKind.IMPORTED, number, line=line, column=column)
        return NONE

    def attribute(self, node: Node) -> int:
        """An attribute; a CALL if it has arguments, but for the compiler's own."""
        of, name = NONE, ""
        items: list[Argument] = []
        is_own = False
        children = [child for child in node.children if not child.is_extra]
        for child, after in zip(children, [*children[1:], None], strict=True):
            if child.type == "user_type":
                of = self.lower(child)
                # by convention, types begin with a capital
                is_own = self.source.of(child)[:1].islower()
            elif child.type == "simple_identifier" and (
                is_own or (after is not None and after.type == ":")
            ):
                name = self.spelled(child)
            elif child.is_named:
                items.append(Argument(self.lower(child), name))
                name = ""
        is_call = any(child.type == "(" for child in children)
        return self.code.add(Op.CALL, of, items=items) if is_call and not is_own else of

    def decorate(self, node: Node, number: int) -> None:
        """Attributes at the beginning of a declaration; those with arguments are calls."""
        for child in node.children:
            if child.type == "modifiers":
                attributes = [one for one in children_of(child) if one.type == "attribute"]
                for value in self.lower_each(attributes):
                    self.decorated(number, value)
            elif child.type == "attribute":
                self.decorated(number, self.lower(child))
            elif not child.is_extra:
                break

    def decorated(self, number: int, value: int) -> None:
        """The type of an attribute."""
        item = self.code.expression(value) if value != NONE else None
        is_call = item is not None and item.op == Op.CALL
        self.type_clause(number, Role.DECORATOR, item.of if item and is_call else value)

    # types

    def type_declaration(self, node: Node) -> int:
        """A class, struct, enum, actor, protocol or extension."""
        name = node.child_by_field_name("name")
        number = self.declared_at(name)
        kind = node.child_by_field_name("declaration_kind")
        is_extension = kind is not None and kind.type == "extension"
        if not is_extension:
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.decorate(node, number)
            if is_extension:
                self.type_clause(number, Role.RECEIVER, self.lower(name))
            for child in children_of(node):
                if child.type == "type_parameters":
                    self.type_parameters(child, number)
            for child in children_of(node):
                if child.type == "inheritance_specifier":
                    self.type_clause(number, Role.BASE, self.first_child(child))
                elif child.type == "type_constraints":
                    self.constraints(child, number)
            with self.code.inside(ScopeKind.CLASS, number):
                for child in children_of(node):
                    if child.type.endswith("_body") or child.is_error:
                        self.lower_each(child.children)
        return NONE

    def type_parameters(self, node: Node, number: int) -> None:
        """Bind type parameters, with their bounds as clauses."""
        for child in children_of(node):
            if child.type != "type_parameter":
                self.lower(child)
                continue
            names = [one for one in children_of(child) if one.type == "type_identifier"]
            bounds = self.lower_each([one for one in children_of(child) if one not in names])
            if names:
                self.bind_name(names[0], BindingKind.DECLARED)
                for bound in bounds or [NONE]:
                    self.code.clause(number, Role.TYPE_PARAMETER, bound, self.spelled(names[0]))

    def constraints(self, node: Node, number: int) -> None:
        """Bounds of type parameters behind `where`."""
        for child in children_of(node):
            for one in children_of(child):
                parts = children_of(one)
                values = [self.marking_optional(part) for part in parts]
                if values and values[0] != NONE:
                    self.code.add(Op.APPLY, values[0])  # a type, as what stands behind it
                if len(parts) > 1:
                    text = self.source.of(parts[0])[:80]
                    self.code.clause(number, Role.TYPE_PARAMETER, values[-1], text)
                    if one.type == "equality_constraint":
                        self.code.clause(number, Role.TYPE_PARAMETER, values[-1], f"{text} ==")

    def enum_entry(self, node: Node) -> int:
        """Cases of an enum, maybe with values."""
        number = NONE
        self.decorate(node, NONE)
        for child in children_of(node):
            kind = child.type
            if kind == "simple_identifier":
                number = self.declared_at(child)
                self.bind_name(child, BindingKind.DECLARED, declaration=number)
            elif kind == "enum_type_parameters":
                self.type_clause(number, Role.TYPE, self.enum_values(child))
            elif kind != "modifiers":
                self.lower(child)
        return NONE

    def enum_values(self, node: Node) -> int:
        """The types of what a case carries, by their labels."""
        items: list[Argument] = []
        label = ""
        children = [child for child in node.children if not child.is_extra]
        for at, child in enumerate(children):
            if child.type == "simple_identifier" and children[at + 1].type == ":":
                label = self.spelled(child)
            elif child.is_named:
                number = self.lower(child)
                if at and children[at - 1].type == "=":
                    continue
                items.append(Argument(number, label))
                label = ""
        return self.code.add(Op.TUPLE, items=items) if items else NONE

    def alias(self, node: Node) -> int:
        """A name for a type; one in a protocol has bounds."""
        name = next((one for one in children_of(node) if one.type == "type_identifier"), None)
        number = self.declared_at(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        is_open = node.type == "associatedtype_declaration"
        role = Role.TYPE_PARAMETER if is_open else Role.ALIAS
        own = self.spelled(name) if is_open and name is not None else ""
        with self.code.inside(ScopeKind.BLOCK, number):
            self.decorate(node, number)
            for child in children_of(node):
                if child.type == "type_parameters":
                    self.type_parameters(child, number)
                elif child.type == "type_constraints":
                    self.constraints(child, number)
                elif child != name and child.type != "modifiers":
                    self.code.clause(number, role, self.lower(child), own)
        return NONE

    def operator_declaration(self, node: Node) -> int:
        """An operator or its precedence."""
        for child in node.children:
            number = self.declared_at(child)
            if number != NONE:
                self.bind_name(child, BindingKind.DECLARED, declaration=number)
                return NONE
        return NONE

    # functions

    def function_declaration(self, node: Node) -> int:
        """A function, initialiser, subscript or macro."""
        name = self.name_of_function(node)
        number = self.declared_at(name)
        if name is not None and name.type not in _WORDS:
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.decorate(node, number)
            for child in children_of(node):
                if child.type == "type_parameters":
                    self.type_parameters(child, number)
            self.signature(node, name, number)
        return NONE

    def name_of_function(self, node: Node) -> Node | None:
        """The node of a function's name."""
        found = None
        for child in node.children:
            if child.type in _WORDS:
                return child
            if found is None and child.type == "simple_identifier":
                found = child
        if found is not None:
            return found
        return node.child_by_field_name("name")

    def signature(self, node: Node, name: Node | None, number: int) -> None:
        """Parameters, result and body."""
        before = ""
        result = NONE
        written: list[Node] = []
        children = [child for child in node.children if not child.is_extra]
        for child, mark, default in zip(
            children, [*children[1:], None], [*children[2:], None, None], strict=True
        ):
            kind = child.type
            if kind == "parameter":
                written.append(child)
                has_default = mark is not None and mark.type == "=" and default is not None
                self.parameter(child, default if has_default else None)
            elif before == "=" and child.is_named:
                pass  # the default of a parameter, which is lowered with it
            elif before == "->" and child.is_named:
                result = self.marking_optional(child)
                self.type_clause(number, Role.RESULT, result)
            elif kind == "function_body":
                for inner in children_of(child):
                    self.body(inner) if inner.type == "statements" else self.lower(inner)
            elif kind == "computed_property":
                self.accessors(child, number, result)
            elif kind == "type_constraints":
                self.constraints(child, number)
            elif child.is_named and kind not in {"modifiers", "type_parameters"} and child != name:
                self.lower(child)
            before = kind
        self.parameters_written(written, number)

    def parameters_written(self, nodes: list[Node], number: int) -> None:
        """The labels of a long list of parameters, of which the declaration has no whole text."""
        if not nodes or nodes[-1].end_byte - nodes[0].start_byte < _LONG_LIST:
            return
        for node in nodes[:_MOST_PARAMETERS]:
            after = node.next_sibling
            default = " = …" if after is not None and after.type == "=" else ""
            head, colon, rest = self.source.of(node).partition(":")
            text = f"{head[-80:]}{colon} {'...' if rest.endswith('...') else ''}{default}"
            self.code.clause(number, Role.PARAMETER, NONE, text)

    def parameter(self, node: Node, default: Node | None) -> None:
        """Bind a parameter by its name in the body."""
        name: Node | None = None
        declared = NONE
        kind = BindingKind.PARAMETER
        has_type = is_deferred = False
        for child in node.children:
            if child.type == ":":
                has_type = True
            elif child.type == "...":
                kind = BindingKind.VARIADIC
            elif child.type == "simple_identifier" and not has_type:
                name = child
            elif child.type == "parameter_modifiers":
                is_deferred = "@autoclosure" in self.source.of(child)
            elif child.is_named:
                number = self.marking_optional(child)
                declared = number if number != NONE else declared
        if is_deferred and declared != NONE:
            item = self.code.expression(declared)
            declared = item.of if item.op == Op.CALLABLE else declared
        if kind == BindingKind.VARIADIC:
            declared = self.list_of([declared])
        self.bind_name(name, kind, self.lower(default), declared)

    # properties

    def property_declaration(self, node: Node) -> int:
        """Properties, or variables of a function."""
        outer = self.code.binding_scope()
        children = [child for child in node.children if not child.is_extra]
        at = 0
        starts = [at for at, child in enumerate(children) if child.type == "pattern"]
        for begin, end in zip(starts, [*starts[1:], len(children)], strict=True):
            self.property(node, children[begin], children[begin + 1 : end], outer)
            at = end
        if not at:
            self.lower_each(children)
        return NONE

    def property(self, node: Node, pattern: Node, rest: list[Node], outer: int) -> None:
        """One property with its type, value and accessors."""
        name = self.name_in(pattern)
        number = self.declared_at(name)
        inside = self.code.enter(ScopeKind.BLOCK, number) if number != NONE else NONE
        self.decorate(node, number)
        declared, value = NONE, NONE
        before = ""
        for child in rest:
            kind = child.type
            if kind == "type_annotation":
                declared = self.marking_optional(child)
            elif before == "=":
                value = self.lower(child)
            elif kind in {"computed_property", "willset_didset_block"}:
                self.accessors(child, number, declared)
            elif child.is_named:
                self.lower(child)
            before = kind
        if inside != NONE:
            self.code.scope = inside
        self.type_clause(number, Role.TYPE, declared)
        how = BindingKind.ASSIGNED if number == NONE else BindingKind.DECLARED
        if name is not None:
            self.bind_name(name, how, value, declared, number, outer)
        else:
            self.tuple_of(pattern, self.cast(value, declared))

    def tuple_of(self, pattern: Node, value: int) -> None:
        """Variables for the parts of a tuple."""
        position = 0
        for child in pattern.children:
            if child.type == ",":
                position += 1
            elif child.type == "pattern":
                name = self.name_in(child)
                part = self.part_of(value, position)
                number = self.declared_at(name)
                if name is None:
                    self.bind_pattern(child.children, part, binds=True)
                else:
                    kind = BindingKind.ASSIGNED if number == NONE else BindingKind.DECLARED
                    self.bind_name(name, kind, part, declaration=number)
            elif child.type != "value_binding_pattern" and child.is_named:
                self.lower(child)

    def name_in(self, pattern: Node) -> Node | None:
        """The name of a pattern that is nothing but a name."""
        named = [one for one in children_of(pattern) if one.type != "value_binding_pattern"]
        return named[0] if len(named) == 1 and named[0].type == "simple_identifier" else None

    def accessors(self, node: Node, number: int, declared: int) -> None:
        """A getter, a setter and the like."""
        for child in children_of(node):
            kind = child.type
            if kind == "statements":
                with self.code.inside(ScopeKind.FUNCTION, number):
                    self.body(child)
            elif kind.startswith("computed_") or kind.endswith("_clause"):
                with self.code.inside(ScopeKind.FUNCTION, number):
                    self.accessor(child, kind, declared)
            else:
                self.lower(child)

    def accessor(self, node: Node, kind: str, declared: int) -> None:
        """One accessor, maybe with a parameter."""
        names = [child for child in children_of(node) if child.type == "simple_identifier"]
        if names:
            self.bind_name(names[0], BindingKind.PARAMETER, NONE, declared)
        elif kind in _ACCESSORS:
            self.code.bind(_ACCESSORS[kind], BindingKind.PARAMETER, annotation=declared)
        for child in children_of(node):
            if child.type == "statements":
                self.body(child)
            elif child not in names:
                self.lower(child)
