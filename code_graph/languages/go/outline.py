"""Rules of Go: receivers, embedded fields, exported names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from code_graph.languages.go.conditions import LEFT_OUT, holds
from code_graph.languages.go.syntax import SHEET
from code_graph.treesitter.language_rules import Captures, Draft, ImportParts, Rules
from code_graph.treesitter.source import Source

_PREFIXES: Final = {
    "struct": "type ",
    "interface": "type ",
    "type": "type ",
    "constant": "const ",
    "variable": "var ",
}
_RECEIVER: Final = re.compile(r"\*?\s*([^\W\d]\w*)\s*(?:\[[^()]*\])?\s*,?\s*\)$")
# expressions that look for an end may try every beginning
_LONGEST: Final = 500
_LAST_NAME: Final = re.compile(r"([^\W\d]\w*)(?:\[.*\])?$", re.DOTALL)
_VERSION: Final = re.compile(r"v\d+")
_VERSION_SUFFIX: Final = re.compile(r"\.v\d+$")


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    embedded = captures.get("embedded")
    if embedded is not None:
        found = _LAST_NAME.search(source.of(embedded[0])[:_LONGEST])
        if found is None:
            return False
        draft.name = found[1]
        draft.name_start = embedded[0].start_byte + found.start(1)
        draft.returns = source.line_of(embedded[0])
    draft.prefix = _PREFIXES.get(draft.kind, "")
    if draft.kind == "package":
        if not holds(source.text[: draft.start]):
            draft.modifiers.add(LEFT_OUT)
    else:
        draft.access = "public" if draft.name[:1].isupper() else "package"
    receiver = captures.get("receiver")
    if receiver is not None:
        found = _RECEIVER.search(source.of(receiver[0])[-_LONGEST:])
        draft.owner = found[1] if found else ""
    if draft.parameter_count:
        draft.parameter_count = _count(captures)
    return True


def _count(captures: Captures) -> int:
    """The number of parameters; `a, b int` is one node but two."""
    total = 0
    for node in captures["parameters"][0].named_children:
        if node.type != "comment":
            total += max(1, len(node.children_by_field_name("name")))
    return total


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    module = source.of(captures["module"][0]).strip('"`')
    alias = source.of(captures["alias"][0]) if "alias" in captures else ""
    if alias == ".":
        yield module, "*", ""
    else:
        yield module, "", alias or package_name(module)


def package_name(path: str) -> str:
    """The name that a package most likely has: its path's last part that is no version."""
    first, _, last = path.rpartition("/")
    if first and _VERSION.fullmatch(last):
        last = first.rpartition("/")[2]
    return _VERSION_SUFFIX.sub("", last)


RULES: Final = Rules(
    name="go",
    package="tree_sitter_go",
    sheet=SHEET,
    extensions=(".go",),
    bodies=frozenset({"block"}),
    refine=_refine,
    imports=_imports,
    doc_marks=("//", "/*"),
    lowering="code_graph.languages.go.lower.declarations:Go",
)
