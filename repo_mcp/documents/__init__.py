"""The text of documents that are no text files: of PDF, if its extra is installed.

A document is read in a process with limits of time and memory, and its text is kept by its content.
The sandbox gives that text in the place of the file's bytes, so that searching, reading and quoting
by line have the same lines. The door of the room.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # most repositories have no documents
    from repo_mcp.documents.reader import DocumentReader

__all__ = [
    "MISSING",
    "MOST_BYTES",
    "VERSION",
    "DocumentReader",
    "is_document",
    "is_unread",
    "most_bytes_of",
    "signature",
]

# raise it where an equal document has another text
VERSION: Final = 1
# a document may be larger than a text file
MOST_BYTES: Final = 64 << 20
# why a document is not read where nothing is installed for it
MISSING: Final = "PDF is read with pypdf: pip install 'repo-mcp[pdf]'"
_ENDING: Final = ".pdf"

__getattr__ = import_on_first_use(__name__, {"DocumentReader": "reader"})


def is_document(path: str) -> bool:
    """True if a file of this name is a document whose text can be read with the extra."""
    return path[-len(_ENDING) :].lower() == _ENDING


def is_unread(path: str) -> bool:
    """True for a document that nothing here reads."""
    return is_document(path) and not signature()


def signature() -> str:
    """Identifies what reads documents; empty without."""
    return f"pdf:{VERSION}" if find_spec("pypdf") is not None else ""


def most_bytes_of(path: str, most: int) -> int:
    """The largest size of a file of this name, where a text file has at most so many bytes."""
    return max(most, MOST_BYTES) if is_document(path) and signature() else most
