"""Rules of Scala: kinds by keyword and modifier, case classes, imports with selectors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.languages.scala.syntax import SHEET
from code_graph.treesitter.language_rules import (
    CLASSES,
    LEAVES,
    Captures,
    Draft,
    ImportParts,
    Rules,
)
from code_graph.treesitter.source import Source, without_blanks
from code_graph.treesitter.unnamed import complete_unnamed

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPRECATED: Final = re.compile(r"@deprecated\b")
_WORD: Final = re.compile(r"[a-z]+")
_ACCESS: Final = frozenset({"private", "protected"})
# modifiers that a definition has by what it is
_IMPLIED: Final = {
    "object_definition": frozenset({"object"}),
    "package_object": frozenset({"object", "package"}),
    "full_enum_case": frozenset({"case"}),
}
_BODIES: Final = frozenset({"body", "value", "default_value"})
_PARAMETERS: Final = frozenset({"parameters", "class_parameters"})
_MEMBERS: Final = {"function": "method", "variable": "property", "constant": "property"}
_TYPED: Final = ("return_type", "type")
_MAX_CHILDREN: Final = 200
_MOST_STEPS: Final = 4
_IMPORT: Final = re.compile(r"import\s+(.*)", re.DOTALL)
_SELECTORS: Final = re.compile(
    r"(?P<path>[^{},]+?)\s*\.\s*(?:\{(?P<inner>[^}]*)\}|(?P<name>[^\s.,{}]+)(?=\s*(?:,|$)))"
)
_RENAMED: Final = re.compile(r"\s*(?:=>|\bas\b)\s*")
# names of all members, of given instances, and a name that an import hides
_ALL: Final = frozenset({"_", "*", "given"})

# Arrows of one character, which the grammar does not know: a blank beside makes room for two.
_ARROW: Final = re.compile(r"([⇒←])[ \t]|[ \t]([⇒←])")
_PLAIN: Final = {"⇒": "=>", "←": "<-"}


def _refine(draft: Draft, captures: Captures, source: Source) -> bool:
    _end_with_text(draft, source.text)
    if draft.node.type == "template_body":
        return _refine_unnamed(draft, captures["name"][0], source)
    if draft.name.startswith("`"):
        draft.name = draft.name.strip("`")
        draft.name_start += 1
    if draft.kind == "package":
        draft.name = without_blanks(draft.name, longest=500)
        return True
    _take_head(draft, _head_of(draft.node), source)
    parent = draft.parent
    is_member = parent is not None and parent.kind in CLASSES
    if draft.name == "this":
        draft.kind = "constructor"
    elif is_member:
        draft.kind = _MEMBERS.get(draft.kind, draft.kind)
    draft.access = draft.access or "public"
    return True


def _end_with_text(draft: Draft, text: str) -> None:
    """Leave out the blank lines behind a body that is indented, which the grammar has in it."""
    end = draft.end
    while end > draft.start and text[end - 1].isspace():
        end -= 1
    if end < draft.end:
        draft.last_row = draft.node.start_point[0] + text.count("\n", draft.start, end)
        draft.head_end = min(draft.head_end, end)
        draft.end = end


def _head_of(node: Node) -> Node:
    """The definition that a name is of, where it has several: `val a, b = 1`."""
    for _ in range(_MOST_STEPS):
        if node.type not in {"identifier", "identifiers", "tuple_pattern", "case_class_pattern"}:
            break
        node = node.parent or node
    return node


def _take_head(draft: Draft, node: Node, source: Source) -> None:
    """Read modifiers, parameters and the type from the children."""
    draft.modifiers |= _IMPLIED.get(node.type, frozenset())
    if node.type == "given_definition" and draft.kind == "class":
        draft.modifiers.add("object")
    lists: list[str] = []
    for number in range(min(node.child_count, _MAX_CHILDREN)):
        child, field = node.child(number), node.field_name_for_child(number)
        if node.type == "type_definition":
            break
        if field in _BODIES or child.type == "=":
            draft.head_end = min(draft.head_end, max(child.start_byte, draft.name_start))
            break
        if child.type == "modifiers":
            _take_modifiers(draft, child, source)
        elif child.type == "annotation":
            _take_annotation(draft, child, source)
        elif child.type == "case":
            draft.modifiers.add("case")
        elif child.type in _PARAMETERS:
            lists.append(source.line_of(child))
            draft.parameter_count += sum(one.type.endswith("parameter") for one in child.children)
        elif field in _TYPED and child.is_named:
            draft.returns = draft.returns or source.line_of(child)
    draft.parameters = "".join(lists)
    if node != draft.node:
        draft.head_start, draft.head_end = node.start_byte, max(draft.end, draft.head_end)


def _take_annotation(draft: Draft, node: Node, source: Source) -> None:
    """Leave an annotation out of the head; what is deprecated is known by one."""
    if _DEPRECATED.match(source.text, node.start_byte):
        draft.modifiers.add("deprecated")
    if node.end_byte < draft.name_start:
        begin = node.end_byte
        while begin < len(source.text) and source.text[begin].isspace():
            begin += 1
        draft.row += source.text.count("\n", draft.head_start, begin)
        draft.head_start = begin


def _take_modifiers(draft: Draft, node: Node, source: Source) -> None:
    for word in _WORD.findall(re.sub(r"\[[^\]]*\]", "", source.of(node))):
        if word in _ACCESS:
            draft.access = word
        else:
            draft.modifiers.add(word)


def _refine_unnamed(draft: Draft, keyword: Node, source: Source) -> bool:
    """Complete the class of `new Base { … }`, which may have no base."""
    made = draft.node.parent
    types = [] if made is None else [one for one in made.named_children if one != draft.node]
    base = next((one for one in types if one.type not in {"arguments", "comment"}), None)
    names = list(_parts(base)) if base is not None else []
    for _ in range(_MOST_STEPS):
        if base is None or base.type in {"type_identifier", "stable_type_identifier"}:
            break
        base = base.named_children[0] if base.named_children else None
    last = base if base is None or not base.named_children else base.named_children[-1]
    name = "new" if last is None else source.of(last)
    return complete_unnamed(draft, keyword, name, list(map(source.line_of, names)))


def _parts(node: Node) -> Iterable[Node]:
    """The types in `A with B`."""
    left = [node]
    while left:
        one = left.pop()
        if one.type == "compound_type":
            left += reversed([each for each in one.named_children if each.type != "refinement"])
        else:
            yield one


def _imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    found = _IMPORT.match(source.of(captures["import"][0]))
    for part in _SELECTORS.finditer(found[1]) if found is not None else ():
        path = without_blanks(part["path"], longest=500).replace("`", "")
        selectors = part["inner"].split(",") if part["inner"] is not None else [part["name"]]
        for selector in filter(None, map(str.strip, selectors)):
            name, *alias = (one.strip("`") for one in _RENAMED.split(selector, 1))
            if name.split(" ")[0] in _ALL:
                yield path, "*", ""
            elif alias[:1] != ["_"]:
                yield path, name, alias[0] if alias else name


def _prepare(text: str) -> str:
    if "⇒" not in text and "←" not in text:
        return text
    return _ARROW.sub(lambda found: _PLAIN[found[1] or found[2]], text)


RULES: Final = Rules(
    name="scala",
    package="tree_sitter_scala",
    sheet=SHEET,
    extensions=(".scala", ".sc", ".sbt"),
    refine=_refine,
    imports=_imports,
    prepare=_prepare,
    doc_marks=("/**",),
    owner_kinds=CLASSES,
    # a package with braces holds what is in it, a value the class without a name that makes it
    leaves=LEAVES - {"package", "property", "variable", "constant"},
    lowering="code_graph.languages.scala.lower.declarations:Scala",
)
