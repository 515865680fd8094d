"""The settings of a root: by the user, and by the files that rule it."""

from __future__ import annotations

from code_graph import known_names
from index_format.records import replace
from repo_mcp.model import Settings
from repo_mcp.remote import REMOTE_DOOR, REMOTE_SEGMENTS
from repo_mcp.safety.sandbox import Door
from repo_mcp.settings import Options, RepoConfig, RulingFiles, merge_settings


def user_settings(options: Options) -> Settings:
    """The user's settings, with what opens segments and trees elsewhere."""
    merged = merge_settings(options, RepoConfig(b"", known_names))
    return replace(merged, remote_segments=REMOTE_SEGMENTS, remote_door=REMOTE_DOOR)


def ruling_files(options: Options, door: Door) -> RulingFiles:
    """The files of settings that rule the root behind a door."""
    given = door, options.deny_globs, known_names, options.inner_roots, options.around
    return RulingFiles(*given)


def ruled_settings(options: Options, files: RulingFiles) -> Settings:
    """The settings of a root, by the user and by the files that rule it."""
    merged = merge_settings(options, files.own)
    return replace(
        merged,
        deny_globs=files.denied(merged.deny_globs),
        notes=(*merged.notes, *files.notes),
        remote_segments=REMOTE_SEGMENTS,
        remote_door=REMOTE_DOOR,
    )
