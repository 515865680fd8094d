"""Lowers Python's expressions: what they call and where their values come from.

Deeply nested expressions are cut: what is below the limit says nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final, TypedDict

from code_graph.expressions import (
    NONE,
    Argument,
    BindingKind,
    CodeBuilder,
    Op,
    ResultKind,
    ScopeKind,
)
from code_graph.languages.python.source import PythonSource

_DEEPEST: Final = 150
_LONGEST_TEXT: Final = 80
_OF_SETATTR: Final = 3
_OF_CAST: Final = 2
_LITERALS: Final[dict[type, str]] = {
    str: "str",
    bytes: "bytes",
    int: "int",
    float: "float",
    complex: "complex",
    bool: "bool",
    type(None): "none",
}

# tests that call a method of what they compare
_COMPARING: Final[dict[type, str]] = {
    **{kind: kind.__name__ for kind in (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)},
    ast.In: "In",
    ast.NotIn: "In",
}
# how an f-string turns a value into a text: `!r`, `!s`
_FORMATS: Final = {ord("r"): "Repr", ord("s"): "Str"}
# operations of which no object comes
_PLAIN: Final = frozenset({Op.LITERAL, Op.TEXT, Op.LIST, Op.SET, Op.TUPLE, Op.DICT})

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class _Place(TypedDict):
    line: int
    column: int


class ExpressionLowering:
    """Adds the expressions of one file to its code."""

    def __init__(self, source: PythonSource, code: CodeBuilder) -> None:
        self._source = source
        self.code = code
        self._depth = 0
        # adds the types that a test shows to the current scope; set by those who know tests
        self.narrow: Callable[[ast.expr, bool], None] = lambda _test, _holds: None
        self.narrows: Callable[[ast.expr], bool] = lambda _test: False
        # lowers a type that may be in quotes
        self.typed: Callable[[ast.AST], int] = self.lower
        # by paths as `a.b`, the scopes in which tests show types of theirs, with their functions
        self.shown: dict[str, list[tuple[int, int, tuple[Argument, ...]]]] = {}
        # the comprehensions around, with the names that they bind
        self._inner: list[tuple[int, set[str]]] = []
        # by scope, the names declared global or nonlocal and the scopes they belong to
        self.outside: dict[int, dict[str, int]] = {}
        self._handlers: dict[type[ast.AST], Callable[[Any], int]] = {
            ast.Name: self.name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.JoinedStr: self._joined,
            ast.FormattedValue: self._formatted,
            ast.BinOp: self._binary,
            ast.BoolOp: self._either,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.IfExp: self._conditional,
            ast.Lambda: self.function,
            ast.List: self._list,
            ast.Tuple: self._tuple,
            ast.Set: self._set,
            ast.Dict: self._dict,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.Await: self._await,
            ast.Yield: self._yield,
            ast.YieldFrom: self._delegate,
            ast.NamedExpr: self._named,
            ast.Starred: self._starred,
        }

    def lower(self, node: ast.AST | None) -> int:
        """Lower an expression; its number, or NONE."""
        if node is None or self._depth > _DEEPEST:
            return NONE
        handle = self._handlers.get(node.__class__)
        if handle is None:
            return NONE
        self._depth += 1
        try:
            return handle(node)
        finally:
            self._depth -= 1

    def name(self, node: ast.Name) -> int:
        """A name that is read."""
        line = node.lineno
        column = self._source.column(line, node.col_offset)
        return self.code.add(Op.NAME, name=node.id, line=line, column=column)

    def quoted_name(self, node: ast.Constant) -> None:
        """A name in the quotes of a text of one line, in the module."""
        name, width = str(node.value), (node.end_col_offset or 0) - node.col_offset
        if name.isidentifier() and width == len(name.encode()) + len("''"):
            column = self._source.column(node.lineno, node.col_offset + 1)
            self.code.add(Op.NAME, name=name, line=node.lineno, column=column)

    def member(self, of: int, node: ast.Attribute) -> int:
        """A member of a lowered object."""
        line, offset = self._source.attribute(node)
        column = self._source.column(line, offset)
        return self.code.add(Op.MEMBER, of, node.attr, line=line, column=column)

    def bind(self, name: str, node: ast.AST, **given: Any) -> None:  # noqa: ANN401 as the builder's
        """Bind a name where Python does: around a comprehension, or where it is declared global."""
        kinds = (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.FUNCTION)
        scope = self.code.binding_scope(*kinds)
        scope = self.outside.get(scope, {}).get(name, scope)
        if given.get("kind") == BindingKind.NARROWED:  # of a comprehension, it may be
            scope = next((at for at, names in reversed(self._inner) if name in names), scope)
        self.code.bind(name, **given, **self.place(node), scope=scope)

    def place(self, node: Any) -> _Place:  # noqa: ANN401 a node with a place
        """Line and column of a node, as arguments."""
        line = node.lineno
        return {"line": line, "column": self._source.column(line, node.col_offset)}

    def assign(self, target: ast.expr, value: int) -> None:
        """Bind a target without a declaration: of a loop, a comprehension, a `with`."""
        if isinstance(target, ast.Name):
            self.bind(target.id, target, value=value)
        elif isinstance(target, ast.Tuple | ast.List):
            for part, item in self.parts(target.elts, value):
                self.assign(item, part)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        elif isinstance(target, ast.Attribute | ast.Subscript):
            self.code.store(self.lower(target), value)

    def parts(self, targets: list[ast.expr], value: int) -> Iterable[tuple[int, ast.expr]]:
        """The part of a value for each target of a tuple."""
        starred = next((at for at, item in enumerate(targets) if isinstance(item, ast.Starred)), -1)
        for at, item in enumerate(targets):
            place = str(at) if starred < 0 or at < starred else str(at - len(targets))
            place = "…" if at == starred else place
            yield self.code.add(Op.PART, value, place), item

    def arguments(self, node: ast.Call) -> list[Argument]:
        """The arguments of a call."""
        found = [self._item(item) for item in node.args]
        found += [Argument(self.lower(item.value), item.arg or "**") for item in node.keywords]
        return found

    def parameters(
        self, arguments: ast.arguments, defaults: dict[str, int], annotations: dict[str, int]
    ) -> None:
        """Bind the parameters of the function whose scope is open."""
        rows = [
            *((item, BindingKind.PARAMETER) for item in arguments.posonlyargs + arguments.args),
            (arguments.vararg, BindingKind.VARIADIC),
            *((item, BindingKind.KEYWORD_ONLY) for item in arguments.kwonlyargs),
            (arguments.kwarg, BindingKind.KEYWORDS),
        ]
        for item, kind in rows:
            if item is not None:
                self.code.bind(
                    item.arg,
                    kind,
                    defaults.get(item.arg, NONE),
                    annotation=annotations.get(item.arg, NONE),
                    **self.place(item),
                )

    def defaults(self, arguments: ast.arguments) -> dict[str, int]:
        """The default values of parameters, evaluated outside the function."""
        plain = arguments.posonlyargs + arguments.args
        named = plain[len(plain) - len(arguments.defaults) :] if arguments.defaults else []
        found = {
            item.arg: self.lower(value)
            for item, value in zip(named, arguments.defaults, strict=False)
        }
        for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False):
            if default is not None:
                found[item.arg] = self.lower(default)
        return found

    def function(self, node: ast.Lambda, declaration: int = NONE) -> int:
        """A lambda, which is a declaration where it is assigned to a name."""
        defaults = self.defaults(node.args)
        with self.code.inside(ScopeKind.FUNCTION, declaration) as scope:
            self.parameters(node.args, defaults, {})
            self.code.result(ResultKind.RETURN, self.lower(node.body))
        return self.code.add(Op.FUNCTION, scope, **self.place(node))

    def _attribute(self, node: ast.Attribute) -> int:
        number = self.member(self.lower(node.value), node)
        shown = self.shown.get(path_of(node)) if self.shown else None
        for scope, function, types in reversed(shown or ()):
            if self.code.is_inside(scope):
                return self.code.add(Op.CAST, number, items=types)
            if function == self.function_scope() and not any(item.name for item in types):
                cast = self.code.add(Op.CAST, number, items=types)  # held in a branch above
                return self.code.add(Op.EITHER, items=[Argument(number), Argument(cast)])
        return number

    def function_scope(self) -> int:
        """The innermost function, class or module around."""
        return self.code.binding_scope(ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.FUNCTION)

    def _call(self, node: ast.Call) -> int:
        function = self.lower(node.func)
        items = self.arguments(node)
        if len(items) == _OF_CAST and last_name(node.func) == "cast":
            items[0] = Argument(self.typed(node.args[0])) if node.args else items[0]
        if isinstance(node.func, ast.Name) and node.func.id == "setattr":
            self._set_attribute(items)
        return self.code.add(Op.CALL, function, items=items)

    def _set_attribute(self, items: list[Argument]) -> None:
        """`setattr(x, "name", value)`: stores a value, as `x.name = value` does."""
        if len(items) != _OF_SETATTR or any(item.name or item.value == NONE for item in items):
            return
        of, name, value = (item.value for item in items)
        text = self.code.expression(name)
        if text.op == Op.TEXT:
            self.code.store(self.code.add(Op.MEMBER, of, text.name), value)

    def _item(self, node: ast.expr) -> Argument:
        if isinstance(node, ast.Starred):
            return Argument(self.lower(node.value), "*")
        return Argument(self.lower(node))

    def _constant(self, node: ast.Constant) -> int:
        value = node.value
        if isinstance(value, str) and len(value) <= _LONGEST_TEXT and _is_name(value):
            return self.code.add(Op.TEXT, name=value)
        kind = _LITERALS.get(value.__class__)
        return NONE if kind is None else self.code.add(Op.LITERAL, name=kind)

    def _joined(self, node: ast.JoinedStr) -> int:
        for item in node.values:
            if not isinstance(item, ast.Constant):
                self.lower(item)
        text = self.code.add(Op.LITERAL, name="str")
        first = node.values[0] if node.values else None
        begin = _beginning(first.value, "{") if isinstance(first, ast.Constant) else ""
        if not begin:
            return text
        items = [Argument(self.code.add(Op.TEXT, name=begin)), Argument(text)]
        return self.code.add(Op.OPERATOR, name="Add", items=items)

    def _formatted(self, node: ast.FormattedValue) -> int:
        self._imply(_FORMATS.get(node.conversion, "FormattedValue"), [self.lower(node.value)])
        if node.format_spec is not None:
            self.lower(node.format_spec)
        return NONE

    def _binary(self, node: ast.BinOp) -> int:
        left = node.left
        begin = ""
        if isinstance(node.op, ast.Mod) and isinstance(left, ast.Constant):
            begin = _beginning(left.value, "%")
        first = self.code.add(Op.TEXT, name=begin) if begin else self.lower(left)
        items = [Argument(first), Argument(self.lower(node.right))]
        return self.code.add(Op.OPERATOR, name=node.op.__class__.__name__, items=items)

    def _either(self, node: ast.BoolOp) -> int:
        numbers = [self.lower(node.values[0])]
        holds = isinstance(node.op, ast.And)
        for before, item in pairwise(node.values):
            if not self.narrows(before):
                numbers.append(self.lower(item))
                continue
            with self.code.inside(ScopeKind.BRANCH):
                self.narrow(before, holds)
                numbers.append(self.lower(item))
        return self._choice(numbers)

    def _choice(self, numbers: list[int]) -> int:
        items = [Argument(number) for number in numbers if number != NONE]
        return self.code.add(Op.EITHER, items=items) if items else NONE

    def _unary(self, node: ast.UnaryOp) -> int:
        operand = self.lower(node.operand)
        if isinstance(node.op, ast.Not):
            return self.code.add(Op.LITERAL, name="bool")
        name = node.op.__class__.__name__
        return self.code.add(Op.OPERATOR, name=name, items=[Argument(operand)])

    def _compare(self, node: ast.Compare) -> int:
        operands = [self.lower(item) for item in (node.left, *node.comparators)]
        for operator, pair in zip(node.ops, pairwise(operands), strict=True):
            name = _COMPARING.get(operator.__class__)
            if name is not None:
                self._imply(name, pair)
        return self.code.add(Op.LITERAL, name="bool")

    def _imply(self, name: str, operands: Iterable[int]) -> None:
        """An operation of which only the call matters.

        What is compared with a literal, or looked for in one, is hardly an object with operators.
        """
        found = [*operands]
        if all(number != NONE for number in found) and not any(
            self.code.expression(number).op in _PLAIN for number in found
        ):
            self.code.add(Op.OPERATOR, name=name, items=[Argument(number) for number in found])

    def delete(self, node: ast.Delete) -> None:
        """The targets of a `del`."""
        for item in node.targets:
            if isinstance(item, ast.Subscript):
                self._imply("Delete", [self.lower(item.value)])
                self.lower(item.slice)
            else:
                self.lower(item)

    def _conditional(self, node: ast.IfExp) -> int:
        self.lower(node.test)
        if not self.narrows(node.test):
            return self._choice([self.lower(node.body), self.lower(node.orelse)])
        numbers = []
        for item, holds in ((node.body, True), (node.orelse, False)):
            with self.code.inside(ScopeKind.BRANCH):
                self.narrow(node.test, holds)
                numbers.append(self.lower(item))
        return self._choice(numbers)

    def _list(self, node: ast.List) -> int:
        return self.code.add(Op.LIST, items=[self._item(item) for item in node.elts])

    def _tuple(self, node: ast.Tuple) -> int:
        return self.code.add(Op.TUPLE, items=[self._item(item) for item in node.elts])

    def _set(self, node: ast.Set) -> int:
        return self.code.add(Op.SET, items=[self._item(item) for item in node.elts])

    def _dict(self, node: ast.Dict) -> int:
        items: list[Argument] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                items.append(Argument(self.lower(value), "**"))
                continue
            name = literal_key(key)
            if not name:
                items.append(Argument(self.lower(key), "=key"))
            items.append(Argument(self.lower(value), name))
        return self.code.add(Op.DICT, items=items)

    def _comprehension(self, node: _Comprehension) -> int:
        first = self.lower(node.generators[0].iter)
        with self.code.inside(ScopeKind.BLOCK) as scope:
            self._inner.append((scope, set()))
            try:
                return self._inside(node, first)
            finally:
                self._inner.pop()

    def _inside(self, node: _Comprehension, first: int) -> int:
        """The parts of a comprehension behind its first iteration."""
        for at, part in enumerate(node.generators):
            values = first if not at else self.lower(part.iter)
            self._bind_inside(part.target, self.code.add(Op.ELEMENT, values))
            for test in part.ifs:
                self.lower(test)
                self.narrow(test, True)  # noqa: FBT003 the test holds
        if isinstance(node, ast.DictComp):
            items = [Argument(self.lower(node.key), "=key"), Argument(self.lower(node.value))]
            return self.code.add(Op.DICT, items=items)
        op = Op.SET if isinstance(node, ast.SetComp) else Op.LIST
        return self.code.add(op, items=[Argument(self.lower(node.elt))])

    def _bind_inside(self, target: ast.expr, value: int) -> None:
        """Bind the targets of a comprehension in its own scope."""
        if isinstance(target, ast.Name):
            self._inner[-1][1].add(target.id)
            self.code.bind(target.id, value=value, **self.place(target))
        elif isinstance(target, ast.Tuple | ast.List):
            for part, item in self.parts(target.elts, value):
                self._bind_inside(item, part)
        elif isinstance(target, ast.Starred):
            self._bind_inside(target.value, value)
        else:
            self.assign(target, value)

    def _subscript(self, node: ast.Subscript) -> int:
        of = self.lower(node.value)
        if isinstance(node.slice, ast.Slice):
            self.lower(node.slice)
            self._imply("Slice", [of])
            return self._choice([of])  # a slice is what it is cut from
        key = literal_key(node.slice)
        return self.code.add(Op.INDEX, of, key, [Argument(self.lower(node.slice))])

    def _slice(self, node: ast.Slice) -> int:
        for item in (node.lower, node.upper, node.step):
            self.lower(item)
        return NONE

    def _await(self, node: ast.Await) -> int:
        return self.code.add(Op.AWAIT, self.lower(node.value))

    def _yield(self, node: ast.Yield) -> int:
        self.code.result(ResultKind.YIELD, self.lower(node.value))
        return NONE

    def _delegate(self, node: ast.YieldFrom) -> int:
        value = self.lower(node.value)
        self.code.result(ResultKind.DELEGATE, value)
        return self.code.add(Op.AWAIT, value)

    def _named(self, node: ast.NamedExpr) -> int:
        value = self.lower(node.value)
        self.bind(node.target.id, node.target, value=value)
        return value

    def _starred(self, node: ast.Starred) -> int:
        return self.lower(node.value)


def _is_name(text: str) -> bool:
    """True if a text may name something: `getattr(x, "y")`, `import_module("a.b")`, `"a, b"`."""
    text = text.replace(", ", "").replace(",", "") if "," in text else text
    return text.replace(".", "").replace("-", "").isidentifier()


def _beginning(text: object, mark: str) -> str:
    """The beginning of a name that is put together, as of `f"visit_{kind}"`; else nothing."""
    begin = text.partition(mark)[0] if isinstance(text, str) else ""
    return begin if begin.endswith("_") and begin.isidentifier() else ""


def path_of(node: ast.AST) -> str:
    """The names of `a.b.c`; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def last_name(node: ast.AST) -> str:
    """The name at the end of `a.b.c`; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def literal_key(node: ast.AST) -> str:
    """The text of a literal key: a short string or a whole number; else empty."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = literal_key(node.operand)
        return f"-{inner}" if inner.isdigit() else ""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < 1 << 31 else ""
    return value if isinstance(value, str) and len(value) <= _LONGEST_TEXT else ""
