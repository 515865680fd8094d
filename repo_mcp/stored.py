"""Schema of a repository's index: names that indexing writes and searching reads.

A chunk has terms in five fields, a file of a known language has its facts as an attachment
(layout in `languages/facts/wire.py`), and each generation stores the signature of its settings
and its progress.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from index_format import Field, Schema, Snapshot

# In the data folder: the index, the record of what was published in it, and what was in the way.
INDEX_FOLDER: Final = "index"
ORIGIN_FILE: Final = "origin"
QUARANTINE_FOLDER: Final = "quarantine"

# Fields of a chunk.
BODY: Final = "body"  # its lines
SYMBOL: Final = "symbol"  # names of its declarations
DOC: Final = "doc"  # documentation of its declarations
PATH: Final = "path"  # the file's path
NAME: Final = "name"  # the file's name
FIELDS: Final = (BODY, SYMBOL, DOC, PATH, NAME)
# without positions: phrases are verified in the files
SCHEMA: Final = Schema(tuple(Field(name, positions=False) for name in FIELDS))

# Attachments of a file.
FACTS: Final = "facts"

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
