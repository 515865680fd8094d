"""Makes files below a folder."""

from __future__ import annotations

from pathlib import Path


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """Make these files below a folder."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        target.write_bytes(data)
    return root
