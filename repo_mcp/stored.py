"""Schemas of a repository's indexes: names that indexing writes and searching reads.

In the text index a chunk has terms in six fields, and a file of a known language has its facts as
an attachment (layout in `languages/facts/wire.py`). The index of code has no terms: a file has its
symbolic code as an attachment (layout in `languages/code/wire.py`). In the index of the graph a
chunk is a declaration, the first one of a file the file itself; its terms are made in
`graph/index/terms.py`, its attachments in `graph/index/records.py`. Each generation of any stores
the signature of its settings, and those of text and graph their progress.
"""

from __future__ import annotations

import json
from typing import Final

import xxhash

from index_format import Field, Schema, Snapshot
from index_format.tuples import NamedTuple

# In the data folder: the folder of the text index, and what was in the way of any index.
INDEX_FOLDER: Final = "index"
QUARANTINE_FOLDER: Final = "quarantine"
# Below a published prefix, and in the folder of shared segments: these, and lists of needed ones.
SEGMENT_OBJECTS: Final = "v1/segments"
RUN_OBJECTS: Final = "v1/runs"
# What is kept of imported indexes of SCIP.
SCIP_FILE: Final = "scip.bin"

# Fields of a chunk.
BODY: Final = "body"  # its lines
SYMBOL: Final = "symbol"  # names of its declarations
DOC: Final = "doc"  # documentation of its declarations
PATH: Final = "path"  # the file's path
NAME: Final = "name"  # the file's name
PAIR: Final = "pair"  # common words side by side in its lines: `text/english/word_pairs.py`
FIELDS: Final = (BODY, SYMBOL, DOC, PATH, NAME, PAIR)
# without positions: phrases are verified in the files
SCHEMA: Final = Schema(tuple(Field(name, positions=False) for name in FIELDS))

# Attachments of a file.
FACTS: Final = "facts"
VECTORS: Final = "vectors"  # of its chunks, one behind the other, where they are computed
SYMBOL_ROWS: Final = "symbol_rows"  # what finds declarations like others: `vectors/symbol_rows.py`

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
LOOKUP: Final = "lookup"  # of the file itself: keys of other files' answers that it depends on
GRAPH_FIELDS: Final = (
    *(SYMBOL_NAME, QUALIFIED_NAME, SYMBOL_ID, EXACT_NAME, FACET, TARGET, UNLINKED, LOOKUP),
)
GRAPH_SCHEMA: Final = Schema(tuple(Field(name, positions=False) for name in GRAPH_FIELDS))

# Attachments of a file in the graph.
SYMBOLS: Final = "symbols"  # identities of its declarations
EDGES: Final = "edges"  # edges and unresolved uses with their places
OFFERS: Final = "offers"  # keys that it answers, and hashes of the answers
DECLARATIONS: Final = "declarations"  # the declarations of its facts


class StoredKind(NamedTuple):
    """One index of a repository: where it is, and how it is made anew.

    `origin` is the file beside the folder with the record of what was published in it.
    """

    folder: str
    origin: str
    schema: Schema
    title: str  # what messages call it
    source: str  # what it is made from
    remaking: str  # what is done to its files to make it anew


TEXT_INDEX: Final = StoredKind(INDEX_FOLDER, "origin", SCHEMA, "index", "the files", "reindexed")
CODE_INDEX: Final = StoredKind(
    "code", "code-origin", CODE_SCHEMA, "index of code", "the files", "made again"
)
GRAPH_INDEX: Final = StoredKind(
    "graph", "graph-origin", GRAPH_SCHEMA, "symbol graph", "the index", "linked again"
)
# All indexes, each behind what it is made from; check, repair, status and cleaning go through them.
STORED_KINDS: Final = (TEXT_INDEX, CODE_INDEX, GRAPH_INDEX)

# The document of the graph that is no file: what paths and manifests answer. No path has a NUL.
ANSWERS_PATH: Final = "\0answers"

# Marks after the signature in a manifest's settings.
_PARTIAL: Final = "partial"
_SHALLOW: Final = "shallow"


class IndexProgress(NamedTuple):
    """Signature and progress of a generation, stored as its manifest's settings."""

    signature: str  # identifies all settings and versions that documents and terms depend on
    complete: bool = True  # all files are indexed
    deep: bool = True  # the facts of all files are indexed

    @classmethod
    def of(cls, snapshot: Snapshot) -> IndexProgress:
        """Parse the settings of this generation's manifest."""
        signature, *marks = snapshot.manifest.settings.split(" ")
        return cls(signature, _PARTIAL not in marks, _SHALLOW not in marks)

    def to_settings(self) -> str:
        """The text that `of` parses."""
        marks = [] if self.complete else [_PARTIAL]
        return " ".join([self.signature, *marks, *([] if self.deep else [_SHALLOW])])


class GraphProgress(NamedTuple):
    """What a generation of the graph was linked from, stored as its manifest's settings.

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
        return cls(signature, number, _PARTIAL not in marks, (marks[1:] or [""])[0], source)

    def is_of(self, text: Snapshot) -> bool:
        """Whether it is of this generation of the text index."""
        return (self.text, self.source) == (text.generation, digest_of_segments(text))

    def to_settings(self) -> str:
        """The text that `of` parses."""
        marks = [] if self.complete else [_PARTIAL, *([self.tree] if self.tree else [])]
        return " ".join([self.signature, str(self.text), self.source, *marks])


def digest_of_segments(snapshot: Snapshot) -> str:
    """A digest of the files that a generation has; a segment's name is a digest of its bytes."""
    rows = [(entry.name, entry.dead_files) for entry in snapshot.manifest.segments]
    return xxhash.xxh3_64_hexdigest(json.dumps(rows).encode())
