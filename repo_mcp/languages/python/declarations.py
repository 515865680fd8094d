"""Collects what a Python file declares: each def, class and variable with its place and look."""

from __future__ import annotations

import ast
import re
import sys
from typing import Any, Final

from repo_mcp.languages.facts.model import Declaration, shorten
from repo_mcp.languages.python.scopes import MODULE, Block
from repo_mcp.languages.python.source import Source

_KEYWORD: Final = re.compile(r"(?:async(?:\s|\\\r?\n)+def|def|class|type)(?:\s|\\\r?\n)+")
_NAME: Final = re.compile(r"\w+")
_MODIFIERS: Final = {
    "staticmethod": "static",
    "classmethod": "class",
    "abstractmethod": "abstract",
    "abstractproperty": "abstract",
    "overload": "overload",
    "override": "override",
    "final": "final",
    "deprecated": "deprecated",
}
_PROPERTIES: Final = frozenset(
    ("property", "cached_property", "abstractproperty", "setter", "getter", "deleter")
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def first_line(node: ast.stmt) -> int:
    """The line where a statement begins, decorators included."""
    decorators = getattr(node, "decorator_list", None)
    return min(decorators[0].lineno, node.lineno) if decorators else node.lineno


def access_of(name: str) -> str:
    """What the name's underscores say of who may use it."""
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
    """The declarations of a file in the making."""

    def __init__(self, source: Source) -> None:
        """Start with none."""
        self._source = source
        self._found: list[dict[str, Any]] = []
        self.exported: frozenset[str] = frozenset()

    def function(self, node: Function, block: Block) -> int:
        """Take a function or method; its number is given back."""
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
            block,
            begin,
            kind=kind,
            name=node.name,
            start_line=first_line(node),
            end_line=node.end_lineno,
            signature=capped(f"{keyword}{head}{parameters}{arrow}"),
            doc=self._doc(node.body),
            modifiers=modifiers,
            parameters=capped(parameters),
            parameter_count=_count(node.args),
            returns=capped(returns),
        )

    def klass(self, node: ast.ClassDef, block: Block) -> int:
        """Take a class; its number is given back."""
        names = decorator_names(node)
        begin = self._name_begin(node)
        head = node.name
        if node.bases or node.keywords or getattr(node, "type_params", None):
            raw = one_line(self._source.text[begin : self._body_begin(node.body)])
            end = max(raw.rfind(")"), -1 if node.bases or node.keywords else raw.rfind("]"))
            head = raw[: end + 1] if end > 0 else raw
        return self._add(
            block,
            begin,
            kind="class",
            name=node.name,
            start_line=first_line(node),
            end_line=node.end_lineno,
            signature=capped(f"class {head}"),
            doc=self._doc(node.body),
            modifiers={_MODIFIERS[name] for name in names if name in _MODIFIERS},
            bases=tuple(capped(one_line(self._segment(base))) for base in node.bases),
        )

    def variable(
        self, target: ast.Name, node: ast.stmt, kind: str, block: Block, returns: ast.expr | None
    ) -> int:
        """Take a variable of a module or a class."""
        begin = self._begin_of(target)
        return self._assigned(target.id, begin, node, kind, block, returns)

    def lambda_function(
        self, target: ast.Name, node: ast.stmt, value: ast.Lambda, block: Block
    ) -> int:
        """Take a function that is an expression with a name."""
        number = self.variable(target, node, "function", block, None)
        begin = self._begin_of(value) + len("lambda")
        text = self._source.text[begin : self._begin_of(value.body)]
        self._found[number]["parameters"] = capped(f"({one_line(text).rpartition(':')[0]})")
        self._found[number]["parameter_count"] = _count(value.args)
        return number

    def field(
        self,
        target: ast.Attribute,
        node: ast.stmt,
        parent: int,
        block: Block,
        held: ast.expr | None,
    ) -> int:
        """Take a variable that a method gives its object."""
        begin = self._source.place(*self._source.attribute(target))
        number = self._assigned(target.attr, begin, node, "field", block, held)
        found = self._found[number]
        found["parent"], found["scope_kind"], found["modifiers"] = parent, "class", {"instance"}
        return number

    def type_alias(self, target: ast.Name, node: ast.stmt, block: Block, value: ast.expr) -> int:
        """Take a `type` statement."""
        begin = self._begin_of(target)
        return self._assigned(target.id, begin, node, "type", block, value)

    def finished(self) -> tuple[list[Declaration], list[int]]:
        """All of them in their order, and the place in it of each number."""
        found = self._found
        order = sorted(range(len(found)), key=lambda number: _order(found[number]))
        places = [0] * (len(found) + 1)
        for place, number in enumerate(order):
            places[number] = place
        places[-1] = -1  # what belongs to the module stays there
        return [self._made(found[number], places) for number in order], places

    def _made(self, found: dict[str, Any], places: list[int]) -> Declaration:
        found["parent"] = places[found["parent"]]
        if found["parent"] < 0 and found["name"] in self.exported:
            found["modifiers"].add("exported")
        found["modifiers"] = frozenset(found["modifiers"])
        return Declaration(**found)

    def _add(self, block: Block, begin: int, **known: Any) -> int:  # noqa: ANN401 fields of a Declaration
        known["name_line"], known["name_column"] = self._source.line_at(begin)
        known["parent"] = block.owner
        known["scope_kind"] = block.scope.kind
        known["is_conditional"] = block.is_conditional
        known["decl_context"] = block.context
        known["access"] = access_of(known["name"])
        self._found.append(known)
        return len(self._found) - 1

    def _assigned(
        self,
        name: str,
        begin: int,
        node: ast.stmt,
        kind: str,
        block: Block,
        returns: ast.expr | None,
    ) -> int:
        return self._add(
            block,
            begin,
            kind=kind,
            name=name,
            start_line=node.lineno,
            end_line=node.end_lineno,
            signature=capped(one_line(self._segment(node)), MAX_STATEMENT),
            modifiers=set(),
            returns=capped(one_line(self._segment(returns))) if returns is not None else "",
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
        """What stands before the parameters, they themselves, and the type given back."""
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
        return self._source.place(node.lineno, node.col_offset)

    def _end_of(self, node: ast.expr | ast.stmt) -> int:
        return self._source.place(node.end_lineno or 0, node.end_col_offset or 0)

    def _doc(self, body: list[ast.stmt]) -> str:
        first = body[0]
        if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
            return ""
        return cleaned(first.value.value) if isinstance(first.value.value, str) else ""


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
    """Whether an annotation says that what is assigned is a type."""
    name = annotation.attr if isinstance(annotation, ast.Attribute) else annotation
    return name == "TypeAlias" or (isinstance(name, ast.Name) and name.id == "TypeAlias")


def kind_of_variable(name: str, scope_kind: str) -> str:
    """Upper case means constant in a module; a class has fields."""
    if scope_kind != MODULE:
        return "field"
    return "constant" if name.isupper() else "variable"


MAX_SIGNATURE: Final = 300
MAX_STATEMENT: Final = 100
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
# what is longer is not looked at to its end: a signature is a line to read
_MAX_LOOKED_AT: Final = 2_000
# strings stay as they are; comments go; blanks become one, or none at a bracket
_PIECE: Final = re.compile(
    r"(?P<string>'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|,?(?:\s|#[^\n]*|\\\r?\n)+"
)


def one_line(text: str) -> str:
    """A stretch of source on one line, without comments."""
    if "\n" not in text and "#" not in text and "\t" not in text:
        return text[:_MAX_LOOKED_AT].strip()
    return _PIECE.sub(_shown, text[:_MAX_LOOKED_AT]).strip()


def _shown(match: re.Match[str]) -> str:
    if match.lastgroup:
        return match[0].replace("\r\n", "\n").replace("\n", "\\n")
    whole, begin, end = match.string, match.start(), match.end()
    if whole[begin] == ",":
        return "" if "\n" in match[0] and whole[end : end + 1] in _CLOSING else ", "
    at_bracket = whole[begin - 1 : begin] in _OPENING or whole[end : end + 1] in _CLOSING
    return "" if at_bracket and "\n" in match[0] else " "


def capped(text: str, limit: int = MAX_SIGNATURE) -> str:
    """A text that is not longer than the limit; what is missing is marked."""
    return shorten(text, limit)


def cleaned(text: str) -> str:
    """A documentation string without the indentation it has in the source and empty ends."""
    rows = text.expandtabs().split("\n")
    first, rest = rows[0].lstrip(), rows[1:]
    margin = min((len(row) - len(row.lstrip()) for row in rest if row.strip()), default=sys.maxsize)
    kept = [first, *(row[margin:] for row in rest)]
    return "\n".join(row.rstrip() for row in kept).strip("\n")
