"""Ranked search: parses a query, runs it on a snapshot, and says what else might be meant.

Chunks are ranked by the index; the passage of a hit is read from the file through the sandbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from code_graph import Languages
from code_graph.paths.path_kinds import is_test
from index_format import Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning, ScoreReason, SearchAnswer, Suggestion
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.distributed import OpenDistributed, search_distributed
from repo_mcp.search.query.query import ParsedQuery, parse_loosely, parse_query
from repo_mcp.search.ranked.hits import NOT_ALL_READ, ShownPassage
from repo_mcp.search.ranked.longer_names import add_longer_names
from repo_mcp.search.ranked.pipeline import QueryContext, QueryResult, run_query
from repo_mcp.search.ranked.query_terms import NEAR, Query, parse_words
from repo_mcp.search.ranked.term_lookup import NO_CORPUS, Corpus
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights

if TYPE_CHECKING:  # most queries have no conditions
    from repo_mcp.search.facets import FacetCounter
    from repo_mcp.search.filter.conditions import ChunkSelection, Conditions
    from repo_mcp.search.filter.file_masks import MasksBySnapshot
    from repo_mcp.search.query.tree import Filter
    from repo_mcp.search.ranked.meaning import QueryEmbedding
    from repo_mcp.search.ranked.past import PastChanges
    from repo_mcp.search.similar.engine import SimilarEngine
    from repo_mcp.search.similar.rows import SymbolRows
    from repo_mcp.vectors.embedder import Embedder

# words that a prefix is expanded to
_MOST_WORDS: Final = 12
_SUGGESTING_SECONDS: Final = 0.3
# quoted phrases that raise a hit, each by the same factor
_MOST_RAISES: Final = 3
# passages with quoted phrases that are raised, however many hits are asked for
_MOST_QUOTING: Final = 10
_UNFULFILLED: Final = ("conditions", "nothing fulfils all conditions of the query")
_BY_WORDS: Final = (
    "nothing fulfils all conditions of the query (quoted words, + or - before a word, begin*):"
    " these hits are for its words"
)
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
    ) -> None:
        """With the embedder of the index, queries are ranked by meaning, too.

        Without `by_meaning`, only searches that say how much it counts are. `distributed` gives a
        snapshot that others read.
        """
        self._distributed = distributed
        self._by_meaning = by_meaning
        self._embedder = embedder
        self._sandbox = sandbox
        self._languages = languages
        self._weights = weights
        self._unlearned = replace(weights, learned=0.0)
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
            return self._search(there, text, top_k, file_glob, budget, options, explain=explain)

        found, missing = search_distributed(snapshot, self._distributed, budget, search)
        return replace(found, warnings=(*missing, *found.warnings)) if missing else found

    def _search(
        self,
        snapshot: Snapshot,
        text: str,
        top_k: int,
        file_glob: str | None,
        budget: Budget,
        options: SearchOptions,
        *,
        explain: bool,
    ) -> SearchAnswer:
        parsed = parse_query(text)
        parsed = replace(parsed, filters=(*parsed.filters, *options.filters))
        if not parsed.plain:
            return self._only_excluded(snapshot, parsed, file_glob, budget)
        query = _build_query(snapshot, parsed, options)
        raised: Sequence[ShownPassage] = ()
        if parsed.quoted:
            quoting = parsed.demanding_quoted()
            holding = self._select(snapshot, quoting, file_glob, budget)
            among = self._context(snapshot, quoting, holding, options, explain=explain)
            shown = run_query(among, query, _MOST_QUOTING, budget).shown
            raised = raise_quoting(shown, parsed, self._weights.quoted)
        selection = self._select(snapshot, parsed, file_glob, budget)
        context = self._context(snapshot, parsed, selection, options, explain=explain)
        if raised:  # what is quoted says more than the past, meaning, and what was learned
            context = context._replace(past=None, meaning=None, weights=self._unlearned)
        found = run_query(context, query, top_k, budget, raised)
        of_message = len(raised) if parsed.is_message else 0
        answer = replace(found.answer, of_message=of_message)
        if parsed.condition is None and not found.has_near_names:
            answer = add_longer_names(context, query, answer, top_k, budget)
        words = None if answer.hits or parsed.condition is None else parse_loosely(text)
        if words is not None:
            words = replace(words, filters=parsed.filters)
            selection = self._select(snapshot, words, file_glob, budget)
            context = self._context(snapshot, words, selection, options, explain=explain)
            found = run_query(context, _build_query(snapshot, words, options), top_k, budget)
            if found.answer.hits:
                warning = AnswerWarning("conditions", _BY_WORDS)
                answer = replace(found.answer, warnings=(warning, *found.answer.warnings))
        is_conditional = parsed.condition is not None or bool(parsed.filters)
        relaxed: tuple[Suggestion, ...] = ()
        if not answer.hits and is_conditional:
            code, why = _UNFULFILLED
            if found.has_left_out:
                code, why = "phrase", NOT_ALL_READ
            answer = replace(answer, warnings=(AnswerWarning(code, why),))
            relaxed = self._relaxed(snapshot, parsed.plain, file_glob, budget)
        if not answer.hits or found.is_doubtful:
            suggested = _suggestions(snapshot, parsed.plain, budget)
            if not answer.hits and not is_conditional:
                found = self._search_respelled(context, suggested, top_k, budget) or found
                answer = found.answer
            answer = replace(answer, suggestions=(*relaxed, *suggested))
        if options.facets_below is not None and answer.hits:
            facets = self.facets.of_terms(snapshot, found.terms, selection, options.facets_below)
            answer = replace(answer, facets=facets)
        return answer

    def _context(
        self,
        snapshot: Snapshot,
        parsed: ParsedQuery,
        selection: ChunkSelection | None,
        options: SearchOptions,
        *,
        explain: bool,
    ) -> QueryContext:
        meaning = None if parsed.condition is not None else self._meaning(options)
        weights = self._weights if parsed.condition is None else self._unlearned
        where = self._sandbox, weights, snapshot, selection
        past = options.past if parsed.condition is None else None
        return QueryContext(*where, options.corpus, meaning, explain, past, options.level)

    @cached_property
    def facets(self) -> FacetCounter:
        """The counter of matching files by language, folder and kind."""
        from repo_mcp.search.facets import FacetCounter  # noqa: PLC0415 few searches count

        return FacetCounter(self._languages, self._masks)

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
        selection = self._select(snapshot, only, None, budget)
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

    def _only_excluded(
        self, snapshot: Snapshot, parsed: ParsedQuery, file_glob: str | None, budget: Budget
    ) -> SearchAnswer:
        """The answer for a query that says only what must not be there."""
        warning = AnswerWarning("excluded", _ONLY_EXCLUDED)
        found = self._relaxed(snapshot, parsed.excluded, file_glob, budget)
        return SearchAnswer((), (), (warning,), found)

    def _relaxed(
        self, snapshot: Snapshot, plain: str, file_glob: str | None, budget: Budget
    ) -> tuple[Suggestion, ...]:
        """The query without its conditions as a suggestion; none if it finds nothing."""
        relaxed = self._select(snapshot, ParsedQuery(plain), file_glob, budget)
        context = QueryContext(self._sandbox, self._weights, snapshot, relaxed)
        answer = run_query(context, parse_words(plain), 1, budget).answer
        if not answer.hits:
            return ()
        best = answer.hits[0]
        why = f"without the conditions: {best.path}:{best.start_line} and maybe more"
        return (Suggestion("relaxed", plain, why),)

    def _search_respelled(
        self,
        context: QueryContext,
        suggestions: Sequence[Suggestion],
        top_k: int,
        budget: Budget,
    ) -> QueryResult | None:
        """The result of the first suggested spelling that has hits, with a warning."""
        for item in suggestions:
            if item.kind != "path":
                found = run_query(context, parse_words(item.text), top_k, budget)
                if found.answer.hits:
                    text = f"no match for the words as written: these hits are for {item.text!r}"
                    warnings = (AnswerWarning("respelt", text), *found.answer.warnings)
                    return found._replace(answer=replace(found.answer, warnings=warnings))
        return None

    @cached_property
    def _masks(self) -> MasksBySnapshot:
        from repo_mcp.search.filter.file_masks import MasksBySnapshot  # noqa: PLC0415 as above

        return MasksBySnapshot()

    def _select(
        self, snapshot: Snapshot, parsed: ParsedQuery, file_glob: str | None, budget: Budget
    ) -> ChunkSelection | None:
        """The chunks that fulfil the conditions and the glob; None for all chunks."""
        if parsed.condition is None and not parsed.filters and file_glob is None:
            return None
        from repo_mcp.search.filter.conditions import Conditions  # noqa: PLC0415 as above
        from repo_mcp.search.query.tree import Filter  # noqa: PLC0415 see above

        if self._conditions is None:
            self._conditions = Conditions(self._languages, self._masks)
        filters = parsed.filters
        if file_glob is not None:
            filters = (*filters, Filter("glob", file_glob))
        return self._conditions.narrow(snapshot, parsed.condition, filters, budget)


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
        ranked = item.ranked._replace(score=item.ranked.score * factor)
        reasons = (*item.reasons, ScoreReason("quoted", "", factor)) if item.reasons else ()
        raised.append(item._replace(ranked=ranked, reasons=reasons))
    return raised


def _build_query(snapshot: Snapshot, parsed: ParsedQuery, options: SearchOptions) -> Query:
    """The terms to rank: the query's words, these, and the most frequent ones with its prefixes."""
    plain = parse_words(parsed.plain)
    if options.more or options.near:
        plain = plain.with_terms(options.more).with_terms(options.near, NEAR)
    if parsed.condition is None:
        return plain
    from repo_mcp.search.filter.file_words import expand_prefix  # noqa: PLC0415 as above
    from repo_mcp.search.query.tree import Prefix, leaves  # noqa: PLC0415 see above

    begun = [item for item in leaves(parsed.condition) if isinstance(item, Prefix)]
    more = dict.fromkeys(
        term for item in begun for term in expand_prefix(snapshot, item, _MOST_WORDS)
    )
    return plain.with_terms(more)


def _suggestions(snapshot: Snapshot, text: str, budget: Budget) -> tuple[Suggestion, ...]:
    from repo_mcp.search.suggest.suggestions import suggest_queries  # noqa: PLC0415 not where something is found

    return suggest_queries(snapshot, text, budget.within(_SUGGESTING_SECONDS))
