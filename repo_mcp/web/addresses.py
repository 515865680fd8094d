"""Addresses of pages: parameters read from them, and links made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, quote

# forms have fewer
_MOST_FIELDS: Final = 32
_MOST_DIGITS: Final = 9
# pages that show a revision as they show the files as they are; each leads to these of its own
OF_REVISIONS: Final = frozenset(
    {"/ask", "/file", "/folder", "/search", "/symbol", "/uses", "/bundle"}
)
_REVISION: Final[ContextVar[str]] = ContextVar("revision", default="")


@contextmanager
def links_of(revision: str) -> Iterator[None]:
    """Let the links that are made meanwhile lead to pages of a revision; empty for the present."""
    token = _REVISION.set(revision)
    try:
        yield
    finally:
        _REVISION.reset(token)


def current_revision() -> str:
    """The revision that links lead to; empty for the files as they are."""
    return _REVISION.get()


class Parameters:
    """The parameters of an address; of several with one name the last one counts."""

    def __init__(self, query: bytes) -> None:
        """Percent-encoded bytes that are no UTF-8 become lone surrogates, as in names of files."""
        try:
            pairs = parse_qsl(
                query.decode("latin-1"),
                encoding="utf-8",
                errors="surrogateescape",
                max_num_fields=_MOST_FIELDS,
            )
        except ValueError:
            pairs = []
        self.given: Mapping[str, str] = dict(pairs)

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Parameters:
        """These parameters."""
        made = cls(b"")
        made.given = dict(given)
        return made

    def text(self, name: str) -> str:
        """A text, or empty."""
        return self.given.get(name, "")

    def number(self, name: str, default: int = 1) -> int:
        """A number from 1."""
        text = self.text(name)
        return max(int(text), 1) if _is_number(text) else default

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of the choices, the first by default."""
        text = self.text(name)
        return text if text in choices else choices[0]

    def link(self, page: str, **changes: str | int) -> str:
        """The address of a page with these parameters, some of them changed; empty ones go."""
        return link(page, **{**self.given, **changes})


def link(page: str, **parameters: str | int) -> str:
    """The address of a page; text is percent-encoded from its bytes.

    On a page of a revision it leads to a page of that.
    """
    if page in OF_REVISIONS and "rev" not in parameters:
        parameters["rev"] = _REVISION.get()
    parts = (
        f"{_encode(name)}={_encode(str(value))}" for name, value in parameters.items() if value
    )
    query = "&".join(parts)
    return f"{page}?{query}" if query else page


def file_link(path: str, line: int = 0, end: int = 0) -> str:
    """The address of a file, or of lines of it."""
    if not line:
        return link("/file", path=path)
    return f"{link('/file', path=path, line=line, end=end if end > line else 0)}#L{line}"


def place_link(place: str) -> str:
    """The address of the first lines of `path:first-last,…`; empty for a text without lines."""
    path, colon, lines = place.rpartition(":")
    first, _, last = lines.partition(",")[0].partition("-")
    if not colon or not _is_number(first):
        return ""
    return file_link(path, int(first), int(last) if _is_number(last) else 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


# a page leads to the same names again and again
@lru_cache(maxsize=4096)
def _encode(text: str) -> str:
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair that stands for no byte
        data = text.encode("utf-8", "surrogatepass")
    return quote(data, safe="/")
