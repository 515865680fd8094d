"""Declarations that differ though their names and parameters are equal.

Two blocks of one function may each declare a type of one name. Methods of one list of parameters
may differ in the bounds of their type parameters: `<T extends A> f(T x)`, `<T extends B> f(T x)`.
"""

from __future__ import annotations

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, ScopeKind


def local_scopes(file: SourceFile) -> list[int]:
    """A number for each declaration; equal names with different numbers are different symbols.

    It is the scope that a local type is bound in, and 0 for most others.
    """
    outermost: dict[int, int] = {}
    for number, scope in enumerate(file.code.scopes):
        outermost.setdefault(scope.declaration, number)
    found = [0] * len(file.declarations)
    same: dict[tuple[int, str, str], int] = {}
    for declaration, inner in file.scope_of_declaration.items():
        item = file.declarations[declaration]
        if file.kind(inner) == ScopeKind.FUNCTION:
            key = item.parent, item.name, item.parameters
            found[declaration] = -same.setdefault(key, 0)
            same[key] += 1
        elif item.scope_kind == "function":
            found[declaration] = max(file.parent(outermost[declaration]), NONE)
    return found
