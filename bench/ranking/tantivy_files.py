"""Plain BM25 over whole files: tantivy with its own tokenizer and settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import tantivy

from bench.ranking.metrics import Ranked
from bench.ranking.trees import texts

_WORD: Final = re.compile(r"[^\W_]+")


def tantivy_files(root: Path) -> Callable[[str, int], list[Ranked]]:
    """Search a tree by an index in memory."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", stored=False)
    builder.add_text_field("path", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(256_000_000, 1)
    for path, text in texts(root):
        entry = tantivy.Document()
        entry.add_text("body", text)
        entry.add_text("path", path)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query: str, limit: int) -> list[Ranked]:
        # the words as its tokenizer cuts them: signs would be read as operators
        asked = " ".join(f'"{word}"' for word in _WORD.findall(query))
        parsed = index.parse_query(asked, ["body", "path"])
        found = searcher.search(parsed, limit).hits
        return [Ranked(searcher.doc(address)["path"][0]) for _, address in found]

    return search
