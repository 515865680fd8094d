"""Folders as package managers leave them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.repo_mcp.tree_files import write

SITE = ".venv/lib/python3.12/site-packages"


def distribution(
    site: Path,
    name: str,
    version: str,
    files: Mapping[str, str],
    requires: Sequence[str] = (),
    *,
    requested: bool = False,
) -> None:
    """Install a distribution of Python as pip does."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    needed = "".join(f"Requires-Dist: {one}\n" for one in requires)
    record = "".join(f"{path},sha256=x,1\n" for path in (*files, f"{info}/METADATA"))
    more = {f"{info}/REQUESTED": ""} if requested else {}
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}\nText\n"
    write(site, {**files, f"{info}/METADATA": metadata, f"{info}/RECORD": record, **more})


def archive(path: Path, files: Mapping[str, str]) -> Path:
    """An archive of sources."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return path
