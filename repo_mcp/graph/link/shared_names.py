"""The names that a file declares for other files of its language: by them files find each other.

What is asked of a name is kept as its key (`language_key`), in the answers of a file and in the
index of code, which lists for each key the files that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from repo_mcp.graph.evaluate.lookups import language_key
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.rules.cpp.shared import shared_by_name
from repo_mcp.graph.rules.declared.tables import shared_names
from repo_mcp.graph.rules.go.language import shared_in_package
from repo_mcp.graph.rules.native.declared_names import shared_declarations
from repo_mcp.graph.rules.native.linkage import shared_by_linkage
from repo_mcp.languages.code import Code
from repo_mcp.languages.facts import Facts

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
