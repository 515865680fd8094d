"""Reports the progress of indexing and linking to a client while a call waits for it."""

from __future__ import annotations

import threading
from typing import Final

from repo_mcp.toolsets.kit.index_warnings import progress_text
from repo_mcp.toolsets.kit.services import Context, ToolServices

OTHER_WRITER: Final = "another process is writing the index"
# seconds between progress reports to the client
_REPORT_SECONDS: Final = 0.5


class ProgressReporter:
    """Reports the progress of indexing and linking while the `with` block runs."""

    def __init__(self, services: ToolServices, context: Context) -> None:
        self._services = services
        self._context = context
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> None:
        """Begin to report."""
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """End, and wait for a report that is being sent."""
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(_REPORT_SECONDS):
            self._report()

    def _report(self) -> None:
        manager = self._services.repository.manager
        state = manager.state()
        running = state.progress or manager.link_progress
        if running is not None:
            self._context.progress(running.files, running.all_files, progress_text(running))
        elif state.elsewhere:
            self._context.progress(0, 0, OTHER_WRITER)
