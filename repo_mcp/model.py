"""What crosses layers: settings, limits, and what the services hand to the tools."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request may read and give back."""

    max_file_bytes: int = 1_048_576
    max_open_lines: int = 400
    max_total_bytes_per_response: int = 10_000
    max_search_hits: int = 50


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured, after all its sources are taken together."""

    root: str
    data_dir: str
    limits: Limits = Limits()
    include_extensions: tuple[str, ...] = ()
    exclude_globs: tuple[str, ...] = ()
    deny_globs: tuple[str, ...] = ()
    allow_hardlinks: bool = False
    # what a search on a repository without an index may spend on building one
    first_build_seconds: float = 20.0
    # what one call may spend on a refresh: less than the shortest patience of a client
    refresh_seconds: float = 50.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did; `complete` is False when it ran out of time."""

    added: int
    updated: int
    removed: int
    files: int
    seconds: float
    timestamp: str
    complete: bool
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index as it stands; `status` is missing, partial or ready."""

    status: str
    generation: int
    files: int
    last_refresh: str


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A stretch of lines as they stand in the file now."""

    path: str
    start_line: int
    end_line: int
    score: float
    matched_terms: tuple[str, ...]
    snippet: str
    stale: bool


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits in order of score, path and line, and what is to be said about them."""

    hits: tuple[SearchHit, ...]
    terms: tuple[str, ...]
    warnings: tuple[str, ...]
