"""Checkouts with several revisions, and indexes of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from index_format import Snapshot
from repo_mcp.revisions.opening import OpenRevisions
from repo_mcp.revisions.revision_index import RevisionIndex
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import FOREVER


class Checkout:
    """A checkout with its index, and indexes of its other revisions."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.parts: Services = services(Options(str(root), str(data)))
        self.parts.manager.refresh(FOREVER)
        given, manager = self.parts.settings, self.parts.manager.single
        self.revisions = OpenRevisions(given, manager, lambda root: root)

    def index(self, name: str) -> RevisionIndex:
        """The index of a revision, which may have to be made."""
        opened = self.revisions.open(self.revisions.find(name))
        assert isinstance(opened.manager, RevisionIndex)
        return opened.manager

    def made(self, name: str) -> RevisionIndex:
        """The index of a revision, made."""
        index = self.index(name)
        assert index.refresh(FOREVER).complete
        return index


def files_in(snapshot: Snapshot | None) -> Mapping[str, bytes]:
    """The files of an index with the fingerprints of their contents."""
    assert snapshot is not None
    found = ((path, snapshot.file(path)) for path in snapshot.paths())
    return {path: file.fingerprint for path, file in found if file is not None}


def checked_out(root: Path, name: str, folder: Path) -> Mapping[str, bytes]:
    """The files of the index of a worktree of a revision."""
    run_git(root, "worktree", "add", "-q", "-f", "--detach", str(folder / "tree"), name)
    parts = services(Options(str(folder / "tree"), str(folder / "data")))
    parts.manager.refresh(FOREVER)
    found = files_in(parts.manager.snapshot())
    run_git(root, "worktree", "remove", "--force", str(folder / "tree"))
    return found
