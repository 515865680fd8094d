"""Which repository is meant where none is named: never more than somebody would expect."""

from __future__ import annotations

import os
from typing import Final

from repo_mcp.settings.values import ConfigError

# what marks a folder as the root of a repository
MARKS: Final = (".git", ".hg", ".svn", ".jj", ".sl", ".bzr", "_darcs", "repo_mcp.toml")


def found(start: str) -> str:
    """The nearest repository from this folder upwards, else the folder itself.

    The search ends below the home folder, and at a folder that belongs to somebody else: what
    stands in those is no part of the project, whatever mark they bear.
    """
    begin = os.path.abspath(start)
    refuse_too_much(begin)
    folder, owner = begin, _owner(begin)
    while not _is_too_much(folder) and _owner(folder) == owner:
        if any(os.path.lexists(os.path.join(folder, mark)) for mark in MARKS):
            return folder
        folder = os.path.dirname(folder)
    return begin


def refuse_too_much(folder: str) -> None:
    """Refuse the root of the file system, the home folder and what holds it."""
    if _is_too_much(folder):
        where = os.path.abspath(folder)
        raise ConfigError(
            f"{where} is too much to serve by chance: change to the project's folder, or name the"
            f" repository in full, e.g. --repo-root {os.path.join(where, 'project')}"
        )


def _is_too_much(folder: str) -> bool:
    real = os.path.realpath(folder)
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.dirname(real) == real or (home + os.sep).startswith(real.rstrip(os.sep) + os.sep)


def _owner(folder: str) -> int:
    try:
        return os.stat(folder).st_uid
    except OSError:
        return -1
