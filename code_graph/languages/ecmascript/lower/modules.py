"""Lowers imports and exports of all forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.ecmascript.lower.functions import Functions
from code_graph.treesitter.code.lowering import first

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPORTS: Final = ("exports.", "module.exports.")
_NAMED_PATTERNS: Final = frozenset(
    {"identifier", "shorthand_property_identifier_pattern", "type_identifier"}
)
_VARIABLES: Final = frozenset({"lexical_declaration", "variable_declaration"})


class ModuleSyntax(Functions):
    """Lowers what modules take from each other and give."""

    # names that are exported already, from where
    given: set[tuple[str, str, str]]

    def import_(self, node: Node) -> int:
        """`import …`: each name is bound to its import."""
        module = self._module_text(node)
        source = NONE
        for clause in node.named_children:
            if clause.type == "import_require_clause":
                self._bind_import(node, first(clause))
            elif clause.type == "import_clause":
                for child in clause.named_children:
                    if child.type == "identifier":
                        self._bind_import(node, child)
                    elif child.type == "namespace_import":
                        self._bind_import(node, first(child))
                    elif child.type == "named_imports":
                        source = self._specifiers(node, child, module, source)
        return NONE

    def _specifiers(self, node: Node, clause: Node, module: str, source: int) -> int:
        for child in clause.named_children:
            name = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias")
            if child.type != "import_specifier" or name is None:
                continue
            if alias is not None:
                source = self._module(module, source)
                self._member_of_module(source, name)
            self._bind_import(node, alias or name)
        return source

    def _bind_import(self, statement: Node, name: Node | None) -> None:
        if name is None:
            return
        number = self.imported_at(statement, self.source.of(name))
        self.bind(name, BindingKind.IMPORTED, number)

    def _module_text(self, node: Node) -> str:
        source = node.child_by_field_name("source")
        return "" if source is None else self.source.of(source).strip("\"'`")

    def _module(self, module: str, known: int) -> int:
        """The module itself, as what `require` gives."""
        if known != NONE:
            return known
        of = self.code.add(Op.NAME, NONE, "require")
        return self.code.add(Op.CALL, of, "", [Argument(self.code.add(Op.TEXT, NONE, module))])

    def _member_of_module(self, source: int, name: Node) -> int:
        if name.type == "string":
            return self.code.add(Op.INDEX, source, self.key(name))
        return self.member(source, name)

    def import_alias(self, node: Node) -> int:
        """`import A = B.C`."""
        children = [child for child in node.named_children if not child.is_extra]
        if len(children) > 1:
            self.bind(children[0], value=self.lower(children[1]))
        return NONE

    def export(self, node: Node) -> int:
        """`export …`."""
        source = node.child_by_field_name("source")
        declaration = node.child_by_field_name("declaration")
        words = [child.type for child in node.children[:3]]
        decorators = [
            self.lower(first(child)) for child in node.children if child.type == "decorator"
        ]
        if source is not None:
            self._reexport(node)
        elif declaration is not None:
            self._exported_declaration(declaration, decorators, is_default="default" in words)
        elif "default" in words:
            self._default(node)
        elif "=" in words:
            self._whole(node)
        elif "namespace" in words:
            pass  # the name of the module for scripts without modules
        else:
            self._clause(node)
        return NONE

    def _give(self, name: str, local: str = "", module: str = "", value: int = NONE) -> None:
        """Export a name; the exports of a namespace are its members."""
        key = name, local, module
        if key not in self.given and self.code.binding_scope(ScopeKind.MODULE) == 0:
            self.given.add(key)
            self.code.export(name, local, module, value)

    def _name_in_namespace(self, node: Node, name: str, value: int) -> None:
        """Bind what `declare module "m"` gives as a whole or by default, as by a name in it."""
        if self.code.binding_scope(ScopeKind.MODULE) != 0:
            self.bind(node, value=value, name=name)

    def _reexport(self, node: Node) -> None:
        module = self._module_text(node)
        source = NONE
        for child in node.named_children:
            if child.type == "namespace_export":
                name = first(child)
                self._give("" if name is None else self.key(name), "*", module)
                return
            if child.type != "export_clause":
                continue
            for name, alias in _specified(child):
                source = self._module(module, source)
                value = self._member_of_module(source, name)
                self._give(self.key(alias or name), self.key(name), module, value)
            return
        self._give("*", "", module)

    def _clause(self, node: Node) -> None:
        for child in node.named_children:
            if child.type != "export_clause":
                self.lower(child)
                continue
            for name, alias in _specified(child):
                value = self.name(name)
                self._give(self.key(alias or name), self.source.of(name), "", value)
                if alias is not None and self.code.binding_scope(ScopeKind.MODULE) != 0:
                    self.bind(alias, value=value)  # a namespace has it by this name

    def _exported_declaration(
        self, declaration: Node, decorators: list[int], *, is_default: bool
    ) -> None:
        name = declaration.child_by_field_name("name")
        self.lower(declaration)
        for number in decorators:
            self.code.clause(self.declaration_of(name), Role.DECORATOR, number)
        inner: Node | None = declaration
        if declaration.type == "ambient_declaration":
            inner = first(declaration)
        if inner is None:
            return
        if inner.type in _VARIABLES:
            for text in self._bound_names(inner):
                self._give(text, text)
            return
        name = inner.child_by_field_name("name") or (
            first(inner) if inner.type == "import_alias" else None
        )
        text = "" if name is None else self.source.of(name)
        if text:
            self._give("default" if is_default else text, text)
        if text and is_default and name is not None:
            self._name_in_namespace(name, "default", self.name(name))

    def _bound_names(self, node: Node) -> Iterator[str]:
        """The names that a declaration of variables binds."""
        left = [
            name
            for child in reversed(node.named_children)
            if (name := child.child_by_field_name("name")) is not None
        ]
        while left:
            inner = left.pop()
            if inner.type in _NAMED_PATTERNS:
                yield self.source.of(inner)
            elif inner.type == "pair_pattern":
                left += [value for value in (inner.child_by_field_name("value"),) if value]
            elif inner.type in ("object_assignment_pattern", "assignment_pattern"):
                left += [value for value in (inner.child_by_field_name("left"),) if value]
            elif inner.type in ("object_pattern", "array_pattern", "rest_pattern"):
                left += reversed(inner.named_children)

    def _default(self, node: Node) -> None:
        """`export default a`: the word is the name of a function or class without one."""
        word = next((child for child in node.children if child.type == "default"), None)
        declaration = self.declaration_of(word)
        value = node.child_by_field_name("value")
        number = self.value(value, declaration, wraps=True)
        local = ""
        if value is not None and value.type == "identifier":
            local = self.source.of(value)
        if declaration != NONE and word is not None:
            self.bind(word, value=number, declaration=declaration)
            local = "default"
        self._give("default", local, "", number)
        if value is not None and declaration == NONE:
            self._name_in_namespace(value, "default", number)

    def _whole(self, node: Node) -> None:
        """`export = a`."""
        for child in node.named_children:
            if not child.is_extra:
                value = self.lower(child)
                local = self.source.of(child) if child.type == "identifier" else ""
                self._give("=", local, "", value)
                self._name_in_namespace(child, "=", value)

    def exported(self, target: str, value: int) -> None:
        """`module.exports = a`, `exports.b = c`."""
        if target == "module.exports":
            self.code.export("=", "", "", value)
        elif target.startswith(_EXPORTS):
            name = target.rpartition(".")[2]
            if target in (f"exports.{name}", f"module.exports.{name}"):
                self.code.export(name, "", "", value)


def _specified(clause: Node) -> Iterator[tuple[Node, Node | None]]:
    """Names and aliases of an export clause."""
    for child in clause.named_children:
        name = child.child_by_field_name("name")
        if child.type == "export_specifier" and name is not None:
            yield name, child.child_by_field_name("alias")
