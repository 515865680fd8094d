"""Xapian: whole files with positions, no stemming, BM25."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import xapian

from bench.peers.process import Ask, Tree
from bench.peers.table import Kind

_TOP: Final = 10
_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 240


def build(tree: Tree, folder: Path) -> None:
    """All files in one session."""
    database = xapian.WritableDatabase(str(folder), xapian.DB_CREATE_OR_OPEN)
    for path, text in tree.texts():
        document = xapian.Document()
        cutter = xapian.TermGenerator()
        cutter.set_document(document)
        cutter.index_text(text)
        document.set_data(path)
        database.add_document(document)
    database.commit()
    database.close()


def engine(_name: str, _tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """Words are asked for with OR, phrases by their positions."""
    database = xapian.Database(str(folder))

    def best(operator: int, query: str) -> list[str]:
        enquire = xapian.Enquire(database)
        words = [word.lower() for word in _WORD.findall(query) if len(word) < _LONGEST]
        enquire.set_query(xapian.Query(operator, words))
        return [match.document.get_data().decode() for match in enquire.get_mset(0, _TOP)]

    return {
        "ranked": lambda query: best(xapian.Query.OP_OR, query),
        "phrase": lambda query: best(xapian.Query.OP_PHRASE, query),
    }
