"""Reads CODEOWNERS as GitHub and GitLab do: the last pattern that matches decides.

GitLab's sections decide each for itself; the owners of a section are those of its patterns without
any, and a pattern that begins with `!` leaves files without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from code_graph.projects.tree import below
from repo_mcp.owners.model import Claim, ClaimTable, Owner, PathPattern

CODEOWNERS: Final = "CODEOWNERS"
# folders for it, below that of a repository; the first counts
_FOLDERS: Final = (".github", "", "docs", ".gitlab")
CODEOWNERS_PATHS: Final = tuple(below(folder, CODEOWNERS) for folder in _FOLDERS)
_SECTION: Final = re.compile(r"\^?\[([^\]]+)\](?:\[\d+\])?(?=\s|$)(.*)")
_WORD: Final = re.compile(r"(?:\\.|[^\s\\])+")
_ESCAPED: Final = re.compile(r"\\(.)")
_NOT: Final = "!"


class CodeOwners:
    """The claims of one CODEOWNERS file for the repository that it is in."""

    def __init__(self, path: str, text: str) -> None:
        self.folder = folder_of(path)
        sections: dict[str, list[Claim]] = {}
        for claim in _claims(path, self.folder, text):
            sections.setdefault(claim.title, []).append(claim)
        self._sections = [ClaimTable(claims) for claims in sections.values()]

    def claims(self, path: str) -> list[Claim]:
        """The last claim of each section; one without owners says that there are none."""
        last = (claims[-1] for table in self._sections if (claims := table.of(path)))
        return [claim for claim in last if claim.owners]

    def every(self) -> Iterator[Claim]:
        """All that are made for any file."""
        return (claim for table in self._sections for claim in table)


def folder_of(path: str) -> str:
    """The folder of the repository that a file of this name is for."""
    folder = path.rpartition("/")[0]
    above, _, name = folder.rpartition("/")
    return above if name in _FOLDERS else folder


def place_of(path: str) -> tuple[str, int]:
    """The folder of the repository, and the order in which its places for such a file count."""
    folder = folder_of(path)
    inner = path.rpartition("/")[0].removeprefix(folder).strip("/")
    return folder, _FOLDERS.index(inner)


def _claims(path: str, folder: str, text: str) -> Iterator[Claim]:
    title = ""
    default: tuple[Owner, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if section := _SECTION.fullmatch(line.strip()):
            title, default = section[1], _owners(_words(section[2]))
            continue
        pattern, *names = _words(line) or [""]
        if not pattern:
            continue
        is_without = pattern.startswith(_NOT)
        files = PathPattern.of(folder, pattern.removeprefix(_NOT), opens=True)
        if files is not None:
            owners = () if is_without else _owners(names) or default
            yield Claim(files, owners, path, number, title, pattern)


def _words(line: str) -> list[str]:
    """The words of a line before its comment; a blank after a backslash is none."""
    words: list[str] = []
    for match in _WORD.finditer(line):
        if match[0].startswith("#"):
            break
        words.append(_ESCAPED.sub(r"\1", match[0]))
    return words


def _owners(names: Iterable[str]) -> tuple[Owner, ...]:
    return tuple(Owner(name) for name in names if "@" in name)
