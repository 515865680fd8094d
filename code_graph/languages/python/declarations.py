"""Collects the declarations of a Python file: each def, class and variable."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any, Final

from code_graph.facts.model import OVERLOAD, Declaration, shorten
from code_graph.languages.python.scopes import MODULE, Block
from code_graph.languages.python.source import PythonSource

_KEYWORD: Final = re.compile(r"(?:async(?:\s|\\\r?\n)+def|def|class|type)(?:\s|\\\r?\n)+")
_NAME: Final = re.compile(r"\w+")
_MODIFIERS: Final = {
    "staticmethod": "static",
    "classmethod": "class",
    "abstractmethod": "abstract",
    "abstractproperty": "abstract",
    "overload": OVERLOAD,
    "override": "override",
    "final": "final",
    "deprecated": "deprecated",
}
_PROPERTIES: Final = frozenset(
    ("property", "cached_property", "abstractproperty", "setter", "getter", "deleter")
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, including decorators."""
    decorators = getattr(node, "decorator_list", None)
    return min(decorators[0].lineno, node.lineno) if decorators else node.lineno


def access_of(name: str) -> str:
    """The access that the name's underscores indicate."""
    if not name.startswith("_") or (name.startswith("__") and name.endswith("__")):
        return "public"
    return "private" if name.startswith("__") else "protected"


def decorator_names(node: Function | ast.ClassDef) -> list[str]:
    """The last name of each decorator."""
    found = []
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Attribute):
            found.append(called.attr)
        elif isinstance(called, ast.Name):
            found.append(called.id)
    return found


class DeclarationBuilder:
    """Builds the declarations of a file."""

    def __init__(self, source: PythonSource) -> None:
        """Begin without declarations."""
        self._source = source
        self._found: list[dict[str, Any]] = []
        # by the node that declares it, the number of a declaration
        self.number_of: dict[ast.AST, int] = {}
        self.exported: frozenset[str] = frozenset()

    def add_function(self, node: Function, block: Block) -> int:
        """Add a function or method; returns its number."""
        names = decorator_names(node)
        kind = "method" if block.scope.kind == "class" else "function"
        if kind == "method" and not _PROPERTIES.isdisjoint(names):
            kind = "property"
        modifiers = {_MODIFIERS[name] for name in names if name in _MODIFIERS}
        keyword = "def "
        if isinstance(node, ast.AsyncFunctionDef):
            modifiers.add("async")
            keyword = "async def "
        begin = self._name_begin(node)
        head, parameters, returns = self._header(node, begin)
        arrow = f" -> {returns}" if returns else ""
        return self._add(
            node,
            block,
            begin,
            kind=kind,
            name=node.name,
            start_line=first_line(node),
            end_line=node.end_lineno,
            signature=cap(f"{keyword}{head}{parameters}{arrow}"),
            doc=self._doc(node.body),
            modifiers=modifiers,
            parameters=cap(parameters),
            parameter_count=_count(node.args),
            returns=cap(returns),
        )

    def add_class(self, node: ast.ClassDef, block: Block) -> int:
        """Add a class; returns its number."""
        names = decorator_names(node)
        begin = self._name_begin(node)
        head = node.name
        if node.bases or node.keywords or getattr(node, "type_params", None):
            raw = one_line(self._source.text[begin : self._body_begin(node.body)])
            end = max(raw.rfind(")"), -1 if node.bases or node.keywords else raw.rfind("]"))
            head = raw[: end + 1] if end > 0 else raw
        return self._add(
            node,
            block,
            begin,
            kind="class",
            name=node.name,
            start_line=first_line(node),
            end_line=node.end_lineno,
            signature=cap(f"class {head}"),
            doc=self._doc(node.body),
            modifiers={_MODIFIERS[name] for name in names if name in _MODIFIERS},
            bases=tuple(cap(one_line(self._segment(base))) for base in node.bases),
        )

    def add_variable(
        self, target: ast.Name, node: ast.stmt, kind: str, block: Block, returns: ast.expr | None
    ) -> int:
        """Add a variable of a module or a class."""
        begin = self._begin_of(target)
        return self._add_assigned(target, target.id, begin, node, kind, block, returns)

    def add_lambda(self, target: ast.Name, node: ast.stmt, value: ast.Lambda, block: Block) -> int:
        """Add a `lambda` that is assigned to a name."""
        number = self.add_variable(target, node, "function", block, None)
        begin = self._begin_of(value) + len("lambda")
        text = self._source.text[begin : self._begin_of(value.body)]
        self._found[number]["parameters"] = cap(f"({one_line(text).rpartition(':')[0]})")
        self._found[number]["parameter_count"] = _count(value.args)
        return number

    def add_field(
        self,
        target: ast.Attribute,
        node: ast.stmt,
        parent: int,
        block: Block,
        returns: ast.expr | None,
    ) -> int:
        """Add a field that a method assigns to its object."""
        begin = self._source.index_of(*self._source.attribute(target))
        number = self._add_assigned(target, target.attr, begin, node, "field", block, returns)
        found = self._found[number]
        found["parent"], found["scope_kind"], found["modifiers"] = parent, "class", {"instance"}
        return number

    def add_type_alias(
        self, target: ast.Name, node: ast.stmt, block: Block, value: ast.expr
    ) -> int:
        """Add a `type` statement."""
        begin = self._begin_of(target)
        return self._add_assigned(target, target.id, begin, node, "type", block, value)

    def finish(self) -> tuple[list[Declaration], list[int]]:
        """All declarations in order, and the index of each number in that order."""
        found = self._found
        order = sorted(range(len(found)), key=lambda number: _order(found[number]))
        places = [0] * (len(found) + 1)
        for place, number in enumerate(order):
            places[number] = place
        places[-1] = -1  # the module's own number
        return [self._make(found[number], places) for number in order], places

    def _make(self, found: dict[str, Any], places: list[int]) -> Declaration:
        found["parent"] = places[found["parent"]]
        if found["parent"] < 0 and found["name"] in self.exported:
            found["modifiers"].add("exported")
        found["modifiers"] = frozenset(found["modifiers"])
        return Declaration(**found)

    def _add(self, node: ast.AST, block: Block, begin: int, **known: Any) -> int:  # noqa: ANN401 fields of a Declaration
        self.number_of[node] = len(self._found)
        known["name_line"], known["name_column"] = self._source.line_at(begin)
        known["parent"] = block.owner
        known["scope_kind"] = block.scope.kind
        known["is_conditional"] = block.is_conditional
        known["decl_context"] = block.context
        known["access"] = access_of(known["name"])
        self._found.append(known)
        return len(self._found) - 1

    def _add_assigned(
        self,
        target: ast.AST,
        name: str,
        begin: int,
        node: ast.stmt,
        kind: str,
        block: Block,
        returns: ast.expr | None,
    ) -> int:
        return self._add(
            target,
            block,
            begin,
            kind=kind,
            name=name,
            start_line=node.lineno,
            end_line=node.end_lineno,
            signature=cap(one_line(self._segment(node)), MAX_STATEMENT),
            modifiers=set(),
            returns=cap(one_line(self._segment(returns))) if returns is not None else "",
        )

    def _name_begin(self, node: Function | ast.ClassDef) -> int:
        begin = self._begin_of(node)
        keyword = _KEYWORD.match(self._source.text, begin)
        return keyword.end() if keyword else begin

    def _body_begin(self, body: list[ast.stmt]) -> int:
        node: Any = body[0]
        decorators = getattr(node, "decorator_list", None)
        return self._begin_of(decorators[0] if decorators else node)

    def _header(self, node: Function, begin: int) -> tuple[str, str, str]:
        """The name with type parameters, the parameters, and the return type."""
        text, after = self._source.text, begin
        for parameter in getattr(node, "type_params", ()):
            after = self._end_of(parameter)
        bracket = text.find("(", after)
        head = one_line(text[begin:bracket])
        if node.returns is None:
            raw = one_line(text[bracket : self._body_begin(node.body)])
            return head, raw[: raw.rfind(")") + 1] or raw, ""
        raw = text[bracket : self._begin_of(node.returns)]
        return head, one_line(raw[: raw.rfind("->")]), one_line(self._segment(node.returns))

    def _segment(self, node: ast.expr | ast.stmt) -> str:
        return self._source.text[self._begin_of(node) : self._end_of(node)]

    def _begin_of(self, node: ast.expr | ast.stmt) -> int:
        return self._source.index_of(node.lineno, node.col_offset)

    def _end_of(self, node: ast.expr | ast.stmt) -> int:
        return self._source.index_of(node.end_lineno or 0, node.end_col_offset or 0)

    def _doc(self, body: list[ast.stmt]) -> str:
        first = body[0]
        if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
            return ""
        return clean_doc(first.value.value) if isinstance(first.value.value, str) else ""


def _order(found: dict[str, Any]) -> tuple[int, int, str]:
    return found["start_line"], -found["end_line"], found["name"]


def _count(arguments: ast.arguments) -> int:
    return (
        len(arguments.posonlyargs)
        + len(arguments.args)
        + len(arguments.kwonlyargs)
        + (arguments.vararg is not None)
        + (arguments.kwarg is not None)
    )


def is_type_alias(annotation: ast.AST) -> bool:
    """True if an annotation is `TypeAlias`."""
    name = annotation.attr if isinstance(annotation, ast.Attribute) else annotation
    return name == "TypeAlias" or (isinstance(name, ast.Name) and name.id == "TypeAlias")


def kind_of_variable(name: str, scope_kind: str) -> str:
    """The kind of a variable: a field in a class, a constant if its name is in upper case."""
    if scope_kind != MODULE:
        return "field"
    return "constant" if name.isupper() else "variable"


MAX_SIGNATURE: Final = 300
MAX_STATEMENT: Final = 100
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
# characters of source that are made into a signature
_MAX_SOURCE: Final = 2_000
# strings are kept, comments removed, and blanks become one, or none at a bracket
_PIECE: Final = re.compile(
    r"(?P<string>'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|,?(?:\s|#[^\n]*|\\\r?\n)+"
)


def one_line(text: str) -> str:
    """A piece of source on one line, without comments."""
    if "\n" not in text and "#" not in text and "\t" not in text:
        return text[:_MAX_SOURCE].strip()
    return _PIECE.sub(_replace_piece, text[:_MAX_SOURCE]).strip()


def _replace_piece(match: re.Match[str]) -> str:
    if match.lastgroup:
        return match[0].replace("\r\n", "\n").replace("\n", "\\n")
    whole, begin, end = match.string, match.start(), match.end()
    if whole[begin] == ",":
        return "" if "\n" in match[0] and whole[end : end + 1] in _CLOSING else ", "
    at_bracket = whole[begin - 1 : begin] in _OPENING or whole[end : end + 1] in _CLOSING
    return "" if at_bracket and "\n" in match[0] else " "


def cap(text: str, limit: int = MAX_SIGNATURE) -> str:
    """The text cut to the limit, with an ellipsis if it was longer."""
    return shorten(text, limit)


def clean_doc(text: str) -> str:
    """A docstring without its indentation in the source and without empty lines at its ends."""
    rows = text.expandtabs().split("\n")
    first, rest = rows[0].lstrip(), rows[1:]
    margin = min((len(row) - len(row.lstrip()) for row in rest if row.strip()), default=sys.maxsize)
    kept = [first, *(row[margin:] for row in rest)]
    return "\n".join(row.rstrip() for row in kept).strip("\n")
