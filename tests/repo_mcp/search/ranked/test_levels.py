"""Hits that are files, functions or lines: one order with the passages, each once, by pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.answers.lines import FILE, FUNCTION, LEVELS, LINE
from repo_mcp.model import SearchHit
from repo_mcp.search import RankedEngine, SearchOptions
from tests.repo_mcp.search.ranked.test_one_order import QUERIES, tree
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, Services, served, write

ROUTES = '''"""Routes."""


class Route:
    def join(self, prefix):
        return prefix

    def resolve_redirect(self, prefix, target):
        if target.startswith(prefix):
            return target
        return prefix + target


def unrelated():
    return None
'''
SMALL = {
    "src/routes.py": ROUTES,
    "src/other.py": "def resolve(target):\n    return target\n",
    "docs/routes.md": "# Redirects\n\nA redirect of a route is resolved by its prefix.\n",
    "include/routes.h": (
        "#ifndef ROUTES_PREFIX_H\n#define ROUTES_PREFIX_H\nint prefix_of(int target);\n#endif\n"
    ),
}
QUERY = "redirect target with a prefix is resolved"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return indexed(tmp_path_factory.mktemp("small"), dict(SMALL))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return indexed(tmp_path_factory.mktemp("large"), tree(1))


def indexed(folder: Path, files: dict[str, str | bytes]) -> Services:
    found = served(write(folder / "root", files), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, level: str, count: int = 150) -> tuple[SearchHit, ...]:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    options = SearchOptions(level=level)
    return engine.search(snapshot, query, count, None, FOREVER, options=options).hits


def test_a_function_is_a_hit_with_its_lines_and_name(small: Services) -> None:
    best = ask(small, QUERY, FUNCTION)[0]
    assert (best.path, *best.whole) == ("src/routes.py", 8, 11)
    assert best.symbol == "Route.resolve_redirect"


def test_functions_are_all_that_there_is_of_functions(small: Services) -> None:
    found = {(hit.path, *hit.whole) for hit in ask(small, QUERY, FUNCTION)}
    declared = {
        *(("src/routes.py", *span) for span in ((5, 6), (8, 11), (14, 15))),
        ("src/other.py", 1, 2),
        ("include/routes.h", 3, 3),
    }
    assert found <= declared
    assert ("src/other.py", 1, 2) in found
    assert ("src/routes.py", 14, 15) not in found  # it has no word of the query


def test_a_line_is_the_one_with_most_of_the_query(small: Services) -> None:
    hits = ask(small, QUERY, LINE)
    assert all(hit.start_line == hit.end_line and hit.whole[0] == hit.whole[1] for hit in hits)
    assert ("docs/routes.md", 3) in {(hit.path, hit.start_line) for hit in hits}
    source = next(hit for hit in hits if hit.path == "src/routes.py")
    assert source.snippet in ROUTES.split("\n")


def test_a_name_finds_the_function_of_that_name_first(small: Services) -> None:
    assert ask(small, "resolve_redirect", FUNCTION)[0].symbol == "Route.resolve_redirect"


@pytest.mark.parametrize("query", QUERIES)
def test_a_file_stands_where_its_best_passage_does(large: Services, query: str) -> None:
    passages = dict.fromkeys(hit.path for hit in ask(large, query, ""))
    files = [hit.path for hit in ask(large, query, FILE)]
    assert len(set(files)) == len(files)
    assert files[: len(passages)] == [*passages][: len(files)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("query", QUERIES[:8])
def test_fewer_hits_are_the_first_of_more(large: Services, query: str, level: str) -> None:
    def first(count: int) -> list[tuple[str, int, int, float]]:
        found = ask(large, query, level, count)
        return [(hit.path, *hit.whole, hit.score) for hit in found]

    every = first(100)
    assert [row[3] for row in every] == sorted((row[3] for row in every), reverse=True)
    if level != LINE:
        assert len({row[:3] for row in every}) == len(every)
    for count in (1, 3, 10, 37):
        assert first(count) == every[:count]


@pytest.mark.parametrize("level", LEVELS)
def test_pages_together_are_the_deep_answer(tmp_path: Path, level: str) -> None:
    call = Caller(write(tmp_path / "root", tree(3)), tmp_path / "data")
    asked = {"query": "how is the cache of a stream read by a handle", "level": level}
    deep = call.result("repo.search", top_k=25, max_chars=100_000, **asked)["hits"]
    paged: list[dict[str, object]] = []
    cursor: dict[str, object] = {}
    while len(paged) < len(deep):
        found = call.result("repo.search", **asked, **cursor)
        paged += found["hits"]
        if not found.get("cursor"):
            break
        cursor = {"cursor": found["cursor"]}
    places = [(hit["path"], hit["start_line"]) for hit in paged]
    assert places[: len(deep)] == [(hit["path"], hit["start_line"]) for hit in deep]


def test_exact_modes_say_that_a_level_means_nothing_there(tmp_path: Path) -> None:
    call = Caller(write(tmp_path / "root", dict(SMALL)), tmp_path / "data")
    answer = call("repo.search", query="prefix", mode="literal", level=FILE)
    assert any("level: ignored" in text for text in answer["warnings"])


def test_a_changed_function_has_its_lines_of_now(tmp_path: Path) -> None:
    root = write(tmp_path / "root", dict(SMALL))
    call = Caller(root, tmp_path / "data")
    call.result("repo.search", query=QUERY, level=FUNCTION)
    (root / "src/routes.py").write_text("\n\n" + ROUTES, encoding="utf-8")
    hit = call.result("repo.search", query=QUERY, level=FUNCTION)["hits"][0]
    assert (hit["start_line"], hit["end_line"]) == (10, 13)


def test_the_innermost_function_has_the_words(tmp_path: Path) -> None:
    inner = "    def inner():\n        rotate(session)\n        return session_key\n"
    text = f"def outer():\n    start()\n{inner}    stop()\n    return inner\n"
    found = indexed(tmp_path, {"app/nested.py": text})
    hits = ask(found, "rotate the session key", FUNCTION)
    assert [hit.whole for hit in hits] == [(3, 5)]


def test_of_lines_with_as_much_of_the_query_the_first_is_shown(tmp_path: Path) -> None:
    found = indexed(tmp_path, {"notes.txt": "one needle\nother\ntwo needle\n"})
    (hit,) = ask(found, "needle", LINE)
    assert (hit.start_line, hit.snippet) == (1, "one needle")


def test_files_of_a_name_are_not_shown_again_for_longer_names(tmp_path: Path) -> None:
    longer = "def max_fd_count():\n    return 1\n"
    far = ["def fd_count():\n    return 1\n", *["    # nothing\n"] * 300, "\n\n", longer]
    files: dict[str, str | bytes] = {"app/pool.py": "".join(far), "app/most.py": longer}
    found = indexed(tmp_path, files)
    assert [hit.path for hit in ask(found, "fd_count", FILE)] == ["app/pool.py", "app/most.py"]
