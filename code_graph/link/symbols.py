"""The symbols of a file: qualified names and types of nodes, in the words of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.contracts.conventions import words
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Role
from code_graph.facts import MODULE, OVERLOAD, Declaration
from code_graph.identity import chain_of, file_id
from code_graph.language import BY_PACKAGE, load
from code_graph.language_table import language_named
from code_graph.model import FILE, LinkedSymbol

_NODE_TYPES: Final = {
    "class": "class",
    "struct": "class",
    "impl": "class",
    "extension": "class",
    "record": "class",
    "enum": "class",
    "union": "class",
    "actor": "class",
    "interface": "interface",
    "protocol": "interface",
    "trait": "interface",
    "annotation": "interface",
    "type": "type",
    "typedef": "type",
    "method": "method",
    "operator": "method",
    "destructor": "method",
    "constructor": "constructor",
    "property": "property",
    "field": "property",
    "getter": "property",
    "setter": "property",
    "accessor": "property",
    "event": "property",
    "indexer": "property",
    "delegate": "type",
    "case": "property",
    "enumerator": "property",
    "function": "function",
    "prototype": "function",
    "macro": "function",
    "test": "test",
    "variable": "variable",
    "constant": "variable",
    "module": "module",
    "namespace": "module",
    "package": "module",
    # languages that are read by lines
    "mixin": "class",
    "message": "class",
    "service": "interface",
    "rpc": "method",
    "callback": "method",
    "procedure": "function",
    "trigger": "function",
    "target": "function",
    "job": "function",
    "step": "function",
    "operation": "function",
    "alias": "function",
    "column": "property",
    "argument": "variable",
    "local": "variable",
    "option": "variable",
    "output": "variable",
    "given": "variable",
}


# what adds to a type that is declared elsewhere
_BLOCKS: Final = frozenset({"impl", "extension"})
# a member that a method assigns to its object
_INSTANCE: Final = "instance"
# what is shown first of a symbol with parts of several kinds
_ORDER: Final = {"class": 0, "function": 0, "enum": 0, "type": 2, "namespace": 3, "module": 3}


def list_symbols(
    file: SourceFile, ids: Sequence[int], module: str | None = None
) -> tuple[LinkedSymbol, ...]:
    """The file itself and each of its declarations; `module` if the file does not say its own."""
    module = module_name(file) if module is None else module
    language = language_named(file.language)
    components = load(language.components)(file) if language.components else ()
    found = [LinkedSymbol(FILE, file_id(file.path), module or file.path, "file")]
    rows = zip(ids, file.declarations, strict=True)
    implemented = {number for number, item in rows if OVERLOAD not in item.modifiers}
    whole = {
        number
        for number, item in zip(ids, file.declarations, strict=True)
        if item.kind not in _BLOCKS and _INSTANCE not in item.modifiers
    }
    seen: set[int] = set()
    first = _first_parts(file, ids) if language.merges_declarations else {}
    for number, item in enumerate(file.declarations):
        promise = _is_promise(item) or (OVERLOAD in item.modifiers and ids[number] in implemented)
        is_elsewhere = ids[number] in whole or language.joins_modules
        promise = promise or (item.kind in _BLOCKS and is_elsewhere)
        promise = promise or (_INSTANCE in item.modifiers and ids[number] in whole)
        names = list(chain_of(file.declarations, number))
        if module and item.kind != "package":
            names.insert(0, module)
        found.append(
            LinkedSymbol(
                number,
                ids[number],
                language.separator.join(names),
                "component" if number in components else _node_type(item, file.language),
                _is_public(file, number),
                first[ids[number]] == number
                if ids[number] in first
                else ids[number] not in seen and not promise,
            )
        )
        if not promise:
            seen.add(ids[number])
    return tuple(found)


def _first_parts(file: SourceFile, ids: Sequence[int]) -> dict[int, int]:
    """The part to show first of each symbol with parts of several kinds: rather one that runs."""
    kinds: dict[int, set[str]] = {}
    for number, item in enumerate(file.declarations):
        kinds.setdefault(ids[number], set()).add(item.kind)
    found: dict[int, int] = {}
    for number, item in enumerate(file.declarations):
        if len(kinds[ids[number]]) == 1 or OVERLOAD in item.modifiers:
            continue
        known = found.setdefault(ids[number], number)
        if _ORDER.get(item.kind, 1) < _ORDER.get(file.declarations[known].kind, 1):
            found[ids[number]] = number
    return found


def _is_promise(item: Declaration) -> bool:
    """True if a declaration says that something is defined elsewhere: in C, C++."""
    return item.kind == "prototype" or (item.kind == "variable" and "extern" in item.modifiers)


def type_arities(file: SourceFile) -> dict[int, int]:
    """The numbers of type parameters of the declarations that have some."""
    names: dict[int, set[str]] = {}
    for item in file.code.clauses:
        if item.role == Role.TYPE_PARAMETER:
            names.setdefault(item.declaration, set()).add(item.name)
    return {declaration: len(found) for declaration, found in names.items()}


def module_name(file: SourceFile) -> str:
    """The name that qualifies a file's declarations, as far as the file alone tells it.

    It is empty where files qualify nothing.
    """
    if language_named(file.language).module != BY_PACKAGE:
        return ""
    rows = file.declarations
    parts = [item.name for item in rows if item.kind == "package" and item.parent == MODULE]
    return ".".join(parts)


def _node_type(item: Declaration, language: str) -> str:
    if item.kind == "method" and item.name in words("constructors", language):
        return "constructor"
    if item.kind == "object":
        return "property" if item.scope_kind == "class" else "variable"
    return _NODE_TYPES.get(item.kind, "type")


def _is_public(file: SourceFile, number: int) -> bool:
    rows = file.declarations
    while number != MODULE:
        item = rows[number]
        if item.access in {"private", "protected", "internal", "fileprivate"}:
            return False
        if item.scope_kind == "function":
            return False
        number = item.parent
    return True
