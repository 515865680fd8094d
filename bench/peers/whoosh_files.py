"""Whoosh: whole files with positions, its standard analyser, BM25F."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from whoosh.analysis import StandardAnalyzer
from whoosh.fields import STORED, TEXT, Schema
from whoosh.filedb.filestore import FileStorage
from whoosh.query import Or, Phrase, Query, Term

from bench.peers.process import Ask, Tree
from bench.peers.table import Kind

_TOP = 10


def build(tree: Tree, folder: Path) -> None:
    """All files in one commit."""
    schema = Schema(path=STORED, body=TEXT(analyzer=StandardAnalyzer(stoplist=None)))
    writer = FileStorage(str(folder)).create_index(schema).writer(limitmb=512)
    for path, text in tree.texts():
        writer.add_document(path=path, body=text)
    writer.commit()


def engine(_name: str, _tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """Words are asked for with OR, phrases by their positions."""
    index = FileStorage(str(folder)).open_index()
    searcher, analyser = index.searcher(), StandardAnalyzer(stoplist=None)

    def words(query: str) -> list[str]:
        return [token.text for token in analyser(query)]

    def best(query: Query) -> list[str]:
        return [hit["path"] for hit in searcher.search(query, limit=_TOP)]

    return {
        "ranked": lambda query: best(Or([Term("body", word) for word in words(query)])),
        "phrase": lambda query: best(Phrase("body", words(query))),
    }
