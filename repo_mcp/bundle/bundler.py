"""The bundler that uses no model: one pipeline from a prompt to a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph import Languages
from index_format import Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.bundle.choose.budget import ESTIMATE, BundleBudget, fit_bundle, reserved_bytes
from repo_mcp.bundle.choose.choice import Choice, share_lines
from repo_mcp.bundle.choose.extras import find_tests, find_uses
from repo_mcp.bundle.find.candidates import Candidate, LineHit
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.graph_ties import GraphTies
from repo_mcp.bundle.find.lead.answer import LeadSources, asks_for_lead, find_lead
from repo_mcp.bundle.find.lead.steps import Lead
from repo_mcp.bundle.find.query import BundlePrompt, read_query
from repo_mcp.bundle.find.ranking import FileRules, RankedCandidates, list_places, rank_candidates
from repo_mcp.bundle.find.searches import PromptHits, Ranker, Searches
from repo_mcp.bundle.find.standing import is_bare
from repo_mcp.bundle.model import (
    Audit,
    Bundle,
    BundleRequest,
    Excerpt,
    FilePlace,
    LeftOut,
    SearchKind,
)
from repo_mcp.bundle.reasons import Notice, NoticeCode, Omission
from repo_mcp.bundle.weights import ChoiceWeights, LeadWeights, SearchWeights, SizeWeights
from repo_mcp.flow import FlowSources, FlowWeights, Passage
from repo_mcp.question.keywords import content_words
from repo_mcp.question.kinds import Intent
from repo_mcp.question.ways import names_a_way
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import ExactEngine, RankedEngine

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot
    from repo_mcp.bundle.find.links import SymbolLinks

NAME: Final = "local"


class LocalBundler:
    """Chooses excerpts by searches only; the same tree and prompt give the same bundle."""

    def __init__(
        self, sandbox: Sandbox, languages: Languages, ranker: Ranker | None = None
    ) -> None:
        """`ranker` searches as the tools for searches do; by words if there is none."""
        self._sandbox = sandbox
        self._languages = languages
        self._ranker = ranker or Ranker(RankedEngine(sandbox, languages))
        # a bundle searches for a few literals: filling the cache would take longer
        self._exact = ExactEngine(sandbox)

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
        query = read_query(snapshot, request, budget)
        files = Files(snapshot, self._sandbox, self._languages, budget)
        searches = Searches(self._ranker, self._exact, snapshot, files, budget)
        sources = _Sources(snapshot, files, searches, GraphTies(graph, snapshot), budget)
        found = searches.find_hits(query)
        rules = FileRules(query, found.named)
        is_final = _has_named_alone(sources, query)
        ranked = rank_candidates(
            searches, files, query, found, rules, sources.ties, is_final=is_final
        )
        places = list_places(files, query, found, rules, ranked)
        lead = _find_lead(sources, query, found, ranked)
        uses = _find_uses(sources, query, found, lead)
        audit = Audit(
            NAME,
            snapshot.generation,
            complete=searches.complete and not request.named_alone,
            ties=sources.ties.kind,
            keywords=query.keywords,
            considered=len(ranked.candidates) + len(ranked.tests),
            token_estimate=ESTIMATE,
        )
        choice = _choose(sources, query, ranked, places, lead, uses, audit)
        left_out = (*choice.omissions(), *_omitted_tests(query, ranked))
        first = (item.path for item in (*lead.steps, *uses))
        excerpts = _by_file(choice.excerpts, [*dict.fromkeys((*first, *ranked.files))])
        return fit_bundle(
            request,
            query.prompt.fingerprint,
            excerpts,
            replace(
                audit,
                searches=tuple(searches.runs),
                left_out=left_out[: SizeWeights.MOST_LEFT_OUT],
                left_out_count=len(left_out),
            ),
            tuple(_notices(sources, query, ranked, lead, excerpts)),
            tuple(lead.lines),
            doubt=found.doubt,
            places=choice.places,
        )


class _Sources(NamedTuple):
    """Where the lines of a bundle come from."""

    snapshot: Snapshot
    files: Files
    searches: Searches
    ties: GraphTies
    budget: Budget

    @property
    def is_out_of_time(self) -> bool:
        """True if the time is over: later searches are left out, and the bundle says so."""
        self.budget.check()
        if self.budget.spent:
            self.searches.complete = False
        return self.budget.spent


def _has_named_alone(sources: _Sources, query: BundlePrompt) -> bool:
    """True if nothing but what the prompt names is looked for, or no longer."""
    return query.request.named_alone or sources.is_out_of_time


def _find_lead(
    sources: _Sources, query: BundlePrompt, found: PromptHits, ranked: RankedCandidates
) -> Lead:
    """The steps of the answer that the prompt asks for, if the symbol graph has them."""
    question = query.question
    if not asks_for_lead(question) or _has_named_alone(sources, query):
        return Lead()

    def search(text: str) -> list[Passage]:
        return _passages(sources.searches.find_more(SearchKind.FLOW, text, FlowWeights.MOST_SEEDS))

    flow = FlowSources(search, sources.files.line, sources.budget.check)
    passages = _passages(found.of_whole_prompt[: FlowWeights.MOST_SEEDS])
    lead_sources = LeadSources(
        sources.files, flow, sources.searches.lines_with, passages, ranked.candidates
    )

    def find(links: SymbolLinks | None) -> Lead:
        return Lead() if links is None else find_lead(links, question, lead_sources)

    return sources.ties.read(find)


def _passages(hits: Sequence[LineHit]) -> list[Passage]:
    return [(hit.path, hit.first, hit.last) for hit in hits]


def _find_uses(
    sources: _Sources, query: BundlePrompt, found: PromptHits, lead: Lead
) -> Sequence[Candidate]:
    """A document and an example, if the prompt asks how something is used."""
    asks_for_usage = query.question.asks_for(Intent.USAGE)
    if lead.steps or not asks_for_usage or _has_named_alone(sources, query):
        return ()
    return find_uses(sources.searches, sources.files, query, found.of_whole_prompt)


def _choose(
    sources: _Sources,
    query: BundlePrompt,
    ranked: RankedCandidates,
    places: Sequence[FilePlace],
    lead: Lead,
    uses: Sequence[Candidate],
    audit: Audit,
) -> Choice:
    """The excerpts within the budget: steps, uses, the best candidates, tests, and what is left."""
    request, files = query.request, sources.files
    reserved = reserved_bytes(request, audit, sources.searches.runs, tuple(lead.lines))
    budget = BundleBudget(request, reserved)
    if not lead.is_whole:
        budget.list_places(places)
    test_lines = int(budget.lines_left * ChoiceWeights.TESTS_SHARE) if request.include_tests else 0
    # one file is left for tests
    most = max(1, budget.files_left - request.include_tests)
    bodies = ranked.files[: min(ChoiceWeights.BODY_FILES, most)]
    apart = [item for item in ranked.candidates if item.path not in ranked.copies]
    apart = [item for item in apart if not is_bare(files, item, query.matcher)]
    inside = [item for item in apart if item.path in bodies]
    choice = Choice(files, budget, query.matcher, share_lines(inside, budget.lines_left))
    _take_steps(choice, lead, budget.lines_left - test_lines)
    if not lead.is_whole:
        choice.take_extras(uses, "use", int(budget.lines_left * ChoiceWeights.USES_SHARE))
        if lead.steps:
            budget.limit_lines(LeadWeights.OTHER_LINES + test_lines)
        choice.take_best(inside, test_lines)
    if request.include_tests and not _has_named_alone(sources, query):
        words = content_words(query.prompt.prose)[: SearchWeights.TEST_WORDS]
        tests = find_tests(sources.searches, files, choice.excerpts, " ".join(words))
        choice.take_extras([*tests, *ranked.tests], "test", test_lines)
    if not lead.is_whole:
        linked = [item for item in ranked.linked if not is_bare(files, item, query.matcher)]
        choice.take_best(apart, 0)
        choice.take_best(linked[: ChoiceWeights.MOST_LINKED], 0)
        choice.fill_gaps()
    for item in ranked.candidates:
        if item.path in ranked.copies:
            choice.leave_out(item, Omission.COPY)
    return choice


def _take_steps(choice: Choice, lead: Lead, lines: int) -> None:
    """Takes the steps that are asked for, then those around them, within their share."""
    most = int(lines * LeadWeights.LINES_SHARE)
    choice.take_steps(lead.steps[: lead.main], LeadWeights.MOST_LINES, most)
    most = min(most - choice.line_count, LeadWeights.LINES_AROUND)
    choice.take_steps(lead.steps[lead.main :], LeadWeights.MOST_LINES_AROUND, most)


def _omitted_tests(query: BundlePrompt, ranked: RankedCandidates) -> Iterator[LeftOut]:
    if not query.request.include_tests:
        for item in ranked.tests:
            yield LeftOut(item.path, item.first, item.last, item.symbol, Omission.TEST)


def _by_file(excerpts: Sequence[Excerpt], order: Sequence[str]) -> tuple[Excerpt, ...]:
    """Excerpts grouped by file, those of an order first, and by line within a file."""
    shown = dict.fromkeys(item.path for item in excerpts)
    files = [*dict.fromkeys((*(path for path in order if path in shown), *shown))]
    return tuple(sorted(excerpts, key=lambda item: (files.index(item.path), item.start_line)))


def _notices(
    sources: _Sources,
    query: BundlePrompt,
    ranked: RankedCandidates,
    lead: Lead,
    excerpts: Sequence[Excerpt],
) -> Iterator[Notice]:
    """The limits of a bundle that its reader has to know."""
    ties = sources.ties
    if query.prompt.is_cut:
        yield Notice(NoticeCode.PROMPT_CUT)
    if not sources.searches.complete:
        yield Notice(NoticeCode.OUT_OF_TIME)
    if ties.missing:
        yield Notice(NoticeCode.NOT_LINKED, ties.missing)
    if ties.is_damaged:
        yield Notice(NoticeCode.GRAPH_DAMAGED)
    stale = {item.path for item in excerpts if item.stale}
    if stale:
        yield Notice(NoticeCode.STALE, len(stale))
    refused = sum(sources.files.refused.values())
    if refused:
        yield Notice(NoticeCode.REFUSED, refused)
    if ranked.tests and not query.request.include_tests and not lead.is_whole:
        yield Notice(NoticeCode.TESTS_LEFT_OUT, len(ranked.tests))
    if (lacking := _lacking(sources, query, excerpts)) is not None:
        yield Notice(lacking)
    if lead.is_parted:
        yield Notice(NoticeCode.NO_WAY)
    if not excerpts:
        yield Notice(NoticeCode.EMPTY)


def _lacking(
    sources: _Sources, query: BundlePrompt, excerpts: Sequence[Excerpt]
) -> NoticeCode | None:
    """The largest part that is missing, of the index or of the graph."""
    ties = sources.ties
    if query.request.named_alone:
        return NoticeCode.NAMED_ALONE
    asks_for_way = query.question.asks_for(Intent.WAY) and names_a_way(query.prompt.prose)
    if asks_for_way and ties.links is None and not ties.is_damaged:
        return NoticeCode.NO_GRAPH
    has_code = any(sources.files.languages.has_code(item.path) for item in excerpts)
    return NoticeCode.UNLINKED if has_code and not ties.is_complete else None
