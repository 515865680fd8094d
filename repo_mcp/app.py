"""Puts the parts together: what is cheap at once, what is heavy with the first call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from repo_mcp import __version__
from repo_mcp.config import Options, load
from repo_mcp.errors import Problem
from repo_mcp.protocol.session import Identity
from repo_mcp.tools.catalog import Catalog
from repo_mcp.tools.interrogator import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    from repo_mcp.indexing.background import Background
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
        self._serving: _Serving | None = None
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
        from repo_mcp.log import log_place  # noqa: PLC0415 as above
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
            log_place(error)
            return refused(tool.name, Problem("internal"))

    def _tools(self) -> Interrogator:
        """What answers calls; begun anew when the repository's configuration has changed."""
        from repo_mcp.config_file import FILE_NAME  # noqa: PLC0415 not before the first call

        with self._starting:
            serving = self._serving
            if serving is not None and serving.sandbox.rules(FILE_NAME) != serving.config:
                serving.background.close()
                serving = None
            if serving is None:
                serving = self._serving = self._started()
            return serving.interrogator

    def _started(self) -> _Serving:
        from repo_mcp.indexing.background import Background  # noqa: PLC0415 not before a call
        from repo_mcp.indexing.watch import Watcher  # noqa: PLC0415 as above
        from repo_mcp.search.engine import Engine  # noqa: PLC0415 as above
        from repo_mcp.tools.interrogator_calls import Interrogator  # noqa: PLC0415 as above

        settings, sandbox, manager, config = services(self._options)
        watcher = Watcher(settings.root, settings.data_dir) if settings.watch else None
        background = Background(manager, watcher)
        tools = Interrogator(settings, sandbox, manager, background, Engine(sandbox))
        return _Serving(tools, sandbox, background, config)


class _Serving(NamedTuple):
    """What serves one state of the configuration."""

    interrogator: Interrogator
    sandbox: Sandbox
    background: Background
    config: bytes


class Services(NamedTuple):
    """The parts that every command works with."""

    settings: Settings
    sandbox: Sandbox
    manager: IndexManager
    # what the repository's own configuration says, as it was read
    config: bytes


def services(options: Options) -> Services:
    """Settings, sandbox and index of a repository."""
    from repo_mcp.config_file import FILE_NAME  # noqa: PLC0415 not before the first call
    from repo_mcp.denylist import Denylist  # noqa: PLC0415 as above
    from repo_mcp.indexing.manager import IndexManager  # noqa: PLC0415 as above
    from repo_mcp.indexing.recipe import Recipe  # noqa: PLC0415 as above
    from repo_mcp.model import Limits  # noqa: PLC0415 as above
    from repo_mcp.sandbox import Sandbox  # noqa: PLC0415 as above

    first = Sandbox(
        options.repo_root, Denylist(options.deny_globs), max_file_bytes=Limits().max_file_bytes
    )
    config = first.rules(FILE_NAME)
    first.close()
    settings = load(options, {FILE_NAME: config}.__getitem__)
    sandbox = Recipe.of(settings).sandbox()
    return Services(settings, sandbox, IndexManager(settings, sandbox), config)
