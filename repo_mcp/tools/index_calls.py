"""`repo.status` and `repo.refresh_index`: how the index stands, and bringing it up to date."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Final

from repo_mcp import __version__
from repo_mcp.languages.registry import installed
from repo_mcp.model import Refreshed
from repo_mcp.tools.context import Context
from repo_mcp.tools.envelope import Outcome
from repo_mcp.tools.fresh_index import said
from repo_mcp.tools.means import Arguments, Means

_SECONDS_DIGITS: Final = 3
# how often a client is told how far a refresh is
_TOLD_EVERY: Final = 0.5


class Status:
    """Tells how the index stands."""

    def __init__(self, means: Means) -> None:
        """Take what it works with."""
        self._means = means

    def __call__(self, _: Arguments, _context: Context) -> Outcome:
        """All of it."""
        means = self._means
        state = means.manager.state()
        now = state.progress
        result = {
            "repo_root": means.settings.root,
            "index_status": state.status,
            "last_refresh": state.last_refresh,
            "indexed_files": state.files,
            "generation": state.generation,
            "declarations_complete": state.status == "ready" and not state.shallow,
            "refreshing": now is not None,
            "progress": "" if now is None else said(now),
            "watching": means.background.watching,
            "enabled_adapters": list(installed().languages()),
            "limits": asdict(means.limits),
            "version": __version__,
        }
        warnings = [*means.background.notes, *installed().notes()]
        if state.status == "missing" and now is None:
            warnings.append("nothing is indexed yet: repo.search or repo.refresh_index will do it")
        return Outcome(result, warnings)


class RefreshIndex:
    """Brings the index up to date, and tells how far it is."""

    def __init__(self, means: Means) -> None:
        """Take what it works with."""
        self._means = means

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """Counts of what was done; what takes too long goes on in the background."""
        means = self._means
        started = time.monotonic()
        limit = context.budget.within(means.settings.refresh_seconds)
        with _Told(lambda: self._tell(context)):
            done = means.background.refresh(limit, force=arguments["force"])
        warnings = [*means.background.notes]
        state = means.manager.state()
        if done is None:
            now = "" if state.progress is None else f": {said(state.progress)}"
            warnings.append(f"it goes on in the background{now}; repo.status says how far it is")
            spent = time.monotonic() - started
            done = Refreshed(0, 0, 0, state.files, spent, state.last_refresh, complete=False)
        result = {
            "added": done.added,
            "updated": done.updated,
            "removed": done.removed,
            "indexed_files": done.files,
            "duration_seconds": round(done.seconds, _SECONDS_DIGITS),
            "timestamp": done.timestamp,
            "complete": done.complete,
            "left_out": [
                {"reason": reason, "count": count} for reason, count in done.left_out.items()
            ],
        }
        return Outcome(result, warnings)

    def _tell(self, context: Context) -> None:
        now = self._means.manager.state().progress
        if now is not None:
            context.progress(now.files, now.all_files, said(now))


class _Told:
    """Tells something now and then for as long as something else goes on."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(_TOLD_EVERY):
            self._tell()
