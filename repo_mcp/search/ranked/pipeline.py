"""Runs one query on one snapshot: words, chunks, passages, hits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heappop, heappush, merge
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from code_graph.store.schema import FACTS
from index_format import Snapshot, TermScores
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import FUNCTION
from repo_mcp.budget import Budget
from repo_mcp.model import SearchAnswer
from repo_mcp.question.query import FEWEST_ASKED, Query
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.narrowing import Passage
from repo_mcp.search.passage.showing import is_import_block
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.confidence import absent_words
from repo_mcp.search.ranked.current_passages import CurrentPassage, CurrentPassages, PassageHits
from repo_mcp.search.ranked.hits import SCORE_DIGITS, ShownPassage, build_hits, warn
from repo_mcp.search.ranked.passage_table import IMPORTS
from repo_mcp.search.ranked.phrase_batches import PhraseBatches
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker, RankedChunk
from repo_mcp.search.ranked.term_lookup import NO_CORPUS, Corpus, QueryStatistics, look_up
from repo_mcp.search.ranked.weights import Weights

if TYPE_CHECKING:  # most queries have no conditions
    from repo_mcp.search.filter.conditions import ChunkSelection
    from repo_mcp.search.ranked.encoded_functions import EncodedFunctions
    from repo_mcp.search.ranked.function_order import FunctionOrder
    from repo_mcp.search.ranked.meaning import QueryEmbedding, QueryMeaning
    from repo_mcp.search.ranked.near_declarations import NearDeclarations
    from repo_mcp.search.ranked.past import PastChanges, QueryPast


class QueryContext(NamedTuple):
    """The environment of a query: the same for every spelling of it."""

    sandbox: Sandbox
    weights: Weights
    snapshot: Snapshot
    # chunks that fulfil the conditions; None for all
    selection: ChunkSelection | None
    corpus: Corpus = NO_CORPUS
    meaning: QueryEmbedding | None = None
    # true if hits have the parts of their scores
    explain: bool = False
    past: PastChanges | None = None
    # file, function or line where hits are these; empty for passages
    level: str = ""
    # what compares questions with functions by an encoder
    encoded: EncodedFunctions | None = None

    def by_words(self) -> QueryContext:
        """The same without the past, meaning, and what was learned."""
        weights = replace(self.weights, learned=0.0)
        return self._replace(past=None, meaning=None, encoded=None, weights=weights)


class QueryResult(NamedTuple):
    """The answer for one spelling of a query."""

    answer: SearchAnswer
    # what the hits were made of
    shown: Sequence[ShownPassage]
    # the words' statistics, by field
    terms: Sequence[TermScores]
    # true if the index lacks a word of a short query
    is_doubtful: bool
    # true if phrases were not verified in all candidate files
    has_left_out: bool
    # true if names near the words were searched for, too
    has_near_names: bool


def run_query(
    context: QueryContext,
    query: Query,
    top_k: int,
    budget: Budget,
    raised: Sequence[ShownPassage] = (),
) -> QueryResult:
    """The best hits in files that still exist; passages `raised` before stand among them."""
    sandbox, weights, snapshot, selection, corpus, _, explain, _, level, _ = context
    files, past = CurrentFiles(sandbox, snapshot), _past(context, query)

    # statistics of the words, of their forms and parts, and of declared names near them
    statistics = look_up(snapshot, query, weights, budget, corpus)

    # candidate chunks by the rarest words, their BM25F scores, and the passages of the best files
    matcher = TermMatcher(statistics.term_weights(weights.stems), query.name, statistics.near)
    functions = _functions(context, query, files, matcher, budget)
    ranker = _ranker(context, statistics, past, functions)
    ranked, phrases = _candidates(context, statistics, files, ranker, top_k, budget)

    # the current text of each, narrowed to the lines that match
    passages = CurrentPassages(snapshot, files, matcher, selection)
    unit = _encoded(context, query, _unit(level, files, matcher, ranker, functions))
    dropped = Counter[str]()
    shown: list[ShownPassage] = []
    imports: list[tuple[RankedChunk, CurrentPassage]] = []
    known = {item.ranked: item for item in raised}
    queue = _Queue(unit.ranked(_among(ranked, known) if known else ranked))

    def show(item: RankedChunk, found: CurrentPassage) -> None:
        before = known.get(item)
        reasons = before.reasons if before else ranker.reasons(item) if explain else ()
        score, covered = round(item.score, SCORE_DIGITS), statistics.coverage(found.terms)
        shown.append(ShownPassage(item, score, unit.shown(item, found), covered, reasons))

    for item in queue:
        budget.check()
        found = passages.find(item, known[item].found if item in known else None)
        if isinstance(found, str):
            dropped[found] += 1
        elif not (phrases or item in known) and _only_imports(item, found, query):
            imports.append((item, found))
        else:
            show(item, found)
            if weights.further and not (unit.is_alone or item.is_further or item in known):
                queue.add(_further(item, found.passage, weights.further))
            if len(shown) == top_k:
                break
    least = min((item.score for item in shown), default=math.inf)
    for item, found in imports[: top_k - len(shown)]:  # behind all others
        factor = min(least / item.score if item.score else 1.0, 1.0)
        show(item.multiply(IMPORTS, factor), found)

    # hits, and warnings of what was left out
    hits = build_hits(shown, statistics, files, level)
    has_left_out = phrases is not None and phrases.has_left_out
    notes = warn(hits, statistics, selection, dropped, passages.copies, has_left_out=has_left_out)
    commits = () if past is None else past.commits_of(hit.path for hit in hits)
    confident = phrases is not None or ranker.is_confident(
        (item.ranked, item.score) for item in shown
    )
    return QueryResult(
        SearchAnswer(
            *(hits, query.terms, tuple(notes)),
            nowhere=absent_words(statistics, names_alone=confident),
            lacking=bool(not hits or absent_words(statistics, names_alone=False)),
            commits=commits,
            confident=confident,
        ),
        *(shown, statistics.terms, len(query.words) < FEWEST_ASKED and bool(statistics.missing)),
        *(has_left_out, bool(statistics.near)),
    )


def _candidates(
    context: QueryContext,
    statistics: QueryStatistics,
    files: CurrentFiles,
    ranker: ChunkRanker,
    top_k: int,
    budget: Budget,
) -> tuple[Iterator[RankedChunk], PhraseBatches | None]:
    """The chunks that may be hits, best first, and what verifies the phrases of a quoted query."""
    query, snapshot, selection = statistics.query, context.snapshot, context.selection
    if selection is not None and selection.phrases:
        phrases = PhraseBatches(context.sandbox, snapshot, files, ranker, selection)
        return _drop_overlaps(phrases.ranked(budget)), phrases
    allowed = None if selection is None else selection.mask
    ranked = ranker.best(allowed)
    if query.written_name is not None:
        from repo_mcp.search.ranked.declarations import NamedDeclarations  # noqa: PLC0415 names alone

        weights = context.weights
        named = NamedDeclarations(snapshot, files, ranker, query.kinds, weights, allowed)
        ranked = named.put_first(ranked, query.written_name, statistics.near, budget)
    return _prefetch(_drop_overlaps(ranked), top_k, files, snapshot), None


def _unit(
    level: str,
    files: CurrentFiles,
    matcher: TermMatcher,
    ranker: ChunkRanker,
    functions: FunctionOrder | None,
) -> PassageHits:
    if not level:
        return PassageHits()
    from repo_mcp.search.ranked.levels import hits_of_level  # noqa: PLC0415 most hits are passages

    return hits_of_level(level, files, matcher, ranker, functions)


def _functions(
    context: QueryContext, query: Query, files: CurrentFiles, matcher: TermMatcher, budget: Budget
) -> FunctionOrder | None:
    """The order of functions, where they are hits, or tell which files a report means."""
    if context.level != FUNCTION and not query.in_parts:
        return None
    from repo_mcp.search.ranked.function_order import FunctionOrder  # noqa: PLC0415 most hits are passages

    return FunctionOrder(context.snapshot, files, matcher, budget)


def _ranker(
    context: QueryContext,
    statistics: QueryStatistics,
    past: QueryPast | None,
    functions: FunctionOrder | None,
) -> ChunkRanker:
    """The ranker of a query's chunks; of a report, functions order files, too."""
    query, weights = statistics.query, context.weights
    by_functions = functions if query.in_parts and weights.learned else None
    meaning, near = _meaning(context, query)
    return ChunkRanker(context.snapshot, statistics, weights, meaning, near, past, by_functions)


def _encoded(context: QueryContext, query: Query, unit: PassageHits) -> PassageHits:
    """The hits with functions near to the query by an encoder."""
    chosen = context.selection
    is_quoted = chosen is not None and bool(chosen.phrases)
    if context.encoded is None or context.level != FUNCTION or is_quoted:
        return unit
    allowed = None if chosen is None else chosen.mask
    return context.encoded.joined(unit, context.snapshot, query, allowed)


def _meaning(
    context: QueryContext, query: Query
) -> tuple[QueryMeaning | None, NearDeclarations | None]:
    """The meaning that chunks are compared with, and the declarations near to it."""
    given, snapshot, weights = context.meaning, context.snapshot, context.weights
    if given is None:
        return None, None
    meaning = given.of(snapshot, query, weights)
    return meaning, given.near(meaning, query, weights)


def _past(context: QueryContext, query: Query) -> QueryPast | None:
    """The past of a query that may describe a task."""
    if context.past is None:
        return None
    from repo_mcp.search.ranked.past import QueryPast, is_about_change  # noqa: PLC0415 few know it

    return QueryPast(context.past, query) if is_about_change(query) else None


def _prefetch(
    ranked: Iterator[RankedChunk], top_k: int, files: CurrentFiles, snapshot: Snapshot
) -> Iterator[RankedChunk]:
    """The same chunks, after the files of the first ones were read at once."""
    first = list(islice(ranked, top_k))
    files.prefetch(item.path for item in first)
    snapshot.expect_attachments((item.chunk for item in first), FACTS)
    return chain(first, ranked)


def _among(ranked: Iterator[RankedChunk], raised: Collection[RankedChunk]) -> Iterator[RankedChunk]:
    """The ranked chunks with the raised ones among them, each chunk once."""
    chunks, order = {item.chunk for item in raised}, attrgetter("order")
    others = (item for item in ranked if item.chunk not in chunks)
    return merge(others, sorted(raised, key=order), key=order)


def _only_imports(ranked: RankedChunk, found: CurrentPassage, query: Query) -> bool:
    """True if a passage only imports, for a query that is no import and no name."""
    is_sought = query.is_import or query.written_name or ranked.head
    return not is_sought and is_import_block(found.passage.snippet)


def _further(ranked: RankedChunk, passage: Passage, worth: float) -> Iterator[RankedChunk]:
    """The chunk's other declarations that match, each worth less than the one before."""
    factor = 1.0
    for first, last in passage.others:
        factor *= worth
        yield ranked.at_declaration(first, last, factor)


class _Queue:
    """Ranked chunks by score, to which others may be added that score less than the last one."""

    def __init__(self, ranked: Iterator[RankedChunk]) -> None:
        self._ranked = ranked
        self._added: list[tuple[tuple[float, str, int], RankedChunk]] = []

    def add(self, ranked: Iterable[RankedChunk]) -> None:
        for item in ranked:
            heappush(self._added, (item.order, item))

    def __iter__(self) -> Iterator[RankedChunk]:
        for item in self._ranked:
            while self._added and self._added[0][0] < item.order:
                yield heappop(self._added)[1]
            yield item
        while self._added:
            yield heappop(self._added)[1]


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
