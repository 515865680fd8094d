"""The names that a file of Kotlin shares with others: types and functions of its package."""

from __future__ import annotations

from code_graph.declared.tables import DeclarationTable, shared_names
from code_graph.evaluate.source_file import SourceFile
from code_graph.facts import MODULE


def shared_in_package(file: SourceFile) -> dict[str, object]:
    """The package and head of each declaration outside of types, by its name."""
    found: dict[str, list[object]] = {name: [rows] for name, rows in shared_names(file).items()}
    package = DeclarationTable(file).package
    for item in file.declarations:
        if item.parent == MODULE:
            row = package, item.kind, item.access, sorted(item.modifiers), item.parameters
            found.setdefault(item.name, []).append(row)
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}
