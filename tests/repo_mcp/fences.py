"""Shared helpers of the sandbox's tests: trees of files, a sandbox on them, and its refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox, openat2

SECRET = "outside-secret"  # noqa: S105 the text that must not be seen
BOTH = [
    pytest.param(True, marks=pytest.mark.skipif(not openat2.is_available(), reason="no openat2")),
    False,
]


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """Make these files below a folder."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def sandbox(root: Path, *, most: int = 1 << 20, openat2: bool | None = None) -> Sandbox:
    return Sandbox(str(root), Denylist(), max_file_bytes=most, use_openat2=openat2)


def refused(fence: Sandbox, path: str) -> str:
    """The code with which reading is refused; looking must be refused with the same words."""
    with pytest.raises(Problem) as caught:
        fence.read(path)
    with pytest.raises(Problem) as looked:
        fence.file_key(path)
    assert str(looked.value) == str(caught.value)
    return caught.value.code
