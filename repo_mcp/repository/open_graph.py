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

    `current`: it is complete and of the current text. `linked`: how far the running link is,
    or None. `imported`: how much of imported indexes counts, if there are any.
    `notice` says why the graph before was removed, if it was.
    """

    graph: GraphSnapshot | None
    current: bool
    linked: Progress | None
    imported: ScipChanges | None = None
    notice: AnswerWarning | None = None
