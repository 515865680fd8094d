"""Schemas of the indexes of code and of the graph: names that are written there and read.

The index of code has no terms: a file has its symbolic code as an attachment (layout in
`expressions/wire.py`), made from the facts that an index of texts has as an attachment (layout in
`facts/wire.py`). In the index of the graph a chunk is a declaration, the first one of a file the
file itself; its terms are made in `store/terms.py`, its attachments in `store/records.py`. Each
generation of the graph stores its progress.
"""

from __future__ import annotations

import json
from typing import Final

import xxhash

from index_format import Field, Schema, Snapshot
from index_format.tuples import NamedTuple

# part of the graph's signature: raise it when equal linked files give other documents
VERSION: Final = 5

# Attachment of a file in the index of texts.
FACTS: Final = "facts"

# Of the index of code: the keys of the names that a file declares for others.
SHARED: Final = "shared"
CODE_SCHEMA: Final = Schema((Field(SHARED, positions=False),))
CODE: Final = "code"  # attachment of a file

# Fields of a declaration in the graph.
SYMBOL_NAME: Final = "name"  # the words of its name
QUALIFIED_NAME: Final = "qualified"  # the words of its qualified name
SYMBOL_ID: Final = "id"  # its id; twice where it is the symbol's primary part
EXACT_NAME: Final = "exact"  # its qualified name as it is
FACET: Final = "facet"  # type, language and project
TARGET: Final = "target"  # type, confidence and target of its edges, as often as it has places
UNLINKED: Final = "unlinked"  # names it uses that no symbol here was found for
DEPENDENCY: Final = "lookup"  # of the file itself: keys of other files' exports that it depends on
GRAPH_FIELDS: Final = (
    *(SYMBOL_NAME, QUALIFIED_NAME, SYMBOL_ID, EXACT_NAME, FACET, TARGET, UNLINKED, DEPENDENCY),
)
GRAPH_SCHEMA: Final = Schema(tuple(Field(name, positions=False) for name in GRAPH_FIELDS))

# Attachments of a file in the graph.
SYMBOLS: Final = "symbols"  # identities of its declarations
EDGES: Final = "edges"  # edges and unresolved uses with their places
EXPORTS: Final = "offers"  # keys of what it exports, and hashes of that
DECLARATIONS: Final = "declarations"  # the declarations of its facts

# The document of the graph that is no file: the exports of paths and manifests. No path has a NUL.
PROJECT_EXPORTS_PATH: Final = "\0answers"

# A mark in a manifest's settings: not all is indexed yet.
PARTIAL: Final = "partial"


class GraphProgress(NamedTuple):
    """The inputs that a generation of the graph was linked from, stored as its manifest's settings.

    `text` is the generation of the text index, and `source` a digest of its segments, as an index
    that was made anew counts its generations from the beginning. `tree` is a digest of the files
    while a first build is under way, which goes on only while they stay the same.
    """

    signature: str  # identifies all settings and versions that symbols and edges depend on
    text: int
    complete: bool = True
    tree: str = ""
    source: str = ""

    @classmethod
    def of(cls, snapshot: Snapshot) -> GraphProgress:
        """Parse the settings of this generation's manifest."""
        return cls.parse(snapshot.manifest.settings)

    @classmethod
    def parse(cls, settings: str) -> GraphProgress:
        """Undo `to_settings`."""
        signature, text, source, *marks = [*settings.split(" "), "", ""][:5]
        number = int(text) if text.isascii() and text.isdigit() else 0
        return cls(signature, number, PARTIAL not in marks, (marks[1:] or [""])[0], source)

    def is_of(self, text: Snapshot) -> bool:
        """True if it is of this generation of the text index."""
        return (self.text, self.source) == (text.generation, digest_of_segments(text))

    def to_settings(self) -> str:
        """The text that `of` parses."""
        marks = [] if self.complete else [PARTIAL, *([self.tree] if self.tree else [])]
        return " ".join([self.signature, str(self.text), self.source, *marks])


def digest_of_segments(snapshot: Snapshot) -> str:
    """A digest of the files that a generation has; a segment's name is a digest of its bytes."""
    rows = [(entry.name, entry.dead_files) for entry in snapshot.manifest.segments]
    return xxhash.xxh3_64_hexdigest(json.dumps(rows).encode())
