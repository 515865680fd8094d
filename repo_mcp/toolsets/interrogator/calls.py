"""What the interrogator's tools do; loaded with the first call, each tool with its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from repo_mcp.audit.log import AuditLog
from repo_mcp.indexing.fresh.background import BackgroundRefresh
from repo_mcp.indexing.fresh.manager import IndexManager
from repo_mcp.model import Settings
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import RankedEngine
from repo_mcp.toolsets.interrogator import declarations as interrogator
from repo_mcp.toolsets.kit.envelope import Outcome
from repo_mcp.toolsets.kit.loading import beside
from repo_mcp.toolsets.kit.services import Arguments, Context, Handler, ToolServices


class Interrogator:
    """The services of one repository behind the tools' names; `audit` is where calls are kept."""

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        manager: IndexManager,
        background: BackgroundRefresh,
        engine: RankedEngine,
        audit: AuditLog | None = None,
    ) -> None:
        """Take what the tools work with."""
        if audit is None:
            denylist = Denylist(settings.deny_globs)
            audit = AuditLog(settings.data_dir, denylist, root=settings.root)
        self.audit = audit
        self._means = ToolServices(settings, sandbox, manager, background, engine, audit)
        self._handlers: dict[str, Handler] = {}

    @property
    def means(self) -> ToolServices:
        """What all toolsets of the repository work with."""
        return self._means

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Answer one call; what can't be answered is a `Problem`."""
        kind = name
        if name == interrogator.SEARCH.name and arguments["mode"] != "bm25":
            kind = _EXACT
        handler = self._handlers.get(kind)
        if handler is None:
            handler = beside(lambda: self._made(kind), context.budget)
        outcome = handler(arguments, context)
        notes = self._means.settings.notes
        return outcome._replace(warnings=[*notes, *outcome.warnings])

    def _made(self, kind: str) -> Handler:
        return self._handlers.setdefault(kind, _MAKERS[kind](self._means))


_EXACT: Final = "repo.search exactly"


def _ranked(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.search_ranked import RankedSearch  # noqa: PLC0415 not before it is asked

    return RankedSearch(means)


def _exact(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.search_exact import ExactSearch  # noqa: PLC0415 as above

    return ExactSearch(means)


def _open(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.open_file import OpenFile  # noqa: PLC0415 as above

    return OpenFile(means)


def _outline(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.outline import Outline  # noqa: PLC0415 as above

    return Outline(means)


def _list(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.list_files import ListFiles  # noqa: PLC0415 as above

    return ListFiles(means)


def _bundle(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.bundle import BuildContextBundle  # noqa: PLC0415 as above

    return BuildContextBundle(means)


def _status(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.index import Status  # noqa: PLC0415 as above

    return Status(means)


def _refresh(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.index import RefreshIndex  # noqa: PLC0415 as above

    return RefreshIndex(means)


def _audit(means: ToolServices) -> Handler:
    from repo_mcp.toolsets.interrogator.audit_log import AuditCalls  # noqa: PLC0415 as above

    return AuditCalls(means)


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
