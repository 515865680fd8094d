"""What the server and its watch process share: the watched scope and the listener."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from repo_mcp.model import Settings


class Listener(Protocol):
    """Receives changes."""

    def look_at(self, paths: Iterable[str]) -> None:
        """These files changed.

        A path that ends with "/" is a folder that was created or removed. It stands for every file
        below it that the listener knows: one may have been read there while nothing watched the
        folder, and no event will ever name it.
        """

    def walk(self) -> None:
        """More than single files may have changed."""


@dataclass(frozen=True, slots=True)
class WatchScope:
    """What the watch process needs of the settings."""

    root: str
    data_dir: str
    deny_globs: tuple[str, ...]
    exclude_globs: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings) -> WatchScope:
        """The scope of these settings."""
        return cls(settings.root, settings.data_dir, settings.deny_globs, settings.exclude_globs)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> WatchScope:
        """The inverse of `record`."""
        globs = {name: tuple(record[name]) for name in ("deny_globs", "exclude_globs")}
        return cls(record["root"], record["data_dir"], **globs)

    def record(self) -> dict[str, Any]:
        """The scope as plain values, for another process."""
        return asdict(self)
