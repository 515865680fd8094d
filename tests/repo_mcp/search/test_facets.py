"""Facets count what looking at every file counts, and say where they count too few or many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from code_graph import Languages
from index_format import Snapshot
from repo_mcp.model import FacetCounts
from repo_mcp.question.query import parse_words
from repo_mcp.question.syntax.query import parse_query
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search import facets as module
from repo_mcp.search.facets import FacetCounter
from repo_mcp.search.filter.conditions import Conditions
from repo_mcp.search.filter.path_filter import PathFilter
from repo_mcp.search.ranked.term_lookup import look_up
from tests.repo_mcp.search.filter.condition_oracle import File, index_of
from tests.repo_mcp.trees import FOREVER

LANGUAGES = Languages()
FOLDERS = ["", "src/", "src/a/", "src/a-b/", "src/a/deep/", "srcs/", "tests/", "é/"]
NAMES = ["x.py", "x.c", "x.md", "x.conf", "test_x.py", "0", "a"]
PATHS = st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES))
BODIES = st.lists(st.sampled_from(["zeta", "omega", "zeta omega", "other"]), min_size=1, max_size=3)
FILES = st.builds(lambda path, bodies: File(path, tuple(bodies)), PATHS, BODIES)
GENERATIONS = st.lists(
    st.lists(FILES, max_size=12, unique_by=lambda file: file.path), min_size=1, max_size=3
)
BELOW = st.sampled_from(["", "src", "src/a", "none"])


def facets_of(snapshot: Snapshot, query: str, below: str) -> FacetCounts:
    terms = look_up(snapshot, parse_words(query)).terms
    return FacetCounter(LANGUAGES, PathFilter(LANGUAGES)).of_terms(snapshot, terms, None, below)


def folder_of(path: str, below: str) -> str | None:
    """The folder of a path next below another; None for a path elsewhere."""
    above, names = below.split("/") if below else [], path.split("/")
    if names[: len(above)] != above or len(names) <= len(above):
        return None
    return "/".join(names[: len(above) + 1]) if len(names) > len(above) + 1 else below or "."


def kind_of(path: str) -> str:
    if path.startswith("tests/") or "test_" in path:
        return "tests"
    return {"py": "code", "c": "code", "md": "documents"}.get(path.rpartition(".")[2], "other")


def language_of(path: str) -> str:
    return {"py": "python", "c": "c", "md": "markdown"}.get(path.rpartition(".")[2], "other")


def counts(values: Iterable[str | None]) -> dict[str, int]:
    return Counter(value for value in values if value is not None)


@given(GENERATIONS, st.sampled_from(["zeta", "omega", "zeta omega", "nowhere"]), BELOW)
def test_facets_count_every_live_file_that_holds_a_word(
    generations: list[list[File]], query: str, below: str
) -> None:
    _, snapshot = index_of(*generations)
    files = {file.path: file for part in generations for file in part}
    matching = [path for path, file in files.items() if set(query.split()) & file.words("body")]
    found = facets_of(snapshot, query, below)
    assert (found.files, found.bound) == (len(matching), "exact")
    assert dict(found.kinds) == counts(map(kind_of, matching))
    assert dict(found.languages) == counts(map(language_of, matching))
    assert dict(found.folders) == counts(folder_of(path, below) for path in matching)
    inside = [path for path in matching if folder_of(path, below) is not None]
    by_path = FacetCounter(LANGUAGES, PathFilter(LANGUAGES)).of_paths(inside, below)
    assert dict(by_path.folders) == dict(found.folders)
    assert dict(by_path.kinds) == counts(map(kind_of, inside))


@given(GENERATIONS, st.sampled_from(["kind", "language"]))
def test_narrowed_to_a_value_as_many_files_are_left_as_it_has(
    generations: list[list[File]], kind: str
) -> None:
    _, snapshot = index_of(*generations)
    every = [range(segment.entry.files) for segment in snapshot.segments]
    counter = FacetCounter(LANGUAGES, PathFilter(LANGUAGES))
    found = counter.of_candidates(snapshot, every, (), "", FOREVER)
    assert (found.files, found.bound) == (snapshot.file_count, "at_most")
    for value, number in found.kinds if kind == "kind" else found.languages:
        narrowed = (Filter(kind, value),)  # type: ignore[arg-type] # one of two kinds
        left = counter.of_candidates(snapshot, every, narrowed, "", FOREVER)
        assert left.files == number


def test_what_costs_too_much_to_count_is_counted_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [File(f"{number}.py", ("zeta",)) for number in range(5)]
    _, snapshot = index_of([*files, File("one.c", ("omega",))])
    monkeypatch.setattr(module, "_POSTINGS", 3)
    found = facets_of(snapshot, "zeta omega", "")
    assert (found.files, found.bound) == (1, "at_least")


def test_phrases_are_not_verified_for_a_count() -> None:
    _, snapshot = index_of([File("a.py", ("zeta omega",)), File("b.py", ("zeta\n", "omega"))])
    question = parse_query('"zeta omega"')
    selection = Conditions(PathFilter(LANGUAGES)).narrow(snapshot, question.condition, (), FOREVER)
    terms = look_up(snapshot, parse_words(question.plain)).terms
    found = FacetCounter(LANGUAGES, PathFilter(LANGUAGES)).of_terms(snapshot, terms, selection, "")
    assert (found.files, found.bound) == (2, "at_most")
