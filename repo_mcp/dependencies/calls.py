"""Answers calls from installed packages, where these are asked or the project has no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from repo_mcp.answers.records import field_values
from repo_mcp.answers.repository import SearchResult, StatusResult
from repo_mcp.answers.symbols import SymbolAnswer
from repo_mcp.audit.log import AuditLog
from repo_mcp.dependencies.catalog import Packages
from repo_mcp.dependencies.dependencies import Dependencies, Roots
from repo_mcp.dependencies.scope import PackageScope, find_package_scope, may_name_packages
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.mounts import is_package
from repo_mcp.model import AnswerWarning
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answering import ToolHandlers
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context
from repo_mcp.workspace import WorkspaceView

# problems that say that the project has no such symbol
_UNKNOWN: Final = frozenset({"symbol_missing", "graph_missing"})
# arguments of tools that name a symbol
_NAMES: Final = frozenset(["name", "symbols", "symbol_name", "node_id", "source", "target"])
_FIRST: Final = re.compile(r"[^.:#/\s]+")
# packages whose graphs one question is linked with
_MOST_LINKED: Final = 8


class PackageCalls:
    """Runs the tools of a toolset over the project, or over installed packages."""

    def __init__(
        self,
        project: ToolHandlers,
        dependencies: Dependencies,
        roots: Roots,
        handlers_of: Callable[[WorkspaceView], ToolHandlers],
    ) -> None:
        """`handlers_of` makes the handlers of the same toolset for a view of packages."""
        self.audit: AuditLog = project.audit
        self.root_warnings = project.root_warnings
        self._project = project
        self._dependencies = dependencies
        self._roots = roots
        self._handlers_of = handlers_of

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Run one call; raises `Problem` if neither project nor packages can answer it."""
        if may_name_packages(arguments):
            scope = find_package_scope(arguments, self._packages)
            if scope is not None:
                return self._ask(name, scope, context)
        try:
            outcome = self._project.call(name, arguments, context)
        except Problem as problem:
            if problem.code not in _UNKNOWN:
                raise
            mounts = self._packages_of_names(arguments)
            if not mounts:
                raise
            return self._ask_about_symbol(name, mounts, arguments, context)
        result = outcome.result
        if isinstance(result, StatusResult):
            result.dependencies = self._dependencies.describe(self._roots, self.audit)
        if isinstance(result, SearchResult) and not result.hits and not arguments.get("file_glob"):
            return self._search_instead(name, arguments, context, outcome)
        return outcome

    @property
    def _packages(self) -> Packages:
        return self._dependencies.packages(self._roots, self.audit)

    def _ask(self, name: str, scope: PackageScope, context: Context) -> Outcome:
        view = self._dependencies.view(scope.mounts, self._roots, self.audit)
        outcome = self._handlers_of(view).call(name, scope.arguments, context)
        ids = (str(number) for number in field_values(outcome.result, ("node_id",)))
        self._dependencies.remember(ids, [name for name in scope.mounts if is_package(name)])
        warnings = [*view.roots.warnings, *map(_told, outcome.warnings)]
        if scope.left_out:
            text = (
                f"the first {len(scope.mounts)} packages were searched, and"
                f" {scope.left_out} more were not: name some as repo:NAME"
            )
            warnings.append(AnswerWarning("packages_left_out", text))
        return outcome._replace(warnings=warnings)

    def _ask_about_symbol(
        self, name: str, mounts: Sequence[str], arguments: Arguments, context: Context
    ) -> Outcome:
        """A call about a symbol of packages, whose users in the project are part of the answer.

        Files with the name are linked for it. Where they do not tell the symbol, the packages alone
        are asked, whose graph is of all their files, and then the users of what that tells.
        """
        together = (*self._roots, *mounts)
        inside = self._names_inside(mounts, arguments)
        found = self._find(name, PackageScope(together, arguments), context)
        if found is not None:
            return found
        alone = self._find(name, PackageScope(tuple(mounts), arguments), context)
        if alone is None:
            return self._ask(name, PackageScope(tuple(mounts), inside or arguments), context)
        if not isinstance(alone.result, SymbolAnswer):
            return alone
        place = f"{alone.result.path}:{alone.result.start_line}"
        with_users = PackageScope(together, {**arguments, "name": place})
        return self._find(name, with_users, context) or alone

    def _find(self, name: str, scope: PackageScope, context: Context) -> Outcome | None:
        """The answer; None if there is no such symbol in this scope."""
        try:
            return self._ask(name, scope, context)
        except Problem as problem:
            if problem.code not in _UNKNOWN:
                raise
            return None

    def _names_inside(self, mounts: Sequence[str], arguments: Arguments) -> Arguments:
        """The arguments with names as files in a package have them, without the package's."""
        packages = self._packages
        offers = [name for mount in mounts for name in packages.by_mount[mount].offers]
        found = {
            key: value[len(offer) + 1 :]
            for key in _NAMES
            if isinstance(value := arguments.get(key), str)
            for offer in offers
            if value.startswith(offer) and len(value) > len(offer) + 1
        }
        return {**arguments, **found} if found else {}

    def _packages_of_names(self, arguments: Arguments) -> Sequence[str]:
        """The packages that the names of symbols in arguments begin with."""
        packages = self._packages
        found: dict[str, None] = {}
        for text in _texts(arguments):
            first = _FIRST.match(text)
            mounts = packages.of_import(text)
            if not mounts and first is not None and first.end() < len(text):
                mounts = packages.find(first[0])
            found.update(dict.fromkeys(mounts or self._dependencies.shown_in(text)))
        return [*found][:_MOST_LINKED]

    def _search_instead(
        self, name: str, arguments: Arguments, context: Context, empty: Outcome
    ) -> Outcome:
        """The hits in packages that are indexed; the empty answer if there are none."""
        packages = self._packages
        mounts = [*self._dependencies.indexed(self._roots, self.audit)]
        every = len(packages.by_mount)
        if not mounts:
            return empty
        outcome = self._ask(name, PackageScope(tuple(mounts), arguments), context)
        if not (isinstance(outcome.result, SearchResult) and outcome.result.hits):
            return empty
        text = (
            f"the repository has nothing: these are from {counted(len(mounts), 'package')} that it"
            f" depends on, of {every}; in:deps in the query searches all"
        )
        return outcome._replace(warnings=[AnswerWarning("from_packages", text), *outcome.warnings])


def _told(warning: AnswerWarning) -> AnswerWarning:
    """The warning, without a promise that the project is linked together with packages."""
    if warning.code != "linking":
        return warning
    text = "uses are those in files with the name, of the project and of the packages"
    return warning._replace(text=text)


def _texts(arguments: Arguments) -> Iterator[str]:
    for name, value in arguments.items():
        if name not in _NAMES:
            continue
        if isinstance(value, str):
            yield value.strip()
        elif isinstance(value, list):
            yield from (item.strip() for item in value if isinstance(item, str))
