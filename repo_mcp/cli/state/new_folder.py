"""Says that an index is about to be made in a folder that is no repository."""

from __future__ import annotations

from pathlib import Path

from repo_mcp.cli.command_line import complain
from repo_mcp.settings import Options
from repo_mcp.settings.project_root import is_repository


def note_new_folder(given: Options, data_dir: str) -> None:
    """Print a note, unless the user named the data folder or it is there already."""
    if given.data_dir is not None or Path(data_dir).exists() or is_repository(given.repo_root):
        return
    root = Path(given.repo_root).absolute()
    complain(
        f"note: {root} is no repository (no .git or the like): the index goes to {data_dir};"
        " --data-dir names another folder"
    )
