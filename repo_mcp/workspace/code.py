"""The indexes of code of several roots as one, from which the graph of a workspace is linked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from code_graph import Languages
from code_graph.store.code_files import CodeFiles
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.mounts import InnerRoots, folder_of, unite_codes
from repo_mcp.indexing.keep.code_index import CodeCounts
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.stored import IndexProgress

if TYPE_CHECKING:
    from repo_mcp.indexing.keep.keeper import IndexKeeper
    from repo_mcp.processes.pool import JobRunner


class WorkspaceCode:
    """Has the code of each root brought to the text of that root, and shows all as one."""

    def __init__(
        self,
        roots: Mapping[str, IndexManager],
        inner: InnerRoots,
        languages: Languages,
        texts: Callable[[Snapshot], Mapping[str, Snapshot]],
    ) -> None:
        """`texts` gives the text indexes of which a union was made."""
        self._roots = roots
        self._inner = inner
        self._languages = languages
        self._texts = texts

    @property
    def keepers(self) -> Sequence[IndexKeeper]:
        """None: each root merges and repairs its own."""
        return ()

    def drop_damaged(self, file: str) -> bool:
        """Remove the index of the root that has this file; each if it is not known."""
        found = [manager.graph_index.code.drop_damaged(file) for manager in self._roots.values()]
        return any(found)

    def signature(self, text: Snapshot) -> str:
        """A hash of the signatures of all."""
        parts = [
            self._roots[name].graph_index.code.signature(found)
            for name, found in self._texts(text).items()
        ]
        return " ".join([IndexProgress.of(text).signature, *parts])

    def files(self, text: Snapshot) -> CodeFiles:
        """The code of all roots."""
        parts = {
            name: self._roots[name].graph_index.code.files(found).snapshot
            for name, found in self._texts(text).items()
        }
        return CodeFiles(unite_codes(parts, self._inner), self._languages.is_lowered)

    def refresh(
        self,
        text: Snapshot,
        _parsers: JobRunner,
        _pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> CodeCounts:
        """Bring the code of each root to its text."""
        lowered = removed = 0
        changed: list[str] = []
        complete = True
        for name, found in self._texts(text).items():
            done = self._roots[name].graph_index.refresh_code(found, budget, on_progress)
            lowered, removed = lowered + done.lowered, removed + done.removed
            changed += (folder_of(name) + path for path in done.changed)
            complete = complete and done.complete
        return CodeCounts(lowered, removed, sorted(changed), complete)

    def merge(self, _pool: JobRunner, _budget: Budget) -> int:
        """Nothing: each root has merged its own."""
        return 0
