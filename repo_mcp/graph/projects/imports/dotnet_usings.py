"""Usings that project files declare for all C# files in and below their folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import dirname
from typing import Final

from repo_mcp.graph.projects.tree import Table

_USING: Final = re.compile(r"<Using\s[^<>]{0,400}>")
_INCLUDE: Final = re.compile(r"\bInclude\s*=\s*\"([^\"<>]{1,300})\"")
_ALIAS: Final = re.compile(r"\bAlias\s*=\s*\"([^\"<>]{1,100})\"")
_PROJECTS: Final = (".csproj", ".props", ".targets")
_MOST_PER_FILE: Final = 400


def read_usings(manifests: Mapping[str, str]) -> Table[tuple[tuple[str, str], ...]]:
    """By folder, names of namespaces or types with their aliases, which are empty for most."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(manifests):
        if path.endswith(_PROJECTS):
            rows = found.setdefault(dirname(path), [])
            for item in _USING.findall(manifests[path])[:_MOST_PER_FILE]:
                include, alias = _INCLUDE.search(item), _ALIAS.search(item)
                if include is not None:
                    rows.append((include[1].strip(), alias[1] if alias is not None else ""))
    return Table("csharp-usings", {folder: tuple(rows) for folder, rows in found.items() if rows})
