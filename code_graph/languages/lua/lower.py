"""Lowers Lua: a file is a function, so its locals are in a block and its globals around that.

A table gets its members by stores. Two of them have no name in code: the metatable (`@meta`), and
values under unknown keys (empty). `a:f(b)` is `a.f(a, b)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, BindingKind, Code, Op, ResultKind, ScopeKind
from code_graph.languages.lua.syntax import SHEET
from code_graph.treesitter.code.lowering import Lowering

if TYPE_CHECKING:
    from tree_sitter import Node

SELF: Final = "self"
META: Final = "@meta"
ITEM: Final = ""
_SPREAD: Final = "*"
# calls that give their first argument, and store the last one in a member of it
_GIVING: Final = {"assert": "", "setmetatable": META, "table.insert": ITEM, "rawset": ITEM}
_STEPS: Final = frozenset(
    {
        "bracket_index_expression",
        "dot_index_expression",
        "function_call",
        "method_index_expression",
    }
)
_OPEN: Final = frozenset({"function_call", "vararg_expression"})


class Lua(Lowering):
    """Expressions and declarations of one file."""

    sheet = SHEET

    def run(self, root: Node) -> Code:
        """The code of the whole file."""
        self.code.enter(ScopeKind.BLOCK)
        return super().run(root)

    # statements

    def block(self, node: Node) -> int:
        """Statements with locals of their own, which may not run."""
        outer = self.code.enter(ScopeKind.BLOCK)
        self.lower_all(node.named_children)
        self.code.leave(outer)
        return NONE

    def loop(self, node: Node) -> int:
        """`for`, `while` and `repeat`, whose condition sees the locals of its body."""
        outer = self.code.enter(ScopeKind.LOOP)
        inner = self.code.enter(ScopeKind.BLOCK)
        for child in node.named_children:
            if child.type == "block":
                self.lower_all(child.named_children)
            else:
                self.lower(child)
        self.code.leave(inner)
        self.code.leave(outer)
        return NONE

    def numbers(self, node: Node) -> int:
        """`i = 1, n`."""
        name, *bounds = node.named_children
        self.lower_all(bounds)
        self.bind(name, value=self.literal("float"))
        return NONE

    def iteration(self, node: Node) -> int:
        """`key, value in pairs(t)`."""
        names, values = node.named_children
        of = self.code.add(Op.ELEMENT, self._values(values, 1)[0])
        for at, name in enumerate(names.named_children):
            self.bind(name, value=self.code.add(Op.PART, of, str(at)))
        return NONE

    def returned(self, node: Node) -> int:
        """`return a, b`."""
        values = self._values(node.named_children[0], 1) if node.named_child_count else []
        if len(values) > 1:
            values = [self.code.add(Op.TUPLE, items=[Argument(value) for value in values])]
        for value in values:
            self.code.result(ResultKind.RETURN, value)
        return NONE

    def local(self, node: Node) -> int:
        """`local a, b = …`; names without a value get one later."""
        inner = node.named_children[0]
        if inner.type == "assignment_statement":
            return self._assign(inner, is_local=True)
        for name in inner.children_by_field_name("name"):
            self.bind(name)
        return NONE

    def assignment(self, node: Node) -> int:
        """`a, b.c = …`."""
        return self._assign(node, is_local=False)

    def _assign(self, node: Node, *, is_local: bool) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        targets = left.children_by_field_name("name")
        values = self._values(right, len(targets), targets)
        for target, value in zip(targets, values, strict=False):
            self._bind(target, value, is_local=is_local)
        return NONE

    def _bind(self, name: Node, value: int, *, is_local: bool) -> None:
        """Give a local, a global or a member its value."""
        declaration = self._declared_as(name)
        if name.type != "identifier":
            self.code.store(self.lower(name), value, declaration=declaration)
        elif is_local:
            self.bind(name, value=value, declaration=declaration)
        else:
            line, column = self.place(name)
            text = self.source.of(name)
            self.code.assign(text, value, line=line, column=column, declaration=declaration)

    # functions

    def _declared_as(self, name: Node | None) -> int:
        """The declaration of the last name of `a.b.c`."""
        if name is None:
            return NONE
        last = name.child_by_field_name("method") or name.child_by_field_name("field") or name
        return self.declaration_of(last.child_by_field_name("content") or last)

    def function_declaration(self, node: Node) -> int:
        """`function a.b:c() end`, and `local function f() end`, which sees itself."""
        name = node.named_children[0]
        is_local = node.children[0].type == "local"
        if is_local:
            self.bind(name, BindingKind.DECLARED, declaration=self._declared_as(name))
        value = self.function(node, self._declared_as(name))
        if not is_local:
            self._bind(name, value, is_local=False)
        return NONE

    def function(self, node: Node, declaration: int = NONE) -> int:
        """A function as a value."""
        with self.code.inside(ScopeKind.FUNCTION, declaration) as scope:
            if node.named_children[0].type == "method_index_expression":
                self.code.bind(SELF, BindingKind.PARAMETER)
            parameters = node.child_by_field_name("parameters")
            for each in () if parameters is None else parameters.named_children:
                is_rest = each.type == "vararg_expression"
                self.bind(each, BindingKind.VARIADIC if is_rest else BindingKind.PARAMETER)
            body = node.child_by_field_name("body")
            if body is not None:
                self.lower_all(body.named_children)
        return self.code.add(Op.FUNCTION, scope)

    # chains of members and calls

    def chain(self, node: Node) -> int:
        """`a.b:c(d)[e]`, which is walked in a loop."""
        steps = []
        while node.type in _STEPS and node.named_child_count:
            steps.append(node)
            node = node.named_children[0]
        of = self.lower(node)
        for step in reversed(steps):
            of = self._call(step, of) if step.type == "function_call" else self._index(step, of)
        return of

    def _call(self, node: Node, of: int) -> int:
        """A call; the function that a test is given has the declaration of its title."""
        called = node.named_children[0]
        given = [each for each in node.named_children[-1].named_children if not each.is_extra]
        named = given[:1] if given and given[0].type == "string" else []
        items = self._items(given, [*named, *named])
        if called.type == "method_index_expression":
            items.insert(0, Argument(self.code.expression(of).of))
        number = self.code.add(Op.CALL, of, items=items)
        name = self.source.of(called) if items else ""
        if name not in _GIVING:
            return number
        if _GIVING[name] and len(items) > 1:
            self._store(items[0].value, _GIVING[name], items[-1].value)
        is_new = len(items) == 1 or any(self._is_table(item.value) for item in items)
        if name != "setmetatable" or is_new:
            return items[0].value
        return self.code.add(Op.EITHER, items=items[::-1])  # an object of another class

    def _is_table(self, number: int) -> bool:
        return number != NONE and self.code.expression(number).op == Op.OBJECT

    def _index(self, node: Node, of: int) -> int:
        """`a.b`, `a:b`, `a["b"]`, and `a[b]`, which is any item."""
        key = node.named_children[-1]
        text = key.child_by_field_name("content") if key.type == "string" else key
        if text is None or (text == key and node.type == "bracket_index_expression"):
            self.lower(key)
            return self.code.add(Op.MEMBER, of, ITEM)
        return self.member(of, text)

    def _store(self, of: int, name: str, value: int, declaration: int = NONE) -> None:
        self.code.store(self.code.add(Op.MEMBER, of, name), value, declaration=declaration)

    # values

    def _values(self, node: Node, count: int, names: Sequence[Node] = ()) -> list[int]:
        """The values of a list for several names; a call at its end may give several."""
        nodes = [child for child in node.named_children if not child.is_extra]
        values = [item.value for item in self._items(nodes, names)]
        is_open = bool(nodes) and nodes[-1].type in _OPEN
        for at in range(1, count - len(values) + 1):
            values.append(
                self.code.add(Op.PART, values[len(nodes) - 1], str(at)) if is_open else NONE
            )
        return values

    def _items(self, nodes: Sequence[Node], names: Sequence[Node | None] = ()) -> list[Argument]:
        """Values; functions may be declared by names."""
        items: list[Argument] = []
        for node, name in zip_longest(nodes, names[: len(nodes)]):
            inner = node
            if node.type == "binary_expression":  # `f = f or function() end`
                inner = node.named_children[-1]
            if inner.type == "function_definition":
                items.append(Argument(self.function(inner, self._declared_as(name))))
            else:
                spread = _SPREAD if node.type == "vararg_expression" else ""
                items.append(Argument(self.lower(node), spread))
        return items

    def table(self, node: Node) -> int:
        """`{ a = 1, ["b"] = 2, [c] = 3, 4 }`."""
        items: list[Argument] = []
        declared: list[tuple[int, Argument]] = []
        for field in node.named_children:
            name, value = (field.child_by_field_name(part) for part in ("name", "value"))
            key = None if name is None else name.child_by_field_name("content") or name
            if name is not None and key == name and field.children[0].type == "[":
                self.lower(name)
                key = None
            for item in self._items([value] if value else [], [name]):
                items.append(item if key is None else item._replace(name=self.source.of(key)))
                if self._is_table(item.value):
                    declared.append((self._declared_as(name), items[-1]))
        number = self.code.add(Op.OBJECT, items=items)
        for declaration, item in declared:
            if declaration != NONE:
                self._store(number, item.name, item.value, declaration)
        return number

    def string(self, node: Node) -> int:
        """A text."""
        content = node.child_by_field_name("content")
        return self.text("" if content is None else self.source.of(content))

    def binary(self, node: Node) -> int:
        """An operator; `a and b` gives `b`, `a or b` either."""
        word = node.children[1].type
        items = [Argument(self.lower(child)) for child in node.named_children]
        if word == "and":
            return items[-1].value
        if word == "or":
            return self.code.add(Op.EITHER, items=items)
        return self.code.add(Op.OPERATOR, NONE, word, items)
