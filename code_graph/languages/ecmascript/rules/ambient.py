"""Declarations that count for all files: global names, and modules by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, BindingKind, ScopeKind

# the language of files of declarations, whoever asks
LANGUAGE: Final = "typescript"
_ENDINGS: Final = (".d.ts", ".d.mts", ".d.cts")
_MODULE: Final = "module"


def is_declarations(path: str) -> bool:
    """True for a file that has nothing but declarations."""
    return path.endswith(_ENDINGS)


def shared_by_declarations(file: SourceFile) -> Mapping[str, object]:
    """The global names of a file of declarations, and which modules it adds to."""
    found = {name: 1 for scope in global_scopes(file) for name in file.names_in.get(scope, ())}
    for scope in module_scopes(file) if is_declarations(file.path) else ():
        name = file.declarations[file.code.scopes[scope].declaration].name
        if name.startswith("."):
            stem = name.rpartition("/")[2].partition(".")[0]
            found[augmented(stem)] = found.get(augmented(stem), 0) + 1
    return found


def augmented(stem: str) -> str:
    """The name by which files that add to a module are found, of the module's own file."""
    return f'"{stem}'


def global_scopes(file: SourceFile) -> list[int]:
    """The scopes whose names all files see: that of a script, and those of `declare global`."""
    return file.cached("global scopes", _list_global)


def module_scopes(file: SourceFile) -> list[int]:
    """The scopes of `declare module "m"`, whose name is a text and bound to nothing."""
    return file.cached("module scopes", _list_modules)


def _list_global(file: SourceFile) -> list[int]:
    if not is_declarations(file.path):
        return []
    # one inside of `declare module "m"` makes no module of the file
    has_imports = any(
        row.kind == BindingKind.IMPORTED and not row.scope for row in file.code.bindings
    )
    found = [] if file.exports or has_imports else [0]
    for number in range(1, len(file.code.scopes)):
        scope = file.code.scopes[number]
        if scope.kind == ScopeKind.MODULE and scope.declaration == NONE:
            found.append(number)
    return found


def _list_modules(file: SourceFile) -> list[int]:
    bound = {binding.declaration for binding in file.code.bindings}
    return [
        number
        for number, scope in enumerate(file.code.scopes)
        if scope.declaration not in bound
        and scope.declaration != NONE
        and file.declarations[scope.declaration].kind == _MODULE
    ]
