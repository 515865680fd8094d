"""Ranking by meaning: what it changes, and which questions it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from repo_mcp.model import SearchAnswer
from repo_mcp.search.ranked.engine import RankedEngine, SearchOptions
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.model import write_table
from tests.repo_mcp.trees import FOREVER, Services, served, write

# words of one row mean the same
MEANINGS = (
    ("remove", "delete", "erase", "drop"),
    ("entry", "item", "record", "row"),
    ("paint", "colour", "brush", "canvas"),
    ("network", "socket", "packet", "wire"),
)
TREE: dict[str, str | bytes] = {
    "store/erase.py": "def drop_row(table):\n    erase(table, record)\n    # the expired one\n",
    "store/paint.py": "def brush(canvas):\n    paint(canvas, colour)\n    # the expired one\n",
    "net/wire.py": "def socket(packet):\n    network(packet, wire)\n    # the expired one\n",
    "tests/test_other.py": "def test_drop_row():\n    erase(record)\n    # the expired one\n",
}
QUESTION = "delete expired item"
LIGHT = SearchOptions(light=True)
LONG = "delete an expired item of the list"


@pytest.fixture
def model(tmp_path: Path) -> str:
    words = [word for row in MEANINGS for word in row]
    directions = np.random.default_rng(3).normal(size=(len(MEANINGS), 32))
    rows = [directions[at] for at, row in enumerate(MEANINGS) for _ in row]
    buckets = np.random.default_rng(4).normal(size=(64, 32)) * 0.01
    vectors = np.concatenate([np.array(rows), buckets]).astype(np.float32)
    write_table(tmp_path / "model", words, vectors, {})
    return str(tmp_path / "model")


@pytest.fixture
def services(tmp_path: Path, model: str) -> Services:
    root = write(tmp_path / "root", TREE)
    found = served(root, tmp_path / "data", embeddings=True, embedding_model=model)
    found.manager.refresh(FOREVER)
    return found


def ask(
    services: Services, query: str, model: str | None, *, explain: bool = False, **weights: float
) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(
        services.sandbox,
        services.languages,
        replace(DEFAULT_WEIGHTS, learned=0.0, **weights),
        choose_embedder(model),
    )
    return engine.search(snapshot, query, 10, None, FOREVER, explain=explain)


def scores(answer: SearchAnswer) -> dict[str, float]:
    return {hit.path: hit.score for hit in answer.hits}


def test_what_means_the_same_in_other_words_comes_first(services: Services, model: str) -> None:
    plain, found = (ask(services, QUESTION, item) for item in (None, model))
    assert sorted(scores(plain)) == sorted(scores(found)) == sorted(TREE)
    assert plain.hits[0].path != "store/erase.py"
    assert found.hits[0].path == "store/erase.py"


def test_the_explanation_has_the_factor(services: Services, model: str) -> None:
    plain = scores(ask(services, QUESTION, None))
    for hit in ask(services, QUESTION, model, explain=True).hits:
        [factor] = [reason.weight for reason in hit.reasons if reason.field == "meaning"]
        assert hit.score == pytest.approx(plain[hit.path] * factor, rel=0.01)


def test_a_file_counts_by_its_nearest_chunk(tmp_path: Path, model: str) -> None:
    lines = ["expired"] * 300
    near, far = [*lines, "erase the record"], [*lines, "paint the canvas"]
    tree: dict[str, str | bytes] = {"far.txt": "\n".join(far), "near.txt": "\n".join(near)}
    root = write(tmp_path / "two", tree)
    services = served(root, tmp_path / "twodata", embeddings=True, embedding_model=model)
    services.manager.refresh(FOREVER)
    [first] = ask(services, QUESTION, model, chunk_meaning=0.0).hits[:1]
    assert first.path == "near.txt"


@pytest.mark.parametrize(
    "query",
    ["expired", "drop_row", "drop row", '"expired one" delete', "store/erase.py", "erase.drop_row"],
)
def test_names_quotes_paths_and_single_words_are_left_to_words(
    services: Services, model: str, query: str
) -> None:
    assert ask(services, query, model) == ask(services, query, None)


def test_without_weights_nothing_changes(services: Services, model: str) -> None:
    found = ask(services, QUESTION, model, chunk_meaning=0.0, nearest_meaning=0.0, file_meaning=0.0)
    assert scores(found) == scores(ask(services, QUESTION, None))


def test_a_question_without_words_of_the_table_is_still_answered(
    services: Services, model: str
) -> None:
    assert ask(services, "12 expired 34", model).hits


def test_a_long_text_is_left_to_words(services: Services, model: str) -> None:
    text = f"{QUESTION} {'that nobody asked for ' * 6}".strip()
    plain, found = (ask(services, text, item) for item in (None, model))
    assert scores(plain) == scores(found)


def test_meaning_counts_less_where_a_change_is_told(services: Services, model: str) -> None:
    def factor(question: str) -> float:
        plain, found = (scores(ask(services, question, item)) for item in (None, model))
        return found["store/erase.py"] / plain["store/erase.py"]

    assert 1 < factor("fix delete expired item") < factor(QUESTION)
    assert 1 < factor("store: delete expired item") < factor(QUESTION)


def ask_lightly(
    services: Services, query: str, model: str, options: SearchOptions = LIGHT
) -> SearchAnswer:
    """The answer of an engine that ranks by words, to a search that may have some meaning."""
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(
        *(services.sandbox, services.languages),
        *(replace(DEFAULT_WEIGHTS, learned=0.0), choose_embedder(model)),
        by_meaning=False,
    )
    return engine.search(snapshot, query, 10, None, FOREVER, explain=True, options=options)


def factors(answer: SearchAnswer) -> dict[str, float]:
    """By path, the factor for meaning; paths without one are left out."""
    return {
        hit.path: reason.weight
        for hit in answer.hits
        for reason in hit.reasons
        if reason.field == "meaning"
    }


def test_a_long_question_has_meaning_where_words_rank(services: Services, model: str) -> None:
    found = ask_lightly(services, LONG, model)
    assert found.hits[0].path == "store/erase.py"
    whole = factors(ask(services, LONG, model, explain=True))
    # the share is smaller, and the rest of the file does not count
    assert 1 < factors(found)["store/erase.py"] < whole["store/erase.py"]


@pytest.mark.parametrize(("query", "options"), [(QUESTION, LIGHT), (LONG, SearchOptions())])
def test_short_questions_and_other_searches_are_left_to_words(
    services: Services, model: str, query: str, options: SearchOptions
) -> None:
    found = ask_lightly(services, query, model, options)
    assert not factors(found)
    assert scores(found) == scores(ask(services, query, None))


def test_a_change_has_the_meaning_that_it_has_elsewhere(services: Services, model: str) -> None:
    change = "fix delete the expired items of a table"
    light, whole = ask_lightly(services, change, model), ask(services, change, model, explain=True)
    assert factors(light) == factors(whole) != {}


def test_meaning_makes_no_answer_confident(services: Services, model: str) -> None:
    unknown = "delete expired payroll pension salaries"
    assert not ask(services, unknown, None).confident
    assert not ask(services, unknown, model, described=20.0).confident
