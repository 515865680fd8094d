"""Says that an index is about to be made in a new folder of the repository."""

from __future__ import annotations

import os

from index_format.annotations import Final
from repo_mcp.cli.command_line import complain
from repo_mcp.settings import DATA_FOLDER, Options, data_dir_of, usual_data_folder
from repo_mcp.settings.project_root import is_repository

# names of roots in a note
_SHOWN: Final = 10


def note_new_folder(given: Options) -> None:
    """Print a note, unless the user named the data folder or it is there already."""
    if given.mounts:
        _note_new_folders(given)
        return
    folder = data_dir_of(given)
    if given.data_dir is not None or os.path.exists(folder):
        return
    if is_repository(given.repo_root):
        where = f"the index goes to {folder}, a new folder that git ignores"
    else:
        root = os.path.abspath(given.repo_root)
        where = f"{root} is no repository (no .git or the like): the index goes to {folder}"
    complain(f"note: {where}; --data-dir names another folder")


def _note_new_folders(given: Options) -> None:
    """Print the same for the roots of a workspace whose data folder is new."""
    new = [
        root.name
        for root in given.mounts
        if os.path.isdir(root.path) and not os.path.exists(usual_data_folder(root.path))
    ]
    if new and given.data_dir is None:
        more = f" and {len(new) - _SHOWN} more" if len(new) > _SHOWN else ""
        where = f"the indexes of {', '.join(new[:_SHOWN])}{more} go to {DATA_FOLDER} in each root"
        complain(f"note: {where}; --data-dir names another folder for all")
