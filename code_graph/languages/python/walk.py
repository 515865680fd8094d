"""Walks a Python syntax tree in text order and collects declarations, imports and uses.

A stack of statement lists replaces recursion. `if`, `try`, `match` and loops are control flow;
`with` is not. Functions and classes own the uses in their lines, including those in decorators,
defaults and annotations; variables own nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from code_graph.facts.model import Import
from code_graph.languages.python.assignments import AssignmentWalker
from code_graph.languages.python.declarations import DeclarationBuilder, Function, decorator_names
from code_graph.languages.python.scopes import (
    CLASS,
    FUNCTION,
    MODULE,
    Block,
    ClassBody,
    PythonScope,
)
from code_graph.languages.python.source import PythonSource
from code_graph.languages.python.uses import BASE, DECORATOR, Uses, fields_of


class Walk:
    """One pass over a module."""

    def __init__(self, source: PythonSource, tree: ast.Module) -> None:
        """Walk the whole tree."""
        self.builder = DeclarationBuilder(source)
        self.uses = Uses(source)
        self.imports: list[Import] = []
        # by import statement, the number of its first import
        self.import_number: dict[ast.AST, int] = {}
        self._module = self.uses.new_scope(MODULE, None)
        block = Block(self._module)
        self._stack: list[tuple[Iterator[ast.stmt], Block]] = [(iter(tree.body), block)]
        self._run()

    def _run(self) -> None:
        stack, handlers = self._stack, self._handlers()
        while stack:
            statements, block = stack[-1]
            height = len(stack)
            for statement in statements:
                handle = handlers.get(statement.__class__)
                if handle is None:
                    self._use_all(statement, block)
                else:
                    handle(statement, block)
                    if len(stack) != height:
                        break
            else:
                stack.pop()

    def _handlers(self) -> dict[type[ast.stmt], Callable[[Any, Block], None]]:
        """Handlers of the statements that are more than their expressions."""
        assignments = AssignmentWalker(self.builder, self.uses)
        return {
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Expr: self._value,
            ast.Return: self._value,
            ast.Assign: assignments.add_assignment,
            ast.AnnAssign: assignments.add_annotated,
            ast.AugAssign: assignments.add_augmented,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Global: self._outside,
            ast.Nonlocal: self._outside,
            ast.If: self._if,
            ast.For: self._loop,
            ast.AsyncFor: self._loop,
            ast.While: self._while,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Match: self._match,
            # new in Python 3.12
            getattr(ast, "TypeAlias", ast.stmt): assignments.add_type_alias,
        }

    def _enter(self, *bodies: tuple[list[ast.stmt], Block]) -> None:
        self._stack += [(iter(body), block) for body, block in reversed(bodies) if body]

    def _use(self, block: Block, *nodes: ast.AST | None) -> None:
        self.uses.add_expressions(nodes, block.owner, block.scope)

    def _use_all(self, node: ast.AST, block: Block) -> None:
        nodes: list[ast.AST] = []
        for field in fields_of(node.__class__):
            value = getattr(node, field, None)
            if value.__class__ is list:
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
        if nodes:
            self.uses.add_expressions(nodes, block.owner, block.scope)

    def _function(self, node: Function, block: Block) -> None:
        number = self.builder.add_function(node, block)
        block.scope.known.add(node.name)
        scope = self.uses.new_scope(FUNCTION, block.scope)
        self._parameters(node, number, block.scope, scope)
        if block.scope.kind == CLASS:
            scope.receiver = _receiver(node)
        self._enter((node.body, block.inside(f"def {node.name}", scope, number, block.around)))

    def _parameters(
        self, node: Function, number: int, outer: PythonScope, scope: PythonScope
    ) -> None:
        arguments = node.args
        for decorator in node.decorator_list:
            self.uses.add_named(decorator, DECORATOR, number, outer)
        self.uses.add_expressions(arguments.defaults, number, outer)
        self.uses.add_expressions(arguments.kw_defaults, number, outer)
        single = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *single):
            scope.bound.add(item.arg)
            if item.annotation is not None:
                self.uses.add_types(item.annotation, number, outer)
        if node.returns is not None:
            self.uses.add_types(node.returns, number, outer)
        self._type_parameters(node, number, outer)

    def _type_parameters(self, node: ast.stmt, number: int, scope: PythonScope) -> None:
        for parameter in getattr(node, "type_params", ()):
            bound = getattr(parameter, "bound", None)
            if bound is not None:
                self.uses.add_types(bound, number, scope)

    def _class(self, node: ast.ClassDef, block: Block) -> None:
        number = self.builder.add_class(node, block)
        block.scope.known.add(node.name)
        for decorator in node.decorator_list:
            self.uses.add_named(decorator, DECORATOR, number, block.scope)
        for base in node.bases:
            self.uses.add_named(base, BASE, number, block.scope)
        keywords = [keyword.value for keyword in node.keywords]
        self.uses.add_expressions(keywords, number, block.scope)
        self._type_parameters(node, number, block.scope)
        scope = self.uses.new_scope(CLASS, block.scope)
        around = ClassBody(number, set())
        self._enter((node.body, block.inside(f"class {node.name}", scope, number, around)))

    def _import(self, node: ast.Import, block: Block) -> None:
        self.import_number[node] = len(self.imports)
        for item in node.names:
            bound = item.asname or item.name.partition(".")[0]
            block.scope.known.add(bound)
            self.imports.append(Import(item.name, "", bound, item.lineno, block.owner))

    def _import_from(self, node: ast.ImportFrom, block: Block) -> None:
        self.import_number[node] = len(self.imports)
        module = "." * node.level + (node.module or "")
        for item in node.names:
            bound = "" if item.name == "*" else item.asname or item.name
            if bound:
                block.scope.known.add(bound)
            else:
                self.uses.has_star_import = True
            self.imports.append(Import(module, item.name, bound, item.lineno, block.owner))

    def _outside(self, node: ast.Global | ast.Nonlocal, block: Block) -> None:
        block.scope.outside.update(node.names)
        if isinstance(node, ast.Global):
            self._module.known.update(node.names)

    def _value(self, node: ast.Expr | ast.Return, block: Block) -> None:
        if node.value.__class__ is not ast.Constant:
            self.uses.add_expressions((node.value,), block.owner, block.scope)

    def _if(self, node: ast.If, block: Block) -> None:
        label, bodies = "if", []
        while True:
            self._use(block, node.test)
            bodies.append((node.body, block.under(label)))
            rest = node.orelse
            if len(rest) != 1 or not isinstance(rest[0], ast.If):
                break
            if rest[0].col_offset != node.col_offset:  # an `if` inside an `else`
                break
            node, label = rest[0], "elif"
        self._enter(*bodies, (rest, block.under("else")))

    def _loop(self, node: ast.For | ast.AsyncFor, block: Block) -> None:
        self._use(block, node.iter, node.target)
        self._enter((node.body, block.under("for")), (node.orelse, block.under("else")))

    def _while(self, node: ast.While, block: Block) -> None:
        self._use(block, node.test)
        self._enter((node.body, block.under("while")), (node.orelse, block.under("else")))

    def _try(self, node: ast.Try | ast.TryStar, block: Block) -> None:
        bodies = [(node.body, block.under("try"))]
        for handler in node.handlers:
            self._use(block, handler.type)
            if handler.name:
                block.scope.bound.add(handler.name)
            bodies.append((handler.body, block.under("except")))
        bodies.append((node.orelse, block.under("else")))
        bodies.append((node.finalbody, block.under("finally")))
        self._enter(*bodies)

    def _with(self, node: ast.With | ast.AsyncWith, block: Block) -> None:
        for item in node.items:
            self._use(block, item.context_expr, item.optional_vars)
        self._enter((node.body, block))

    def _match(self, node: ast.Match, block: Block) -> None:
        self._use(block, node.subject)
        inside = block.under("case")
        for case in node.cases:
            self._use(block, case.pattern, case.guard)
        self._enter(*((case.body, inside) for case in node.cases))


def _receiver(node: Function) -> str:
    """The name of a method's first parameter, such as `self`, unless it is static."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[0].arg if arguments and "staticmethod" not in decorator_names(node) else ""
