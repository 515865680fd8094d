"""Says in answers that a sparse checkout has not all files."""

from __future__ import annotations

from repo_mcp.git import GitHistory, SparseCheckout
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.repository.open_index import SPARSE


class LeftOutFiles:
    """The tracked files of the roots that are not checked out."""

    def __init__(self, settings: Settings, manager: Indexes) -> None:
        """Read nothing yet; a revision has all files of its commit."""
        roots = {} if settings.commit else {name: it.root for name, it in manager.parts.items()}
        self._roots = roots
        self._checkouts: dict[str, SparseCheckout] = {}

    def warnings(self) -> tuple[AnswerWarning, ...]:
        """A warning for each root that has not all files."""
        return tuple(
            AnswerWarning(
                SPARSE,
                f"{f'{name}: ' if name else ''}{left_out} not checked out (sparse checkout), and"
                " so not searched: rev:HEAD has all",
            )
            for name, root in self._roots.items()
            if (left_out := self._checkout(name, root).left_out()) is not None
        )

    def _checkout(self, name: str, root: str) -> SparseCheckout:
        if name not in self._checkouts:
            history = GitHistory(root)
            self._checkouts[name] = SparseCheckout(history.own, history.common)
        return self._checkouts[name]
