"""A client of the server in this process: what a call of a tool gives it, and how large that is."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from index_format import Snapshot
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.services import services
from repo_mcp.settings import Options

BUNDLE: Final = "repo.build_context_bundle"
SEARCH: Final = "repo.search"


@dataclass(frozen=True, slots=True)
class Answer:
    """The structured form of an answer, as a client gets it."""

    envelope: dict[str, Any]
    # processor time of the call
    seconds: float
    # what a client shows its model
    text: str = ""

    @property
    def result(self) -> dict[str, Any]:
        """The result; empty if the call was refused."""
        found: dict[str, Any] = self.envelope["result"] if self.envelope["ok"] else {}
        return found

    @property
    def size(self) -> int:
        """Characters of the whole answer as JSON."""
        return json_size(self.envelope)


class Client:
    """Calls the tools of one repository with the defaults that any client has."""

    def __init__(self, root: Path, data: Path, *, linked: bool = False) -> None:
        """The index in `data` is brought up to date first, and `linked` its graph, too."""
        options = Options(str(root), str(data), watch=False)
        manager = services(options).manager
        manager.refresh(Budget())
        if linked:
            manager.link(Budget())
            manager.close()
        self._app = App(options)
        self.refresh()  # no answer says that files are still being compared

    def refresh(self, *, linked: bool = False) -> None:
        """Bring the index up to date with the tree, and `linked` the graph and the commits, too."""
        while not self("repo.refresh_index").result.get("complete", True):
            pass
        if linked:
            tools = self._app.services.running().tools
            tools.background.wait_until_linked(Budget())
            for history in tools.histories.roots.values():
                history.open(Budget())

    def snapshot(self) -> Snapshot:
        """The index of the tree."""
        found = self._app.services.running().tools.repository.current_index().snapshot
        if found is None:
            raise LookupError
        return found

    def __call__(self, tool: str, **arguments: object) -> Answer:
        """The answer of a tool."""
        begun = time.process_time()
        answer = self._app.call(tool, arguments, lambda: False)
        seconds = time.process_time() - begun
        text = "\n".join(block.get("text", "") for block in answer["content"])
        return Answer(answer["structuredContent"], seconds, text)


def json_size(value: object) -> int:
    """Characters of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
