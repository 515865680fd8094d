"""Questions in words that code does not have: near declarations beside what words find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from repo_mcp.answers.lines import FUNCTION
from repo_mcp.model import SearchHit
from repo_mcp.search import RankedEngine, SearchOptions
from repo_mcp.search.ranked.function_order import LEARNED_FUNCTIONS, FunctionEvidence
from repo_mcp.search.ranked.trees import read_trees
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.model import write_table
from tests.repo_mcp.trees import FOREVER, Services, served, write

# words of one row mean the same
MEANINGS = (
    ("remove", "delete", "erase", "drop"),
    ("entry", "item", "record", "row"),
    ("paint", "colour", "brush", "canvas"),
)
OTHER = "def other_{0}():\n    # from our list after a while {0}\n    paint(canvas)\n"
SHELF = "def {}drop_row(row):\n    erase(row)\n    erase(record)\n    drop(record)\n"
TREE: dict[str, str | bytes] = {
    "store/shelf.py": SHELF.format(""),
    "tests/test_shelf.py": SHELF.format("test_"),
    **{f"src/other_{number}.py": OTHER.format(number) for number in range(12)},
}
# no word of it is in the shelf
QUESTION = "delete an item from our list after a while"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("near") / "model"
    words = [word for row in MEANINGS for word in row]
    random = np.random.default_rng(3)
    directions = random.normal(size=(len(MEANINGS), 64))
    rows = [directions[at] for at, row in enumerate(MEANINGS) for _ in row]
    buckets = random.normal(size=(64, 64)) * 0.01
    vectors = np.concatenate([np.array(rows), buckets]).astype(np.float32)
    write_table(folder, words, vectors, {})
    return str(folder)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, model: str) -> Services:
    folder = tmp_path_factory.mktemp("tree")
    root = write(folder / "root", TREE)
    found = served(root, folder / "data", embeddings=True, embedding_model=model)
    found.manager.refresh(FOREVER)
    return found


def ask(
    services: Services,
    model: str,
    query: str = QUESTION,
    glob: str | None = None,
    *,
    level: str = "",
    count: int = 10,
    **weights: float,
) -> tuple[SearchHit, ...]:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(
        services.sandbox,
        services.languages,
        replace(DEFAULT_WEIGHTS, **weights),
        choose_embedder(model),
        by_meaning=False,
    )
    options = SearchOptions(light=True, level=level)
    return engine.search(snapshot, query, count, glob, FOREVER, options=options).hits


def test_a_file_without_a_word_of_the_question_is_among_ten(services: Services, model: str) -> None:
    by_words = [hit.path for hit in ask(services, model, near=0.0)]
    assert "store/shelf.py" not in by_words
    hits = ask(services, model)
    found = next(hit for hit in hits if hit.path == "store/shelf.py")
    assert (found.start_line, found.matched_terms) == (1, ())
    assert not found.parts_only
    assert found.relevance


def test_scores_fall_where_near_files_are_among_others(services: Services, model: str) -> None:
    scores = [hit.score for hit in ask(services, model)]
    assert scores == sorted(scores, reverse=True)


def test_code_comes_before_a_test_that_is_as_near(services: Services, model: str) -> None:
    paths = [hit.path for hit in ask(services, model)]
    assert paths.index("store/shelf.py") < paths.index("tests/test_shelf.py")


def test_a_function_without_a_word_of_the_question_is_among_the_first(
    services: Services, model: str
) -> None:
    hits = ask(services, model, level=FUNCTION)
    assert [hit.symbol for hit in hits if hit.path == "store/shelf.py"] == ["drop_row"]
    assert hits[0].path == "store/shelf.py"
    assert len({(hit.path, hit.whole) for hit in hits}) == len(hits)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    by_words = ask(services, model, level=FUNCTION, near=0.0)
    assert "store/shelf.py" not in {hit.path for hit in by_words}


@pytest.mark.parametrize("level", ["", FUNCTION])
def test_a_file_outside_the_glob_is_not_near(services: Services, model: str, level: str) -> None:
    hits = ask(services, model, glob="src/**", level=level)
    assert hits
    assert all(hit.path.startswith("src/") for hit in hits)


@pytest.mark.parametrize(
    "query",
    [
        "delete from list",
        "fix a crash after an item was deleted from our list",
        "other_3",
    ],
    ids=["few words", "a change", "a name"],
)
def test_other_queries_are_left_to_words(services: Services, model: str, query: str) -> None:
    with_near, without = (ask(services, model, query, near=near) for near in (3.0, 0.0))
    assert with_near == without


@pytest.mark.parametrize("level", ["", FUNCTION])
def test_fewer_hits_are_the_first_of_more(services: Services, model: str, level: str) -> None:
    def first(count: int) -> list[tuple[str, tuple[int, int], float]]:
        hits = ask(services, model, level=level, count=count)
        return [(hit.path, hit.whole, hit.score) for hit in hits]

    every = first(100)
    assert [row[2] for row in every] == sorted((row[2] for row in every), reverse=True)
    for count in (1, 3, 10):
        assert first(count) == every[:count]


def test_trees_of_functions_speak_of_the_evidence_there_is() -> None:
    trees = read_trees(LEARNED_FUNCTIONS)
    assert trees.columns == FunctionEvidence._fields
    assert trees.slope > 0
    assert trees.split_columns.max() < len(FunctionEvidence._fields)
