"""Schemas of a repository's indexes: names that indexing writes and searching reads.

In the text index a chunk has terms in six fields, and a file of a known language has its facts as
an attachment. The schemas of the indexes of code and of the graph are `code_graph/store/schema.py`.
Each generation of any stores the signature of its settings, and those of text and graph their
progress.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from code_graph.store.schema import CODE_SCHEMA, GRAPH_SCHEMA, PARTIAL
from index_format import Field, Schema, Snapshot
from index_format.analysis.words import folded
from index_format.tuples import NamedTuple

# In the data folder: the folder of the text index, and what was in the way of any index.
INDEX_FOLDER: Final = "index"
QUARANTINE_FOLDER: Final = "quarantine"
# Below a published prefix, and in the folder of shared segments: these, and lists of needed ones;
# texts are published alone.
SEGMENT_OBJECTS: Final = "v1/segments"
TEXT_OBJECTS: Final = "v1/texts"
RUN_OBJECTS: Final = "v1/runs"
# What is kept of imported indexes of SCIP.
SCIP_FILE: Final = "scip.bin"

# Fields of a chunk.
BODY: Final = "body"  # its lines
SYMBOL: Final = "symbol"  # names of its declarations
DOC: Final = "doc"  # documentation of its declarations
PATH: Final = "path"  # the file's path
NAME: Final = "name"  # the file's name
PAIR: Final = (
    "pair"  # common words side by side in its lines: `index_format/analysis/word_pairs.py`
)
FIELDS: Final = (BODY, SYMBOL, DOC, PATH, NAME, PAIR)
# without positions: phrases are verified in the files
SCHEMA: Final = Schema(tuple(Field(name, positions=False) for name in FIELDS))

# Fields of a commit: `stored_commits.py`.
MESSAGE: Final = "message"
AUTHOR: Final = "author"
CHANGED: Final = "changed"  # lines of a file that are gone and new
CHANGED_PATH: Final = "changed_path"  # the file's path, as one term
HISTORY_SCHEMA: Final = Schema(
    tuple(Field(name, positions=False) for name in (MESSAGE, AUTHOR, CHANGED, CHANGED_PATH))
)

# Attachments of a file.
VECTORS: Final = "vectors"  # of its chunks, one behind the other, where they are computed
SYMBOL_ROWS: Final = "symbol_rows"  # what finds declarations like others: `vectors/symbol_rows.py`
WORDS_ONLY: Final = "words_only"  # one byte where facts, pairs and vectors are still to come


def paths_declaring(snapshot: Snapshot, name: str, most: float = math.inf) -> Collection[str]:
    """The files that declare a name, in any case of letters.

    There are none of a name that more than `most` passages declare.
    """
    import numpy as np  # noqa: PLC0415 most of those who know the schemas need none

    field = snapshot.schema.number(SYMBOL)
    if field is None or not name:
        return ()
    found = snapshot.postings(field, folded(name).encode("utf-8", "surrogatepass"))
    if sum(item.postings.entry.chunks for item in found) > most:
        return ()
    paths: set[str] = set()
    for item in found:
        chunks = item.postings.all()[0].astype(np.int64) + item.segment.base
        numbers = np.searchsorted(snapshot.file_starts, chunks, side="right") - 1
        paths.update(map(snapshot.path_of, set(numbers.tolist())))
    return {path for path in paths if snapshot.file(path) is not None}


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
HISTORY_INDEX: Final = StoredKind(
    "history", "history-origin", HISTORY_SCHEMA, "index of commits", "the commits", "made again"
)
# Indexes of the files, each behind what it is made from: they are published together.
STORED_KINDS: Final = (TEXT_INDEX, CODE_INDEX, GRAPH_INDEX)
# All indexes; check, repair, status and cleaning go through them.
ALL_KINDS: Final = (*STORED_KINDS, HISTORY_INDEX)

# A mark after the signature in a manifest's settings, beside `PARTIAL`.
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
        return cls(signature, PARTIAL not in marks, _SHALLOW not in marks)

    def to_settings(self) -> str:
        """The text that `of` parses."""
        marks = [] if self.complete else [PARTIAL]
        return " ".join([self.signature, *marks, *([] if self.deep else [_SHALLOW])])
