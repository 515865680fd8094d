"""Rules of Kotlin: kinds by keyword and modifier, heads without fields, imports, line ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from code_graph.languages.kotlin.syntax import SHEET
from code_graph.treesitter.language_rules import (
    CLASSES,
    LEAVES,
    Captures,
    Draft,
    ImportParts,
    Rules,
)
from code_graph.treesitter.source import Source, spaces, without_blanks
from code_graph.treesitter.unnamed import complete_unnamed

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESS: Final = ("public", "protected", "internal", "private")
_DEPRECATED: Final = re.compile(r"@Deprecated\b")
_WORD: Final = re.compile(r"[a-z]+")
_KEYWORDS: Final = frozenset({"interface", "object", "companion"})
# modifiers of a class that are kinds
_KINDS: Final = {"enum": "enum", "annotation": "annotation"}
_MEMBERS: Final = {"function": "method", "variable": "property"}
_PARAMETERS: Final = frozenset({"function_value_parameters", "primary_constructor"})
_TYPES: Final = frozenset(
    {"user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type"}
)
# the end of a signature
_BODIES: Final = frozenset(
    {"function_body", "class_body", "enum_class_body", "getter", "setter", "property_delegate"}
    | {"block", "=", "constructor_delegation_call"}
)
_MAX_CHILDREN: Final = 200
_MOST_STEPS: Final = 3
_IMPORT: Final = re.compile(r"import\s+([\w.`\s]+?)\s*(\.\s*\*)?(?:\s+as\s+(`?\w+`?))?\s*;?\s*$")
# The grammar asks for a line end or `;` before the brace that ends a body: most have a blank there.
# the annotations of a constructor on a line of their own, where the grammar ends the class
_BEFORE_CONSTRUCTOR: Final = re.compile(
    r"(?<=\n)\s*(?:@[\w.]+(?:\([^()]*\))?\s+)+"
    r"(?=(?:(?:public|internal|protected|private)\s+)?constructor\b)"
)
_LAST: Final = re.compile(r"(?<=[^\s{;]) (?=\})")


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if draft.node.type == "class_body":
        return _refine_unnamed(draft, captures["name"][0], source)
    if draft.name.startswith("`"):
        draft.name = draft.name.strip("`")
        draft.name_start += 1
    if draft.kind == "package":
        draft.name = without_blanks(draft.name, longest=500)
        return True
    _take_head(draft, source)
    parent = draft.parent
    if draft.kind == "class":
        _take_kind(draft)
    elif parent is not None and parent.kind in CLASSES:
        draft.kind = _MEMBERS.get(draft.kind, draft.kind)
    elif "const" in draft.modifiers:
        draft.kind = "constant"
    draft.access = draft.access or "public"
    return True


def _refine_unnamed(draft: Draft, keyword: Node, source: Source) -> bool:
    """Complete the class of `object : Base { … }`, which may have no base."""
    literal = draft.node.parent
    lists = () if literal is None else literal.children
    found = [
        one
        for each in lists
        if each.type == "delegation_specifiers"
        for one in each.children
        if one.type == "delegation_specifier"
    ]
    types = [_type_in(one) for one in found]
    names = [part for part in types[0].children if part.type == "identifier"] if types else []
    name = source.of(names[-1]) if names else "object"
    return complete_unnamed(draft, keyword, name, list(map(source.line_of, types)))


def _type_in(node: Node) -> Node:
    """The type of a base, without the arguments for its constructor."""
    for _ in range(_MOST_STEPS):
        if node.type == "user_type" or not node.children:
            break
        node = node.children[0]
    return node


def _take_kind(draft: Draft) -> None:
    """The kind of a type, which a keyword or a modifier says."""
    if "interface" in draft.modifiers:
        draft.kind = "interface"
    for word, kind in _KINDS.items():
        if word in draft.modifiers:
            draft.kind = kind
    draft.modifiers -= {"interface", *_KINDS}


def _take_head(draft: Draft, source: Source) -> None:
    """Read modifiers, parameters and the type from the children."""
    for number in range(min(draft.node.child_count, _MAX_CHILDREN)):
        child = draft.node.child(number)
        kind = child.type
        if kind == "modifiers":
            _take_modifiers(draft, child, source)
        elif kind in _KEYWORDS:
            draft.modifiers.add(kind)
        elif kind in _PARAMETERS:
            _take_parameters(draft, child, source)
        elif kind == "variable_declaration":
            typed = next((one for one in child.children if one.type in _TYPES), None)
            draft.returns = "" if typed is None else source.line_of(typed)
        elif kind in _TYPES and child.start_byte > draft.name_start:
            draft.returns = source.line_of(child)
        elif kind in _BODIES:
            draft.head_end = min(draft.head_end, child.start_byte)
            break


def _take_parameters(draft: Draft, node: Node, source: Source) -> None:
    if node.type == "primary_constructor":
        node = next((one for one in node.children if one.type == "class_parameters"), node)
    draft.parameters = source.line_of(node)
    draft.parameter_count = sum(child.type.endswith("parameter") for child in node.children)


def _take_modifiers(draft: Draft, node: Node, source: Source) -> None:
    """Add modifiers; the declaration begins after its annotations."""
    text, begin = source.text, node.start_byte
    if _DEPRECATED.search(text, begin, node.end_byte):
        draft.modifiers.add("deprecated")
    for child in node.children:
        if child.type == "annotation":
            begin = child.end_byte
        elif child.is_named and not child.is_extra:
            for word in _WORD.findall(source.of(child)):
                if word in _ACCESS:
                    draft.access = word
                else:
                    draft.modifiers.add(word)
    while begin < len(text) and text[begin].isspace():
        begin += 1
    draft.row += text.count("\n", draft.start, begin)
    draft.head_start = begin


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    found = _IMPORT.match(source.line_of(captures["import"][0]))
    if found is None:
        return
    path = without_blanks(found[1], longest=500).replace("`", "")
    if found[2]:
        yield path, "*", ""
        return
    module, _, name = path.rpartition(".")
    yield module, name, (found[3] or name).strip("`")


def _alternatives(text: str) -> Iterator[str]:
    """The text without such annotations, then with a `;` before the brace that ends a body."""
    known = _BEFORE_CONSTRUCTOR.sub(lambda found: spaces(found[0]), text)
    yield known
    yield _LAST.sub(";", known)


RULES: Final = Rules(
    name="kotlin",
    package="tree_sitter_kotlin",
    sheet=SHEET,
    extensions=(".kt", ".kts"),
    refine=_refine,
    imports=_imports,
    doc_marks=("/**",),
    owner_kinds=CLASSES,
    ends_last_line=True,
    alternatives=_alternatives,
    # a class without a name is one of the property whose value makes it
    leaves=LEAVES - {"property", "variable", "constant"},
    lowering="code_graph.languages.kotlin.lower.declarations:Kotlin",
)
