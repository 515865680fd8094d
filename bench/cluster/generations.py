"""Contents of the newest generation of a data folder, for the comparison of indexes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from repo_mcp.stored import TEXT_INDEX


def generation_of(data: Path) -> dict[str, Any]:
    """The manifest but for its number.

    Segments are in it by their names, which are hashes of their bytes. The folder is only read.
    """
    newest = max(Path(data, TEXT_INDEX.folder).glob("manifest-*.json"))
    said: dict[str, Any] = json.loads(newest.read_bytes())["manifest"]
    del said["generation"]
    return said
