"""Rules of C#: modifiers, attributes, usings, XML comments, `#if` branches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import Final

from code_graph.languages.csharp.syntax import SHEET
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
from code_graph.treesitter.source import Source, spaces, without_blanks

_ACCESS: Final = ("public", "private", "protected", "internal", "file")
_DEPRECATED: Final = re.compile(r"\bObsolete(?:Attribute)?\b")
_USING: Final = re.compile(
    r"(?:global\s+)?using\s+(static\s+)?(?:unsafe\s+)?(?:([^\W\d]\w*)\s*=\s*)?([^;]+)", re.DOTALL
)

_NAMED: Final = re.compile(
    r"<(?:see|seealso|paramref|typeparamref)\s[^<>\"]*+\"(?:[A-Z]:)?([^\"<>]*+)\"[^<>\"]*+>"
)
_PARAMETER: Final = re.compile(
    r"<(?:param|typeparam|exception)\s[^<>\"]*+\"([^\"<>]*+)\"[^<>\"]*+>"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")


# what the grammar does not know: `ref partial struct`, and a value that is read as another type
_REF_BEFORE_PARTIAL: Final = re.compile(r"\bref(?=\s+partial\s+struct\b)")
_READ_AS: Final = re.compile(r"\*\s*\(\s*[\w.:]+(?:<[\w.,\s]*>)?\s*\*+\s*\)\s*&?")


def _alternatives(text: str) -> Iterable[str]:
    """The text without what the grammar does not know, then with other branches of `#if`."""
    known = text
    for unknown in (_REF_BEFORE_PARTIAL, _READ_AS):
        known = unknown.sub(lambda found: spaces(found[0]), known)
    if known != text:
        yield known
    yield from branch_alternatives(known)


def _add_interface(draft: Draft, source: Source) -> None:
    """Put the interface before the name of a member that implements it explicitly: `IShop.Open`."""
    for child in draft.node.children:
        if child.type == "explicit_interface_specifier":
            draft.name = without_blanks(source.of(child)) + draft.name
            draft.name_start = child.start_byte


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    _take_head(draft, source)
    if draft.name.startswith("@"):
        draft.name = draft.name[1:]
        draft.name_start += 1
    holder = draft.parent
    if holder is not None and holder.node == draft.node:  # both names of one declaration
        draft.parent, draft.context = holder.parent, holder.context
    if draft.parameter_count > 1:  # the grammar has no node for one with `params`
        between = captures["parameters"][0].children
        draft.parameter_count = 1 + sum(child.type == "," for child in between)
    value = captures.get("value")
    if value is not None and value[0].start_byte < draft.head_end:
        draft.head_end = value[0].start_byte
    is_first = draft.kind == "namespace" and draft.parent is None
    if is_first and draft.node.type.startswith("file"):
        draft.end = len(source.text)  # all that follows is in it
        draft.last_row = source.text.count("\n") - source.text.endswith("\n")
        draft.head_end = draft.node.end_byte
    elif draft.kind == "operator":
        draft.name = f"operator {source.line_of(captures['operator'][0])}"
    elif draft.kind == "destructor":
        tilde = source.text.rfind("~", draft.start, draft.name_start)
        draft.name_start = tilde if tilde >= 0 else draft.name_start
        draft.name = f"~{draft.name}"
    elif draft.kind == "field" and "const" in draft.modifiers:
        draft.kind = "constant"
    _add_interface(draft, source)
    if draft.kind == "constructor":
        parameters = captures["parameters"][0]
        draft.head_end = parameters.end_byte  # not what it calls first
    return True


def _take_head(draft: Draft, source: Source) -> None:
    """Read attributes, access and modifiers from the children before the name."""
    began = False
    for child in draft.node.children:
        if child.start_byte >= draft.name_start:
            break
        if child.type == "attribute_list":
            if _DEPRECATED.search(source.text, child.start_byte, child.end_byte):
                draft.modifiers.add("deprecated")
        elif child.type != "comment" and not began:
            began = True
            draft.row += source.text.count("\n", draft.start, child.start_byte)
            draft.head_start = child.start_byte
        if child.type == "modifier":
            draft.modifiers.add(source.of(child))
    access = [word for word in _ACCESS if word in draft.modifiers]
    draft.access = " ".join(access)
    draft.modifiers.difference_update(access)


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    if "alias" in captures:
        name = source.of(captures["alias"][0])
        yield name, "", name
        return
    found = _USING.match(source.line_of(captures["import"][0]))
    if found is not None:
        alias, module = found[2], found[3].strip()
        yield module, "" if alias else "*", alias or ""


def _plain_doc(doc: str) -> str:
    """The text of an XML comment with the names that its tags refer to."""
    if "<" not in doc:
        return doc
    doc = _PARAMETER.sub(r"\1: ", _NAMED.sub(r"\1", doc))
    rows = [row.strip() for row in unescape(_TAG.sub("", doc)).split("\n")]
    return "\n".join(rows).strip()


RULES: Final = Rules(
    name="csharp",
    package="tree_sitter_c_sharp",
    sheet=SHEET,
    extensions=(".cs", ".csx"),
    bodies=frozenset({"block"}),
    refine=_refine,
    imports=_imports,
    doc_marks=("///", "/**"),
    functions=FUNCTIONS | {"indexer"},
    leaves=(LEAVES - {"property", "event"}) | {"delegate"},
    owner_kinds=CLASSES,
    alternatives=_alternatives,
    regions=branches,
    plain_doc=_plain_doc,
    lowering="code_graph.languages.csharp.lower.declarations:CSharp",
)
