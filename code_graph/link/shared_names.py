"""The names that a file declares for others of its language or platform, which find it by them.

What is asked of a name is kept as its key (`language_key`), in the exports of a file and in the
index of code, which lists for each key the files that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from code_graph.contracts.keys import given_by
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Code
from code_graph.facts import Facts
from code_graph.language import load
from code_graph.language_table import language_named, shared_as

Find: TypeAlias = Callable[[SourceFile], Mapping[str, object]]


def names_of(file: SourceFile) -> Mapping[str, object]:
    """The names that a file shares, each with its value."""
    place = language_named(file.language).shared
    if not place:
        return {}
    find: Find = load(place)
    return find(file)


def keys_of(path: str, facts: Facts, code: Code | None) -> list[int]:
    """The keys of the names that a file shares, and of the contracts that it gives, ascending."""
    keys = {language_key(kind, key) for kind, key in given_by(code)}
    if language_named(facts.language).shared:
        file = SourceFile(path, facts, code, b"")
        kin = shared_as(facts.language)
        keys.update(language_key(kin, name) for name in names_of(file))
        file.release()  # its table refers to it, and workers collect no garbage
    return sorted(keys)


def files_by_key(keys: Iterable[tuple[str, Iterable[int]]]) -> dict[int, list[str]]:
    """The files that share each key, in their order, from the keys of each file."""
    found: dict[int, list[str]] = {}
    for path, shared in keys:
        for key in shared:
            found.setdefault(key, []).append(path)
    return found
