"""Lowers expressions and types of C++."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.languages.c.lower.declarations import CDeclarations
from code_graph.languages.c.lower.types import Declarator, read_declarator
from code_graph.languages.c.numbers import in_one_form
from code_graph.languages.cpp.operands import ADDRESS, POINTER

if TYPE_CHECKING:
    from tree_sitter import Node


CASTS: Final = frozenset(
    {"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "bit_cast"}
)
_FLOAT: Final = re.compile(r"^(?!0[xXbB]).*[.eEfF]|[.pP]")
_SUFFIX: Final = re.compile(r"[uUlLzZ]+$")
# types that suffixes of texts say
_LIBRARY: Final = {"sv": "string_view", "s": "string"}
_SUFFIXES: Final = {
    "u": "unsigned", "l": "long", "ul": "unsigned long", "lu": "unsigned long", "ll": "long long",
    "ull": "unsigned long long", "llu": "unsigned long long", "z": "ptrdiff_t", "uz": "size_t",
}  # fmt: skip
_FLOATS: Final = {"float": 1, "double": 2}
_NOT: Final = frozenset({"!", "not"})
_AROUND_CALLED: Final = frozenset({"parenthesized_expression", "pointer_expression"})


class CppValues(CDeclarations):
    """Expressions and types."""

    has_tags: ClassVar[bool] = False

    def begin(self) -> None:
        """Begin without addresses."""
        super().begin()
        # the values whose addresses are taken where they stand, and new objects
        self._addresses: set[int] = set()
        self._is_lambda = False

    def primitive(self, node: Node) -> int:
        """The NAME of a type that is a keyword; one of a few expressions before serves again."""
        text = self.source.of(node)
        return NONE if text == "void" else self._built_in(text)

    def sized_type(self, node: Node) -> int:
        """The NAME of a type of several keywords, in one order."""
        return self._built_in(in_one_form(self.source.of(node).split()))

    def size(self, node: Node) -> int:
        """The number of bytes of a type or value."""
        self.opaque(node)
        return self.literal("size_t")

    def suffixed(self, node: Node) -> int:
        """A literal whose suffix says the type of the library: `"…"sv`; others are not known."""
        suffix = self.source.of(node.children[-1])
        return self.literal(_LIBRARY[suffix]) if suffix in _LIBRARY else NONE

    def number(self, node: Node) -> int:
        """The LITERAL of a number, by its form."""
        text = self.source.of(node)
        if _FLOAT.search(text):
            return self.literal("float" if text[-1] in "fF" else "double")
        suffix = _SUFFIX.search(text)
        return self.literal(_SUFFIXES.get(suffix[0].lower(), "int") if suffix else "int")

    def unary(self, node: Node) -> int:
        """An operand with an operator before it, which may be a function."""
        operator = node.child_by_field_name("operator")
        value = self.lower(node.child_by_field_name("argument"))
        if operator is None:
            return value
        is_not = operator.type in _NOT
        self.operate("!" if is_not else operator.type, value)
        return self.literal("bool") if is_not else value

    def operate(self, operator: str, *operands: int) -> None:
        """An operator without a declared value, as of constants."""
        first = operands[0]
        if first != NONE and self.code.expression(first).op != Op.LITERAL:
            self.code.add(Op.OPERATOR, name=operator, items=[*map(self.operand, operands)])

    def operand(self, number: int) -> Argument:
        """An operand, with a mark where it is the address of the value."""
        return Argument(number, ADDRESS if number in self._addresses else "")

    def pointer(self, node: Node) -> int:
        """The value that a pointer leads to, or the address of one."""
        value = self.lower(node.children[-1])
        if value == NONE:
            return NONE
        if node.children[0].type != "*":
            self._addresses.add(value)
            return value
        return self.code.add(Op.OPERATOR, name="*", items=[self.operand(value)])

    def step_by_one(self, node: Node) -> int:
        """`++x`, or `x++`, whose function has a number as its second operand."""
        is_before = not node.children[0].is_named
        value = self.lower(node.children[-1 if is_before else 0])
        operator = node.children[0 if is_before else -1].type
        self.operate(operator, value, *(() if is_before else (self.literal("int"),)))
        return value

    def assignment(self, node: Node) -> int:
        """A value is stored; `+=` and the like may be functions."""
        operator = node.children[1].type
        if operator == "=":
            return super().assignment(node)
        target, value = self.lower(node.children[0]), self.lower(node.children[-1])
        self.operate(operator, target, value)
        return target

    def store(self, target: int, value: int) -> None:
        """Store a value behind a pointer as in the pointer."""
        super().store(self.behind(target), value)

    def behind(self, number: int) -> int:
        """The pointer of a value that one leads to; types are those of either."""
        item = self.code.expression(number) if number != NONE else None
        is_pointed = item is not None and item.op == Op.OPERATOR and len(item.items) == 1
        return item.items[0].value if item is not None and is_pointed else number

    def local_type(self, declared: int, pointers: int) -> int:
        """The type of an undeclared variable, with a mark for pointers."""
        if declared == NONE or not pointers:
            return declared
        return self.code.add(Op.EITHER, items=[Argument(declared, POINTER * pointers)])

    def _built_in(self, text: str) -> int:
        key = f" {text}"
        number = self._literals.get(key, NONE)
        if number == NONE or self.code.size - number > 100:
            number = self._literals[key] = self.code.add(Op.NAME, name=text)
        return number

    def qualified(self, node: Node) -> int:
        """Names in namespaces and classes; a chain of them is no nest."""
        of = NONE
        left: Node | None = node
        while left is not None and left.type == "qualified_identifier":
            scope = left.child_by_field_name("scope")
            if scope is not None:
                of = self.part(of, scope)
            left = left.child_by_field_name("name")
        return of if left is None else self.part(of, left)

    def part(self, of: int, node: Node) -> int:
        """A name in a namespace or class, or the first of a path."""
        kind = node.type
        if kind in {"template_type", "template_function", "template_method"}:
            name = node.child_by_field_name("name")
            of = of if name is None else self.part(of, name)
            return self.apply(of, node.child_by_field_name("arguments"))
        if kind == "dependent_name":
            return self.part(of, node.children[-1])
        if kind in self.names:
            return self.name(node) if of == NONE else self.member(of, node)
        if kind in {"destructor_name", "operator_name", "operator_cast", "pointer_type_declarator"}:
            return of
        return self.lower(node)

    def template_use(self, node: Node) -> int:
        """A generic with its arguments."""
        return self.part(NONE, node)

    def path(self, node: Node) -> int:
        """Nested namespaces."""
        of = NONE
        for child in node.children:
            if child.type == "nested_namespace_specifier":
                of = self.lower(child)
            elif child.is_named:
                of = self.part(of, child)
        return of

    def type_of(self, node: Node) -> int:
        """`decltype(x)`."""
        value = self.pass_through(node)
        return NONE if value == NONE else self.code.add(Op.TYPE_OF, value)

    def field(self, of: int, node: Node) -> int:
        """A member of a value, maybe with template arguments."""
        left: Node | None = node
        while left is not None and left.type == "qualified_identifier":
            self.lower(left.child_by_field_name("scope"))
            left = left.child_by_field_name("name")
        return of if left is None else self.part(of, left)

    def first_call(self, node: Node, function: Node) -> int:
        """The innermost call of a chain, which may be a cast."""
        if function.type == "template_function":
            name = function.child_by_field_name("name")
            if name is not None and self.source.of(name) in CASTS:
                arguments = function.child_by_field_name("arguments")
                types = [] if arguments is None else self.lower_each(arguments.children)
                items = self.argument_list(node.children[-1])
                value = items[0].value if items else NONE
                return self.cast(value, types[0] if types else NONE)
        if function.type == "qualified_identifier" and function.children[0].type == "::":
            return self.global_call(node, function)
        inner = function
        while inner.type in _AROUND_CALLED and inner.children:
            inner = inner.child_by_field_name("argument") or inner.children[1]
        if inner is not function and inner.type in self.names:  # `(*f)(x)`, of a pointer to one
            return self.step(node, self.lower(inner))
        return super().first_call(node, function)

    def global_call(self, node: Node, function: Node) -> int:
        """A call of `::f`, which is looked up in no scope around."""
        called = first = self.lower(function)
        while first != NONE and self.code.expression(first).of != NONE:
            first = self.code.expression(first).of
        if first != NONE and self.code.expression(first).op == Op.NAME:
            self.code.look_up_from(first, 0)
        return self.step(node, called)

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator, which may be a function."""
        if operator in self.truths:
            return self.literal("bool")
        if left == NONE and right == NONE:
            return NONE
        kinds = {self.code.expression(one).op for one in (left, right) if one != NONE}
        if kinds == {Op.LITERAL}:
            names = [self.code.expression(one).name for one in (left, right) if one != NONE]
            return left if left != NONE and names[0] == max(names, key=_rank) else right
        items = self.operand(left), self.operand(right)
        return self.code.add(Op.OPERATOR, name=operator, items=items)

    def compound_literal(self, node: Node) -> int:
        """`T{…}` is a new object."""
        declared = node.child_by_field_name("type")
        of = self.lower(declared)
        value = node.child_by_field_name("value")
        return self.created(of, value, declared or node)

    def created(self, of: int, value: Node | None, at: Node) -> int:
        """A new object of a type, with arguments or an initialiser."""
        items: list[Argument] = []
        for child in () if value is None else value.children:
            if child.type == "initializer_pair":
                items.append(self.designated(child, of, 0))
            elif child.is_named and not child.is_extra:
                items.append(Argument(self.lower(child)))
        return self.new(of, items, at)

    def new_expression(self, node: Node) -> int:
        """A new object."""
        self.lower(node.child_by_field_name("placement"))
        declared = node.child_by_field_name("type")
        of = self.lower(declared)
        self.lower(node.child_by_field_name("declarator"))
        made = self.created(of, node.child_by_field_name("arguments"), declared or node)
        self._addresses.add(made)
        return made

    def lambda_expression(self, node: Node) -> int:
        """An anonymous function."""
        captures = node.child_by_field_name("captures")
        with self.code.inside(ScopeKind.FUNCTION) as scope:
            for child in () if captures is None else captures.children:
                if child.type == "lambda_capture_initializer":
                    value = self.lower(child.child_by_field_name("right"))
                    self.bind_name(child.child_by_field_name("left"), value=value)
                elif child.is_named:
                    self.lower(child)
            self.template_parameters(node.child_by_field_name("template_parameters"), NONE)
            declarator = node.child_by_field_name("declarator")
            if declarator is not None:
                self._is_lambda = True
                self.parameters(declarator.child_by_field_name("parameters"))
                self._is_lambda = False
                for child in declarator.children:
                    if child.type == "trailing_return_type":
                        self.lower(child)
            body = node.child_by_field_name("body")
            self.lower_each(() if body is None else body.children)
        return self.function(scope, node)

    def type_descriptor(self, node: Node) -> int:
        """A type in brackets or a cast, with a mark for pointers."""
        declared = super().type_descriptor(node)
        found = read_declarator(node.child_by_field_name("declarator"))
        return self.local_type(declared, found.pointers)

    def parameter_type(self, node: Node, found: Declarator) -> int:
        """The type of a parameter of a lambda, which has no declaration."""
        declared = super().parameter_type(node, found)
        return self.local_type(declared, found.pointers) if self._is_lambda else declared

    def template_parameters(self, node: Node | None, number: int) -> None:
        """Bind the parameters of a template."""
        raise NotImplementedError

    def requires_expression(self, node: Node) -> int:
        """Requirements, with variables of their own."""
        outer = self.code.enter(ScopeKind.BLOCK)
        parameters = node.child_by_field_name("parameters")
        for child in () if parameters is None else parameters.children:
            name = child.child_by_field_name("declarator")
            if child.is_named:
                declared = self.lower(child.child_by_field_name("type"))
                if name is not None and name.type == "identifier":
                    self.bind_name(name, BindingKind.ASSIGNED, annotation=declared)
        self.lower(node.child_by_field_name("requirements"))
        self.code.leave(outer)
        return NONE


def _rank(name: str) -> int:
    """The rank of a number's type; an operator gives the higher one."""
    return _FLOATS.get(name, 0)
