"""Rules of Java: annotations among modifiers, default access, imports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from code_graph.languages.java.syntax import SHEET
from code_graph.languages.java.type_names import name_of_type
from code_graph.treesitter.language_rules import LEAVES, Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source, without_blanks
from code_graph.treesitter.unnamed import complete_unnamed

_ACCESS: Final = ("public", "protected", "private")
# members of these are public by default
_PUBLIC_INSIDE: Final = frozenset({"interface", "annotation"})
_IMPORT: Final = re.compile(r"import\s+(static\s+)?([^;]+)")


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    if "base_type" in captures:
        (new,), (base,) = captures["name"], captures["base_type"]
        name = source.of(name_of_type(base))
        return complete_unnamed(draft, new, name, [source.line_of(base)])
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
    sheet=SHEET,
    extensions=(".java",),
    bodies=frozenset({"block"}),
    refine=_refine,
    imports=_imports,
    doc_marks=("/**",),
    # a class without a name is one of the field whose value makes it
    leaves=LEAVES - {"field", "constant"},
    lowering="code_graph.languages.java.lower.declarations:Java",
)
