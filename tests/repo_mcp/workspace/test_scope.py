"""`repo:` in queries names the roots that are asked."""

from __future__ import annotations

from typing import Any

import pytest

from repo_mcp.workspace.scope import find_scope, replace_names

NAMES = ("lib", "shop-web", "My Docs", "a[b]")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tax", "tax"),
        ("tax repo:lib", "tax path:/lib/"),
        ("tax repo:LIB", "tax path:/lib/"),
        ("repo:lib", "path:/lib/"),
        ("tax -repo:lib", "tax -path:/lib/"),
        ("tax repo:lib repo:shop-web", "tax (path:/lib/ OR path:/shop-web/)"),
        ("repo:lib,shop-web tax", "(path:/lib/ OR path:/shop-web/) tax"),
        ("-repo:lib,shop-web tax", "-path:/lib/ -path:/shop-web/ tax"),
        ("(repo:lib OR body:x) tax", "(path:/lib/ OR body:x) tax"),
        ('tax repo:"My Docs"', 'tax path:"/My Docs/"'),
        ("tax repo:a[b]", "tax path:/a[[]b[]]/"),
        ("tax repo:unknown", "tax repo:unknown"),
        ("tax repo:lib,unknown", "tax repo:lib,unknown"),
        ("grepo:lib", "grepo:lib"),
        ("the repo: lib", "the repo: lib"),
    ],
)
def test_names_become_paths(query: str, found: str) -> None:
    assert replace_names(query, NAMES) == found


@pytest.mark.parametrize(
    ("tool", "argument", "given", "found"),
    [
        ("repo.symbol", "name", "repo:lib tax", "lib:tax"),
        ("repo.symbol", "name", 'Price.tax repo:"My Docs"', "My Docs:Price.tax"),
        ("get_callers", "node_id", "tax repo:LIB", "lib:tax"),
        ("repo.symbol", "name", "repo:lib", "repo:lib"),
        ("repo.symbol", "name", "repo:unknown tax", "repo:unknown tax"),
        ("repo.symbol", "name", "repo:lib repo:shop-web tax", "repo:lib repo:shop-web tax"),
    ],
)
def test_a_symbol_is_one_of_the_named_root(
    tool: str, argument: str, given: str, found: str
) -> None:
    assert find_scope(tool, {argument: given}, NAMES).arguments == {argument: found}


@pytest.mark.parametrize(
    ("tool", "arguments", "asked"),
    [
        ("repo.search", {"query": "tax"}, NAMES),
        ("repo.search", {"query": "tax repo:lib"}, ("lib",)),
        ("repo.search", {"query": "tax repo:lib repo:shop-web"}, ("lib", "shop-web")),
        ("repo.search", {"query": "tax -repo:lib"}, NAMES),
        ("repo.search", {"query": "repo:lib OR price"}, NAMES),
        ("repo.search", {"query": "tax repo:lib", "queries": ["price"]}, NAMES),
        ("repo.search", {"query": "repo:lib", "mode": "literal"}, NAMES),
        ("repo.search", {"query": "tax", "file_glob": "lib/**"}, NAMES),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "lib/**"}, ("lib",)),
        (
            "repo.search",
            {"query": "x", "mode": "regex", "file_glob": "lib/**, shop-web/*.ts, !*.d.ts"},
            ("lib", "shop-web"),
        ),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "lib/**, *.ts"}, NAMES),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "!lib/**"}, NAMES),
        ("repo.list_files", {"glob": "lib/**, lib/x.py"}, ("lib",)),
        ("repo.open_file", {"path": "./lib/x.py"}, ("lib",)),
        ("repo.open_file", {"path": "lib/x.py", "ranges": ["3-4", "lib/y.py:1"]}, ("lib",)),
        (
            "repo.open_file",
            {"path": "lib/x.py", "ranges": ["shop-web/y:2", 3]},
            ("lib", "shop-web"),
        ),
        ("repo.open_file", {"path": "/abs/lib/x.py"}, NAMES),
        ("repo.list_files", {"glob": "*/x.py"}, NAMES),
        ("repo.symbol", {"name": "lib"}, NAMES),
        ("get_callers", {"node_id": "repo:lib"}, NAMES),
        ("code_research", {"query": "who uses tax repo:lib"}, NAMES),
    ],
)
def test_the_roots_of_a_call(tool: str, arguments: dict[str, Any], asked: tuple[str, ...]) -> None:
    assert find_scope(tool, arguments, NAMES).names == asked


def test_other_arguments_stay_as_they_are() -> None:
    given = {"query": 7, "file_glob": ["lib"], "path": None}
    assert find_scope("repo.search", given, NAMES) == (NAMES, given, ())


@pytest.mark.parametrize(
    ("tool", "arguments", "asked", "left"),
    [
        ("repo.symbol", {"name": "repo:lib tax"}, ("lib",), {"name": "tax"}),
        ("repo.symbol", {"name": "lib/x.py:3"}, ("lib",), {"name": "lib/x.py:3"}),
        ("repo.symbol", {"name": "lib"}, NAMES, {"name": "lib"}),
        ("repo.outline", {"path": "lib"}, ("lib",), {"path": "lib"}),
        ("repo.outline", {"path": "./lib/x.py"}, ("lib",), {"path": "./lib/x.py"}),
        ("repo.outline", {"path": "other"}, NAMES, {"path": "other"}),
        ("repo.list_files", {"glob": "lib/**"}, ("lib",), {"glob": "lib/**"}),
        ("repo.search", {"query": "tax", "file_glob": "lib/**"}, ("lib",), None),
        ("repo.search", {"query": "repo:lib", "mode": "literal"}, NAMES, None),
        ("code_research", {"query": "tax repo:lib"}, ("lib",), {"query": "tax path:/lib/"}),
    ],
)
def test_a_call_about_a_revision_may_name_the_root_in_any_text(
    tool: str, arguments: dict[str, Any], asked: tuple[str, ...], left: dict[str, Any] | None
) -> None:
    found = find_scope(tool, {**arguments, "rev": "v1"}, NAMES)
    assert found.names == asked
    assert found.arguments == {**(arguments if left is None else left), "rev": "v1"}


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ({"words": "tax repo:lib"}, {"words": "tax", "path": "lib"}),
        ({"rev": "repo:lib v1..HEAD"}, {"rev": "v1..HEAD", "path": "lib"}),
        ({"words": "tax repo:lib", "path": "lib/x"}, {"words": "tax", "path": "lib/x"}),
        ({"words": "repo:lib repo:shop-web tax"}, None),
        ({"words": "repo:unknown tax"}, None),
        ({"words": "-repo:lib tax"}, None),
        ({"text": 7}, None),
    ],
)
def test_questions_about_the_past_have_the_root_as_path(
    arguments: dict[str, Any], left: dict[str, Any] | None
) -> None:
    found = find_scope("repo.history", arguments, NAMES)
    assert found.arguments == (arguments if left is None else left)
    assert found.names == NAMES


@pytest.mark.parametrize(
    ("query", "mode", "code"),
    [
        ("tax repo:unknown", "bm25", "root_unknown"),
        ("tax -repo:unknown", "bm25", "root_unknown"),
        ("tax repo:lib", "literal", "root_in_text"),
        ("tax repo:lib", "bm25", ""),
        ("tax repo:unknown", "regex", ""),
        ("tax", "literal", ""),
    ],
)
def test_what_is_not_understood_of_a_query_is_said(query: str, mode: str, code: str) -> None:
    told = find_scope("repo.search", {"query": query, "mode": mode}, NAMES).warnings
    assert [warning.code for warning in told] == ([code] if code else [])
    assert all("lib" in warning.text for warning in told)


def test_further_queries_may_name_roots() -> None:
    given = {"query": "tax repo:lib", "queries": ["price repo:shop-web", "sum"]}
    scope = find_scope("repo.search", given, NAMES)
    assert scope.arguments == {
        "query": "tax path:/lib/",
        "queries": ["price path:/shop-web/", "sum"],
    }
