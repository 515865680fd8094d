"""The words of a query in a mark: each counts once, by the best form of it that is there."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.passage.term_matcher import TermMatcher

FORMS = ["handle", "handled", "handles", "produce", "produced", "request", "requests", "key"]


@given(
    st.dictionaries(st.sampled_from(FORMS), st.floats(0.1, 9), min_size=1),
    st.sets(st.sampled_from(FORMS)),
)
def test_of_each_word_the_best_form_counts(weights: dict[str, float], there: set[str]) -> None:
    matcher = TermMatcher(weights)
    mark = sum(matcher.marker.marks([" ".join(sorted(there)) or "nothing"]).values())
    best: dict[str, float] = {}
    for term in there & weights.keys():
        best[stem(term)] = max(best.get(stem(term), 0.0), weights[term])
    held = matcher.words_of([mark])[0] @ matcher.words
    assert held == pytest.approx(sum(best.values()))
    assert matcher.worth[mark] == pytest.approx(
        sum(weights[term] for term in there & weights.keys())
    )
