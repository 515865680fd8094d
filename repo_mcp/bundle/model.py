"""Requests and results of bundlers, independent of how a bundler chooses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from index_format import Snapshot
from index_format.records import Record, replace, values_of
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import HYBRID, REGIONS
from repo_mcp.budget import Budget
from repo_mcp.bundle.reasons import Notice, NoticeCode, Omission, Reason
from repo_mcp.bundle.weights import RequestWeights, SizeWeights
from repo_mcp.question.keywords import Keyword
from repo_mcp.text.cutting import cut, numbered_line, stretches

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot

Role = Literal["match", "test", "use"]
# how declarations are tied: by names in a file alone, by the symbol graph, too, or so in some files
Ties = Literal["graph", "names", "both"]

NO_ROOM: Final = Omission.NO_ROOM
GRAPH_DAMAGED: Final = NoticeCode.GRAPH_DAMAGED
DEFAULT_MAX_FILES: Final = RequestWeights.MAX_FILES
DEFAULT_MAX_TOTAL_LINES: Final = RequestWeights.MAX_TOTAL_LINES
LEAST_BYTES: Final = RequestWeights.LEAST_BYTES
_GAP: Final = "…"


class SearchKind(StrEnum):
    """A kind of search, and of the evidence that it finds."""

    FRAME = "frame"
    PATH = "path"
    LITERAL = "literal"
    CONSTANT = "constant"
    DEFINITION = "definition"
    MENTIONS = "mentions"
    MESSAGE = "message"
    PROMPT = "prompt"
    TESTS = "tests"
    FILE = "file"
    # for the whole prompt in one of the best files, and from ties in it
    DECLARATION = "declaration"
    NEIGHBOUR = "neighbour"
    # from ties across files
    LINK = "link"
    # for a document and an example
    USAGE = "usage"
    # from the flow that a question is about
    FLOW = "flow"


class BundleRequest(Record):
    """A prompt and the limits of its bundle, which are never exceeded; 0 means no limit.

    `max_tokens` counts tokens as `choose.budget` estimates them; `max_bytes` is the size
    of the result as JSON in UTF-8. `audit` asks for the audit in the answer.
    """

    prompt: str
    max_files: int = DEFAULT_MAX_FILES
    max_total_lines: int = DEFAULT_MAX_TOTAL_LINES
    max_tokens: int = 0
    max_bytes: int = 0
    include_tests: bool = False
    audit: bool = False
    # places alone: no text, and no reasons
    places_alone: bool = False
    # what the prompt names or quotes alone, which holds of an index that lacks files, too
    named_alone: bool = False

    @property
    def strategy(self) -> str:
        """The name of what it asks for."""
        return REGIONS if self.places_alone else HYBRID


class SearchRun(Record):
    """A search, and the number of its hits."""

    kind: SearchKind
    query: str
    hits: int


class Line(NamedTuple):
    """A line of a file, counted from 1; a very long one is cut and ends in `…`."""

    number: int
    text: str


class Excerpt(Record):
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
    def text(self) -> str:
        """The lines with their numbers, and a mark for each gap, whose size these tell."""
        shown: list[str] = []
        last = self.start_line - 1
        for number, text in self.lines:
            if number > last + 1:
                shown.append(_GAP)
            shown.append(numbered_line(number, text))
            last = number
        return "\n".join(shown)

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer; what says nothing is left out."""
        optional = {
            "symbol": self.symbol,
            "role": "" if self.role == "match" else self.role,
            "stale": self.stale,
        }
        return {
            "citation": self.citation,
            **{name: value for name, value in optional.items() if value},
            "rationale": self.rationale,
            "text": self.text,
        }


class FilePlace(NamedTuple):
    """Lines of a file of which no text is shown: where to read on."""

    path: str
    first: int
    last: int
    # the declaration that they are of; for lines of none, why they are named
    symbol: str = ""
    rationale: str = ""

    @property
    def citation(self) -> str:
        """Path and line range."""
        return f"{self.path}:{_lines(self.first, self.last)}"

    @property
    def text(self) -> str:
        """The citation with what it is about, as an answer has it."""
        within = f" in {self.symbol}" if self.symbol else ""
        return f"{self.citation}{within}{': ' if self.rationale else ''}{self.rationale}"

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer."""
        symbol = {"symbol": self.symbol} if self.symbol else {}
        rationale = {"rationale": self.rationale} if self.rationale else {}
        return {"citation": self.citation, **symbol, **rationale}


class LeftOut(Record):
    """A candidate that is not in the bundle, and why."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    reason: Omission

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer."""
        return {**values_of(self), "reason": self.reason.text}


class Audit(Record):
    """The making of a bundle; `complete` is False if time ran out before all searches.

    `considered` counts candidates; `left_out` has the best of those that are not in the bundle,
    and `left_out_count` counts all of them.
    """

    bundler: str
    generation: int
    complete: bool
    ties: Ties = "names"
    keywords: tuple[Keyword, ...] = ()
    searches: tuple[SearchRun, ...] = ()
    considered: int = 0
    left_out: tuple[LeftOut, ...] = ()
    left_out_count: int = 0
    token_estimate: str = ""

    def as_summary(self) -> dict[str, Any]:
        """The facts of a bundle that every answer gives."""
        return {
            "generation": self.generation,
            "complete": self.complete,
            "ties": self.ties,
            "left_out_count": self.left_out_count,
        }

    def as_result(self) -> dict[str, Any]:
        """The JSON object in an answer that was asked for it."""
        found = values_of(self)
        found["keywords"] = [
            {"text": item.text, "kind": item.kind, "weight": item.weight, "line": item.line}
            for item in self.keywords
        ]
        found["searches"] = [values_of(item) for item in self.searches]
        found["left_out"] = [item.as_result() for item in self.left_out]
        return found


class BudgetUse(Record):
    """The share of the budget that a bundle takes."""

    files: int
    lines: int
    tokens: int


class Bundle(Record):
    """Excerpts by file, the best file first, and by line within a file.

    `bundle_id` and `prompt_fingerprint` depend only on prompt, limits and content. `short_audit` is
    the audit cut to its share of a limited answer, `flow` the chains of calls that a question asks
    for.
    """

    request: BundleRequest
    bundle_id: str
    prompt_fingerprint: str
    excerpts: tuple[Excerpt, ...]
    used: BudgetUse
    audit: Audit
    notices: tuple[Notice, ...] = ()
    short_audit: Audit | None = None
    flow: tuple[str, ...] = ()
    # what was looked for and not found, if nothing answers the prompt confidently
    doubt: str = ""
    # places in further files, best first
    places: tuple[FilePlace, ...] = ()

    def as_result(self) -> dict[str, Any]:
        """The answer of `repo.build_context_bundle`, as JSON values."""
        doubt = {"confident": False, "doubt": self.doubt} if self.doubt else {}
        if self.request.places_alone:
            places = [{"citation": item.citation} for item in self.file_excerpts()]
            return {**doubt, "excerpts": places}
        audit = self.short_audit or self.audit
        return {
            "bundle_id": self.bundle_id,
            "prompt_fingerprint": self.prompt_fingerprint,
            **doubt,
            "used": values_of(self.used),
            **({"flow": list(self.flow)} if self.flow else {}),
            "excerpts": [
                *(item.as_result() for item in self.file_excerpts()),
                *(item.as_result() for item in self.places),
            ],
            "audit": audit.as_result() if self.request.audit else audit.as_summary(),
        }

    def as_record(self) -> dict[str, Any]:
        """All that is known of the bundle, for the data folder: each declaration, and the audit."""
        return {
            **self._facts(),
            "files": [
                {**_file(item), "fingerprint": item.fingerprint, "lines": len(item.lines)}
                for item in self.file_excerpts()
            ],
            "excerpts": [
                {
                    "path": item.path,
                    **item.as_result(),
                    "role": item.role,
                    "score": item.score,
                }
                for item in self.excerpts
            ],
            "citations": [item.citation for item in self.excerpts],
            "places": [item.citation for item in self.places],
            **({"flow": list(self.flow)} if self.flow else {}),
            "audit": self.audit.as_result(),
        }

    def _facts(self) -> dict[str, Any]:
        """Names, limits and size."""
        request = self.request
        return {
            "bundle_id": self.bundle_id,
            "prompt_fingerprint": self.prompt_fingerprint,
            "strategy": request.strategy,
            "include_tests": request.include_tests,
            "budget": {
                "max_files": request.max_files,
                "max_total_lines": request.max_total_lines,
                "max_tokens": request.max_tokens,
                "max_bytes": request.max_bytes,
            },
            "used": values_of(self.used),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """The doubt and the notices as text."""
        return (*filter(None, [self.doubt]), *(notice.text for notice in self.notices))

    def by_file(self) -> dict[str, list[Excerpt]]:
        """The excerpts of each file, in order."""
        found: dict[str, list[Excerpt]] = {}
        for item in self.excerpts:
            found.setdefault(item.path, []).append(item)
        return found

    def file_excerpts(self) -> list[Excerpt]:
        """One excerpt for each file, with all its lines in order."""
        return [merge_excerpts(items) for items in self.by_file().values()]


class Bundler(Protocol):
    """Makes bundles, by program or by model, with the same type of result."""

    def build(
        self,
        snapshot: Snapshot,
        request: BundleRequest,
        budget: Budget,
        graph: GraphSnapshot | None = None,
    ) -> Bundle:
        """The bundle for a request from one snapshot, with the symbol graph if there is one.

        A prompt without a word is a `Problem`.
        """
        ...


def merge_excerpts(items: Sequence[Excerpt]) -> Excerpt:
    """One excerpt with all lines of several of one file, and the best of their reasons."""
    if len(items) == 1:
        return items[0]
    ordered = sorted(items, key=lambda item: -item.score)
    best = ordered[0]
    reasons = dict.fromkeys(reason for item in ordered for reason in item.reasons)
    symbols = dict.fromkeys(item.symbol for item in items if item.symbol)
    return replace(
        best,
        lines=tuple(sorted({line for item in items for line in item.lines})),
        symbol=", ".join(list(symbols)[: SizeWeights.MOST_REASONS]),
        reasons=tuple(reasons)[: SizeWeights.MOST_REASONS],
    )


def file_bytes(item: Excerpt) -> int:
    """Bytes of a file in an answer: its entry, its excerpt and its citation."""
    return json_bytes(item.as_result())


def json_bytes(value: object) -> int:
    """Size of a value in JSON, with the comma after it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass")) + 1


def _file(item: Excerpt) -> dict[str, Any]:
    return {
        "path": item.path,
        "ranges": [_lines(*span) for span in item.ranges],
        "rationale": cut(item.reasons[0].text, SizeWeights.LONGEST_QUOTE),
    }


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if last > first else str(first)
