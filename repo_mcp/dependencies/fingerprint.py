"""A hash of the files of a package: projects that have equal ones share its index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import xxhash

from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.walk import FOREIGN_FOLDERS
from repo_mcp.safety.sandbox import Sandbox

# its form, and which files it is made of
_VERSION: Final = 1


def fingerprint_of(package: InstalledPackage, sandbox: Sandbox) -> str:
    """The hash of name, version, and the paths and sizes of all files.

    Contents are not read: a package manager that changes a file changes the version, and an edit
    by hand nearly always the size.
    """
    found = xxhash.xxh3_128()
    head = (str(_VERSION), package.ecosystem, package.name, package.version)
    for part in (*head, *(f"{path}\t{size}" for path, size in _sizes(sandbox, ""))):
        found.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


def _sizes(sandbox: Sandbox, folder: str) -> Iterator[tuple[str, int]]:
    try:
        listed = sandbox.list_folder(folder)
    except Problem:
        return
    for entry in listed.entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.kind == "folder":
            if entry.name not in FOREIGN_FOLDERS and not sandbox.is_denied(path, folder=True):
                yield from _sizes(sandbox, path)
        elif entry.key is not None and not sandbox.is_denied(path):
            yield path, entry.key.size
