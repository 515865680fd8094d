"""Says that an index is about to be made in a new folder of the repository."""

from __future__ import annotations

import os

from repo_mcp.cli.command_line import complain
from repo_mcp.settings import Options, data_dir_of
from repo_mcp.settings.project_root import is_repository


def note_new_folder(given: Options) -> None:
    """Print a note, unless the user named the data folder or it is there already."""
    folder = data_dir_of(given)
    if given.data_dir is not None or os.path.exists(folder):
        return
    if is_repository(given.repo_root):
        where = f"the index goes to {folder}, a new folder that git ignores"
    else:
        root = os.path.abspath(given.repo_root)
        where = f"{root} is no repository (no .git or the like): the index goes to {folder}"
    complain(f"note: {where}; --data-dir names another folder")
