"""Lowers the expressions of JavaScript and TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, Op, ResultKind, ScopeKind
from code_graph.languages.ecmascript.lower.classes import ClassSyntax
from code_graph.languages.ecmascript.lower.narrowing import TypeTests
from code_graph.languages.ecmascript.lower.patterns import PatternTarget
from code_graph.treesitter.code.lowering import first

if TYPE_CHECKING:
    from tree_sitter import Node

_new: Final = tuple.__new__
# operators of the links of a chain
_LINKS: Final = {
    "member_expression": "object",
    "call_expression": "function",
    "subscript_expression": "object",
    "non_null_expression": "",
}
_LONGEST_CHAIN: Final = 40
# the grammar takes `await a<B>(c)` for a call of what `await a` gives
_AWAIT: Final = "await_expression"
_MISREAD: Final = frozenset({"unary_expression", "binary_expression", _AWAIT})
# an array with more elements is data: of its literals only the first ones count
_LONG_ARRAY: Final = 16
_LITERALS: Final = frozenset({"string", "number", "true", "false", "null", "regex"})
_COMPARISONS: Final = frozenset(
    {"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"}
)
_UNARY: Final = {"!": "bool", "delete": "bool", "typeof": "str", "void": "none"}
_DEFAULT_ASSIGNMENTS: Final = frozenset({"||=", "??=", "&&="})
# of a test: its title, and what runs
# arguments of a call whose texts are kept
_NAMING: Final = 2
_TITLES: Final = frozenset({"string", "template_string"})
_CALLBACKS: Final = frozenset({"arrow_function", "function_expression"})
# a call has its function and its arguments, and may have type arguments
_PLAIN_CALL: Final = 2
_LONGEST_KEY: Final = 80


class Expressions(TypeTests, ClassSyntax):
    """Lowers expressions."""

    def chain(self, node: Node) -> int:
        """Members, calls and elements of each other, in a loop: chains are long."""
        links, is_awaited = [], False
        inner: Node | None = node
        kinds = self._kinds
        kind = self.kind(node)
        while inner is not None and kind in _LINKS:
            links.append((inner, kind))
            field = _LINKS[kind]
            inner = inner.child_by_field_name(field) if field else first(inner)
            kind = "" if inner is None else kinds.get(inner.kind_id) or self.kind(inner)
            if kind in _MISREAD and inner is not None:
                is_awaited |= kind == _AWAIT
                inner = first(inner) if kind == _AWAIT else self._called(inner)
                kind = "" if inner is None else inner.type
        number = self.lower(inner)
        for link, kind in reversed(links):
            if kind == "member_expression":
                name = link.child_by_field_name("property")
                number = NONE if name is None else self.member(number, name)
            elif kind == "call_expression":
                number = self._call(link, number)
            elif kind == "subscript_expression":
                number = self._element(link, number)
        if self.in_test and links and links[0][1] == "member_expression":
            self.note_comparison(node, number, NONE)
        return self.code.add(Op.AWAIT, number) if is_awaited else number

    def _called(self, node: Node) -> Node | None:
        """The callee: the grammar takes `a || !b!(c)` and `!b<C>(d)` for calls of a result."""
        inner: Node | None = node
        while inner is not None and inner.type == "binary_expression":
            self.lower(inner.child_by_field_name("left"))
            inner = inner.child_by_field_name("right")
        if inner is not None and inner.type == "unary_expression":
            inner = inner.child_by_field_name("argument")
        return inner

    def _call(self, node: Node, of: int) -> int:
        arguments = node.child_by_field_name("arguments")
        if node.named_child_count > _PLAIN_CALL:
            of = self.apply(of, node.child_by_field_name("type_arguments"))
        if arguments is not None and self.kind(arguments) == "template_string":
            items = [Argument(NONE)]
            items += (
                Argument(self.lower(child))
                for child in arguments.named_children
                if child.type == "template_substitution"
            )
        else:
            items = self.call_arguments(arguments)
        number = self.code.add(Op.CALL, of, "", items)
        if self.in_test and items and items[0].value != NONE:
            self.note_predicate(node, number, items[0].value)
        return number

    def call_arguments(self, arguments: Node | None) -> list[Argument]:
        """The arguments of a call; a spread one is named "*"."""
        items: list[Argument] = []
        kinds = self._kinds
        test = NONE
        for child in () if arguments is None else arguments.named_children:
            kind = kinds.get(child.kind_id) or self.kind(child)
            if not items and kind in _TITLES:
                test = self.declaration_of(child)
            elif test != NONE and kind in _CALLBACKS:  # what runs is that of the test
                self.declaration_at[child.start_byte] = test
            if kind == "spread_element":
                items.append(Argument(self.lower(first(child)), "*"))
            elif kind == "string" and len(items) < _NAMING:
                # what a module, a member or an event is asked for by, most often
                items.append(_new(Argument, (self.named_text(child), "")))
            elif kind != "comment":
                items.append(_new(Argument, (self.lower(child), "")))
        return items

    def _element(self, node: Node, of: int) -> int:
        index = node.child_by_field_name("index")
        if index is not None and index.type in ("string", "number"):
            return self.code.add(Op.INDEX, of, self.source.of(index).strip("\"'")[:_LONGEST_KEY])
        return self.code.add(Op.INDEX, of, "", [Argument(self.lower(index))])

    def new(self, node: Node) -> int:
        """`new T(a)`."""
        constructor = node.child_by_field_name("constructor")
        of = self.lower(constructor)
        of = self.apply(of, node.child_by_field_name("type_arguments"))
        items = self.call_arguments(node.child_by_field_name("arguments"))
        line, column = 0, 0
        if constructor is not None:
            line, column = self.place(constructor.child_by_field_name("property") or constructor)
        return self.code.add(Op.NEW, of, "", items, line, column)

    def array(self, node: Node) -> int:
        """`[a, ...b]`; of much data the first elements."""
        items = []
        children = node.named_children
        for at, child in enumerate(children):
            kind = child.type
            if at >= _LONG_ARRAY and kind in _LITERALS:
                continue
            if kind == "spread_element":
                items.append(Argument(self.lower(first(child)), "*"))
            elif kind != "comment":
                items.append(Argument(self.lower(child)))
        return self.code.add(Op.LIST, NONE, "", items)

    def object(self, node: Node) -> int:
        """`{ a, b: c, d() {}, ...e }`."""
        items = []
        for child in node.named_children:
            kind = self.kind(child)
            if kind == "pair":
                items.append(self._pair(child))
            elif kind == "shorthand_property_identifier":
                items.append(Argument(self.name(child), self.source.of(child)))
            elif kind == "method_definition":
                key, value = self.object_method(child)
                items.append(Argument(value, key))
            elif kind == "spread_element":
                items.append(Argument(self.lower(first(child)), "*"))
            else:
                self.lower(child)
        return self.code.add(Op.OBJECT, NONE, "", items)

    def _pair(self, node: Node) -> Argument:
        name = node.child_by_field_name("key")
        key = self.key(name)
        value = node.child_by_field_name("value")
        return Argument(self.value(value, self.declaration_of(name)), key)

    def binary(self, node: Node) -> int:
        """An operator with two operands; a nest to the left is walked in a loop."""
        links = []
        inner: Node | None = node
        while inner is not None and inner.kind_id == node.kind_id:
            operator = inner.child_by_field_name("operator")
            links.append((inner, "" if operator is None else operator.type))
            inner = inner.child_by_field_name("left")
        outer = self.in_test
        self.in_test = outer or any(name in ("&&", "||") for _, name in links)
        number = self.lower(inner)
        for link, name in reversed(links):
            number = self._operate(link, name, number)
        self.in_test = outer
        return number

    def _operate(self, node: Node, operator: str, left: int) -> int:
        right_node = node.child_by_field_name("right")
        if operator == "&&":
            return self._when(node.child_by_field_name("left"), right_node)
        if operator == "||":
            found = self._when(node.child_by_field_name("left"), right_node, holds=False)
            return self.either((left, found))
        right = self.lower(right_node)
        if operator == "??":
            return self.either((left, right))
        if operator in _COMPARISONS:
            if self.in_test and operator != "in":
                self.note_comparison(node, left, right)
            return self.literal("bool")
        if operator == "+":
            return self.code.add(Op.OPERATOR, NONE, "+", [Argument(left), Argument(right)])
        return self.literal("float")

    def _when(self, test: Node | None, node: Node | None, *, holds: bool = True) -> int:
        """An operand that is evaluated only if the other one holds, or does not."""
        found = self.narrowed(test, holds=holds)
        if not found:
            return self.lower(node)
        outer = self.code.enter(ScopeKind.BRANCH)
        self.narrow(found)
        number = self.lower(node)
        self.code.scope = outer
        return number

    def unary(self, node: Node) -> int:
        """`!a`, `typeof a`, `-a`."""
        operator = node.child_by_field_name("operator")
        name = "" if operator is None else operator.type
        argument = self.lower(node.child_by_field_name("argument"))
        if self.in_test and name == "typeof":
            self.note_comparison(node, argument, NONE)
        return self.literal(_UNARY.get(name, "float"))

    def update(self, node: Node) -> int:
        """`a++`: a number stays one."""
        self.lower(node.child_by_field_name("argument"))
        return self.literal("float")

    def ternary(self, node: Node) -> int:
        """`a ? b : c`; a chain of them is walked in a loop."""
        code = self.code
        outer, numbers = code.scope, []
        inner: Node | None = node
        while inner is not None and inner.kind_id == node.kind_id:
            test = inner.child_by_field_name("condition")
            self.condition(test)
            numbers.append(self._when(test, inner.child_by_field_name("consequence")))
            otherwise = self.narrowed(test, holds=False)
            if otherwise and len(numbers) < _LONGEST_CHAIN:
                code.enter(ScopeKind.BRANCH)
                self.narrow(otherwise)
            inner = inner.child_by_field_name("alternative")
        numbers.append(self.lower(inner))
        code.scope = outer
        return self.either(numbers)

    def assignment(self, node: Node) -> int:
        """`a = b`, `a.b = c`, `[a, b] = c`."""
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        kind = "" if left is None else left.type
        if kind in ("member_expression", "subscript_expression") and left is not None:
            place = self.lower(left)
            name = left.child_by_field_name("property")
            declaration = self.declaration_of(name)
            value = self.value(right, declaration)
            if place != NONE:
                self.code.store(place, value, NONE, declaration)
            self.exported(self.source.of(left) if kind == "member_expression" else "", value)
            return value
        declaration = self.declaration_of(left) if kind == "identifier" else NONE
        value = self.value(right, declaration)
        self.bind_pattern(left, value, PatternTarget(None))
        return value

    def exported(self, target: str, value: int) -> None:
        """Note what is assigned to a member of the module; modules override it."""

    def augmented(self, node: Node) -> int:
        """`a += b`, `a ??= b`."""
        operator = node.child_by_field_name("operator")
        left = node.child_by_field_name("left")
        before = self.lower(left)
        value = self.lower(node.child_by_field_name("right"))
        name = "" if operator is None else operator.type
        if name not in _DEFAULT_ASSIGNMENTS:
            return before
        value = self.either((before, value))
        if left is not None and left.type == "identifier":
            line, column = self.place(left)
            self.code.assign(self.source.of(left), value, line=line, column=column)
        elif before != NONE and self.code.expression(before).op in (Op.MEMBER, Op.INDEX):
            self.code.store(before, value)
        return value

    def await_(self, node: Node) -> int:
        """`await a`."""
        return self.code.add(Op.AWAIT, self.lower(first(node)))

    def yield_(self, node: Node) -> int:
        """`yield a`, `yield* a`."""
        value = self.lower(first(node))
        delegates = any(child.type == "*" for child in node.children[:2])
        self.code.result(ResultKind.DELEGATE if delegates else ResultKind.YIELD, value)
        return NONE

    def sequence(self, node: Node) -> int:
        """`a, b`: the last one counts."""
        number = NONE
        for child in self.operands(node):
            number = self.lower(child)
        return number

    def inner(self, node: Node) -> int:
        """An expression in parentheses."""
        number = NONE
        for child in node.named_children:
            kind = self.kind(child)
            if kind == "type_annotation":
                number = self._cast(number, self.lower(child))
            elif kind != "comment":
                number = self.lower(child)
        return number

    def cast(self, node: Node) -> int:
        """`a as T`, `a satisfies T`, `a as const`."""
        children = [child for child in node.named_children if not child.is_extra]
        value = self.lower(children[0]) if children else NONE
        return self._cast(value, self.lower(children[1])) if len(children) > 1 else value

    def assertion(self, node: Node) -> int:
        """`<T>a`."""
        children = [child for child in node.named_children if not child.is_extra]
        kind = self.lower(children[0]) if children else NONE
        value = self.lower(children[-1]) if len(children) > 1 else NONE
        return self._cast(value, kind)

    def _cast(self, value: int, kind: int) -> int:
        if kind == NONE:
            return value
        return self.code.add(Op.CAST, value, "", [Argument(kind)])
