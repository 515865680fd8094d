"""Writes a graph of made symbols: names of several words, edges to near files and to hubs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from code_graph.facts import MODULE, Declaration, Facts
from code_graph.model import (
    FILE,
    EdgeType,
    ExternalUse,
    GraphEdge,
    LinkedFile,
    LinkedSymbol,
    Strategy,
    UnresolvedUse,
)
from code_graph.store.documents import LinkedSource, make_documents
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import FileStore, Index, Vocabulary, build_segment
from index_format.analysis.counting import Analyser

_TEXT: Final = """
read write parse open close get set make build find list send load save check update remove create
handle run start stop node tree path file user page token index query graph edge text line word
chunk block table row column field name value key item buffer stream socket request response
session cache lock thread worker task job queue event signal error state config option flag mode
level group role order price stock report chart image audio video frame
"""
_WORDS: Final = _TEXT.split()
_PART: Final = 1000
_NEAR: Final = 40


class Shape(NamedTuple):
    """The size of a graph."""

    files: int
    symbols: int = 20  # declarations of a file
    edges: int = 5  # of a declaration

    def id_of(self, number: int) -> int:
        """The id of the symbol with this number among all."""
        return xxhash.xxh3_64_intdigest(number.to_bytes(8, "little"))


def write_graph(folder: Path, shape: Shape) -> Index:
    """A graph in a folder, merged into its canonical layout."""
    store = FileStore(folder)
    index = Index(store, GRAPH_SCHEMA, settings=GraphProgress("made", 1).to_settings())
    analyser = Analyser()
    with index.writer() as writer:
        for begin in range(0, shape.files, _PART):
            numbers = range(begin, min(begin + _PART, shape.files))
            vocabulary = Vocabulary()
            sources = [made_file(shape, number) for number in numbers]
            documents = make_documents(sources, analyser, vocabulary)
            writer.adopt(build_segment(store, GRAPH_SCHEMA, documents, vocabulary))
        writer.commit()
    index.compact(full=True)
    index.collect_garbage(grace_seconds=0, spare=0)
    return index


def made_file(shape: Shape, number: int) -> LinkedSource:
    """A file with its declarations and edges; the same for the same numbers."""
    chance = random.Random(number)
    path = f"p{number % 50:02}/d{number // 50 % 40:02}/m{number:06}.py"
    module = f"p{number % 50:02}.m{number:06}"
    first = number * shape.symbols
    names = [made_name(random.Random(first + at)) for at in range(shape.symbols)]
    declarations = [
        Declaration("function", name, 20 * at + 1, 20 * at + 18, 20 * at + 1, 4, MODULE, "def ()")
        for at, name in enumerate(names)
    ]
    symbols = [LinkedSymbol(FILE, xxhash.xxh3_64_intdigest(path.encode()), module, "module")]
    symbols += [
        LinkedSymbol(at, shape.id_of(first + at), f"{module}.{name}", "function")
        for at, name in enumerate(names)
    ]
    linked = LinkedFile(
        path,
        xxhash.xxh3_128_digest(path.encode()),
        f"p{number % 50:02}",
        "python",
        symbols,
        [*made_edges(shape, number, chance)],
        [ExternalUse(at, "os.path.join", EdgeType.CALLS, 20 * at + 9, 4) for at in range(0, 20, 7)],
        [UnresolvedUse(at, chance.choice(names), 0, 20 * at + 8, 4) for at in range(0, 20, 5)],
    )
    return LinkedSource(
        linked, Facts("python", declarations=tuple(declarations)), 20 * shape.symbols
    )


def made_name(chance: random.Random) -> str:
    """A name of two to four words."""
    words: Sequence[str] = chance.choices(_WORDS, k=chance.randint(2, 4))
    return words[0] + "".join(word.title() for word in words[1:])


def made_edges(shape: Shape, number: int, chance: random.Random) -> Iterator[GraphEdge]:
    """Most edges lead to near files, some to hubs."""
    total = shape.files * shape.symbols
    for at in range(shape.symbols):
        for place in range(shape.edges):
            if chance.random() < 0.15:
                target = int(total * chance.random() ** 6)
            else:
                near = number + chance.randint(-_NEAR, _NEAR)
                target = near * shape.symbols + chance.randrange(shape.symbols)
            kind = EdgeType.CALLS if place % 3 else EdgeType.REFERENCES
            strategy = chance.choice((Strategy.SCOPE, Strategy.IMPORT, Strategy.FLOW))
            target_id = shape.id_of(target % total)
            yield GraphEdge(at, target_id, kind, strategy, 20 * at + 2 + place, 4)
