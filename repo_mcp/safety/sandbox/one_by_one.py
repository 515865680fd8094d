"""Doors for which there is no compiled code: they read files and list folders one by one."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.safety.sandbox.door import ListedFolders, Names, list_each, same_each
from repo_mcp.safety.sandbox.listing import Folder, StatKey

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox.scanning import LineScan, Scanned


class OneByOneDoor(ABC):
    """The parts of a door that follow from listing one folder and reading one file."""

    @abstractmethod
    def list_folder(self, names: Names) -> Folder:
        """List a folder; links on the way to it are not followed."""

    def _read_plain(self, names: Names, most: int) -> tuple[bytes, StatKey] | None:  # noqa: ARG002 for doors that read files
        """Read a plain file; None where the door doesn't, or that is too large."""
        return None

    def spellings(self, path: str) -> tuple[str, ...]:
        """The absolute path as given, and with all links resolved."""
        return tuple(dict.fromkeys((os.path.abspath(path), os.path.realpath(path))))

    def scan(
        self,
        paths: Sequence[str],
        what: LineScan,  # noqa: ARG002 compiled code reads plain files of other systems
        *,
        most_bytes: int,  # noqa: ARG002 as above
        hard_links: bool,  # noqa: ARG002 as above
    ) -> list[Scanned]:
        """None for each: no file is scanned here."""
        return [None] * len(paths)

    def read_plain(
        self,
        paths: Sequence[str],
        *,
        most_bytes: int,
        hard_links: bool,  # noqa: ARG002 there are none, or no file is read here
    ) -> Sequence[tuple[bytes, StatKey] | None]:
        """Read plain files that are allowed; None for each that is not read here."""
        return [self._read_plain(tuple(path.split("/")), most_bytes) for path in paths]

    def list_folders(self, folders: Sequence[Names]) -> ListedFolders:
        """List folders one by one."""
        return list_each(self.list_folder, folders)

    def same_folders(self, paths: Sequence[str], hashes: bytes, device: int) -> bytes:
        """List folders one by one, and compare."""
        return same_each(self.list_folders, paths, hashes, device)
