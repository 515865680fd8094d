"""Real commits that a distribution carries: their messages, and the files that they change."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from email import message_from_string
from pathlib import Path
from typing import Final, NamedTuple

from bench.corpora.source_packages import SourcePackage

_FILE: Final = re.compile(r"^--- (?:a|[^/\s]+)/(\S+).*\n\+\+\+ ", re.MULTILINE)
_DIFF: Final = re.compile(r"^(diff --git |Index: |--- |={20})", re.MULTILINE)
# fields of a patch that say where it is from
_TRAILER: Final = re.compile(
    r"(?im)^(\(?(cherry|backported)|commit [0-9a-f]{12}|---$|[A-Z][a-z]+(-[A-Za-z]+)*:|\[).*$"
)
_PREFIX: Final = re.compile(r"^(\[[^\]]*\]\s*)+")
_FEWEST_WORDS: Final = 4
_MOST_FILES: Final = 5
_MOST_CHARACTERS: Final = 400


class Patch(NamedTuple):
    """The message of a commit, and the files of a package that it changes."""

    name: str
    message: str
    paths: frozenset[str]


def read_patch(name: str, text: str) -> Patch | None:
    """A patch that has a message; None for one that has none, or that changes many files."""
    begin = _DIFF.search(text)
    paths = frozenset(_FILE.findall(text))
    if begin is None or not 0 < len(paths) <= _MOST_FILES:
        return None
    header = message_from_string(text[: begin.start()])
    subject = " ".join((header["Subject"] or header["Description"] or "").split())
    subject = _PREFIX.sub("", subject)
    if len(subject.split()) < _FEWEST_WORDS:
        return None
    body = " ".join(_TRAILER.sub("", str(header.get_payload())).split())
    return Patch(name, f"{subject}\n{body}"[:_MOST_CHARACTERS].strip(), paths)


def patches_of(package: SourcePackage, archive: Path) -> Iterator[Patch]:
    """The patches in the distribution's part of a package, which lies in a folder."""
    for path in sorted(archive.glob(f"{package.name}_*.debian.tar.*")):
        with tarfile.open(path) as part:
            for member in part:
                if member.isfile() and member.name.startswith("debian/patches/"):
                    file = part.extractfile(member)
                    text = "" if file is None else file.read().decode("utf-8", "replace")
                    patch = read_patch(f"{package.name} {member.name}", text)
                    if patch is not None:
                        yield patch
