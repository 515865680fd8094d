"""Lowers C with few expressions: names of local variables say nothing, but for their types.

A local variable is no symbol, and no call depends on the types of arguments. So it is bound only if
its type is no primitive one, and a NAME serves for several of its uses, those that lead to a
member, an element or a call. Only a variable that seems to be a pointer to a function is followed
further: to arguments, stores and results. A parameter of a primitive type is `_`, and left out if
only such ones follow; so are arguments that say nothing at the end of a call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from repo_mcp.languages.code import NONE, Argument, BindingKind, Op, ResultKind
from repo_mcp.languages.treesitter.c_family.declarations import CDeclarations

if TYPE_CHECKING:
    from tree_sitter import Node

    from repo_mcp.languages.treesitter.source import Source

# typedefs that are pointers to functions, by their names
_FUNCTIONS: Final = re.compile(
    r"(?i)(?:fn|func|function|cb|callback|handler|hook|proc|routine|method|actor|filler)(?:_t|ptr)?$"
)
_NEAR: Final = 100
# the children of a list of arguments with one
_ONE_ARGUMENT: Final = 3
# values that may be functions, or hold them
_FOLLOWED: Final = frozenset({Op.NAME, Op.MEMBER, Op.EITHER, Op.CAST, Op.OBJECT, Op.LIST, Op.INDEX})


class _Local(NamedTuple):
    """A variable of a function; `number` is the last NAME of it."""

    is_typed: bool
    is_followed: bool
    number: int = NONE


_PLAIN: Final = _Local(is_typed=False, is_followed=False)


class C(CDeclarations):
    """Symbolic code of a C file."""

    handlers: ClassVar[Mapping[str, str]] = {
        **CDeclarations.handlers,
        "identifier": "identifier",
    }

    def __init__(
        self,
        source: Source,
        declared: Mapping[int, int],
        imported: Mapping[tuple[int, str], int] | None = None,
    ) -> None:
        """Begin outside of functions."""
        super().__init__(source, declared, imported)
        self._locals: dict[str, _Local] = {}
        # what the blocks around have hidden
        self._hidden: list[tuple[str, _Local | None]] = []
        self._in_function = False
        # parameters so far that are bound only if another one follows
        self._unbound = 0

    # local variables

    def identifier(self, node: Node) -> int:
        """A name that is not of a local variable, or of one that is followed."""
        text = self.source.text[node.start_byte : node.end_byte]
        local = self._locals.get(text)
        if local is None:
            return self.name(node)
        return self.local(node, text, local) if local.is_followed else NONE

    def local(self, node: Node, text: str, local: _Local) -> int:
        """The NAME of a local variable; one a few expressions before serves again."""
        number = local.number
        if number == NONE or self.code.size - number > _NEAR:
            number = self.name(node)
            self._locals[text] = local._replace(number=number)
        return number

    def first_of_chain(self, node: Node) -> int:
        """What a chain begins with."""
        while node.type in {"parenthesized_expression", "pointer_expression"} and node.children:
            inner = [child for child in node.children if child.is_named and not child.is_extra]
            if not inner:
                return NONE
            node = inner[-1]
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
        """Positional arguments, up to the last that says something."""
        children = node.children
        if len(children) <= _ONE_ARGUMENT:
            number = self.lower(children[1]) if len(children) == _ONE_ARGUMENT else NONE
            return [] if number == NONE else [Argument(number)]
        items = super().argument_list(node)
        while items and items[-1].value == NONE:
            items.pop()
        return items

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
        """Whether a type seems to be one of functions."""
        expression = self.code.expression(number)
        while expression.op == Op.LIST and expression.items:
            number = expression.items[0].value
            if number == NONE:
                return False
            expression = self.code.expression(number)
        if expression.op == Op.NAME:
            return _FUNCTIONS.search(expression.name) is not None
        return expression.op in {Op.CALLABLE, Op.TYPE_OF}

    def bind_variable(
        self,
        name: Node | None,
        kind: BindingKind,
        value: int,
        annotation: int,
        number: int,
        scope: int,
    ) -> None:
        """Bind the name of a variable; a local one only if it is used."""
        if name is None or not self._in_function or number != NONE:
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
        declared = self.parameter_type(node, found)
        name = found.name
        if name is not None and name.type == "identifier":
            text = self.spelled(name)
            if self.new_local(text, declared).is_typed:
                for _ in range(self._unbound):
                    self.code.bind("_", BindingKind.PARAMETER)
                self._unbound = 0
                self.bind(name, BindingKind.PARAMETER, name=text, annotation=declared)
                return
        self._unbound += 1

    def parameters(self, node: Node | None) -> None:
        """Bind parameters, up to the last that has a type."""
        self._unbound = 0
        super().parameters(node)

    def variadic(self) -> None:
        """Further arguments are not followed."""

    def old_parameter(self, node: Node) -> None:
        """A parameter whose type is declared later."""
        self.code.bind(self.spelled(node), BindingKind.PARAMETER)

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
