"""What crosses layers: settings, limits, and what the services hand to the tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

MAX_CHUNK_LINES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request may read and give back."""

    max_file_bytes: int = 1_048_576
    max_open_lines: int = 400
    max_total_bytes_per_response: int = 40_000
    max_search_hits: int = 50
    max_bundle_files: int = 20


@dataclass(frozen=True, slots=True)
class Windows:
    """Chunks of so many lines, each beginning with the last `overlap` lines of the one before."""

    lines: int = 200
    overlap: int = 30


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """Languages whose files are not parsed, and extensions whose files are of a language."""

    disabled: tuple[str, ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()


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
    windows: Windows = Windows()
    # processes that index; 0 means as many as there are processors, but no more than eight
    workers: int = 0
    watch: bool = True
    # what a search on a repository without an index waits for it, and then spends on a scan
    first_answer_seconds: float = 1.0
    # what one call may spend on a refresh: less than the shortest patience of a client
    refresh_seconds: float = 50.0
    notes: tuple[str, ...] = ()
    languages: LanguageChoice = LanguageChoice()
    # whether any file may be text, whatever its name: its content decides
    any_name: bool = False
    # what the repository says of hybrid search: nothing reads it yet
    hybrid: Mapping[str, object] = field(default_factory=dict)


class AnswerWarning(NamedTuple):
    """What limits an answer: `code` is what programs act on, `text` what is shown.

    `advice` is a code for what helps, which every front end words for itself.
    """

    code: str
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far indexing has come: files and bytes looked at, of how many, after how many seconds."""

    phase: str
    files: int
    all_files: int
    size: int
    all_size: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """What a refresh did; `complete` is False where some is left to do.

    All that was added can be searched; what the files of `facts_left` declare is not known yet, and
    the files of `words_left` are in the index as they were before.
    """

    added: int
    updated: int
    removed: int
    files: int
    seconds: float
    timestamp: str
    complete: bool
    left_out: dict[str, int] = field(default_factory=dict)
    words_left: int = 0
    facts_left: int = 0
    # seconds that went by until another process had written
    waited: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index as it stands; `status` is missing, partial or ready.

    While it is `shallow`, all words can be searched, but what some files declare is not known yet.
    `progress` says how far indexing has come, None when none is under way in this process;
    `elsewhere`, whether this process waits for another one that indexes.
    """

    status: str
    generation: int
    files: int
    last_refresh: str
    shallow: bool = False
    progress: Progress | None = None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """What one word adds to a hit's score through one field, or what a property of the file does.

    Weights of words add up; those of properties ("prior", "coverage") multiply the sum.
    """

    field: str
    term: str
    weight: float


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
    # the declaration that holds the lines, after those that hold it; empty where none is known
    symbol: str = ""
    # why it has its score, where that was asked for
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`text` is a query to ask instead, or a path to open; `why` says what is known of it."""

    kind: Literal["spelling", "joined", "split", "path"]
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits in order of score, path and line, and what is to be said about them."""

    hits: tuple[SearchHit, ...]
    terms: tuple[str, ...]
    warnings: tuple[AnswerWarning, ...]
    # what might have been meant, where nothing was found or a word is nowhere
    suggestions: tuple[Suggestion, ...] = ()
