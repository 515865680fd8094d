"""Types in bodies of functions: two blocks of one function may each declare a type of one name."""

from __future__ import annotations

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, ScopeKind


def local_scopes(file: SourceFile) -> list[int]:
    """For each declaration the scope that a local type is bound in; 0 for all others."""
    outermost: dict[int, int] = {}
    for number, scope in enumerate(file.code.scopes):
        outermost.setdefault(scope.declaration, number)
    found = [0] * len(file.declarations)
    for declaration, inner in file.scope_of_declaration.items():
        is_local = file.declarations[declaration].scope_kind == "function"
        if is_local and file.kind(inner) == ScopeKind.CLASS:
            found[declaration] = max(file.parent(outermost[declaration]), NONE)
    return found
