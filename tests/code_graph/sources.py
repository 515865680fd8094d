"""Trees of sources for the linker, and names for what it gives."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph import Languages
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Code
from code_graph.facts import Facts
from code_graph.link.linker import GraphLinker
from code_graph.link.shared_names import names_of
from code_graph.model import EdgeType, LinkedFile, Strategy
from index_format.analysis.content import fingerprint

_LANGUAGES = Languages()
_MANIFESTS = (".json", "go.mod", ".csproj", ".toml", ".props", "Package.swift")


class SourceTree:
    """The facts of sources in memory."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = dict(sources)
        self._facts: dict[str, Facts] = {}
        self._code: dict[str, Code | None] = {}
        self._names: dict[str, set[str]] = {}

    def paths(self) -> list[str]:
        """The paths of sources in a language, in order."""
        return sorted(path for path in self._sources if not path.endswith(_MANIFESTS))

    def texts(self) -> dict[str, str]:
        """The sources by path."""
        return dict(self._sources)

    def facts(self, path: str) -> Facts | None:
        """The facts of a source, parsed once."""
        if path not in self._facts and path in self._sources:
            adapter = _LANGUAGES.adapter_for(path)
            assert adapter is not None
            self._facts[path] = adapter.facts(path, self._sources[path])
        return self._facts.get(path)

    def code(self, path: str) -> Code | None:
        """The symbolic code of a source, parsed once."""
        if path not in self._code and path in self._sources:
            adapter = _LANGUAGES.code_adapter_for(path)
            found = None if adapter is None else adapter.code(path, self._sources[path])
            self._code[path] = None if found is None else found.code
        return self._code.get(path)

    def manifests(self) -> dict[str, str]:
        """The sources that are manifests."""
        return {path: text for path, text in self._sources.items() if path.endswith(_MANIFESTS)}

    def declared(self, language: str, name: str) -> list[str]:
        """The paths of sources of a language that declare a name for all others."""
        found = []
        for path in self.paths():
            facts = self.facts(path)
            if facts is not None and facts.language == language:
                names = self._names.get(path)
                if names is None:
                    file = SourceFile(path, facts, self.code(path), b"")
                    names = self._names[path] = set(names_of(file))
                if name in names:
                    found.append(path)
        return found

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of a source."""
        return fingerprint(self._sources[path].encode())

    def edited(self, path: str, text: str | None) -> SourceTree:
        """The tree with another text for a path, or without the path; facts are shared."""
        sources = {name: text for name, text in self._sources.items() if name != path}
        found = SourceTree(sources if text is None else {**sources, path: text})
        found._facts = {name: facts for name, facts in self._facts.items() if name != path}
        found._code = {name: code for name, code in self._code.items() if name != path}
        found._names = {name: names for name, names in self._names.items() if name != path}
        return found


def link(tree: SourceTree) -> dict[str, LinkedFile]:
    """All files of a tree, linked in the order of their paths."""
    linker = GraphLinker(tree)
    return {path: linker.link(path) for path in tree.paths()}


def edges(linked: Mapping[str, LinkedFile], *types: EdgeType) -> set[str]:
    """Edges as text: `a.f calls b.g exact-or-other strategy`."""
    names = {item.id: item.qualified_name for file in linked.values() for item in file.symbols}
    found = set()
    for file in linked.values():
        own = {item.declaration: item.qualified_name for item in file.symbols}
        for edge in file.edges:
            if not types or edge.type in types:
                kind = EdgeType(edge.type).name.lower()
                how = Strategy(edge.strategy).name.lower()
                found.add(f"{own[edge.source]} {kind} {names[edge.target]} {how}")
    return found


def calls(sources: Mapping[str, str]) -> set[str]:
    """The calls in sources as text, without how they were found."""
    found = edges(link(SourceTree(sources)), EdgeType.CALLS)
    return {item.rpartition(" ")[0] for item in found}
