"""The owners of what a question names, as a part of the answer of `repo.ask`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.verdicts import ABSENT, PARTLY, Verdict
from repo_mcp.ask.owners import (
    NO_OWNERS,
    files_of_owner,
    owners_by_words,
    owners_of_file,
    owners_of_folder,
)
from repo_mcp.errors import Problem
from repo_mcp.owners.ownership import Ownership
from repo_mcp.repository import OpenIndex
from repo_mcp.toolsets.interrogator.answer_part import AnswerPart
from repo_mcp.toolsets.kit.services import Context, ToolServices

# files of a search whose owners are told
_MOST_FILES: Final = 5
_UNNAMED: Final = "no part and no owner has this name: these own the files with its words"


class _OwnerRows(NamedTuple):
    """The rows of an answer, and what it lacks."""

    rows: Sequence[str]
    lacks: str = ""


_Tell: TypeAlias = Callable[[Ownership, Snapshot], _OwnerRows]


class NamedOwners:
    """Tells who owns files and folders, and parts of the repository that words name."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def of_paths(
        self, files: Sequence[str], folders: Sequence[str], context: Context
    ) -> AnswerPart:
        """The owners of files by claim, and those of folders by number of files."""

        def rows(ownership: Ownership, snapshot: Snapshot) -> Iterator[str]:
            for path in files:
                yield from owners_of_file(ownership, path)
            for folder in folders:
                inside = snapshot.files(f"{folder}/".encode(), f"{folder}0".encode())
                paths = (path.decode("utf-8", "surrogatepass") for path, _, _ in inside)
                yield from owners_of_folder(ownership, folder, paths, context.budget)

        def tell(ownership: Ownership, snapshot: Snapshot) -> _OwnerRows:
            told = [*rows(ownership, snapshot)]
            return _OwnerRows(told, NO_OWNERS if all(NO_OWNERS in row for row in told) else "")

        return self._part(", ".join((*files, *folders)), tell, context)

    def of_words(self, words: str, context: Context) -> AnswerPart:
        """The owners of the parts with these words in their titles, else of files with the words.

        Of words that are the name of an owner, what is owned.
        """

        def tell(ownership: Ownership, snapshot: Snapshot) -> _OwnerRows:
            named = [*owners_by_words(ownership, words)]
            named = named or [*files_of_owner(ownership, words, snapshot.paths())]
            if named:
                return _OwnerRows(named)
            search = self._services.engine.search
            hits = search(snapshot, words, _MOST_FILES, None, context.budget).hits
            paths = dict.fromkeys(hit.path for hit in hits)
            rows = [row for path in paths for row in owners_of_file(ownership, path)]
            return _OwnerRows(rows, _UNNAMED)

        return self._part(words, tell, context)

    def _part(self, title: str, tell: _Tell, context: Context) -> AnswerPart:
        def ask(index: OpenIndex) -> AnswerPart:
            snapshot = index.snapshot
            if snapshot is None:
                raise Problem("index_unavailable", "nothing is indexed yet")
            ownership = self._services.engine.ownership(snapshot)
            if next(ownership.every(), None) is None:
                verdict = Verdict(ABSENT, "no CODEOWNERS, MAINTAINERS or OWNERS is here")
                return AnswerPart(f"owners {title}", verdict, (), index.warnings)
            rows, lacks = tell(ownership, snapshot)
            verdict = Verdict(PARTLY, lacks) if lacks else Verdict()
            part = AnswerPart(f"owners {title}", verdict, rows, index.warnings)
            return part._replace(generation=index.generation)

        services = self._services
        return services.repository.run_query(ask, services.wait, context.budget)
