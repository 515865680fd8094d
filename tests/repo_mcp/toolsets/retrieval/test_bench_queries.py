"""The benchmark's ripgrep queries match the toolset's semantics: lines with both words."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from bench.search.retrieval import on_one_line

WORD = st.text("aB.", min_size=1, max_size=4)


@given(first=WORD, second=WORD, line=st.text("aAbB.", max_size=8))
def test_lines_with_both_words_match_whether_or_not_they_overlap(
    first: str, second: str, line: str
) -> None:
    wanted = first.lower() in line.lower() and second.lower() in line.lower()
    found = re.search(on_one_line(first, second), line, re.IGNORECASE) is not None
    assert found is wanted
