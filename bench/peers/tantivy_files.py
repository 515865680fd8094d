"""tantivy: whole files with positions, its default tokenizer, BM25."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import tantivy

from bench.peers.process import Ask, Tree
from bench.peers.table import CORES, Kind

_MEMORY: Final = 512_000_000
_TOP: Final = 10
_WORD: Final = re.compile(r"[^\W_]+")


def build(tree: Tree, folder: Path) -> None:
    """All files, and its merges to their end."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("body", stored=False)
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(_MEMORY, CORES)
    for path, text in tree.texts():
        entry = tantivy.Document()
        entry.add_text("path", path)
        entry.add_text("body", text)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()


def engine(_name: str, tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """The ten best files with their stored paths, or a passage of each as it is now."""
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def best(parsed: tantivy.Query) -> Iterator[str]:
        for _, address in searcher.search(parsed, _TOP, count=False).hits:
            yield str(searcher.doc(address)["path"][0])

    def words(query: str) -> tantivy.Query:
        # signs would be read as operators
        return index.parse_query(" ".join(_WORD.findall(query.lower())), ["body"])

    def ranked(query: str) -> list[str]:
        return list(best(words(query)))

    def passages(query: str) -> list[str]:
        parsed = words(query)
        makes = tantivy.SnippetGenerator.create(searcher, parsed, index.schema, "body")
        found: list[str] = []
        for path in best(parsed):
            text = tree.root.joinpath(path).read_text("utf-8", "replace")
            document = tantivy.Document(path=path, body=text)
            found.append(f"{path}: {makes.snippet_from_doc(document).fragment()}")
        return found

    def phrase(query: str) -> list[str]:
        parts = " ".join(_WORD.findall(query.lower()))
        return list(best(index.parse_query(f'"{parts}"', ["body"])))

    return {"ranked": ranked, "passages": passages, "phrase": phrase}
