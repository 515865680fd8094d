"""A text index in memory, of Python files with their facts, and with their code beside them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from code_graph.expressions.wire import encode_code
from code_graph.facts import encode
from code_graph.languages.python.adapter import adapter
from code_graph.store.schema import CODE, FACTS
from index_format import Chunk, Document, Index, IndexWriter, MemoryStore, Snapshot, Tokens
from index_format.analysis.content import fingerprint
from repo_mcp.stored import BODY, SCHEMA

PYTHON = adapter("python")


class TextIndex:
    """Text that changes; each commit is a generation."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files: dict[str, str] = {}
        self._index = Index(MemoryStore(), SCHEMA, settings="text")
        self.change(files)

    def change(self, files: Mapping[str, str | None]) -> Snapshot:
        """Write or (None) remove files."""
        with self._index.writer() as writer:
            for path, text in files.items():
                if text is None:
                    self.files.pop(path, None)
                    writer.remove(path)
                else:
                    self.files[path] = text
                    add(writer, path, text)
            return writer.commit()

    def snapshot(self) -> Snapshot:
        return self._index.snapshot()


def add(writer: IndexWriter, path: str, text: str) -> None:
    data = text.encode()
    numbers = writer.vocabulary.numbers([b"word"])
    lines = max(1, text.count("\n"))
    chunk = Chunk(1, lines, {BODY: Tokens(np.array(numbers, dtype=np.uint32))})
    attached = {}
    if path.endswith(".py"):
        code = encode_code(PYTHON.code(path, text))
        attached = {FACTS: encode(PYTHON.facts(path, text)), CODE: code}
    writer.add(Document(path, [chunk], fingerprint(data), len(data), attached))
