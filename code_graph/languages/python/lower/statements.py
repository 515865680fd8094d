"""Lowers Python's statements: scopes, assignments, control flow, and what tests narrow."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.expressions import (
    NONE,
    Argument,
    BindingKind,
    Code,
    CodeBuilder,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.languages.python.lower.annotations import AnnotationLowering, is_type
from code_graph.languages.python.lower.expressions import ExpressionLowering, path_of
from code_graph.languages.python.lower.narrowing import Narrowing
from code_graph.languages.python.lower.patterns import PatternLowering
from code_graph.languages.python.source import PythonSource

_ALL: Final = "__all__"
_ENDING: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def lower(
    source: PythonSource,
    tree: ast.Module,
    declared: Mapping[ast.AST, int],
    imported: Mapping[ast.AST, int],
) -> Code:
    """The symbolic code of a module.

    `declared` are the numbers of declarations by the nodes that declare them, `imported` the
    numbers of the first import of each import statement.
    """
    return _StatementLowering(source, declared, imported).run(tree)


class _StatementLowering:
    def __init__(
        self, source: PythonSource, declared: Mapping[ast.AST, int], imported: Mapping[ast.AST, int]
    ) -> None:
        self._code = CodeBuilder()
        self._expressions = ExpressionLowering(source, self._code)
        self._types = AnnotationLowering(self._expressions)
        self._patterns = PatternLowering(self._expressions)
        self._narrowing = Narrowing(self._expressions)
        self._source = source
        self._declared = declared
        self._imported = imported
        self._handlers: dict[type[ast.AST], Callable[[Any], None]] = {
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Return: self._return,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Global: self._global,
            ast.Nonlocal: self._nonlocal,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Match: self._match,
            ast.Assert: self._assert,
            ast.Delete: self._expressions.delete,
            getattr(ast, "TypeAlias", ast.stmt): self._alias,
        }

    def run(self, tree: ast.Module) -> Code:
        self._body(tree.body)
        for statement in tree.body:
            for text in _exported(statement):
                self._expressions.quoted_name(text)
        return self._code.finish()

    def _body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            handle = self._handlers.get(statement.__class__)
            if handle is not None:
                handle(statement)
                continue
            for child in ast.iter_child_nodes(statement):
                self._expressions.lower(child)

    def _branch(
        self,
        statements: Sequence[ast.stmt],
        test: ast.expr | None = None,
        *,
        holds: bool = True,
        kind: ScopeKind = ScopeKind.BRANCH,
    ) -> None:
        """Statements that may not run, with what a test says there."""
        if statements:
            with self._code.inside(kind):
                self._narrowing.apply(test, holds=holds)
                self._body(statements)

    def _function(self, node: _Function) -> None:
        number = self._declared.get(node, NONE)
        self._decorate(node, number)
        defaults = self._expressions.defaults(node.args)
        annotations = self._annotations(node.args)
        self._code.clause(number, Role.RESULT, self._types.lower(node.returns))
        self._type_parameters(node, number)
        self._declare(node.name, node, number)
        with self._code.inside(ScopeKind.FUNCTION, number):
            self._expressions.parameters(node.args, defaults, annotations)
            self._body(node.body)

    def _annotations(self, arguments: ast.arguments) -> dict[str, int]:
        items = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        items += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        return {
            item.arg: self._types.lower(item.annotation)
            for item in items
            if item.annotation is not None
        }

    def _class(self, node: ast.ClassDef) -> None:
        number = self._declared.get(node, NONE)
        self._decorate(node, number)
        for base in node.bases:
            self._code.clause(number, Role.BASE, self._types.lower(base))
        for keyword in node.keywords:
            value = self._expressions.lower(keyword.value)
            if keyword.arg == "metaclass":
                self._code.clause(number, Role.METACLASS, value)
        self._type_parameters(node, number)
        self._declare(node.name, node, number)
        with self._code.inside(ScopeKind.CLASS, number):
            self._body(node.body)

    def _decorate(self, node: _Function | ast.ClassDef, number: int) -> None:
        for decorator in node.decorator_list:
            self._code.clause(number, Role.DECORATOR, self._expressions.lower(decorator))

    def _type_parameters(self, node: Any, number: int) -> None:  # noqa: ANN401 new in Python 3.12
        for parameter in getattr(node, "type_params", ()):
            bound = self._types.lower(getattr(parameter, "bound", None))
            self._code.clause(number, Role.TYPE_PARAMETER, bound, parameter.name)

    def _declare(self, name: str, node: ast.AST, number: int) -> None:
        self._expressions.bind(name, node, kind=BindingKind.DECLARED, declaration=number)

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._code.result(ResultKind.RETURN, self._expressions.lower(node.value))

    def _assign(self, node: ast.Assign) -> None:
        first = node.targets[0]
        if isinstance(node.value, ast.Lambda):
            value = self._expressions.function(node.value, self._declared.get(first, NONE))
        elif isinstance(node.value, ast.Subscript) and is_type(node.value.value):
            value = self._types.lower(node.value)
        else:
            value = self._expressions.lower(node.value)
        for target in node.targets:
            self._bind(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        annotation = self._types.lower(node.annotation)
        self._bind(node.target, self._expressions.lower(node.value), annotation)

    def _bind(self, target: ast.expr, value: int, annotation: int = NONE) -> None:
        number = self._declared.get(target, NONE)
        if isinstance(target, ast.Name):
            self._expressions.bind(
                target.id, target, value=value, annotation=annotation, declaration=number
            )
        elif isinstance(target, ast.Attribute | ast.Subscript):
            if isinstance(target, ast.Attribute):
                self._expressions.shown.pop(path_of(target), None)
            place = self._expressions.lower(target)
            self._code.store(place, value, annotation, number)
        elif isinstance(target, ast.Tuple | ast.List):
            for part, item in self._expressions.parts(target.elts, value):
                self._bind(item.value if isinstance(item, ast.Starred) else item, part)

    def _augmented(self, node: ast.AugAssign) -> None:
        before = self._expressions.lower(node.target)
        items = [Argument(before), Argument(self._expressions.lower(node.value))]
        value = self._code.add(Op.OPERATOR, name=f"{node.op.__class__.__name__}=", items=items)
        if isinstance(node.target, ast.Name):
            self._expressions.bind(node.target.id, node.target, value=value)
        else:
            self._code.store(before, value)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        first = self._imported.get(node, NONE)
        for at, item in enumerate(node.names):
            plain = item.name if isinstance(node, ast.ImportFrom) else item.name.partition(".")[0]
            name = item.asname or plain
            value = first + at if first != NONE else NONE
            self._expressions.bind(name, item, kind=BindingKind.IMPORTED, value=value)

    def _global(self, node: ast.Global) -> None:
        self._outside(node.names, 0)

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        scope = self._code.binding_scope(ScopeKind.FUNCTION)
        self._outside(node.names, self._code.function_around(scope))

    def _outside(self, names: Sequence[str], target: int) -> None:
        kinds = (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.FUNCTION)
        found = self._expressions.outside.setdefault(self._code.binding_scope(*kinds), {})
        found.update(dict.fromkeys(names, target))

    def _if(self, node: ast.If) -> None:
        outer = self._code.scope
        while True:  # a chain of `elif` may be longer than the stack
            self._expressions.lower(node.test)
            self._branch(node.body, node.test)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            self._code.enter(ScopeKind.BRANCH)
            self._narrowing.apply(node.test, holds=False)
            node = node.orelse[0]
        self._branch(node.orelse, node.test, holds=False)
        if _ends(node.body) and not node.orelse:
            self._narrowing.apply(node.test, holds=False)
        self._code.scope = outer

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        values = self._expressions.lower(node.iter)
        with self._code.inside(ScopeKind.LOOP):
            self._bind(node.target, self._code.add(Op.ELEMENT, values))
            self._body(node.body)
        self._branch(node.orelse)

    def _while(self, node: ast.While) -> None:
        with self._code.inside(ScopeKind.LOOP):
            self._expressions.lower(node.test)
            self._narrowing.apply(node.test, holds=True)
            self._body(node.body)
        self._branch(node.orelse)
        if self._narrowing.shows(node.test) and not any(map(_is_break, ast.walk(node))):
            self._narrowing.apply(node.test, holds=False)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        self._branch(node.body)
        for handler in node.handlers:
            with self._code.inside(ScopeKind.BRANCH):
                self._handler(handler)
        self._branch(node.orelse)
        self._body(node.finalbody)

    def _handler(self, node: ast.ExceptHandler) -> None:
        kind = node.type
        if isinstance(kind, ast.Tuple):
            items = [Argument(self._expressions.lower(item)) for item in kind.elts]
            caught = self._code.add(Op.EITHER, items=items)
        else:
            caught = self._expressions.lower(kind)
        if node.name:
            self._expressions.bind(node.name, node, annotation=caught)
        self._body(node.body)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self._code.add(Op.ENTER, self._expressions.lower(item.context_expr))
            if item.optional_vars is not None:
                self._bind(item.optional_vars, value)
        self._body(node.body)

    def _match(self, node: ast.Match) -> None:
        subject = self._expressions.lower(node.subject)
        for case in node.cases:
            with self._code.inside(ScopeKind.BRANCH):
                found = self._patterns.bind(case.pattern, subject)
                self._narrowing.narrow(node.subject, found)
                self._expressions.lower(case.guard)
                self._body(case.body)

    def _assert(self, node: ast.Assert) -> None:
        self._expressions.lower(node.test)
        self._expressions.lower(node.msg)
        self._narrowing.apply(node.test, holds=True)

    def _alias(self, node: Any) -> None:  # noqa: ANN401 new in Python 3.12
        number = self._declared.get(node.name, NONE)
        value = self._types.lower(node.value)
        self._code.clause(number, Role.ALIAS, value)
        self._expressions.bind(
            node.name.id, node.name, kind=BindingKind.DECLARED, value=value, declaration=number
        )


def _is_break(node: ast.AST) -> bool:
    return isinstance(node, ast.Break)


def _ends(statements: Sequence[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], _ENDING)


def _exported(statement: ast.stmt) -> Iterator[ast.Constant]:
    """The texts that a statement of a module puts into `__all__`, each of which names something."""
    given: ast.expr | None = None
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if any(isinstance(item, ast.Name) and item.id == _ALL for item in targets):
            given = statement.value
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        if isinstance(called, ast.Attribute) and path_of(called.value) == _ALL:
            given = statement.value.args[0] if statement.value.args else None
    for item in given.elts if isinstance(given, ast.List | ast.Tuple | ast.Set) else [given]:
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            yield item
