"""Questions: which of their words are terms to look for."""

from __future__ import annotations

import pytest
from whoosh.analysis import STOP_WORDS, RegexTokenizer

from index_format.analysis.words import LONG_WORD, WORD, terms
from repo_mcp.question.terms import parse_terms
from repo_mcp.question.word_lists import STOP


def test_stop_words_are_those_of_whoosh() -> None:
    assert STOP == STOP_WORDS


@pytest.mark.parametrize(
    "text",
    [
        "parseHTTPHeader of the file",
        "Größe ΣΑΣ naïve_word İx",
        "_ __ a.b x" + "y" * 200,
        "to be or",
    ],
)
def test_words_of_a_question_are_split_as_words_of_files_are(text: str) -> None:
    expected = [terms(token.text) or [LONG_WORD] for token in RegexTokenizer(WORD)(text)]
    words = {whole: tuple(rest) for whole, *rest in expected if whole != LONG_WORD}
    kept = {whole: rest for whole, rest in words.items() if whole not in STOP} or words
    assert {word.term: word.parts for word in parse_terms(text)} == kept
