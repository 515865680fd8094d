"""Recovers facts from Python that the parser refuses: older, newer or broken code.

The tree-sitter grammar, which recovers from errors, gives functions, classes and imports, but no
references. Without the installed grammar there are no facts at all.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from repo_mcp.languages.facts.model import MODULE, PARTIAL, Declaration, Facts, Import
from repo_mcp.languages.python.declarations import access_of, cap, clean_doc, one_line
from repo_mcp.languages.treesitter.parse import parse
from repo_mcp.languages.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_FLOW: Final = {
    "if_statement": "if",
    "elif_clause": "elif",
    "else_clause": "else",
    "for_statement": "for",
    "while_statement": "while",
    "try_statement": "try",
    "except_clause": "except",
    "except_group_clause": "except",
    "finally_clause": "finally",
    "case_clause": "case",
}
# nodes that can contain statements; expressions, most of a text, can't
_CONTAINERS: Final = frozenset(
    (
        *_FLOW,
        "module",
        "block",
        "ERROR",
        "with_statement",
        "match_statement",
        "decorated_definition",
        "function_definition",
        "class_definition",
    )
)
# enclosing declarations and control flow that a context keeps, innermost ones
_MAX_LABELS: Final = 40
# clauses of a statement that are siblings of its first body in meaning, but children in the tree
_BRANCHES: Final = frozenset(("elif_clause", "else_clause", "except_clause", "finally_clause"))


class _Surroundings(NamedTuple):
    """The declarations and control flow around a node."""

    parent: int = MODULE
    scope_kind: str = "module"
    labels: tuple[str, ...] = ()
    is_conditional: bool = False
    decorated_from: int = 0  # the line of the first decorator of the declaration to come

    def under(self, label: str) -> tuple[str, ...]:
        """The labels one level further in; outer ones beyond the limit are dropped."""
        return (*self.labels[-_MAX_LABELS:], label)


class _Skeleton:
    """The declarations and imports of a tree."""

    def __init__(self, source: Source, root: Node) -> None:
        self._source = source
        self.declarations: list[Declaration] = []
        self.imports: list[Import] = []
        self.cuts: set[int] = set()
        stack: list[tuple[Node, _Surroundings]] = [(root, _Surroundings())]
        while stack:
            node, place = stack.pop()
            inside = self._take(node, place)
            if node.type in _CONTAINERS:
                children = [(one, _branch(one, place, inside)) for one in node.named_children]
                stack += reversed(children)

    def _take(self, node: Node, place: _Surroundings) -> _Surroundings:
        """Add what a node declares or imports; returns the surroundings of its children."""
        if node.type in {"function_definition", "class_definition"}:
            return self._declare(node, place)
        if node.type == "decorated_definition":
            return place._replace(decorated_from=node.start_point.row + 1)
        if node.type == "import_statement":
            self.imports += self._imported(node, place.parent)
        elif node.type in {"import_from_statement", "future_import_statement"}:
            self.imports += self._imported_from(node, place.parent)
        label = _FLOW.get(node.type)
        if label is None:
            return place
        return place._replace(labels=place.under(label), is_conditional=True)

    def _declare(self, node: Node, place: _Surroundings) -> _Surroundings:
        name = node.child_by_field_name("name")
        if name is None:
            return place
        is_class = node.type == "class_definition"
        text = self._source.of(name)
        self.declarations.append(
            replace(
                self._class(node) if is_class else self._function(node),
                name=text,
                start_line=place.decorated_from or node.start_point.row + 1,
                end_line=_last_line(node),
                name_line=name.start_point.row + 1,
                name_column=name.start_point.column,
                parent=place.parent,
                scope_kind=place.scope_kind,
                is_conditional=place.is_conditional,
                decl_context=" > ".join(place.labels),
                doc=self._doc(node),
                access=access_of(text),
            )
        )
        found = self.declarations[-1]
        if not is_class and place.scope_kind == "class":
            self.declarations[-1] = replace(found, kind="method")
        if place.scope_kind != "function":
            self.cuts.add(found.start_line)
        label = f"class {text}" if is_class else f"def {text}"
        number, kind = len(self.declarations) - 1, "class" if is_class else "function"
        return _Surroundings(number, kind, place.under(label), place.is_conditional)

    def _class(self, node: Node) -> Declaration:
        bases = node.child_by_field_name("superclasses")
        found = bases.named_children if bases is not None else []
        plain = [item for item in found if item.type not in {"keyword_argument", "comment"}]
        return replace(
            _EMPTY,
            kind="class",
            signature=cap(f"class {self._head(node)}{self._field(node, 'superclasses')}"),
            bases=tuple(cap(one_line(self._source.of(item))) for item in plain),
        )

    def _function(self, node: Node) -> Declaration:
        parameters, returns = self._field(node, "parameters"), self._field(node, "return_type")
        given = node.child_by_field_name("parameters")
        is_async = any(child.type == "async" for child in node.children[:1])
        arrow = f" -> {returns}" if returns else ""
        keyword = "async def" if is_async else "def"
        return replace(
            _EMPTY,
            kind="function",
            signature=cap(f"{keyword} {self._head(node)}{parameters}{arrow}"),
            modifiers=frozenset({"async"} if is_async else ()),
            parameters=parameters,
            parameter_count=_count(given) if given is not None else 0,
            returns=returns,
        )

    def _head(self, node: Node) -> str:
        return self._field(node, "name") + self._field(node, "type_parameters")

    def _field(self, node: Node, name: str) -> str:
        found = node.child_by_field_name(name)
        return cap(one_line(self._source.of(found))) if found is not None else ""

    def _doc(self, node: Node) -> str:
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body is not None and body.named_children else None
        if first is None or first.type != "expression_statement" or not first.named_children:
            return ""
        pieces = [
            part for part in first.named_children[0].children if part.type == "string_content"
        ]
        return clean_doc(self._source.of(pieces[0])) if len(pieces) == 1 else ""

    def _imported(self, node: Node, owner: int) -> Iterator[Import]:
        for name, alias, line in self._names(node.children_by_field_name("name")):
            yield Import(name, "", alias or name.partition(".")[0], line, owner)

    def _imported_from(self, node: Node, owner: int) -> Iterator[Import]:
        found = node.child_by_field_name("module_name")
        module = "".join(self._source.of(found).split()) if found is not None else "__future__"
        line = node.start_point.row + 1
        if any(child.type == "wildcard_import" for child in node.named_children):
            yield Import(module, "*", "", line, owner)
        for name, alias, at in self._names(node.children_by_field_name("name")):
            yield Import(module, name, alias or name, at, owner)

    def _names(self, nodes: list[Node]) -> Iterator[tuple[str, str, int]]:
        for node in nodes:
            name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
            text = self._source.of(name if name is not None else node)
            bound = self._source.of(alias) if alias is not None else ""
            yield "".join(text.split()), bound, node.start_point.row + 1


_EMPTY: Final = Declaration("", "", 1, 1, 1, 0)


def _branch(child: Node, outside: _Surroundings, inside: _Surroundings) -> _Surroundings:
    return outside if child.type in _BRANCHES else inside


def _last_line(node: Node) -> int:
    """The last line of a node, without the line feed that the grammar includes in a body."""
    end = node.end_point
    return end.row + 1 if end.column else max(end.row, node.start_point.row + 1)


def _count(parameters: Node) -> int:
    marks = {"comment", "keyword_separator", "positional_separator"}
    return sum(child.type not in marks for child in parameters.named_children)


def recover_facts(language: str, text: str) -> Facts | None:
    """The recovered facts of a file; None if there are none or parsing exceeds its budget."""
    try:
        from tree_sitter import Language  # noqa: PLC0415 needed for few files

        grammar = importlib.import_module("tree_sitter_python")
    except ImportError:
        return None
    source = Source(text)
    tree = parse(Language(grammar.language()), text, source.data)
    if tree is None:
        return None
    found = _Skeleton(source, tree.root_node)
    if not (found.declarations or found.imports):
        return None
    return _in_order(language, found)


def _in_order(language: str, found: _Skeleton) -> Facts:
    """Sort the declarations and renumber their parents."""
    items = found.declarations
    order = sorted(
        range(len(items)),
        key=lambda number: (items[number].start_line, -items[number].end_line, items[number].name),
    )
    places = {number: place for place, number in enumerate(order)} | {MODULE: MODULE}
    return Facts(
        language,
        PARTIAL,
        tuple(replace(items[number], parent=places[items[number].parent]) for number in order),
        imports=tuple(item._replace(owner=places[item.owner]) for item in found.imports),
        cuts=tuple(sorted(found.cuts)),
    )
