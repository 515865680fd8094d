"""The bundler that needs no model: searches, adds up what they find, and takes the best."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.bundle.choose.budget import HOW, BundleBudget
from repo_mcp.bundle.choose.choice import Choice, Limit
from repo_mcp.bundle.choose.definitions import DefinitionFinder
from repo_mcp.bundle.choose.details import Details
from repo_mcp.bundle.choose.fitting import fitted, spoken_for
from repo_mcp.bundle.choose.outline import outline
from repo_mcp.bundle.find.agreement import weigh
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Candidate, Evidence, gathered
from repo_mcp.bundle.find.neighbours import neighbours
from repo_mcp.bundle.find.score_declarations import within
from repo_mcp.bundle.find.searches import Searches
from repo_mcp.bundle.find.test_paths import is_test
from repo_mcp.bundle.find.whole_files import meant
from repo_mcp.bundle.model import (
    Audit,
    Bundle,
    BundleRequest,
    Excerpt,
    Keyword,
    LeftOut,
    SearchKind,
)
from repo_mcp.bundle.prompt.keywords import keywords_of, other_number, words_of
from repo_mcp.bundle.prompt.prompt import Prompt, read_prompt
from repo_mcp.bundle.prompt.synonyms import with_kindred
from repo_mcp.bundle.reasons import Notice, NoticeCode, Omission, Reason, ReasonCode
from repo_mcp.bundle.weights import (
    CandidateWeights,
    ChoiceWeights,
    RelatedWeights,
    RequestWeights,
    SearchWeights,
    SizeWeights,
)
from repo_mcp.errors import Problem
from repo_mcp.languages.registry import Languages
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.exact.engine import ExactEngine
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.query_terms import wanted
from repo_mcp.search.ranked.ranking import Ranking
from repo_mcp.search.ranked.term_matcher import TermMatcher
from repo_mcp.search.ranked.weights import DEFAULT

NAME: Final = "local"
_NEVER: Final = sys.maxsize


class LocalBundler:
    """Chooses excerpts by searches alone: the same tree and prompt give the same bundle."""

    def __init__(self, sandbox: Sandbox, engine: RankedEngine, languages: Languages) -> None:
        """Read files through this sandbox, rank with this engine."""
        self._sandbox = sandbox
        self._languages = languages
        self._engine = engine
        # a bundle asks for a few literals: what helps hundreds of them would take longer to make
        self._exact = ExactEngine(sandbox, patience=_NEVER)

    def build(self, snapshot: Snapshot, request: BundleRequest, budget: Budget) -> Bundle:
        """The bundle for a request from one snapshot; a prompt without a word is a `Problem`."""
        check(request)
        prompt = read_prompt(request.prompt)
        keywords = keywords_of(prompt)
        if not keywords:
            raise Problem("argument_invalid", "prompt has no word to search for")
        files = Files(snapshot, self._sandbox, self._languages, budget)
        work = _Work(files, self._engine, self._exact, snapshot, request, budget)
        return work.bundle(prompt, keywords)


def check(request: BundleRequest) -> None:
    """Refuse limits that nothing can keep."""
    if request.max_files < 1 or request.max_total_lines < 1 or request.max_tokens < 0:
        raise Problem("argument_invalid", "max_files and max_total_lines are 1 or more")
    if request.max_bytes and request.max_bytes < RequestWeights.LEAST_BYTES:
        raise Problem(
            "argument_invalid",
            f"max_bytes is {RequestWeights.LEAST_BYTES} or more, or 0 for no limit",
        )


class _Work:
    """One bundle being made."""

    def __init__(
        self,
        files: Files,
        engine: RankedEngine,
        exact: ExactEngine,
        snapshot: Snapshot,
        request: BundleRequest,
        budget: Budget,
    ) -> None:
        self._snapshot = snapshot
        self._request = request
        self._budget = budget
        self._files = files
        self._searches = Searches(engine, exact, snapshot, files, budget)
        self._tests: list[Candidate] = []
        # the file that has most of the prompt's words by far
        self._meant = ""
        self._weights: Mapping[str, float] = {}
        # lines that the tightest of the limits has room for, about
        self._room = request.max_total_lines

    def bundle(self, prompt: Prompt, keywords: tuple[Keyword, ...]) -> Bundle:
        """Search, choose, and say how."""
        telling = self._telling(prompt, keywords)
        self._weights = telling.weights
        candidates = self._candidates(prompt, keywords, telling)
        audit = Audit(
            NAME,
            self._snapshot.generation,
            self._searches.complete,
            keywords,
            considered=len(candidates) + len(self._tests),
            token_estimate=HOW,
        )
        purse = BundleBudget(self._request, spoken_for(self._request, audit, self._searches.runs))
        self._room = purse.lines_left
        choice = Choice(self._files, purse, with_kindred(telling), self._limit(candidates))
        self._choose(choice, candidates, prompt)
        left_out = (*choice.left_out(), *self._left_tests())
        audit = replace(
            audit,
            searches=tuple(self._searches.runs),
            left_out=left_out[: SizeWeights.MOST_LEFT_OUT],
            left_out_count=len(left_out),
        )
        excerpts = _ordered(choice.excerpts)
        notices = tuple(self._notices(prompt, excerpts))
        return fitted(self._request, prompt.fingerprint, excerpts, audit, notices)

    def _candidates(
        self, prompt: Prompt, keywords: Sequence[Keyword], telling: TermMatcher
    ) -> list[Candidate]:
        """All that was found, the best first; tests only where they are wanted or named."""
        hits = self._searches.made(prompt, keywords, telling)
        found = gathered(hits, self._files)
        weigh(self._files, found, telling)
        if not self._out_of_time():
            wanted_here = [item for item in found if self._is_wanted(item)]
            whole = self._searches.whole_files(prompt)
            self._meant = meant(whole)
            hits += within(self._files, wanted_here, with_kindred(telling), whole)
            found = gathered(hits, self._files)
            weigh(self._files, found, telling)
            wanted_here = [item for item in found if self._is_wanted(item)]
            hits += neighbours(self._files, wanted_here, telling.weights)
            found = gathered(hits, self._files)
            weigh(self._files, found, telling)
        self._tests = [item for item in found if not self._is_wanted(item)]
        found = [item for item in found if self._is_wanted(item)]
        for item in found:
            self._favour(item)
        return sorted(found, key=lambda item: (-item.worth, item.path, item.first, item.last))

    def _is_wanted(self, item: Candidate) -> bool:
        """Whether it competes with all others: tests do where the prompt names them only."""
        return item.path in self._searches.named or not is_test(item.path)

    def _left_tests(self) -> list[LeftOut]:
        """Tests that were found and not wanted."""
        if self._request.include_tests:
            return []
        return [
            LeftOut(item.path, item.first, item.last, item.symbol, Omission.TEST)
            for item in self._tests
        ]

    def _limit(self, candidates: Sequence[Candidate]) -> Limit:
        """Lines that one declaration may take: the fewer, the more of them are as good."""
        best = [
            max(0.0, item.worth) ** ChoiceWeights.STEEP for item in candidates[: ChoiceWeights.MANY]
        ]
        return Limit(
            self._room / max(sum(best), ChoiceWeights.FEWEST * max(best, default=1.0)),
            ChoiceWeights.STEEP,
        )

    def _favour(self, item: Candidate) -> None:
        """What lies where the prompt points to counts more."""
        factor = CandidateWeights.NAMED_FILE if item.path in self._searches.named else 1.0
        factor *= CandidateWeights.MEANT if item.path == self._meant else 1.0
        if any(item.path.startswith(folder) for folder in self._searches.folders):
            factor *= CandidateWeights.FOLDER
        if factor != 1.0:
            item.worths = {evidence: worth * factor for evidence, worth in item.worths.items()}

    def _telling(self, prompt: Prompt, keywords: Sequence[Keyword]) -> TermMatcher:
        """How much each word of the prompt tells, by how rare it is."""
        names = [item.text for item in keywords if item.kind in {"identifier", "error", "quoted"}]
        text = " ".join(
            [*words_of(prompt.prose), *words_of(" ".join(names))][: SearchWeights.MOST_TERMS]
        )
        if not words_of(text):
            return TermMatcher({})
        worths = Ranking(
            self._snapshot, wanted(text[: SearchWeights.LONGEST_TERMS]), DEFAULT
        ).worth()
        others = {form: worth for word, worth in worths.items() if (form := other_number(word))}
        return TermMatcher({**others, **worths})

    def _choose(self, choice: Choice, candidates: Sequence[Candidate], prompt: Prompt) -> None:
        """What answers first, then tests, what is needed to understand it, then more."""
        request = self._request
        said = set(words_of(prompt.prose))
        for_needed = int(self._room * ChoiceWeights.NEEDED_SHARE)
        for_tests = int(self._room * ChoiceWeights.TESTS_SHARE) if request.include_tests else 0
        some_files = request.max_files // ChoiceWeights.DEFINITION_FILES
        test_files = (
            min(ChoiceWeights.MOST_TEST_FILES, request.max_files // ChoiceWeights.TEST_FILES)
            if request.include_tests
            else 0
        )
        for_outline = int(self._room * ChoiceWeights.OUTLINE_SHARE)
        choice.best_of(candidates, for_needed + for_tests + for_outline, some_files + test_files)
        if request.include_tests and not self._out_of_time():
            about = " ".join(words_of(prompt.prose)[: SearchWeights.TEST_WORDS])
            tests = tests_of(self._searches, self._files, choice.excerpts, about)
            tests += [(item, item.best_reasons) for item in self._tests]
            choice.extras(tests, "test", for_tests, some_files)
        if not self._out_of_time():
            for path, lines, reason in Details(
                self._files, self._searches.declared, choice, self._weights
            ).all():
                choice.take_lines(path, lines, "definition", [reason])
            needed = DefinitionFinder(
                self._snapshot, self._files, self._searches.declared, choice, said
            )
            choice.extras(needed.definitions(), "definition", for_needed, 0)
            for path in dict.fromkeys(item.path for item in choice.excerpts):
                choice.take_lines(
                    path, needed.imports(path), "imports", [Reason(ReasonCode.IMPORTS)]
                )
        left = [item for item in candidates if choice.is_left(item)]
        choice.best_of(left, for_outline, 0)
        choice.fill(ChoiceWeights.WORTH_FILLING, ChoiceWeights.LONG, for_outline)
        if not self._out_of_time():
            self._outline(choice, candidates)
        choice.fill(ChoiceWeights.WORTH_MORE, ChoiceWeights.VERY_LONG, 0)

    def _outline(self, choice: Choice, candidates: Sequence[Candidate]) -> None:
        """Name what else there is in the file that is plainly meant."""
        most = min(RelatedWeights.MOST_OUTLINED, int(self._room * ChoiceWeights.OUTLINE_SHARE))
        found = outline(self._files, choice, candidates, most)
        if found is not None:
            path, lines = found
            choice.take_lines(path, lines, "outline", [Reason(ReasonCode.OUTLINE, path)])

    def _out_of_time(self) -> bool:
        self._budget.check()
        if self._budget.spent:
            self._searches.complete = False
        return self._budget.spent

    def _notices(self, prompt: Prompt, excerpts: Sequence[Excerpt]) -> Iterator[Notice]:
        if prompt.is_cut:
            yield Notice(NoticeCode.PROMPT_CUT)
        if not self._searches.complete:
            yield Notice(NoticeCode.OUT_OF_TIME)
        stale = {item.path for item in excerpts if item.stale}
        if stale:
            yield Notice(NoticeCode.STALE, len(stale))
        refused = sum(self._files.refused.values())
        if refused:
            yield Notice(NoticeCode.REFUSED, refused)
        if self._tests and not self._request.include_tests:
            yield Notice(NoticeCode.TESTS_LEFT_OUT, len(self._tests))
        if not excerpts:
            yield Notice(NoticeCode.EMPTY)


def _ordered(excerpts: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
    """File by file, in the order in which the files were chosen; lines in order."""
    files = list(dict.fromkeys(item.path for item in excerpts))
    return tuple(sorted(excerpts, key=lambda item: (files.index(item.path), item.start_line)))


def tests_of(
    searches: Searches, files: Files, excerpts: Sequence[Excerpt], about: str
) -> list[tuple[Candidate, tuple[Reason, ...]]]:
    """Declarations in tests that mention chosen symbols, the best first, and which ones."""
    names = list(
        dict.fromkeys(
            item.symbol.rpartition(".")[2]
            for item in sorted(excerpts, key=lambda item: -item.score)
            if item.symbol and item.role == "match" and not is_test(item.path)
        )
    )[: SearchWeights.TEST_SYMBOLS]
    hits = [
        hit._replace(evidence=Evidence(SearchKind.TESTS, name))
        for name in names
        for hit in searches.ranked(
            SearchKind.TESTS,
            f"test {name} {about}".strip()[: SearchWeights.LONGEST_TEST_QUERY],
            SearchWeights.TEST_HITS,
        )
        if is_test(hit.path)
    ]
    found: list[tuple[Candidate, tuple[Reason, ...]]] = []
    for item in gathered(hits, files):
        said = _mentioned(files, item, names)
        if said:
            found.append((item, (Reason(ReasonCode.TESTS, names=tuple(said)),)))
    return found


def _mentioned(files: Files, item: Candidate, names: Sequence[str]) -> list[str]:
    """Which of the names stand in the lines."""
    source = files.source(item.path)
    text = "" if source is None else "\n".join(source.rows.between(item.first, item.last))
    return [name for name in names if name in text]
