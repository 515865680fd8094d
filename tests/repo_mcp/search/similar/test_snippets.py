"""Pasted code finds itself first, then its copies, then what its words find."""

from __future__ import annotations

import pytest

from repo_mcp.budget import Budget
from repo_mcp.model import SearchAnswer
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search import RankedEngine, SearchOptions
from repo_mcp.search.similar.snippets import cut_words, is_snippet
from repo_mcp.vectors.choice import open_embedder
from tests.repo_mcp.search.similar.test_similar_engine import (
    ORIGINAL,
    RENAMED,
    random_files,
    serve,
    snapshot_of,
)
from tests.repo_mcp.trees import Services, write

INDENTED = "\n".join("    " + row for row in ORIGINAL.rstrip().split("\n"))
FILES: dict[str, str | bytes] = {
    "a/one.py": "import os\n\n\n" + ORIGINAL,
    "b/two.py": f"class Till:\n{INDENTED}\n",
    "b/three.py": RENAMED,
    "b/notes.md": "# Total price\n\nThe total price of all items of an account.\n",
}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder = tmp_path_factory.mktemp("snippets")
    return serve(write(folder / "root", {**random_files(7), **FILES}), folder / "data")


def search(
    services: Services, text: str, options: SearchOptions | None = None, *, vectors: bool = True
) -> SearchAnswer:
    embedder = open_embedder("") if vectors else None
    engine = RankedEngine(services.sandbox, services.languages, embedder=embedder)
    given = SearchOptions() if options is None else options
    return engine.search_code(snapshot_of(services), text, 10, Budget(), given)


def test_copies_come_first_then_what_words_find(services: Services) -> None:
    found = search(services, ORIGINAL)
    first = [(hit.path, hit.start_line, hit.end_line) for hit in found.hits[:3]]
    assert first == [("a/one.py", 4, 9), ("b/two.py", 2, 7), ("b/three.py", 1, 6)]
    assert found.hits[1].snippet == INDENTED
    assert "b/notes.md" in {hit.path for hit in found.hits[3:]}
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit.relevance for hit in found.hits[:3]] == [99, 99, 95]
    places = [(hit.path, hit.start_line) for hit in found.hits]
    assert len(set(places)) == len(places) <= 10


def test_comments_and_line_ends_make_no_difference(services: Services) -> None:
    pasted = ORIGINAL.replace("    total = 0", "    # nothing yet\n    total = 0")
    found = search(services, pasted.replace("\n", "\r\n"))
    assert [hit.path for hit in found.hits[:2]] == ["a/one.py", "b/two.py"]


def test_filters_hold_for_copies(services: Services) -> None:
    found = search(services, ORIGINAL, SearchOptions((Filter("glob", "b/**"),)))
    assert found.hits[0].path == "b/two.py"
    assert {hit.path.partition("/")[0] for hit in found.hits} == {"b"}


def test_a_very_long_paste_is_searched_for(services: Services) -> None:
    rest = "".join(f"\n\n\ndef more_{number}():\n    return {number}\n" for number in range(400))
    assert search(services, ORIGINAL + rest).hits


@pytest.mark.parametrize("text", ["total price", "total price\nof items", "total price of items\n"])
def test_words_are_searched_for_as_before(services: Services, text: str) -> None:
    assert not is_snippet(text)
    engine = RankedEngine(services.sandbox, services.languages, embedder=open_embedder(""))
    assert search(services, text) == engine.search(snapshot_of(services), text, 10, None, Budget())


def test_prose_of_several_lines_is_no_copy_of_anything(services: Services) -> None:
    text = "the total\nprice of all\nitems of an account"
    engine = RankedEngine(services.sandbox, services.languages, embedder=open_embedder(""))
    assert search(services, text) == engine.search(snapshot_of(services), text, 10, None, Budget())


def test_without_vectors_words_decide(services: Services) -> None:
    found = search(services, ORIGINAL, vectors=False)
    assert {"a/one.py", "b/two.py"} <= {hit.path for hit in found.hits}


@pytest.mark.parametrize("text", ["x" * 9_000, "word " * 3_000, "\n" * 9_000 + "x"])
def test_what_is_ranked_ends_between_words(text: str) -> None:
    found = cut_words(text)
    assert text.strip().startswith(found)
    assert 0 < len(found) <= 1_500
