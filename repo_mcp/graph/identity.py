"""Ids of symbols: the same after edits elsewhere in the file and in every process.

    id  the hash of language, path, names of the declarations around, name, kind, and what tells
        declarations of one name apart

Declarations with one id make one symbol: overload signatures, accessors of a property, a function
that is defined twice under different conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import xxhash

from repo_mcp.languages.facts import MODULE, Declaration

_FUNCTIONS: Final = frozenset({"function", "method", "constructor", "destructor", "operator"})
_ACCESSORS: Final = frozenset({"getter", "setter", "accessor", "property"})
# languages in which functions of one name and scope are different ones by their parameters
_OVERLOADING: Final = frozenset({"c", "cpp", "csharp", "java", "swift"})


def file_id(path: str) -> int:
    """The id of a file or module."""
    return _hash(("file", path))


def external_id(name: str) -> int:
    """The id of something outside of the repository."""
    return _hash(("ext", name))


def declaration_ids(
    language: str,
    path: str,
    declarations: Sequence[Declaration],
    scopes: Sequence[int] | None = None,
) -> list[int]:
    """The ids of a file's declarations; those of one name in different `scopes` differ."""
    names = [item.name for item in declarations]
    if scopes is not None:
        names = _names_apart(declarations, scopes)
    found: list[int] = []
    for number, item in enumerate(declarations):
        around = () if item.parent == MODULE else _chain(declarations, names, item.parent)
        kind = "property" if item.kind in _ACCESSORS else item.kind
        apart = item.parameters if language in _OVERLOADING and kind in _FUNCTIONS else ""
        found.append(_hash((language, path, *around, names[number], kind, apart)))
    return found


def _names_apart(declarations: Sequence[Declaration], scopes: Sequence[int]) -> list[str]:
    """Names, with the ordinal of the scope where a name is declared in several inside of one."""
    seen: dict[tuple[int, str], list[int]] = {}
    names: list[str] = []
    for item, scope in zip(declarations, scopes, strict=True):
        rows = seen.setdefault((item.parent, item.name), [])
        if scope not in rows:
            rows.append(scope)
        ordinal = rows.index(scope)
        names.append(f"{item.name}#{ordinal}" if ordinal else item.name)
    return names


def chain_of(declarations: Sequence[Declaration], number: int) -> tuple[str, ...]:
    """The names of a declaration and of those around it, outermost first."""
    return _chain(declarations, [item.name for item in declarations], number)


def _chain(
    declarations: Sequence[Declaration], names: Sequence[str], number: int
) -> tuple[str, ...]:
    found: list[str] = []
    while number != MODULE and len(found) <= len(declarations):
        found.append(names[number])
        number = declarations[number].parent
    return tuple(reversed(found))


def _hash(parts: Sequence[str]) -> int:
    return xxhash.xxh3_64_intdigest("\0".join(parts).encode("utf-8", "surrogatepass"))
