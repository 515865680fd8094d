"""The interface of those who listen to a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.model import Progress


class RunListener:
    """Hears what a run does, and tells it what has changed meanwhile; by default neither."""

    def on_progress(self, now: Progress) -> None:
        """Hear how far the run is."""

    def on_first_index(self) -> None:
        """Hear that a first index was brought from elsewhere, and goes on from there."""

    def take_edits(self) -> Sequence[str]:
        """The files to be indexed before the rest, which are forgotten here; `ANY_FILE` is one."""
        return ()


NOBODY: Final = RunListener()
