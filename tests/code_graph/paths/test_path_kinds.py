"""Kinds of files by their paths, and the order in which a name's declarations are meant."""

from __future__ import annotations

import pytest

from code_graph.paths.path_kinds import (
    DOCS,
    PROSE,
    TEST,
    TESTS,
    VENDORED,
    asks_for_kept,
    is_kept_by_programs,
    is_test,
    path_kinds,
    rank_path,
)
from code_graph.query.choice import unlikeliness
from code_graph.query.model import Symbol
from code_graph.query.names import NameTarget

ORDER = (
    "src/shop.py",
    "src/shop.pyi",
    "examples/shop.py",
    "tests/test_shop.py",
    "docs/shop.md",
)


@pytest.mark.parametrize("notes", ["shop.markdown", "shop.mdx", "shop.asciidoc", "shop.ipynb"])
def test_every_language_of_prose_ranks_last(notes: str) -> None:
    assert rank_path(notes) == PROSE
    assert path_kinds(notes) == {DOCS}


def test_code_comes_before_stubs_samples_tests_and_prose() -> None:
    assert sorted({*ORDER}, key=rank_path) == [*ORDER]
    assert len({*map(rank_path, ORDER)}) == len(ORDER)


@pytest.mark.parametrize("path", ["mocks/shop.py", "src/shop.d.ts", "vendor/shop.go", *ORDER])
def test_a_name_in_the_graph_ranks_as_a_name_in_a_search(path: str) -> None:
    symbol = Symbol(
        *(1, "shop", "shop", "function", "python", "", path, 1, 2),
        is_public_api=True,
        is_primary=True,
        declaration=0,
        chunk=0,
    )
    assert unlikeliness(NameTarget(1, "shop", symbol)) == rank_path(path)


def test_what_is_declared_elsewhere_ranks_behind_all() -> None:
    assert unlikeliness(NameTarget(1, "shop", None)) > max(map(rank_path, ORDER))


def test_a_kind_that_is_asked_for_ranks_as_code() -> None:
    wanted = frozenset({TESTS})
    assert rank_path("tests/test_shop.py", wanted) == rank_path("src/shop.py")
    assert rank_path("vendor/shop.go", wanted) > rank_path("src/shop.py")
    assert path_kinds("vendor/shop.go") == {VENDORED}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pkg/utils/spec.py", False),
        ("unit/mock.py", False),
        ("src/fixtures.py", False),
        ("spec/shop_spec.rb", True),
        ("src/shop.spec.ts", True),
        ("src/shop_mock.go", True),
        ("src/test.py", True),
    ],
)
def test_a_name_of_one_word_may_say_what_a_file_is_about(path: str, *, expected: bool) -> None:
    assert (TESTS in path_kinds(path)) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/werkzeug/test.py", False),
        ("lib/src/shop/web/test.pyi", False),
        ("tornado/testing.py", False),
        ("testing.py", True),
        ("src/test.py", True),
        ("shop/test.py", True),
        ("src/shop/tests.py", True),
        ("src/shop/test_till.py", True),
        ("src/shop/test.go", True),
        ("tests/src/shop/test.py", True),
        ("testing/shop/testing.py", True),
    ],
)
def test_a_module_about_tests_that_a_package_ships_is_code(path: str, *, expected: bool) -> None:
    assert (TESTS in path_kinds(path)) is expected
    assert (rank_path(path) == TEST) is expected
    # `testing.py` has no tests in any folder without them
    assert is_test(path) is (expected and path != "testing.py")


def test_a_module_about_specifications_is_no_test() -> None:
    assert [is_test(path) for path in ("a/spec.py", "a/shop.spec.ts", "spec/a.rb")] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/locale/de/LC_MESSAGES/django.po", True),
        ("web/messages.de.xlf", True),
        ("web/i18n/de.json", True),
        ("app/lang/fr.yml", True),
        ("pnpm-lock.yaml", True),
        ("Cargo.lock", True),
        ("web/__snapshots__/page.test.ts.snap", True),
        ("api/shop.pb.go", True),
        ("static/shop.min.js", True),
        ("web/i18n/load.ts", False),
        ("lang/parser.py", False),
        ("package.json", False),
        ("src/locked.py", False),
    ],
)
def test_files_that_programs_keep_are_known(path: str, *, expected: bool) -> None:
    assert is_kept_by_programs(path) is expected


def test_words_ask_for_files_that_programs_keep() -> None:
    assert asks_for_kept(frozenset({"missing", "translations"}))
    assert not asks_for_kept(frozenset({"missing", "total"}))
