"""Python names whose import is an error: pyright says nothing where they are used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

_UNKNOWN: Final = re.compile(r'"(\w+)" is unknown import symbol')
_IGNORED: Final = re.compile(r"#\s*(?:type|pyright):\s*ignore")
_ROOTS: Final = ("", "src")


def ignored_lines(text: str) -> Iterator[int]:
    """The lines whose errors a comment takes away."""
    for number, row in enumerate(text.split("\n"), 1):
        if _IGNORED.search(row):
            yield number


def uses_of_broken_imports(
    texts: Mapping[str, str], messages: Mapping[str, list[tuple[int, str]]]
) -> Iterator[tuple[str, int]]:
    """The lines that import a name which its module has from a broken import, and its uses."""
    broken: dict[str, set[str]] = {}
    for path, found in messages.items():
        for _, message in found:
            if (named := _UNKNOWN.match(message)) is not None:
                broken.setdefault(path, set()).add(named[1])
    trees = _trees(texts) if broken else {}
    names = _names(trees, broken)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                bound = [item for item in node.names if (path, _bound(item)) in names]
                yield from ((path, item.lineno) for item in bound)
            elif isinstance(node, ast.Name) and (path, node.id) in names:
                yield path, node.lineno


def _names(trees: Mapping[str, ast.Module], broken: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """The names of files that mean nothing, with those that others import from there."""
    imports = [
        (path, node, item)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for item in node.names
    ]
    found: set[tuple[str, str]] = set()
    size = -1
    while size != len(found):
        size = len(found)
        found |= {
            (path, _bound(item))
            for path, node, item in imports
            if item.name in broken.get(path, ())
            or any((there, item.name) in found for there in _modules(path, node))
        }
    return found


def _bound(item: ast.alias) -> str:
    return item.asname or item.name


def _trees(texts: Mapping[str, str]) -> dict[str, ast.Module]:
    found: dict[str, ast.Module] = {}
    for path, text in texts.items():
        try:
            found[path] = ast.parse(text)
        except SyntaxError:
            continue
    return found


def _modules(path: str, node: ast.ImportFrom) -> Iterator[str]:
    """The files that an import may be from."""
    parts = (node.module or "").split(".") if node.module else []
    if node.level:
        around = PurePosixPath(path).parts[: -node.level]
        roots = ["/".join(around)]
    else:
        roots = [*_ROOTS]
    for root in roots:
        whole = "/".join(filter(None, [root, *parts]))
        yield f"{whole}.py"
        yield f"{whole}/__init__.py"
