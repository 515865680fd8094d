"""Reads the patches of a Debian source package: their descriptions and changed files."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from pathlib import Path
from typing import Final

_FOLDER: Final = "debian/patches/"
# where the change itself begins
_DIFF: Final = re.compile(r"^(?:diff |Index: |--- \S|={20,}$)", re.MULTILINE)
_SIDES: Final = re.compile(r"^--- (\S+).*\n\+\+\+ (\S+)", re.MULTILINE)
_FIELD: Final = re.compile(r"([A-Za-z][\w-]*):[ \t]*(.*)")
_OLD_STYLE: Final = re.compile(r"^#+ ?DP:", re.MULTILINE)
_TITLES: Final = ("subject", "description")


@dataclass(frozen=True, slots=True)
class Patch:
    """The title and the paragraphs below it, as written, and the paths of both sides."""

    title: str
    paragraphs: tuple[str, ...]
    paths: tuple[str, ...]

    @classmethod
    def of_commit(cls, message: str, paths: Iterable[str]) -> Patch:
        """That of a commit, by its whole message."""
        title, _, rest = message.strip().partition("\n")
        paragraphs = tuple(part.strip() for part in rest.split("\n\n") if part.strip())
        return cls(title, paragraphs, tuple(paths))


def packs(archive: Path) -> bool:
    """True if an archive is the packaging of a source package."""
    return ".debian.tar." in archive.name


def applied(archive: Path) -> Iterator[Patch]:
    """The patches of a package's packaging, in the order in which they are applied."""
    with tarfile.open(archive) as tar:
        listed = _text(tar, "series") or ""
        for row in listed.splitlines():
            name = row.partition("#")[0].split()[:1]
            text = _text(tar, name[0]) if name else None
            if text is not None:
                yield parse(text)


def _text(tar: tarfile.TarFile, name: str) -> str | None:
    try:
        source = tar.extractfile(_FOLDER + name)
    except KeyError:
        return None
    return source.read().decode("utf-8", "replace") if source else None


def parse(text: str) -> Patch:
    """A patch as a mail, or as fields with folded lines; the title is empty when there is none."""
    found = _DIFF.search(text)
    head = text[: found.start()] if found else text
    rows = re.split(r"^---\s*$", head, maxsplit=1, flags=re.MULTILINE)[0].splitlines()
    title, paragraphs = _said(rows)
    return Patch(title, tuple(paragraphs), tuple(changed(text)))


def changed(text: str) -> Iterator[str]:
    """Paths that a diff changes, without the first folder of each; new files have none."""
    seen = set()
    for old, new in _SIDES.findall(text):
        path = new if old == "/dev/null" else old
        _, _, inner = path.removeprefix("./").partition("/")
        if path != "/dev/null" and inner not in seen:
            seen.add(inner)
            yield inner.removesuffix(".orig")


def _said(rows: Sequence[str]) -> tuple[str, list[str]]:
    old = [_OLD_STYLE.sub("", row) for row in rows if _OLD_STYLE.match(row)]
    if old:
        return old[0].strip(), _paragraphs(old[1:])
    for at, row in enumerate(rows):
        field = _FIELD.match(row)
        if field and field[1].lower() in _TITLES:
            end = next((n for n in range(at + 1, len(rows)) if not _folded(rows[n])), len(rows))
            if field[1].lower() == "subject":
                return _decoded(" ".join([field[2], *rows[at + 1 : end]])), _body(rows[end:])
            return _described([field[2], *rows[at + 1 : end]], rows[end:])
    return "", []


def _folded(row: str) -> bool:
    return row[:1] in {" ", "\t"} and bool(row.strip())


def _described(rows: Sequence[str], rest: Sequence[str]) -> tuple[str, list[str]]:
    told = [row for number, row in enumerate(rows) if number or row.strip()]
    return (told[0].strip(), _paragraphs([*told[1:], "", *_body_rows(rest)])) if told else ("", [])


def _body(rows: Sequence[str]) -> list[str]:
    return _paragraphs(_body_rows(rows))


def _body_rows(rows: Sequence[str]) -> Sequence[str]:
    """The text after the first blank line; fields are above it."""
    blank = next((n for n, row in enumerate(rows) if not row.strip()), len(rows))
    return rows[blank:]


def _paragraphs(rows: Sequence[str]) -> list[str]:
    text = "\n".join("" if row.strip() == "." else row.strip() for row in rows)
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def _decoded(title: str) -> str:
    plain = " ".join(title.split())
    try:
        return str(make_header(decode_header(plain)))
    except (HeaderParseError, LookupError, UnicodeDecodeError):
        return plain
