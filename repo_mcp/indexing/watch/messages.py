"""What a server and the process that hears of changes for it both know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from repo_mcp.model import Settings


class Listener(Protocol):
    """Who wants to know."""

    def look_at(self, paths: Iterable[str]) -> None:
        """These files changed."""

    def walk(self) -> None:
        """More than single files may have changed."""


@dataclass(frozen=True, slots=True)
class WatchScope:
    """What the process that listens is told: which folders matter."""

    root: str
    data_dir: str
    deny_globs: tuple[str, ...]
    exclude_globs: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings) -> WatchScope:
        """What the settings say."""
        return cls(settings.root, settings.data_dir, settings.deny_globs, settings.exclude_globs)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> WatchScope:
        """What `record` was made of."""
        globs = {name: tuple(record[name]) for name in ("deny_globs", "exclude_globs")}
        return cls(record["root"], record["data_dir"], **globs)

    def record(self) -> dict[str, Any]:
        """Plain values, for another process."""
        return asdict(self)
