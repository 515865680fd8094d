"""An oracle for conditions, and small indexes with several segments and dead files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from code_graph.paths.globs import Glob
from index_format.analysis.word_pairs import COMMON_WORDS
from index_format.analysis.words import terms
from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.model import Chunk, Document, Vocabulary
from index_format.store.memory_store import MemoryStore
from repo_mcp.question.syntax.tree import (
    All,
    Any,
    Condition,
    Filter,
    Leaf,
    Not,
    Phrase,
    Prefix,
    Word,
)
from repo_mcp.search.filter.phrases import find_phrase
from repo_mcp.stored import SCHEMA

ANYWHERE = ("body", "symbol", "path")


@dataclass(frozen=True)
class File:
    """A file: the words of each chunk's fields."""

    path: str
    bodies: tuple[str, ...]
    symbol: str = ""
    doc: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.bodies)

    def words(self, field: str) -> set[str]:
        name = self.path.rpartition("/")[2]
        held = {"body": self.text, "symbol": self.symbol, "doc": self.doc}
        return set(terms({**held, "path": self.path, "name": name}[field]))

    def document(self, vocabulary: Vocabulary) -> Document:
        """The file's document: the first chunk has the declarations, all have the path."""
        chunks = []
        for number, body in enumerate(self.bodies):
            said = (self.symbol, self.doc) if not number else ("", "")
            name = self.path.rpartition("/")[2]
            fields = dict(zip(("body", "symbol", "doc"), (body, *said), strict=True))
            counted = {
                field: vocabulary.tokens(terms(text))
                for field, text in {**fields, "path": self.path, "name": name}.items()
            }
            counted["pair"] = vocabulary.tokens(pairs_in(self.bodies, number))
            chunks.append(Chunk(number * 2 + 1, number * 2 + 2, counted, number))
        return Document(self.path, chunks)


def pairs_in(bodies: tuple[str, ...], number: int) -> list[str]:
    """The pairs that begin in a chunk; the next chunk begins in a new line."""
    text = "\n".join(bodies[number:])
    end = len(bodies[number])
    found = list(re.finditer(r"\w+", text))
    return list(
        dict.fromkeys(
            f"{one.group()} {other.group()}".lower()
            for one, other in pairwise(found)
            if one.start() < end
            and text[one.end() : other.start()].isspace()
            and COMMON_WORDS.issuperset((one.group().lower(), other.group().lower()))
        )
    )


def index_of(*generations: Iterable[File]) -> tuple[Index, Snapshot]:
    """An index: each generation adds a segment, and replaces files of earlier ones."""
    index = Index(MemoryStore(), SCHEMA)
    for files in generations:
        with index.writer() as writer:
            for file in files:
                writer.add(file.document(writer.vocabulary))
            writer.commit()
    return index, index.snapshot()


def shown(snapshot: Snapshot, mask: Iterable[bool]) -> set[str]:
    """Paths of the chunks in a mask, which must be all live chunks of their files."""
    chunks = [at for at, allowed in enumerate(mask) if allowed]
    paths = {snapshot.chunk(at).path for at in chunks}
    expected: set[int] = set()
    for path in paths:
        record = snapshot.file(path)
        assert record is not None
        expected |= set(range(record.first_chunk, record.last_chunk))
    assert expected == set(chunks)
    return paths


class Oracle:
    """Evaluates conditions by their definition, file by file."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files = files

    def paths(self, condition: Condition) -> set[str]:
        """Files that fulfil the condition, with phrases searched in their text."""
        return {path for path, file in self._files.items() if self._holds(file, condition)}

    def _holds(self, file: File, condition: Condition) -> bool:
        match condition:
            case All(parts):
                return all(self._holds(file, part) for part in parts)
            case Any(parts):
                return any(self._holds(file, part) for part in parts)
            case Not(part):
                return not self._holds(file, part)
        return self._has(file, condition)

    def _has(self, file: File, leaf: Leaf) -> bool:
        match leaf:
            case Word(field, text):
                return all(self._has_word(file, field, word) for word in text.split("."))
            case Prefix(field, text):
                return any(word.startswith(text.lower()) for word in self._words(file, field))
            case Phrase(text, field):
                words = file.words(field or "body")
                here = all(terms(word)[0] in words for word in text.split())
                return here and bool(find_phrase(file.text, leaf))
            case Filter("ext", text):
                return file.path.endswith(f".{text}")
            case Filter(_, text):
                return Glob(text).matches(file.path)

    def _has_word(self, file: File, field: str | None, word: str) -> bool:
        whole, *parts = terms(word)
        anywhere = any(whole in self._words(other, field) for other in self._files.values())
        if anywhere or not parts:
            return whole in self._words(file, field)
        return all(part in self._words(file, field) for part in parts)

    @staticmethod
    def _words(file: File, field: str | None) -> set[str]:
        fields = ANYWHERE if field is None else (field,)
        return {word for name in fields for word in file.words(name)}
