"""Walks a Python syntax tree in text order and collects declarations and imports.

A stack of statement lists replaces recursion. `if`, `try`, `match` and loops are control flow;
`with` is not.
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


class Walk:
    """One pass over a module."""

    def __init__(self, source: PythonSource, tree: ast.Module) -> None:
        """Walk the whole tree."""
        self.builder = DeclarationBuilder(source)
        self.imports: list[Import] = []
        # by import statement, the number of its first import
        self.import_number: dict[ast.AST, int] = {}
        block = Block(PythonScope(MODULE))
        self._stack: list[tuple[Iterator[ast.stmt], Block]] = [(iter(tree.body), block)]
        self._run()

    def _run(self) -> None:
        stack, handlers = self._stack, self._handlers()
        while stack:
            statements, block = stack[-1]
            height = len(stack)
            for statement in statements:
                handle = handlers.get(statement.__class__)
                if handle is not None:
                    handle(statement, block)
                    if len(stack) != height:
                        break
            else:
                stack.pop()

    def _handlers(self) -> dict[type[ast.stmt], Callable[[Any, Block], None]]:
        """Handlers of the statements that declare something, or may hold such."""
        assignments = AssignmentWalker(self.builder)
        return {
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Assign: assignments.add_assignment,
            ast.AnnAssign: assignments.add_annotated,
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

    def _function(self, node: Function, block: Block) -> None:
        number = self.builder.add_function(node, block)
        is_method = block.scope.kind == CLASS
        scope = PythonScope(FUNCTION, _receiver(node) if is_method else block.scope.receiver)
        self._enter((node.body, block.inside(f"def {node.name}", scope, number, block.around)))

    def _class(self, node: ast.ClassDef, block: Block) -> None:
        number = self.builder.add_class(node, block)
        scope = PythonScope(CLASS)
        around = ClassBody(number, set())
        self._enter((node.body, block.inside(f"class {node.name}", scope, number, around)))

    def _import(self, node: ast.Import, block: Block) -> None:
        self.import_number[node] = len(self.imports)
        for item in node.names:
            bound = item.asname or item.name.partition(".")[0]
            self.imports.append(Import(item.name, "", bound, item.lineno, block.owner))

    def _import_from(self, node: ast.ImportFrom, block: Block) -> None:
        self.import_number[node] = len(self.imports)
        module = "." * node.level + (node.module or "")
        for item in node.names:
            bound = "" if item.name == "*" else item.asname or item.name
            self.imports.append(Import(module, item.name, bound, item.lineno, block.owner))

    def _outside(self, node: ast.Global | ast.Nonlocal, block: Block) -> None:
        block.scope.outside.update(node.names)

    def _if(self, node: ast.If, block: Block) -> None:
        label, bodies = "if", []
        while True:
            bodies.append((node.body, block.under(label)))
            rest = node.orelse
            if len(rest) != 1 or not isinstance(rest[0], ast.If):
                break
            if rest[0].col_offset != node.col_offset:  # an `if` inside an `else`
                break
            node, label = rest[0], "elif"
        self._enter(*bodies, (rest, block.under("else")))

    def _loop(self, node: ast.For | ast.AsyncFor, block: Block) -> None:
        self._enter((node.body, block.under("for")), (node.orelse, block.under("else")))

    def _while(self, node: ast.While, block: Block) -> None:
        self._enter((node.body, block.under("while")), (node.orelse, block.under("else")))

    def _try(self, node: ast.Try | ast.TryStar, block: Block) -> None:
        bodies = [(node.body, block.under("try"))]
        bodies += ((handler.body, block.under("except")) for handler in node.handlers)
        bodies.append((node.orelse, block.under("else")))
        bodies.append((node.finalbody, block.under("finally")))
        self._enter(*bodies)

    def _with(self, node: ast.With | ast.AsyncWith, block: Block) -> None:
        self._enter((node.body, block))

    def _match(self, node: ast.Match, block: Block) -> None:
        inside = block.under("case")
        self._enter(*((case.body, inside) for case in node.cases))


def _receiver(node: Function) -> str:
    """The name of a method's first parameter, such as `self`, unless it is static."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[0].arg if arguments and "staticmethod" not in decorator_names(node) else ""
