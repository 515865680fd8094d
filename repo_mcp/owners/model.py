"""Owners of files, and the claims of them that files make."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache, partial
from itertools import chain, takewhile
from typing import Final, Protocol

import re2  # type: ignore[import-untyped]  # it brings no types

from code_graph.paths.globs import Glob, GlobError
from code_graph.projects.tree import ancestors, below
from index_format.tuples import NamedTuple

# the file of this path; None if it is not there, or no text
ReadText = Callable[[str], str | None]
_WILD: Final = re.compile(r"[*?\[{]")
_MOST_FOLDERS: Final = 50_000


class OwnerRole(StrEnum):
    """The part of an owner in a change."""

    OWNER = "owner"
    MAINTAINER = "maintainer"
    REVIEWER = "reviewer"
    LIST = "list"
    AUTHOR = "author"


class Owner(NamedTuple):
    """A person, a team or a mailing list, as the file writes it."""

    name: str
    role: OwnerRole = OwnerRole.OWNER

    def is_named(self, name: str) -> bool:
        """True if a name is this one, or whole words of it, in any letter case."""
        return _named(name).search(self.name) is not None


@lru_cache
def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name.strip())}(?![\w-])", re.IGNORECASE)


class PathPattern(NamedTuple):
    """A folder, or a file, and the test of paths below it; without a test all is meant.

    The path of the folder itself is empty.
    """

    folder: str
    matches: Callable[[str], bool] | None = None

    @classmethod
    def of(cls, folder: str, pattern: str, *, opens: bool) -> PathPattern | None:
        """The meaning of a pattern that is written in a folder; None for one over the limits.

        One without a slash is a name at any depth, and a folder stands for what is in it. So does
        one that ends with a name with wildcards, if it `opens` folders; `*` never does.
        """
        text = pattern.strip("/")
        *above, name = text.split("/")
        if not (above or pattern.startswith("/")):
            above = ["**"]
        literal = [*takewhile(lambda part: not _WILD.search(part), above)]
        base, rest = below(folder, "/".join(literal)), [*above[len(literal) :], name]
        if name in {"", "**"} and len(rest) == 1:
            return cls(base, bool if name else None)
        is_folder = pattern.endswith("/")
        if len(rest) == 1 and not _WILD.search(name):
            return cls(below(base, name), bool if is_folder else None)
        opens = is_folder or (name.strip("*") != "" and (opens or not _WILD.search(name)))
        try:
            own = None if is_folder else Glob("/".join(rest))
            inside = Glob(f"{'/'.join(rest)}/**") if opens else None
        except GlobError:
            return None
        if own is not None and own.expression is None and len(rest) > 1:
            return cls(base)
        return cls(base, partial(_is_matched, own, inside, is_flat=len(rest) == 1))

    @classmethod
    def found_by(cls, folder: str, expression: str) -> PathPattern | None:
        """The paths below a folder in which RE2 finds an expression; None for one it refuses."""
        try:
            compiled = re2.compile(expression)
        except re2.error:
            return None
        return cls(folder, lambda path: compiled.search(path) is not None)


def _is_matched(own: Glob | None, inside: Glob | None, path: str, *, is_flat: bool) -> bool:
    """`is_flat`: the pattern is one name, which no path with folders has."""
    if own is not None and not (is_flat and "/" in path) and own.matches(path):
        return True
    return inside is not None and inside.matches(path)


class Claim(NamedTuple):
    """A line of a file that says who owns other files.

    `title` is the name of a part of the repository, `pattern` what the file has for it. Without
    owners it says that there are none.
    """

    files: PathPattern
    owners: tuple[Owner, ...]
    path: str
    line: int
    title: str = ""
    pattern: str = ""

    def has(self, path: str) -> bool:
        """True if it is made for a file below its folder."""
        folder, matches = self.files
        return matches is None or matches(path[len(folder) + 1 :] if folder else path)

    def is_named(self, name: str) -> bool:
        """True if this is the name of one of its owners, or of its part of the repository."""
        return name.casefold() == self.title.casefold() or any(
            owner.is_named(name) for owner in self.owners
        )


class ClaimSource(Protocol):
    """The claims of all files of one format."""

    def claims(self, path: str) -> Sequence[Claim]:
        """The claims that hold for a file, the most specific first."""

    def every(self) -> Iterator[Claim]:
        """All that are made for any file."""


class ClaimTable:
    """Claims by folder, so that a file is compared with those made for folders around it alone."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims = [*claims]
        self._by_folder: dict[str, list[int]] = defaultdict(list)
        for number, claim in enumerate(self._claims):
            self._by_folder[claim.files.folder].append(number)
        self._around = lru_cache(_MOST_FOLDERS)(self._of_folder)

    def __iter__(self) -> Iterator[Claim]:
        """All claims, in their order."""
        return iter(self._claims)

    def of(self, path: str) -> list[Claim]:
        """The claims that are made for a file, in their order."""
        numbers = self._around(path.rpartition("/")[0])
        if own := self._by_folder.get(path):
            numbers = sorted((*numbers, *own))
        return [self._claims[number] for number in numbers if self._claims[number].has(path)]

    def _of_folder(self, folder: str) -> Sequence[int]:
        around = (self._by_folder.get(name, ()) for name in ancestors(folder))
        return sorted(chain.from_iterable(around))
