"""Where a first index may come from, and who else may read the index: a protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from repo_mcp.budget import Budget
from repo_mcp.model import Progress

M_contra = TypeVar("M_contra", contravariant=True)
ProgressCallback = Callable[[Progress], None]


class IndexSource(Protocol[M_contra]):
    """Indexes elsewhere, as the manager `M_contra` of one knows them."""

    @property
    def copies(self) -> bool:
        """True if an index that is read elsewhere is copied here meanwhile."""
        ...

    def bring(self, manager: M_contra, budget: Budget, on_progress: ProgressCallback) -> None:
        """Bring a first index before one is built, or do nothing."""
        ...

    def copy(
        self, manager: M_contra, budget: Budget, on_progress: ProgressCallback
    ) -> tuple[int, int]:
        """Copy what is read elsewhere; the counts of segments that are copied, and left."""
        ...

    def share(self, manager: M_contra, budget: Budget) -> None:
        """Lend a complete index to other checkouts, if it may be lent."""
        ...
