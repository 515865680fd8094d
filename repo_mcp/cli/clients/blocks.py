"""Blocks of text between two marks, in a file of others or in a file of its own.

The first mark has the number of line feeds that were added before it, `-` for a file that was made
for it, so that removal gives every byte back, and a hash of the text, which differs once somebody
has edited it: then it stays as it is.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.cli.clients.files import ClientFile

MARK: Final = "repo-mcp:begin"
_BLOCK: Final = re.compile(
    r"(?:<!--|#|//) repo-mcp:begin (-|[0-2]) ([0-9a-f]{12}) [^\n]*\n"
    r"(.*?)(?:<!--|#|//) repo-mcp:end[^\n]*\n",
    re.DOTALL,
)
_NEW: Final = "-"
_HASH_LETTERS: Final = 12
_NOT_OURS: Final = "it is there already, and not of repo-mcp: it stays"
_EDITED: Final = "the text was edited by hand: it stays"
_COMMENTS: Final = {".toml": ("# ", ""), ".js": ("// ", "")}
_MARKDOWN: Final = ("<!-- ", " -->")


class MarkedText(NamedTuple):
    """A text for a file: in a block there, or the file as a whole, with `head` above the block."""

    path: Path
    body: str
    head: str = ""
    is_file: bool = False


class Change(NamedTuple):
    """A file and its new text.

    Without a text, the note says why it stays; with one, a note says that the file was made for it.
    """

    file: ClientFile
    text: str | None
    note: str = ""


def addition(piece: MarkedText, file: ClientFile) -> Change | None:
    """The change that writes the piece; None if it is there."""
    found = _BLOCK.search(file.text)
    if found is None:
        if piece.is_file and file.found is not None:
            return Change(file, None, _NOT_OURS)
        text = _with_block(piece, file)
    elif _is_edited(piece, file, found):
        return Change(file, None, f"{_EDITED} as it is")
    else:
        block = _block(piece, found[1])
        text = file.text[: found.start()] + block + file.text[found.end() :]
        if piece.is_file:
            text = piece.head + block
    return Change(file, text) if text != file.text else None


def removal(piece: MarkedText, file: ClientFile) -> Change | None:
    """The change that takes the piece away; None if it is not there."""
    found = _BLOCK.search(file.text)
    if found is None:
        return None
    if _is_edited(piece, file, found):
        return Change(file, None, f"{_EDITED}, remove it by hand")
    if piece.is_file:
        return Change(file, "", _NEW)
    before, after = file.text[: found.start()], file.text[found.end() :]
    rest = (before if found[1] == _NEW else _without_feeds(before, int(found[1]))) + after
    return Change(file, rest, _NEW if found[1] == _NEW and not rest else "")


def body_of(file: ClientFile) -> str | None:
    """The text between the marks; None without them."""
    found = _BLOCK.search(file.text)
    return found[3] if found else None


def _with_block(piece: MarkedText, file: ClientFile) -> str:
    if file.found is None:
        return piece.head + _block(piece, _NEW)
    feeds = 0 if not file.text else 1 if file.text.endswith("\n") else 2
    return file.text + "\n" * feeds + _block(piece, str(feeds))


def _block(piece: MarkedText, added: str) -> str:
    opens, closes = _COMMENTS.get(piece.path.suffix, _MARKDOWN)
    said = _hash(piece.head + piece.body)
    begin = f"{opens}{MARK} {added} {said} (`repo-mcp uninstall` removes this){closes}\n"
    return f"{begin}{piece.body}{opens}repo-mcp:end{closes}\n"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LETTERS]


def _is_edited(piece: MarkedText, file: ClientFile, found: re.Match[str]) -> bool:
    """True if it is not as it was written; a file of its own is hashed with its head, once not."""
    if not piece.is_file:
        return _hash(found[3]) != found[2]
    above, below = file.text[: found.start()], file.text[found.end() :]
    return bool(below) or found[2] not in {_hash(above + found[3]), _hash(found[3])}


def _without_feeds(text: str, count: int) -> str:
    feeds = "\n" * count
    return text[: len(text) - count] if count and text.endswith(feeds) else text
