"""The class that a file of Kotlin is for Java: its members are declared outside of types.

The class of `text.kt` is `TextKt`, or what `@file:JvmName` says; several files may have one class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Role
from code_graph.facts import MODULE
from code_graph.jvm.accessors import methods_of

_END: Final = "Kt"
_IN_FACADE: Final = frozenset({"function", "variable", "constant"})


def facade_of(file: SourceFile) -> str:
    """The name of the class that a file of Kotlin is for Java, empty if it needs none."""
    rows = file.declarations
    if not any(row.parent == MODULE and row.kind in _IN_FACADE for row in rows):
        return ""
    stem = file.path.rpartition("/")[2].partition(".")[0]
    return next(_names(file, NONE), f"{stem[:1].upper()}{stem[1:]}{_END}")


def facade_members(file: SourceFile) -> Mapping[str, Sequence[int]]:
    """The declarations that the class of a file has, by their names for Java."""
    return file.cached("members of the facade", _facade_members)


def renamed_members(file: SourceFile) -> Mapping[tuple[int, str], Sequence[int]]:
    """The declarations with `@JvmName`, by their holder and their names for Java."""
    return file.cached("members named for Java", _renamed_members)


def _facade_members(file: SourceFile) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, item in enumerate(file.declarations):
        if item.parent != MODULE or item.kind not in _IN_FACADE or item.access == "private":
            continue
        names = [*_names(file, number)]
        if item.kind != "function":
            names += [item.name, *methods_of(item.name)]
        for name in dict.fromkeys(names or [item.name]):
            found.setdefault(name, []).append(number)
    return found


def _renamed_members(file: SourceFile) -> dict[tuple[int, str], list[int]]:
    found: dict[tuple[int, str], list[int]] = {}
    for number, item in enumerate(file.declarations):
        for name in _names(file, number):
            found.setdefault((item.parent, name), []).append(number)
    return found


def _names(file: SourceFile, declaration: int) -> Iterator[str]:
    """The names of a declaration for other languages; without one, of the file."""
    return (row.name for row in file.clauses.get(declaration, ()) if row.role == Role.NAMED)
