"""Requests and results of a bundler: what a bundle is, whoever makes the choice."""

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
    """What a kind of evidence means for a place it speaks for."""

    # it is certain whatever stands around the place
    CERTAIN = "certain"
    # the prompt leads to exactly these lines
    POINTS_AT_LINES = "points_at_lines"
    # it says where in a file, so that no outline of the file is needed
    SAYS_WHERE = "says_where"
    # what is tied to the place counts even if it has no word of the prompt
    TIES_FULLY = "ties_fully"
    # the place was compared with the rest of its file already
    COMPARED_IN_FILE = "compared_in_file"


class SearchKind(StrEnum):
    """How a place is searched for or found."""

    traits: frozenset[Trait]

    def __new__(cls, code: str, *traits: Trait) -> Self:
        """A code and what evidence of this kind means."""
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
    # by the declarations of a file, and by what is tied to them
    DECLARATION = "declaration", Trait.CERTAIN, Trait.COMPARED_IN_FILE
    NEIGHBOUR = "neighbour", Trait.CERTAIN, Trait.COMPARED_IN_FILE
    # by the lines of a bundle that use it
    USE = "use"


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """What a bundle is made for, and its limits: none is ever exceeded, 0 means no limit.

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
    """A name, path, message or word of the prompt, and what it counts.

    `line` is that of a place in a file, 0 for none; `function` is the one that a stack trace names
    there, empty if it names none.
    """

    text: str
    kind: KeywordKind
    weight: float
    line: int = 0
    function: str = ""


@dataclass(frozen=True, slots=True)
class SearchRun:
    """A search, and how many places it found."""

    kind: SearchKind
    query: str
    hits: int


class Line(NamedTuple):
    """A line of a file, counted from 1; a very long one is cut and ends in `…`."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one file as it is now, in order; lines between them may be left out.

    `symbol` is the declaration they belong to, empty where none is known. `fingerprint` identifies
    the content of the whole file. `stale` says that the file has changed since it was indexed.
    """

    path: str
    lines: tuple[Line, ...]
    symbol: str
    role: Role
    reasons: tuple[Reason, ...]
    score: float
    fingerprint: str
    stale: bool = False
    # of the file, empty where none is known
    language: str = ""

    @property
    def rationale(self) -> str:
        """The reasons in words."""
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
        """First and last line of each stretch without a gap."""
        return stretches([line.number for line in self.lines])

    @property
    def citation(self) -> str:
        """Path and stretches of lines."""
        return f"{self.path}:{','.join(_lines(*span) for span in self.ranges)}"

    @property
    def left_out_lines(self) -> int:
        """How many lines between the first and the last are not shown."""
        return self.end_line - self.start_line + 1 - len(self.lines)

    @property
    def text(self) -> str:
        """The lines with their numbers, and between them how many are left out."""
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
        """The part of an answer."""
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
    """A place that matches, and why it is not in the bundle."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    reason: Omission

    def as_result(self) -> dict[str, Any]:
        """The part of an answer."""
        return {**asdict(self), "reason": self.reason.text}


@dataclass(frozen=True, slots=True)
class Audit:
    """How a bundle was made; `complete` is False if time ran out before all searches.

    `considered` counts candidates; `left_out` holds the best of those that are
    not in the bundle, and `left_out_count` counts all of them.
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
        """The part of an answer."""
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
    """Excerpts file by file, the best file first, and each file's in the order of its lines.

    `bundle_id` and `prompt_fingerprint` depend on nothing but prompt, limits and content.
    `short_audit` is as much of the audit as an answer of limited size has room for.
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
        """The answer of `repo.build_context_bundle`, all of it made of plain JSON values."""
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
        """The notices in words."""
        return tuple(notice.text for notice in self.notices)

    def by_file(self) -> dict[str, list[Excerpt]]:
        """The excerpts of each file, in order."""
        found: dict[str, list[Excerpt]] = {}
        for item in self.excerpts:
            found.setdefault(item.path, []).append(item)
        return found


class Bundler(Protocol):
    """Makes bundles; a program or a model may do it, and the result has the same shape."""

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
    """First and last of each run of ascending numbers without a gap."""
    if not numbers:
        return ()
    breaks = [(before, after) for before, after in pairwise(numbers) if after > before + 1]
    firsts = [numbers[0], *(after for _, after in breaks)]
    lasts = [*(before for before, _ in breaks), numbers[-1]]
    return tuple(zip(firsts, lasts, strict=True))
