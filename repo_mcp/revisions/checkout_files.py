"""Files of which a checkout's index says nothing about a revision: all others it has as they are.

A file is known to be as a commit has it where its size and time are those that git has noted with
its hash, and the index has read it at that size and time.
"""

from __future__ import annotations

import os
import re
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.git import GitHistory, GitObjects, Staging, read_staging
from repo_mcp.indexing.walk.memory import WalkMemory
from repo_mcp.safety.sandbox import UNKNOWN_KEY, Sandbox

_ATTRIBUTES: Final = ".gitattributes"
# git writes other bytes into a checkout than a commit has
_CONVERTING: Final = re.compile(
    rb"\b(?:filter=|eol=crlf|working-tree-encoding=|ident\b)", re.IGNORECASE
)
_CONVERTING_CONFIG: Final = re.compile(
    rb"^[ \t]*(?:autocrlf[ \t]*=[ \t]*true|eol[ \t]*=[ \t]*crlf)", re.MULTILINE | re.IGNORECASE
)
# files whose sizes are compared with those of their objects
_COMPARED: Final = 64


def differing_paths(
    memory: WalkMemory,
    sandbox: Sandbox,
    git: GitHistory,
    objects: GitObjects,
    tree: bytes,
    budget: Budget,
) -> list[str]:
    """Files that a tree has not, or may not have, as an index has them; raises one of `DAMAGE`.

    The `memory` tells when the index has read what; the sandbox is that of the checkout.
    """
    staging = read_staging(git.own)
    found: set[bytes] = set()
    for old, new in staging.changed_since(objects, tree):
        budget.check()
        if old is not None:
            found.add(os.fsencode(old.path))
        if new is not None:
            found.add(new.path)
    converts = _converts(staging, sandbox, git) or _has_other_sizes(staging, objects)
    tracked = {file.path: file for file in staging.files}
    for folder in memory.folders:
        budget.check()
        for name, seen in memory.of_folder(folder).items():
            path = os.fsencode(folder + name)
            file = tracked.pop(path, None)
            is_same = file is not None and seen.key != UNKNOWN_KEY and not converts
            if file is None or not (
                is_same and staging.is_as_added(file, seen.key.size, seen.key.mtime_ns)
            ):
                found.add(path)
    # the index has none of these: they are left out by rules, or were not there to be read
    return sorted(map(os.fsdecode, found.union(tracked)))


def _converts(staging: Staging, sandbox: Sandbox, git: GitHistory) -> bool:
    """True if files of the checkout may have other bytes than those of the same hash."""
    if _CONVERTING_CONFIG.search(git.config()):
        return True
    named = (file.path for file in staging.files if file.path.endswith(_ATTRIBUTES.encode()))
    return any(_CONVERTING.search(sandbox.read_rules(os.fsdecode(path))) for path in named)


def _has_other_sizes(staging: Staging, objects: GitObjects) -> bool:
    """True if some files of the checkout are longer or shorter than what the repository has."""
    step = -(-len(staging.files) // _COMPARED) or 1
    return any(
        file.size and file.mode.startswith(b"100") and objects.size(file.identity) != file.size
        for file in staging.files[::step]
    )
