"""Rules of Java: annotations among modifiers, default access, imports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.facts.model import ANONYMOUS
from code_graph.languages.java.type_names import name_of_type
from code_graph.treesitter.language_rules import LEAVES, Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source, without_blanks

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESS: Final = ("public", "protected", "private")
# members of these are public by default
_PUBLIC_INSIDE: Final = frozenset({"interface", "annotation"})
_IMPORT: Final = re.compile(r"import\s+(static\s+)?([^;]+)")


def _refine_unnamed(draft: Draft, new: Node, base: Node, source: Source) -> bool:
    """Complete a class without a name, which is seen where it stands alone.

    Arguments of its constructor are none of it, though its head begins before them.
    """
    draft.name = source.of(name_of_type(base))
    draft.row = new.start_point[0]
    draft.modifiers.add(ANONYMOUS)
    draft.access = "private"
    draft.head_start, draft.head_end = draft.name_start, draft.start
    draft.bases = (source.line_of(base),)
    return True


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if "base_type" in captures:
        (new,), (base,) = captures["name"], captures["base_type"]
        return _refine_unnamed(draft, new, base, source)
    parent = draft.parent
    if "modifiers" in captures and "@Deprecated" in source.of(captures["modifiers"][0]):
        draft.modifiers.add("deprecated")
    access = next((word for word in _ACCESS if word in draft.modifiers), "")
    if access:
        draft.modifiers.discard(access)
    elif draft.kind == "enumerator" or (parent is not None and parent.kind in _PUBLIC_INSIDE):
        access = "public"
    draft.access = access or "package"
    if draft.kind in {"package", "module"}:
        draft.access = ""
    if draft.kind == "constructor" and "parameters" not in captures and parent is not None:
        draft.parameters, draft.parameter_count = parent.parameters, parent.parameter_count
    return True


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    found = _IMPORT.match(source.of(captures["import"][0]))
    if found is None:
        return
    module, _, name = without_blanks(found[2], longest=500).rpartition(".")
    yield module, name, "" if name == "*" else name


RULES: Final = Rules(
    name="java",
    package="tree_sitter_java",
    extensions=(".java",),
    bodies=frozenset({"block"}),
    refine=_refine,
    imports=_imports,
    doc_marks=("/**",),
    # a class without a name is one of the field whose value makes it
    leaves=LEAVES - {"field", "constant"},
    lowering="code_graph.languages.java.lower.declarations:Java",
)
