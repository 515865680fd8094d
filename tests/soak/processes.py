"""A process of the program on a tree that changes, and its end on purpose."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.repo_mcp.server_process import PROGRAM
from tests.soak.figures import children_of
from tests.waiting import HANG, is_running, until

_LOG: Final = ".log"


class Place(NamedTuple):
    """The folders of a soak, and what its processes have done that is not allowed.

    `docs` is a folder of the tree, the documentation of the toolset retrieval.
    """

    root: Path
    docs: Path
    data: Path
    logs: Path
    violations: list[str]

    def serving(self) -> list[str]:
        """Options of servers with all tools."""
        roots = ["--docs-root", str(self.docs), "--code-root", str(self.root)]
        return ["serve", "--toolsets", "all", *roots]

    def log_text(self) -> str:
        """All that the processes have written to standard error."""
        logs = sorted(self.logs.glob(f"*{_LOG}"))
        return "\n".join(log.read_text("utf-8", "replace") for log in logs)


class SoakProcess:
    """One process; nothing that it has started may outlive it."""

    def __init__(self, place: Place, arguments: Sequence[str], **popen: Any) -> None:  # noqa: ANN401 as Popen
        """Start the command on the folders of the place."""
        where = ["--repo-root", str(place.root), "--data-dir", str(place.data)]
        command = [*PROGRAM, *arguments, *where]
        with tempfile.NamedTemporaryFile(suffix=_LOG, dir=place.logs, delete=False) as log:
            self.log = Path(log.name)
            self.process = subprocess.Popen(command, stderr=log, **popen)
        self.violations = place.violations
        self._ending = False

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.process.pid

    def kill(self) -> None:
        """End it as the system does when memory runs out."""
        started = self._begin_end()
        self.process.kill()
        self._leave(started)

    def vanish(self) -> None:
        """End it as its user does."""
        started = self._begin_end()
        self.process.terminate()
        self._leave(started)

    def _begin_end(self) -> dict[int, str]:
        self._ending = True
        return children_of(self.pid)

    def _complain(self, text: str) -> None:
        """Unless the process was ended on purpose, this is not allowed."""
        if not self._ending:
            self.violations.append(text)

    def _leave(self, started: dict[int, str]) -> None:
        try:
            self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.violations.append("a process did not leave when it was ended")
            self.process.kill()
        if not until(lambda: not any(map(is_running, started))):
            self.violations.append(f"processes outlived theirs: {started}")
        self.process.wait()
