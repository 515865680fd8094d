"""Lowers C with few expressions: what leads to a call, and functions where they are named.

Kept are calls, other names than those of constants and local variables, functions that are stored
in members, and the types that results and members have. What is only read or computed, how many
arguments there are, and the types of parameters without a body say nothing of calls. The type of a
local variable or parameter is lowered where a member of it is called or given a function; only one
that seems to be a pointer to a function is followed further. Declarations are not bound, since
their names are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ResultKind
from code_graph.languages.c.lower.declarations import CDeclarations
from code_graph.languages.c.lower.types import Declarator, read_declarator
from code_graph.languages.c.syntax import SHEET
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


# typedefs that are pointers to functions, by their names
_FUNCTIONS: Final = re.compile(
    r"(?i)(?:fn|func|function|cb|callback|handler|hook|proc|routine|method|actor|filler)(?:_t|ptr)?$"
)
_NEAR: Final = 100
_PRIMITIVE: Final = frozenset({"primitive_type", "sized_type_specifier"})
_TAGGED: Final = frozenset({"struct_specifier", "union_specifier", "enum_specifier"})
_REFERRED: Final = _TAGGED | {"type_identifier"}
_NAMED_TYPES: Final = _PRIMITIVE | _REFERRED
_DESIGNATORS: Final = frozenset({"field_designator", "field_identifier"})
# values that may be functions, or hold them
_FOLLOWED: Final = frozenset({Op.NAME, Op.MEMBER, Op.EITHER, Op.CAST, Op.OBJECT, Op.LIST, Op.INDEX})


class _Local(NamedTuple):
    """A variable of a function; `number` is the last NAME of it.

    It is bound where it is first used; until then it has a `name`, and `annotation` is its type.
    """

    is_typed: bool
    is_followed: bool = False
    number: int = NONE
    name: Node | None = None
    annotation: int = NONE
    scope: int = NONE


_PLAIN: Final = _Local(is_typed=False)


class C(CDeclarations):
    """Symbolic code of a C file."""

    sheet = SHEET

    def begin(self) -> None:
        """Begin outside of functions."""
        super().begin()
        self._locals: dict[str, _Local] = {}
        # names that the enclosing blocks have hidden
        self._hidden: list[tuple[str, _Local | None]] = []
        self._in_function = False

    # local variables

    def identifier(self, node: Node) -> int:
        """A name that is not of a constant or a local variable, or of one that is followed."""
        text = self.source.text[node.start_byte : node.end_byte]
        local = self._locals.get(text)
        if local is None:
            return NONE if text.isupper() else self.name(node)
        return self.local(node, text, local) if local.is_followed else NONE

    def local(self, node: Node, text: str, local: _Local) -> int:
        """The NAME of a local variable; one a few expressions before serves again."""
        if local.name is not None:
            local = self.bind_local(text, local)
        number = local.number
        if number == NONE or self.code.size - number > _NEAR:
            number = self.name(node)
            self._locals[text] = local._replace(number=number)
        return number

    def bind_local(self, text: str, local: _Local) -> _Local:
        """Bind a variable where it is first used."""
        if local.name is not None:
            self.bind(local.name, name=text, annotation=local.annotation, scope=local.scope)
        local = self._locals[text] = _Local(is_typed=True)
        return local

    # chains

    def chain(self, node: Node) -> int:
        """Calls and the expressions that lead to them; plain reads are left out."""
        inner = node
        indexes: list[Node] = []
        while inner.type in {"field_expression", "subscript_expression"}:
            if inner.type == "subscript_expression":
                indexes += inner.children[1:]
            inner = inner.children[0]
        if inner is node:
            return super().chain(node)
        number = self.lower(inner)
        self.lower_each(indexes)
        is_table = node.type == "subscript_expression" and inner.type == "identifier"
        return number if is_table else NONE

    def target(self, node: Node) -> int:
        """A member that is given a function."""
        return super().chain(node) if node.type == "field_expression" else self.lower(node)

    def first_of_chain(self, node: Node) -> int:
        """The first node of a chain of calls and members."""
        while node.type in {"parenthesized_expression", "pointer_expression"} and node.children:
            inner = [child for child in node.children if child.is_named and not child.is_extra]
            if not inner:
                return NONE
            node = inner[-1]
        if node.type in self.steps:
            return super().chain(node)
        if node.type != "identifier":
            return self.lower(node)
        text = self.source.text[node.start_byte : node.end_byte]
        local = self._locals.get(text)
        if local is None:
            return self.name(node)
        return self.local(node, text, local) if local.is_typed else NONE

    def step(self, node: Node, of: int) -> int:
        """One step of a chain; there are no steps from nothing but to members."""
        if of == NONE and node.type != "field_expression":
            self.lower_each(node.children[1:])
            return NONE
        return super().step(node, of)

    def argument_list(self, node: Node) -> list[Argument]:
        """Arguments that may be functions; how many there are says nothing."""
        self.lower_each(node.children)
        return []

    def assignment(self, node: Node) -> int:
        """A value is stored; only a function says something."""
        children = node.children
        value = children[-1]
        if value.type == "pointer_expression" and value.children:
            value = value.children[-1]
        is_name = value.type == "identifier" and children[1].type == "="
        if not is_name or not self.is_function_name(value):
            target = self.lower(children[0])
            number = self.lower(children[-1])
            if children[1].type == "=":
                self.store(target, number)
            return number
        target = self.target(children[0])
        number = self.lower(value)
        self.store(target, number)
        return number

    def is_function_name(self, node: Node) -> bool:
        """True if a name may mean a function."""
        text = self.source.text[node.start_byte : node.end_byte]
        local = self._locals.get(text)
        return not text.isupper() if local is None else local.is_followed

    def declare_local(self, name: str, local: _Local) -> None:
        """A variable of the function or block around."""
        self._hidden.append((name, self._locals.get(name)))
        self._locals[name] = local

    def new_local(self, name: str, annotation: int) -> _Local:
        """A variable of a type, declared."""
        local = _PLAIN
        if annotation != NONE:
            local = _Local(is_typed=True, is_followed=self._is_function(annotation))
        self.declare_local(name, local)
        return local

    def _is_function(self, number: int) -> bool:
        """True if a type looks like a function type."""
        expression = self.code.expression(number)
        while expression.op == Op.LIST and expression.items:
            number = expression.items[0].value
            if number == NONE:
                return False
            expression = self.code.expression(number)
        if expression.op == Op.NAME:
            return _FUNCTIONS.search(expression.name) is not None
        return expression.op in {Op.CALLABLE, Op.TYPE_OF}

    def declarator(
        self, node: Node, after: Sequence[Node], declared: Node | None, base: int | None
    ) -> int:
        """One variable, field or function; a local variable waits for its use."""
        value, found = self.read(node, after)
        name = found.name
        if (
            not self._in_function
            or declared is None
            or declared.type not in _NAMED_TYPES
            or declared.child_by_field_name("body") is not None
            or name is None
            or name.type != "identifier"
            or self.declaration_of(name) != NONE
            or self.is_eager(declared, found, value)
        ):
            return super().declarator(node, after, declared, base)
        self.lower_each(found.bounds)
        if value is not None:
            self.lower(value)
        base = self.lower(declared) if base is None else base
        self.wait(name, base, found)
        return base

    def is_eager(self, declared: Node, found: Declarator, value: Node | None) -> bool:
        """True if the type of a variable is of functions, or its value depends on it."""
        if found.function is not None or (value is not None and value.type == "initializer_list"):
            return True
        return _FUNCTIONS.search(self.source.of(declared)) is not None

    def wait(self, name: Node, base: int, found: Declarator) -> None:
        """Declare a variable that is bound once it is used; of a plain type it never is."""
        local = _PLAIN
        if base != NONE:
            annotation = self.declared_type(base, found._replace(bounds=()))
            scope = self.code.binding_scope()
            local = _Local(is_typed=True, name=name, annotation=annotation, scope=scope)
        self.declare_local(self.spelled(name), local)

    def bind_variable(
        self,
        name: Node | None,
        kind: BindingKind,
        value: int,
        annotation: int,
        number: int,
        scope: int,
    ) -> None:
        """Bind a variable that may hold functions; a local one only if it is used."""
        if name is None or name.type not in self.names:
            return
        if not self._in_function or number != NONE:
            if value != NONE and self.code.expression(value).op in _FOLLOWED:
                super().bind_variable(name, kind, value, annotation, number, scope)
            return
        if name.type != "identifier":
            return
        text = self.spelled(name)
        local = self.new_local(text, annotation)
        if local.is_typed:
            value = value if local.is_followed else NONE
            self.bind(name, kind, value, name=text, annotation=annotation, scope=scope)

    def parameter(self, node: Node, kind: str) -> None:  # noqa: ARG002 that of the base
        """Bind one parameter."""
        found = self.read_parameter(node)
        declared, name = node.child_by_field_name("type"), found.name
        if name is None or name.type != "identifier" or declared is None:
            return
        if self.is_eager(declared, found, None):
            number = self.parameter_type(node, found)
            text = self.spelled(name)
            if self.new_local(text, number).is_typed:
                self.bind(name, BindingKind.PARAMETER, name=text, annotation=number)
        elif declared.type in _NAMED_TYPES:
            self.wait(name, self.lower(declared), found)
        else:
            self.declare_local(self.spelled(name), _PLAIN)

    def variadic(self) -> None:
        """Further arguments are not followed."""

    def old_parameter(self, node: Node) -> None:
        """A parameter whose type is declared later."""

    # declarations

    def bind_tag(self, name: Node, number: int) -> None:
        """A tag is found among the declarations."""
        if number == NONE:
            super().bind_tag(name, number)

    def bind_declared(self, name: Node | None, number: int, scope: int | None = None) -> None:
        """A name is found among the declarations."""
        if number == NONE:
            super().bind_declared(name, number, scope)

    def parameter_types(self, node: Node | None) -> list[Argument]:
        """The types of parameters without a body, which are only referred to."""
        waiting = [node]
        for parameters in waiting:
            for child in () if parameters is None else parameters.children:
                declared = child.child_by_field_name("type")
                if declared is None or not child.type.endswith("parameter_declaration"):
                    continue
                if declared.type in _REFERRED and declared.child_by_field_name("body") is None:
                    self.lower(declared)
                function = read_declarator(child.child_by_field_name("declarator")).function
                if function is not None and len(waiting) < _NEAR:
                    waiting.append(function.child_by_field_name("parameters"))
        return []

    def designated(self, node: Node, of: int, arrays: int) -> Argument:
        """A function for a field of a table is stored in it."""
        members = [one for one in node.children if one.type in _DESIGNATORS and one.children]
        value = node.child_by_field_name("value")
        if value is not None and value.type == "pointer_expression" and value.children:
            value = value.children[-1]
        if value is None or not members:
            return super().designated(node, of, arrays)
        if value.type == "initializer_list" or (
            value.type == "identifier" and not self.source.of(value).isupper()
        ):
            target = of
            for one in members:
                target = self.member(
                    target, one if one.type != "field_designator" else one.children[-1]
                )
            number = self.initializer(value, target)
            self.store(target, number)
            return Argument(NONE)
        self.lower(value)
        return Argument(NONE)

    # functions

    def function_definition(self, node: Node) -> int:
        """A function with its body."""
        was_in, self._in_function = self._in_function, True
        mark = len(self._hidden)
        super().function_definition(node)
        self.show(mark)
        self._in_function = was_in
        return NONE

    def defined_by_macro(self, call: Node, body: Node) -> None:
        """A function whose name is the first argument of a macro."""
        was_in, self._in_function = self._in_function, True
        mark = len(self._hidden)
        super().defined_by_macro(call, body)
        self.show(mark)
        self._in_function = was_in

    def nested_block(self, node: Node) -> int:
        """The statements of a block within a body."""
        mark = len(self._hidden)
        super().nested_block(node)
        self.show(mark)
        return NONE

    def show(self, mark: int) -> None:
        """Forget variables of a block."""
        while len(self._hidden) > mark:
            name, before = self._hidden.pop()
            if before is None:
                self._locals.pop(name, None)
            else:
                # numbers of names within the block are of its scope
                self._locals[name] = before._replace(number=NONE)

    def store(self, target: int, value: int) -> None:
        """Store a value that may be a function."""
        if NONE not in {target, value} and self.code.expression(value).op in _FOLLOWED:
            self.code.store(target, value)

    def result(self, value: int, kind: ResultKind = ResultKind.RETURN) -> None:
        """Add a result that may be a function."""
        if value != NONE and self.code.expression(value).op in _FOLLOWED:
            self.code.result(kind, value)
