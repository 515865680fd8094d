"""Answers calls from installed packages, where these are asked or the project has no answer."""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.answers.records import field_values
from repo_mcp.answers.repository import SearchResult, StatusResult
from repo_mcp.answers.symbols import SymbolAnswer
from repo_mcp.audit.log import AuditLog
from repo_mcp.dependencies.dependencies import Dependencies
from repo_mcp.dependencies.questions import UNKNOWN, SymbolQuestion, packages_of_names
from repo_mcp.dependencies.scope import may_name_packages, place_in_packages
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.place.place import PlacedQuestion
from repo_mcp.toolsets.kit.answering import ToolHandlers
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context
from repo_mcp.workspace import WorkspaceView


class PackageCalls:
    """Runs the tools of a toolset over the project, or over installed packages."""

    def __init__(
        self,
        project: ToolHandlers,
        dependencies: Dependencies,
        handlers_of: Callable[[WorkspaceView], ToolHandlers],
    ) -> None:
        """`handlers_of` makes the handlers of the same toolset for a view of packages."""
        self.audit: AuditLog = project.audit
        self.root_warnings = project.root_warnings
        self._project = project
        self._dependencies = dependencies
        self._handlers_of = handlers_of

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Run one call; raises `Problem` if neither project nor packages can answer it."""
        if may_name_packages(arguments):
            question = place_in_packages(arguments, self._dependencies.packages)
            if question is not None:
                return self._ask(name, question, context)
        try:
            outcome = self._project.call(name, arguments, context)
        except Problem as problem:
            if problem.code not in UNKNOWN:
                raise
            found = self._ask_about_symbol(name, arguments, context)
            if found is None:
                raise
            return found
        result = outcome.result
        if isinstance(result, StatusResult):
            result.dependencies = self._dependencies.describe()
        is_empty = isinstance(result, SearchResult) and not (result.hits or result.others)
        if is_empty and not arguments.get("file_glob"):
            return self._search_instead(name, arguments, context, outcome)
        return outcome

    def _ask(self, name: str, question: PlacedQuestion, context: Context) -> Outcome:
        view = self._dependencies.view(question.place)
        outcome = self._handlers_of(view).call(name, question.arguments, context)
        ids = (str(number) for number in field_values(outcome.result, ("node_id",)))
        self._dependencies.remember(ids, question.place.packages)
        warnings = [*view.roots.warnings, *map(_told, outcome.warnings), *question.warnings]
        return outcome._replace(warnings=warnings)

    def _ask_about_symbol(
        self, name: str, arguments: Arguments, context: Context
    ) -> Outcome | None:
        """The answer of the packages that names in arguments begin with; None if there are none."""
        packages = self._dependencies.packages
        mounts = packages_of_names(arguments, packages, self._dependencies.shown_in)
        if not mounts:
            return None
        question: SymbolQuestion[Outcome] = SymbolQuestion(
            lambda placed: self._ask(name, placed, context),
            _place_of,
            packages,
            self._dependencies.roots,
        )
        return question.answer(mounts, arguments)

    def _search_instead(
        self, name: str, arguments: Arguments, context: Context, empty: Outcome
    ) -> Outcome:
        """The hits in packages that are indexed; the empty answer if there are none."""
        question = self._dependencies.instead(arguments)
        if question is None:
            return empty
        outcome = self._ask(name, question._replace(warnings=()), context)
        if not (isinstance(outcome.result, SearchResult) and outcome.result.hits):
            return empty
        return outcome._replace(warnings=[*question.warnings, *outcome.warnings])


def _place_of(outcome: Outcome) -> str:
    """Path and line of the one symbol that an answer is about."""
    result = outcome.result
    return f"{result.path}:{result.start_line}" if isinstance(result, SymbolAnswer) else ""


def _told(warning: AnswerWarning) -> AnswerWarning:
    """The warning, without a promise that the project is linked together with packages."""
    if warning.code != "linking":
        return warning
    text = "uses are those in files with the name, of the project and of the packages"
    return warning._replace(text=text)
