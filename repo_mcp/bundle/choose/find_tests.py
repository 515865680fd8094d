"""Finds tests of chosen declarations."""

from __future__ import annotations

from collections.abc import Sequence

from code_graph.paths.path_kinds import is_test
from repo_mcp.bundle.find.candidates import Candidate, Evidence, gather_candidates
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.searches import Searches
from repo_mcp.bundle.model import Excerpt, SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import SearchWeights


def find_tests(
    searches: Searches, files: Files, excerpts: Sequence[Excerpt], words: str
) -> list[tuple[Candidate, tuple[Reason, ...]]]:
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
            f"test {name} {words}".strip()[: SearchWeights.LONGEST_TEST_QUERY],
            SearchWeights.TEST_HITS,
        )
        if is_test(hit.path)
    ]
    tests: list[tuple[Candidate, tuple[Reason, ...]]] = []
    for item in gather_candidates(hits, files):
        mentioned = _mentioned(files, item, names)
        if mentioned:
            tests.append((item, (Reason(ReasonCode.TESTS, names=mentioned),)))
    return tests


def _mentioned(files: Files, item: Candidate, names: Sequence[str]) -> tuple[str, ...]:
    source = files.source(item.path)
    text = "" if source is None else "\n".join(source.rows.between(item.first, item.last))
    return tuple(name for name in names if name in text)
