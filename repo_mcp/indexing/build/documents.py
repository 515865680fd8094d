"""What the index stores of files: chunks with counted terms, and the facts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from index_format import Chunk, Document, Tokens, Vocabulary
from repo_mcp.indexing.build.chunking import ChunkIds, Span, spans
from repo_mcp.languages.facts import MODULE, Declaration, Facts, encode, in_one
from repo_mcp.model import Windows
from repo_mcp.stored import BODY, DOC, FACTS, NAME, PATH, SYMBOL
from repo_mcp.text.counting import Analyser

_LINE_FEED: Final = 10
# what is looked for by its name is a function or a type twice as often as one of these
_LESSER: Final = frozenset(
    {"case", "constant", "enumerator", "event", "extension", "field", "getter", "impl", "import"}
    | {"member", "module", "namespace", "object", "package", "property", "prototype", "section"}
    | {"setter", "using", "variable"}
)
# languages whose functions are called by the name of their file or folder, and files that stand for
# their folder
_BY_FILE: Final = frozenset({"javascript", "python", "rust", "tsx", "typescript"})
_BY_FOLDER: Final = frozenset({"go"})
_OF_FOLDER: Final = frozenset({"__init__", "index", "lib", "mod"})
_FUNCTIONS: Final = frozenset({"function", "method", "constructor"})

Piece = str | bytes


@dataclass(frozen=True, slots=True)
class Source:
    """A text file that was read; without facts it is cut by lines, and searched by its words."""

    path: str
    text: str
    fingerprint: bytes
    size: int
    facts: Facts | None = None


def documents(
    sources: Sequence[Source], windows: Windows, analyser: Analyser, vocabulary: Vocabulary
) -> list[Document]:
    """One document for each source; many at once take less time than one by one."""
    cut = [_Cut(source, windows) for source in sources]
    pieces: list[Piece] = []
    for item in cut:
        pieces += item.pieces()
    counted = iter(analyser.count(pieces, vocabulary))
    return [item.document(counted) for item in cut]


class _Cut:
    """A source and where it is cut."""

    def __init__(self, source: Source, windows: Windows) -> None:
        self._source = source
        body: Piece = source.text.encode("ascii") if source.text.isascii() else source.text
        lines = _Lines(body)
        cuts = source.facts.cuts if source.facts is not None else ()
        self._spans = spans(lines.count, cuts, windows)
        self._bodies = [lines.between(first, last) for first, last in self._spans]

    def pieces(self) -> Iterator[Piece]:
        """The path, the name, then each chunk's body, and its symbols and docs if it has any."""
        path = self._source.path
        yield path
        yield path.rpartition("/")[2]
        yield from self._bodies
        self._said = _said(self._source, self._spans)
        for symbols, docs in self._said.values():
            yield symbols
            yield docs

    def document(self, counted: Iterator[Tokens]) -> Document:
        """Take as many counted pieces as were given."""
        path, name = next(counted), next(counted)
        fields = [{BODY: next(counted), PATH: path, NAME: name} for _ in self._spans]
        for at in self._said:
            fields[at].update({SYMBOL: next(counted), DOC: next(counted)})
        source = self._source
        ids = ChunkIds(source.path)
        chunks = [
            Chunk(first, last, field, ids.next(_encoded(body)))
            for (first, last), field, body in zip(self._spans, fields, self._bodies, strict=True)
        ]
        attached = {} if source.facts is None else {FACTS: encode(source.facts)}
        return Document(source.path, chunks, source.fingerprint, source.size, attached)


def _said(source: Source, chunks: Sequence[Span]) -> dict[int, tuple[str, str]]:
    """By number of the chunk: names declared in it, and what is said of them.

    Where chunks overlap, a declaration belongs to the last one in which it begins.
    """
    found: dict[int, tuple[list[str], list[str]]] = {}
    facts = source.facts
    if facts is None or not chunks:
        return {}
    module = _module(source.path, facts.language)
    starts = [first for first, _ in chunks]
    lines = [declaration.start_line for declaration in facts.declarations]
    places = np.searchsorted(starts, lines, side="right").tolist()
    for declaration, place in zip(facts.declarations, places, strict=True):
        names, docs = found.setdefault(max(place - 1, 0), ([], []))
        name = declaration.name
        if declaration.kind in _LESSER:
            names += [name, _joined(name)]
        else:
            holder = _holder(facts, declaration, module)
            names += [name, _joined(name), name, _joined(name), _in_one(holder + name, holder)]
        if declaration.doc:
            docs.append(declaration.doc)
    return {at: ("\n".join(names), "\n".join(docs)) for at, (names, docs) in sorted(found.items())}


def _joined(name: str) -> str:
    """The words of a name in one, as another style of writing names has them; empty for one word.

    `parse_header` is found by parseHeader, and the other way round.
    """
    return _in_one(name, "_" in name.strip("_") or "." in name)


def _in_one(name: str, wanted: object) -> str:
    return in_one(name.replace(".", "")) if wanted else ""


def _holder(facts: Facts, declaration: Declaration, module: str) -> str:
    """By whose name a declaration is called: `Thread` of `Thread.join`, `json` of `json.dumps`."""
    if declaration.parent == MODULE:
        return module
    holder = facts.declarations[declaration.parent]
    return "" if holder.kind in _FUNCTIONS else holder.name


def _module(path: str, language: str) -> str:
    """The name by which a file's functions are called from elsewhere; empty where there is none."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    if language in _BY_FOLDER or (language in _BY_FILE and stem in _OF_FOLDER):
        return folder.rpartition("/")[2]
    return stem if language in _BY_FILE else ""


class _Lines:
    """Where the lines of a text end, behind their line feeds."""

    def __init__(self, text: Piece) -> None:
        self._text = text
        if isinstance(text, bytes):
            ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _LINE_FEED) + 1
        else:
            rows = text.split("\n")[:-1]
            ends = np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) + 1)
        known = int(ends[-1]) if len(ends) else 0
        self._ends = ends if known == len(text) else np.append(ends, len(text))
        self.count = len(self._ends)

    def between(self, first: int, last: int) -> Piece:
        """The lines from `first` to `last`, their ends included."""
        begin = int(self._ends[first - 2]) if first > 1 else 0
        return self._text[begin : int(self._ends[last - 1])]


def _encoded(piece: Piece) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
