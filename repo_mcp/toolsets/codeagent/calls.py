"""What the codeagent's tools do; loaded with the first call, each tool with its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from repo_mcp.audit.log import AuditLog
from repo_mcp.toolsets.codeagent import declarations as codeagent
from repo_mcp.toolsets.kit.envelope import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context, Handler, ToolServices


class Codeagent:
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
        handler = self._handlers.get(name)
        if handler is None:
            handler = self._handlers.setdefault(name, _MAKERS[name](self._services))
        outcome = handler(arguments, context)
        if name == codeagent.GET_STATUS.name:  # notes quote what the configuration says
            return outcome
        return outcome._replace(
            warnings=[*self._services.repository.settings.notes, *outcome.warnings]
        )


def _list(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.codeagent.listing import ListDirectory  # noqa: PLC0415 not before it is asked

    return ListDirectory(services)


def _read(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.codeagent.read import ReadFile  # noqa: PLC0415 as above

    return ReadFile(services)


def _tree(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.codeagent.listing import DirectoryTree  # noqa: PLC0415 as above

    return DirectoryTree(services)


def _index(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.codeagent.engine import IndexFiles  # noqa: PLC0415 as above

    return IndexFiles(services)


def _status(services: ToolServices) -> Handler:
    from repo_mcp.toolsets.codeagent.engine import Status  # noqa: PLC0415 as above

    return Status(services)


_MAKERS: Final[Mapping[str, Callable[[ToolServices], Handler]]] = {
    codeagent.LIST_DIRECTORY.name: _list,
    codeagent.READ_FILE.name: _read,
    codeagent.GET_DIRECTORY_TREE.name: _tree,
    codeagent.INDEX_FILES.name: _index,
    codeagent.GET_STATUS.name: _status,
}
