"""Settings, sandbox and index of one repository, which every command and every call works with."""

from __future__ import annotations

import time

from code_graph import Languages, known_names
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Settings
from repo_mcp.remote import REMOTE_SEGMENTS, remote_index
from repo_mcp.safety.sandbox import Door, Sandbox, open_root
from repo_mcp.settings import Options, RepoConfig, merge_settings, read_repo_file


class Services(NamedTuple):
    """The parts that every command uses."""

    settings: Settings
    sandbox: Sandbox
    manager: IndexManager
    # the bytes of the repository's own configuration
    config: bytes
    # without a deadline, on the program's clock
    budget: Budget

    @property
    def languages(self) -> Languages:
        """The languages, as the repository's configuration chooses them."""
        return self.manager.languages


def merged_settings(options: Options, config: bytes) -> Settings:
    """The settings of a folder by its configuration, with what opens segments elsewhere."""
    merged = merge_settings(options, RepoConfig(config, known_names))
    return replace(merged, remote_segments=REMOTE_SEGMENTS)


def services(
    options: Options,
    clock: Clock = time.monotonic,
    door: Door | None = None,
) -> Services:
    """Read the settings and open the sandbox and index of a repository, all through one door."""
    door = door or open_root(options.repo_root, options.real_root)
    config = read_repo_file(options.repo_root, options.deny_globs, door)
    settings = merged_settings(options, config)
    sandbox = Recipe.of(settings).sandbox(door)
    manager = IndexManager(settings, sandbox, clock, remote_index(settings))
    return Services(settings, sandbox, manager, config, Budget(clock=clock))
