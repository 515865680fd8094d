"""A repository, opened to search its index and read its files.

`repo_mcp.open` is the door. Settings come from arguments and the repository's own `repo_mcp.toml`:
variables and the user's file are the commands' alone. Sandbox and denylist are those of the server.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, Self, TypeVar

from index_format import CorruptIndexError, Snapshot
from repo_mcp.errors import Problem
from repo_mcp.model import RefreshResult, SearchAnswer
from repo_mcp.repository import LineRange, read
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery, RankedEngine, StructureEngine
from repo_mcp.services import services
from repo_mcp.settings import Options, fix_paths
from repo_mcp.settings.workspace_roots import roots_of_names

T = TypeVar("T")
_HITS: Final = 10
_LINES: Final = 100


Root = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]


def _options(root: Root, data_dir: str | None) -> Options:
    if not isinstance(root, Mapping):
        return fix_paths(Options(os.fspath(root), data_dir))
    mounts = roots_of_names({name: os.fspath(folder) for name, folder in root.items()})
    return fix_paths(Options(mounts[0].path, data_dir, mounts=mounts))


class LocalRepository:
    """A repository and its index; answers are from the files as of the last `refresh`.

    Methods raise `Problem`, whose `code` says what is wrong. Several threads may search at once.
    """

    def __init__(self, root: Root, data_dir: str | os.PathLike[str] | None) -> None:
        """Open without indexing."""
        kept = None if data_dir is None else os.fspath(data_dir)
        found = services(_options(root, kept))
        self._sandbox = found.sandbox
        self._manager = found.manager
        self._budget = found.budget
        self._ranked = RankedEngine(found.sandbox, found.languages)
        self._exact = ExactEngine(found.sandbox)
        self._structure: StructureEngine | None = None

    def __enter__(self) -> Self:
        """The repository itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop what runs for this repository."""
        self.close()

    def refresh(self) -> RefreshResult:
        """Bring the index up to date with the files; builds it if there is none."""
        done = self._manager.refresh(self._budget, wait_for_writer=True)
        self._manager.tidy(self._budget)
        return done

    def search(self, query: str, *, limit: int = _HITS) -> SearchAnswer:
        """The best passages for words, names and operators."""
        return self._answer(
            lambda snapshot: self._ranked.search(snapshot, query, limit, None, self._budget)
        )

    def find_lines(
        self,
        pattern: str,
        *,
        regex: bool = False,
        ignore_case: bool = False,
        whole_word: bool = False,
        context: int = 0,
        limit: int | None = _LINES,
        seconds: float | None = None,
    ) -> ExactAnswer:
        """Lines that hold a text or match an expression, by path; None is no limit.

        After `seconds` it stops, and the answer is not `complete`.
        """
        query = ExactQuery((pattern,), regex, ignore_case, whole_word, context, limit)
        budget = self._budget if seconds is None else self._budget.within(seconds)
        return self._answer(lambda snapshot: self._exact.find(snapshot, query, budget))

    def find_structure(
        self,
        pattern: str,
        *,
        language: str | None = None,
        context: int = 0,
        limit: int | None = _LINES,
        seconds: float | None = None,
    ) -> ExactAnswer:
        """Lines where code of a shape begins, in ast-grep patterns; `trees` are its matches.

        Without a language the pattern is searched for in every language in which it is code.
        """
        if self._structure is None:
            self._structure = StructureEngine(self._sandbox)
        engine = self._structure
        query = ExactQuery(
            (pattern,),
            context=context,
            limit=limit,
            languages=(language,) if language else (),
            bindings=True,
        )
        budget = self._budget if seconds is None else self._budget.within(seconds)
        return self._answer(lambda snapshot: engine.find(snapshot, query, budget))

    def files(self) -> list[str]:
        """Paths of all indexed files, in order."""
        return self._answer(lambda snapshot: list(snapshot.paths()))

    def read(self, path: str, first: int = 1, last: int | None = None) -> list[str]:
        """Lines `first` to `last` of a file as it is now, without their ends."""
        asked = LineRange(first, last)
        asked.check()
        content = read(self._sandbox, path)
        if content.text is None:
            raise Problem("binary_file", content.path)
        begin, end = asked.within(len(content.lines))
        return content.lines[begin - 1 : end]

    def close(self) -> None:
        """Stop idle workers and let the index go."""
        self._manager.close()

    def _answer(self, ask: Callable[[Snapshot], T]) -> T:
        """Ask the newest generation; a damaged one is rebuilt from the files first."""
        try:
            return ask(self._snapshot())
        except CorruptIndexError:
            self._manager.rebuild(self._budget)
            return ask(self._snapshot())

    def _snapshot(self) -> Snapshot:
        found = self._manager.snapshot()
        if found is None:
            self.refresh()
            found = self._manager.snapshot()
        if found is None:
            raise Problem("index_missing")
        return found


def open(  # noqa: A001 called as repo_mcp.open
    root: Root = ".",
    *,
    data_dir: str | os.PathLike[str] | None = None,
    refresh: bool = True,
) -> LocalRepository:
    """Open a repository, and bring its index up to date unless `refresh` is false.

    The index is in `.repo_mcp` of the root, or in `data_dir`. The first one may take minutes.
    """
    opened = LocalRepository(root, data_dir)
    if refresh:
        try:
            opened.refresh()
        except BaseException:
            opened.close()
            raise
    return opened
