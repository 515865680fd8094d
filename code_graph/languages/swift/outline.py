"""Rules of Swift: kinds by keyword, heads without nodes of their own, `#if`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from code_graph.languages.swift.syntax import SHEET
from code_graph.treesitter.branches import branch_alternatives, branches
from code_graph.treesitter.language_rules import (
    CLASSES,
    FUNCTIONS,
    LEAVES,
    Captures,
    Draft,
    ImportParts,
    Rules,
)
from code_graph.treesitter.source import Source, blank

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESS: Final = frozenset(("open", "public", "package", "internal", "fileprivate", "private"))
_DEPRECATED: Final = re.compile(r"@available\s*\([^()]*\b(?:deprecated|obsoleted|unavailable)\b")
_MODIFIER: Final = re.compile(r"[a-z]+(?:\([a-z]+\))?")
# the end of a signature
_BODIES: Final = frozenset(("computed_property", "willset_didset_block"))
_KINDS: Final = frozenset(("class", "struct", "enum", "actor", "extension"))
_WORDS: Final = frozenset(("class", "indirect", "static", "infix", "prefix", "postfix"))
# children of a declaration that are read; one with many names repeats them for each name
_LISTED: Final = frozenset(("variable", "enumerator"))
_CHILDREN_OF_LISTS: Final = 12
_MAX_CHILDREN: Final = 200
_MEMBERS: Final = {"function": "method", "variable": "property"}
_IMPORT: Final = re.compile(
    r"import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func|actor)\s+([\w.]+)\.(\w+)|([\w.]+))"
)

# syntax of newer Swift that the grammar lacks; it changes no name
_UNKNOWN: Final = re.compile(
    r"@_\w+|@\w+(?:<[^<>\n]*>)?(?=\s+_\s)|\bnonisolated(?:\(unsafe\))?(?=\s+let)"
    r"|\bsending(?=\s)|(?<=[\[( ])~(?=[A-Z]\w*\.self)|(?<== )try\?(?= \w+\?)|(?<=\bin )try(?= )"
)


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if "keyword" in captures:
        draft.kind = source.of(captures["keyword"][0])
        if draft.kind not in _KINDS:
            return False
        draft.name = draft.name.partition("<")[0].strip()
    if draft.name.startswith("`"):
        draft.name = draft.name.strip("`")
        draft.name_start += 1
    _take_head(draft, source)
    if draft.parent is not None and draft.parent.kind in CLASSES:
        draft.kind = _MEMBERS.get(draft.kind, draft.kind)
    elif draft.kind == "variable" and "let" in draft.modifiers:
        draft.kind = "constant"
    draft.modifiers -= {"let", "var"}
    if "keyword" in captures:
        draft.modifiers.discard("class")
    if draft.kind == "enumerator" and draft.parameters:
        values = captures["parameters"][0].children
        draft.parameter_count = 1 + sum(child.type == "," for child in values)
    return True


def _take_head(draft: Draft, source: Source) -> None:
    """Read modifiers, parameters and the return type from the children."""
    after: list[Node] = []
    most = _CHILDREN_OF_LISTS if draft.kind in _LISTED else _MAX_CHILDREN
    for number in range(min(draft.node.child_count, most)):
        child = draft.node.child(number)
        if child.type == "modifiers":
            _take_modifiers(draft, child, source)
        elif child.start_byte > draft.name_start:
            after.append(child)
        elif child.type in _WORDS:
            draft.modifiers.add(child.type)
        elif child.type == "value_binding_pattern":
            draft.modifiers.add(source.of(child))
    _take_signature(draft, after, source)


def _take_signature(draft: Draft, after: list[Node], source: Source) -> None:
    opened, arrow = -1, False
    for child in after:
        kind = child.type
        if kind == "(" and opened < 0:
            opened = child.start_byte
        elif kind == "parameter":
            draft.parameter_count += 1
        elif kind == ")" and opened >= 0 and not draft.parameters:
            draft.parameters = source.line_of_span(opened, child.end_byte)
        elif kind == "->":
            arrow = True
        elif kind in _BODIES:
            draft.head_end = min(draft.head_end, child.start_byte)
        elif not draft.returns and (kind == "type_annotation" or (arrow and child.is_named)):
            draft.returns = source.line_of(child).removeprefix(":").lstrip()


def _take_modifiers(draft: Draft, node: Node, source: Source) -> None:
    """Add modifiers; the declaration begins after its attributes."""
    text, begin = source.text, node.start_byte
    if _DEPRECATED.search(text, begin, node.end_byte):
        draft.modifiers.add("deprecated")
    for child in node.children:
        if child.type == "attribute":
            begin = child.end_byte
    while begin < len(text) and text[begin].isspace():
        begin += 1
    for word in _MODIFIER.findall(text, begin, max(begin, node.end_byte)):
        if word in _ACCESS:
            draft.access = word
        else:
            draft.modifiers.add(word)
    draft.row += text.count("\n", draft.start, begin)
    draft.head_start = begin


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    found = _IMPORT.search(source.line_of(captures["import"][0]))
    if found is not None:
        yield (found[1], found[2], found[2]) if found[1] else (found[3], "*", "")


def _alternatives(text: str) -> Iterator[str]:
    """The text without unknown syntax, with all branches of `#if`, with only the first of each."""
    text = _UNKNOWN.sub(blank, text)
    yield text
    yield from branch_alternatives(text)


RULES: Final = Rules(
    name="swift",
    package="tree_sitter_swift",
    sheet=SHEET,
    extensions=(".swift",),
    refine=_refine,
    imports=_imports,
    doc_marks=("///", "/**"),
    functions=FUNCTIONS | {"subscript"},
    leaves=LEAVES | {"enumerator"},
    owner_kinds=CLASSES,
    alternatives=_alternatives,
    regions=branches,
    lowering="code_graph.languages.swift.lower.declarations:Swift",
)
