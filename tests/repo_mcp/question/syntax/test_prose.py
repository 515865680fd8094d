"""A sentence is searched by its words: what it quotes demands nothing, and nothing is excluded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from index_format.records import replace
from repo_mcp.model import SearchAnswer
from repo_mcp.question.syntax.query import ParsedQuery, parse_loosely, parse_query
from repo_mcp.question.syntax.tree import Filter, Not, Phrase, Word, leaves
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights
from tests.repo_mcp.trees import FOREVER, Services, served, write

TREE: dict[str, str | bytes] = {
    "json/decoder.py": (
        "def decode(document):\n    if empty(document):\n        fails('Expecting value')\n"
    ),
    "json/scanner.py": "def scan(document):\n    return 'control character at', empty\n",
    "json/tool.py": "def follow(document):\n    return when, decoding, fails, empty\n",
}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder: Path = tmp_path_factory.mktemp("prose")
    found = served(write(folder / "root", TREE), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, weights: Weights = DEFAULT_WEIGHTS) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages, weights)
    return engine.search(snapshot, query, 10, None, FOREVER)


SENTENCES = [
    'Decoding fails with "Expecting value here" when the document is empty',
    "why is the document empty when decoding fails at file:json/decoder.py:3:9",
    "the option -follow makes the decoding of documents fail when empty",
    "why does +scan of an empty document fail in decod* functions",
    'docs: change "Other Title" to document',
    'Revert "empty the document when decoding fails"',
    'turn "document" into "the whole document"',
    'empty document fails decoding "control character at"',
    "decoding -follow document fails",
    "document fails at file:line:column",
    "only decode -empty documents IF (document OR empty)",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_marks_in_a_sentence_are_no_conditions(text: str) -> None:
    found = parse_query(text)
    assert (found.condition, found.filters, found.plain) == (None, (), text)


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_with_marks_has_hits(services: Services, text: str) -> None:
    answer = ask(services, text)
    assert answer.hits
    assert not any(item.code == "conditions" for item in answer.warnings)


def test_what_a_sentence_quotes_raises_what_has_it(services: Services) -> None:
    words = "decoding fails with {} when the document is empty"
    without = ask(services, words.format("expecting value"))
    quoted = ask(services, words.format('"control character at"'))
    assert without.hits[0].path == "json/decoder.py"
    scores = {hit.path: hit.score for hit in quoted.hits}
    # what is quoted has no learned order
    weights = replace(DEFAULT_WEIGHTS, learned=0.0)
    unquoted = ask(services, words.format("control character at"), weights)
    plain = {hit.path: hit.score for hit in unquoted.hits}
    assert scores["json/scanner.py"] > plain["json/scanner.py"]
    assert scores["json/tool.py"] == plain["json/tool.py"]


@pytest.mark.parametrize(
    ("text", "condition", "filters"),
    [
        ("how is the document decoded lang:python", None, (Filter("lang", "python"),)),
        ("path:json/* how is the document decoded", None, (Filter("path", "json/*"),)),
        ("how is the document decoded -path:docs", Not(Word("path", "docs")), ()),
        ("what the option name:value does in files", None, ()),
        ("an error is reported at path:json/decoder.py:3:9", None, ()),
    ],
)
def test_fields_for_paths_count_at_the_edges_of_a_sentence(
    text: str, condition: object, filters: tuple[Filter, ...]
) -> None:
    found = parse_query(text)
    assert (found.condition, found.filters) == (condition, filters)


WORDS = st.sampled_from(["parser", "token", "cache", "header", "stream", "socket"])
FUNCTION_WORDS = st.sampled_from(["the", "when", "is", "for", "after", "into"])
# what quotes, names options and places, and what filters
MARKS = ['"idle timeout"', "-follow", "parser.c:12:5", "file:line:column", "`a b`", "path:a/b.c:3"]
FILTERS = ["lang:python", "path:src/*", "-path:src/*", "ext:c,h", "-lang:go"]


@given(
    st.lists(WORDS, min_size=3, max_size=9),
    FUNCTION_WORDS,
    st.lists(st.tuples(st.sampled_from(MARKS), st.integers(1, 8)), max_size=4),
)
def test_nothing_is_demanded_by_what_stands_in_a_question(
    words: list[str], function: str, marks: list[tuple[str, int]]
) -> None:
    written = [words[0], function, *words[1:]]
    for mark, at in marks:
        written.insert(min(at, len(written) - 1), mark)
    text = " ".join(written)
    found = parse_query(text)
    assert (found.plain, found.condition, found.filters) == (text, None, ())
    assert (Phrase("idle timeout") in found.quoted) == ('"idle timeout"' in written)


@given(
    st.lists(WORDS, min_size=1, max_size=8),
    st.lists(st.sampled_from(FILTERS), min_size=1, max_size=3, unique=True),
    st.sampled_from([[], ["when", "the"]]),
    st.integers(0, 3),
)
def test_filters_beside_a_question_always_count(
    words: list[str], filters: list[str], told: list[str], first: int
) -> None:
    asked = [words[0], *told, *words[1:]]
    text = " ".join([*filters[:first], *asked, *filters[first:]])
    found = parse_query(text)
    assert (found.plain, found.condition) == (" ".join(asked), None)
    assert len(found.filters) == len(filters)


@given(
    st.lists(WORDS, min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(['"a b"', "+foo", "alloc*", "symbol:foo"]), min_size=1, unique=True),
    st.sampled_from(["-test", '-"foo bar"', "-path:docs"]),
)
def test_few_words_with_marks_are_a_query(words: list[str], marks: list[str], less: str) -> None:
    found = parse_query(" ".join([*words, *marks, less]))
    assert len(list(leaves(found.condition))) == len(marks) + 1
    assert found.quoted == ()


def test_phrases_of_a_sentence_are_known() -> None:
    found = parse_query('the scanner says "a b" or "c d" when it is empty')
    assert found.quoted[:2] == (Phrase("a b"), Phrase("c d"))


@pytest.mark.parametrize(
    "text", ['parser "http header" -test', "+foo bar", "foo -bar", "alloc* page", '"is the one"']
)
def test_a_list_of_words_with_marks_is_a_query(text: str) -> None:
    found = parse_query(text)
    assert found.condition is not None
    assert found.quoted == ()


@pytest.mark.parametrize(
    "text",
    ['document "nowhere at all"', "document -document", "+document +absent empty", "absent* empty"],
)
def test_where_no_file_has_all_marks_the_words_answer_and_it_is_said(
    services: Services, text: str
) -> None:
    answer = ask(services, text)
    assert answer.hits
    assert "conditions" in [item.code for item in answer.warnings]


@pytest.mark.parametrize(
    "text",
    ['"nowhere at all"', "symbol:absent document", "document NOT document", "path:absent document"],
)
def test_conditions_that_can_only_be_meant_are_kept(services: Services, text: str) -> None:
    assert ask(services, text).hits == ()
    assert parse_loosely(text) is None


def test_filters_are_kept_where_the_words_answer(services: Services) -> None:
    assert parse_loosely('document "nowhere at all" path:json/t*') == ParsedQuery(
        "document nowhere at all", None, (Filter("path", "json/t*"),)
    )
    answer = ask(services, 'document "nowhere at all" path:json/t*')
    assert {hit.path for hit in answer.hits} == {"json/tool.py"}
