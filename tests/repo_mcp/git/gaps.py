"""Repositories that lack objects: partial clones, and whole ones of which one was deleted."""

from __future__ import annotations

from pathlib import Path

from tests.repo_mcp.git.made_history import run_git


def blob_of(root: Path, named: str) -> str:
    """The hash of a file of a commit, as `HEAD~1:path`."""
    return run_git(root, "rev-parse", named).decode().strip()


def delete_object(root: Path, identity: str) -> None:
    """Delete a loose object."""
    file = root / ".git" / "objects" / identity[:2] / identity[2:]
    file.chmod(0o600)
    file.unlink()


def clone_without_blobs(source: Path, target: Path) -> None:
    """A partial clone: it has the files of HEAD, and no others."""
    run_git(source, "config", "uploadpack.allowFilter", "true")
    line = ("clone", "-q", "--no-local", "--filter=blob:none", f"file://{source}", str(target))
    run_git(source.parent, *line)
