"""Finds what completes a bundle: tests of chosen declarations, or uses of what is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph import PROSE
from code_graph.paths.path_kinds import DOCS, is_test, path_kinds
from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit, gather_candidates
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.query import BundlePrompt
from repo_mcp.bundle.find.searches import Searches
from repo_mcp.bundle.model import Excerpt, SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import SearchWeights
from repo_mcp.model import FILE_KINDS

_, _TESTS, _DOCUMENTS, _ = FILE_KINDS
# words of such questions that say nothing of what is used
_ASKING: Final = frozenset({"use", "used", "uses", "using", "usage", "example", "examples"})
# names of files that say when something has changed, and not how it is used
_LOG_OF_CHANGES: Final = re.compile(
    r"(?:^|[/._-])(?:change-?log|changes|history|news|releases?|release[-_]notes|what-?s-?new"
    r"|upgrad(?:e|ing)|licen[cs]e|code_of_conduct)(?:[/._-]|$)",
    re.IGNORECASE,
)


def find_uses(
    searches: Searches, files: Files, query: BundlePrompt, hits: Sequence[LineHit]
) -> list[Candidate]:
    """The section of a document that tells about a question, and an example or a test.

    Examples are those among `hits`. What has much less of the question than the best is none.
    """
    matcher = query.matcher
    documents = searches.find_kind(query.prompt, _DOCUMENTS)
    documents = [hit for hit in documents if not _LOG_OF_CHANGES.search(hit.path)]
    tests = searches.find_kind(query.prompt, _TESTS)
    examples = [hit for hit in hits if _is_example(hit.path, files)]

    def weight(hit: LineHit) -> float:
        return matcher.weigh(set(hit.terms) - _ASKING)

    least = SearchWeights.LEAST_OF_USE * max(
        map(weight, (*documents, *examples, *tests)), default=0.0
    )
    shown = sorted((*examples[:1], *tests[:1]), key=weight, reverse=True)[:1]
    found = [(ReasonCode.TELLS, hit) for hit in documents if weight(hit) >= least][:1]
    found += [(ReasonCode.SHOWS_USE, hit) for hit in shown if weight(hit) >= least > 0]
    uses: list[Candidate] = []
    for code, hit in found:
        names = sorted(set(hit.terms) - _ASKING, key=lambda term: (-matcher.weigh({term}), term))
        evidence = Evidence(SearchKind.USAGE, hit.path)
        reason = Reason(code, names=tuple(names))
        uses += gather_candidates([hit._replace(evidence=evidence, reason=reason)], files)
    return uses


def _is_example(path: str, files: Files) -> bool:
    """True for code in a folder of examples."""
    language = files.languages.language_of(path)
    is_code = bool(language) and language not in PROSE
    return is_code and DOCS in path_kinds(path) and not is_test(path)


def find_tests(
    searches: Searches, files: Files, excerpts: Sequence[Excerpt], words: str
) -> list[Candidate]:
    """Declarations in tests that mention chosen symbols, best first, with these symbols."""
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
        for hit in searches.find_more(
            SearchKind.TESTS,
            f"test {name} {words}".strip()[: SearchWeights.LONGEST_QUERY],
            SearchWeights.IN_FILE,
        )
        if is_test(hit.path)
    ]
    tests: list[Candidate] = []
    for candidate in gather_candidates(hits, files):
        if mentioned := _mentioned(files, candidate, names):
            candidate.reasons = {Reason(ReasonCode.TESTS, names=mentioned): candidate.worth}
            tests.append(candidate)
    return tests


def _mentioned(files: Files, item: Candidate, names: Sequence[str]) -> tuple[str, ...]:
    source = files.source(item.path)
    text = "" if source is None else "\n".join(source.rows.between(item.first, item.last))
    return tuple(name for name in names if name in text)
