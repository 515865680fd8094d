"""What the server and its watch process share: the watched scope and the listener."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from repo_mcp.model import Settings
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import FolderId, Sandbox, open_root


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
    real_root: str = ""
    # the folder that has to be at the root; empty: any
    folder: tuple[int, ...] = ()
    # folders that a walk has entered before, each with its slash and a NUL behind it
    known_folders: bytes = b""

    @classmethod
    def of(cls, settings: Settings, folder: FolderId | None = None) -> WatchScope:
        """The scope of these settings."""
        return cls(
            settings.root,
            settings.data_dir,
            settings.deny_globs,
            settings.exclude_globs,
            settings.real_root,
            tuple(folder or ()),
        )

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> WatchScope:
        """The inverse of `record`."""
        lists = {name: tuple(record[name]) for name in ("deny_globs", "exclude_globs", "folder")}
        return cls(**{**record, **lists})

    def sandbox(self) -> Sandbox:
        """A sandbox for listing folders; a `Problem` says that the root was replaced."""
        return Sandbox(
            self.root,
            Denylist(self.deny_globs),
            max_file_bytes=0,
            data_dir=self.data_dir,
            door=open_root(self.root, self.real_root, self.folder),
        )

    def record(self) -> dict[str, Any]:
        """The scope as plain values, for another process."""
        return asdict(self)
