"""The Python interface, which `repo_mcp` names: a repository opened by a program of its user.

Settings come from arguments and the repository's own `repo_mcp.toml`: variables and the user's file
are the commands' alone. Sandbox, denylist and answers are those of the commands and the server;
nothing here prints or serves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar

from index_format import CorruptIndexError, Snapshot
from repo_mcp import changes, history
from repo_mcp.errors import Problem
from repo_mcp.model import RefreshResult, SearchAnswer
from repo_mcp.repository import LineRange, read
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery, RankedEngine, StructureEngine
from repo_mcp.services import Services, services
from repo_mcp.settings import ConfigError, Options, find_path_problem, fix_paths
from repo_mcp.settings.workspace_roots import roots_of_names
from repo_mcp.stored import IndexProgress
from repo_mcp.text.globs import compile_globs

if TYPE_CHECKING:  # few look into packages or the past
    from repo_mcp.answers.changes import ChangesResult
    from repo_mcp.answers.history import HistoryResult
    from repo_mcp.history import Histories
    from repo_mcp.packages import ServedPackages

T = TypeVar("T")
_HITS: Final = 10
_LINES: Final = 100
# characters of an answer about the past, whatever the limit of its rows
_MOST_CHARS: Final = 4_000_000
# seconds for linking each side of a change that is not the checkout
_LINKING: Final = 20.0


Root = str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]


def _options(root: Root, data_dir: str | None) -> Options:
    for path in (*(root.values() if isinstance(root, Mapping) else [root]), data_dir or ""):
        problem = find_path_problem(os.fspath(path))
        if problem:
            raise ConfigError(f"{os.fspath(path)!r}: {problem}")
    if not isinstance(root, Mapping):
        return fix_paths(Options(os.fspath(root), data_dir))
    mounts = roots_of_names({name: os.fspath(folder) for name, folder in root.items()})
    return fix_paths(Options(mounts[0].path, data_dir, mounts=mounts))


class _Opened:
    """Index and engines of the repository, or of some installed packages."""

    def __init__(self, parts: Services) -> None:
        self.parts = parts
        self.ranked = RankedEngine(parts.sandbox, parts.languages)
        self.exact = ExactEngine(parts.sandbox)
        self.structure: StructureEngine | None = None

    def snapshot(self) -> Snapshot:
        """The index, which is made if there is none."""
        manager = self.parts.manager
        found = manager.snapshot()
        if found is None or (self.parts.made_once and not IndexProgress.of(found).complete):
            manager.refresh(self.parts.budget, wait_for_writer=True)
            manager.tidy(self.parts.budget)
            found = manager.snapshot()
        if found is None:
            raise Problem("index_missing")
        return found


class LocalRepository:
    """A repository and its index; answers are from the files as of the last `refresh`.

    Methods raise `Problem`, whose `code` says what is wrong. Several threads may search at once.
    """

    def __init__(self, parts: Services, packages: ServedPackages | None = None) -> None:
        """Keep what is open; nothing is indexed."""
        self._own = _Opened(parts)
        self._manager = parts.manager
        self._budget = parts.budget
        self._packages = packages
        self._histories: Histories | None = None

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

    def at(self, revision: str) -> LocalRepository:
        """The repository as it was at a commit, branch or tag; to be closed by itself.

        Nothing is checked out: its index begins as the index of the files as they are.
        """
        from repo_mcp.services import services_at  # noqa: PLC0415 few look into the past

        return LocalRepository(services_at(self._own.parts, revision).parts)

    def search(self, query: str, *, limit: int = _HITS) -> SearchAnswer:
        """The best passages for words, names and operators.

        `in:deps` and `repo:NAME` search installed packages, if the repository was opened with them.
        """
        opened, given = self._asked(query=query)
        text = given["query"]
        return self._answer(
            opened,
            lambda snapshot: opened.ranked.search(snapshot, text, limit, None, self._budget),
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
        glob: str = "",
    ) -> ExactAnswer:
        """Lines that hold a text or match an expression, by path; None is no limit.

        After `seconds` it stops, and the answer is not `complete`. With a `glob` it is about the
        files that match; `deps:NAME/**` are those of an installed package.
        """
        opened, _ = self._asked(glob=glob)
        query = ExactQuery(
            (pattern,),
            regex,
            ignore_case,
            whole_word,
            context,
            limit,
            allowed=compile_globs(glob).matches if glob else None,
        )
        budget = self._budget if seconds is None else self._budget.within(seconds)
        return self._answer(opened, lambda snapshot: opened.exact.find(snapshot, query, budget))

    def find_structure(
        self,
        pattern: str,
        *,
        language: str | None = None,
        context: int = 0,
        limit: int | None = _LINES,
        seconds: float | None = None,
        glob: str = "",
    ) -> ExactAnswer:
        """Lines where code of a shape begins, in ast-grep patterns; `trees` are its matches.

        Without a language the pattern is searched for in every language in which it is code. A
        `glob` is that of `find_lines`.
        """
        opened, _ = self._asked(glob=glob)
        if opened.structure is None:
            opened.structure = StructureEngine(opened.parts.sandbox)
        engine = opened.structure
        query = ExactQuery(
            (pattern,),
            context=context,
            limit=limit,
            allowed=compile_globs(glob).matches if glob else None,
            languages=(language,) if language else (),
            bindings=True,
        )
        budget = self._budget if seconds is None else self._budget.within(seconds)
        return self._answer(opened, lambda snapshot: engine.find(snapshot, query, budget))

    def files(self) -> list[str]:
        """Paths of all indexed files, in order."""
        return self._answer(self._own, lambda snapshot: list(snapshot.paths()))

    def packages(self) -> list[str]:
        """Beginnings of the paths of installed packages, if the repository was opened with them."""
        return [] if self._packages is None else [*self._packages.dependencies.packages.by_mount]

    def read(self, path: str, first: int = 1, last: int | None = None) -> list[str]:
        """Lines `first` to `last` of a file as it is now, without their ends."""
        asked = LineRange(first, last)
        asked.check()
        opened, _ = self._asked(path=path)
        content = read(opened.parts.sandbox, path)
        if content.text is None:
            raise Problem("binary_file", content.path)
        begin, end = asked.within(len(content.lines))
        return content.lines[begin - 1 : end]

    def history(  # noqa: PLR0913 the questions that there are
        self,
        path: str = "",
        *,
        text: str = "",
        regex: str = "",
        words: str = "",
        lines: str = "",
        about: str = "commits",
        rev: str = "",
        author: str = "",
        since: str = "",
        until: str = "",
        ignore_case: bool = False,
        ignore_blanks: bool = False,
        copies: bool = False,
        limit: int = _HITS,
    ) -> HistoryResult:
        """Commits, blamed lines, related files, people, or a file as it was; hashes are whole.

        The first question indexes the commits, and waits for it.
        """
        question = history.HistoryQuestion(
            path=path,
            text=text,
            regex=regex,
            words=words,
            lines=lines,
            about=about,
            rev=rev,
            author=author,
            since=since,
            until=until,
            ignore_case=ignore_case,
            any_blanks=ignore_blanks,
            copies=copies,
            limit=limit,
            full_hashes=True,
        )
        answer, _ = history.ask_histories(self._past(), question, self._budget, _MOST_CHARS)
        return answer.result

    def changes(
        self,
        rev: str = "",
        *,
        since: str = "",
        staged: bool = False,
        patch: str = "",
        path: str = "",
        coverage: str = "",
        context: bool = False,
    ) -> ChangesResult:
        """Places that a change breaks, the tests to run, and what is missing in it.

        By default it is what is not committed.

        `rev` is a commit or a range, `since` compares the files with a revision, and a `patch` is
        applied or not. The index is brought up to date, and the graph linked.
        """
        asked = changes.ChangeQuestion(rev, since, staged, patch, path, coverage)
        asked.check()
        parts, manager = self._own.parts, self._manager
        manager.refresh(self._budget, wait_for_writer=True)
        manager.link(self._budget)
        repository = parts.opened(watches=False).repository
        given = repository, self._past(), self._own.exact, _LINKING
        reviewer = changes.ChangeReviewer(
            changes.ReviewServices(*given, waits=True), asked, self._budget
        )
        review = reviewer.review(repository.current_graph(), repository.current_index())
        return changes.changes_result(review, _MOST_CHARS, reviewer.read, with_context=context)

    def _past(self) -> Histories:
        """The histories of the roots."""
        if self._histories is None:
            self._histories = history.Histories(self._manager.parts, history.PATIENT)
        return self._histories

    def close(self) -> None:
        """Stop idle workers and let the index go."""
        if self._histories is not None:
            self._histories.close()
        if self._packages is not None:
            self._packages.close()
        self._manager.close()

    def _asked(self, **arguments: str) -> tuple[_Opened, Mapping[str, str]]:
        """Index and engines for a question, and its arguments without the names of packages."""
        question = None if self._packages is None else self._packages.read_place(arguments)
        if self._packages is None or question is None:
            return self._own, arguments
        return _Opened(self._packages.services(question.place)), question.arguments

    def _answer(self, opened: _Opened, ask: Callable[[Snapshot], T]) -> T:
        """Ask the newest generation; a damaged one is rebuilt from the files first."""
        try:
            return ask(opened.snapshot())
        except CorruptIndexError:
            opened.parts.manager.rebuild(self._budget)
            return ask(opened.snapshot())


def open(  # noqa: A001 called as repo_mcp.open
    root: Root = ".",
    *,
    data_dir: str | os.PathLike[str] | None = None,
    refresh: bool = True,
    dependencies: bool = False,
) -> LocalRepository:
    """Open a repository, and bring its index up to date unless `refresh` is false.

    The index is in `.repo_mcp` of the root, or in `data_dir`. The first one may take minutes. With
    `dependencies` installed packages can be searched and read, too.
    """
    options = _options(root, None if data_dir is None else os.fspath(data_dir))
    parts, packages = services(options), None
    if dependencies:
        from repo_mcp.packages import ServedPackages  # noqa: PLC0415 few look into packages

        packages = ServedPackages(options, parts)
    opened = LocalRepository(parts, packages)
    if refresh:
        try:
            opened.refresh()
        except BaseException:
            opened.close()
            raise
    return opened
