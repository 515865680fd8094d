"""Answers calls from another revision."""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answering import ToolHandlers
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context


class RevisionCalls:
    """Runs the tools of a toolset over a revision, which is opened when one is run."""

    def __init__(
        self, present: ToolHandlers, open_revision: Callable[[], tuple[ToolHandlers, AnswerWarning]]
    ) -> None:
        """`present` are the handlers of the same tools for the files as they are.

        `open_revision` gives those of the revision, and a warning that says which one that is.
        """
        self.audit = present.audit
        self.root_warnings = present.root_warnings
        self._open_revision = open_revision

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Run one call; raises `Problem` if it can't be answered."""
        handlers, note = self._open_revision()
        outcome = handlers.call(name, arguments, context)
        return outcome._replace(warnings=[note, *outcome.warnings])
