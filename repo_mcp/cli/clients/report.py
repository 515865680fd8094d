"""The steps of `install` and `uninstall` for each client: as lines, or as one JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from repo_mcp.cli.clients.entries import ClientTarget
from repo_mcp.cli.command_line import complain
from repo_mcp.console import print_json, print_line

FAILED: Final = 2


class StepReport:
    """Prints each step at once, or keeps them all for the end."""

    def __init__(self, *, as_json: bool) -> None:
        """Nothing is done yet."""
        self._as_json = as_json
        self._steps: list[dict[str, Any]] = []

    def step(
        self,
        target: ClientTarget,
        status: str,
        text: str,
        path: Path | None = None,
        **facts: object,
    ) -> None:
        """Something that was done, or need not be; `facts` are for programs alone."""
        if self._as_json:
            self._keep(target, status, path, facts)
        else:
            print_line(f"{target.client.title}: {text}")

    def failure(
        self, target: ClientTarget, why: str, path: Path | None = None, **facts: object
    ) -> int:
        """Something that failed; returns the exit code."""
        if self._as_json:
            self._keep(target, "failed", path, {"error": why, **facts})
        else:
            complain(f"{target.client.title}: {why}")
        return FAILED

    def content(self, target: ClientTarget, head: str, text: str) -> None:
        """A text that the user may paste; `head` says where."""
        if self._as_json:
            self._keep(target, "shown", None, {"text": text})
            return
        if head:
            complain(f"{target.client.title}: {head}")
        self.paste(text)

    def paste(self, text: str) -> None:
        """The lines of a text; for programs they are part of a step."""
        if not self._as_json:
            for line in text.split("\n"):
                print_line(line)

    def warn(self, text: str) -> None:
        """Something that is of no client."""
        if self._as_json:
            self._steps.append({"status": "warning", "note": text})
        else:
            complain(text)

    def end(self, command: str) -> None:
        """Print what was kept."""
        if self._as_json:
            print_json({"command": command, "steps": self._steps})

    def _keep(
        self, target: ClientTarget, status: str, path: Path | None, facts: dict[str, object]
    ) -> None:
        file = str(path or target.config_path)
        step = {"client": target.client.name, "file": file, "status": status}
        self._steps.append({**step, **{name: fact for name, fact in facts.items() if fact}})
