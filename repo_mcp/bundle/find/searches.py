"""Runs the searches for a prompt: places, names, messages, quotes, and all of its words."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from index_format import Snapshot
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import FUNCTION
from repo_mcp.budget import Budget
from repo_mcp.bundle.find.candidates import Evidence, LineHit, short_place
from repo_mcp.bundle.find.declarations import CONSTANTS, DeclarationLookup
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.places import PlaceFinder
from repo_mcp.bundle.find.query import BundlePrompt
from repo_mcp.bundle.model import FilePlace, SearchKind, SearchRun
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import SearchWeights as Weights
from repo_mcp.errors import Problem
from repo_mcp.model import SearchAnswer, SearchHit
from repo_mcp.question.keywords import Keyword, plain_words
from repo_mcp.question.messages import literal_parts
from repo_mcp.question.parse import Prompt
from repo_mcp.question.query import MAX_REQUEST, has_parts
from repo_mcp.question.word_forms import other_number
from repo_mcp.search import (
    MAX_LITERAL,
    ExactEngine,
    ExactQuery,
    RankedEngine,
    SearchOptions,
    facet_filters,
)
from repo_mcp.text.doubts import doubt

if TYPE_CHECKING:  # most repositories have no history
    from repo_mcp.search import PastChanges

T = TypeVar("T")
# evidence that does not depend on how much of the prompt's words is found
_SURE: Final = frozenset(
    {SearchKind.FRAME, SearchKind.PATH, SearchKind.LITERAL, SearchKind.DEFINITION}
)


class Ranker:
    """The ranked search that `repo.search` makes, so that a bundle knows no less than its page."""

    def __init__(
        self, engine: RankedEngine, past: Callable[[], PastChanges | None] = lambda: None
    ) -> None:
        """`past` gives the commits that queries about a change are compared with."""
        self._engine = engine
        self._past = past

    def find(
        self,
        snapshot: Snapshot,
        query: str,
        most: int,
        budget: Budget,
        glob: str | None = None,
        kind: str = "",
        level: str = "",
    ) -> SearchAnswer:
        """The best hits; by the words alone if nothing fulfils the conditions of a query."""
        filters = facet_filters(None, kind or None)
        options = SearchOptions(filters, past=self._past(), level=level, light=True)
        answer = self._engine.search(snapshot, query, most, glob, budget, options=options)
        for item in answer.suggestions if not answer.hits else ():
            if item.kind == "relaxed":  # a prompt sets no conditions
                answer = self._engine.search(
                    snapshot, item.text, most, glob, budget, options=options
                )
        return answer

    def find_for(self, snapshot: Snapshot, prompt: Prompt, budget: Budget) -> SearchAnswer:
        """The passages for a whole prompt."""
        return self.find(snapshot, WholeQuery.of(prompt).text, Weights.TOP, budget)


class WholeQuery(NamedTuple):
    """The query for a whole prompt, and the weight of its best hit."""

    text: str
    weight: float

    @classmethod
    def of(cls, prompt: Prompt) -> WholeQuery:
        """A report as it is written, which the search reads whole; of other prompts the prose."""
        if has_parts(prompt.text):
            return cls(prompt.text[:MAX_REQUEST], Weights.REPORT)
        return cls(" ".join(f"{prompt.prose} {prompt.code}".split()), Weights.PROMPT)


def search_run(kind: SearchKind, query: str, hits: int) -> SearchRun:
    """A search as the audit has it: of a report the beginning, in a line."""
    return SearchRun(kind, " ".join(query.split())[: Weights.LONGEST_QUERY], hits)


class PromptHits(NamedTuple):
    """The hits of all searches for a prompt."""

    hits: Sequence[LineHit]
    # the passages of the search for the whole prompt, best first
    passages: Sequence[FilePlace]
    # files that the prompt names or quotes, and folders that it names
    named: frozenset[str]
    folders: frozenset[str]
    # what was looked for and not found, if nothing answers the prompt confidently
    doubt: str

    @property
    def of_whole_prompt(self) -> list[LineHit]:
        """The hits of the search for the whole prompt, best first."""
        hits = [hit for hit in self.hits if hit.evidence.kind is SearchKind.PROMPT]
        return sorted(hits, key=lambda hit: -hit.worth)


class Searches:
    """Runs and records the searches for one prompt."""

    def __init__(
        self,
        ranker: Ranker,
        exact: ExactEngine,
        snapshot: Snapshot,
        files: Files,
        budget: Budget,
    ) -> None:
        self._ranker = ranker
        self._exact = exact
        self.snapshot = snapshot
        self._files = files
        self._budget = budget
        self.lookup = DeclarationLookup(snapshot, files)
        self.runs: list[SearchRun] = []
        self.complete = True
        # files that the prompt names or quotes
        self._named: set[str] = set()
        # names of constants whose uses were searched
        self._constants: set[str] = set()

    def find_hits(self, query: BundlePrompt) -> PromptHits:
        """The hits of all searches, until the time budget is spent; or of names and quotes alone.

        Ranks compare a file with all others; a name, a path and a quoted text are there or not.
        """
        prompt, keywords = query.prompt, query.keywords
        named_alone = query.request.named_alone
        plain = plain_words(prompt.prose)[: Weights.LONGEST_QUERY]
        places = PlaceFinder(
            self.snapshot,
            self._files,
            self.lookup,
            lambda glob: self._ranked_hits(SearchKind.FILE, plain, 1.0, Weights.TOP_FEW, glob),
        )
        answer = None if named_alone else self._find_whole(prompt)
        names = [item for item in keywords if item.kind == "identifier"]
        messages = [item.text for item in keywords if item.kind == "error"]
        steps: list[Iterator[LineHit]] = [
            self._place_hits(places, keywords),
            *([] if answer is None else [self._whole_hits(prompt, answer)]),
            self._definitions(names),
            *([] if named_alone else map(self._mention_hits, names[: Weights.MOST_NAMES])),
            *(self._message_hits(text, named_alone=named_alone) for text in messages),
            *(self._literal_hits(item.text) for item in keywords if item.kind == "quoted"),
        ]
        hits: list[LineHit] = []
        for step in steps:
            self._budget.check()
            if self._budget.spent:
                self.complete = False
                break
            hits += step
        is_sure = any(hit.evidence.kind in _SURE for hit in hits)
        return PromptHits(
            hits,
            [] if answer is None else [*map(self._passage, answer.hits)],
            frozenset(self._named),
            frozenset(places.folders),
            "" if answer is None or answer.confident or is_sure else _doubt_of(answer),
        )

    def _find_whole(self, prompt: Prompt) -> SearchAnswer | None:
        """The passages for the whole prompt; None if it is no query."""
        return self._try(lambda: self._ranker.find_for(self.snapshot, prompt, self._budget))

    def _whole_hits(self, prompt: Prompt, answer: SearchAnswer) -> Iterator[LineHit]:
        query = WholeQuery.of(prompt)
        return self._hits(SearchKind.PROMPT, query.text, query.weight, answer.hits)

    def _place_hits(self, places: PlaceFinder, keywords: Sequence[Keyword]) -> Iterator[LineHit]:
        """The hits of frames and paths."""
        for found in places.find(keywords):
            self._record(found.kind, found.query, len(found.hits))
            yield from found.hits
        self._named |= places.named

    def find_more(self, kind: SearchKind, query: str, most: int) -> list[LineHit]:
        """The hits of a further ranked search."""
        return list(self._ranked_hits(kind, query, 1.0, most))

    def find_functions(self, prompt: Prompt, paths: Collection[str]) -> list[LineHit]:
        """The functions of some files for the whole prompt."""
        query = WholeQuery.of(prompt)
        answer = self._try(
            lambda: self._ranker.find(
                self.snapshot, query.text, Weights.FUNCTIONS, self._budget, level=FUNCTION
            )
        )
        hits = [] if answer is None else [hit for hit in answer.hits if hit.path in paths]
        return [
            hit._replace(evidence=Evidence(SearchKind.DECLARATION, hit.path))
            for hit in self._hits(SearchKind.DECLARATION, query.text, query.weight, hits)
        ]

    def find_kind(self, prompt: Prompt, kind: str) -> list[LineHit]:
        """The hits of the whole prompt in files of a kind."""
        query, most = WholeQuery.of(prompt).text, Weights.TOP_FEW
        answer = self._try(
            lambda: self._ranker.find(self.snapshot, query, most, self._budget, kind=kind)
        )
        hits = () if answer is None else answer.hits
        return [*self._hits(SearchKind.USAGE, f"{kind}: {query}", Weights.PROMPT, hits)]

    def _ranked_hits(
        self, kind: SearchKind, query: str, weight: float, most: int, glob: str | None = None
    ) -> Iterator[LineHit]:
        if not any(map(str.isalnum, query)):
            return
        answer = self._try(
            lambda: self._ranker.find(self.snapshot, query, most, self._budget, glob)
        )
        if answer is not None:
            yield from self._hits(kind, query, weight, answer.hits)

    def _hits(
        self, kind: SearchKind, query: str, weight: float, hits: Sequence[SearchHit]
    ) -> Iterator[LineHit]:
        self._record(kind, query, len(hits))
        best = max((hit.score for hit in hits), default=0.0)
        for rank, hit in enumerate(hits):
            if best > 0:
                worth = weight * hit.score / best / (1 + Weights.DECAY * rank)
                reason = _reason_of(hit)
                span = hit.start_line, hit.end_line
                yield LineHit(
                    hit.path, *span, Evidence(kind), worth, reason, terms=hit.matched_terms
                )

    @staticmethod
    def _try(find: Callable[[], T]) -> T | None:
        """The result of a search; None for one that a prompt can't be, as it is no query."""
        try:
            return find()
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return None

    def _passage(self, hit: SearchHit) -> FilePlace:
        """The place of a hit, with the words that it has."""
        spans = [(hit.start_line, hit.end_line)]
        reason = _reason_of(hit)
        place = short_place(self._files, hit.path, hit.whole, spans)
        return place._replace(rationale=reason.text)

    def lines_with(self, text: str) -> list[tuple[str, int]]:
        """The paths and lines that have a text; a plain word only as a whole one."""
        if not 0 < len(text) <= MAX_LITERAL or not any(map(str.isalnum, text)):
            return []
        query = ExactQuery(
            (text,),
            whole_word=text.isalnum(),
            limit=Weights.MOST_KEY_LINES,
            counted=False,
            columns=False,
        )
        answer = self._exact.find(self.snapshot, query, self._budget)
        self._record(SearchKind.LITERAL, text, len(answer.matches))
        return [(item.path, item.line) for item in answer.matches]

    def _mention_hits(self, keyword: Keyword) -> Iterator[LineHit]:
        """Uses of an identifier, as far as they have all of its last name."""
        worth = Weights.MENTIONED * keyword.weight
        reason = Reason(ReasonCode.MENTIONS, keyword.text)
        for hit in self._uses_of(SearchKind.MENTIONS, keyword.text, worth):
            yield hit._replace(evidence=Evidence(SearchKind.MENTIONS, keyword.text), reason=reason)

    def _uses_of(self, kind: SearchKind, name: str, worth: float) -> list[LineHit]:
        """Passages with the whole of a name's last part."""
        whole = {*terms_of_word(_parts(name)[-1])[:1]}
        hits = self._ranked_hits(kind, name, worth, Weights.TOP_FEW)
        return [hit for hit in hits if not whole.isdisjoint(hit.terms)]

    def _record(self, kind: SearchKind, query: str, hits: int) -> None:
        self.runs.append(search_run(kind, query, hits))

    def _definitions(self, names: Sequence[Keyword]) -> Iterator[LineHit]:
        """Definitions of identifiers."""
        last_parts = {parts[-1] for item in names if len(parts := _parts(item.text)) > 1}
        for item in names:
            parts = _parts(item.text)
            if len(parts) == 1 and item.text in last_parts:
                continue  # the last part of a longer one
            owner = parts[-2] if len(parts) > 1 else ""
            found = list(
                self._definition_hits(parts[-1], Weights.DEFINED * item.weight, item.text, owner)
            )
            self._record(SearchKind.DEFINITION, item.text, len(found))
            yield from found

    def _definition_hits(
        self, name: str, worth: float, written: str, owner: str = ""
    ) -> Iterator[LineHit]:
        sites = self.lookup.sites(name, owner)
        if not sites:
            return
        share = worth / math.sqrt(len(sites))
        for site in sites[: Weights.MOST_PLACES]:
            item = site.declaration
            span = item.start_line, item.end_line
            evidence = Evidence(SearchKind.DEFINITION, written)
            reason = Reason(ReasonCode.DEFINES, site.qualified)
            yield LineHit(site.path, *span, evidence, share, reason, site.qualified)

    def _message_hits(self, text: str, *, named_alone: bool) -> Iterator[LineHit]:
        """The source of a message: the longest part of it that a file contains, and its words."""
        ranked = self._ranked_hits(
            SearchKind.MESSAGE, plain_words(text), Weights.MESSAGE, Weights.TOP
        )
        near = [] if named_alone else [*ranked]
        for part in literal_parts(text)[: Weights.MOST_MESSAGE_PARTS]:
            found = list(self._literal_hits(part))
            if found:
                yield from found
                break
        yield from near

    def _literal_hits(self, text: str) -> Iterator[LineHit]:
        """Lines that contain a text."""
        if not 0 < len(text) <= MAX_LITERAL or not any(map(str.isalnum, text)):
            return
        if sum(run.kind is SearchKind.LITERAL for run in self.runs) >= Weights.MOST_NAMES:
            return
        left = iter(range(Weights.MOST_READ))
        query = ExactQuery((text,), limit=None, allowed=lambda _: next(left, None) is not None)
        answer = self._try(lambda: self._exact.find(self.snapshot, query, self._budget))
        if answer is None:
            return
        self._record(SearchKind.LITERAL, text, len(answer.matches))
        matches = answer.matches[: Weights.MOST_PLACES]
        worth = Weights.LITERAL / math.sqrt(max(1, len(answer.matches)))
        if len(answer.matches) == 1 and " " in text:
            self._named.add(answer.matches[0].path)
        for match in matches:
            reason = Reason(ReasonCode.HOLDS_TEXT, text)
            evidence = Evidence(SearchKind.LITERAL, text)
            yield LineHit(match.path, match.line, match.line, evidence, worth, reason)
            yield from self._constant_hits(match.path, match.line, worth)

    def _constant_hits(self, path: str, line: int, worth: float) -> Iterator[LineHit]:
        """Uses of the constant that contains a text: the code that prints it."""
        for declaration in self._files.declarations(path):
            name, first = declaration.name, declaration.start_line
            holds = first <= line <= declaration.end_line < first + Weights.LONGEST_CONSTANT
            if holds and declaration.kind in CONSTANTS and name not in self._constants:
                self._constants.add(name)
                yield from self._constant_uses(name, worth)

    def _constant_uses(self, name: str, worth: float) -> Iterator[LineHit]:
        """Passages with the name of a constant, each of equal worth."""
        hits = self._uses_of(SearchKind.CONSTANT, name, worth)
        reason = Reason(ReasonCode.USES_CONSTANT, name)
        for hit in hits:
            yield hit._replace(
                evidence=Evidence(SearchKind.CONSTANT, name),
                worth=worth / math.sqrt(len(hits)),
                reason=reason,
            )


def distinct_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The terms, without both singular and plural of one."""
    distinct: dict[str, None] = {}
    for term in terms:
        if other_number(term) not in distinct:
            distinct[term] = None
    return tuple(distinct)


def _doubt_of(answer: SearchAnswer) -> str:
    return doubt(answer.terms, answer.nowhere, "these excerpts")


def _reason_of(hit: SearchHit) -> Reason:
    """The words that a hit has; one that was found without any is close in meaning."""
    names = distinct_terms(hit.matched_terms)
    return Reason(ReasonCode.MATCHES, names=names) if names else Reason(ReasonCode.MEANS)


def _parts(name: str) -> list[str]:
    for joint in ("::", "->", "#"):
        name = name.replace(joint, ".")
    return [part for part in name.split(".") if part] or [name]
