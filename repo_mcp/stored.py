"""What an index of a repository holds: what indexing writes and searching reads go by these names.

A chunk has words in five fields, a file of a known language has its facts attached
(`languages/facts/wire.py` lays them out), and each generation says what it was made under and how
far it has come.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from index_format import Field, Schema, Snapshot

# the index's folder in the data folder
INDEX_FOLDER: Final = "index"

# Fields of a chunk.
BODY: Final = "body"  # its lines
SYMBOL: Final = "symbol"  # names of what it declares
DOC: Final = "doc"  # what documents that
PATH: Final = "path"  # the file's whole path
NAME: Final = "name"  # the file's name alone
FIELDS: Final = (BODY, SYMBOL, DOC, PATH, NAME)
# no positions: phrases are verified in the files
SCHEMA: Final = Schema(tuple(Field(name, positions=False) for name in FIELDS))

# Attachments of a file.
FACTS: Final = "facts"

# Marks behind the signature in a manifest's settings.
_PARTIAL: Final = "partial"
_SHALLOW: Final = "shallow"


class IndexProgress(NamedTuple):
    """What a generation says of itself, which its manifest keeps as settings."""

    signature: str  # names all that decides which documents there are, and their terms
    complete: bool = True  # every file is in it
    deep: bool = True  # so are the facts of every file

    @classmethod
    def of(cls, snapshot: Snapshot) -> IndexProgress:
        """What this generation says."""
        signature, *marks = snapshot.manifest.settings.split(" ")
        return cls(signature, _PARTIAL not in marks, _SHALLOW not in marks)

    def to_settings(self) -> str:
        """The text that `of` reads."""
        marks = [] if self.complete else [_PARTIAL]
        return " ".join([self.signature, *marks, *([] if self.deep else [_SHALLOW])])
