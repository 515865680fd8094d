"""The searches for a prompt: for places, names, messages and quotes, and for all of its words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.bundle.find.declarations import CONSTANTS, DeclarationLookup
from repo_mcp.bundle.find.file_names import words_in_order
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Evidence, Hit
from repo_mcp.bundle.find.places import Places
from repo_mcp.bundle.find.score_declarations import spoken
from repo_mcp.bundle.find.whole_files import Whole, whole_files
from repo_mcp.bundle.model import Keyword, SearchKind, SearchRun
from repo_mcp.bundle.prompt.keywords import base_forms, plain_words, words_of
from repo_mcp.bundle.prompt.messages import constant_parts
from repo_mcp.bundle.prompt.prompt import Prompt
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import SearchWeights
from repo_mcp.errors import Problem
from repo_mcp.search.exact.engine import ExactEngine, ExactQuery
from repo_mcp.search.exact.pattern import MAX_LITERAL
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.path_signs import path_signs
from repo_mcp.search.ranked.term_matcher import TermMatcher
from repo_mcp.stored import BODY
from repo_mcp.text.words import terms_of_word

_AREAS: Final = re.compile(r"(?:[\w./-]+: ?){1,3}(?= ?[^\W\d])")


class Searches:
    """Makes the searches for one prompt, and keeps a record of them."""

    def __init__(
        self,
        engine: RankedEngine,
        exact: ExactEngine,
        snapshot: Snapshot,
        files: Files,
        budget: Budget,
    ) -> None:
        """Nothing is searched yet."""
        self._engine = engine
        self._exact = exact
        self._snapshot = snapshot
        self._files = files
        self._budget = budget
        self.declared = DeclarationLookup(snapshot, files)
        self.runs: list[SearchRun] = []
        self.complete = True
        # files that the prompt names or quotes, and folders
        self.named: set[str] = set()
        self.folders: set[str] = set()
        # names of constants whose uses were looked for
        self._constants: set[str] = set()
        self._traced = False
        self._said: set[str] = set()

    def made(self, prompt: Prompt, keywords: Sequence[Keyword], telling: TermMatcher) -> list[Hit]:
        """What all of them find, until there is no time left."""
        self._said = set(words_of(f"{prompt.prose}\n{prompt.code}"))
        plain = plain_words(prompt.prose)[: SearchWeights.LONGEST_QUERY]
        about = self.usual(plain)
        places = Places(
            self._snapshot,
            self._files,
            self.declared,
            telling,
            lambda glob: self._ranked(SearchKind.FILE, about, 1.0, SearchWeights.TOP_FEW, glob),
            words_in_order(prompt.prose),
        )
        steps: list[Iterator[Hit]] = [
            self._of_places(places, keywords),
            *self._of_prompt(plain, about),
            self._of_names([item for item in keywords if item.kind == "identifier"]),
            *(self._of_message(item) for item in keywords if item.kind == "error"),
            self._ranked(
                SearchKind.TITLE,
                self.usual(plain_words(prompt.title)),
                SearchWeights.TITLE,
                SearchWeights.TOP_FEW,
            ),
            *(self._literal(item.text) for item in keywords if item.kind == "quoted"),
        ]
        found: list[Hit] = []
        for step in steps:
            self._budget.check()
            if self._budget.spent:
                self.complete = False
                break
            found += step
        return found

    def _of_prompt(self, plain: str, usual: str) -> list[Iterator[Hit]]:
        """All words of the prompt: in the forms that are usual here, and as they were written."""
        searches: list[Iterator[Hit]] = [
            self._ranked(SearchKind.PROMPT, usual, SearchWeights.PROMPT, SearchWeights.TOP)
        ]
        if plain != usual:
            written = self._ranked(
                SearchKind.WRITTEN, plain, SearchWeights.WRITTEN, SearchWeights.TOP
            )
            # one search in two forms: what both find does not count twice
            searches.append(hit._replace(evidence=Evidence(SearchKind.PROMPT)) for hit in written)
        return searches

    def whole_files(self, prompt: Prompt) -> list[Whole]:
        """The files that have most of the words of the prompt."""
        words = words_of(prompt.prose)
        axis, area = self.declared.axis, _area(prompt.prose)
        best = whole_files(self._snapshot, self._files.languages, axis, words, area)
        self._ran(SearchKind.FILES, " ".join(words)[: SearchWeights.LONGEST_QUERY], len(best))
        return best

    def _of_places(self, places: Places, keywords: Sequence[Keyword]) -> Iterator[Hit]:
        """What frames and paths lead to."""
        for found in places.all(keywords):
            self._ran(found.kind, found.query, len(found.hits))
            yield from found.hits
        self.named |= places.named
        self.folders |= places.folders
        self._traced = places.traced

    def ranked(self, kind: SearchKind, query: str, most: int) -> list[Hit]:
        """One more ranked search, recorded like the others."""
        return list(self._ranked(kind, query, 1.0, most))

    def _ranked(
        self, kind: SearchKind, query: str, weight: float, most: int, glob: str | None = None
    ) -> Iterator[Hit]:
        if not any(map(str.isalnum, query)):
            return
        try:
            answer = self._engine.search(self._snapshot, query, most, glob, self._budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return
        self._ran(kind, query, len(answer.hits))
        best = max((hit.score for hit in answer.hits), default=0.0)
        for rank, hit in enumerate(answer.hits):
            if best > 0:
                worth = weight * hit.score / best / (1 + SearchWeights.DECAY * rank)
                reason = Reason(ReasonCode.MATCHES, names=spoken(hit.matched_terms))
                span = hit.start_line, hit.end_line
                yield Hit(hit.path, *span, Evidence(kind), worth, reason, terms=hit.matched_terms)

    def _mentioned(self, item: Keyword) -> Iterator[Hit]:
        """Where a name is used: whole, or for a little in its parts."""
        whole = set(terms_of_word(_parts(item.text)[-1])[:1])
        weight = SearchWeights.MENTIONED * item.weight * self._rarity(_parts(item.text)[-1])
        for hit in self._ranked(SearchKind.MENTIONS, item.text, weight, SearchWeights.TOP_FEW):
            is_whole = not whole.isdisjoint(hit.terms)
            yield hit._replace(
                evidence=Evidence(SearchKind.MENTIONS, item.text),
                worth=hit.worth if is_whole else hit.worth * SearchWeights.IN_PARTS,
                reason=Reason(ReasonCode.MENTIONS, item.text) if is_whole else hit.reason,
            )

    def _ran(self, kind: SearchKind, query: str, hits: int) -> None:
        self.runs.append(SearchRun(kind, query, hits))

    def _of_names(self, names: Sequence[Keyword]) -> Iterator[Hit]:
        """Where identifiers are defined, where they are used, and where many of them meet."""
        last_parts = {parts[-1] for item in names if len(parts := _parts(item.text)) > 1}
        for item in names:
            parts = _parts(item.text)
            if len(parts) == 1 and item.text in last_parts:
                continue  # the last part of one that says more
            owner = parts[-2] if len(parts) > 1 else ""
            found = list(
                self._defined(parts[-1], SearchWeights.DEFINED * item.weight, item.text, owner)
            )
            self._ran(SearchKind.DEFINITION, item.text, len(found))
            yield from found
        for item in names[: SearchWeights.MOST_MENTIONED]:
            yield from self._mentioned(item)
        if len(names) > 1:
            group = " ".join(dict.fromkeys(plain_words(item.text) for item in names))
            yield from self._ranked(
                SearchKind.NAMES,
                group[: SearchWeights.LONGEST_QUERY],
                SearchWeights.NAMES,
                SearchWeights.TOP_FEW,
            )

    def usual(self, query: str) -> str:
        """A query in the forms that the repository uses: `sockets` may become `socket`."""
        return " ".join(dict.fromkeys(map(self._usual, query.split())))

    def _usual(self, word: str) -> str:
        known = self._count(word)
        best = max(base_forms(word), key=self._count, default=word)
        return best if self._count(best) >= SearchWeights.USUAL_FORM * max(known, 1) else word

    def _count(self, name: str) -> int:
        """How many chunks hold a name."""
        number = self._snapshot.schema.number(BODY)
        terms = terms_of_word(name)
        if number is None or not terms:
            return 0
        lists = self._snapshot.postings(number, terms[0].encode("utf-8", "surrogatepass"))
        return self._snapshot.counts(lists)[0]

    def _rarity(self, name: str) -> float:
        """1 for a name that many chunks hold, more for one that hardly any does."""
        rare = max(0.0, 1.0 - math.log10(max(self._count(name), 1)) / SearchWeights.COMMON_POWERS)
        # in a small repository everything is rare
        size = math.log10(max(self._snapshot.chunk_count, 1)) / SearchWeights.SMALL_POWERS
        return 1.0 + SearchWeights.RARITY * rare * min(1.0, size)

    def _defined(self, name: str, worth: float, written: str, owner: str = "") -> Iterator[Hit]:
        sites = self.declared.sites(name, owner)
        if not sites:
            return
        share = worth / math.sqrt(len(sites))
        for site in sites[: SearchWeights.MOST_PLACES]:
            item = site.declaration
            span = item.start_line, item.end_line
            evidence = Evidence(SearchKind.DEFINITION, written)
            reason = Reason(ReasonCode.DEFINES, site.qualified)
            yield Hit(site.path, *span, evidence, share, reason, site.qualified)

    def _of_message(self, item: Keyword) -> Iterator[Hit]:
        """Where a message is made: by the longest part of it that stands in a file as it is."""
        near = list(
            self._ranked(
                SearchKind.MESSAGE, plain_words(item.text), SearchWeights.MESSAGE, SearchWeights.TOP
            )
        )
        for part in constant_parts(item.text)[: SearchWeights.MOST_MESSAGE_PARTS]:
            found = list(self._literal(part))
            if found:
                yield from found
                break
        yield from near

    def _literal(self, text: str) -> Iterator[Hit]:
        """Lines that hold a text as it is."""
        if not 0 < len(text) <= MAX_LITERAL or not any(map(str.isalnum, text)):
            return
        if sum(run.kind is SearchKind.LITERAL for run in self.runs) >= SearchWeights.MOST_LITERALS:
            return
        left = iter(range(SearchWeights.MOST_READ))
        query = ExactQuery((text,), limit=None, allowed=lambda _: next(left, None) is not None)
        try:
            answer = self._exact.find(self._snapshot, query, self._budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return
        self._ran(SearchKind.LITERAL, text, len(answer.matches))
        matches = answer.matches[: SearchWeights.MOST_PLACES]
        # a trace tells better where a message is from
        worth = SearchWeights.LITERAL / (SearchWeights.TRACED if self._traced else 1)
        worth /= 1 + SearchWeights.DILUTED * max(0, len(answer.matches) - 1)
        if len(answer.matches) == 1 and " " in text:
            worth *= SearchWeights.UNIQUE
            self.named.add(answer.matches[0].path)
        for match in matches:
            reason = Reason(ReasonCode.HOLDS_TEXT, text)
            signs = path_signs(match.path)
            meant = len(matches) > 1 and not self._said.isdisjoint(signs.name | signs.folders)
            count = worth * SearchWeights.LITERAL_IN_NAMED_PATH if meant else worth
            evidence = Evidence(SearchKind.LITERAL, text)
            yield Hit(match.path, match.line, match.line, evidence, count, reason)
            yield from self._of_constant(match.path, match.line, count)

    def _of_constant(self, path: str, line: int, worth: float) -> Iterator[Hit]:
        """Where a text is used that stands in a constant: there it is decided that it is said."""
        for item in self._files.declarations(path):
            holds = (
                item.start_line
                <= line
                <= item.end_line
                < item.start_line + SearchWeights.LONGEST_CONSTANT
            )
            if holds and item.kind in CONSTANTS and item.name not in self._constants:
                self._constants.add(item.name)
                yield from self._used(item.name, path, SearchWeights.CONSTANT * worth)

    def _used(self, name: str, declared_in: str, worth: float) -> Iterator[Hit]:
        """Passages that have a whole name; those of other files count alike, however short."""
        whole = set(terms_of_word(name)[:1])
        hits = [
            hit
            for hit in self._ranked(SearchKind.CONSTANT, name, worth, SearchWeights.TOP_FEW)
            if not whole.isdisjoint(hit.terms)
        ]
        others = {hit.path for hit in hits} - {declared_in}
        for hit in hits:
            share = (
                worth / math.sqrt(len(others))
                if hit.path in others
                else hit.worth / SearchWeights.OWN_FILE
            )
            reason = Reason(ReasonCode.USES_CONSTANT, name)
            evidence = Evidence(SearchKind.CONSTANT, name)
            yield hit._replace(evidence=evidence, worth=share, reason=reason)


def _area(prose: str) -> list[str]:
    """What a prompt says to be about, as subjects of changes do: `net: tcp: ...`."""
    found = _AREAS.match(prose.lstrip())
    return words_of(found[0]) if found is not None else []


def _parts(name: str) -> list[str]:
    for joint in ("::", "->", "#"):
        name = name.replace(joint, ".")
    return [part for part in name.split(".") if part] or [name]
