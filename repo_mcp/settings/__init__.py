"""Settings: one table, four sources, one value that is handed on.

Nothing else reads the environment or `repo_mcp.toml`. This is the door; two modules beside it are
doors of their own: `project_root` (which folder is meant) and `retrieval_roots` (the two folders of
the toolset `retrieval`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from repo_mcp.settings.load import (
    Options,
    check_options,
    http_token,
    merge_settings,
    read_options,
)
from repo_mcp.settings.table import (
    BY_KEY,
    BY_NAME,
    MORE_TABLES,
    OFF,
    ON,
    SETTINGS,
    Setting,
    Value,
)
from repo_mcp.settings.values import ConfigError, allowed

if TYPE_CHECKING:
    from repo_mcp.settings.repository_file import (
        FILE_NAME,
        KnownNames,
        RepoConfig,
        read_repo_file,
    )

# the server starts without a repository's file, and without what reads it
_LATE = dict.fromkeys(
    ("FILE_NAME", "KnownNames", "RepoConfig", "read_repo_file"), "repository_file"
)

__all__ = [
    "BY_KEY",
    "BY_NAME",
    "FILE_NAME",
    "MORE_TABLES",
    "OFF",
    "ON",
    "SETTINGS",
    "ConfigError",
    "KnownNames",
    "Options",
    "RepoConfig",
    "Setting",
    "Value",
    "allowed",
    "check_options",
    "http_token",
    "merge_settings",
    "read_options",
    "read_repo_file",
]


def __getattr__(name: str) -> object:
    """Import a late name."""
    module = _LATE.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"repo_mcp.settings.{module}"), name)
