"""Requests and results of bundlers, independent of how a bundler chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, Protocol, Self

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.bundle.reasons import Notice, Omission, Reason
from repo_mcp.bundle.weights import RequestWeights

KeywordKind = Literal["frame", "path", "identifier", "quoted", "error", "word"]
Role = Literal["match", "definition", "imports", "test", "outline"]

NO_ROOM: Final = Omission.NO_ROOM
DEFAULT_MAX_FILES: Final = RequestWeights.MAX_FILES
DEFAULT_MAX_TOTAL_LINES: Final = RequestWeights.MAX_TOTAL_LINES
LEAST_BYTES: Final = RequestWeights.LEAST_BYTES
STRATEGY: Final = "hybrid"
_GAP: Final = "…"


class Trait(StrEnum):
    """A property of a kind of evidence, which changes how its candidates are weighed."""

    # is not scaled by the prompt's words around the candidate
    CERTAIN = "certain"
    # leads to exactly these lines
    POINTS_AT_LINES = "points_at_lines"
    # locates the candidate within its file, so that no outline is needed
    SAYS_WHERE = "says_where"
    # raises tied declarations fully, even those without a word of the prompt
    TIES_FULLY = "ties_fully"
    # ranks the candidate against the rest of its file already
    COMPARED_IN_FILE = "compared_in_file"


class SearchKind(StrEnum):
    """A kind of search, and of the evidence that it finds."""

    traits: frozenset[Trait]

    def __new__(cls, code: str, *traits: Trait) -> Self:
        """A code, and the traits of evidence of this kind."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.traits = frozenset(traits)
        return member

    FRAME = "frame", Trait.CERTAIN, Trait.POINTS_AT_LINES, Trait.SAYS_WHERE
    PATH = "path", Trait.CERTAIN, Trait.SAYS_WHERE
    LITERAL = (
        "literal",
        Trait.CERTAIN,
        Trait.POINTS_AT_LINES,
        Trait.SAYS_WHERE,
        Trait.TIES_FULLY,
    )
    CONSTANT = "constant", Trait.CERTAIN, Trait.TIES_FULLY
    DEFINITION = "definition", Trait.SAYS_WHERE, Trait.TIES_FULLY
    MENTIONS = "mentions"
    NAMES = "names"
    MESSAGE = "message"
    PROMPT = "prompt"
    WRITTEN = "written"
    TITLE = "title"
    TESTS = "tests"
    FILE = "file"
    FILES = "files"
    # from scoring the declarations of a file, and from ties to them
    DECLARATION = "declaration", Trait.CERTAIN, Trait.COMPARED_IN_FILE
    NEIGHBOUR = "neighbour", Trait.CERTAIN, Trait.COMPARED_IN_FILE
    # from lines of the bundle that use it
    USE = "use"


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """A prompt and the limits of its bundle, which are never exceeded; 0 means no limit.

    `max_tokens` counts tokens as `choose.budget` estimates them; `max_bytes` is the size
    of the result as JSON in UTF-8.
    """

    prompt: str
    max_files: int = DEFAULT_MAX_FILES
    max_total_lines: int = DEFAULT_MAX_TOTAL_LINES
    max_tokens: int = 0
    max_bytes: int = 0
    include_tests: bool = False


@dataclass(frozen=True, slots=True)
class Keyword:
    """A name, path, message or word of the prompt, and its weight.

    `line` is the line in a file, 0 for none; `function` is the function that a stack trace names
    there, empty for none.
    """

    text: str
    kind: KeywordKind
    weight: float
    line: int = 0
    function: str = ""


@dataclass(frozen=True, slots=True)
class SearchRun:
    """A search, and the number of its hits."""

    kind: SearchKind
    query: str
    hits: int


class Line(NamedTuple):
    """A line of a file, counted from 1; a very long one is cut and ends in `…`."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one current file, in order; lines between them may be left out.

    `symbol` is their declaration, empty if unknown. `fingerprint` identifies the content of the
    whole file. `stale` means that the file has changed since it was indexed.
    """

    path: str
    lines: tuple[Line, ...]
    symbol: str
    role: Role
    reasons: tuple[Reason, ...]
    score: float
    fingerprint: str
    stale: bool = False
    # language of the file, empty if unknown
    language: str = ""

    @property
    def rationale(self) -> str:
        """The reasons as text."""
        return "; ".join([reason.text for reason in self.reasons])

    @property
    def start_line(self) -> int:
        """Number of the first line."""
        return self.lines[0].number

    @property
    def end_line(self) -> int:
        """Number of the last line."""
        return self.lines[-1].number

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """First and last line of each contiguous range."""
        return stretches([line.number for line in self.lines])

    @property
    def citation(self) -> str:
        """Path and line ranges."""
        return f"{self.path}:{','.join(_lines(*span) for span in self.ranges)}"

    @property
    def left_out_lines(self) -> int:
        """How many lines between the first and the last are not shown."""
        return self.end_line - self.start_line + 1 - len(self.lines)

    @property
    def text(self) -> str:
        """The lines with their numbers, and the size of each gap."""
        shown: list[str] = []
        last = self.start_line - 1
        for number, text in self.lines:
            if number > last + 1:
                count = number - last - 1
                shown.append(f"{_GAP} {count} line{'s' if count > 1 else ''} left out")
            shown.append(f"{number}\t{text}")
            last = number
        return "\n".join(shown)

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer."""
        return {
            "citation": self.citation,
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "symbol": self.symbol,
            "role": self.role,
            "rationale": self.rationale,
            "score": self.score,
            "left_out_lines": self.left_out_lines,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that is not in the bundle, and why."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    reason: Omission

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer."""
        return {**asdict(self), "reason": self.reason.text}


@dataclass(frozen=True, slots=True)
class Audit:
    """How a bundle was made; `complete` is False if time ran out before all searches.

    `considered` counts candidates; `left_out` has the best of those that are not in the bundle,
    and `left_out_count` counts all of them.
    """

    bundler: str
    generation: int
    complete: bool
    keywords: tuple[Keyword, ...] = ()
    searches: tuple[SearchRun, ...] = ()
    considered: int = 0
    left_out: tuple[LeftOut, ...] = ()
    left_out_count: int = 0
    token_estimate: str = ""

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer."""
        found = asdict(self)
        found["keywords"] = [
            {"text": item.text, "kind": item.kind, "weight": item.weight, "line": item.line}
            for item in self.keywords
        ]
        found["searches"] = [asdict(item) for item in self.searches]
        found["left_out"] = [item.as_result() for item in self.left_out]
        return found


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """How much of the budget a bundle takes."""

    files: int
    lines: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """Excerpts by file, the best file first, and by line within a file.

    `bundle_id` and `prompt_fingerprint` depend only on prompt, limits and content. `short_audit` is
    the audit cut to the size limit of the answer.
    """

    request: BundleRequest
    bundle_id: str
    prompt_fingerprint: str
    excerpts: tuple[Excerpt, ...]
    used: BudgetUse
    audit: Audit
    notices: tuple[Notice, ...] = ()
    short_audit: Audit | None = None

    def as_result(self) -> dict[str, Any]:
        """The answer of `repo.build_context_bundle`, as JSON values."""
        request = self.request
        return {
            "bundle_id": self.bundle_id,
            "prompt_fingerprint": self.prompt_fingerprint,
            "strategy": STRATEGY,
            "include_tests": request.include_tests,
            "budget": {
                "max_files": request.max_files,
                "max_total_lines": request.max_total_lines,
                "max_tokens": request.max_tokens,
                "max_bytes": request.max_bytes,
            },
            "used": asdict(self.used),
            "files": [_file(path, group) for path, group in self.by_file().items()],
            "excerpts": [item.as_result() for item in self.excerpts],
            "citations": [item.citation for item in self.excerpts],
            "audit": (self.short_audit or self.audit).as_result(),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notices as text."""
        return tuple(notice.text for notice in self.notices)

    def by_file(self) -> dict[str, list[Excerpt]]:
        """The excerpts of each file, in order."""
        found: dict[str, list[Excerpt]] = {}
        for item in self.excerpts:
            found.setdefault(item.path, []).append(item)
        return found


class Bundler(Protocol):
    """Makes bundles, by program or by model, with the same type of result."""

    def build(self, snapshot: Snapshot, request: BundleRequest, budget: Budget) -> Bundle:
        """The bundle for a request from one snapshot; a prompt without a word is a `Problem`."""
        ...


def _file(path: str, excerpts: Sequence[Excerpt]) -> dict[str, Any]:
    reasons = dict.fromkeys(
        item.rationale for item in excerpts if item.role not in {"imports", "outline"}
    )
    return {
        "path": path,
        "fingerprint": excerpts[0].fingerprint,
        "stale": excerpts[0].stale,
        "lines": sum(len(item.lines) for item in excerpts),
        "ranges": [_lines(*span) for item in excerpts for span in item.ranges],
        "rationale": next(iter(reasons), excerpts[0].rationale),
    }


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if last > first else str(first)


def stretches(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """First and last of each contiguous run of ascending numbers."""
    if not numbers:
        return ()
    breaks = [(before, after) for before, after in pairwise(numbers) if after > before + 1]
    firsts = [numbers[0], *(after for _, after in breaks)]
    lasts = [*(before for before, _ in breaks), numbers[-1]]
    return tuple(zip(firsts, lasts, strict=True))
