"""Rules of PHP: access and attributes before a name, promoted parameters, grouped imports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.languages.php.syntax import SHEET
from code_graph.treesitter.language_rules import Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source, without_blanks
from code_graph.treesitter.unnamed import complete_unnamed

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESS: Final = ("public", "protected", "private")
_MODIFIERS: Final = frozenset(
    {"abstract_modifier", "final_modifier", "readonly_modifier", "static_modifier"}
)
_MEMBERS: Final = frozenset({"method", "constructor", "property", "constant", "enumerator"})
_TYPES: Final = frozenset({"class", "interface", "trait", "enum"})
_NAMES: Final = frozenset({"name", "qualified_name", "namespace_name"})
_BASES: Final = frozenset({"base_clause", "class_interface_clause"})
_DEPRECATED: Final = re.compile(r"\bDeprecated\b")


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if "keyword" in captures:  # a call that declares a constant
        draft.modifiers.add("global")  # in whatever namespace the call is
        return source.of(captures["keyword"][0]).lower() == "define"
    if draft.node.type == "declaration_list":
        return _refine_unnamed(draft, captures["name"][0], source)
    _take_head(draft, source)
    holder = draft.parent
    if draft.node.type == "property_promotion_parameter":
        if holder is None or holder.kind not in {"method", "constructor"}:
            return False
        draft.parent, draft.context = holder.parent, holder.context
    elif draft.kind == "method" and draft.name.lower() == "__construct":
        draft.kind = "constructor"
    if draft.kind in _MEMBERS and holder is not None and holder.kind in _TYPES:
        draft.access = draft.access or "public"
    return True


def _refine_unnamed(draft: Draft, keyword: Node, source: Source) -> bool:
    """Complete the class of `new class extends Base { … }`, which may have no base."""
    whole = draft.node.parent
    bases = [
        part
        for each in (() if whole is None else whole.children)
        if each.type in _BASES
        for part in each.children
        if part.type in _NAMES
    ]
    name = source.of(bases[0]).rpartition("\\")[2] if bases else "class"
    return complete_unnamed(draft, keyword, name, list(map(source.line_of, bases)))


def _take_head(draft: Draft, source: Source) -> None:
    """Read attributes, access and modifiers from the children before the name."""
    began = False
    for child in draft.node.children:
        if child.start_byte >= draft.name_start:
            break
        kind = child.type
        if kind == "attribute_list":
            if _DEPRECATED.search(source.text, child.start_byte, child.end_byte):
                draft.modifiers.add("deprecated")
            continue
        if kind != "comment" and not began:
            began = True
            draft.row += source.text.count("\n", draft.start, child.start_byte)
            draft.head_start = child.start_byte
        if kind == "visibility_modifier":
            access = source.of(child).lower().partition("(")[0]
            draft.access = access if access in _ACCESS else draft.access
        elif kind in _MODIFIERS:
            draft.modifiers.add(source.of(child).lower())


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    """The names of a `use`, which may be a group under one namespace."""
    prefix = ""
    for child in captures["import"][0].children:
        if child.type == "namespace_name":
            prefix = _spelled(child, source)
        elif child.type == "namespace_use_clause":
            yield _import(child, "", source)
        elif child.type == "namespace_use_group":
            for inner in child.children:
                if inner.type == "namespace_use_clause":
                    yield _import(inner, prefix, source)


def _import(node: Node, prefix: str, source: Source) -> ImportParts:
    alias = node.child_by_field_name("alias")
    names = [_spelled(child, source) for child in node.children if child.type in _NAMES]
    whole = f"{prefix}\\{names[0]}" if prefix and names else (*names, "")[0]
    module, _, name = whole.rpartition("\\")
    bound = name if alias is None else source.of(alias)
    return (module, name, bound) if module else (name, "", bound)


def _spelled(node: Node, source: Source) -> str:
    return without_blanks(source.of(node), longest=500).strip("\\")


RULES: Final = Rules(
    name="php",
    package="tree_sitter_php",
    sheet=SHEET,
    grammar="language_php",
    extensions=(".php", ".phtml"),
    separator="\\",
    bodies=frozenset({"compound_statement"}),
    refine=_refine,
    imports=_imports,
    doc_marks=("/**",),
    deprecated_mark="@deprecated",
    lowering="code_graph.languages.php.lower.declarations:Php",
)
