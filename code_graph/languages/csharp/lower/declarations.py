"""Lowers namespaces, usings, types and members of C#."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.csharp.lower.statements import CSharpStatements
from code_graph.languages.csharp.syntax import SHEET

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_NAME: Final = frozenset({"constructor_declaration", "destructor_declaration"})


_BRANCHES: Final = frozenset({"preproc_if", "preproc_if_in_attribute_list"})


class CSharp(CSharpStatements):
    """Symbolic code of a C# file."""

    sheet = SHEET

    # namespaces and usings

    def file_namespace(self, node: Node) -> int:
        """A namespace without a body: what follows is in it, to the end of the file."""
        if self.code.scope in {0, self._namespace}:
            self.code.scope = 0
            number = self.declared_at(node.child_by_field_name("name"))
            self.code.enter(ScopeKind.MODULE, number)
            self._namespace = self.code.scope
        return NONE

    def namespace(self, node: Node) -> int:
        """A namespace with its members."""
        number = self.declared_at(node.child_by_field_name("name"))
        with self.code.inside(ScopeKind.MODULE, number):
            self.lower(node.child_by_field_name("body"))
        return NONE

    def using_directive(self, node: Node) -> int:
        """Imported names; an alias stands for a type or namespace."""
        names = [child for child in node.children if child.is_named and child.type != "comment"]
        if not names:
            return NONE
        is_global = node.children[0].type == "global"
        if any(child.type == "=" for child in node.children):
            declaration = self.declared_at(names[0])
            self.type_clause(declaration, Role.ALIAS, self.lower(names[-1]))
            alias = self.spelled(names[0])
            number = self.imported_at(node, alias)
            kind = BindingKind.DECLARED if number == NONE else BindingKind.IMPORTED
            self.bind_name(names[0], kind, number, declaration=declaration)
            if is_global:
                self.code.export(alias, alias)
            return NONE
        last = names[-1]
        line, column = self.place(last)
        number = self.imported_at(node, "")
        if number != NONE:
            self.code.bind("*", BindingKind.IMPORTED, number, line=line, column=column)
        if is_global:
            self.code.export("*", module="".join(self.source.of(last).split()))
        return NONE

    def extern_alias(self, node: Node) -> int:
        """An alias of an assembly."""
        name = node.child_by_field_name("name")
        number = NONE if name is None else self.imported_at(node, self.spelled(name))
        if number != NONE:
            self.bind_name(name, BindingKind.IMPORTED, number)
        return NONE

    # declarations

    def declared_at(self, name: Node | None) -> int:
        """The number of the declaration with its name at this node, or NONE."""
        if name is None:
            return NONE
        start = name.start_byte
        return self._declared.get(start + (self.source.text[start : start + 1] == "@"), NONE)

    def declaration_name(self, node: Node) -> tuple[Node | None, int, bool]:
        """The name of a declaration, its number, and whether it is found by that name."""
        name = node.child_by_field_name("name")
        kind = node.type
        for child in node.children:
            if child.type == "explicit_interface_specifier":
                return name, self._declared.get(child.start_byte, NONE), False
            if child.type in {"operator", "this", "~"}:
                return name, self._declared.get(child.start_byte, NONE), False
        return name, self.declared_at(name), name is not None and kind not in _NO_NAME

    def head_part(self, child: Node, kind: str, number: int) -> bool:
        """Lower a part that heads of all declarations may have."""
        if kind == "attribute_list":
            self.attributes(child, number)
        elif kind in _BRANCHES:
            self.attribute_branch(child, number)
        elif kind == "explicit_interface_specifier":
            self.type_clause(number, Role.MEMBER_OF, self.pass_through(child))
        else:
            return kind in {"modifier", "type_parameter_list", "comment"}
        return True

    def type_parameters_of_type(self, node: Node, number: int) -> None:
        """Bind the type parameters of a type, whose bounds stand behind its bases."""
        if node.parent is not None:
            self.type_parameters(node.parent, number)

    def type_parameters(self, node: Node, number: int) -> None:
        """Bind type parameters, with their bounds as clauses."""
        names: dict[str, list[int]] = {}
        nodes: list[Node] = []
        for child in node.children:
            if child.type != "type_parameter_list":
                continue
            for one in child.named_children:
                name = one.child_by_field_name("name")
                self.lower_each([part for part in one.children if part.type == "attribute_list"])
                if name is not None:
                    nodes.append(name)
                    names.setdefault(self.spelled(name), [])
        for child in node.children:
            if child.type == "type_parameter_constraints_clause":
                self.constraints(child, names)
        for name in nodes:
            bound = next(iter(names[self.spelled(name)]), NONE)
            self.bind_name(name, BindingKind.DECLARED, annotation=bound)
        for text, bounds in names.items():
            for bound in bounds or [NONE]:
                self.code.clause(number, Role.TYPE_PARAMETER, bound, text)

    def constraints(self, node: Node, names: dict[str, list[int]]) -> None:
        """The bounds of one type parameter."""
        found: list[int] = []
        name = ""
        for child in node.named_children:
            if child.type == "identifier":
                name = self.spelled(child)
                self.lower(child)
            elif child.type == "type_parameter_constraint":
                found += self.lower_each(child.children)
        names.setdefault(name, []).extend(found)

    def attribute_branch(self, node: Node, number: int) -> None:
        """Attributes in branches of `#if`."""
        left = [node]
        while left:
            inner = left.pop()
            if inner.type == "attribute_list":
                self.attributes(inner, number)
            else:
                left += [child for child in reversed(inner.children) if child.is_named]

    def attribute(self, node: Node) -> int:
        """An attribute; a CALL if it has arguments, some of which may set properties."""
        of = self.lower(node.child_by_field_name("name"))
        items: list[Argument] = []
        properties: list[tuple[Node, int]] = []
        arguments = None
        for child in node.children:
            if child.type == "attribute_argument_list":
                arguments = child
        if arguments is None:
            return of
        for one in arguments.named_children:
            name, value = one.child_by_field_name("name"), self.lower(one)
            if name is not None and one.children[1].type == "=":
                properties.append((name, value))
            else:
                items.append(Argument(value, "" if name is None else self.spelled(name)))
        of = self.code.add(Op.CALL, of, items=items)
        for name, value in properties:
            self.store(self.member(of, name), value)
        return of

    def fields(self, node: Node, number: int) -> None:
        """The parameters of a primary constructor, which are properties of a record."""
        del number
        self.parameters(node)
        for parameter in node.named_children:
            name = parameter.child_by_field_name("name")
            inner = self.declared_at(name)
            if name is not None and inner != NONE:
                declared = self.parameter_types.get(name.start_byte, NONE)
                self._fields += ((name, declared, inner),)

    def bases(self, node: Node, number: int) -> None:
        """Base types, the first maybe with arguments for its constructor."""
        last = NONE
        for child in node.children:
            if child.type == "argument_list":
                self.call(Op.CALL, last, child)
            elif child.type == "primary_constructor_base_type":
                last = self.lower(child.child_by_field_name("type"))
                self.type_clause(number, Role.BASE, last)
                self.call(Op.CALL, last, child.children[-1])
            elif child.is_named:
                last = self.lower(child)
                self.type_clause(number, Role.BASE, last)

    def enum_member(self, node: Node) -> int:
        """A constant of an enum."""
        name = node.child_by_field_name("name")
        number = self.declared_at(name)
        for child in node.children:
            self.head_part(child, child.type, number)
        value = self.lower(node.child_by_field_name("value"))
        self.bind_name(name, BindingKind.DECLARED, value, declaration=number)
        return NONE

    def callable_declaration(self, node: Node) -> int:
        """A method, constructor, operator, delegate or local function."""
        name, number, has_name = self.declaration_name(node)
        if has_name:
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
        gives = self.gives
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.type_parameters(node, number)
            returns = node.child_by_field_name("returns") or node.child_by_field_name("type")
            for child in node.children:
                kind = child.type
                if child == returns:
                    self.type_clause(number, Role.RESULT, self.lower(child))
                elif kind in {"parameter_list", "bracketed_parameter_list"}:
                    self.type_clause(number, Role.RECEIVER, self.parameters(child))
                elif kind == "constructor_initializer":
                    self.constructor_initializer(child)
                elif kind in {"identifier", "type_parameter_constraints_clause"}:
                    continue
                elif not self.head_part(child, kind, number):
                    self.body(child)
        self.gives = gives
        return NONE

    def constructor_initializer(self, node: Node) -> None:
        """A call of another constructor."""
        of, arguments = NONE, None
        for child in node.children:
            if child.type in self.tokens:
                of = self.lower(child)
            elif child.type == "argument_list":
                arguments = child
        self.call(Op.CALL, of, arguments)

    def body(self, node: Node) -> None:
        """The body of a function: a block, or the expression that it gives."""
        if node.type == "block":
            self.lower_each(node.children)
        elif node.type == "arrow_expression_clause":
            self.result(self.lower(node.children[-1]))
        elif node.is_error:
            self.lower(node)

    def property_declaration(self, node: Node) -> int:
        """A property, indexer or event with accessors."""
        name, number, has_name = self.declaration_name(node)
        outer = self.code.scope
        with self.code.inside(ScopeKind.BLOCK, number):
            declared, value = NONE, NONE
            typed, given = (node.child_by_field_name(field) for field in ("type", "value"))
            for child in node.children:
                kind = child.type
                if child == typed:
                    declared = self.lower(child)
                    self.type_clause(number, Role.TYPE, declared)
                elif kind == "bracketed_parameter_list":
                    self.parameters(child)
                elif kind == "accessor_list":
                    for one in child.named_children:
                        self.accessor(one, number, declared)
                elif kind == "arrow_expression_clause":
                    with self.code.inside(ScopeKind.FUNCTION, number):
                        self.result(self.lower(child.children[-1]))
                elif child == given:
                    value = self.lower(child)
                elif not self.head_part(child, kind, number) and child.is_error:
                    self.lower(child)
            if has_name:
                self.bind_name(name, BindingKind.DECLARED, value, declared, number, outer)
        return NONE

    def accessor(self, node: Node, number: int, declared: int) -> None:
        """An accessor; a setter has a parameter `value`."""
        if node.type != "accessor_declaration":
            self.lower(node)
            return
        name = node.child_by_field_name("name")
        if node.child_by_field_name("body") is None:
            self.lower_each([child for child in node.children if child.type == "attribute_list"])
            return
        with self.code.inside(ScopeKind.FUNCTION, number):
            if name is not None and name.type != "get":
                self.code.bind("value", BindingKind.PARAMETER, annotation=declared)
            for child in node.children:
                if not self.head_part(child, child.type, NONE):
                    self.body(child)

    def field_declaration(self, node: Node) -> int:
        """Fields or events of one type."""
        declarators: list[Node] = []
        first = NONE
        declaration = None
        for child in node.children:
            if child.type == "variable_declaration":
                declaration = child
                declarators = [one for one in child.children if one.type == "variable_declarator"]
                first = (
                    self.declared_at(declarators[0].child_by_field_name("name"))
                    if declarators
                    else NONE
                )
        outer = self.code.scope
        declared = NONE
        with self.code.inside(ScopeKind.BLOCK, first):
            for child in node.children:
                if child.type == "attribute_list":
                    self.attributes(child, first)
            if declaration is not None:
                declared = self.lower(declaration.child_by_field_name("type"))
            if declarators:
                self.field(declarators[0], declared, outer)
        for declarator in declarators[1:]:
            number = self.declared_at(declarator.child_by_field_name("name"))
            with self.code.inside(ScopeKind.BLOCK, number):
                self.field(declarator, declared, outer)
        return NONE

    def field(self, node: Node, declared: int, scope: int) -> None:
        """One field."""
        name = node.child_by_field_name("name")
        number = self.declared_at(name)
        value = self.declarator_value(node)
        self.type_clause(number, Role.TYPE, declared)
        self.bind_name(name, BindingKind.DECLARED, value, declared, number, scope)
