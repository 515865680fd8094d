"""Lowers declarations and statements of C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, Role, ScopeKind
from code_graph.languages.c.lower.types import Declarator, last_name, read_declarator
from code_graph.languages.cpp.lower.values import CASTS, CppValues
from code_graph.languages.cpp.operands import ADDRESS, MAKES
from code_graph.languages.cpp.syntax import SHEET

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES: Final = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_NAMED_TYPES: Final = frozenset({"type_identifier", "qualified_identifier", "template_type"})
_NAME_AND_CALL: Final = 2
_TRAILING: Final = "trailing_return_type"
_SIZES: Final = frozenset({"sizeof", "alignof"})
_TYPE_PARAMETERS: Final = frozenset(
    {
        "type_parameter_declaration",
        "optional_type_parameter_declaration",
        "variadic_type_parameter_declaration",
    }
)


def _is_value(node: Node) -> bool:
    """True if a parameter may be a value instead: a name, or a name with values in brackets."""
    function = node.child_by_field_name("declarator")
    if function is None:
        return node.named_child_count == 1
    if function.type != "abstract_function_declarator" or node.named_child_count != _NAME_AND_CALL:
        return False
    parameters = function.child_by_field_name("parameters")
    inner = () if parameters is None else parameters.children
    return all(map(_is_value, [child for child in inner if child.is_named and not child.is_extra]))


def _is_made(found: Declarator, declared: Node | None) -> bool:
    """True if `T x;` makes an object: no pointer, field, or variable of another file."""
    around = declared.parent if declared is not None and declared.type in _NAMED_TYPES else None
    if found.name is None or found.pointers or found.function is not None or around is None:
        return False
    return around.type == "declaration" and not any(
        child.type == "storage_class_specifier" and child.children[0].type == "extern"
        for child in around.children
    )


class Cpp(CppValues):
    """Symbolic code of a C++ file."""

    sheet = SHEET

    def declarations(self, node: Node) -> int:
        """Declarations in braces."""
        self.members(node.children)
        return NONE

    # namespaces and names of others

    def namespace(self, node: Node) -> int:
        """A namespace; one without a name is the one around."""
        number = self.declaration_of(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        children = () if body is None else body.children
        if number == NONE:
            self.members(children)
            return NONE
        with self.code.inside(ScopeKind.MODULE, number):
            self.members(children)
        return NONE

    def namespace_alias(self, node: Node) -> int:
        """Another name for a namespace."""
        name = node.child_by_field_name("name")
        value = self.lower(node.children[-2]) if len(node.children) > 2 else NONE
        number = self.declaration_of(name)
        self.type_clause(number, Role.ALIAS, value)
        self.bind_name(name, BindingKind.DECLARED, value, declaration=number)
        return NONE

    def using(self, node: Node) -> int:
        """A name of a namespace or base, or all names of a namespace."""
        named = [child for child in node.children if child.is_named and not child.is_extra]
        if not named:
            return NONE
        self.lower(named[-1])
        is_all = any(child.type == "namespace" for child in node.children)
        name = last_name(named[-1])
        text = "" if is_all or name is None else self.spelled(name)
        number = self.imported_at(node, text)
        if number != NONE and name is not None:
            line, column = self.place(name)
            self.code.bind(text or "*", BindingKind.IMPORTED, number, line=line, column=column)
        return NONE

    def alias(self, node: Node) -> int:
        """A name for a type."""
        self.alias_in(node, None)
        return NONE

    def alias_in(self, node: Node, template: Node | None) -> None:
        """A name for a type, maybe with parameters."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.template_parameters(template, number)
            self.type_clause(number, Role.ALIAS, self.lower(node.child_by_field_name("type")))

    def type_definition(self, node: Node) -> int:
        """Names for a type, which members of classes may be, too."""
        super().type_definition(node)
        declared = node.child_by_field_name("type")
        is_unnamed = declared is not None and declared.child_by_field_name("name") is None
        has_body = declared is not None and declared.child_by_field_name("body") is not None
        names = node.children_by_field_name("declarator")
        for child in names[is_unnamed and has_body :]:
            number = self.declaration_of(read_declarator(child).name)
            if number != NONE:
                self.code.scope = self.code.enter(ScopeKind.BLOCK, number)
        return NONE

    # templates

    def template(self, node: Node) -> int:
        """A declaration with parameters."""
        parameters = node.child_by_field_name("parameters")
        for child in node.children:
            kind = child.type
            if kind in _CLASSES:
                self.class_in(child, parameters)
            elif kind == "function_definition":
                self.function_in(child, parameters)
            elif kind == "alias_declaration":
                self.alias_in(child, parameters)
            elif kind == "concept_definition":
                self.concept_in(child, parameters)
            elif child.is_named and child != parameters:
                outer = self.code.enter(ScopeKind.BLOCK)
                self.template_parameters(parameters, self.declared_function(child))
                self.code.scope, inner = outer, self.code.scope
                self.declared_in(child, inner)
        return NONE

    def declared_function(self, node: Node) -> int:
        """The declaration of a function without a body; NONE of others."""
        found = read_declarator(node.child_by_field_name("declarator"))
        is_function = found.function is not None and found.name is not None
        return self.declaration_of(last_name(found.name)) if is_function else NONE

    def declared_in(self, node: Node, scope: int) -> None:
        """A function or variable below the scope of its template's parameters."""
        outer, self.code.scope = self.code.scope, scope
        self.lower(node)
        self.code.scope = outer

    def template_parameters(self, node: Node | None, number: int) -> None:
        """Bind the parameters of a template, with their bounds as clauses."""
        for child in () if node is None else node.children:
            kind = child.type
            if kind in _TYPE_PARAMETERS:
                name = child.child_by_field_name("name")
                for one in child.children:
                    if name is None and one.type == "type_identifier":
                        name = one
                value = self.lower(child.child_by_field_name("default_type"))
                if name is not None:
                    self.bind_name(name, BindingKind.DECLARED)
                    self.code.clause(number, Role.TYPE_PARAMETER, value, self.spelled(name))
            elif kind.endswith("parameter_declaration"):
                found = self.read_parameter(child)
                declared = self.lower(child.child_by_field_name("type"))
                self.lower(child.child_by_field_name("default_value"))
                if found.name is not None and found.name.type == "identifier":
                    self.bind_name(found.name, BindingKind.DECLARED, annotation=declared)
            elif child.is_named:
                self.lower(child)

    def concept(self, node: Node) -> int:
        """A requirement with a name."""
        self.concept_in(node, None)
        return NONE

    def concept_in(self, node: Node, template: Node | None) -> None:
        """A requirement with a name and parameters."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.template_parameters(template, number)
            self.lower_each([child for child in node.children if child != name])

    # classes

    def declare_record(self, node: Node, _name: Node, _body: Node) -> None:
        """A class, struct, union or enum with its members."""
        self.class_in(node, None)

    def class_in(self, node: Node, template: Node | None) -> None:
        """A class or class template; one without a body is declared elsewhere."""
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        last = last_name(name)
        number = self.declaration_of(last)
        is_plain = name is not None and name.type == "type_identifier"
        outer = self.code.binding_scope()
        if is_plain and body is not None:
            self.bind_name(name, BindingKind.DECLARED, declaration=number)
        with self.code.inside(ScopeKind.BLOCK, number):
            self.template_parameters(template, number)
            if name is not None and (body is None or not is_plain):
                self.type_clause(number, Role.RECEIVER, self.lower(name))
            for child in node.children:
                if child.type == "base_class_clause":
                    self.bases(child, number)
                elif node.type == "enum_specifier" and child == node.child_by_field_name("base"):
                    self.lower(child)
            if body is not None:
                before, self._class_name = (
                    self._class_name,
                    "" if last is None else self.spelled(last),
                )
                self.class_body(node, body, number, outer)
                self._class_name = before

    def bind_function(self, name: Node | None, number: int) -> None:
        """Declare a function where it is defined; a constructor is not found by its name."""
        scope = self.code.binding_scope()
        is_member = scope == self.code.binding_scope(ScopeKind.CLASS)
        if name is None or not (is_member and self.spelled(name) == self._class_name):
            super().bind_function(name, number)

    def class_body(self, node: Node, body: Node, number: int, outer: int) -> None:
        """The members of a class; constants of a plain enum belong to the scope around."""
        is_plain_enum = node.type == "enum_specifier" and not any(
            child.type in {"class", "struct"} for child in node.children
        )
        with self.code.inside(ScopeKind.CLASS, number):
            before, self._enum_scope = self._enum_scope, outer if is_plain_enum else NONE
            self.members(body.children)
            self._enum_scope = before

    # the name of the class around
    _class_name = ""
    # where the constants of the enum around are bound, if that is not the enum
    _enum_scope = NONE

    def enumerator(self, node: Node) -> int:
        """A constant of an enum."""
        name = node.child_by_field_name("name")
        number = self.declaration_of(name)
        self.lower(node.child_by_field_name("value"))
        scope = None if self._enum_scope == NONE else self._enum_scope
        self.bind_name(name, BindingKind.DECLARED, declaration=number, scope=scope)
        return NONE

    def bases(self, node: Node, number: int) -> None:
        """Base classes."""
        for value in self.lower_each(node.children):
            self.type_clause(number, Role.BASE, value)

    # functions and variables

    def function_definition(self, node: Node) -> int:
        """A function with its body."""
        self.function_in(node, None)
        return NONE

    def function_in(self, node: Node, template: Node | None) -> None:
        """A function, maybe with parameters of a template."""
        found = read_declarator(node.child_by_field_name("declarator"))
        number = self.declaration_of(last_name(found.name))
        self.bind_function(found.name, number)
        is_outside = found.name is not None and found.name.type == "qualified_identifier"
        if is_outside and template is None:  # the class is not yet known where the result stands
            self.result_type(node, number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.template_parameters(template, number)
            self.receiver(found.name, number)
            if not is_outside or template is not None:
                self.result_type(node, number)
            self.head_behind(found, number)
            for child in node.children:
                kind = child.type
                if kind == "compound_statement":
                    self.lower_each(child.children)
                elif kind in {"field_initializer_list", "try_statement"} or child.is_error:
                    self.lower(child)

    def receiver(self, name: Node | None, number: int) -> None:
        """The class or namespace that a function belongs to, written before its name."""
        of = NONE
        left = name
        while left is not None and left.type == "qualified_identifier":
            scope = left.child_by_field_name("scope")
            of = of if scope is None else self.part(of, scope)
            left = left.child_by_field_name("name")
        self.type_clause(number, Role.RECEIVER, of)
        if left is not None and left.type == "operator_cast":
            self.type_clause(number, Role.RESULT, self.lower(left.child_by_field_name("type")))
        elif left is not None and left.type == "template_function":
            self.lower(left.child_by_field_name("arguments"))

    def result_type(self, node: Node, number: int) -> None:
        """The type of the result, where it stands before the name."""
        self.type_clause(number, Role.RESULT, self.lower(node.child_by_field_name("type")))

    def head_behind(self, found: Declarator, number: int) -> None:
        """Parameters, and what stands behind them."""
        if found.function is None:
            return
        self.parameters(found.function.child_by_field_name("parameters"))
        for child in found.function.children:
            if child.type == _TRAILING:
                self.type_clause(number, Role.RESULT, self.lower(child))
            elif child.type in {"noexcept", "requires_clause"}:
                self.lower(child)

    def prototype(self, declared: Node | None, found: Declarator, base: int | None) -> int:
        """A function without a body, or a variable that looks like one; the type."""
        number = self.declaration_of(last_name(found.name))
        if number == NONE and declared is None and found.function is not None:
            return self.guide(found.function)
        if number == NONE and base is None and self.code.binding_scope():
            made = self.vexing(declared, found)
            if made is not None:
                return made
        self.bind_function(found.name, number)
        with self.code.inside(ScopeKind.FUNCTION, number):
            self.receiver(found.name, number)
            if base is None:
                base = self.lower(declared)
            self.type_clause(number, Role.RESULT, base)
            if found.function is not None:
                self.parameters(found.function.child_by_field_name("parameters"))
                for child in found.function.children:
                    if child.type == _TRAILING:
                        self.type_clause(number, Role.RESULT, self.lower(child))
        return base

    def guide(self, function: Node) -> int:
        """The arguments that a template gets, `Box(T) -> Box<T>;`: no function."""
        outer = self.code.enter(ScopeKind.BLOCK)
        self.parameters(function.child_by_field_name("parameters"))
        self.lower_each([one for one in function.children if one.type == _TRAILING])
        self.code.leave(outer)
        return NONE

    def vexing(self, declared: Node | None, found: Declarator) -> int | None:
        """`T x(y);` in a function is a variable; its type, or None for another declaration."""
        function = found.function
        parameters = None if function is None else function.child_by_field_name("parameters")
        if parameters is None or declared is None or found.name is None:
            return None
        plain = [child for child in parameters.children if child.is_named and not child.is_extra]
        if not plain or not all(map(_is_value, plain)):
            return None
        base = self.lower(declared)
        items = [Argument(self.value_of(child)) for child in plain]
        self.bind_name(found.name, value=self.new(base, items, declared), annotation=base)
        return base

    def value_of(self, node: Node) -> int:
        """The value that looks like a parameter: `y` like a type, `f(y)` like a function."""
        of = node.child_by_field_name("type")
        function = node.child_by_field_name("declarator")
        if function is None or of is None:
            return self.lower(of)
        parameters = function.child_by_field_name("parameters")
        plain = () if parameters is None else parameters.children
        name = of.child_by_field_name("name") if of.type == "template_type" else of
        if name is not None and self.source.of(name) in CASTS:
            arguments = of.child_by_field_name("arguments")
            types = [] if arguments is None else self.lower_each(arguments.children)
            values = [self.value_of(child) for child in plain if child.is_named]
            return self.cast(values[0] if values else NONE, types[0] if types else NONE)
        called = self.lower(of)
        items = [Argument(self.value_of(child)) for child in plain if child.is_named]
        if self.source.of(of) in _SIZES:
            return self.literal("size_t")
        return NONE if called == NONE else self.code.add(Op.CALL, called, items=items)

    def bind_variable(
        self,
        name: Node | None,
        kind: BindingKind,
        value: int,
        annotation: int,
        number: int,
        scope: int,
    ) -> None:
        """Bind the name of a variable, or the names that take it apart."""
        if name is not None and name.type == "structured_binding_declarator":
            at = 0
            for child in name.children:
                if child.type == "identifier":
                    part = NONE if value == NONE else self.code.add(Op.PART, value, str(at))
                    self.bind_name(child, value=part, scope=scope)
                    at += 1
        elif name is not None and name.type == "qualified_identifier":
            self.receiver(name, number)
        else:
            if annotation == NONE and value in self._addresses:
                value = self.code.add(Op.EITHER, items=[Argument(value, ADDRESS)])
            super().bind_variable(name, kind, value, annotation, number, scope)

    def variable(self, found: Declarator, base: int, value: Node | None, at: Node | None) -> None:
        """A variable or field; one defined outside of its class has a receiver."""
        last = last_name(found.name)
        if last is not None and found.name is not None and last != found.name:
            number = self.declaration_of(last)
            self.receiver(found.name, number)
            self.type_clause(number, Role.TYPE, self.declared_type(base, found))
            if value is not None:
                with self.code.inside(ScopeKind.BLOCK, number):
                    self.first_value(value, base, found.arrays, at)
            return
        super().variable(found, base, value, at)
        if value is None and base != NONE and _is_made(found, at):
            self.code.add(Op.OPERATOR, name=MAKES, items=[Argument(base)])

    def first_value(self, value: Node, base: int, arrays: int, declared: Node | None) -> int:
        """The initial value of a variable; `T x(…)` and `T x{…}` are new objects."""
        if value.type == "argument_list" or (value.type == "initializer_list" and not arrays):
            if base == NONE or declared is None:
                return self.pass_through(value)
            return self.created(base, value, declared)
        return self.initializer(value, base, arrays)

    def field_initializer(self, node: Node) -> int:
        """A field or base is made by a constructor."""
        of = self.lower(node.children[0])
        if of == NONE:
            self.lower_each(node.children[1:])
            return NONE
        items: list[Argument] = []
        for child in node.children[1:]:
            if child.type in {"argument_list", "initializer_list"}:
                items = self.argument_list(child)
        self.new(of, items, node.children[0])
        if len(items) == 1:
            self.store(of, items[0].value)
        return NONE

    # statements

    def range_loop(self, node: Node) -> int:
        """A loop over elements."""
        outer = self.code.enter(ScopeKind.BLOCK)
        self.lower(node.child_by_field_name("initializer"))
        of = self.lower(node.child_by_field_name("right"))
        declared = self.lower(node.child_by_field_name("type"))
        found = read_declarator(node.child_by_field_name("declarator"))
        value = NONE if of == NONE else self.code.add(Op.ELEMENT, of)
        declared = self.local_type(declared, found.pointers)
        scope = self.code.binding_scope()
        self.bind_variable(found.name, BindingKind.ASSIGNED, value, declared, NONE, scope)
        self.lower(node.child_by_field_name("body"))
        self.code.leave(outer)
        return NONE

    def catch_clause(self, node: Node) -> int:
        """A handler with its variable."""
        outer = self.code.enter(ScopeKind.BLOCK)
        parameters = node.child_by_field_name("parameters")
        for child in () if parameters is None else parameters.children:
            if child.type == "parameter_declaration":
                found = self.read_parameter(child)
                declared = self.lower(child.child_by_field_name("type"))
                if found.name is not None and found.name.type == "identifier":
                    declared = self.local_type(declared, found.pointers)
                    self.bind_name(found.name, annotation=declared)
        self.lower(node.child_by_field_name("body"))
        self.code.leave(outer)
        return NONE

    def if_statement(self, node: Node) -> int:
        """A condition, maybe with variables of its own, and its branches."""
        outer = self.code.enter(ScopeKind.BLOCK)
        super().if_statement(node)
        self.code.leave(outer)
        return NONE
