"""The bundler that uses no model: one pipeline from a prompt to a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from code_graph import Languages
from code_graph.paths.path_kinds import asks_for_kept, is_kept_by_programs, is_test
from index_format import CorruptIndexError, Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.bundle.choose.budget import (
    ESTIMATE,
    BundleBudget,
    fit_bundle,
    reserved_bytes,
)
from repo_mcp.bundle.choose.choice import Choice, LineShare
from repo_mcp.bundle.choose.extras import find_tests, find_uses
from repo_mcp.bundle.find.candidates import (
    Candidate,
    LineHit,
    gather_candidates,
    unit_around,
)
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.lead.answer import LeadSources, find_lead, parse_lead_question
from repo_mcp.bundle.find.lead.steps import Lead
from repo_mcp.bundle.find.neighbours import Neighbours, find_neighbours
from repo_mcp.bundle.find.score_declarations import score_declarations
from repo_mcp.bundle.find.score_files import dominant_file, rank_files, searched_files
from repo_mcp.bundle.find.searches import Ranker, Searches
from repo_mcp.bundle.find.standing import common_files, is_bare
from repo_mcp.bundle.model import (
    Audit,
    Bundle,
    BundleRequest,
    Excerpt,
    FilePlace,
    LeftOut,
    SearchKind,
    Ties,
)
from repo_mcp.bundle.reasons import Notice, NoticeCode, Omission
from repo_mcp.bundle.weights import (
    CandidateWeights,
    ChoiceWeights,
    LeadWeights,
    RequestWeights,
    SearchWeights,
    SizeWeights,
)
from repo_mcp.errors import Problem
from repo_mcp.flow import FlowSources, FlowWeights, Passage, names_a_way
from repo_mcp.prompt.keywords import Keyword, content_words, extract_keywords
from repo_mcp.prompt.parse import Prompt, parse_prompt
from repo_mcp.prompt.questions import asks_for_usage
from repo_mcp.prompt.word_forms import other_number
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import (
    ExactEngine,
    RankedEngine,
    TermMatcher,
    look_up,
    parse_words,
)

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
        check_limits(request)
        prompt = parse_prompt(request.prompt)
        keywords = extract_keywords(prompt)
        if not keywords:
            raise Problem("argument_invalid", "prompt has no word to search for")
        files = Files(snapshot, self._sandbox, self._languages, budget)
        searches = Searches(self._ranker, self._exact, snapshot, files, budget)
        run = _BundleRun(snapshot, request, prompt, keywords, files, searches, budget)
        run.tie_by(graph)
        candidates = run.score(run.find())
        run.follow(candidates)
        run.find_uses()
        choice = run.choose(candidates)
        run.complete(choice)
        run.fill(choice, candidates)
        return run.fit(choice)


def check_limits(request: BundleRequest) -> None:
    """Refuses limits that no bundle can keep."""
    if request.max_files < 1 or request.max_total_lines < 1 or request.max_tokens < 0:
        raise Problem(
            "argument_invalid",
            "max_files and max_total_lines must be at least 1, max_tokens at least 0",
        )
    if request.max_bytes and request.max_bytes < RequestWeights.LEAST_BYTES:
        raise Problem(
            "argument_invalid",
            f"max_bytes must be at least {RequestWeights.LEAST_BYTES}, or 0 for no limit",
        )


class _Reserve(NamedTuple):
    """Lines and files reserved for tests."""

    test_lines: int
    test_files: int


class _BundleRun:
    """Builds one bundle: a method per stage, in their order."""

    def __init__(
        self,
        snapshot: Snapshot,
        request: BundleRequest,
        prompt: Prompt,
        keywords: tuple[Keyword, ...],
        files: Files,
        searches: Searches,
        budget: Budget,
    ) -> None:
        self._snapshot = snapshot
        self._request = request
        self._prompt = prompt
        self._keywords = keywords
        self._files = files
        self._searches = searches
        self._budget = budget
        self._matcher = _weigh_terms(snapshot, prompt, keywords, budget)
        # the file that has by far the most words of the prompt, if there is one
        self._dominant = ""
        # worths of files in the search for the whole prompt
        self._searched: dict[str, float] = {}
        # files with the content of better ones
        self._copies: set[str] = set()
        # candidates in tests, which are not ranked with the others
        self._tests: list[Candidate] = []
        # files that common words alone have brought
        self._common: frozenset[str] = frozenset()
        # true if files that programs keep are wanted, as translations are
        self._asks_for_kept = asks_for_kept(frozenset(content_words(prompt.prose)))
        # files as a bundle shows them: steps and uses first, then the best files
        self._order: Sequence[str] = ()
        self._audit = Audit(NAME, snapshot.generation, complete=True, keywords=keywords)
        self._reserve = _Reserve(0, 0)
        # declarations of other files that the best ones use or are used by
        self._linked: Sequence[Candidate] = ()
        self._links: SymbolLinks | None = None
        # true if the graph is of all files
        self._is_linked = False
        # the steps of the answer, if the prompt asks for something that the graph tells
        self._lead = Lead()
        # it names two ends, and there is no graph
        self._lacks_graph = False
        # lines that the search for the whole prompt has found, best first
        self._found: Sequence[Passage] = ()
        self._prompt_hits: Sequence[LineHit] = ()
        # what shows how something is used, if the prompt asks for that
        self._uses: Sequence[Candidate] = ()
        self._damage: tuple[type[Exception], ...] = ()
        self._graph_damaged = False

    def tie_by(self, graph: GraphSnapshot | None) -> None:
        """Tie declarations by the symbol graph, if there is one."""
        self._is_linked = graph is not None and graph.progress.complete
        if graph is None:
            return
        from code_graph.store.records import DamagedGraphError  # noqa: PLC0415 as above
        from repo_mcp.bundle.find.links import SymbolLinks  # noqa: PLC0415 most servers have no graph

        self._damage = (CorruptIndexError, DamagedGraphError)
        self._links = SymbolLinks(graph, self._snapshot)

    def find(self) -> list[LineHit]:
        """The hits of searches, names and paths."""
        return self._searches.find_hits(
            *(self._prompt, self._keywords, self._matcher),
            named_alone=self._request.named_alone,
        )

    def score(self, hits: list[LineHit]) -> list[Candidate]:
        """The declarations around the hits, best first, after scoring whole files and declarations.

        Tests are kept apart, except those that the prompt names.
        """
        self._searched = searched_files(hits)
        self._prompt_hits = [hit for hit in hits if hit.evidence.kind is SearchKind.PROMPT]
        best = sorted(self._prompt_hits, key=lambda hit: -hit.worth)[: FlowWeights.MOST_SEEDS]
        self._found = [(hit.path, hit.first, hit.last) for hit in best]
        candidates = self._gather(hits)
        if not (self._out_of_time() or self._request.named_alone):
            scores = self._searches.score_files(self._prompt)
            self._dominant = dominant_file(scores)
            competing = self._competing(candidates)
            hits += score_declarations(self._files, competing, self._matcher, scores)
            competing = self._competing(self._gather(hits))
            neighbours = self._neighbours(competing)
            hits += neighbours.near
            self._linked = gather_candidates(neighbours.far, self._files)
            candidates = self._gather(hits)
        self._tests = [item for item in candidates if not self._competes(item)]
        candidates = self._competing(candidates)
        for item in candidates:
            if (factor := self._boost(item)) != 1.0:
                item.scale(factor)
        if not self._request.named_alone:
            self._common = common_files(candidates, self._matcher)
        candidates = [item for item in candidates if item.path not in self._common]
        return sorted(candidates, key=lambda item: (-item.worth, item.path, item.first, item.last))

    def _neighbours(self, candidates: Sequence[Candidate]) -> Neighbours:
        """Declarations tied to the best ones: by the graph, unless it is damaged."""
        try:
            return find_neighbours(self._files, candidates, self._matcher, self._links)
        except self._damage:
            if self._links is None:
                raise
        self._links, self._graph_damaged = None, True
        return find_neighbours(self._files, candidates, self._matcher)

    def follow(self, candidates: Sequence[Candidate]) -> None:
        """Finds the steps of the answer that the prompt asks for, if the symbol graph has them."""
        links, prose = self._links, self._prompt.prose
        question = parse_lead_question(prose)
        if self._out_of_time() or question is None or self._request.named_alone:
            return
        if links is None:
            self._lacks_graph = not self._graph_damaged and names_a_way(prose)
            return
        sources = LeadSources(
            self._files, self._flow_sources(), self._searches.lines_with, self._found, candidates
        )
        try:
            self._lead = find_lead(links, question, sources)
        except self._damage:
            self._links, self._graph_damaged = None, True

    def find_uses(self) -> None:
        """Finds a document and an example, if the prompt asks how something is used."""
        is_open = not (self._lead.steps or self._request.named_alone or self._out_of_time())
        if not (is_open and asks_for_usage(self._prompt.prose)):
            return
        self._uses = find_uses(
            self._searches, self._files, self._prompt, self._matcher, self._prompt_hits
        )

    def _flow_sources(self) -> FlowSources:
        def search(text: str) -> list[Passage]:
            hits = self._searches.find_more(SearchKind.FLOW, text, FlowWeights.MOST_SEEDS)
            return [(hit.path, hit.first, hit.last) for hit in hits]

        return FlowSources(search, self._files.line, self._budget.check)

    def choose(self, candidates: Sequence[Candidate]) -> Choice:
        """Lists files, and takes the best candidates of the best ones; room is left for tests."""
        self._audit = replace(
            self._audit,
            complete=self._searches.complete and not self._request.named_alone,
            ties=self._ties(),
            considered=len(candidates) + len(self._tests),
            token_estimate=ESTIMATE,
        )
        reserved = reserved_bytes(
            self._request, self._audit, self._searches.runs, tuple(self._lead.lines)
        )
        budget = BundleBudget(self._request, reserved)
        ranked = self._rank_files(candidates)
        if not self._lead.is_whole:
            budget.list_places(self._places(candidates, ranked))
        first = (item.path for item in (*self._lead.steps, *self._uses))
        self._order = [*dict.fromkeys((*first, *ranked))]
        self._reserve = reserve = self._reserved(budget.lines_left)
        files = ranked[: max(1, budget.files_left - reserve.test_files)]
        bodies = files[: ChoiceWeights.BODY_FILES]
        inside = [item for item in candidates if item.path in bodies and self._stands_alone(item)]
        share = _share_lines(inside, budget.lines_left)
        choice = Choice(self._files, budget, self._matcher, share)
        most = int((budget.lines_left - reserve.test_lines) * LeadWeights.LINES_SHARE)
        lead = self._lead
        route, around = lead.steps[: lead.main], lead.steps[lead.main :]
        choice.take_steps(route, LeadWeights.MOST_LINES, most)
        most = min(most - choice.line_count, LeadWeights.LINES_AROUND)
        choice.take_steps(around, LeadWeights.MOST_LINES_AROUND, most)
        if lead.is_whole:
            return choice
        uses = [(item, item.best_reasons) for item in self._uses]
        choice.take_extras(uses, "use", int(budget.lines_left * ChoiceWeights.USES_SHARE))
        if lead.steps:
            budget.limit_lines(LeadWeights.OTHER_LINES + reserve.test_lines)
        choice.take_best(inside, reserve.test_lines)
        for item in candidates:
            if item.path in self._copies:
                choice.leave_out(item, Omission.COPY)
            elif item.path not in bodies or not self._stands_alone(item):
                choice.leave_out(item, Omission.LESS_WORTH)
        return choice

    def _places(self, candidates: Sequence[Candidate], files: Sequence[str]) -> list[FilePlace]:
        """The best place of each file that is listed: those that a search gives, then others.

        A page of search in as much room has no more files. Tests come last, but for those that it
        has among its first.
        """
        found: dict[str, FilePlace] = {}
        for place in self._searches.passages:
            if self._is_read(place) and place.path not in self._common:
                found.setdefault(place.path, place)
        late = set[str]()
        if not self._request.include_tests:
            later = [*found.values()][SearchWeights.FIRST_FILES :]
            late = {place.path for place in later if not self._competes(place)}
        best = {path: place for path, place in found.items() if path not in late}
        best |= {path: FilePlace(path, 0, 0) for path in files if path not in best}
        best |= {path: place for path, place in found.items() if path in late}
        return self._told_places(candidates, best)

    def _told_places(
        self, candidates: Sequence[Candidate], best: Mapping[str, FilePlace]
    ) -> list[FilePlace]:
        """The places with what they are of, those of candidates where there are any."""
        inside = {item.path: item for item in reversed(candidates)}
        places = [item for path, item in best.items() if path not in self._copies]
        found: list[FilePlace] = []
        for item in places:
            if len(found) == self._request.max_files:
                break
            candidate = inside.get(item.path)
            place = item if candidate is None else candidate.place(self._files)
            told = _told_place(self._files, place, candidate)
            found += [told] if told.symbol or told.rationale else []
        return found

    def _ties(self) -> Ties:
        """The way in which declarations are tied."""
        if self._links is None:
            return "names"
        return "both" if self._links.missing else "graph"

    def _rank_files(self, candidates: Sequence[Candidate]) -> list[str]:
        """The files, best first, without copies of better ones."""
        words = content_words(self._prompt.prose)
        found: dict[bytes, str] = {}
        for path in rank_files(candidates, self._searched, words):
            known = self._snapshot.file(path)
            same = path.encode() if known is None else known.fingerprint
            if found.setdefault(same, path) != path:
                self._copies.add(path)
        return list(found.values())

    def complete(self, choice: Choice) -> None:
        """Adds tests if requested."""
        if not (self._request.named_alone or self._out_of_time()) and self._request.include_tests:
            self._add_tests(choice)

    def fill(self, choice: Choice, candidates: Sequence[Candidate]) -> None:
        """Spends the rest of the budget: on gaps, omitted candidates and links."""
        if self._lead.is_whole:
            return
        choice.fill_gaps(ChoiceWeights.WORTH_FILLING, ChoiceWeights.LONG)
        more = [item for item in candidates if item.path not in self._copies]
        left = [item for item in more if choice.is_left_out(item) and self._stands_alone(item)]
        choice.take_best(left, 0)
        linked = [*filter(self._stands_alone, self._linked)]
        choice.take_best(linked[: ChoiceWeights.MOST_LINKED], 0)
        choice.fill_gaps(ChoiceWeights.WORTH_MORE, ChoiceWeights.VERY_LONG)

    def fit(self, choice: Choice) -> Bundle:
        """The bundle, within every limit."""
        left_out = (*choice.omissions(), *self._omitted_tests())
        audit = replace(
            self._audit,
            searches=tuple(self._searches.runs),
            left_out=left_out[: SizeWeights.MOST_LEFT_OUT],
            left_out_count=len(left_out),
        )
        excerpts = _by_file(choice.excerpts, self._order)
        notices = tuple(self._notices(excerpts))
        fingerprint = self._prompt.fingerprint
        doubt = self._searches.doubt
        return fit_bundle(
            *(self._request, fingerprint, excerpts, audit, notices, tuple(self._lead.lines)),
            doubt=doubt,
            places=choice.places,
        )

    def _stands_alone(self, item: Candidate) -> bool:
        """False for a constructor or a bare field, which are shown with what is around them."""
        return not is_bare(self._files, item, self._matcher)

    def _gather(self, hits: Sequence[LineHit]) -> list[Candidate]:
        candidates = gather_candidates(hits, self._files)
        return [item for item in candidates if self._is_read(item)] or candidates

    def _competing(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return [item for item in candidates if self._competes(item)]

    def _competes(self, item: Candidate | FilePlace) -> bool:
        """True for a candidate that is ranked; tests are only if the prompt names them."""
        return item.path in self._searches.named or not is_test(item.path)

    def _is_read(self, item: Candidate | FilePlace) -> bool:
        """False for files that programs keep, unless the prompt names them or asks for such."""
        is_asked = self._asks_for_kept or item.path in self._searches.named
        return is_asked or not is_kept_by_programs(item.path)

    def _boost(self, item: Candidate) -> float:
        """The factor for a candidate's file and folder."""
        factor = CandidateWeights.NAMED_FILE if item.path in self._searches.named else 1.0
        factor *= CandidateWeights.DOMINANT_FILE if item.path == self._dominant else 1.0
        if any(item.path.startswith(folder) for folder in self._searches.folders):
            factor *= CandidateWeights.FOLDER
        return factor

    def _reserved(self, lines: int) -> _Reserve:
        tests = self._request.include_tests
        most = self._request.max_files
        test_files = min(ChoiceWeights.MOST_TEST_FILES, most // ChoiceWeights.TEST_FILES)
        return _Reserve(
            test_lines=int(lines * ChoiceWeights.TESTS_SHARE) if tests else 0,
            test_files=test_files if tests else 0,
        )

    def _add_tests(self, choice: Choice) -> None:
        words = content_words(self._prompt.prose)[: SearchWeights.TEST_WORDS]
        tests = find_tests(self._searches, self._files, choice.excerpts, " ".join(words))
        tests += [(item, item.best_reasons) for item in self._tests]
        choice.take_extras(tests, "test", self._reserve.test_lines)

    def _omitted_tests(self) -> Iterator[LeftOut]:
        if not self._request.include_tests:
            for item in self._tests:
                yield LeftOut(item.path, item.first, item.last, item.symbol, Omission.TEST)

    def _out_of_time(self) -> bool:
        self._budget.check()
        if self._budget.spent:
            self._searches.complete = False
        return self._budget.spent

    def _has_code(self, excerpt: Excerpt) -> bool:
        return self._files.languages.has_code(excerpt.path)

    def _notices(self, excerpts: Sequence[Excerpt]) -> Iterator[Notice]:
        if self._prompt.is_cut:
            yield Notice(NoticeCode.PROMPT_CUT)
        if not self._searches.complete:
            yield Notice(NoticeCode.OUT_OF_TIME)
        if self._links is not None and self._links.missing:
            yield Notice(NoticeCode.NOT_LINKED, len(self._links.missing))
        if self._graph_damaged:
            yield Notice(NoticeCode.GRAPH_DAMAGED)
        stale = {item.path for item in excerpts if item.stale}
        if stale:
            yield Notice(NoticeCode.STALE, len(stale))
        refused = sum(self._files.refused.values())
        if refused:
            yield Notice(NoticeCode.REFUSED, refused)
        if self._tests and not self._request.include_tests and not self._lead.is_whole:
            yield Notice(NoticeCode.TESTS_LEFT_OUT, len(self._tests))
        if (lacking := self._lacking(excerpts)) is not None:
            yield Notice(lacking)
        if self._lead.is_parted:
            yield Notice(NoticeCode.NO_WAY)
        if not excerpts:
            yield Notice(NoticeCode.EMPTY)

    def _lacking(self, excerpts: Sequence[Excerpt]) -> NoticeCode | None:
        """The largest part that is missing, of the index or of the graph."""
        if self._request.named_alone:
            return NoticeCode.NAMED_ALONE
        if self._lacks_graph:
            return NoticeCode.NO_GRAPH
        is_unlinked = not self._is_linked and any(map(self._has_code, excerpts))
        return NoticeCode.UNLINKED if is_unlinked else None


def _told_place(files: Files, place: FilePlace, candidate: Candidate | None) -> FilePlace:
    """A place with the declaration that it is of, else with the best reason for it, if any."""
    around = unit_around(files.places(place.path, place.first, place.last), place.first, place.last)
    if around is not None:
        return place._replace(symbol=around.qualified, rationale="")
    if candidate is None:
        return place
    reasons = candidate.best_reasons[:1]
    return place._replace(rationale="; ".join(reason.text for reason in reasons))


def _weigh_terms(
    snapshot: Snapshot, prompt: Prompt, keywords: Sequence[Keyword], budget: Budget
) -> TermMatcher:
    """The terms of the prompt, weighted by their rarity in the repository."""
    names = [item.text for item in keywords if item.kind in {"identifier", "error", "quoted"}]
    words = [*content_words(prompt.prose), *content_words(" ".join(names))]
    text = " ".join(words[: SearchWeights.MOST_TERMS])
    if not content_words(text):
        return TermMatcher({})
    query = parse_words(text[: SearchWeights.LONGEST_TERMS])
    weights = look_up(snapshot, query, budget=budget).term_weights()
    forms = {form: weight for word, weight in weights.items() if (form := other_number(word))}
    return TermMatcher({**forms, **weights})


def _share_lines(candidates: Sequence[Candidate], lines: int) -> LineShare:
    """The share of lines per worth: smaller if many candidates are equally good."""
    power = ChoiceWeights.SHARE_POWER
    worths = [max(0.0, item.worth) ** power for item in candidates[: ChoiceWeights.SHARING]]
    least = ChoiceWeights.FEWEST * max(worths, default=1.0)
    return LineShare(lines / max(sum(worths), least), power)


def _by_file(excerpts: Sequence[Excerpt], order: Sequence[str]) -> tuple[Excerpt, ...]:
    """Excerpts grouped by file, those of an order first, and by line within a file."""
    shown = dict.fromkeys(item.path for item in excerpts)
    files = [*dict.fromkeys((*(path for path in order if path in shown), *shown))]
    return tuple(sorted(excerpts, key=lambda item: (files.index(item.path), item.start_line)))
