"""Conditions are kept: nothing fulfils them, nothing is answered. Missing names are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.model import SearchAnswer
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search.ranked.engine import RankedEngine, SearchOptions
from tests.repo_mcp.trees import FOREVER, Services, served, write

TREE: dict[str, str | bytes] = {
    "src/store.py": "def open_store(path):\n    return path\n",
    "src/cache.py": "def flush_cache(store):\n    open_store(store)\n",
    "docs/store.md": "# Store\n\nOpen the store, then flush it.\n",
}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    found = served(write(tmp_path / "root", TREE), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, *filters: Filter) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    options = SearchOptions(filters=filters)
    return engine.search(snapshot, query, 10, None, FOREVER, options=options)


@pytest.mark.parametrize(
    ("query", "relaxed"),
    [
        ("path:nonexist store", "store"),
        ("ext:zzz open", "open"),
        ("store NOT store", "store"),
        ("flush AND open NOT store", "flush open"),
        ('"open cache"', "open cache"),
        ("NOT store", "store"),
        ("NOT store NOT open", "store open"),
        ("-path:src", "src"),
    ],
)
def test_what_nothing_fulfils_is_answered_by_nothing_and_a_suggestion(
    services: Services, query: str, relaxed: str
) -> None:
    answer = ask(services, query)
    assert answer.hits == ()
    assert answer.warnings
    (found,) = [item for item in answer.suggestions if item.kind == "relaxed"]
    assert found.text == relaxed
    best = ask(services, relaxed).hits[0]
    assert f"{best.path}:{best.start_line}" in found.why


def test_without_its_conditions_a_query_may_find_nothing_either(services: Services) -> None:
    answer = ask(services, "symbol:nosuchname")
    assert answer.hits == ()
    assert [item.code for item in answer.warnings] == ["conditions"]
    assert not any(item.kind == "relaxed" for item in answer.suggestions)


def test_words_in_the_place_of_conditions_are_searched_for_within_the_filters(
    services: Services,
) -> None:
    answer = ask(services, "flush +zzz", Filter("path", "docs"))
    assert [item.code for item in answer.warnings] == ["conditions"]
    assert [hit.path for hit in answer.hits] == ["docs/store.md"]


def test_no_other_spelling_is_searched_for_where_a_filter_leaves_nothing(
    services: Services,
) -> None:
    assert ask(services, "thenx").hits
    answer = ask(services, "thenx path:docs")
    assert answer.hits == ()
    assert "then" in [item.text for item in answer.suggestions]


@pytest.mark.parametrize("query", ["store NOT cache", "path:src store", "ext:md open"])
def test_fulfilled_conditions_need_no_words(services: Services, query: str) -> None:
    answer = ask(services, query)
    assert answer.hits
    assert not answer.warnings


def test_hits_of_a_missing_names_parts_are_marked(services: Services) -> None:
    answer = ask(services, "openStoreCache")
    assert answer.nowhere == ("openstorecache",)
    assert answer.hits
    assert all(hit.parts_only for hit in answer.hits)


def test_hits_of_other_words_are_not_marked(services: Services) -> None:
    answer = ask(services, "openStoreCache docs then")
    marked = {hit.path: hit.parts_only for hit in answer.hits}
    assert marked["docs/store.md"] is False
    assert marked["src/cache.py"] is True


@pytest.mark.parametrize("query", ["open_store", "openStore", "open store", "store"])
def test_a_name_in_another_style_is_not_missing(services: Services, query: str) -> None:
    answer = ask(services, query)
    assert answer.nowhere == ()
    assert not any(hit.parts_only for hit in answer.hits)
