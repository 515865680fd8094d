"""Shared helpers of the server's tests: trees of files, and services on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from code_graph import Languages
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.tree_files import write

__all__ = [
    "FOREVER",
    "CallbackListener",
    "Services",
    "indexed",
    "sandbox",
    "segment_names",
    "served",
    "write",
]


def sandbox(root: Path, *, most: int = 1 << 20, openat2: bool | None = None) -> Sandbox:
    return Sandbox(str(root), Denylist(), max_file_bytes=most, use_openat2=openat2)


class Services(NamedTuple):
    sandbox: Sandbox
    manager: IndexManager

    @property
    def languages(self) -> Languages:
        return self.manager.languages


class CallbackListener(RunListener):
    """Passes on what a run says, and the edits that it asks for."""

    def __init__(
        self,
        tell: Callable[[Progress], object] = lambda _: None,
        edits: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._tell = tell
        self._edits = edits

    def on_progress(self, now: Progress) -> None:
        self._tell(now)

    def take_edits(self) -> Sequence[str]:
        return self._edits()


def served(root: Path, data: Path, **options: object) -> Services:
    """Sandbox and index as the server makes them."""
    made = services(Options(str(root), str(data), **options))  # type: ignore[arg-type]
    return Services(made.sandbox, made.manager.single)


def text_of(manager: IndexManager) -> Snapshot:
    snapshot = manager.snapshot()
    assert snapshot is not None
    return snapshot


def segment_names(manager: IndexManager) -> list[str]:
    return [entry.name for entry in text_of(manager).manifest.segments]


def indexed(manager: IndexManager) -> list[str]:
    return list(text_of(manager).paths())


# without a deadline; what is given a part of it is on a clock that stands still
FOREVER = Budget(clock=Clock())
