"""Links every file of a folder with the product's linker, without an index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from code_graph import Languages
from code_graph.evaluate.lookups import language_key
from code_graph.expressions import Code
from code_graph.facts import Facts
from code_graph.link.linker import GraphLinker
from code_graph.link.shared_names import keys_of
from code_graph.model import LinkedFile
from code_graph.projects.source import is_manifest
from index_format.analysis.content import fingerprint

_PROSE: Final = frozenset({"markdown", "rst"})


class FolderTree:
    """The files of a folder that have a language, parsed when they are asked for."""

    def __init__(self, root: Path, languages: Collection[str] = ()) -> None:
        """Files of these languages alone, if there are any."""
        self._root = root
        self._chosen = frozenset(languages)
        self._languages = Languages()
        self._facts: dict[str, Facts | None] = {}
        self._code: dict[str, Code | None] = {}
        files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
        self._sharing: dict[int, list[str]] | None = None
        self._manifests = sorted(filter(is_manifest, files))
        self._paths = sorted(path for path in files if self._is_code(path))

    def paths(self) -> list[str]:
        """All paths, in order."""
        return self._paths

    def facts(self, path: str) -> Facts | None:
        """The facts of a file, parsed once."""
        if path not in self._facts:
            self._facts[path] = self._parsed(path)
        return self._facts[path]

    def code(self, path: str) -> Code | None:
        """The symbolic code of a file, parsed once."""
        if path not in self._code:
            self._code[path] = self._lowered(path)
        return self._code[path]

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of a file."""
        return fingerprint((self._root / path).read_bytes())

    def size(self, path: str) -> int:
        """The length of a file in bytes."""
        return (self._root / path).stat().st_size

    def manifests(self) -> dict[str, str]:
        """The texts of manifests by path."""
        return {
            path: (self._root / path).read_bytes().decode("utf-8", "replace")
            for path in self._manifests
        }

    def declared(self, language: str, name: str) -> list[str]:
        """Paths of files of a language that share a name."""
        if self._sharing is None:
            self._sharing = self._find_sharing()
        return self._sharing.get(language_key(language, name), [])

    def _find_sharing(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for path in self._paths:
            facts = self.facts(path)
            if facts is not None:
                for key in keys_of(path, facts, self.code(path)):
                    found.setdefault(key, []).append(path)
        return found

    def _is_code(self, path: str) -> bool:
        language = self._languages.language_of(path)
        if self._chosen and language not in self._chosen:
            return False
        return bool(language) and language not in _PROSE

    def _parsed(self, path: str) -> Facts | None:
        adapter = self._languages.adapter_for(path)
        return None if adapter is None else adapter.facts(path, self._text(path))

    def _lowered(self, path: str) -> Code | None:
        adapter = self._languages.code_adapter_for(path)
        found = None if adapter is None else adapter.code(path, self._text(path))
        return None if found is None else found.code

    def _text(self, path: str) -> str:
        return (self._root / path).read_bytes().decode("utf-8", "replace")


def linked(root: Path) -> tuple[Iterable[LinkedFile], Mapping[str, Facts]]:
    """All files of a folder, linked in the order of their paths, and their facts."""
    tree = FolderTree(root)
    linker = GraphLinker(tree)
    files = [linker.link(path) for path in tree.paths()]
    facts = {path: tree.facts(path) for path in tree.paths()}
    return files, {path: found for path, found in facts.items() if found is not None}
