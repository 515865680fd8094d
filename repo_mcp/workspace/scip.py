"""The imported indexes of SCIP of several roots as one; the settings of each root name its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import xxhash

from code_graph.scip.report import ScipChanges
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.mounts import folder_of
from repo_mcp.indexing.keep.index_source import ProgressCallback
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.workers.linking import mounted_scip

if TYPE_CHECKING:
    from code_graph.scip.occurrences import ScipOccurrences


class WorkspaceScip:
    """Has the imported indexes of each root read, and shows all as one."""

    def __init__(
        self,
        roots: Mapping[str, IndexManager],
        texts: Callable[[Snapshot], Mapping[str, Snapshot]],
    ) -> None:
        """`texts` gives the text indexes of which a union was made."""
        self._roots = {name: manager for name, manager in roots.items() if manager.has_scip}
        self._texts = texts

    def digest(self) -> str:
        """A hash of what the linker gets; empty without an index in the settings of any root."""
        if not self._roots:
            return ""
        parts = [
            [name, manager.graph_index.scip_digest] for name, manager in sorted(self._roots.items())
        ]
        return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())

    def prepare(
        self, text: Snapshot, budget: Budget, on_progress: ProgressCallback
    ) -> ScipOccurrences | None:
        """The indexes for the linker; reads those that have changed since the last time."""
        return mounted_scip(
            {
                name: self._roots[name].graph_index.read_scip(found, budget, on_progress)
                for name, found in self._texts(text).items()
                if name in self._roots
            }
        )

    def changes(self, text: Snapshot) -> ScipChanges:
        """The part that counts for the files of all roots, by paths with their names."""
        found = {
            name: changes
            for name, part in self._texts(text).items()
            if name in self._roots
            and (changes := self._roots[name].graph_index.scip_changes(part)) is not None
        }
        return ScipChanges(
            tuple(
                report._replace(path=folder_of(name) + report.path)
                for name, item in found.items()
                for report in item.reports
            ),
            sum(item.documents for item in found.values()),
            sum(item.changed for item in found.values()),
        )
