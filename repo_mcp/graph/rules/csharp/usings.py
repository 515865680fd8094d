"""Usings that project files declare for all files of a project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname
from typing import Final

from repo_mcp.graph.evaluate.engine import Engine
from repo_mcp.graph.evaluate.lookups import answer_key

_USING: Final = re.compile(r"<Using\s[^<>]{0,400}>")
_INCLUDE: Final = re.compile(r"\bInclude\s*=\s*\"([^\"<>]{1,300})\"")
_ALIAS: Final = re.compile(r"\bAlias\s*=\s*\"([^\"<>]{1,100})\"")
_PROJECTS: Final = (".csproj", ".props", ".targets")
_MOST_PER_FILE: Final = 400


class ProjectUsings:
    """The usings that project files give to the files in and below their folders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._by_folder = _read(engine.files.manifests)

    def of(self, path: str) -> Iterator[tuple[str, str]]:
        """Names of namespaces or types with their aliases, which are empty for most."""
        folder = dirname(path)
        while True:
            self._engine.ask("", answer_key(f"csharp-usings:{folder}"))
            yield from self._by_folder.get(folder, ())
            if not folder:
                return
            folder = dirname(folder)


def _read(manifests: Mapping[str, str]) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(manifests):
        if path.endswith(_PROJECTS):
            rows = found.setdefault(dirname(path), [])
            for item in _USING.findall(manifests[path])[:_MOST_PER_FILE]:
                include, alias = _INCLUDE.search(item), _ALIAS.search(item)
                if include is not None:
                    rows.append((include[1].strip(), alias[1] if alias is not None else ""))
    return {folder: tuple(rows) for folder, rows in found.items() if rows}
