"""SQLite's FTS5: whole files in a table without content, ranked by its BM25."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.peers.process import Ask, Tree
from bench.peers.table import Kind

_WORD: Final = re.compile(r"[^\W_]+")
_BEST: Final = "SELECT rowid FROM text WHERE text MATCH ? ORDER BY rank LIMIT 10"


def build(tree: Tree, folder: Path) -> None:
    """One transaction."""
    with sqlite3.connect(folder / "index.db") as database:
        database.execute("CREATE VIRTUAL TABLE text USING fts5(path, body, content='')")
        database.execute("CREATE TABLE path(rowid INTEGER PRIMARY KEY, path TEXT)")
        for number, (path, text) in enumerate(tree.texts(), 1):
            row = (number, path, text)
            database.execute("INSERT INTO text(rowid, path, body) VALUES (?, ?, ?)", row)
            database.execute("INSERT INTO path VALUES (?, ?)", row[:2])
    database.close()


def engine(_name: str, _tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """Words are asked for with OR, phrases in quotes."""
    database = sqlite3.connect(folder / "index.db")

    def paths(expression: str) -> list[str]:
        rows = database.execute(_BEST, (expression,)).fetchall()
        look = "SELECT path FROM path WHERE rowid = ?"
        return [database.execute(look, row).fetchone()[0] for row in rows]

    def ranked(query: str) -> list[str]:
        return paths(" OR ".join(f'"{word}"' for word in _WORD.findall(query)))

    def phrase(query: str) -> list[str]:
        return paths(f'"{" ".join(_WORD.findall(query))}"')

    return {"ranked": ranked, "phrase": phrase}
