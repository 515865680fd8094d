"""Declarations of C and C++ as clang sees them, with the branches that it compiles."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

_KINDS: Final = {
    "FunctionDecl": "function",
    "CXXMethodDecl": "method",
    "CXXConstructorDecl": "constructor",
    "CXXDestructorDecl": "method",
    "RecordDecl": "type",
    "CXXRecordDecl": "type",
    "EnumDecl": "type",
    "TypedefDecl": "type",
    "TypeAliasDecl": "type",
    "EnumConstantDecl": "enumerator",
    "FieldDecl": "field",
    "VarDecl": "var",
    "NamespaceDecl": "module",
}
_BODIES: Final = frozenset({"CompoundStmt", "ParmVarDecl"})


def read_clang(paths: Sequence[Path], language: str) -> str:
    """JSON lines of the declarations in files; a file with errors is one that is not read."""
    rows: list[str] = []
    for path in paths:
        command = ["clang", "-x", language, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-w"]
        roots = [f"-I{folder}" for folder in _include_folders(path)]
        done = subprocess.run(
            [*command, *roots, str(path)], capture_output=True, check=False, timeout=120
        )
        if done.returncode:
            rows.append(json.dumps({"failed": str(path)}))
            continue
        rows += (json.dumps(row) for row in _rows(json.loads(done.stdout), path))
    return "\n".join(rows)


def _include_folders(path: Path) -> Iterator[Path]:
    """The folders around a file, and those named `include` beside them."""
    for folder in [*path.resolve().parents][:4]:
        yield folder
        for name in ("include", "src"):
            if (folder / name).is_dir():
                yield folder / name


def _rows(tree: dict[str, Any], path: Path) -> Iterator[dict[str, object]]:
    """The named declarations of the file itself, outside of functions."""
    place = _Place()
    left: list[tuple[dict[str, Any], bool]] = [(tree, False)]
    while left:
        node, is_inside = left.pop()
        is_own = place.follow(node) == str(path) and not is_inside
        kind = _KINDS.get(node.get("kind", ""))
        if kind and node.get("name") and is_own and _is_written(node):
            yield {"path": str(path), "kind": kind, "name": node["name"], "line": place.line}
        place.pass_by({key: value for key, value in node.items() if key not in {"loc", "inner"}})
        is_inside = is_inside or node.get("kind") in _BODIES
        left += [(inner, is_inside) for inner in reversed(node.get("inner", ()))]


def _is_written(node: dict[str, Any]) -> bool:
    """True if a declaration stands in the text with a body, if it is a type."""
    if node.get("isImplicit") or "expansionLoc" in node.get("loc", {}):
        return False
    return node["kind"] not in {"RecordDecl", "CXXRecordDecl"} or "completeDefinition" in node


class _Place:
    """The file and line of the last place in a dump, which says them only where they change."""

    def __init__(self) -> None:
        self._file = ""
        self._line = 0
        # the line of the last node itself
        self.line = 0

    def follow(self, node: dict[str, Any]) -> str:
        """Take over the place of a node; gives its file."""
        self.pass_by(node.get("loc", {}))
        self.line = self._line
        return self._file

    def pass_by(self, value: object) -> None:
        """Take over all places in a part of the dump, in order."""
        left = [value]
        while left:
            item = left.pop()
            if isinstance(item, dict):
                if "offset" in item:
                    self._file = item.get("file", self._file)
                    self._line = item.get("line", self._line)
                else:
                    left += reversed(item.values())
            elif isinstance(item, list):
                left += reversed(item)
