"""The ranking, its explanation, and its independence of the index's history."""

from __future__ import annotations

import math
import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchAnswer, SearchHit
from repo_mcp.question.query import parse_words
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.passage_table import PassageTable
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker, RankedChunk
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
from tests.repo_mcp.trees import FOREVER, Services, served, write

HTTP = '''"""Requests and responses."""


def parseHTTPHeader(raw):
    """Split a header line at its colon."""
    return raw.split(":", 1)


def send(request):
    return parseHTTPHeader(request.header)
'''
TREE: dict[str, str | bytes] = {
    "net/http.py": HTTP,
    "net/http_test.py": "from net.http import parseHTTPHeader\n" * 30,
    "tests/test_http.py": "def test_parse_header():\n    assert parseHTTPHeader('a: b')\n" * 9,
    "docs/http.md": "# Headers\n\nparseHTTPHeader splits a header line at its colon.\n" * 9,
    "store/retry_policy.py": "def wait_time(attempt):\n    return 2**attempt\n",
    "store/client.py": "def fetch(key):\n    retry = policy()\n    return retry.get(key)\n",
    "src/timer.h": "int timer_start(int seconds);\nint timer_stop(void);\n",
    "src/timer.c": "int timer_start(int seconds)\n{\n\treturn seconds + 1;\n}\n",
}


# text that holds the words of a question far more often than the code that it is about
DATA_FILES: dict[str, str | bytes] = {
    f"ui/{name}": f"fetch retry policy {name}\n" * 30
    for name in ("list.snap", "rows.csv", "plus.svg", "app.js.map", "lib.min.js", "all.lock")
}


def test_data_is_found_and_ranks_behind_code(tmp_path: Path) -> None:
    found = served(write(tmp_path / "root", {**TREE, **DATA_FILES}), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    paths = [hit.path for hit in ask(found, "fetch retry", top_k=30).hits]
    assert paths[0] == "store/client.py"
    assert set(DATA_FILES) <= set(paths[1:])


@pytest.fixture
def services(tmp_path: Path) -> Services:
    found = served(write(tmp_path / "root", TREE), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, top_k: int = 10, *, explain: bool = False) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    return RankedEngine(services.sandbox, services.languages).search(
        snapshot, query, top_k, None, FOREVER, explain=explain
    )


def first(services: Services, query: str) -> SearchHit:
    return ask(services, query).hits[0]


@pytest.mark.parametrize(
    "query",
    [
        "parseHTTPHeader",
        "parse_http_header",
        "parse-http-header",
        "ParseHttpHeader",
        "PARSE_HTTP_HEADER",
        "parse http header",
        "parse.http.header",
    ],
)
def test_a_declared_name_in_any_style_gives_its_definition(services: Services, query: str) -> None:
    hit = first(services, query)
    assert (hit.path, hit.symbol) == ("net/http.py", "parseHTTPHeader")
    assert hit.start_line <= 4 <= hit.end_line


def test_an_identifier_among_other_words_is_known_in_any_style(services: Services) -> None:
    assert first(services, "colon parse_http_header line").symbol == "parseHTTPHeader"
    assert first(services, "seconds timerStart").path == "src/timer.c"


def test_a_definition_comes_before_prototypes(services: Services) -> None:
    assert first(services, "timer_start").path == "src/timer.c"


def test_code_comes_before_tests_and_documents_unless_they_are_asked_for(
    services: Services,
) -> None:
    assert first(services, "split header line colon").path == "net/http.py"
    assert first(services, "test parse header").path == "tests/test_http.py"
    assert first(services, "docs header line colon").path == "docs/http.md"


def test_words_of_the_path_count(services: Services) -> None:
    assert first(services, "retry policy attempt").path == "store/retry_policy.py"


def test_words_that_say_nothing_do_not_count(services: Services) -> None:
    plain = [hit.path for hit in ask(services, "split header line").hits]
    wordy = [hit.path for hit in ask(services, "where is the split of a header line").hits]
    assert plain[0] == wordy[0] == "net/http.py"


def test_a_score_is_explained(services: Services) -> None:
    hit = ask(services, "parse http header", explain=True).hits[0]
    words = [reason for reason in hit.reasons if reason.term]
    assert {reason.field for reason in words} <= {"body", "symbol", "path", "doc"}
    assert {"parse", "http", "header"} <= {reason.term for reason in words}
    assert all(reason.weight > 0 for reason in hit.reasons)
    factors = {reason.field: reason.weight for reason in hit.reasons if not reason.term}
    assert factors["declared"] > 1
    assert ask(services, "parse http header").hits[0].reasons == ()


@pytest.mark.parametrize(
    "query",
    ["parse http header", "how is a header line split", "parseHTTPHeader", "retry", "timer start"],
)
def test_the_parts_of_a_score_multiply_to_it(services: Services, query: str) -> None:
    hits = ask(services, query, explain=True).hits
    assert hits
    for hit in hits:
        words = sum(reason.weight for reason in hit.reasons if reason.term)
        factors = math.prod(reason.weight for reason in hit.reasons if not reason.term)
        assert words * factors == pytest.approx(hit.score, rel=0.02)


def test_an_explanation_names_why_a_test_counts_less(services: Services) -> None:
    hits = ask(services, "assert header", explain=True).hits
    (hit,) = [hit for hit in hits if hit.path == "tests/test_http.py"][:1]
    assert ("prior", DEFAULT_WEIGHTS.tests) in {
        (reason.field, reason.weight) for reason in hit.reasons
    }


def test_a_typo_in_one_word_is_suggested_with_the_hits_of_the_others(services: Services) -> None:
    found = ask(services, "parseHTTPHeader requset")
    assert found.hits[0].path == "net/http.py"
    assert any("request" in item.text for item in found.suggestions)
    assert ask(services, "parseHTTPHeader request").suggestions == ()
    assert ask(services, "parse_http_header request").suggestions == ()
    respelt = ask(services, "timer_strat").suggestions
    assert "timer_start" in {item.text for item in respelt}


def test_a_name_that_is_declared_in_another_style_needs_no_similar_ones(
    services: Services,
) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    assert look_up(snapshot, parse_words("parse_http_heade")).near
    assert not look_up(snapshot, parse_words("parse_http_header")).near


def test_a_call_that_is_cancelled_looks_for_no_similar_names(services: Services) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    query = parse_words("timer_strat")
    assert look_up(snapshot, query).respelt
    with pytest.raises(Problem, match="cancelled"):
        look_up(snapshot, query, budget=Budget(cancelled=lambda: True))


def ranked(services: Services, query: str) -> list[RankedChunk]:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    found = islice(ChunkRanker(snapshot, look_up(snapshot, parse_words(query))).best(), 20)
    return [RankedChunk(item.path, 0, item.first, item.last, item.score) for item in found]


def many(seed: int) -> dict[str, str | bytes]:
    chance = random.Random(seed)
    words = ["open", "close", "read", "write", "cache", "page", "queue", "lock", "file", "socket"]
    return {
        f"{chance.choice(words)}/{chance.choice(words)}{number}.py": "\n".join(
            f"def {chance.choice(words)}_{chance.choice(words)}():\n    "
            + " ".join(chance.choices(words, k=6))
            for _ in range(chance.randint(1, 30))
        )
        for number in range(120)
    }


QUERIES = ("cache page", "open_file", "read write socket queue", "parse", "lock page header file")


def test_equal_trees_give_equal_answers_whatever_the_index_went_through(tmp_path: Path) -> None:
    tree = many(3)
    fresh = served(write(tmp_path / "one", tree), tmp_path / "data1")
    fresh.manager.refresh(FOREVER, force=False)
    expected = [ranked(fresh, query) for query in QUERIES]
    other = served(write(tmp_path / "two", dict(list(tree.items())[:40])), tmp_path / "data2")
    other.manager.refresh(FOREVER, force=False)
    write(tmp_path / "two", dict.fromkeys(list(tree)[20:70], "gone soon\n"))
    other.manager.refresh(FOREVER, force=False)
    write(tmp_path / "two", tree)
    other.manager.refresh(FOREVER, force=False)
    assert [ranked(other, query) for query in QUERIES] == expected
    other.manager.tidy(FOREVER, full=True)
    assert [ranked(other, query) for query in QUERIES] == expected
    again = served(tmp_path / "two", tmp_path / "data2")
    assert [ranked(again, query) for query in QUERIES] == expected


def test_where_nothing_has_the_words_as_written_the_nearest_spelling_is_answered(
    services: Services,
) -> None:
    answer = ask(services, "attemqt")
    assert answer.hits[0].path == "store/retry_policy.py"
    assert any("'attempt'" in item.text for item in answer.warnings)
    assert (answer.terms, answer.suggestions[0].text) == (("attempt",), "attempt")


def test_a_typo_in_a_condition_is_only_suggested(services: Services) -> None:
    answer = ask(services, "attemqt NOT retry")
    assert answer.hits == ()
    assert answer.suggestions[0].kind == "spelling"


OWNED: dict[str, str | bytes] = {
    "jobs/alpha.py": "class Alpha:\n    def run(self):\n        return 1\n\n\n" * 3,
    "jobs/beta.py": "class Alpha_beta:\n    def start(self):\n        Alpha().run()\n"
    "\n\nclass Beta:\n    def run(self):\n        return 2\n",
    "queue/tools.py": "def run(job):\n    return job\n",
    "queue/__init__.py": "def take():\n    return run(run)\n",
    "server/serve.go": "package server\n\nfunc (s *Hub) Run() {\n}\n\nfunc Open() {\n}\n",
    "notes/run.md": "# Beta run\n\nBeta.run, Hub.Run and tools.run are called by Alpha.run.\n" * 9,
}


@pytest.mark.parametrize(
    ("query", "path", "symbol"),
    [
        ("Beta.run", "jobs/beta.py", "Beta.run"),
        ("Beta::run", "jobs/beta.py", "Beta.run"),
        ("tools.run", "queue/tools.py", "run"),
        ("queue.take", "queue/__init__.py", "take"),
        ("Hub.Run", "server/serve.go", "Hub.Run"),
        ("server.Open", "server/serve.go", "Open"),
    ],
)
def test_a_name_with_what_holds_it_gives_its_definition(
    tmp_path: Path, query: str, path: str, symbol: str
) -> None:
    found = served(write(tmp_path / "root", OWNED), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    hit = first(found, query)
    assert (hit.path, hit.symbol) == (path, symbol)


SCORES = st.sampled_from([1.0, 0.3, 0.1 + 0.2, 2.5, 2.5 + 1e-12, 2.5 - 1e-12]) | st.floats(0, 9)


@given(st.lists(st.tuples(SCORES, st.sampled_from("abc"), st.integers(0, 9)), max_size=20))
def test_passages_are_in_order_of_rounded_scores(passages: list[tuple[float, str, int]]) -> None:
    """Scores that differ by less than is computed exactly are equal, and paths decide."""
    scores, paths, chunks = zip(*passages, strict=True) if passages else ((), (), ())
    names = sorted(set(paths), reverse=True)
    files = np.array([names.index(path) for path in paths], dtype=np.int64)
    table = PassageTable(names, files, np.array(chunks, dtype=np.int64), np.array(scores))
    table.multiply("again", np.ones(len(table)))
    expected = sorted((-float(np.round(score, 9)), path, chunk) for score, path, chunk in passages)
    found = [(-score, path, chunk) for _, path, chunk, score in table.best_first()]
    assert found == expected


QUESTIONS = [
    "how do I rotate the session key",
    "what happens when the session key is rotated",
    "session key rotation?",
    "rotated session key",
]
CHANGES = ["fix rotation of the session key", "session: rotate the key twice"]


@pytest.mark.parametrize(
    ("query", "is_first"), [*((q, True) for q in QUESTIONS), *((q, False) for q in CHANGES)]
)
def test_documentation_answers_questions_and_code_changes(
    tmp_path: Path, query: str, *, is_first: bool
) -> None:
    heading = "# Rotate the session key\n\nA session key is rotated twice.\n"
    code = "def store(session):\n    return session.write(session.key, rotate=True)\n"
    files: dict[str, str | bytes] = {"docs/session_key.md": heading, "app/store.py": code}
    files |= {f"app/more{at}.py": f"def more{at}(value):\n    return value\n" for at in range(9)}
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    snapshot = found.manager.snapshot()
    assert snapshot is not None
    hits = RankedEngine(found.sandbox, found.languages).search(snapshot, query, 9, None, FOREVER)
    assert (hits.hits[0].path == "docs/session_key.md") == is_first


def test_configuration_with_the_only_occurrence_of_a_word_comes_first(tmp_path: Path) -> None:
    rows = ["[project]", 'name = "shop"', "", "[project.entry-points.pytest11]", 'shop = "plugin"']
    more = [f'"package{at} >= {at}",' for at in range(120)]
    files: dict[str, str | bytes] = {
        "pyproject.toml": "\n".join([*rows, "dependencies = [", *more, "]"]),
        **{
            f"app/plugin_{at}.py": f"def entry_point_{at}(plugin):\n    return plugin.entry\n"
            for at in range(12)
        },
    }
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    snapshot = found.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(found.sandbox, found.languages)
    hits = engine.search(snapshot, "pytest11 entry point plugin", 10, None, FOREVER).hits
    assert hits[0].path == "pyproject.toml"


def test_passages_that_only_import_come_last_and_within_the_number_of_hits(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **{f"app/a{at}.py": "from rates import tax\nimport tax.rates\n" for at in range(3)},
        **{f"app/b{at}.py": f"def pay{at}(rates):\n    return tax({at})\n" for at in range(3)},
    }
    files["app/a0.py"], files["app/a1.py"] = "import tax, rates\n", "import rates, tax\n"
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    paths = [hit.path for hit in ask(found, "rates tax").hits]
    assert [path[4] for path in paths] == ["b", "b", "b", "a", "a", "a"]
    for count in (2, 4):
        assert [hit.path for hit in ask(found, "rates tax", count).hits] == paths[:count]


def test_an_explanation_has_the_other_forms_of_a_word(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "app/keys.py": "def change(session):\n    # rotates each key of it\n    return session\n",
        **{f"app/more{at}.py": f"def more{at}(value):\n    return value\n" for at in range(9)},
    }
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    (hit, *_) = ask(found, "rotated session key", explain=True).hits
    assert {reason.term for reason in hit.reasons} >= {"rotated", "session", "key"}
