"""Puts the parts together: what is cheap at once, what is heavy with the first call."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from repo_mcp import __version__
from repo_mcp.config import Options, load
from repo_mcp.errors import Problem
from repo_mcp.protocol.session import Identity
from repo_mcp.tools.catalog import Catalog
from repo_mcp.tools.interrogator import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    from repo_mcp.indexing.manager import IndexManager
    from repo_mcp.model import Settings
    from repo_mcp.sandbox import Sandbox
    from repo_mcp.tools.interrogator_calls import Interrogator

_INFO: Final = {"name": "repo-mcp", "title": "Repository", "version": __version__}


class App:
    """The server of one repository."""

    def __init__(self, options: Options) -> None:
        """Remember the options; no file is read yet."""
        self._options = options
        self._catalog = Catalog(TOOLS)
        self._interrogator: Interrogator | None = None
        self._starting = threading.Lock()

    def identity(self) -> Identity:
        """What a session says of this server."""
        known = self._catalog
        return Identity(
            _INFO, INSTRUCTIONS, known.listing, lambda name: known.find(name) is not None
        )

    def call(
        self, name: str, arguments: Mapping[str, Any], cancelled: Callable[[], bool]
    ) -> dict[str, Any]:
        """Run a tool; whatever happens, there is an answer."""
        from repo_mcp.budget import Budget  # noqa: PLC0415 not before the first call
        from repo_mcp.tools.arguments import checked  # noqa: PLC0415 as above
        from repo_mcp.tools.envelope import answered, refused  # noqa: PLC0415 as above

        tool = self._catalog.find(name)
        if tool is None:
            raise ValueError(name)
        try:
            values = checked(tool, arguments)
            outcome = self._tools().call(tool.name, values, Budget(None, cancelled))
            return answered(tool.name, outcome)
        except Problem as problem:
            return refused(tool.name, problem)
        except Exception as error:  # noqa: BLE001 the client gets an answer, the log the place
            _log(error)
            return refused(tool.name, Problem("internal"))

    def _tools(self) -> Interrogator:
        with self._starting:
            if self._interrogator is None:
                self._interrogator = self._started()
            return self._interrogator

    def _started(self) -> Interrogator:
        from repo_mcp.search.engine import Engine  # noqa: PLC0415 not before the first call
        from repo_mcp.tools.interrogator_calls import Interrogator  # noqa: PLC0415 as above

        settings, sandbox, manager = services(self._options)
        return Interrogator(settings, sandbox, manager, Engine(sandbox))


def services(options: Options) -> tuple[Settings, Sandbox, IndexManager]:
    """Settings, sandbox and index of a repository."""
    from repo_mcp.denylist import Denylist  # noqa: PLC0415 not before the first call
    from repo_mcp.indexing.manager import IndexManager  # noqa: PLC0415 as above
    from repo_mcp.model import Limits  # noqa: PLC0415 as above
    from repo_mcp.sandbox import Sandbox  # noqa: PLC0415 as above

    first = Sandbox(options.repo_root, Denylist(), max_file_bytes=Limits().max_file_bytes)
    settings = load(options, first.rules)
    first.close()
    sandbox = Sandbox(
        options.repo_root,
        Denylist(settings.deny_globs),
        max_file_bytes=settings.limits.max_file_bytes,
        data_dir=settings.data_dir,
        allow_hardlinks=settings.allow_hardlinks,
    )
    return settings, sandbox, IndexManager(settings, sandbox)


def _log(error: Exception) -> None:
    """Name the place, never the message: it may hold what a file holds."""
    import traceback  # noqa: PLC0415 only when it is needed

    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places))
    print(f"repo-mcp: {type(error).__name__} at {where}", file=sys.stderr, flush=True)  # noqa: T201 the log
