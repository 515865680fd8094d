"""The owners of the files of a tree, by all of its files that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from code_graph.paths.globs import is_below
from repo_mcp.owners.authors import Authors
from repo_mcp.owners.codeowners import CODEOWNERS, CodeOwners, folder_of, place_of
from repo_mcp.owners.maintainers import MAINTAINERS, Maintainers
from repo_mcp.owners.model import Claim, ClaimSource, ClaimTable, Owner, ReadText
from repo_mcp.owners.owners_files import OwnersFiles

# endings of a MAINTAINERS file
_ENDINGS: Final = ("", ".md", ".txt", ".rst")
_MOST_FILES: Final = 20_000


class Ownership:
    """The owners of each file of a tree.

    Authors of a package count where no file says who owns what.
    """

    def __init__(self, paths: Iterable[str], read_text: ReadText) -> None:
        """`paths` has those of all files that may say something; others do no harm."""
        named = sorted(paths, key=lambda path: (path.count("/"), path))
        people = [path for path in reversed(named) if _is_maintainers(path)]
        self._rules: list[CodeOwners | Maintainers] = [
            *(CodeOwners(path, read_text(path) or "") for path in _of_repositories(named)),
            *(Maintainers(path, read_text(path) or "") for path in people),
        ]
        self._files = OwnersFiles(named, read_text)
        self._authors = Authors(named, read_text)
        self.claims = lru_cache(_MOST_FILES)(self._claims)
        # the claims of an owner by a name
        self.claims_of = lru_cache(self._claims_of)

    def owners(self, path: str) -> list[Owner]:
        """The owners of a file, those of the most specific claim first."""
        return [*dict.fromkeys(owner for claim in self.claims(path) for owner in claim.owners)]

    def every(self) -> Iterator[Claim]:
        """All claims that are made for any file."""
        for source in self._sources:
            yield from source.every()

    def _claims_of(self, name: str) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.every() if claim.is_named(name))

    def files_of(self, name: str) -> Callable[[str], bool] | None:
        """The test of files that have an owner of this name; None if nobody has it."""
        named = self.claims_of(name)
        if not named:
            return None
        candidates = ClaimTable(named)

        def has_owner(path: str) -> bool:
            return bool(candidates.of(path)) and any(
                claim.is_named(name) for claim in self.claims(path)
            )

        return has_owner

    @property
    def _sources(self) -> Sequence[ClaimSource]:
        return [*self._rules, self._files, self._authors]

    def _claims(self, path: str) -> tuple[Claim, ...]:
        around = (source for source in self._rules if is_below(path, source.folder))
        said = [claim for source in (*around, self._files) for claim in source.claims(path)]
        return (*said,) or (*self._authors.claims(path),)


def _of_repositories(paths: Iterable[str]) -> Iterator[str]:
    """The first CODEOWNERS of each repository; one inside another is of a copy, and not asked."""
    named = [path for path in paths if path.rpartition("/")[2] == CODEOWNERS]
    folders: list[str] = []
    for path in sorted(named, key=lambda path: (folder_of(path).count("/"), place_of(path))):
        folder = folder_of(path)
        if not any(is_below(folder, other) for other in folders):
            folders.append(folder)
            yield path


def _is_maintainers(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(MAINTAINERS) and name[len(MAINTAINERS) :].lower() in _ENDINGS
