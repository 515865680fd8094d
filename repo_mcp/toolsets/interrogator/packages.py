"""The packages that a question names, as a part of the answer of `repo.ask`."""

from __future__ import annotations

from collections.abc import Sequence

from index_format import Snapshot
from repo_mcp.answers.verdicts import ABSENT, PARTLY, Verdict
from repo_mcp.ask.packages import notes_of_packages, overview_of_packages, relations_of_package
from repo_mcp.errors import Problem
from repo_mcp.repository import OpenIndex
from repo_mcp.toolsets.interrogator.answer_part import AnswerPart
from repo_mcp.toolsets.kit.services import Context, ToolServices


class NamedPackages:
    """Tells what packages depend on, and what depends on them."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def of_name(self, name: str, context: Context) -> AnswerPart:
        """The relations of the packages of a name; without one the number of all packages."""
        services = self._services

        def ask(index: OpenIndex) -> AnswerPart:
            if index.snapshot is None:
                raise Problem("index_unavailable", "nothing is indexed yet")
            verdict, rows = self._answer(name, index.snapshot, context)
            title = f"package {name}" if name else "packages"
            part = AnswerPart(title, verdict, rows, index.warnings)
            return part._replace(generation=index.generation)

        return services.repository.run_query(ask, services.wait, context.budget)

    def _answer(
        self, name: str, snapshot: Snapshot, context: Context
    ) -> tuple[Verdict, Sequence[str]]:
        packages = self._services.engine.packages(snapshot)
        if not packages.all:
            return Verdict(ABSENT, "no manifest of a package is here"), ()
        if not name:
            return Verdict(), [*overview_of_packages(packages)]
        scope = packages.scope(name)
        if scope is None:
            near = packages.near(name)
            said = f"; near: {', '.join(near)}" if near else ""
            return Verdict(PARTLY, f"no package has the name {name}{said}"), ()
        services = self._services
        opened = services.repository.follow_graph(services.wait, context.budget)
        graph = opened.graph if opened.on_demand is None else None
        relations = relations_of_package(packages, scope, graph, context.budget)
        rows = [*relations.rows(), *notes_of_packages(packages)]
        lacks = [] if opened.is_whole else ["not all files are linked"]
        lacks += ["not all of its rule could be read" for it in scope.packages[:1] if it.unread]
        return Verdict(PARTLY, ", ".join(lacks)) if lacks else Verdict(), rows
