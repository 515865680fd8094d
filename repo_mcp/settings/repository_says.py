"""What the repository's own file says of the settings, read as the server reads it."""

from __future__ import annotations

from repo_mcp.model import Limits
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.settings.load import Options
from repo_mcp.settings.repository_file import FILE_NAME, KnownNames, RepoConfig


def repository_says(given: Options, known_languages: KnownNames) -> RepoConfig:
    """The file, as far as it may be read."""
    most = Limits().max_file_bytes
    sandbox = Sandbox(given.repo_root, Denylist(given.deny_globs), max_file_bytes=most)
    try:
        return RepoConfig(sandbox.rules(FILE_NAME), known_languages)
    finally:
        sandbox.close()
