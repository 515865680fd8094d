"""Lowers statements: variables, branches, loops, and what their tests narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import (
    NONE,
    BindingKind,
    Op,
    ResultKind,
    ScopeKind,
)
from code_graph.languages.ecmascript.lower.functions import Functions
from code_graph.languages.ecmascript.lower.narrowing import TypeTest, TypeTests
from code_graph.languages.ecmascript.lower.patterns import PatternTarget
from code_graph.treesitter.code.lowering import first

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDING: Final = frozenset(
    {"return_statement", "throw_statement", "continue_statement", "break_statement"}
)
_LONGEST_CHAIN: Final = 40
_LEXICAL: Final = frozenset({"let", "const", "using"})


class Statements(TypeTests, Functions):
    """Lowers statements."""

    def expression_statement(self, node: Node) -> int:
        """An expression whose value nobody takes."""
        for child in node.named_children:
            if self.kind(child) == "call_expression" and self.asserts_something(child):
                self._assertion(child)
            else:
                self.lower(child)
        return NONE

    def _assertion(self, node: Node) -> None:
        """`assert(a instanceof B)`, `assertIsB(a)`: what is tested holds from here on."""
        self.condition(node)
        arguments = node.child_by_field_name("arguments")
        test = None if arguments is None else first(arguments)
        shown = self.narrowed(test, holds=True) if self.asserts_its_argument(node) else []
        self.narrow([*self.narrowed(node, holds=True), *shown])

    def lexical_declaration(self, node: Node) -> int:
        """`let`, `const`, `using`: names of a block."""
        self._declarators(node, self.code.binding_scope())
        return NONE

    def variable_declaration(self, node: Node) -> int:
        """`var`: names of a function."""
        scope = self.code.binding_scope(ScopeKind.FUNCTION, ScopeKind.MODULE)
        self._declarators(node, scope)
        return NONE

    def _declarators(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if self.kind(child) == "variable_declarator":
                self._declarator(child, scope)
            else:
                self.lower(child)

    def _declarator(self, node: Node, scope: int) -> None:
        name = node.child_by_field_name("name")
        annotation = self.lower(node.child_by_field_name("type"))
        value = node.child_by_field_name("value")
        if name is None:
            return
        if self.kind(name) != "identifier":
            number = self.lower(value)
            if not self._imported_names(node, name, scope, number):
                self.bind_pattern(name, number, PatternTarget(scope, annotation=annotation))
            return
        text, declaration = self.source.of(name), self.declaration_of(name)
        number = self.value(value, declaration, wraps=True)
        imported = self.imported_at(node, text)
        is_import = imported != NONE and declaration == NONE
        self.bind(
            name,
            BindingKind.IMPORTED if is_import else BindingKind.ASSIGNED,
            imported if is_import else number,
            annotation=annotation,
            declaration=declaration,
            scope=scope,
        )

    def _imported_names(self, node: Node, pattern: Node, scope: int, module: int) -> bool:
        """Bind the names of `const { a, b: c } = require("m")`, if all are imports."""
        found: list[tuple[Node | None, Node, int]] = []
        for child in pattern.named_children:
            key = child.child_by_field_name("key")
            name = child if key is None else child.child_by_field_name("value")
            text = "" if name is None else self.source.of(name)
            number = self.imported_at(node, text)
            if name is None or number == NONE:
                return False
            found.append((key, name, number))
        for key, name, number in found:
            if key is not None:
                self.member(module, key)
            self.bind(name, BindingKind.IMPORTED, number, scope=scope)
        return bool(found)

    def return_(self, node: Node) -> int:
        """`return a`."""
        for child in node.named_children:
            if not child.is_extra:
                self.code.result(ResultKind.RETURN, self.lower(child))
        return NONE

    def branch(self, node: Node | None, shown: list[TypeTest]) -> None:
        """A statement that may not run, with what a test says there."""
        if node is None:
            return
        outer = self.code.enter(ScopeKind.BRANCH)
        self.narrow(shown)
        self.lower(node)
        self.code.leave(outer)

    def if_(self, node: Node) -> int:
        """`if`; a chain of `else if` is walked in a loop."""
        code = self.code
        around = [code.scope]
        inner = node
        while True:
            test = inner.child_by_field_name("condition")
            self.condition(test)
            body = inner.child_by_field_name("consequence")
            self.branch(body, self.narrowed(test, holds=True))
            otherwise = inner.child_by_field_name("alternative")
            shown = self.narrowed(test, holds=False)
            if otherwise is None:
                break
            following = first(otherwise)
            if following is None or following.type != "if_statement":
                self.branch(following, shown)
                break
            # the narrowing of all earlier tests, or of a long chain the first ones
            if shown and len(around) < _LONGEST_CHAIN:
                around.append(code.enter(ScopeKind.BRANCH))
                self.narrow(shown)
            inner = following
        while len(around) > 1:
            code.leave(around.pop())
        if inner is node and otherwise is None and _ends(body):
            self.narrow(shown)
        return NONE

    def for_(self, node: Node) -> int:
        """`for (a; b; c)`."""
        code = self.code
        outer = code.scope
        initial = node.child_by_field_name("initializer")
        if initial is not None and initial.type == "lexical_declaration":
            code.enter(ScopeKind.BLOCK)
        self.lower(initial)
        around = code.enter(ScopeKind.LOOP)
        test = node.child_by_field_name("condition")
        self.condition(test)
        self.narrow(self.narrowed(test, holds=True))
        self.lower(node.child_by_field_name("body"))
        self.lower(node.child_by_field_name("increment"))
        code.leave(around)
        code.scope = outer
        return NONE

    def for_in(self, node: Node) -> int:
        """`for (a of b)` and `for (a in b)`."""
        code = self.code
        outer = code.scope
        values = self.lower(node.child_by_field_name("right"))
        operator = node.child_by_field_name("operator")
        kind = node.child_by_field_name("kind")
        word = "" if kind is None else kind.type
        code.enter(ScopeKind.LOOP)
        if word in _LEXICAL:
            code.enter(ScopeKind.BLOCK)
        if operator is not None and operator.type == "of":
            value = code.add(Op.ELEMENT, values)
        else:
            value = self.literal("str")
        scope: int | None = None
        if word in _LEXICAL:
            scope = code.scope
        elif word == "var":
            scope = code.binding_scope(ScopeKind.FUNCTION, ScopeKind.MODULE)
        self.bind_pattern(node.child_by_field_name("left"), value, PatternTarget(scope))
        self.lower(node.child_by_field_name("body"))
        code.scope = outer
        return NONE

    def while_(self, node: Node) -> int:
        """`while (a)` and `do … while (a)`."""
        code = self.code
        outer = code.enter(ScopeKind.LOOP)
        test = node.child_by_field_name("condition")
        body = node.child_by_field_name("body")
        if node.type == "do_statement":
            self.lower(body)
            self.condition(test)
        else:
            self.condition(test)
            self.narrow(self.narrowed(test, holds=True))
            self.lower(body)
        code.leave(outer)
        return NONE

    def switch(self, node: Node) -> int:
        """`switch`: each case narrows the tag or type that is compared."""
        code = self.code
        subject = node.child_by_field_name("value")
        value = self.condition(subject)
        outer = code.enter(ScopeKind.BLOCK)
        block = code.scope
        body = node.child_by_field_name("body")
        shown: list[TypeTest] = []
        excluded: list[TypeTest] = []
        for case in () if body is None else body.named_children:
            test = case.child_by_field_name("value")
            number = self.lower(test)
            statements = case.children_by_field_name("body")
            if test is not None:
                shown += self._case(subject, value, test, number)
            code.enter(ScopeKind.BRANCH)
            if statements:
                if test is None:
                    self.narrow(excluded)
                elif shown:
                    self._narrow_case(shown)
                excluded += (item._replace(holds=False) for item in shown[:_LONGEST_CHAIN])
                self.statements(statements)
                shown = []
            code.leave(block)
        code.leave(outer)
        return NONE

    def _case(self, subject: Node | None, value: int, test: Node, number: int) -> list[TypeTest]:
        inner = subject
        while inner is not None and inner.type == "parenthesized_expression":
            inner = first(inner)
        if inner is None or value == NONE:
            return []
        return self.equal(inner, test, (value, number))

    def _narrow_case(self, shown: list[TypeTest]) -> None:
        """Several cases before the same statements: one of their types."""
        if len(shown) == 1:
            self.narrow(shown)
            return
        values = [self.shown_value(item) for item in shown]
        if len({item.name for item in shown}) == 1:
            self.narrow_to(shown[0].name, self.either(values))

    def try_(self, node: Node) -> int:
        """`try`, `catch` and `finally`."""
        code = self.code
        self.branch(node.child_by_field_name("body"), [])
        handler = node.child_by_field_name("handler")
        if handler is not None:
            outer = code.enter(ScopeKind.BRANCH)
            around = code.enter(ScopeKind.BLOCK)
            annotation = self.lower(handler.child_by_field_name("type"))
            caught = handler.child_by_field_name("parameter")
            self.bind_pattern(caught, NONE, PatternTarget(code.scope, annotation=annotation))
            body = handler.child_by_field_name("body")
            self.statements([] if body is None else body.named_children)
            code.leave(around)
            code.leave(outer)
        self.lower(node.child_by_field_name("finalizer"))
        return NONE

    def labeled(self, node: Node) -> int:
        """A statement with a label."""
        return self.lower(node.child_by_field_name("body"))


def _ends(body: Node | None) -> bool:
    """True if a statement leaves what is around it."""
    if body is None:
        return False
    if body.type == "statement_block":
        children = [child for child in body.named_children if not child.is_extra]
        return bool(children) and children[-1].type in _ENDING
    return body.type in _ENDING
