"""Trees of the repositories that questions are about."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def checkout(mirror: Path, repository: Mapping[str, Any], keep: Path) -> Path:
    """The files of a repository, without those that no question needs."""
    name: str = repository["name"].replace("/", "+")
    tree = keep / "trees" / name
    if not tree.exists():
        tree.mkdir(parents=True)
        command = ["git", "-C", str(mirror / name / "repo"), "archive", repository["commit"], "--"]
        packed = subprocess.run([*command, *repository["paths"]], check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(tree, filter="data")
    return tree
