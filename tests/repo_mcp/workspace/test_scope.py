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
    ("tool", "arguments", "asked"),
    [
        ("repo.search", {"query": "tax"}, NAMES),
        ("repo.search", {"query": "tax repo:lib"}, ("lib",)),
        ("repo.search", {"query": "tax repo:lib repo:shop-web"}, ("lib", "shop-web")),
        ("repo.search", {"query": "tax -repo:lib"}, NAMES),
        ("repo.search", {"query": "repo:lib OR price"}, NAMES),
        ("repo.search", {"query": "repo:lib", "mode": "literal"}, NAMES),
        ("repo.search", {"query": "tax", "file_glob": "lib/**"}, NAMES),
        ("repo.search", {"query": "x", "mode": "regex", "file_glob": "lib/**"}, ("lib",)),
        ("repo.open_file", {"path": "./lib/x.py"}, ("lib",)),
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
    assert find_scope("repo.search", given, NAMES) == (NAMES, given)
