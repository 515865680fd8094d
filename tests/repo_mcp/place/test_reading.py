"""Calls name the roots and the revision that answer them, and are asked without these names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from repo_mcp.errors import Problem
from repo_mcp.place.place import Place, PlacedQuestion
from repo_mcp.place.reading import read_place
from repo_mcp.place.roots import RootNames, with_paths
from repo_mcp.toolsets.catalog import TOOLSETS
from repo_mcp.toolsets.kit.spec import COMMITS, TEXTS

NAMES = ("lib", "shop-web", "My Docs", "a[b]")
READS = {tool.name: tool.reads for toolset in TOOLSETS for tool in toolset.tools}


def placed(tool: str, arguments: Mapping[str, Any]) -> PlacedQuestion:
    """The call of a tool that serves the roots."""
    reads = READS[tool]
    return read_place(arguments, NAMES, is_of_past=reads == COMMITS, has_texts=reads == TEXTS)


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
        ("repo:unknown repo:lib repo:shop-web", "repo:unknown (path:/lib/ OR path:/shop-web/)"),
        ("grepo:lib", "grepo:lib"),
        ("the repo: lib", "the repo: lib"),
    ],
)
def test_names_become_paths(query: str, found: str) -> None:
    assert with_paths(query, RootNames(NAMES))[0] == found


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
    assert placed(tool, {argument: given}).arguments == {argument: found}


@pytest.mark.parametrize(
    ("tool", "arguments", "asked"),
    [
        ("repo.search", {"query": "tax"}, ()),
        ("repo.search", {"query": "tax repo:lib"}, ("lib",)),
        ("repo.search", {"query": "tax repo:lib repo:shop-web"}, ("lib", "shop-web")),
        ("repo.search", {"query": "tax -repo:lib"}, ()),
        ("repo.search", {"query": "repo:lib OR price"}, ()),
        ("repo.search", {"query": "tax repo:lib", "queries": ["price"]}, ()),
        ("repo.search", {"query": "repo:lib", "mode": "literal"}, ()),
        ("repo.search", {"query": "tax", "file_glob": "lib/**"}, ()),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "lib/**"}, ("lib",)),
        (
            "repo.search",
            {"query": "x", "mode": "regex", "file_glob": "lib/**, shop-web/*.ts, !*.d.ts"},
            ("lib", "shop-web"),
        ),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "lib/**, *.ts"}, ()),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "!lib/**"}, ()),
        ("repo.list_files", {"glob": "lib/**, lib/x.py"}, ("lib",)),
        ("repo.open_file", {"path": "./lib/x.py"}, ("lib",)),
        ("repo.open_file", {"path": "lib/x.py", "ranges": ["3-4", "lib/y.py:1"]}, ("lib",)),
        (
            "repo.open_file",
            {"path": "lib/x.py", "ranges": ["shop-web/y:2", 3]},
            ("lib", "shop-web"),
        ),
        ("repo.open_file", {"path": "/abs/lib/x.py"}, ()),
        ("repo.list_files", {"glob": "*/x.py"}, ()),
        ("repo.symbol", {"name": "lib"}, ()),
        ("get_callers", {"node_id": "repo:lib"}, ()),
        ("code_research", {"query": "who uses tax repo:lib"}, ()),
    ],
)
def test_the_roots_of_a_call(tool: str, arguments: dict[str, Any], asked: tuple[str, ...]) -> None:
    assert placed(tool, arguments).place == Place(asked)


def test_other_arguments_stay_as_they_are() -> None:
    given = {"query": 7, "file_glob": ["lib"], "path": None}
    assert placed("repo.search", given) == (Place(), given, ())


@pytest.mark.parametrize(
    ("tool", "arguments", "asked", "left"),
    [
        ("repo.symbol", {"name": "repo:lib tax"}, ("lib",), {"name": "tax"}),
        (
            "repo.symbol",
            {"name": "x", "names": ["repo:lib tax"]},
            ("lib",),
            {"name": "x", "names": ["tax"]},
        ),
        ("repo.symbol", {"name": "lib/x.py:3"}, ("lib",), {"name": "lib/x.py:3"}),
        ("repo.symbol", {"name": "lib"}, (), {"name": "lib"}),
        ("repo.outline", {"path": "lib"}, ("lib",), {"path": "lib"}),
        ("repo.outline", {"path": "./lib/x.py"}, ("lib",), {"path": "./lib/x.py"}),
        ("repo.outline", {"path": "other"}, (), {"path": "other"}),
        ("repo.list_files", {"glob": "lib/**"}, ("lib",), {"glob": "lib/**"}),
        ("repo.search", {"query": "tax", "file_glob": "lib/**"}, ("lib",), None),
        ("repo.search", {"query": "repo:lib", "mode": "literal"}, (), None),
        ("code_research", {"query": "tax repo:lib"}, ("lib",), {"query": "tax path:/lib/"}),
    ],
)
def test_a_call_about_a_revision_may_name_the_root_in_any_text(
    tool: str, arguments: dict[str, Any], asked: tuple[str, ...], left: dict[str, Any] | None
) -> None:
    question = placed(tool, {**arguments, "rev": "v1"})
    assert question.place == Place(asked, "v1")
    assert question.arguments == (arguments if left is None else left)


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
    question = placed("repo.history", arguments)
    assert question.arguments == (arguments if left is None else left)
    assert question.place == Place()


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
    warnings = placed("repo.search", {"query": query, "mode": mode}).warnings
    assert [warning.code for warning in warnings] == ([code] if code else [])
    assert all("lib" in warning.text for warning in warnings)


def test_further_queries_may_name_roots() -> None:
    given = {"query": "tax repo:lib", "queries": ["price repo:shop-web", "sum"]}
    assert placed("repo.search", given).arguments == {
        "query": "tax path:/lib/",
        "queries": ["price path:/shop-web/", "sum"],
    }


@pytest.mark.parametrize(
    ("arguments", "name", "rest"),
    [
        ({"query": "rev:v1 a b"}, "v1", {"query": "a b"}),
        ({"query": 'a rev:"my tag" b'}, "my tag", {"query": "a b"}),
        ({"query": "(rev:v1 a)"}, "v1", {"query": "( a)"}),
        ({"query": "a", "rev": "v1"}, "v1", {"query": "a"}),
        ({"names": ["rev:v1 a", "b"]}, "v1", {"names": ["a", "b"]}),
        ({"query": "prev:v1 a", "rev": None}, "", {}),
        ({"query": "rev:v1", "mode": "regex"}, "", {}),
        ({"query": "rev: v1"}, "", {}),
        ({"query": "-rev:v1"}, "", {}),
    ],
)
def test_the_name_is_taken_out_of_the_question(
    arguments: Mapping[str, Any], name: str, rest: Mapping[str, Any]
) -> None:
    question = read_place(arguments)
    assert question.place == Place(revision=name)
    assert question.arguments == (rest if name else arguments)


def test_one_call_is_about_one_revision() -> None:
    with pytest.raises(Problem, match="argument"):
        read_place({"query": "rev:v1 rev:v2 a"})
    with pytest.raises(Problem, match="argument"):
        read_place({"query": "rev:v1 a", "rev": "v2"})
    given = {"rev": "v1"}
    assert read_place(given, is_of_past=True) == PlacedQuestion(Place(), given)
