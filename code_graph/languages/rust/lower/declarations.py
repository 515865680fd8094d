"""Lowers items of Rust: uses, types, traits, implementations, functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Code, Op, Role, ScopeKind
from code_graph.languages.rust.closed_types import DEREFERENCED
from code_graph.languages.rust.lower.patterns import RustPatterns
from code_graph.languages.rust.lower.values import PointedType
from code_graph.languages.rust.syntax import SHEET
from code_graph.treesitter.code.declared_types import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST_PATH: Final = 1_000
_ATTRIBUTES: Final = frozenset({"attribute_item", "inner_attribute_item"})


class Rust(RustPatterns):
    """Symbolic code of a Rust file."""

    sheet = SHEET

    # attributes above the item that is lowered next
    _attributes: Sequence[int] = ()

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.variables = set()
        self.left_with = []
        self.members_of(root)
        return self.code.finish()

    def members_of(self, node: Node) -> int:
        """Items; attributes belong to the item that follows."""
        self.items(node.children)
        return NONE

    def items(self, nodes: Sequence[Node]) -> int:
        """Items in order; the values of attributes wait for the item below them."""
        for child in nodes:
            if not child.is_named or child.is_extra:
                continue
            if child.type == "attribute_item":
                self._attributes = [*self._attributes, self.lower(child)]
                continue
            self.lower(child)
            self._attributes = ()
        return NONE

    def decorate(self, number: int) -> None:
        """Attributes of a declaration."""
        for value in self._attributes:
            self.type_clause(number, Role.DECORATOR, value)
        self._attributes = ()

    def attribute(self, node: Node) -> int:
        """An attribute; a CALL if it has arguments."""
        inner = [child for child in children_of(node) if child.type == "attribute"]
        if not inner or not inner[0].children:
            return NONE
        of = self.lower(inner[0].children[0])
        self.lower(inner[0].child_by_field_name("value"))
        arguments = inner[0].child_by_field_name("arguments")
        if arguments is None:
            return of
        return self.code.add(Op.CALL, of, items=self.tokens_of(arguments))

    # modules and uses

    def module(self, node: Node) -> int:
        """A module; one without a body is a file."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        self.decorate(number)
        body = node.child_by_field_name("body")
        if body is not None:
            with self.code.inside(ScopeKind.MODULE, number):
                self.lower(body)
        return NONE

    def extern_crate(self, node: Node) -> int:
        """A crate."""
        name = node.child_by_field_name("alias") or node.child_by_field_name("name")
        number = NONE if name is None else self.imported_at(node, self.spelled(name))
        if number == NONE and name is not None:
            number = self.imported_at(node, "")
        if number != NONE:
            self.bind_name(name, BindingKind.IMPORTED, number)
        return NONE

    def use_declaration(self, node: Node) -> int:
        """Imported names; those of a `pub use` are exported too."""
        is_public = any(child.type == "visibility_modifier" for child in node.children)
        argument = node.child_by_field_name("argument")
        left = [] if argument is None else [(argument, "")]
        while left:
            one, prefix = left.pop()
            kind = one.type
            if kind == "use_list":
                left += [(child, prefix) for child in reversed(children_of(one))]
            elif kind == "scoped_use_list":
                path = one.child_by_field_name("path")
                before = prefix if path is None else self.joined(prefix, path)
                if len(before) > _LONGEST_PATH:
                    continue
                inner = one.child_by_field_name("list")
                left += [] if inner is None else [(inner, before)]
            else:
                self.used(node, one, prefix, is_public=is_public)
        return NONE

    def joined(self, prefix: str, path: Node) -> str:
        """A path in another one."""
        text = "".join(self.source.of(path).split())
        return f"{prefix}::{text}" if prefix else text

    def used(self, statement: Node, node: Node, prefix: str, *, is_public: bool) -> None:
        """One imported name, or all of a module."""
        kind = node.type
        path: Node | None = node
        alias: Node | None = None
        if kind == "use_wildcard":
            inner = children_of(node)
            module = self.joined(prefix, inner[0]) if inner else prefix
            names = "*", "*", module
            self.import_name(statement, "", node.children[-1], names, is_public=is_public)
            return
        if kind == "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
        if path is None:
            return
        whole = self.joined(prefix, path)
        module, _, name = whole.rpartition("::")
        last = path.child_by_field_name("name") or path
        if name == "self":
            module, _, name = module.rpartition("::")
        bound = name if alias is None else self.spelled(alias)
        at = last if alias is None else alias
        self.import_name(statement, bound, at, (bound, name, module), is_public=is_public)

    def import_name(
        self, statement: Node, bound: str, at: Node, names: tuple[str, str, str], *, is_public: bool
    ) -> None:
        """Bind an imported name and export a public one."""
        number = self.imported_at(statement, bound)
        local, name, module = names
        if number != NONE:
            line, column = self.place(at) if self.source.of(at) == local else (0, 0)
            self.code.bind(local, BindingKind.IMPORTED, number, line=line, column=column)
        if is_public:
            self.code.export(local, name if module else "", module or name)

    # types

    def type_declaration(self, node: Node) -> int:
        """A struct, union, enum or trait."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        self.decorate(number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.type_parameters(node, number)
            for bound in self.bounds(node.child_by_field_name("bounds")):
                self.type_clause(number, Role.BASE, bound)
            with self.code.inside(ScopeKind.CLASS, number):
                self.members(node.child_by_field_name("body"), number)
        return NONE

    def members(self, node: Node | None, number: int) -> None:
        """Fields, variants or methods."""
        if node is None:
            return
        if node.type == "ordered_field_declaration_list":
            self.positional(node, number)
            return
        for child in children_of(node):
            if child.type == "field_declaration":
                self.field(child)
            elif child.type == "enum_variant":
                self.variant(child)
            elif child.type in _ATTRIBUTES:
                self._attributes = [*self._attributes, self.lower(child)]
            else:
                self.lower(child)
                self._attributes = ()

    def field(self, node: Node) -> None:
        """A field."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.decorate(number)
        declared = self.lower(node.child_by_field_name("type"))
        self.type_clause(number, Role.TYPE, declared)
        self.bind_name(name, BindingKind.DECLARED, NONE, declared, number)

    def positional(self, node: Node, number: int) -> None:
        """Fields without names: the TYPE is a tuple, and so are the parameters to make one."""
        items: list[Argument] = []
        for child in children_of(node):
            if child.type in _ATTRIBUTES:
                self.lower(child)
            elif child.type != "visibility_modifier":
                items.append(Argument(self.lower(child)))
        for at, item in enumerate(items):
            self.code.bind(str(at), BindingKind.DECLARED, annotation=item.value)
        if items:
            self.type_clause(number, Role.TYPE, self.code.add(Op.TUPLE, items=items))

    def variant(self, node: Node) -> None:
        """A variant of an enum, maybe with fields."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.decorate(number)
        value = self.lower(node.child_by_field_name("value"))
        self.bind_name(name, BindingKind.DECLARED, value, declaration=number)
        body = node.child_by_field_name("body")
        if body is not None:
            with self.code.inside(ScopeKind.CLASS, number):
                self.members(body, number)

    def implementation(self, node: Node) -> int:
        """Members of a type, maybe for a trait."""
        target = node.child_by_field_name("type")
        number = self.implemented(target)
        self.decorate(number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.type_parameters(node, number)
            self.type_clause(number, Role.IMPLEMENTS, self.lower(node.child_by_field_name("trait")))
            receiver = self.lower(target)
            self.type_clause(number, Role.RECEIVER, receiver)
            outer, self.pointed = self.pointed, self.pointed_by(target, receiver)
            with self.code.inside(ScopeKind.CLASS, number):
                self.members(node.child_by_field_name("body"), number)
            self.pointed = outer
        return NONE

    def pointed_by(self, target: Node | None, receiver: int) -> PointedType:
        """The target of a reference or pointer that a block is for; receivers are references."""
        if target is None or target.type == "reference_type":
            return PointedType(1, receiver if target is not None else NONE)
        name = target.child_by_field_name("type")
        held = self.code.expression(receiver).items if receiver != NONE else ()
        is_pointer = name is not None and self.source.of(name).rpartition("::")[2] in DEREFERENCED
        return PointedType(2, held[-1].value if is_pointer and held else NONE)

    def implemented(self, node: Node | None) -> int:
        """The declaration of an implementation, which has the name of its type."""
        while node is not None:
            if node.type == "scoped_type_identifier":
                node = node.child_by_field_name("name") or node
                break
            inner = node.child_by_field_name("type")
            if inner is None or node.type not in {"generic_type", "reference_type"}:
                break
            node = inner
        return self.declaration_of(node)

    def alias(self, node: Node) -> int:
        """A name for a type; one in a trait may have bounds."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        self.decorate(number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.type_parameters(node, number)
            for bound in self.bounds(node.child_by_field_name("bounds")):
                self.type_clause(number, Role.BASE, bound)
            self.type_clause(number, Role.ALIAS, self.lower(node.child_by_field_name("type")))
        return NONE

    def type_parameters(self, node: Node, number: int) -> None:
        """Bind type parameters, with their bounds as clauses."""
        parameters = children_of(node.child_by_field_name("type_parameters"))
        for one in parameters:
            if one.type != "lifetime_parameter":
                self.bind_name(one.child_by_field_name("name"), BindingKind.DECLARED)
        for one in parameters:
            name = one.child_by_field_name("name")
            if name is None or one.type == "lifetime_parameter":
                continue
            self.lower(one.child_by_field_name("default_type"))
            if one.type == "const_parameter":
                self.lower(one.child_by_field_name("type"))
                continue
            self.bounded(number, self.spelled(name), one.child_by_field_name("bounds"))
        for child in node.children:
            if child.type == "where_clause":
                for one in children_of(child):
                    left = one.child_by_field_name("left")
                    self.lower(left)
                    text = "" if left is None else self.source.of(left)
                    self.bounded(number, text[:80], one.child_by_field_name("bounds"))

    def bounded(self, number: int, name: str, node: Node | None) -> None:
        """The bounds of a type parameter."""
        for value in self.bounds(node) or [NONE]:
            self.code.clause(number, Role.TYPE_PARAMETER, value, name)

    def bounds(self, node: Node | None) -> list[int]:
        """Bounds without lifetimes."""
        return self.lower_each(children_of(node))

    # functions and values

    def function_item(self, node: Node) -> int:
        """A function with or without a body."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        self.decorate(number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.type_parameters(node, number)
            for child in children_of(node.child_by_field_name("parameters")):
                self.parameter(child)
            result = self.lower(node.child_by_field_name("return_type"))
            self.type_clause(number, Role.RESULT, result)
            self.result(self.body(node.child_by_field_name("body")))
        return NONE

    def parameter(self, node: Node) -> None:
        """Bind a parameter; `self` is one."""
        kind = node.type
        if kind == "self_parameter":
            for child in node.children:
                if child.type == "self":
                    self.bind_name(child, BindingKind.PARAMETER)
            return
        if kind in _ATTRIBUTES:
            self.lower(node)
            return
        declared = NONE
        pattern: Node | None = node
        if kind == "parameter":
            declared = self.lower(node.child_by_field_name("type"))
            pattern = node.child_by_field_name("pattern")
        while pattern is not None and pattern.type in {"mut_pattern", "ref_pattern"}:
            pattern = pattern.children[-1]
        if pattern is not None and pattern.type in {"identifier", "self"}:
            self.bind_name(pattern, BindingKind.PARAMETER, annotation=declared)
            return
        name = "_" if kind in {"parameter", "variadic_parameter", "_"} else f"({node.start_byte})"
        self.code.bind(name, BindingKind.PARAMETER, annotation=declared)
        if pattern is not None and kind not in {"variadic_parameter", "_"}:
            # a closure's parameter without a type is of the one that is expected
            value = self.code.add(Op.NAME, name=name) if name != "_" else NONE
            self.bind_pattern(pattern, value if declared == NONE else self.cast(NONE, declared))

    def constant(self, node: Node) -> int:
        """A constant or static variable."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        outer = self.code.binding_scope()
        self.decorate(number)
        with self.code.inside(ScopeKind.BLOCK, number):
            declared = self.lower(node.child_by_field_name("type"))
            value = self.lower(node.child_by_field_name("value"))
        self.type_clause(number, Role.TYPE, declared)
        kind = BindingKind.ASSIGNED if number == NONE else BindingKind.DECLARED
        self.bind_name(name, kind, value, declared, number, outer)
        return NONE

    def macro(self, node: Node) -> int:
        """A macro; its body is text."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.decorate(number)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        return NONE

    def foreign(self, node: Node) -> int:
        """Declarations of another language."""
        return self.members_of(node)
