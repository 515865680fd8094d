"""Chooses the repository root when none is given."""

from __future__ import annotations

import os

from index_format.annotations import Final
from repo_mcp.settings.values import ConfigError

# folders for anyone's files
_SHARED: Final = ("/tmp", "/var/tmp")  # noqa: S108 they are refused
# lists the roots of a workspace
WORKSPACE_FILE: Final = "repo_mcp_workspace.toml"
# where a repository's data is, unless the user says otherwise
DATA_FOLDER: Final = ".repo_mcp"
# entries that mark a folder as a repository root
MARKS: Final = (".git", ".hg", ".svn", ".jj", ".sl", ".bzr", "_darcs", "repo_mcp.toml")


def find_root(start: str) -> str:
    """The nearest repository at or above this folder, else the folder itself.

    The search ends below the home folder and at a folder of another owner: a mark there does not
    make them part of the project.
    """
    begin = os.path.abspath(start)
    refuse_broad_root(begin)
    folder, owner = begin, _owner(begin)
    while not is_too_broad(folder) and _owner(folder) == owner:
        if is_repository(folder):
            return folder
        folder = os.path.dirname(folder)
    return begin


def find_workspace_file(start: str) -> str:
    """The workspace file in a folder or above it; empty if there is none.

    The search ends where that for a repository does, but not at one: its folder may be a root. A
    file of another owner is passed by: the folder above may be one that others write in.
    """
    folder = os.path.abspath(start)
    owner = _owner(folder)
    while not is_too_broad(folder) and _owner(folder) == owner:
        path = os.path.join(folder, WORKSPACE_FILE)
        if os.path.isfile(path) and not os.path.islink(path) and _owner(path) == owner:
            return path
        folder = os.path.dirname(folder)
    return ""


def is_repository(folder: str) -> bool:
    """True if a folder has a mark of a repository."""
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in MARKS)


def refuse_broad_root(folder: str) -> None:
    """Refuse the file system's root, the home folder and any above it, and temporary folders."""
    if is_too_broad(folder):
        where = os.path.abspath(folder)
        raise ConfigError(
            f"{where} is too broad to be served by default: change to the project's folder, or give"
            f" the repository's full path, e.g. --repo-root {os.path.join(where, 'project')}"
        )


def is_too_broad(folder: str) -> bool:
    """True for the file system's root, the home folder and any above it, and temporary folders."""
    real = os.path.realpath(folder)
    home = os.path.realpath(os.path.expanduser("~"))
    return (
        os.path.dirname(real) == real
        or (home + os.sep).startswith(real.rstrip(os.sep) + os.sep)
        or real in map(os.path.realpath, (*_SHARED, os.environ.get("TMPDIR") or "/tmp"))  # noqa: S108 it is refused
    )


def _owner(path: str) -> int:
    try:
        return os.stat(path).st_uid
    except OSError:
        return -1
