"""Ids of symbols: the same after edits elsewhere in the file and in every process.

    id  the hash of language, path, names of the declarations around, name, kind, and what tells
        declarations of one name apart: parameters of overloads, also of those around, numbers of
        type parameters, the trait that a block of Rust implements

Declarations with one id make one symbol: overload signatures, accessors of a property, a function
that is defined twice under different conditions. Namespaces and parts of a type that may be in
several files have ids without a path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import dirname
from types import MappingProxyType
from typing import Final

import xxhash

from code_graph.facts import MODULE, Declaration
from code_graph.language import Language, load
from code_graph.language_table import language_named

_FUNCTIONS: Final = frozenset(
    {"function", "method", "constructor", "destructor", "operator", "indexer", "delegate"}
)
_ACCESSORS: Final = frozenset({"getter", "setter", "accessor", "property"})
_NAMESPACES: Final = frozenset({"namespace", "package"})
_TYPES: Final = frozenset({"class", "struct", "interface", "record"})
_LINKED_KINDS: Final = frozenset(
    {"function", "prototype", "method", "constructor", "destructor", "operator"}
)
_EXTENDED_KINDS: Final = frozenset(
    {"struct", "enum", "union", "class", "actor", "trait", "protocol", "impl", "extension"}
)
# what may have one name in a scope: as a value, a type and a namespace
_MERGED_KINDS: Final = frozenset(
    "class interface enum type function namespace module constant variable object".split()  # noqa: SIM905
)
_OWN_ACCESS: Final = frozenset({"private", "fileprivate"})
_MODULES_IN: Final = frozenset({"Sources", "Source", "Tests"})
NO_ARITIES: Final[Mapping[int, int]] = MappingProxyType({})

# what makes parameters more than a list of texts between commas
_NESTED: Final = re.compile(r"[(\[{<\]}>-]")
# parameters that tell functions apart that are linked: the text of long lists is cut
MOST_COUNTED: Final = 6


def file_id(path: str) -> int:
    """The id of a file or module."""
    return _hash(("file", path))


def external_id(name: str) -> int:
    """The id of something outside of the repository."""
    return xxhash.xxh3_64_intdigest(b"ext:" + name.encode("utf-8", "surrogatepass"))


def declaration_ids(
    language: str,
    path: str,
    declarations: Sequence[Declaration],
    arities: Mapping[int, int] = NO_ARITIES,
    scopes: Sequence[int] | None = None,
) -> list[int]:
    """The ids of a file's declarations.

    `arities` are numbers of type parameters; names in different `scopes` are different ones.
    """
    names = [item.name for item in declarations]
    if scopes is not None:
        names = _names_apart(declarations, scopes)
    row = language_named(language)
    if row.implements_traits:
        names = _names_by_trait(declarations)
    found: list[int] = []
    if row.merges_declarations:
        arities = NO_ARITIES
    is_joined = row.joins_modules or row.joins_folders or row.joins_files
    local = _local_names(row, path, declarations) if row.linkage else frozenset()
    own = _own_types(declarations) if row.joins_modules else frozenset()
    for number, item in enumerate(declarations):
        if row.linkage and item.kind in _LINKED_KINDS:
            found.append(_linked_id(row, path, declarations, number, local))
            continue
        chain = _numbered_chain(declarations, names, number, arities, overloads=row.overloads)
        around, name = chain[:-1], chain[-1]
        kind = "property" if item.kind in _ACCESSORS else item.kind
        if row.extends_types and item.kind in _EXTENDED_KINDS:
            kind = "class"  # a type and what extends it
        if row.merges_declarations and kind in _MERGED_KINDS and item.scope_kind != "class":
            kind = "merged"
        apart = item.parameters if row.overloads and kind in _FUNCTIONS else ""
        if kind == "constructor" and "static" in item.modifiers:
            apart = f"static {apart}"  # it runs once, and is none of those that are called
        where = scope_path(row, path, declarations, number) if is_joined else path
        if row.joins_modules and item.kind in _EXTENDED_KINDS:
            *outer, name = ".".join(chain).split(".")
            around = tuple(outer)
            if not own.isdisjoint((*around, name)[: end + 1] for end in range(len(chain) + 1)):
                where = path
        if not where:
            *outer, name = ".".join(chain).split(".")
            around = tuple(outer)
        found.append(_hash((language, where, *around, name, kind, apart)))
    return found


def scope_path(
    language: Language, path: str, declarations: Sequence[Declaration], number: int
) -> str:
    """The file or folder that a declaration belongs to; empty if files of any folder make it."""
    item = declarations[number]
    if language.joins_modules and item.kind in _EXTENDED_KINDS:
        return _module_folder(path)
    if language.joins_folders and item.kind == "package":
        return dirname(path)  # all files of a folder make one
    if language.joins_files and _is_over_files(declarations, number):
        return ""
    return path


def _own_types(declarations: Sequence[Declaration]) -> frozenset[tuple[str, ...]]:
    """The types, with those around them, that no other file of their module sees."""
    rows = (
        number
        for number, item in enumerate(declarations)
        if item.kind in _EXTENDED_KINDS
        and item.kind != "extension"
        and (item.access in _OWN_ACCESS or item.scope_kind == "function")
    )
    return frozenset(tuple(".".join(chain_of(declarations, number)).split(".")) for number in rows)


def _local_names(
    row: Language, path: str, declarations: Sequence[Declaration]
) -> frozenset[tuple[str, ...]]:
    """The functions and types that no other file sees, and functions that each program has.

    A function is local by its name, a type by its name and those around it.
    """
    rows = (item for item in declarations if item.parent == MODULE or item.kind == "function")
    found: set[tuple[str, ...]] = {("main",)}
    found |= {(item.name,) for item in rows if "static" in item.modifiers}
    if row.unseen_types and path.endswith(tuple(row.unseen_types.split())):
        found.update(
            _linked_chain(declarations, number)
            for number, item in enumerate(declarations)
            if item.kind in _TYPES
        )
    return frozenset(found)


def _linked_chain(declarations: Sequence[Declaration], number: int) -> tuple[str, ...]:
    """The names of a declaration, however it is written: inside of others or behind `a::b`."""
    return tuple(".".join(chain_of(declarations, number)).replace("::", ".").split("."))


def _linked_id(
    row: Language,
    path: str,
    declarations: Sequence[Declaration],
    number: int,
    local: frozenset[tuple[str, ...]],
) -> int:
    """The id of a function that may be declared in one file and defined in another.

    Languages that have no overloads go by number.
    """
    item = declarations[number]
    chain = _linked_chain(declarations, number)
    is_local = ((item.name,) in local and item.scope_kind != "class") or chain[:-1] in local
    where = path if is_local else ""
    if row.overload_key:
        apart = load(row.overload_key)(item, is_scoped=len(chain) > 1)
    else:
        apart = str(min(len(split_parameters(item.parameters)), MOST_COUNTED))
    return _hash((row.linkage, where, *chain, "function", apart))


def split_parameters(text: str) -> list[str]:
    """The parameters in a list, each as it is written; `void` alone is none."""
    found: list[str] = []
    if text.startswith("(") and not _NESTED.search(text, 1):
        inner, end, _ = text[1:].partition(")")
        found = [part.strip() for part in inner.split(",")][: None if end else -1]
        return [] if found in ([""], ["void"]) else found
    depth, start = 0, 1
    for at, mark in enumerate(text):
        if mark in "([{<":
            depth += 1
        elif mark in ")]}>" and text[at - 1 : at] != "-":
            depth -= 1
        if (mark == "," and depth == 1) or (depth == 0 and mark == ")"):
            found.append(text[start:at].strip())
            start = at + 1
    return [] if found in ([""], ["void"]) else found


def _module_folder(path: str) -> str:
    """The folder of a module, by the usual names of those around it."""
    steps = path.split("/")
    for at, step in enumerate(steps[:-2]):
        if step in _MODULES_IN:
            return "/".join(steps[: at + 2])
    return ""


def _names_apart(declarations: Sequence[Declaration], scopes: Sequence[int]) -> list[str]:
    """Names; one declared in several scopes of a declaration gets the ordinal of its scope.

    Declarations of one name, as overloads, count as one holder of others.
    """
    seen: dict[tuple[int, str], list[int]] = {}
    names: list[str] = []
    first: dict[tuple[int, str], int] = {}
    whole: list[int] = []
    for number, (item, scope) in enumerate(zip(declarations, scopes, strict=True)):
        around = whole[item.parent] if MODULE < item.parent < number else item.parent
        rows = seen.setdefault((around, item.name), [])
        if scope not in rows:
            rows.append(scope)
        ordinal = rows.index(scope)
        names.append(f"{item.name}#{ordinal}" if ordinal else item.name)
        whole.append(first.setdefault((around, names[-1]), number))
    return names


def _names_by_trait(declarations: Sequence[Declaration]) -> list[str]:
    """Names, those in a block that implements a trait with the trait: others may be named alike."""
    names: list[str] = []
    for item in declarations:
        block = None if item.parent == MODULE else declarations[item.parent]
        bases = () if block is None or block.kind != "impl" else block.bases
        names.append("@".join((item.name, *("".join(base.split()) for base in bases))))
    return names


def _numbered_chain(
    declarations: Sequence[Declaration],
    names: Sequence[str],
    number: int,
    arities: Mapping[int, int],
    *,
    overloads: bool,
) -> tuple[str, ...]:
    """The names of a declaration and of those around it, with their numbers of type parameters.

    Overloads around it are told apart by their parameters.
    """
    chain: list[str] = []
    while number != MODULE and len(chain) <= len(declarations):
        item, count = declarations[number], arities.get(number, 0)
        name = f"{names[number]}`{count}" if count else names[number]
        is_overload = overloads and bool(chain) and item.kind in _FUNCTIONS
        chain.append(name + item.parameters if is_overload else name)
        number = item.parent
    return tuple(reversed(chain))


def _is_over_files(declarations: Sequence[Declaration], number: int) -> bool:
    """True if a declaration is a namespace or in a partial type, which several files make."""
    if declarations[number].kind in _NAMESPACES:
        return True
    for _ in range(len(declarations)):
        if number == MODULE:
            break
        item = declarations[number]
        if item.kind in _TYPES and "partial" in item.modifiers:
            return True
        number = item.parent
    return False


def chain_of(declarations: Sequence[Declaration], number: int) -> tuple[str, ...]:
    """The names of a declaration and of those around it, outermost first."""
    item = declarations[number]
    if item.parent == MODULE:
        return (item.name,)
    found: list[str] = []
    while number != MODULE and len(found) <= len(declarations):
        found.append(declarations[number].name)
        number = declarations[number].parent
    return tuple(reversed(found))


def _hash(parts: Sequence[str]) -> int:
    return xxhash.xxh3_64_intdigest("\0".join(parts).encode("utf-8", "surrogatepass"))
