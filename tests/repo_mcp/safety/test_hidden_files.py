"""Globs that ask for files that are never shown."""

from __future__ import annotations

import pytest

from repo_mcp.safety.denylist import RULES, Denylist
from repo_mcp.safety.hidden_files import hidden_in_folder, hidden_text

DENYLIST = Denylist(["*.conf", "vault/**"])


@pytest.mark.parametrize(
    ("glob", "rules"),
    [
        ("**/*.env", "rules *.env, .env"),
        ("docker/compose/docker-*.env", "rule *.env"),
        (".env", "rule .env"),
        ("deploy/.env*", "rules .env, .envrc, .env.*"),
        ("**/*.{pem,py}", "rule *.pem"),
        ("**/id_*", "rules id_rsa*, id_dsa*, id_ecdsa*, 1 more"),
        (".ssh/*", "rule .ssh"),
        ("home/.aws/**", "rule .aws"),
        ("etc/*.conf", "rule *.conf"),
        ("*.tfstate", "rule *.tfstate"),
        ("src/**, !*.md, docker/*.env", "rules *.env, .env"),
        ("service-account*.json", "rule service-account*.json"),
    ],
)
def test_a_glob_for_such_files_is_told_the_rule(glob: str, rules: str) -> None:
    text = hidden_text(glob, DENYLIST)
    assert text.startswith(f"files of the {rules} may hold secrets")


@pytest.mark.parametrize(
    ("glob", "shows"),
    [
        (".env.*", True),
        ("deploy/.env*", True),
        ("**/.env.{production,production.sample}", True),
        ("**/.env.{production,local}", False),
        (".env", False),
        ("**/*.env", False),
        ("*.pem", False),
    ],
)
def test_templates_of_such_files_are_said_to_be_shown(glob: str, *, shows: bool) -> None:
    told = "templates of them (.env.example and the like) are shown"
    assert (told in hidden_text(glob, DENYLIST)) == shows
    assert told not in hidden_text(glob, Denylist([".env*"]))


@pytest.mark.parametrize(
    "glob",
    ["**/*.py", "*", "**", "src/**", "docs/*.json", "src/env.py", "*.{ts,tsx}", "!*.env, *.py"],
)
def test_a_glob_for_other_files_is_told_none(glob: str) -> None:
    assert not hidden_text(glob, DENYLIST)


@pytest.mark.parametrize("name", [*RULES.names, *(f"x{suffix}" for suffix in RULES.suffixes)])
def test_each_name_that_a_rule_denies_has_a_line(name: str) -> None:
    assert hidden_text(f"**/{name}", Denylist())


def test_a_glob_over_the_limits_says_nothing() -> None:
    assert not hidden_text("{" + ",".join(map(str, range(10_000))) + "}.env", DENYLIST)
    assert not hidden_text("*" * 10_000, DENYLIST)


@pytest.mark.parametrize(
    ("glob", "is_said"),
    [
        ("docker/compose/*", True),
        ("deploy/**", True),
        ("deploy/", True),
        ("**/*", False),
        ("*", False),
        ("src/*.py", False),
        ("src/main.py", False),
        ("*/x/*", False),
    ],
)
def test_all_files_of_a_folder_are_all_but_those(glob: str, *, is_said: bool) -> None:
    assert bool(hidden_in_folder(glob)) == is_said
