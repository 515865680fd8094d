"""The names that a file declares for other files of its language: by them files find each other.

What is asked of a name is kept as its key (`language_key`), in the answers of a file and in the
index of code, which lists for each key the files that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from code_graph.evaluate.lookups import language_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Code
from code_graph.facts import Facts
from code_graph.rules.cpp.shared import shared_by_name
from code_graph.rules.declared.tables import shared_names
from code_graph.rules.go.language import shared_in_package
from code_graph.rules.native.declared_names import shared_declarations
from code_graph.rules.native.linkage import shared_by_linkage

_BY_LANGUAGE: Final[Mapping[str, Callable[[SourceFile], Mapping[str, object]]]] = {
    "csharp": shared_names,
    "java": shared_names,
    "go": shared_in_package,
    "c": shared_by_linkage,
    "rust": shared_declarations,
    "swift": shared_declarations,
    "cpp": shared_by_name,
}


def names_of(file: SourceFile) -> Mapping[str, object]:
    """The names that a file shares, each with what it says of it."""
    find = _BY_LANGUAGE.get(file.language)
    return {} if find is None else find(file)


def keys_of(path: str, facts: Facts, code: Code | None) -> list[int]:
    """The keys of the names that a file shares, ascending."""
    if facts.language not in _BY_LANGUAGE:
        return []
    names = names_of(SourceFile(path, facts, code, b""))
    return sorted(language_key(facts.language, name) for name in names)
