"""Collects the names that Python expressions use, without recursion, so that any depth works.

A chain `a.b.c()` gives a use of each name, with the names before it as qualifier. When the whole
file has been read, the scopes decide which uses are kept: calls and types except builtins, reads
and writes of names that the file declares or imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable
from typing import Any, Final

from code_graph.facts.model import NEEDING_ROLES
from code_graph.languages.python.scopes import BUILTIN, FOREIGN, FUNCTION, KNOWN, PythonScope, Use
from code_graph.languages.python.source import PythonSource

CALL: Final = "call"
TYPE: Final = "type"
BASE: Final = "base"
DECORATOR: Final = "decorator"
READ: Final = "read"
WRITE: Final = "write"

# links of a chain in a qualifier; without a limit, hostile files could cause quadratic work
_MAX_LINKS: Final = 8
_MAX_TEXT: Final = 100
_KEPT: Final = 60
_NO_NODES: Final = frozenset(
    field
    for row in (
        "ctx id attr arg kind op ops conversion is_async",
        "type_comment name names level rest tag kwd_attrs",
    )
    for field in row.split()
)
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
_NAMES_IN_STRING: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_MAX_QUOTED_TYPE: Final = 200
# nodes that bind a name which is not a node, and the field with the name
_BINDERS: Final[dict[type[ast.AST], str]] = {
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
    ast.arg: "arg",
}
_LITERALS: Final[dict[type[ast.AST], str]] = {
    ast.List: "[]",
    ast.ListComp: "[]",
    ast.Dict: "{}",
    ast.DictComp: "{}",
    ast.Tuple: "()",
    ast.JoinedStr: "''",
}


def fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that can contain nodes."""
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = tuple(field for field in kind._fields if field not in _NO_NODES)
        _FIELDS[kind] = fields
    return fields


def chain_text(node: ast.AST) -> str:
    """An expression as a qualifier: names and dots; calls and subscripts as empty brackets."""
    parts: list[str] = []
    for _ in range(_MAX_LINKS):
        match node:
            case ast.Name():
                return node.id + "".join(reversed(parts))
            case ast.Attribute():
                parts.append("." + node.attr)
                node = node.value
            case ast.Call():
                parts.append("()")
                node = node.func
            case ast.Subscript():
                parts.append("[]")
                node = node.value
            case ast.Await():
                node = node.value
            case ast.NamedExpr():
                node = node.target
            case _:
                return _end_text(node) + "".join(reversed(parts))
    return "…" + "".join(reversed(parts))


def _end_text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return "''" if isinstance(node.value, str) else "0"
    return _LITERALS.get(node.__class__, "?")


class Uses:
    """Collects the uses of a file."""

    def __init__(self, source: PythonSource) -> None:
        """Begin without uses."""
        self._source = source
        self._scopes: list[PythonScope] = []
        self.has_star_import = False

    def new_scope(self, kind: str, parent: PythonScope | None) -> PythonScope:
        """Create a scope whose uses are collected here."""
        made = PythonScope(kind, parent)
        self._scopes.append(made)
        return made

    def add_expressions(  # noqa: C901, PLR0912 innermost loop: a call for each kind costs a third
        self, nodes: Iterable[ast.AST | None], owner: int, scope: PythonScope
    ) -> None:
        """Add all names used in these nodes."""
        stack: list[Any] = [*nodes]
        uses = scope.uses
        local: set[str] = scope.bound if scope.kind == FUNCTION else set()
        fields_by_kind = _FIELDS
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is ast.Name:
                name = node.id
                if node.ctx.__class__ is ast.Load:
                    if name not in local:
                        uses.append((name, "", READ, node.lineno, node.col_offset, owner, name))
                elif node.ctx.__class__ is ast.Store:
                    self.add_store(node, owner, scope)
            elif kind is ast.Constant or kind is None.__class__:
                continue
            elif kind is ast.Call:
                self._named(node.func, CALL, owner, scope, stack)
                stack += node.args
                if node.keywords:
                    stack += [keyword.value for keyword in node.keywords]
            elif kind is ast.Attribute:
                role = READ if node.ctx.__class__ is ast.Load else WRITE
                self._chain(node, role, owner, scope, stack)
            else:
                if kind in _BINDERS:
                    scope.bound.add(getattr(node, _BINDERS[kind]) or "")
                for field in fields_by_kind.get(kind) or fields_of(kind):
                    value = getattr(node, field)
                    if value.__class__ is list:
                        stack.extend(value)
                    elif isinstance(value, ast.AST):
                        stack.append(value)

    def add_named(self, node: ast.AST, role: str, owner: int, scope: PythonScope) -> None:
        """Add a base or decorator: its name with the role, everything else in it as a use."""
        rest: list[Any] = []
        while isinstance(node, ast.Subscript | ast.Call):
            if isinstance(node, ast.Subscript):
                self.add_types(node.slice, owner, scope)
                node = node.value
            elif role == DECORATOR:
                rest += [*node.args, *(keyword.value for keyword in node.keywords)]
                node = node.func
            else:
                break
        if isinstance(node, ast.Name | ast.Attribute):
            self._named(node, role, owner, scope, rest)
        else:
            rest.append(node)
        self.add_expressions(rest, owner, scope)

    def add_types(self, node: ast.AST | None, owner: int, scope: PythonScope) -> None:
        """Add the names in an annotation, including quoted ones."""
        stack: list[Any] = [node]
        rest: list[Any] = []
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name | ast.Attribute):
                self._named(node, TYPE, owner, scope, rest)
            elif isinstance(node, ast.Constant):
                self._quoted(node, owner, scope)
            elif isinstance(node, ast.Subscript):
                stack.append(node.value)
                if not chain_text(node.value).endswith("Literal"):
                    stack.append(node.slice)
            elif isinstance(node, ast.BinOp):
                stack += (node.left, node.right)
            elif isinstance(node, ast.Tuple | ast.List):
                stack += node.elts
            else:
                rest.append(node)
        if rest:
            self.add_expressions(rest, owner, scope)

    def add_store(self, node: ast.Name, owner: int, scope: PythonScope) -> None:
        """Add a name that is bound by a statement which declares nothing."""
        name = node.id
        if name in scope.outside:
            scope.uses.append((name, "", WRITE, node.lineno, node.col_offset, owner, name))
        else:
            scope.bound.add(name)

    def _named(
        self, node: ast.AST, role: str, owner: int, scope: PythonScope, stack: list[Any]
    ) -> None:
        if isinstance(node, ast.Name):
            name = node.id
            scope.uses.append((name, "", role, node.lineno, node.col_offset, owner, name))
        elif isinstance(node, ast.Attribute):
            self._chain(node, role, owner, scope, stack)
        else:
            stack.append(node)

    def _chain(
        self, node: ast.Attribute, role: str, owner: int, scope: PythonScope, stack: list[Any]
    ) -> None:
        """Add every name of `a.b.c`; of a chain that begins otherwise, the last one if called."""
        base: ast.AST = node.value
        links = [node]
        while base.__class__ is ast.Attribute:
            links.append(base)
            base = base.value
        if not isinstance(base, ast.Name):
            stack.append(base)
            if role not in {READ, WRITE}:
                place = self._source.attribute(node)
                scope.uses.append((node.attr, chain_text(node.value), role, *place, owner, ""))
            return
        uses, root = scope.uses, base.id
        own = root == scope.receiver
        if role is READ and not own and scope.kind == FUNCTION and root in scope.bound:
            return
        if not own:
            uses.append((root, "", READ, base.lineno, base.col_offset, owner, root))
        text = root
        decided = "" if own else root
        while links:
            link = links.pop()
            line, column = self._source.attribute(link)
            uses.append((link.attr, text, READ if links else role, line, column, owner, decided))
            if links:
                text = f"{text if len(text) < _MAX_TEXT else '…' + text[-_KEPT:]}.{link.attr}"

    def _quoted(self, node: ast.Constant, owner: int, scope: PythonScope) -> None:
        text = node.value
        if not isinstance(text, str) or len(text) > _MAX_QUOTED_TYPE:
            return
        line, begin = node.lineno, node.col_offset + 1
        for match in _NAMES_IN_STRING.finditer(text):
            qualifier, _, name = match[0].rpartition(".")
            column = begin + len(text[: match.end() - len(name)].encode())
            root = match[0].partition(".")[0]
            scope.uses.append((name, qualifier, TYPE, line, column, owner, root))

    def relevant_uses(self) -> list[Use]:
        """The uses to keep, in no particular order."""
        return [use for scope in self._scopes for use in self._relevant(scope, scope.uses)]

    def needed_names(self, names: Container[str]) -> set[tuple[str, int]]:
        """The names among these that the kept uses need, and on which lines."""
        found: set[tuple[str, int]] = set()
        for scope in self._scopes:
            uses = [use for use in scope.uses if use[0] in names and use[2] in NEEDING_ROLES]
            found.update((use[0], use[3]) for use in self._relevant(scope, uses))
        return found

    def _relevant(self, scope: PythonScope, uses: Iterable[Use]) -> Iterable[Use]:
        meanings: dict[str, int] = {"": KNOWN}
        star = self.has_star_import
        for use in uses:
            root = use[6]
            meaning = meanings.get(root)
            if meaning is None:
                meaning = meanings[root] = scope.meaning(root)
            if meaning == KNOWN or (star and meaning == FOREIGN):
                yield use
            elif use[2] in {READ, WRITE}:
                continue
            elif meaning != BUILTIN or use[2] in {BASE, DECORATOR}:
                yield use
