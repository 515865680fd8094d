"""What the interrogator's tools do; loaded with the first call, each tool with its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from repo_mcp.audit.log import AuditLog
from repo_mcp.toolsets.interrogator import declarations as interrogator
from repo_mcp.toolsets.kit.envelope import Outcome
from repo_mcp.toolsets.kit.loading import beside
from repo_mcp.toolsets.kit.services import Arguments, Context, Handler, ToolServices


class Interrogator:
    """The services of one repository behind the tools' names."""

    def __init__(self, services: ToolServices) -> None:
        """Take what the tools work with."""
        self._services = services
        self._handlers: dict[str, Handler] = {}

    @property
    def audit(self) -> AuditLog:
        """Where calls are kept."""
        return self._services.audit

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Answer one call; what can't be answered is a `Problem`."""
        kind = name
        if name == interrogator.SEARCH.name and arguments["mode"] != "bm25":
            kind = _EXACT
        handler = self._handlers.get(kind)
        if handler is None:
            handler = beside(lambda: self._made(kind), context.budget)
        outcome = handler(arguments, context)
        notes = self._services.repository.settings.notes
        return outcome._replace(warnings=[*notes, *outcome.warnings])

    def _made(self, kind: str) -> Handler:
        return self._handlers.setdefault(kind, _MAKERS[kind](self._services))


_EXACT: Final = "repo.search exactly"


def _ranked(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.search_ranked import RankedSearch  # noqa: PLC0415 not before it is asked

    return RankedSearch(services)


def _exact(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.search_exact import ExactSearch  # noqa: PLC0415 as above

    return ExactSearch(services)


def _open(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.open_file import OpenFile  # noqa: PLC0415 as above

    return OpenFile(services)


def _outline(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.outline import Outline  # noqa: PLC0415 as above

    return Outline(services)


def _list(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.list_files import ListFiles  # noqa: PLC0415 as above

    return ListFiles(services)


def _bundle(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.bundle import BuildContextBundle  # noqa: PLC0415 as above

    return BuildContextBundle(services)


def _status(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.index import Status  # noqa: PLC0415 as above

    return Status(services)


def _refresh(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.index import RefreshIndex  # noqa: PLC0415 as above

    return RefreshIndex(services)


def _audit(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.audit_log import AuditCalls  # noqa: PLC0415 as above

    return AuditCalls(services)


_MAKERS: Final[Mapping[str, Callable[[ToolServices], Handler]]] = {
    interrogator.SEARCH.name: _ranked,
    _EXACT: _exact,
    interrogator.OPEN_FILE.name: _open,
    interrogator.OUTLINE.name: _outline,
    interrogator.LIST_FILES.name: _list,
    interrogator.BUILD_CONTEXT_BUNDLE.name: _bundle,
    interrogator.STATUS.name: _status,
    interrogator.REFRESH.name: _refresh,
    interrogator.AUDIT_LOG.name: _audit,
}
