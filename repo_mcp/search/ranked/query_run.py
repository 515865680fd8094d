"""Runs one query on one snapshot: the best chunks become hits with passages from the current files.

A hit in a file that changed since it was indexed is marked stale; one in a missing file, or in a
copy of a file that is shown, is left out. Warnings say what was left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING, Final

from code_graph.facts import DeclarationSpan
from code_graph.store.schema import FACTS
from index_format import Snapshot, TermScores
from index_format.analysis.content import fingerprint
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, Reason, SearchAnswer, SearchHit
from repo_mcp.safety.sandbox import LineScan, Sandbox
from repo_mcp.search.filter.phrases import PhraseLines, lines_near_phrase
from repo_mcp.search.passage.current_files import CurrentFile, CurrentFiles
from repo_mcp.search.passage.narrowing import Passage, choose_passage, narrow_to_passage
from repo_mcp.search.passage.relevance import Evidence, leads, percent
from repo_mcp.search.passage.showing import import_lines, is_import_block, signature_of
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.declarations import NamedDeclarations
from repo_mcp.search.ranked.meaning import Meaning
from repo_mcp.search.ranked.names import Name
from repo_mcp.search.ranked.query_terms import Query
from repo_mcp.search.ranked.ranking import RankedChunk, Ranking
from repo_mcp.search.ranked.term_lookup import NO_CORPUS, Corpus
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.text.english.plurals import counted
from repo_mcp.text.files import Rows

if TYPE_CHECKING:  # most queries have no conditions
    from repo_mcp.search.filter.conditions import ChunkSelection

_SCORE_DIGITS: Final = 4
# chunks that are searched for phrases, a number so that equal questions get equal answers; and the
# growth of each batch
_MOST_CHUNKS: Final = 400
_MORE: Final = 8
_READ_AT_ONCE: Final = 40
# chunks that are ranked at once: as many as are scored for few hits, too
_AT_ONCE: Final = 300
# first lines of a declaration, among which is its signature
_HEAD: Final = 12
# equal files that a warning names
_MOST_COPIES: Final = 3
NOT_ALL_READ: Final = (
    "only the best passages with the phrase's words were searched for it: mode literal searches all"
)
# an unknown word gets suggestions only in a query of at most so many words
_FEW_WORDS: Final = 4


class QueryRun:
    """Runs queries on one snapshot with one selection of chunks."""

    def __init__(
        self,
        sandbox: Sandbox,
        weights: Weights,
        snapshot: Snapshot,
        selection: ChunkSelection | None,
        *,
        explain: bool,
        corpus: Corpus = NO_CORPUS,
        meaning: Meaning | None = None,
    ) -> None:
        self._corpus = corpus
        self._meaning = meaning
        self._sandbox = sandbox
        self._weights = weights
        self._snapshot = snapshot
        self._selection = selection
        self._explain = explain
        # what was looked up for the latest query
        self.terms: Sequence[TermScores] = ()
        # whether the index lacks a word of a short query
        self.is_doubtful = False
        # the query's names of several parts that the index lacks, and these parts
        self._nowhere: tuple[str, ...] = ()
        self._respelt: Mapping[str, str] = {}
        self._parts: frozenset[str] = frozenset()
        # whether phrases were not verified in all candidate files
        self.has_left_out = False
        self._files = CurrentFiles(sandbox, snapshot)
        # by content, the first file shown; by path, the shown file that equals it
        self._shown: dict[bytes, str] = {}
        self._copies: dict[str, str] = {}
        # by path, the lines of passages already shown for phrases
        self._quoted: dict[str, set[int]] = {}

    def answer(self, question: Query, top_k: int, budget: Budget) -> SearchAnswer:
        """The best hits in files that still exist."""
        meaning = None
        if self._meaning is not None:
            meaning = self._meaning.of(self._snapshot, question, self._weights)
        ranking = Ranking(self._snapshot, question, self._weights, meaning, budget, self._corpus)
        self.terms = ranking.terms
        missing = ranking.missing_words()
        self.is_doubtful = len(question.words) <= _FEW_WORDS and bool(missing)
        self._nowhere = tuple(word.term for word in missing if word.parts)
        self._respelt = ranking.respelt
        self._parts = frozenset(part for word in missing for part in word.parts)
        matcher = TermMatcher(ranking.term_weights(), question.name, ranking.near)
        shown: list[_RankedPassage] = []
        importing: list[tuple[RankedChunk, _CurrentPassage]] = []
        terms = question.terms
        dropped: Counter[str] = Counter()
        queue = _Queue(self._candidates(ranking, top_k, question.written_name, budget))

        def show(ranked: RankedChunk, found: _CurrentPassage) -> None:
            reasons = ranking.reasons(ranked) if self._explain else ()
            score = round(ranked.score, _SCORE_DIGITS)
            covered = ranking.coverage(found.terms)
            shown.append(_RankedPassage(ranked, score, found, covered, reasons))

        for ranked in queue:
            budget.check()
            found = self._passage_now(ranked, matcher)
            if isinstance(found, str):
                dropped[found] += 1
                continue
            if self._only_imports(ranked, found, question):
                importing.append((ranked, found))
                continue
            show(ranked, found)
            if ranked.further == 1.0 and self._weights.further:
                queue.add(self._further(ranked, found.passage))
            if len(shown) == top_k:
                break
        least = min((item.score for item in shown), default=math.inf)
        for ranked, found in importing[: top_k - len(shown)]:  # behind all others
            factor = self._weights.imports * min(least / ranked.score if ranked.score else 1.0, 1.0)
            show(ranked._replace(score=ranked.score * factor, imports=factor), found)
        hits = list(self._build_hits(shown, terms, ranking.ceiling))
        # later batches of candidates are ranked separately
        hits.sort(key=lambda hit: -hit.score)
        answer = SearchAnswer(tuple(hits), terms, (), nowhere=self._nowhere)
        warnings = tuple(self._warnings(answer, dropped))
        return replace(answer, warnings=warnings) if warnings else answer

    def _candidates(
        self, ranking: Ranking, top_k: int, name: Name | None, budget: Budget
    ) -> Iterator[RankedChunk]:
        """The best chunks; with phrases, which many files may lack, further batches after them."""
        selection = self._selection
        if selection is None or not selection.phrases:
            allowed = None if selection is None else selection.mask
            best = ranking.best(top_k, allowed)
            if name is not None and self._weights.meant:
                declared = NamedDeclarations(
                    self._snapshot, self._files, ranking, self._weights, allowed
                )
                best = declared.put_first(best, name, budget)
            distinct = _drop_overlaps(best)
            first = list(islice(distinct, top_k))
            self._files.read_ahead(item.path for item in first)
            self._snapshot.expect_attachments((item.chunk for item in first), FACTS)
            yield from first
            yield from distinct
            return
        yield from _drop_overlaps(self._with_phrases(ranking, selection, top_k, budget))

    def _with_phrases(
        self, ranking: Ranking, selection: ChunkSelection, top_k: int, budget: Budget
    ) -> Iterator[RankedChunk]:
        """The best chunks that may show the phrases, in batches that grow."""
        sought, tried, before = top_k, list[int](), -1
        batch = self._first_batch(ranking, selection, top_k)
        while len(tried) > before:
            before = len(tried)
            while few := list(islice(batch, _READ_AT_ONCE)):
                if len(tried) >= _MOST_CHUNKS or (len(tried) >= top_k and budget.spent):
                    self.has_left_out = True
                    return
                budget.check()
                tried += [ranked.chunk for ranked in few]
                yield from self._showing_phrases(few, selection)
            sought *= _MORE
            batch = ranking.best(sought, selection.mask_without(tried))

    @staticmethod
    def _first_batch(
        ranking: Ranking, selection: ChunkSelection, top_k: int
    ) -> Iterator[RankedChunk]:
        """The best chunks that may show the phrases; all of them, if they are few."""
        if not selection.demanded or len(selection.showing) > _AT_ONCE:
            return ranking.best(top_k, selection.mask_without([]))
        count = len(selection.showing)
        return ranking.best(max(top_k, count), chosen=selection.showing) if count else iter(())

    def _showing_phrases(
        self, ranked: Sequence[RankedChunk], selection: ChunkSelection
    ) -> Iterator[RankedChunk]:
        """The chunks whose own lines hold a phrase that their files must hold, or may do so."""
        if not selection.demanded:
            yield from ranked
            return
        contents = self._sandbox.scan([item.path for item in ranked], LineScan())
        for item, content in zip(ranked, contents, strict=True):
            data = content if isinstance(content, bytes) else self._files.read(item.path)
            if data is None:
                yield item
                continue
            rows = Rows(data)
            if selection.has_demanded(rows, item.first, item.last) or self._snapshot.fingerprint_of(
                item.chunk
            ) != fingerprint(data):
                self._files.keep(item.path, data, rows)
                yield item

    def _passage_now(self, ranked: RankedChunk, matcher: TermMatcher) -> _CurrentPassage | str:
        """The passage in the current file, or a code for why there is none."""
        file = self._files.get(ranked.path)
        if file is None or not file.rows.is_text:
            return "gone"
        if file.rows.is_empty:
            return "changed"
        if self._shown.get(file.fingerprint, ranked.path) != ranked.path:
            self._copies[ranked.path] = self._shown[file.fingerprint]
            return "copy"
        stale = self._snapshot.fingerprint_of(ranked.chunk) != file.fingerprint
        found = self._passage(file, ranked, matcher, stale=stale)
        if found is None:
            return "condition"
        matched = found.terms | matcher.in_path(ranked.path)
        if stale and not matched:
            return "changed"
        self._shown[file.fingerprint] = ranked.path
        return _CurrentPassage(found, matched, stale)

    def _build_hits(
        self, shown: Sequence[_RankedPassage], terms: tuple[str, ...], ceiling: float
    ) -> Iterator[SearchHit]:
        """The hits with estimates of how likely each is what was asked for."""
        best = max((item.score for item in shown), default=0.0)
        ahead = leads([(item.ranked.path, item.score) for item in shown])
        for item, lead in zip(shown, ahead, strict=True):
            passage, matched, stale = item.found
            strength = item.score / ceiling
            yield SearchHit(
                item.ranked.path,
                passage.start,
                passage.end,
                item.score,
                tuple([term for term in terms if term in matched]),
                passage.snippet,
                stale,
                passage.symbol,
                item.reasons,
                matched <= self._parts,
                percent(Evidence(strength, item.covered, lead, item.score == best)),
                *self._declared(item.ranked, item.found),
            )

    def _declared(self, ranked: RankedChunk, found: _CurrentPassage) -> tuple[int, int, str]:
        """The lines of a passage's declaration and its signature, where that is more."""
        passage, file = found.passage, self._files.get(ranked.path)
        if found.stale or not passage.symbol or file is None:
            return 0, 0, ""
        places = self._declarations(ranked, passage.start, passage.end)
        place = next((item for item in reversed(places) if item.qualified == passage.symbol), None)
        if place is None or passage.start <= place.start_line <= place.end_line <= passage.end:
            return 0, 0, ""
        first, last = min(passage.start, place.start_line), max(passage.end, place.end_line)
        if passage.start <= place.start_line:
            return first, last, ""
        head = file.rows.between(first, min(first + _HEAD, passage.start) - 1)
        return first, last, signature_of(head)

    def _only_imports(self, ranked: RankedChunk, found: _CurrentPassage, question: Query) -> bool:
        """True if a passage only imports, for a query that is no import and no name."""
        return (
            not (question.is_import or question.written_name or ranked.head)
            and not (self._selection is not None and self._selection.phrases)
            and is_import_block(found.passage.snippet)
        )

    def _further(self, ranked: RankedChunk, passage: Passage) -> Iterator[RankedChunk]:
        """The chunk's other declarations that match, each worth less than the one before."""
        factor = 1.0
        for first, last in passage.others:
            factor *= self._weights.further
            yield ranked.at_declaration(first, last, factor)

    def _passage(
        self, file: CurrentFile, ranked: RankedChunk, matcher: TermMatcher, *, stale: bool
    ) -> Passage | None:
        """The passage; None if the file lacks a phrase, or all its phrases were shown."""
        quoted: list[int] = []
        if self._selection is not None and self._selection.phrases:
            places = self._selection.phrase_places(file.rows)
            if not self._selection.matches(ranked.chunk, places):
                return None
            quoted = self._selection.phrase_lines(places)
        if not quoted:
            found = self._narrow(file.rows, ranked, matcher, stale=stale)
            return self._beside_imports(file.rows, ranked, matcher, found, stale=stale)
        shown = self._quoted.setdefault(ranked.path, set())
        first = 1 if stale else ranked.first
        place = lines_near_phrase(quoted, shown, first, ranked.last, file.rows.count)
        if place is None:
            return None
        found = self._narrow_to_phrase(file.rows, ranked, place, matcher, stale=stale)
        shown.update(range(found.start, found.end + 1))
        return found

    def _beside_imports(
        self, rows: Rows, ranked: RankedChunk, matcher: TermMatcher, found: Passage, *, stale: bool
    ) -> Passage:
        """The passage, or a better one where it only imports and other lines match, too."""
        if stale or ranked.head or not is_import_block(found.snippet):
            return found
        places = self._declarations(ranked, ranked.first, ranked.last)
        other = narrow_to_passage(
            rows, ranked.first, ranked.last, matcher, places, ignored=import_lines
        )
        return other if other.terms else found

    def _narrow_to_phrase(
        self,
        rows: Rows,
        ranked: RankedChunk,
        place: PhraseLines,
        matcher: TermMatcher,
        *,
        stale: bool,
    ) -> Passage:
        first, last = place.first, place.last
        known = None if stale else self._files.places(ranked.path, ranked.chunk)
        found = choose_passage(rows, first, last, matcher, known, place.lines)
        if found is not None:
            return found
        places = [] if stale else self._declarations(ranked, first, last)
        return narrow_to_passage(rows, first, last, matcher, places, place.lines)

    def _narrow(
        self, rows: Rows, ranked: RankedChunk, matcher: TermMatcher, *, stale: bool
    ) -> Passage:
        if stale:
            first, last, known = 1, rows.count, None
        else:
            first, last = ranked.first, ranked.last
            known = self._files.places(ranked.path, ranked.chunk)
        if stale or not ranked.head:
            found = choose_passage(rows, first, last, matcher, known)
            if found is not None:
                return found
        if stale:
            return narrow_to_passage(rows, first, last, matcher)
        places = self._declarations(ranked, ranked.first, ranked.last)
        heads = [ranked.head] if ranked.head else []
        return narrow_to_passage(rows, ranked.first, ranked.last, matcher, places, heads)

    def _declarations(self, ranked: RankedChunk, first: int, last: int) -> list[DeclarationSpan]:
        return self._files.declarations_between(ranked.path, ranked.chunk, first, last)

    def _warnings(self, answer: SearchAnswer, dropped: Counter[str]) -> Iterator[AnswerWarning]:
        if self._respelt and answer.hits:
            words = ", ".join(map(repr, self._respelt))
            names = ", ".join(map(repr, self._respelt.values()))
            text = f"no match for {words} as written: these hits are for {names}"
            yield AnswerWarning("respelt", text)
        if self.has_left_out:
            yield AnswerWarning("phrase", NOT_ALL_READ)
        stale = len(answer.stale_paths)
        if stale:
            text = (
                f"{counted(stale, 'file')} changed since the index was made (marked stale;"
                " shown as they are now, scored as they were)"
            )
            yield AnswerWarning("stale", text, advice="refresh")
        if self._copies:
            pairs = [f"{copy} equals {shown}" for copy, shown in self._copies.items()]
            named = ", ".join(pairs[:_MOST_COPIES])
            text = f"{counted(len(pairs), 'equal file')} left out: {named}"
            yield AnswerWarning("copies", text)
        missing = dropped["gone"] + dropped["changed"]
        if missing:
            text = f"{counted(missing, 'result')} left out: the file is gone or no longer matches"
            yield AnswerWarning("left_out", text)
        if self._selection is not None and self._selection.ignored_prefixes:
            short = ", ".join(f"{item.text}*" for item in self._selection.ignored_prefixes)
            text = f"prefix too short to narrow the search, ignored: {short}"
            yield AnswerWarning("prefix", text)


class _CurrentPassage(NamedTuple):
    """A passage of a current file, the terms in it and its path, and whether the file changed."""

    passage: Passage
    terms: frozenset[str]
    stale: bool


class _RankedPassage(NamedTuple):
    """A passage, its rounded score, the share of the query it covers, and the reasons."""

    ranked: RankedChunk
    score: float
    found: _CurrentPassage
    covered: float
    reasons: tuple[Reason, ...]


class _Queue:
    """Ranked chunks by score, to which others may be added that score less than the last one."""

    def __init__(self, ranked: Iterator[RankedChunk]) -> None:
        self._ranked = ranked
        self._added: list[tuple[tuple[float, str, int], RankedChunk]] = []

    def add(self, ranked: Iterable[RankedChunk]) -> None:
        for item in ranked:
            heappush(self._added, (_order(item), item))

    def __iter__(self) -> Iterator[RankedChunk]:
        for item in self._ranked:
            while self._added and self._added[0][0] < _order(item):
                yield heappop(self._added)[1]
            yield item
        while self._added:
            yield heappop(self._added)[1]


def _order(ranked: RankedChunk) -> tuple[float, str, int]:
    return -ranked.score, ranked.path, ranked.first


def _drop_overlaps(ranked: Iterable[RankedChunk]) -> Iterator[RankedChunk]:
    """Drops chunks that overlap a better one of the same file."""
    taken: dict[str, list[tuple[int, int]]] = {}
    for item in ranked:
        others = taken.setdefault(item.path, [])
        touching = [span for span in others if span[0] <= item.last and item.first <= span[1]]
        for span in touching:
            others.remove(span)
        if touching:
            first, last = zip((item.first, item.last), *touching, strict=True)
            others.append((min(first), max(last)))
        else:
            others.append((item.first, item.last))
            yield item
