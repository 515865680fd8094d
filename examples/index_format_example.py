"""The index as a library: add documents, search, edit, compact, check.

    python examples/index_format_example.py [folder]

Without a folder the index lives in memory. The library knows nothing of repositories: what a
document is, and what its words are, is decided here.
"""

from __future__ import annotations

import sys

from index_format import (
    Chunk,
    Document,
    Field,
    FileStore,
    Index,
    IndexWriter,
    MemoryStore,
    Schema,
    Store,
    WeightedTerm,
    check,
    top_chunks,
)

TEXTS = {
    "tides.txt": "the tide turns twice a day\nand the moon turns it",
    "bread.txt": "flour water salt and time\nthe dough rises twice",
    "moon.txt": "the moon has no tide of its own",
}


def document(writer: IndexWriter, path: str, text: str) -> Document:
    """One chunk per line: a chunk is what is found."""
    chunks = [
        Chunk(number, number, {"body": writer.vocabulary.tokens(line.split())})
        for number, line in enumerate(text.splitlines(), 1)
    ]
    return Document(path, chunks, size=len(text))


def search(index: Index, *words: str) -> list[str]:
    """Where the words are, best first."""
    snapshot = index.snapshot()
    terms = [WeightedTerm("body", word.encode()) for word in words]
    found = [(snapshot.chunk(hit.chunk), hit.score) for hit in top_chunks(snapshot, terms, 5)]
    return [f"{item.path}:{item.start_line} {score:.3f}" for item, score in found]


def example(store: Store) -> Index:
    """Everything an index goes through."""
    index = Index(store, Schema((Field("body"),)))
    with index.writer() as writer:
        for path, text in TEXTS.items():
            writer.add(document(writer, path, text))
        writer.commit()
    print("moon tide:", *search(index, "moon", "tide"), sep="\n  ")

    with index.writer() as writer:
        writer.add(document(writer, "bread.txt", "no moon was needed for this loaf"))
        writer.remove("tides.txt")
        writer.commit()
    print("moon, after an edit:", *search(index, "moon"), sep="\n  ")

    steps = index.compact(full=True)
    names = [entry.name for entry in index.snapshot().manifest.segments]
    print(f"compacted in {steps} {'step' if steps == 1 else 'steps'} to", *names, sep="\n  ")
    findings = list(check(store))
    print(f"damage: {findings or 'none'}")
    return index


if __name__ == "__main__":
    example(FileStore(sys.argv[1]) if len(sys.argv) > 1 else MemoryStore())
