"""The sandbox: the only code that turns a string into a path and opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use
from repo_mcp.safety.sandbox.door import Content, Door, FolderId, RootState
from repo_mcp.safety.sandbox.fence import Sandbox, archive_of, open_root
from repo_mcp.safety.sandbox.lexical import is_speakable
from repo_mcp.safety.sandbox.listing import (
    HASH_BYTES,
    KEY_BYTES,
    UNKNOWN_KEY,
    Folder,
    FolderEntry,
    StatKey,
    pack_key,
    unpack_keys,
    unpack_sizes,
)

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox.mounts import MountedSandboxes
    from repo_mcp.safety.sandbox.scanning import LineScan, NeedleLines, Scanned, prefix_lines

_LATE: Final = {
    "mounts": "MountedSandboxes",
    "scanning": "LineScan NeedleLines Scanned prefix_lines",
}
__getattr__ = import_on_first_use(__name__, _LATE)
