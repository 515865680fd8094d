"""Tracked files that are left out of a checkout, as git's sparse checkouts do."""

from __future__ import annotations

import os
import re
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.git.objects import content
from repo_mcp.git.packs import DAMAGE
from repo_mcp.git.staging import mark_of_staging, read_staging
from repo_mcp.text.plurals import counted

_MOST_CONFIG_BYTES: Final = 1 << 20
_SPARSE: Final = re.compile(
    rb"^[ \t]*sparsecheckout[ \t]*(?:=[ \t]*(?:true|yes|on|1)\b|$)", re.MULTILINE | re.IGNORECASE
)


class SparseFiles(NamedTuple):
    """The tracked files that are not checked out, of all, and the folders of which that is all.

    A sparse index has one entry for such a folder, and does not say how many files are in it.
    """

    files: int
    folders: int
    tracked: int

    def __str__(self) -> str:
        """The number in words."""
        if self.folders:
            verb = "is" if self.folders == 1 else "are"
            return f"{counted(self.folders, 'tracked folder')} {verb}"
        return f"{self.files:,} of {self.tracked:,} tracked files are"


class SparseCheckout:
    """The files that a checkout leaves out; read again when git's index is another one."""

    def __init__(self, own: str, common: str) -> None:
        """The folders of `.git` that the checkout has alone, and with other worktrees."""
        self._own, self._common = own, common
        self._mark = b""
        self._left_out: SparseFiles | None = None

    def left_out(self) -> SparseFiles | None:
        """The files that are not checked out; None if there are none, or that can't be told."""
        mark = mark_of_staging(self._own) if self._own else b""
        if mark != self._mark:
            self._left_out = self._read() if self._is_sparse() else None
            self._mark = mark
        return self._left_out

    def _is_sparse(self) -> bool:
        files = os.path.join(self._common, "config"), os.path.join(self._own, "config.worktree")
        return any(_SPARSE.search(content(file, _MOST_CONFIG_BYTES)) for file in files)

    def _read(self) -> SparseFiles | None:
        try:
            staging = read_staging(self._own)
        except DAMAGE:
            return None
        files = sum(file.is_left_out for file in staging.files)
        folders = len(staging.sparse)
        if not (files or folders):
            return None
        return SparseFiles(files, folders, len(staging.files))
