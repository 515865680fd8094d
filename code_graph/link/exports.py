"""Exports of a file: a key and a hash for each name and function that other files may depend on.

The hashes know no positions, so that an edit that only moves code changes none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from posixpath import dirname

from code_graph.contracts.conventions import route_of
from code_graph.contracts.join.given import has_tests
from code_graph.contracts.keys import ACTION, FILE_ROUTES, FILES, given_by
from code_graph.evaluate.dependencies import (
    body_key,
    export_key,
    imports_key,
    language_key,
    name_key,
    names_key,
    path_key,
    table_key,
    text_hash,
)
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Binding, BindingKind, Contract, Op, Role, ScopeKind
from code_graph.language_table import language_named, shared_as
from code_graph.paths.path_kinds import is_test
from code_graph.projects.finders import Finders
from code_graph.projects.tree import ancestors, stem_of


def list_exports(
    file: SourceFile, shared: Mapping[str, object], ids: Sequence[int]
) -> list[tuple[int, int]]:
    """The keys of the exports of a file, ascending, each with a hash.

    `shared` are the names that it declares for all files of its language, and what it says of
    them; `ids` those of its declarations.
    """
    hashes = _hash_expressions(file, ids)
    found = {path_key(file.path): 1, language_key(FILES, stem_of(file.path)): text_hash(file.path)}
    route = route_of(file.path)
    if route:
        found[language_key(FILE_ROUTES, route)] = text_hash(file.path)
    folder = dirname(file.path)
    while folder:
        found[path_key(f"{folder}/")] = 1
        folder = dirname(folder)
    found[names_key(file.path)] = text_hash(
        *sorted(file.names_in.get(0, [])), _stars(file), not file.exports
    )
    imports = [(item.module, item.name) for item in file.facts.imports]
    if is_test(file.path):
        found[imports_key(file.path)] = text_hash(imports, has_tests(file))
    elif language_named(file.language).linkage:
        found[imports_key(file.path)] = text_hash(imports)
    for name, exported in file.exports.items():
        given = [
            (row.local, row.module, row.value != NONE and hashes[row.value]) for row in exported
        ]
        found[export_key(file.path, name)] = text_hash(given)
    kin = shared_as(file.language)
    for name, value in shared.items():
        found[language_key(kin, name)] = text_hash(file.path, value)
    for (kind, key), contracts in given_by(file.code).items():
        found[language_key(kind, key)] = text_hash(
            file.path, [_handler_of(file, item, ids) for item in contracts]
        )
    by_name: dict[tuple[str, str], list[object]] = defaultdict(list)
    bodies: dict[str, list[object]] = defaultdict(list)
    _add_bindings(file, hashes, by_name, bodies)
    for item in file.code.results:
        scope = file.qualified(file.function_around(item.scope))
        bodies[scope].append((item.kind, hashes[item.value] if item.value != NONE else 0))
    _add_stores(file, hashes, by_name, bodies)
    for (holder, name), rows in by_name.items():
        found[name_key(file.path, holder, name)] = text_hash(rows)
    for name, rows in bodies.items():
        found[body_key(file.path, name)] = text_hash(rows)
    return sorted(found.items())


def _handler_of(file: SourceFile, item: Contract, ids: Sequence[int]) -> object:
    """The declaration that gives a contract, and the names of its handler and action."""
    number = file.name_at.get(item.handler, NONE)
    named = "" if number == NONE else file.path_of(number)
    actions = [
        other.key
        for other in file.code.contracts
        if other.kind == ACTION and other.place == item.place
    ]
    return item.key, named, ids[item.declaration] if item.declaration != NONE else 0, actions


def list_project_exports(finders: Finders) -> list[tuple[int, int]]:
    """Keys and hashes of what paths and manifests export, in the form of `list_exports`."""
    found: dict[int, int] = {}
    for path in finders.projects.manifest_paths:
        found[path_key(path)] = 1
        found.update((path_key(f"{folder}/"), 1) for folder in ancestors(dirname(path)) if folder)
    for table in finders.tables():
        for name, value in table.values.items():
            found[table_key(f"{table.name}:{name}")] = text_hash(value)
    return sorted(found.items())


def _add_bindings(
    file: SourceFile,
    hashes: list[int],
    by_name: dict[tuple[str, str], list[object]],
    bodies: dict[str, list[object]],
) -> None:
    bound: set[int] = set()
    is_structural = language_named(file.language).is_structural
    for binding in file.code.bindings:
        described = _describe(file, binding, hashes)
        bound.add(binding.declaration)
        scope = file.function_around(binding.scope)
        if file.kind(scope) == ScopeKind.FUNCTION:
            bodies[file.qualified(scope)].append(described)
        else:
            holder = file.qualified(file.holder(binding.scope))
            by_name[holder, binding.name].append(described)
            if is_structural and file.kind(scope) == ScopeKind.CLASS:
                by_name[holder, ""].append(binding.name)  # which members a type has
    for number, item in enumerate(file.declarations):  # constructors, indexers, operators
        scope = file.scope_of_declaration.get(number, NONE)
        around = file.scope_of_declaration.get(item.parent, NONE)
        if around == NONE:  # an object is no scope
            around = 0 if scope == NONE else file.function_around(file.parent(scope))
        if item.kind == "method":  # which methods a type has
            by_name[file.qualified(around), ""].append((item.name, sorted(item.modifiers)))
        for clause in file.clauses.get(number, ()):
            if clause.role == Role.NAMED:
                by_name[file.qualified(around), clause.name].append((item.name, item.access))
        if number not in bound and (scope != NONE or number in file.clauses):
            by_name[file.qualified(around), item.name].append(_head(file, number, hashes))


def _add_stores(
    file: SourceFile,
    hashes: list[int],
    by_name: dict[tuple[str, str], list[object]],
    bodies: dict[str, list[object]],
) -> None:
    for store in file.code.stores:
        target = file.expressions[store.target]
        scope = file.code.scope_of[store.target]
        owner = file.class_around(scope)
        row = (
            target.name,
            hashes[store.target],
            hashes[store.value] if store.value != NONE else 0,
            hashes[store.annotation] if store.annotation != NONE else 0,
        )
        if owner != NONE and target.op == Op.MEMBER:
            by_name[file.qualified(owner), target.name].append(row)
        else:
            bodies[file.qualified(file.function_around(scope))].append(row)


def _describe(file: SourceFile, binding: Binding, hashes: list[int]) -> object:
    """The hashed part of a binding: all but its place."""
    value: object = hashes[binding.value] if _has_value(binding) else 0
    if binding.kind == BindingKind.IMPORTED and binding.value != NONE:
        item = file.facts.imports[binding.value]
        value = (item.module, item.name, item.alias)
    typed = hashes[binding.annotation] if binding.annotation != NONE else 0
    head: object = 0
    if binding.declaration != NONE:
        head = _head(file, binding.declaration, hashes)
    return binding.name, int(binding.kind), value, typed, head


def _has_value(binding: Binding) -> bool:
    return binding.value != NONE and binding.kind != BindingKind.IMPORTED


def _head(file: SourceFile, number: int, hashes: list[int]) -> object:
    """The head of a declaration: kind, parameters, clauses."""
    item = file.declarations[number]
    clauses = [
        (int(clause.role), clause.name, hashes[clause.value] if clause.value != NONE else 0)
        for clause in file.clauses.get(number, ())
    ]
    scope = file.scope_of_declaration.get(number, NONE)
    rows = [
        (
            row.name,
            int(row.kind),
            row.annotation != NONE and hashes[row.annotation],
            row.value != NONE and hashes[row.value],
        )
        for row in file.parameters.get(scope, ())
    ]
    # where types are told by texts, too: of pointers, and those that are keywords
    is_linked = bool(language_named(file.language).linkage)
    written = (item.parameters, item.returns, item.signature[:8], item.decl_context)
    told = written if is_linked else ()
    return item.kind, item.access, sorted(item.modifiers), clauses, rows, told


def _hash_expressions(file: SourceFile, ids: Sequence[int]) -> list[int]:
    """A hash of the content of each expression."""
    found: list[int] = []
    for item in file.expressions:
        if item.op == Op.FUNCTION:
            declaration = file.code.scopes[item.of].declaration
            named = ids[declaration] if declaration != NONE else 0
            inner: object = file.qualified(item.of), named
        else:
            inner = found[item.of] if item.of != NONE else 0
        items = tuple(
            [(part.name, found[part.value] if part.value != NONE else 0) for part in item.items]
        )
        found.append(hash_parts(int(item.op), inner, item.name, items))
    return found


# many expressions of a repository say the same
@lru_cache(1 << 13)
def hash_parts(op: int, inner: object, name: str, items: tuple[tuple[str, int], ...]) -> int:
    """The hash of one expression."""
    return text_hash(op, inner, name, [*items])


def _stars(file: SourceFile) -> list[object]:
    """The star imports of a file, and which of them always run."""
    found: list[object] = [item.module for item in file.facts.imports if item.name == "*"]
    if found:
        found += [row.region == row.scope for row in file.bindings.get((0, "*"), ())]
    return found
