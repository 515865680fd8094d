"""Documents whose text is not that of their bytes: PDF with its extra, and exported tickets.

The sandbox gives their text in the place of the file's bytes, so that searching, reading and
quoting by line have the same lines. PDF is read in a process with limits of time and memory, and
its text is kept by its content. The door of the room.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from code_graph.paths.file_types import TICKET_EXPORTS, is_tickets

if TYPE_CHECKING:  # most repositories have no documents
    from repo_mcp.documents.pdf import PdfTexts

__all__ = [
    "MISSING",
    "DocumentReader",
    "has_text",
    "is_unread",
    "most_bytes_of",
    "signature",
]

# raise it where an equal document has another text
PDF_VERSION: Final = 1
_TICKETS_VERSION: Final = 2
# documents may be larger than text files
MOST_PDF: Final = 64 << 20
_MOST_TICKETS: Final = 16 << 20
# why a document is not read where nothing is installed for it
MISSING: Final = "PDF is read with pypdf: pip install 'repo-mcp[pdf]'"
_PDF: Final = "pdf"
_SIGN: Final = b"%PDF-"
_SIGN_WITHIN: Final = 1024

_LAST: Final = frozenset(
    mark for one in (_PDF, *TICKET_EXPORTS) for mark in (one[-1], one[-1].upper())
)


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


@cache
def has_pdf() -> bool:
    """True if what reads PDF is installed."""
    return find_spec("pypdf") is not None


def has_text(path: str) -> bool:
    """True if a file of this name is shown by its text, and not as its bytes are."""
    if path[-1:] not in _LAST:  # as most: each file of a search is asked
        return False
    ending = _ending(path)
    return has_pdf() if ending == _PDF else ending in TICKET_EXPORTS and is_tickets(path)


def is_pdf(data: bytes) -> bool:
    """True if a file is what its name says: others may be called so."""
    return _SIGN in data[:_SIGN_WITHIN]


def is_unread(path: str, data: bytes) -> bool:
    """True for a document that nothing here reads."""
    is_named = path[-1:] in _LAST and _ending(path) == _PDF
    return is_named and not has_pdf() and is_pdf(data)


def signature() -> str:
    """Identifies what reads documents."""
    return f"tickets:{_TICKETS_VERSION}" + (f" pdf:{PDF_VERSION}" if has_pdf() else "")


def most_bytes_of(path: str, most: int) -> int:
    """The largest size of a file of this name, where a text file has at most so many bytes."""
    if not has_text(path):
        return most
    return max(most, MOST_PDF if _ending(path) == _PDF else _MOST_TICKETS)


class DocumentReader:
    """Reads documents for one data folder."""

    def __init__(self, data_dir: str) -> None:
        """Start nothing yet."""
        self._data_dir = data_dir
        self._pdf: PdfTexts | None = None

    def text(self, path: str, data: bytes) -> bytes:
        """The text of a document in UTF-8; raises a `Problem` if it has none.

        A file that is only called like one keeps its bytes.
        """
        if is_tickets(path):
            from repo_mcp.documents.tickets import tickets_as_text  # noqa: PLC0415 few files are some

            return tickets_as_text(path, data)
        if not is_pdf(data):
            return data
        if self._pdf is None:
            from repo_mcp.documents.pdf import PdfTexts  # noqa: PLC0415 as above

            self._pdf = PdfTexts(self._data_dir)
        return self._pdf.text(data)
