"""CODEOWNERS as GitHub and GitLab read it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st
from pathspec import GitIgnoreSpec

from repo_mcp.owners.codeowners import CodeOwners
from tests.repo_mcp.owners.owner_files import names_of

# GitHub's own examples of patterns, with files that they have and have not
EXAMPLES = [
    ("*", ["a.c", "b/c/d.js"], []),
    ("*.js", ["a.js", "b/c/d.js"], ["a.jsx"]),
    ("/build/logs/", ["build/logs/a", "build/logs/b/c"], ["x/build/logs/a"]),
    ("docs/*", ["docs/start.md"], ["docs/app/trouble.md", "x/docs/start.md"]),
    ("apps/", ["apps/a", "x/apps/b/c"], ["apps"]),
    ("/docs/", ["docs/a", "docs/b/c"], ["x/docs/a"]),
    ("/scripts/", ["scripts/a"], ["x/scripts/a"]),
    ("**/logs", ["logs/a", "build/logs/b", "deeply/nested/logs/c"], ["log/a"]),
    ("/apps/github", ["apps/github", "apps/github/a"], ["apps/git", "apps/github2"]),
    ("/src/*-api", ["src/web-api/a/b", "src/web-api"], ["src/api/a"]),
    ("a/**/z", ["a/z", "a/b/c/z"], ["a/bz"]),
    (r"/with\ blank/", ["with blank/a"], ["with/a"]),
    ("/*", ["a.c"], ["b/a.c"]),
]


@pytest.mark.parametrize(("pattern", "owned", "others"), EXAMPLES)
def test_a_pattern_has_the_files_that_githubs_pages_name(
    pattern: str, owned: list[str], others: list[str]
) -> None:
    owners = CodeOwners("CODEOWNERS", f"{pattern} @team\n")
    assert [path for path in (*owned, *others) if owners.claims(path)] == owned


NAMES = st.sampled_from(["a", "b", "a.c", "b.c"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PARTS = st.sampled_from(["a", "b", "a.c", "*.c", "a*", "**"])


SLASH = st.sampled_from(["", "/"])


@given(SLASH, st.lists(PARTS, min_size=1, max_size=3), SLASH, PATHS)
def test_patterns_are_those_of_gitignore(begin: str, parts: list[str], end: str, path: str) -> None:
    pattern = f"{begin}{'/'.join(parts)}{end}"
    # stars alone mean every file to one of the two, and every folder to the other
    assume("**/**" not in pattern and parts != ["**"])
    expected = GitIgnoreSpec.from_lines([pattern]).match_file(path)
    assert bool(CodeOwners("CODEOWNERS", f"{pattern} @team").claims(path)) is expected


def test_the_last_pattern_decides_and_one_without_owners_takes_them_away() -> None:
    owners = CodeOwners(
        ".github/CODEOWNERS",
        "# who reviews\n* @all\n/src/ @src lead@x.org # the core\n/src/free/\n/src/free/b.c @b\n",
    )
    assert names_of(owners.claims("a.c")) == ["@all"]
    assert names_of(owners.claims("src/a.c")) == ["@src", "lead@x.org"]
    assert names_of(owners.claims("src/free/a.c")) == []
    assert names_of(owners.claims("src/free/b.c")) == ["@b"]
    assert [claim.line for claim in owners.claims("src/a.c")] == [3]


def test_each_section_decides_and_has_owners_for_its_patterns() -> None:
    owners = CodeOwners(
        "CODEOWNERS",
        "* @all\n[Docs][2] @writers\n*.md\nREADME.md @readers\n^[Data]\n*.sql @dba\n"
        "!old.sql\n[docs two]\n*.md @second\n",
    )
    assert names_of(owners.claims("a.md")) == ["@all", "@writers", "@second"]
    assert names_of(owners.claims("README.md")) == ["@all", "@readers", "@second"]
    assert names_of(owners.claims("a.sql")) == ["@all", "@dba"]
    assert names_of(owners.claims("old.sql")) == ["@all"]


def test_it_is_for_the_repository_that_it_is_in() -> None:
    owners = CodeOwners("one/.gitlab/CODEOWNERS", "/a/ @a\n")
    assert owners.folder == "one"
    assert names_of(owners.claims("one/a/x")) == ["@a"]
    assert names_of(owners.claims("a/x")) == []
