"""Gives the text of documents, whatever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_mcp.documents import is_pdf, is_tickets
from repo_mcp.documents.tickets import tickets_as_text

if TYPE_CHECKING:  # most repositories have no PDF
    from repo_mcp.documents.pdf import PdfTexts


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
            return tickets_as_text(path, data)
        if not is_pdf(data):
            return data
        if self._pdf is None:
            from repo_mcp.documents.pdf import PdfTexts  # noqa: PLC0415 as above

            self._pdf = PdfTexts(self._data_dir)
        return self._pdf.text(data)
