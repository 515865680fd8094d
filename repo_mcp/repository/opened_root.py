"""The open parts of one root: settings, sandbox, index, and the refresh in the background."""

from __future__ import annotations

import time

from index_format.tuples import NamedTuple
from repo_mcp.budget import Clock
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.model import Settings
from repo_mcp.repository.repository import Repository
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.settings import RulingFiles


class OpenedRoot(NamedTuple):
    """The parts of one root: the folder that is there, and one state of what rules it."""

    settings: Settings
    sandbox: Sandbox
    manager: Indexes
    background: BackgroundRefresh
    # what rules it; None for packages and revisions, which have no other state
    files: RulingFiles | None = None

    @classmethod
    def of(
        cls,
        settings: Settings,
        sandbox: Sandbox,
        manager: Indexes,
        files: RulingFiles | None = None,
        clock: Clock = time.monotonic,
        *,
        watches: bool = True,
        links: float = 0,
    ) -> OpenedRoot:
        """The parts with a refresh in the background, which begins when it is asked.

        It `watches` the files if the settings say so; a graph of up to `links` files is linked
        unasked.
        """
        watcher = Watcher(settings, sandbox.folder) if watches and settings.watch else None
        background = BackgroundRefresh(manager, watcher, clock, links=links)
        return cls(settings, sandbox, manager, background, files)

    @property
    def repository(self) -> Repository:
        """A repository over these parts."""
        return Repository(self.settings, self.sandbox, self.manager, self.background)

    @property
    def is_outdated(self) -> bool:
        """True if the settings have changed that rule this root."""
        return self.files is not None and self.files.is_outdated

    def close(self) -> None:
        """Stop background work."""
        self.background.close()
