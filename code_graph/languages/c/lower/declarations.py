"""Lowers declarations and statements that C and C++ have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Code, Op, Role, ScopeKind
from code_graph.languages.c.lower.macro_calls import calls_in
from code_graph.languages.c.lower.types import Declarator, read_declarator
from code_graph.languages.c.lower.values import CValues

if TYPE_CHECKING:
    from tree_sitter import Node

# the scopes that hold tags and enumerators; a struct does not
_AROUND: Final = (ScopeKind.MODULE, ScopeKind.FUNCTION, ScopeKind.BLOCK)
_DECLARATORS: Final = ("declarator", "identifier", "_name", "operator_cast")
_TAGGED: Final = frozenset({"struct_specifier", "union_specifier", "enum_specifier"})


class CDeclarations(CValues):
    """Lowering that C and C++ share."""

    names: ClassVar[frozenset[str]] = frozenset(
        {"identifier", "type_identifier", "field_identifier", "namespace_identifier"}
    )

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.members(root.children)
        return self.code.finish()

    def members(self, children: Sequence[Node]) -> None:
        """Declarations; the body of a function that a macro defines follows its call."""
        waiting: Node | None = None
        for child in children:
            kind = child.type
            if kind == "compound_statement" and waiting is not None:
                self.defined_by_macro(waiting, child)
                waiting = None
                continue
            if waiting is not None:
                self.lower(waiting)
                waiting = None
            if kind == "expression_statement":
                waiting = child
            elif kind in _TAGGED:
                self.lower_unnamed(child)
            elif child.is_named:
                self.lower(child)
        if waiting is not None:
            self.lower(waiting)

    def defined_by_macro(self, call: Node, body: Node) -> None:
        """A function whose name is the first argument of a macro."""
        number = NONE
        inner = call.children[0]
        arguments = inner.child_by_field_name("arguments")
        if arguments is not None and arguments.named_child_count:
            number = self.declaration_of(arguments.named_children[0])
        if number == NONE:
            self.lower(call)
            self.lower(body)
            return
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.lower(call)
            self.lower_each(body.children)

    def conditional_text(self, node: Node) -> int:
        """Text below a condition; a test whether there is a macro says nothing."""
        skipped = node.child_by_field_name("name")
        start = 0 if skipped is None else skipped.end_byte
        self.members([child for child in node.children if child.start_byte >= start])
        return NONE

    def include(self, node: Node) -> int:
        """An included file, with all its names."""
        path = node.child_by_field_name("path")
        number = self.imported_at(node, "")
        if number != NONE and path is not None:
            line, column = self.place(path)
            self.code.bind("*", BindingKind.IMPORTED, number, line=line, column=column)
        return NONE

    def macro(self, node: Node) -> int:
        """A macro; with parameters it is a function, whose calls are read."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        if number != NONE:
            self.bind_declared(name, number, scope=0)
        if number != NONE and node.type == "preproc_function_def":
            with self.code.inside(ScopeKind.FUNCTION, number):
                self.macro_body(node)
        return NONE

    def macro_body(self, node: Node) -> None:
        """The calls in the body of a macro, which is text."""
        body = node.child_by_field_name("value")
        parameters = node.child_by_field_name("parameters")
        if body is None or parameters is None:
            return
        names = {self.spelled(child) for child in parameters.children if child.is_named}
        for call in calls_in(self.spelled(body), names):
            line, column = self.place_at(body.start_byte + call.start)
            of = self.code.add(Op.NAME, name=call.name, line=line, column=column)
            self.code.add(Op.CALL, of, items=(Argument(NONE),) * call.arguments)

    def bind_declared(self, name: Node | None, number: int, scope: int | None = None) -> None:
        """Bind the name of a declaration."""
        self.bind_name(name, BindingKind.DECLARED, declaration=number, scope=scope)

    # types

    def record_type(self, node: Node) -> int:
        """A struct, union or enum by its tag, which may be declared here."""
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        if body is None:
            return NONE if name is None else self.tag(name)
        if name is None:
            return self.anonymous_record(node, body)
        self.declare_record(node, name, body)
        return self.code.add(Op.NAME, name=self.tag_name(name))

    def declare_record(self, _node: Node, name: Node, body: Node) -> None:
        """A type with its members."""
        number = self.declaration_of(name)
        self.bind_tag(name, number)
        with self.code.inside(ScopeKind.CLASS, number):
            self.members(body.children)

    def tag_name(self, name: Node) -> str:
        """The name that a tag is bound with."""
        return f"struct {self.spelled(name)}" if self.has_tags else self.spelled(name)

    def bind_tag(self, name: Node, number: int) -> None:
        """Declare a tag, for the function or file around."""
        scope = self.code.binding_scope(*_AROUND) if self.has_tags else None
        self.bind(name, BindingKind.DECLARED, NONE, name=self.tag_name(name), declaration=number,
                  scope=scope)  # fmt: skip

    def anonymous_record(self, node: Node, body: Node) -> int:
        """A type without a tag: the FUNCTION of its class scope, or part of the type around."""
        if node.type == "enum_specifier":
            self.members(body.children)
            return NONE
        with self.code.inside(ScopeKind.CLASS) as scope:
            self.members(body.children)
        return self.function(scope, node)

    def enumerator(self, node: Node) -> int:
        """A constant of an enum."""
        name = node.child_by_field_name("name")
        self.lower(node.child_by_field_name("value"))
        scope = self.code.binding_scope(*_AROUND) if self.has_tags else None
        self.bind_declared(name, self.declaration_of(name), scope)
        return NONE

    def type_definition(self, node: Node) -> int:
        """A name for a type."""
        declarators = node.children_by_field_name("declarator")
        declared = node.child_by_field_name("type")
        names = [read_declarator(child) for child in declarators]
        base = self.named_record(declared, names)
        if base is None:
            base = self.lower(declared)
        for found in names:
            number = self.declaration_of(found.name)
            value = self.declared_type(base, found._replace(is_function=False))
            self.type_clause(number, Role.ALIAS, value)
            self.bind_declared(found.name, number)
        return NONE

    def named_record(self, node: Node | None, names: list[Declarator]) -> int | None:
        """Declare a type that only a typedef names; None for another one."""
        if node is None or not names or node.type not in _TAGGED or names[0].name is None:
            return None
        body = node.child_by_field_name("body")
        if body is None or node.child_by_field_name("name") is not None:
            return None
        number = self.declaration_of(names[0].name)
        if node.type == "enum_specifier":
            self.members(body.children)
            return NONE
        with self.code.inside(ScopeKind.CLASS, number):
            self.members(body.children)
        return NONE

    # functions and variables

    def function_definition(self, node: Node) -> int:
        """A function with its body."""
        found = read_declarator(node.child_by_field_name("declarator"))
        name = found.name
        number = self.declaration_of(name)
        self.bind_function(name, number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.function_head(node, found, number)
            for child in node.children:
                kind = child.type
                if kind == "compound_statement":
                    self.lower_each(child.children)
                elif child.is_error or kind == "declaration":
                    self.lower(child)
        return NONE

    def bind_function(self, name: Node | None, number: int) -> None:
        """Declare a function where it is defined; a declaration in a block names one outside."""
        if number != NONE and name is not None and name.type in self.names:
            self.bind_declared(name, number)

    def function_head(self, node: Node, found: Declarator, number: int) -> None:
        """The result and the parameters of a function."""
        base = self.lower(node.child_by_field_name("type"))
        self.type_clause(number, Role.RESULT, base)
        if found.function is not None:
            self.parameters(found.function.child_by_field_name("parameters"))

    def declaration(self, node: Node) -> int:
        """Variables, fields and functions of one type."""
        children = node.children
        declared = node.child_by_field_name("type")
        base: int | None = None
        for at, child in enumerate(children):
            kind = child.type
            if not child.is_named or child == declared or (at and children[at - 1].type == "="):
                continue
            if kind.endswith(_DECLARATORS):
                base = self.declarator(child, children[at + 1 : at + 3], declared, base)
            elif kind not in self.skipped and kind != "initializer_list":
                self.lower(child)
        if base is None and declared is not None:
            self.lower_unnamed(declared)
        return NONE

    def declarator(
        self, node: Node, after: Sequence[Node], declared: Node | None, base: int | None
    ) -> int:
        """One variable, field or function; the type, which is lowered with the first."""
        value, found = self.read(node, after)
        if found.is_function:
            return self.prototype(declared, found, base)
        if base is None:
            base = self.lower(declared)
        self.variable(found, base, value, declared)
        return base

    def read(self, node: Node, after: Sequence[Node]) -> tuple[Node | None, Declarator]:
        """The first value of a variable, and what else its declarator says."""
        value: Node | None = None
        inner: Node | None = node
        if node.type == "init_declarator":
            value, inner = node.children[-1], node.child_by_field_name("declarator")
        elif after and after[0].type in {"=", "initializer_list"}:
            value = after[0] if after[0].is_named else after[-1]
        if node.type == "operator_cast":
            function = node.child_by_field_name("declarator")
            return value, Declarator(node, function, is_function=True, arrays=0, bounds=())
        return value, read_declarator(inner)

    def lower_unnamed(self, declared: Node) -> None:
        """A type without a variable; without a tag, its members belong to the type around."""
        if declared.type not in _TAGGED:
            self.lower(declared)
            return
        name, body = declared.child_by_field_name("name"), declared.child_by_field_name("body")
        if body is not None:
            if name is None:
                self.members(body.children)
            else:
                self.declare_record(declared, name, body)
        elif name is not None:
            self.tag(name)

    def prototype(self, declared: Node | None, found: Declarator, base: int | None) -> int:
        """A function without a body; the type."""
        number = self.declaration_of(found.name)
        self.bind_function(found.name, number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            if base is None:
                base = self.lower(declared)
            self.type_clause(number, Role.RESULT, base)
            function = found.function
            if function is not None:
                self.prototype_parameters(function.child_by_field_name("parameters"))
        return base

    def prototype_parameters(self, node: Node | None) -> None:
        """Only the types of parameters say something where there is no body."""
        self.parameter_types(node)

    def variable(self, found: Declarator, base: int, value: Node | None, at: Node | None) -> None:
        """A variable or field, maybe with its first value."""
        name = found.name
        number = NONE if name is None else self.declaration_of(name)
        outer = self.code.binding_scope()
        annotation = self.declared_type(base, found)
        if number == NONE:
            annotation = self.local_type(annotation, found.pointers)
        first = NONE
        if value is not None:
            if number == NONE:
                first = self.first_value(value, base, found.arrays, at)
            else:
                with self.code.inside(ScopeKind.BLOCK, number):
                    first = self.first_value(value, base, found.arrays, at)
        self.type_clause(number, Role.TYPE, annotation)
        kind = BindingKind.ASSIGNED if number == NONE else BindingKind.DECLARED
        self.bind_variable(name, kind, first, annotation, number, outer)

    def local_type(self, declared: int, pointers: int) -> int:
        """The type of an undeclared variable."""
        del pointers
        return declared

    def bind_variable(
        self,
        name: Node | None,
        kind: BindingKind,
        value: int,
        annotation: int,
        number: int,
        scope: int,
    ) -> None:
        """Bind the name of a variable."""
        if name is not None and name.type in self.names:
            self.bind_name(name, kind, value, annotation, number, scope)

    def first_value(self, value: Node, base: int, arrays: int, _declared: Node | None) -> int:
        """The initial value of a variable."""
        return self.initializer(value, base, arrays)

    # statements

    def if_statement(self, node: Node) -> int:
        """A condition and its branches; a chain of `else if` is no nest."""
        left: Node | None = node
        while left is not None:
            other: Node | None = None
            for child in left.children:
                if child.type == "else_clause" and child.children:
                    other = child.children[-1]
                    if other.type != "if_statement":
                        self.lower(other)
                        other = None
                elif child.is_named:
                    self.lower(child)
            left = other
        return NONE

    def for_statement(self, node: Node) -> int:
        """A loop with variables of its own."""
        return self.nested_block(node)
