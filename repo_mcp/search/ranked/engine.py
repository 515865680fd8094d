"""Answers a question from one snapshot, and shows only what the files hold now.

Ranked are chunks; shown are the lines of the file that matter as it is at this moment, read through
the sandbox. A file that changed since it was indexed is marked, one that is gone left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.languages import Languages
from repo_mcp.languages.facts import DamagedFactsError, Place, decode_named, decode_places
from repo_mcp.model import AnswerWarning, SearchAnswer, SearchHit, Suggestion
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.filter.phrases import beside_phrase
from repo_mcp.search.query.query import ParsedQuery, asked
from repo_mcp.search.ranked.names import Name, declared
from repo_mcp.search.ranked.passages import Passage, narrowed
from repo_mcp.search.ranked.query_terms import Query, parse_question
from repo_mcp.search.ranked.ranking import RankedChunk, Ranking
from repo_mcp.search.ranked.term_matcher import TermMatcher
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights
from repo_mcp.stored import FACTS
from repo_mcp.text.files import Rows, decode, fingerprint

if TYPE_CHECKING:  # most questions have no conditions
    from repo_mcp.search.filter.conditions import Conditions, NarrowedChunks

_SCORE_DIGITS: Final = 4
# words that a beginning stands for in a ranking
_MOST_WORDS: Final = 12
_SUGGESTING_SECONDS: Final = 0.3
# files are opened to see whether a phrase stands in them: how long beyond the best candidates, and
# how many times more are asked for when those have run out
_PHRASE_SECONDS: Final = 2.0
_MORE: Final = 4
# files whose declarations are compared with a name, and what one in other letter case is worth
_FILES_WITH_NAMES: Final = 8
_OTHER_CASE: Final = 0.25
# lines above a declaration that are looked at too: the end of what is said of it
_COMMENT: Final = 2
_NOTHING_FULFILS: Final = "nothing fulfils all conditions of the query"
_NOT_ALL_READ: Final = "there was no time to look for the phrase in all files that hold its words"
# in a short question a word that is nowhere may be a slip; a long one is not about each word
_FEW_WORDS: Final = 4


class RankedEngine:
    """Searches snapshots of one repository."""

    def __init__(
        self, sandbox: Sandbox, languages: Languages, weights: Weights = DEFAULT_WEIGHTS
    ) -> None:
        """Read files through this sandbox."""
        self._sandbox = sandbox
        self._languages = languages
        self._weights = weights
        self._conditions: Conditions | None = None

    def search(
        self,
        snapshot: Snapshot,
        text: str,
        top_k: int,
        file_glob: str | None,
        budget: Budget,
        *,
        explain: bool = False,
    ) -> SearchAnswer:
        """The best stretches of lines for a question, best first."""
        question = asked(text)
        left = self._left(snapshot, question, file_glob, budget)
        look = _RankedQuery(self._sandbox, self._weights, snapshot, left, explain=explain)
        answer = look.answer(_meant(snapshot, question), top_k, budget)
        if not answer.hits and (question.condition or question.filters):
            said = _NOT_ALL_READ if look.has_left_out else _NOTHING_FULFILS
            relaxed = self._left(snapshot, ParsedQuery(question.plain), file_glob, budget)
            look = _RankedQuery(self._sandbox, self._weights, snapshot, relaxed, explain=explain)
            answer = look.answer(parse_question(question.plain), top_k, budget)
            warning = AnswerWarning("relaxed", f"{said}: these hits are for its words alone")
            answer = replace(answer, warnings=(warning, *answer.warnings) if answer.hits else ())
        if not answer.hits or look.is_doubtful:
            found = _suggestions(snapshot, question.plain, budget)
            if not answer.hits and question.condition is None:
                answer = self._respelt(look, found, top_k, budget) or answer
            answer = replace(answer, suggestions=found)
        return answer

    def _respelt(
        self, look: _RankedQuery, suggestions: Sequence[Suggestion], top_k: int, budget: Budget
    ) -> SearchAnswer | None:
        """The answer to the first spelling that has one, which says so."""
        for item in suggestions:
            if item.kind != "path":
                answer = look.answer(parse_question(item.text), top_k, budget)
                if answer.hits:
                    said = f"nothing has the words as written: these hits are for {item.text!r}"
                    warning = AnswerWarning("respelt", said)
                    return replace(answer, warnings=(warning, *answer.warnings))
        return None

    def _left(
        self, snapshot: Snapshot, question: ParsedQuery, file_glob: str | None, budget: Budget
    ) -> NarrowedChunks | None:
        """What conditions leave to be shown; None for everything."""
        if question.condition is None and not question.filters and file_glob is None:
            return None
        from repo_mcp.search.filter.conditions import Conditions  # noqa: PLC0415 as above
        from repo_mcp.search.query.tree import Filter  # noqa: PLC0415 see above

        if self._conditions is None:
            self._conditions = Conditions(self._languages)
        filters = question.filters
        if file_glob is not None:
            filters = (*filters, Filter("glob", file_glob))
        return self._conditions.narrow(snapshot, question.condition, filters, budget)


class _RankedQuery:
    """One look at one snapshot."""

    def __init__(
        self,
        sandbox: Sandbox,
        weights: Weights,
        snapshot: Snapshot,
        left: NarrowedChunks | None,
        *,
        explain: bool,
    ) -> None:
        self._sandbox = sandbox
        self._weights = weights
        self._snapshot = snapshot
        self._left = left
        self._explain = explain
        # whether a word of a short question is nowhere
        self.is_doubtful = False
        # whether there was no time to look for phrases in all files that hold their words
        self.has_left_out = False
        # by path, the lines of phrases that were shown
        self._quoted: dict[str, set[int]] = {}

    def answer(self, question: Query, top_k: int, budget: Budget) -> SearchAnswer:
        """The best hits that are still there."""
        ranking = Ranking(self._snapshot, question, self._weights)
        self.is_doubtful = len(question.words) <= _FEW_WORDS and ranking.lacks_a_word()
        telling = TermMatcher(ranking.worth(), question.name)
        hits: list[SearchHit] = []
        dropped: Counter[str] = Counter()
        for ranked in self._candidates(ranking, top_k, question.spelt, budget):
            budget.check()
            hit = self._shown(ranked, question, telling)
            if isinstance(hit, SearchHit):
                reasons = ranking.reasons(ranked) if self._explain else ()
                hits.append(replace(hit, reasons=reasons) if reasons else hit)
            else:
                dropped[hit] += 1
            if len(hits) == top_k:
                break
        # further candidates are ranked without the first ones
        hits.sort(key=lambda hit: -hit.score)
        return SearchAnswer(tuple(hits), question.terms, tuple(self._warnings(hits, dropped)))

    def _candidates(
        self, ranking: Ranking, top_k: int, name: Name | None, budget: Budget
    ) -> Iterator[RankedChunk]:
        """The best chunks; with phrases, which most files may lack, all others after them."""
        left = self._left
        if left is None or not left.phrases:
            best = ranking.best(top_k, None if left is None else left.mask)
            yield from _apart(best if name is None else self._with_declared(ranking, best, name))
            return
        looking = budget.within(_PHRASE_SECONDS)
        mask, sought, tried = left.mask, top_k, list[int]()
        while True:
            before = len(tried)
            for ranked in _apart(ranking.best(sought, mask)):
                if before and (looking.spent or budget.spent):
                    self.has_left_out = True
                    return
                tried.append(ranked.chunk)
                yield ranked
            if len(tried) == before:
                return
            mask, sought = left.without(tried), sought * _MORE

    def _with_declared(
        self, ranking: Ranking, ranked: Iterator[RankedChunk], name: Name
    ) -> Iterator[RankedChunk]:
        """The same and, worth more, where the best files declare what the question names."""
        first: list[RankedChunk] = []
        files = dict[str, RankedChunk]()
        for item in ranked:
            first.append(item)
            files.setdefault(item.path, item)
            if len(files) == _FILES_WITH_NAMES:
                break
        declaring = ranking.declaring(name.written.lower()) if self._weights.meant else set()
        best = (item for item in files.values() if item.path in declaring)
        meant = sorted(self._meant(best, name), key=_order)
        return merge(chain(first, ranked), meant, key=_order)

    def _meant(self, best: Iterable[RankedChunk], name: Name) -> Iterator[RankedChunk]:
        for item in best:
            places = _known(self._snapshot, item.chunk, partial(decode_named, name=name.written))
            meant = declared(name, item.path, places)
            if meant is not None:
                share = 1.0 if meant.as_written else _OTHER_CASE
                factor = 1 + share * self._weights.meant
                head, last = meant.place.start_line, meant.place.end_line
                first = max(head - _COMMENT, 1)
                score = item.score * factor
                yield RankedChunk(item.path, item.chunk, first, last, score, head, factor)

    def _shown(self, ranked: RankedChunk, question: Query, telling: TermMatcher) -> SearchHit | str:
        """The hit as the file is now, or why there is none."""
        try:
            data = self._sandbox.read(ranked.path, follow=False).data
        except Problem:
            return "gone"
        rows = Rows(data)
        if not rows.is_text:
            return "gone"
        if rows.is_empty:
            return "changed"
        stale = self._snapshot.fingerprint_of(ranked.chunk) != fingerprint(data)
        found = self._passage(rows, data, ranked, telling, stale=stale)
        if found is None:
            return "condition"
        matched = found.terms | telling.in_path(ranked.path)
        if not matched:
            return "changed"
        return SearchHit(
            ranked.path,
            found.start,
            found.end,
            round(ranked.score, _SCORE_DIGITS),
            tuple(term for term in question.terms if term in matched),
            found.snippet,
            stale,
            found.symbol,
        )

    def _passage(
        self, rows: Rows, data: bytes, ranked: RankedChunk, telling: TermMatcher, *, stale: bool
    ) -> Passage | None:
        """What answers; nothing where the file lacks a phrase, or where all of them were shown."""
        quoted: list[int] = []
        if self._left is not None and self._left.phrases:
            text = decode(data)
            if text is None or not self._left.shows(ranked.chunk, text.content):
                return None
            quoted = self._left.quoted(text.content)
        if not quoted:
            return self._narrowed(rows, ranked, telling, stale=stale)
        shown = self._quoted.setdefault(ranked.path, set())
        place = beside_phrase(quoted, shown, 1 if stale else ranked.first, ranked.last, rows.count)
        if place is None:
            return None
        places = [] if stale else _places(self._snapshot, ranked.chunk, place.first, place.last)
        found = narrowed(rows, place.first, place.last, telling, places, place.lines)
        shown.update(range(found.start, found.end + 1))
        return found

    def _narrowed(
        self, rows: Rows, ranked: RankedChunk, telling: TermMatcher, *, stale: bool
    ) -> Passage:
        if stale:
            return narrowed(rows, 1, rows.count, telling)
        places = _places(self._snapshot, ranked.chunk, ranked.first, ranked.last)
        heads = [ranked.head] if ranked.head else []
        return narrowed(rows, ranked.first, ranked.last, telling, places, heads)

    def _warnings(
        self, hits: Sequence[SearchHit], dropped: Counter[str]
    ) -> Iterator[AnswerWarning]:
        if self.has_left_out:
            text = f"{_NOT_ALL_READ}: mode literal reads them all"
            yield AnswerWarning("out_of_time", text)
        stale = sorted({hit.path for hit in hits if hit.stale})
        if stale:
            text = (
                f"{len(stale)} file(s) changed since they were indexed (marked stale; shown as they"
                " are now, scored as they were)"
            )
            yield AnswerWarning("stale", text, advice="refresh")
        missing = dropped["gone"] + dropped["changed"]
        if missing:
            text = f"{missing} result(s) left out: the file is gone or holds the words no more"
            yield AnswerWarning("left_out", text)
        if self._left is not None and self._left.unused:
            short = ", ".join(f"{item.text}*" for item in self._left.unused)
            text = f"too many words begin like this to narrow the search by it: {short}"
            yield AnswerWarning("prefix", text)


def _meant(snapshot: Snapshot, question: ParsedQuery) -> Query:
    """What ranks: the words, and of words' beginnings the most frequent ones."""
    plain = parse_question(question.plain)
    if question.condition is None:
        return plain
    from repo_mcp.search.filter.file_words import expanded  # noqa: PLC0415 as above
    from repo_mcp.search.query.tree import Prefix, leaves  # noqa: PLC0415 see above

    begun = [item for item in leaves(question.condition) if isinstance(item, Prefix)]
    more = dict.fromkeys(term for item in begun for term in expanded(snapshot, item, _MOST_WORDS))
    return plain.with_forms(more)


def _suggestions(snapshot: Snapshot, text: str, budget: Budget) -> tuple[Suggestion, ...]:
    from repo_mcp.search.suggest.suggestions import suggest_queries  # noqa: PLC0415 not where something is found

    return suggest_queries(snapshot, text, budget.within(_SUGGESTING_SECONDS))


def _places(snapshot: Snapshot, chunk: int, first: int, last: int) -> list[Place]:
    """What its file declares in these lines and around them; nothing where that is not known."""
    return _known(snapshot, chunk, partial(decode_places, first=first, last=last))


def _known(snapshot: Snapshot, chunk: int, decode: Callable[[bytes], list[Place]]) -> list[Place]:
    """What the facts of a chunk's file say; nothing where there are none that are sound."""
    data = snapshot.attachment_of(chunk, FACTS)
    try:
        return decode(data) if data else []
    except DamagedFactsError:
        return []


def _order(ranked: RankedChunk) -> tuple[float, str, int]:
    return -ranked.score, ranked.path, ranked.first


def _apart(ranked: Iterable[RankedChunk]) -> Iterator[RankedChunk]:
    """Without those whose lines overlap with those of a better one of the same file."""
    taken: dict[str, list[tuple[int, int]]] = {}
    for item in ranked:
        others = taken.setdefault(item.path, [])
        touching = [span for span in others if span[0] <= item.last and item.first <= span[1]]
        for span in touching:
            others.remove(span)
        first, last = zip((item.first, item.last), *touching, strict=True)
        others.append((min(first), max(last)))
        if not touching:
            yield item
