"""Ranked search: parses a query, runs it on a snapshot, and says what else might be meant.

Chunks are ranked by the index; the passage of a hit is read from the file through the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from code_graph import Languages
from code_graph.facts import normalize_name
from code_graph.paths.path_kinds import is_test
from index_format import Snapshot
from index_format.records import Record, replace
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import FILE
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, ScoreReason, SearchAnswer, SearchHit, Suggestion
from repo_mcp.question.query import (
    FAINT_WEIGHT,
    Query,
    QueryWord,
    parse_request,
    parse_words,
)
from repo_mcp.question.syntax.query import ParsedQuery, parse_loosely, parse_query
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.distributed import OpenDistributed, search_distributed
from repo_mcp.search.ranked.hits import NOT_ALL_READ, SCORE_DIGITS, ShownPassage
from repo_mcp.search.ranked.passage_table import QUOTED
from repo_mcp.search.ranked.pipeline import QueryContext, QueryResult, run_query
from repo_mcp.search.ranked.ranked_chunks import SHOWN
from repo_mcp.search.ranked.term_lookup import NO_CORPUS, Corpus
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights
from repo_mcp.search.suggest.near_names import can_list_containing, near_names

if TYPE_CHECKING:  # most queries have no conditions
    from code_graph.packages.catalog import TreePackages
    from repo_mcp.owners.ownership import Ownership
    from repo_mcp.question.syntax.tree import Filter
    from repo_mcp.search.facets import FacetCounter
    from repo_mcp.search.filter.conditions import ChunkSelection, Conditions
    from repo_mcp.search.filter.path_filter import PathFilter
    from repo_mcp.search.ranked.encoded_functions import EncodedFunctions
    from repo_mcp.search.ranked.meaning import QueryEmbedding
    from repo_mcp.search.ranked.past import PastChanges
    from repo_mcp.search.similar.engine import SimilarEngine
    from repo_mcp.search.similar.rows import SymbolRows
    from repo_mcp.vectors.embedder import Embedder

# words that a prefix is expanded to
_MOST_WORDS: Final = 12
_SUGGESTING_SECONDS: Final = 0.3
# fewer hits for a name leave room for longer names that contain it
_FEW: Final = 5
# quoted phrases that raise a hit, each by the same factor
_MOST_RAISES: Final = 3
_UNFULFILLED: Final = ("conditions", "nothing fulfils all conditions of the query")
_BY_WORDS: Final = (
    "nothing fulfils all conditions of the query (quoted words, + or - before a word, begin*):"
    " these hits are for its words"
)
_NO_OWNER: Final = "nobody of this name owns a file here, so that it was searched for as a word"
_NO_PACKAGE: Final = "no package has this name, so that it was searched for as a word"
_ONLY_EXCLUDED: Final = "the query only says what must not be there: add a word to search for"


class SearchOptions(NamedTuple):
    """The options of a query besides its text."""

    # conditions on paths, besides those of the query
    filters: Sequence[Filter] = ()
    # words that count as other forms of the query's
    more: Sequence[str] = ()
    # words that mean nearly what words of the query do
    near: Sequence[str] = ()
    # the weight of the embedding, from 0 to 1; None: the engine's own
    meaning: float | None = None
    # files outside the index that count for how rare a word is
    corpus: Corpus = NO_CORPUS
    # the folder below which facets count folders, "" for the root; None: no facets
    facets_below: str | None = None
    # commits that queries about a change are compared with
    past: PastChanges | None = None
    # file, function or line where hits are these; empty for passages
    level: str = ""
    # true if meaning counts a little in long questions where the engine ranks by words
    light: bool = False


_NO_OPTIONS: Final = SearchOptions()


class RankedEngine:
    """Searches snapshots of one repository."""

    def __init__(
        self,
        sandbox: Sandbox,
        languages: Languages,
        weights: Weights = DEFAULT_WEIGHTS,
        embedder: Embedder | None = None,
        *,
        by_meaning: bool = True,
        distributed: OpenDistributed | None = None,
        encoded: EncodedFunctions | None = None,
    ) -> None:
        """With the embedder of the index, queries are ranked by meaning, too.

        With `encoded` functions, those near to a question are among its functions.

        Without `by_meaning`, only searches that say how much it counts are. `distributed` gives a
        snapshot that others read.
        """
        self._distributed = distributed
        self._encoded = encoded
        self._by_meaning = by_meaning
        self._embedder = embedder
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
        options: SearchOptions = _NO_OPTIONS,
    ) -> SearchAnswer:
        """The best passages for a query, best first."""

        def search(there: Snapshot) -> SearchAnswer:
            where = self._sandbox, self._weights, there, None, options.corpus
            how = self._meaning(options), explain, options.past, options.level, self._encoded
            return _Request(
                self, QueryContext(*where, *how), top_k, file_glob, budget, options
            ).answer(text)

        found, missing = search_distributed(snapshot, self._distributed, budget, search)
        if self._encoded is not None:
            missing = *missing, *self._encoded.warnings()
        return replace(found, warnings=(*missing, *found.warnings)) if missing else found

    @cached_property
    def facets(self) -> FacetCounter:
        """The counter of matching files by language, folder and kind."""
        from repo_mcp.search.facets import FacetCounter  # noqa: PLC0415 few searches count

        return FacetCounter(self._languages, self._paths)

    @cached_property
    def similar(self) -> SimilarEngine | None:
        """The engine of similar declarations; None for an index without vectors."""
        from repo_mcp.search.similar.engine import SimilarEngine  # noqa: PLC0415 few calls need it

        if self._embedder is None or self._rows is None:
            return None
        return SimilarEngine(self._sandbox, self._embedder, self._rows)

    def search_code(
        self,
        snapshot: Snapshot,
        text: str,
        top_k: int,
        budget: Budget,
        options: SearchOptions = _NO_OPTIONS,
    ) -> SearchAnswer:
        """The same for a text that may be pasted code: what it is a copy of comes first."""
        from repo_mcp.search.similar import snippets  # noqa: PLC0415 as above

        if not snippets.is_snippet(text):
            return self.search(snapshot, text, top_k, None, budget, options=options)
        words = snippets.cut_words(text)
        answer = self.search(snapshot, words, top_k, None, budget, options=options)
        if self.similar is None:
            return answer
        found = self.similar.like(snapshot, text, top_k, budget).found
        only = ParsedQuery("", filters=tuple(options.filters))
        selection = self.select(snapshot, only, None, budget)
        allowed = None if selection is None else selection.mask
        return snippets.put_first(snippets.near_copies(found, snapshot, allowed), answer, top_k)

    def _meaning(self, options: SearchOptions) -> QueryEmbedding | None:
        """The meaning that passages are compared with, if it counts."""
        is_light = options.meaning is None and not self._by_meaning
        if self._embedder is None or (is_light and not options.light):
            return None
        from repo_mcp.search.ranked.meaning import MEASURED_BEST, QueryEmbedding  # noqa: PLC0415 words rank without

        weight = MEASURED_BEST if options.meaning is None else options.meaning
        if weight <= 0:
            return None
        rows = self._rows if is_light else None
        return QueryEmbedding(self._embedder, weight, light=is_light, rows=rows)

    @cached_property
    def _rows(self) -> SymbolRows | None:
        """The rows of declarations, which long questions and similar declarations share."""
        from repo_mcp.search.similar.rows import SymbolRows  # noqa: PLC0415 as above

        return None if self._embedder is None else SymbolRows(self._embedder.width)

    @cached_property
    def _paths(self) -> PathFilter:
        """The filter of paths, whose masks conditions and facets share."""
        from repo_mcp.search.filter.path_filter import PathFilter  # noqa: PLC0415 as above

        return PathFilter(self._languages, self._sandbox)

    def unknown_names(self, snapshot: Snapshot, filters: Iterable[Filter]) -> list[Filter]:
        """The filters for owners and packages that no file of the snapshot names as such."""
        given = [item for item in filters if item.kind in ("owner", "package")]
        axis = self._paths.masks.get(snapshot).axis if given else None
        return [item for item in given if axis and self._paths.test_of(axis, item) is None]

    def ownership(self, snapshot: Snapshot) -> Ownership:
        """The owners of the files of a snapshot, read once for each."""
        return self._paths.ownership(self._paths.masks.get(snapshot).axis)

    def packages(self, snapshot: Snapshot) -> TreePackages:
        """The packages of the files of a snapshot, read once for each."""
        return self._paths.packages(self._paths.masks.get(snapshot).axis)

    def select(
        self, snapshot: Snapshot, parsed: ParsedQuery, file_glob: str | None, budget: Budget
    ) -> ChunkSelection | None:
        """The chunks that fulfil the conditions and the glob; None for all chunks."""
        if parsed.condition is None and not parsed.filters and file_glob is None:
            return None
        from repo_mcp.question.syntax.tree import Filter  # noqa: PLC0415 see above
        from repo_mcp.search.filter.conditions import Conditions  # noqa: PLC0415 as above

        if self._conditions is None:
            self._conditions = Conditions(self._paths)
        filters = parsed.filters
        if file_glob is not None:
            filters = (*filters, Filter("glob", file_glob))
        return self._conditions.narrow(snapshot, parsed.condition, filters, budget)


class _Request(Record):
    """A search of a snapshot, before the text of its query is known."""

    engine: RankedEngine
    # for all chunks
    context: QueryContext
    top_k: int
    file_glob: str | None
    budget: Budget
    options: SearchOptions

    def answer(self, text: str) -> SearchAnswer:
        """The best passages, or what comes nearest to the query."""
        parsed = parse_query(text)
        parsed = replace(parsed, filters=(*parsed.filters, *self.options.filters))
        unknown = self.engine.unknown_names(self.context.snapshot, parsed.filters)
        if unknown:
            names = "|".join(re.escape(f"{item.kind}:{item.text}") for item in unknown)
            pattern = re.compile(names.replace(":", ':"?'))
            as_words = pattern.sub(lambda found: found[0].partition(":")[2], text)
            return self._without_names(self.answer(as_words), unknown)
        if not parsed.plain:
            warning = AnswerWarning("excluded", _ONLY_EXCLUDED)
            return SearchAnswer((), (), (warning,), self._relaxed(parsed.excluded))
        query, context = self._query(parsed), self._context(parsed)
        raised: Sequence[ShownPassage] = ()
        if parsed.quoted:
            quoting = self._context(parsed.demanding_quoted())
            shown = run_query(quoting, query, SHOWN, self.budget).shown
            raised = raise_quoting(shown, parsed, quoting.weights.quoted)
        if raised:  # what is quoted says more than the past, meaning, and what was learned
            context = context.by_words()
        found = run_query(context, query, self.top_k, self.budget, raised)
        is_lacking = found.answer.lacking  # other words may be found in place of these
        of_message = len(raised) if parsed.is_message else 0
        answer = replace(found.answer, of_message=of_message)
        if parsed.condition is None and not found.has_near_names:
            answer = add_longer_names(context, query, answer, self.top_k, self.budget)
        words = None if answer.hits or parsed.condition is None else parse_loosely(text)
        if words is not None:
            words = replace(words, filters=parsed.filters)
            context = self._context(words)
            found = run_query(context, self._query(words), self.top_k, self.budget)
            answer = _warned(found.answer, "conditions", _BY_WORDS) if found.answer.hits else answer
        if not answer.hits or found.is_doubtful:
            answer, found = self._suggesting(answer, found, parsed, context)
        if self.options.facets_below is not None and answer.hits:
            below = self.options.facets_below
            where = context.snapshot, found.terms, context.selection
            answer = replace(answer, facets=self.engine.facets.of_terms(*where, below))
        return replace(answer, lacking=is_lacking)

    def _without_names(self, answer: SearchAnswer, unknown: Iterable[Filter]) -> SearchAnswer:
        """The answer with a warning for each name that nothing has."""
        for item in unknown:
            if item.kind == "owner":
                answer = _warned(answer, "owner", f"{_NO_OWNER}: {item.text}")
                continue
            near = self.engine.packages(self.context.snapshot).near(item.text)
            said = f"; near: {', '.join(near)}" if near else ""
            answer = _warned(answer, "package", f"{_NO_PACKAGE}: {item.text}{said}")
        return answer

    def _suggesting(
        self, answer: SearchAnswer, found: QueryResult, parsed: ParsedQuery, context: QueryContext
    ) -> tuple[SearchAnswer, QueryResult]:
        """The answer with other queries, and what the first of them finds where it has no hit."""
        from repo_mcp.search.suggest.suggestions import suggest_queries  # noqa: PLC0415 not where something is found

        relaxed: tuple[Suggestion, ...] = ()
        is_conditional = parsed.condition is not None or bool(parsed.filters)
        if not answer.hits and is_conditional:
            code, why = ("phrase", NOT_ALL_READ) if found.has_left_out else _UNFULFILLED
            answer = replace(answer, warnings=(AnswerWarning(code, why),))
            relaxed = self._relaxed(parsed.plain)
        limit = self.budget.within(_SUGGESTING_SECONDS)
        suggested = suggest_queries(context.snapshot, parsed.plain, limit)
        if not answer.hits and not is_conditional:
            for item in suggested:
                respelt = self._respelt(context, item)
                if respelt is not None:
                    answer, found = respelt.answer, respelt
                    break
        return replace(answer, suggestions=(*relaxed, *suggested)), found

    def _respelt(self, context: QueryContext, item: Suggestion) -> QueryResult | None:
        """The result of a suggested spelling that has hits, with a warning."""
        if item.kind == "path":
            return None
        found = run_query(context, parse_words(item.text), self.top_k, self.budget)
        text = f"no match for the words as written: these hits are for {item.text!r}"
        respelt = found._replace(answer=_warned(found.answer, "respelt", text))
        return respelt if found.answer.hits else None

    def _relaxed(self, plain: str) -> tuple[Suggestion, ...]:
        """The query without its conditions as a suggestion; none if it finds nothing."""
        context = self._context(ParsedQuery(plain)).by_words()
        for best in run_query(context, parse_words(plain), 1, self.budget).answer.hits:
            why = f"without the conditions: {best.path}:{best.start_line} and maybe more"
            return (Suggestion("relaxed", plain, why),)
        return ()

    def _context(self, parsed: ParsedQuery) -> QueryContext:
        """The environment of a query; what fulfils conditions is ordered by words alone."""
        context = self.context if parsed.condition is None else self.context.by_words()
        where = context.snapshot, parsed, self.file_glob, self.budget
        return context._replace(selection=self.engine.select(*where))

    def _query(self, parsed: ParsedQuery) -> Query:
        """The terms to rank: those of the query and options, and the most frequent ones begun."""
        plain = parse_request(parsed.plain)
        if self.options.more or self.options.near:
            plain = plain.with_terms(self.options.more)
            plain = plain.with_terms(self.options.near, FAINT_WEIGHT)
        if parsed.condition is None:
            return plain
        from repo_mcp.question.syntax.tree import Prefix, leaves  # noqa: PLC0415 see above
        from repo_mcp.search.filter.file_words import expand_prefix  # noqa: PLC0415 as above

        begun = [item for item in leaves(parsed.condition) if isinstance(item, Prefix)]
        terms = (expand_prefix(self.context.snapshot, item, _MOST_WORDS) for item in begun)
        return plain.with_terms(dict.fromkeys(chain.from_iterable(terms)))


def _warned(answer: SearchAnswer, code: str, text: str) -> SearchAnswer:
    return replace(answer, warnings=(AnswerWarning(code, text), *answer.warnings))


def raise_quoting(
    shown: Sequence[ShownPassage], parsed: ParsedQuery, weight: float
) -> list[ShownPassage]:
    """The passages that have quoted phrases, raised for each phrase.

    A message is sought where it is made: tests that expect it are not raised.
    """
    phrases = [" ".join(item.text.casefold().split()) for item in parsed.quoted]
    raised = []
    for item in shown:
        factor = 1.0
        if not (parsed.is_message and is_test(item.ranked.path)):
            text = " ".join(item.found.passage.snippet.casefold().split())
            there = sum(phrase in text for phrase in phrases)
            factor = weight ** min(max(1, there), _MOST_RAISES)
        reasons = (*item.reasons, ScoreReason(QUOTED, "", factor)) if item.reasons else ()
        raised.append(item._replace(ranked=item.ranked.multiply(QUOTED, factor), reasons=reasons))
    return raised


def add_longer_names(
    context: QueryContext, query: Query, answer: SearchAnswer, top_k: int, budget: Budget
) -> SearchAnswer:
    """The answer for one word, and behind it what declares or uses names that contain the word."""
    hits, snapshot = answer.hits, context.snapshot
    is_few = 0 < len(hits) < min(top_k, _FEW)
    if len(query.words) > 1 or not is_few or not can_list_containing(snapshot):
        return answer
    word = query.words[0].term
    names = near_names(snapshot, word, budget, is_unknown=False)
    longer = [
        QueryWord(name.term, name.similarity)
        for name in names
        if normalize_name(name.term) != normalize_name(word)
    ]
    if not longer:
        return answer
    others = Query(tuple(longer), (), "", query.kinds)
    # those that the first ones have are left out
    found = run_query(context, others, top_k + len(hits), budget).answer.hits
    paths = {hit.path for hit in hits} if context.level == FILE else set()
    others_of = (hit for hit in found if hit.path not in paths)
    more = [hit for hit in others_of if not any(hit.overlaps(item) for item in hits)]
    factor = min((hits[-1].score / hit.score for hit in more[:1] if hit.score), default=1.0)
    behind = [_behind(hit, min(factor, 1.0), hits[-1].relevance) for hit in more]
    return replace(answer, hits=(*hits, *behind)[:top_k])


def _behind(hit: SearchHit, factor: float, relevance: int) -> SearchHit:
    score, most = round(hit.score * factor, SCORE_DIGITS), min(hit.relevance, relevance)
    reasons = (*hit.reasons, ScoreReason("longer", "", factor)) if hit.reasons else ()
    return replace(hit, score=score, relevance=most, reasons=reasons)
