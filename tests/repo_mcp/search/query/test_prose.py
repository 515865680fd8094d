"""A sentence is searched by its words: what it quotes demands nothing, and nothing is excluded."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.model import SearchAnswer
from repo_mcp.search.query.query import ParsedQuery, parse_loosely, parse_query
from repo_mcp.search.query.tree import Filter, Not, Phrase, Word
from repo_mcp.search.ranked.engine import RankedEngine
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


def ask(services: Services, query: str) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    return engine.search(snapshot, query, 10, None, FOREVER)


SENTENCES = [
    'Decoding fails with "Expecting value here" when the document is empty',
    "why is the document empty when decoding fails at file:json/decoder.py:3:9",
    "the option -follow makes the decoding of documents fail when empty",
    "why does +scan of an empty document fail in decod* functions",
    'docs: change "Other Title" to document',
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
    plain = {
        hit.path: hit.score for hit in ask(services, words.format("control character at")).hits
    }
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
