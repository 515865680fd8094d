"""A file's content as the index stores it."""

from __future__ import annotations

from typing import Final

from index_format import Chunk, Document, Field, Schema, Vocabulary
from repo_mcp.analysis import Analyser
from repo_mcp.indexing.chunking import chunk_id, spans
from repo_mcp.sandbox import Content
from repo_mcp.text import decode, fingerprint, lines

# no positions: nothing asks for phrases yet
SCHEMA: Final = Schema((Field("body", positions=False), Field("path", positions=False)))


def document(content: Content, analyser: Analyser, vocabulary: Vocabulary) -> Document | None:
    """The file's chunks with their terms; None when it is binary."""
    found = decode(content.data)
    if found is None:
        return None
    rows = lines(found.content)
    body = analyser.tokens(found.content, vocabulary)
    path = analyser.tokens(content.path, vocabulary).of_lines(1, 1)
    chunks = [
        Chunk(
            first,
            last,
            {"body": body.of_lines(first, last), "path": path},
            chunk_id(content.path, rows, first, last),
        )
        for first, last in spans(len(rows))
    ]
    return Document(content.path, chunks, fingerprint(content.data), len(content.data))
