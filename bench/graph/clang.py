"""Compares what names in C++ files refer to with what libclang says of them.

    python -m bench.graph clang ROOT FILE… [--argument=-std=c++20 …] [--libclang FILE]

`clang.cindex` has to be found, with the version of libclang that it is of. Judged are references to
what the tree declares, at places that the text has: not parameters and local variables, operators,
and what stands in the arguments of macros. A constructor is right where clang names its class, and
a type where it names an alias that is called alike. To conclude: the share of clang's references
that has an edge to the same declaration, and the share of our edges at these places that is right.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.graph.folder import linked
from code_graph.facts import Facts
from code_graph.model import CONFIDENCE_OF, FILE, Confidence, EdgeType, LinkedFile, Strategy

_REFERRING: Final = frozenset(
    {"DECL_REF_EXPR", "MEMBER_REF_EXPR", "MEMBER_REF", "TYPE_REF", "TEMPLATE_REF"}
)
_LOCAL: Final = frozenset({"PARM_DECL", "NAMESPACE", "NAMESPACE_ALIAS"})
_LOCAL_TYPES: Final = frozenset({"TEMPLATE_TYPE_PARAMETER", "TEMPLATE_NON_TYPE_PARAMETER"})
_CLASSES: Final = frozenset({"CLASS_DECL", "STRUCT_DECL", "CLASS_TEMPLATE"})
_FUNCTIONS: Final = frozenset(
    {"FUNCTION_DECL", "CXX_METHOD", "FUNCTION_TEMPLATE", "CONSTRUCTOR", "DESTRUCTOR"}
)
_FATAL: Final = 4
_MOST_SHOWN: Final = 40
_EDGES: Final = frozenset({EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.BELONGS_TO})

# a file and a line of it
Place = tuple[str, int]


class Reference(NamedTuple):
    """A name, and the declaration that clang resolves it to: `entity` is clang's name for it."""

    line: int
    column: int
    kind: str
    name: str
    entity: str
    declared: frozenset[Place]


class Ours(NamedTuple):
    """The linker's edges: targets by file, line and column, and the kinds of these."""

    targets: Mapping[tuple[str, int, int], set[int]]
    # those that are called alone: the constructor of a field stands where the field does
    called: Mapping[tuple[str, int, int], set[int]]
    exact: AbstractSet[tuple[str, int, int]]
    declared: Mapping[int, set[Place]]
    names: Mapping[int, str]


def main(arguments: Sequence[str]) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("file", nargs="+", help="files of the tree that clang parses")
    parser.add_argument("--argument", action="append", default=[], help="what clang is told")
    parser.add_argument("--libclang", help="the library, where it is not found by itself")
    parser.add_argument("--write", type=Path, help="file that gets the figures")
    args = parser.parse_args(arguments)
    root = args.root.resolve()
    ours = _ours(*linked(root))
    counts: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    declared: dict[str, set[Place]] = defaultdict(set)
    rows = [
        (path, list(_references(root, path, args.argument, args.libclang, declared)))
        for path in args.file
    ]
    for path, found in rows:  # definitions may be in a file that is parsed later
        wider = [row._replace(declared=row.declared | declared[row.entity]) for row in found]
        _judge(path, wider, ours, counts, missed)
    record: dict[str, object] = {
        **dict(sorted(counts.items())),
        "found_share": round(counts["found"] / max(counts["references"], 1), 4),
        "right_share": round(counts["right"] / max(counts["right"] + counts["wrong"], 1), 4),
    }
    print(record)
    for name, count in missed.most_common(_MOST_SHOWN):
        print(f"  missed {count} {name}")
    if args.write is not None:
        args.write.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _ours(files: Iterable[LinkedFile], facts: Mapping[str, Facts]) -> Ours:
    targets: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    called: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    declared: dict[int, set[Place]] = defaultdict(set)
    names: dict[int, str] = {}
    exact: set[tuple[str, int, int]] = set()
    for file in files:
        for symbol in file.symbols:
            if symbol.declaration != FILE:
                line = facts[file.path].declarations[symbol.declaration].name_line
                declared[symbol.id].add((file.path, line))
                names[symbol.id] = symbol.qualified_name
        for edge in file.edges:
            if edge.type in _EDGES:
                targets[file.path, edge.line, edge.column].add(edge.target)
                if edge.type == EdgeType.CALLS:
                    called[file.path, edge.line, edge.column].add(edge.target)
                if CONFIDENCE_OF[Strategy(edge.strategy)] == Confidence.EXACT:
                    exact.add((file.path, edge.line, edge.column))
    return Ours(targets, called, exact, declared, names)


def _judge(
    path: str,
    rows: Sequence[Reference],
    ours: Ours,
    counts: Counter[str],
    missed: Counter[str],
) -> None:
    """Count what of clang's references is found, and which of our edges there are right."""
    known = set().union(*ours.declared.values())
    for row in rows:
        if row.kind == "VAR_DECL" and not row.declared & known:  # a local variable
            continue
        at = (path, row.line, row.column)
        found = ours.targets.get(at, set())
        if row.kind == "FIELD_DECL":
            found = found - ours.called.get(at, set())
        right = [target for target in found if _is_right(row, target, ours)]
        # bodies that one symbol is said to have, of which clang means one
        shared = [target for target in right if _has_others(row, target, ours)]
        counts["shared"] += len(shared)
        if at in ours.exact:
            counts["exact"] += 1
            counts["exact_wrong"] += len(right) < len(found)
            counts["exact_shared"] += bool(shared)
        counts["references"] += 1
        counts["found"] += bool(right)
        counts["right"] += len(right)
        counts["wrong"] += len(found) - len(right)
        if not right:
            missed[f"{row.kind} {row.name}"] += 1


def _is_right(row: Reference, target: int, ours: Ours) -> bool:
    if ours.declared.get(target, set()) & row.declared:
        return True
    parts = ours.names.get(target, "").split("::")
    if row.kind == "TYPEDEF_DECL":
        return parts[-1] == row.name
    return row.kind in _CLASSES and parts[-2:] == [row.name, row.name]


def _has_others(row: Reference, target: int, ours: Ours) -> bool:
    is_function = row.kind in _FUNCTIONS
    return is_function and bool(ours.declared.get(target, set()) - row.declared)


def _references(
    root: Path,
    path: str,
    arguments: Sequence[str],
    library: str | None,
    declared: dict[str, set[Place]],
) -> Iterator[Reference]:
    """The references of one file to what the tree declares, one for each place.

    `declared` gets the places of functions, also in what the file includes.
    """
    cindex: Any = import_module("clang.cindex")
    if library and not cindex.Config.loaded:
        cindex.Config.set_library_file(library)
    unit = cindex.Index.create().parse(str(root / path), args=[f"-I{root}", *arguments])
    fatal = [item for item in unit.diagnostics if item.severity >= _FATAL]
    if fatal:
        raise SystemExit(f"clang can not parse {path}: {fatal[0]}")
    lines = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
    found: dict[tuple[int, int], Reference] = {}
    for cursor in unit.cursor.walk_preorder():
        at = cursor.location
        if cursor.kind.name in _FUNCTIONS:
            declared[cursor.get_usr()].update(_places(root, (cursor,)))
        if at.file is None or at.file.name != str(root / path):
            continue
        row = _reference(root, path, cursor)
        if row is not None and lines[row.line - 1][row.column :].startswith(row.name):
            known = found.get((row.line, row.column), row)
            found[row.line, row.column] = row._replace(declared=row.declared | known.declared)
    yield from found.values()


def _reference(root: Path, path: str, cursor: Any) -> Reference | None:  # noqa: ANN401 of clang
    """The reference at a cursor; None for kinds that are not judged."""
    target = cursor.referenced
    if cursor.kind.name not in _REFERRING or target is None or not target.spelling:
        return None
    kind = target.kind.name
    name = target.spelling.partition("<")[0].rpartition("::")[2].rpartition(" ")[2]
    if kind in _LOCAL | _LOCAL_TYPES or name.startswith("operator"):
        return None
    declared = frozenset(_places(root, (target, target.canonical, target.get_definition())))
    line, column = cursor.location.line, cursor.location.column - 1
    if not declared or (path, line) in declared:
        return None
    return Reference(line, column, kind, name, target.get_usr(), declared)


def _places(root: Path, cursors: Iterable[Any]) -> Iterator[Place]:
    for cursor in cursors:
        if cursor is not None and cursor.location.file is not None:
            path = Path(cursor.location.file.name).resolve()
            if path.is_relative_to(root):
                yield path.relative_to(root).as_posix(), cursor.location.line
