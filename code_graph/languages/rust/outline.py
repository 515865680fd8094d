"""Rules of Rust: impl blocks, methods, visibility, lists of uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from code_graph.languages.rust.syntax import SHEET
from code_graph.treesitter.language_rules import Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_WITH_METHODS: Final = frozenset({"impl", "trait"})
_PUBLIC_INSIDE: Final = frozenset({"trait", "enumerator"})
_MODIFIERS: Final = frozenset({"async", "const", "default", "extern", "unsafe"})
_PART: Final = re.compile(r"[{},]|\bas\b|[^\s{},]+")
_MAX_PARTS: Final = 10_000


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    parent = draft.parent
    inside = parent.kind if parent is not None else ""
    if draft.kind == "impl":
        _name_after(draft, captures["implementing"][0], source)
    elif draft.kind == "function" and inside in _WITH_METHODS:
        draft.kind = "method"
    visibility = next((word for word in draft.modifiers if word.startswith("pub")), "")
    draft.modifiers.intersection_update(_MODIFIERS)
    if draft.kind not in {"impl", "macro"}:
        if inside == "impl" and parent is not None and _of_a_trait(parent):
            inside = "trait"
        draft.access = _access(visibility, inside, draft.kind)
    return True


def _of_a_trait(impl: Draft) -> bool:
    return impl.node.child_by_field_name("trait") is not None


def _access(visibility: str, inside: str, kind: str) -> str:
    if visibility == "pub" or inside in _PUBLIC_INSIDE or kind == "enumerator":
        return "public"
    return "internal" if visibility else "private"


def _name_after(draft: Draft, node: Node, source: Source) -> None:
    """Name an impl block after its type, without path, references and arguments."""
    while (inner := node.child_by_field_name("type")) is not None and node.type in {
        "generic_type",
        "reference_type",
    }:
        node = inner
    if node.type == "scoped_type_identifier":
        node = node.child_by_field_name("name") or node
    draft.name = source.of(node)
    draft.name_start = node.start_byte


def _imports(captures: Captures, source: Source) -> Iterator[ImportParts]:
    written = source.of(captures["module"][0])
    if "alias" in captures:
        yield written, "", source.of(captures["alias"][0])
        return
    stack: list[str] = []
    prefix, path, alias = "", "", ""
    takes_alias = False
    for part in [*_PART.findall(written)[:_MAX_PARTS], ","]:
        if part == "{":
            stack.append(prefix)
            prefix, path = prefix + path, ""
        elif part in ",}":
            yield from _used(prefix + path, alias)
            path, alias, takes_alias = "", "", False
            if part == "}":
                prefix = stack.pop() if stack else ""
        elif part == "as":
            takes_alias = True
        elif takes_alias:
            alias = part
        else:
            path += part


def _used(path: str, alias: str) -> Iterable[ImportParts]:
    if not path or path.endswith("::"):  # no name after the previous list
        return
    module, _, name = path.rpartition("::")
    if name == "self":
        module, _, name = module.rpartition("::")
    if not module:
        yield path, "", alias or name
    else:
        yield module, name, "" if name == "*" else alias or name


RULES: Final = Rules(
    name="rust",
    package="tree_sitter_rust",
    sheet=SHEET,
    extensions=(".rs",),
    bodies=frozenset({"block"}),
    separator="::",
    refine=_refine,
    imports=_imports,
    doc_marks=("///", "/**"),
    lowering="code_graph.languages.rust.lower.declarations:Rust",
)
