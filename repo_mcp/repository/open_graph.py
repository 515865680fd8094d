"""The graph as opened for one query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from index_format.records import Record
from repo_mcp.model import AnswerWarning, Progress

if TYPE_CHECKING:  # most servers have no graph
    from repo_mcp.graph.query.snapshot import GraphSnapshot
    from repo_mcp.graph.scip.report import ScipChanges


class OpenGraph(Record):
    """One generation of the graph, if there is one.

    `follows`: it is complete and of the current index. `compared`: files and index were compared
    for the query. `linked`: how far the running link is, or None. `imported`: how much of imported
    indexes counts, if there are any. `notice` says why the graph before was removed, if it was.
    """

    graph: GraphSnapshot | None
    follows: bool
    linked: Progress | None
    compared: bool = True
    imported: ScipChanges | None = None
    notice: AnswerWarning | None = None

    @property
    def current(self) -> bool:
        """Whether all files are linked, from their current text."""
        return self.follows and self.compared
