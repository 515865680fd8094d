"""What a process needs to index files of a repository as every other process would."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from typing import Any

from index_format import FileStore
from repo_mcp.budget import Clock
from repo_mcp.indexing.build.builder import Builder
from repo_mcp.languages import Languages
from repo_mcp.model import LanguageChoice, Settings, Windows
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import INDEX_FOLDER


@dataclass(frozen=True, slots=True)
class Recipe:
    """Where files and index lie, what may be read, and how it is cut."""

    root: str
    data_dir: str
    deny_globs: tuple[str, ...]
    max_file_bytes: int
    allow_hardlinks: bool
    windows: Windows
    languages: LanguageChoice

    @classmethod
    def of(cls, settings: Settings) -> Recipe:
        """What the settings say."""
        return cls(
            settings.root,
            settings.data_dir,
            settings.deny_globs,
            settings.limits.max_file_bytes,
            settings.allow_hardlinks,
            settings.windows,
            settings.languages,
        )

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Recipe:
        """The recipe that `record` was made of."""
        given = dict(record)
        given["deny_globs"] = tuple(given["deny_globs"])
        given["windows"] = Windows(**given["windows"])
        disabled, extensions = given["languages"]["disabled"], given["languages"]["extensions"]
        pairs = tuple((extension, name) for extension, name in extensions)
        given["languages"] = LanguageChoice(tuple(disabled), pairs)
        return cls(**given)

    def record(self) -> dict[str, Any]:
        """Plain values, for another process."""
        return asdict(self)

    def sandbox(self) -> Sandbox:
        """The fence around the repository."""
        return Sandbox(
            self.root,
            Denylist(self.deny_globs),
            max_file_bytes=self.max_file_bytes,
            data_dir=self.data_dir,
            allow_hardlinks=self.allow_hardlinks,
        )

    def store(self, clock: Clock = time.monotonic) -> FileStore:
        """Where the index lies; `clock` tells how long its lock is waited for."""
        return FileStore(os.path.join(self.data_dir, INDEX_FOLDER), clock=clock)

    def builder(self, sandbox: Sandbox, languages: Languages) -> Builder:
        """What makes segments; `languages` are those of this recipe's choice."""
        return Builder(sandbox, self.windows, self.store(), languages)
