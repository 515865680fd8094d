"""What JavaScript and TypeScript import and re-export, by statements and by calls.

What a file gives out under a name of its own choice (`export { a as b }`, `export default a`,
`module.exports = { b: a }`) is an import from the module "": the file itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from repo_mcp.languages.treesitter_rules import Captures, ImportParts
from repo_mcp.languages.treesitter_source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_MODULE_EXPORTS: Final = "module.exports"
_EXPORTS: Final = ("exports.", "module.exports.")
# a call whose value is bound is met a second time, with the names
_IN_DECLARATION: Final = re.compile(r"(?<![.\w$])(?:[\w$]+|\})\s*(?::[^=;]{0,100})?=\s*$")


def imports(captures: Captures, source: Source) -> Iterable[ImportParts]:
    """What one import, re-export or call of `require` brings in."""
    if "aliased_module" in captures:
        path, _, name = source.of(captures["aliased_module"][0]).rpartition(".")
        yield path, name, source.of(captures["alias"][0])
        return
    if "given" in captures:
        yield from _given_out(captures, source)
        return
    module = source.of(captures["module"][0]).strip("\"'`")
    node = captures["import"][0]
    if "alias" in captures:
        yield module, "", source.of(captures["alias"][0])
    elif "function" in captures:
        yield from _required(module, captures, source)
    elif node.type == "export_statement":
        yield from _exported(module, node, source)
    else:
        clauses = [child for child in node.named_children if child.type == "import_clause"]
        yield from _imported(module, clauses[0], source) if clauses else [(module, "", "")]


def _given_out(captures: Captures, source: Source) -> Iterator[ImportParts]:
    given = captures["given"][0]
    taken = source.of(captures["taken"][0]) if "taken" in captures else ""
    if given.type == "export_clause":
        yield from _specified("", given, source)
    elif given.type == "object":
        if taken == _MODULE_EXPORTS:
            for child in given.named_children:
                yield from _member(child, source)
    elif not taken:
        by_default = "default" in (child.type for child in captures["import"][0].children)
        yield "", source.of(given), "default" if by_default else "export ="
    elif taken == _MODULE_EXPORTS:
        yield "", source.of(given), "export ="
    elif taken.startswith(_EXPORTS):
        name = taken.rpartition(".")[2]
        if taken in (f"exports.{name}", f"{_MODULE_EXPORTS}.{name}"):
            yield "", source.of(given), name


def _member(child: Node, source: Source) -> Iterator[ImportParts]:
    if child.type == "shorthand_property_identifier":
        yield "", source.of(child), source.of(child)
    elif child.type == "pair":
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if key is not None and value is not None and value.type == "identifier":
            yield "", source.of(value), source.of(key).strip("\"'")


def _imported(module: str, clause: Node, source: Source) -> Iterator[ImportParts]:
    for child in clause.named_children:
        if child.type == "identifier":
            yield module, "default", source.of(child)
        elif child.type == "namespace_import":
            yield module, "", source.of(child.named_children[-1])
        elif child.type == "named_imports":
            yield from _specified(module, child, source)


def _exported(module: str, node: Node, source: Source) -> Iterator[ImportParts]:
    for child in node.named_children:
        if child.type == "export_clause":
            yield from _specified(module, child, source)
            return
        if child.type == "namespace_export":
            yield module, "", source.of(child.named_children[-1])
            return
    yield module, "*", ""


def _specified(module: str, clause: Node, source: Source) -> Iterator[ImportParts]:
    for child in clause.named_children:
        name = child.child_by_field_name("name")
        if name is not None:
            alias = child.child_by_field_name("alias") or name
            yield module, source.of(name).strip("\"'"), source.of(alias).strip("\"'")


def _required(module: str, captures: Captures, source: Source) -> Iterator[ImportParts]:
    function = captures["function"][0]
    called = source.of(function)
    if called not in ("require", "import"):
        return
    bound = captures.get("bound")
    if bound is None:
        start = function.start_byte
        if not _IN_DECLARATION.search(source.text[max(0, start - 300) : start]):
            yield module, "", ""
    elif bound[0].type == "object_pattern":
        for child in bound[0].named_children:
            yield from _destructured(module, child, source)
    elif bound[0].type == "identifier":
        picked = source.of(captures["picked"][0]) if "picked" in captures else ""
        yield module, picked, source.of(bound[0])


def _destructured(module: str, child: Node, source: Source) -> Iterator[ImportParts]:
    if child.type == "shorthand_property_identifier_pattern":
        yield module, source.of(child), source.of(child)
    elif child.type == "pair_pattern":
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if key is not None and value is not None and value.type == "identifier":
            yield module, source.of(key), source.of(value)
