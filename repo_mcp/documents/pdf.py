"""Gives the text of PDF; each file is read once, in a process that can be ended."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from index_format.blake2 import blake2b
from repo_mcp import side_files
from repo_mcp.documents import MISSING, MOST_PDF, PDF_VERSION, has_pdf
from repo_mcp.documents.messages import DAMAGED, END, MOST_CHARACTERS, PAGE
from repo_mcp.errors import Problem
from repo_mcp.processes.start import Process, command_of

_FOLDER: Final = "documents"
_MODULE: Final = "repo_mcp.documents.pdf_process"
# seconds for one document, and documents that one process reads
_SECONDS: Final = 60.0
_MOST_DOCUMENTS: Final = 50
_EMPTY: Final = "it has no text: its pages may be pictures"
_SLOW: Final = "it takes too long"
# what a kept text begins with: it was read, or why it can't be
_READ: Final = b"+"
_FAILED: Final = b"-"
_CUT: Final = "--- the rest is not read: {} ---"


class PdfTexts:
    """Reads PDF for one data folder, where texts are kept; thread-safe."""

    def __init__(self, data_dir: str, seconds: float = _SECONDS) -> None:
        """Start nothing yet."""
        self._data_dir = data_dir
        self._folder = f"{data_dir}/{_FOLDER}" if data_dir else ""
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._count = 0
        self._last: tuple[str, bytes] | None = None

    def text(self, data: bytes) -> bytes:
        """The text of a document in UTF-8, a line before each page; raises a `Problem`."""
        if not has_pdf():
            raise Problem("document_unread", MISSING)
        name = f"{blake2b(data, digest_size=20).hexdigest()}-{PDF_VERSION}"
        with self._lock:
            if self._last is None or self._last[0] != name:
                self._last = name, self._kept(name) or self._keep(name, self._read(data))
            found = self._last[1]
        if found[:1] == _FAILED:
            raise Problem("document_unread", found[1:].decode())
        return found[1:]

    def _kept(self, name: str) -> bytes:
        if self._folder:
            with suppress(OSError):
                return side_files.get_tagged(self._folder, name, 4 * MOST_CHARACTERS + MOST_PDF)
        return b""

    def _keep(self, name: str, found: bytes) -> bytes:
        if self._folder:
            with suppress(OSError):
                side_files.prepare(self._data_dir)
                side_files.make_folders(self._folder)
                side_files.put_tagged(self._folder, name, found)
        return found

    def _read(self, data: bytes) -> bytes:
        """The text or the reason, as it is kept."""
        pages: list[str] = []
        reason = self._collect(data, pages)
        if not any(page.strip() for page in pages):
            return _FAILED + (reason or _EMPTY).encode()
        parts = [f"--- page {number} ---\n{page}" for number, page in enumerate(pages, 1)]
        parts += [_CUT.format(reason)] if reason else []
        return _READ + ("\n".join(parts) + "\n").encode()

    def _collect(self, data: bytes, pages: list[str]) -> str:
        """Add the pages; returns why there are no more, or nothing."""
        process = self._started()
        is_late = threading.Event()

        def stop() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            process.pipe.send(data)
            left = MOST_CHARACTERS
            while True:
                kind, text = _message(process.pipe.receive())
                if kind == END:
                    self._count += 1
                    return text
                left -= len(text)
                if left < 0:  # it is not the program that was started
                    break
                pages.append(text)
        except (OSError, EOFError, ValueError):
            pass
        finally:
            timer.cancel()
        self._end()
        return _SLOW if is_late.is_set() else DAMAGED

    def _started(self) -> Process:
        if self._count >= _MOST_DOCUMENTS or (self._process and not self._process.is_alive()):
            self._end()
        if self._process is None:
            self._process = Process(command_of(_MODULE), {}, b"")
            weakref.finalize(self, self._process.end)
            self._message_of_start(self._process)
        return self._process

    def _message_of_start(self, process: Process) -> None:
        """Take the answer about the empty document that a process begins with."""
        with suppress(OSError, EOFError, ValueError):
            _message(process.pipe.receive())

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process, self._count = None, 0


def _message(received: object) -> Sequence[str]:
    """A page or the end; raises `ValueError` for anything else."""
    if isinstance(received, list) and len(received) == 2:
        kind, text = received
        if kind in {PAGE, END} and isinstance(text, str):
            return kind, text
    raise ValueError
