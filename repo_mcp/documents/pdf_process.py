"""The process that reads PDF: a page in each message, then an end with what went wrong.

A document may be made to cost endless time or memory, or to crash its parser: here it costs no
more than this process, which the reader ends.
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from repo_mcp.documents.messages import DAMAGED, ENCRYPTED, END, MOST_CHARACTERS, MOST_PAGES, PAGE
from repo_mcp.processes.child_process import ParentPipe, bound_memory, yield_to_answers

# seconds of the processor for all documents that one process reads
_SECONDS: Final = 600


def main() -> None:
    """Read documents until the pipe closes."""
    pipe = ParentPipe()
    bound_memory()
    _bound_time()
    yield_to_answers()
    logging.disable()
    while True:
        for kind, text in _read(pipe.receive()):
            pipe.send([kind, text])


def _read(data: bytes) -> Iterator[tuple[str, str]]:
    """The pages of a document, and the end."""
    from pypdf import PdfReader  # noqa: PLC0415 the extra may be missing

    left = MOST_CHARACTERS
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            yield END, ENCRYPTED
            return
        for number, page in enumerate(reader.pages):
            if number >= MOST_PAGES or left <= 0:
                break
            text = _plain(page.extract_text())[:left]
            left -= len(text)
            yield PAGE, text
    except Exception:  # noqa: BLE001 a parser of a hostile file may raise anything
        yield END, DAMAGED
        return
    except MemoryError:
        yield END, DAMAGED
        return
    yield END, ""


def _plain(text: str) -> str:
    """The text without marks that are none, in lines."""
    whole = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(mark if mark in "\n\t" or mark.isprintable() else " " for mark in whole)
    return "\n".join(row.rstrip() for row in kept.split("\n")).strip("\n")


def _bound_time() -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 Windows has no such module

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))


if __name__ == "__main__":
    main()
