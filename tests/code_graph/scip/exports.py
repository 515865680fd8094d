"""Sources in memory, exported as indexes of SCIP and linked with imported ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from code_graph import Languages, SourceTree
from code_graph.export.scip import ExportCounts, Exporter
from code_graph.export.scip_symbols import SymbolNames
from code_graph.facts import encode
from code_graph.link.linker import GraphLinker
from code_graph.model import LinkedFile
from code_graph.projects.catalog import read_projects
from code_graph.projects.source import is_manifest
from code_graph.query.snapshot import GraphSnapshot
from code_graph.scip.occurrences import ScipBuilder, ScipIndex
from code_graph.store.schema import FACTS
from code_graph.store.text_tree import TextTree
from index_format import Chunk, Document, Index, MemoryStore, Snapshot, Tokens
from index_format.analysis.content import fingerprint
from index_format.analysis.words import folded
from repo_mcp.stored import BODY, SCHEMA, SYMBOL
from tests.code_graph.graph_index import GraphIndex

LANGUAGES = Languages()


class ScipSources(SourceTree):
    """Sources with imported indexes."""

    def __init__(self, sources: Mapping[str, str], scip: ScipIndex | None = None) -> None:
        super().__init__(sources)
        self.scip = scip

    def fingerprint(self, path: str) -> bytes:
        return super().fingerprint(path) if path in self._texts else b""


def indexed(files: Mapping[str, str]) -> Snapshot:
    """A text index of these files, as far as the linker reads it."""
    index = Index(MemoryStore(), SCHEMA, settings="text")
    with index.writer() as writer:
        for path, text in files.items():
            adapter, data = LANGUAGES.adapter_for(path), text.encode()
            facts = None if adapter is None else adapter.facts(path, text)
            names = [] if facts is None else [item.name for item in facts.declarations]
            words = sorted(
                {folded(part).encode() for name in names for part in name.split(".") if part}
            )
            fields = {BODY: [b"word"], SYMBOL: words}
            tokens = {
                name: Tokens(np.array(writer.vocabulary.numbers(terms), dtype=np.uint32))
                for name, terms in fields.items()
                if terms
            }
            chunk = Chunk(1, max(1, text.count("\n")), tokens)
            attached = {} if facts is None else {FACTS: encode(facts)}
            writer.add(Document(path, [chunk], fingerprint(data), len(data), attached))
        return writer.commit()


def export(
    files: Mapping[str, str], stale: Mapping[str, None] | None = None
) -> tuple[bytes, ExportCounts]:
    """The index of these files, without the text of those that changed meanwhile."""
    text = indexed(files)
    index = GraphIndex(lambda _: GraphLinker(ScipSources(files)))
    index.refresh(text)
    tree = TextTree(text)
    manifests = {path: item for path, item in files.items() if is_manifest(path)}
    projects = read_projects({*tree.paths(), *manifests}, manifests.get)
    graph = GraphSnapshot(index.snapshot())
    texts = {**files, **(stale or {})}
    exporter = Exporter(graph, SymbolNames(graph, projects), texts.get, tree.facts)
    found = bytearray()
    counts = exporter.write(found.extend, "1.0", "/the root")
    return bytes(found), counts


def read(data: bytes, files: Mapping[str, str], path: str = "index.scip") -> ScipIndex:
    """An index as it is imported into these files."""
    tree = ScipSources(files)
    builder = ScipBuilder(tree.fingerprint)
    builder.add(path, data)
    return ScipIndex(builder.pack("sources"))


def linked(files: Mapping[str, str], scip: ScipIndex | None = None) -> dict[str, LinkedFile]:
    """All files linked, with an imported index or without."""
    tree = ScipSources(files, scip)
    linker = GraphLinker(tree)
    return {path: linker.link(path) for path in tree.paths()}
