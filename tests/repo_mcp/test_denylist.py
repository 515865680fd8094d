"""Files that may hold secrets are denied by name, however the name is dressed up."""

from __future__ import annotations

import pytest

from repo_mcp.denylist import Denylist

SPECIFIED = [
    ".env",
    "app/.env",
    "tls/server.pem",
    "a.key",
    "a.pfx",
    "a.p12",
    "id_rsa",
    "id_rsa.pub",
    "secrets.yaml",
    "deep/er/secrets.json",
    ".git/config",
    "sub/.git/HEAD",
    ".git",
]
RECOMMENDED = [
    ".env.production",
    ".envrc",
    "id_ed25519",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".aws/credentials",
    ".ssh/known_hosts",
    ".kube/config",
    ".docker/config.json",
    "service-account-prod.json",
    "main.tfstate",
    "prod.tfvars",
    "store.jks",
]
DRESSED = [
    ".ENV",
    "Server.PEM",
    ".Git/config",
    ".g\u200cit/config",
    ".git\u200b/config",
    ".env.",
    ".env ",
    "GIT~1/config",
    "\ufeff.env",
    "ID_RSA",
]
HARMLESS = [
    "main.py",
    ".env.example",
    "env",
    "environment.py",
    "keyboard.c",
    "monkey",
    "git/config",
    ".github/workflows/ci.yml",
    ".gitignore",
    "docs/secrets-handling.md",
    "config.json",
    "docker/config.json",
    "rsa.py",
]


@pytest.mark.parametrize("path", [*SPECIFIED, *RECOMMENDED, *DRESSED])
def test_a_file_that_may_hold_secrets_is_denied(path: str) -> None:
    assert Denylist().rule(path)


@pytest.mark.parametrize("path", HARMLESS)
def test_other_files_are_not_denied(path: str) -> None:
    assert Denylist().rule(path) == ""


def test_configured_rules_add_to_the_list_and_never_lift_it() -> None:
    rules = Denylist(["internal/**", "!.env", "*.Secret"])
    assert rules.rule("internal/a.py") == "internal/**"
    assert rules.rule("x/NOTES.secret") == "*.Secret"
    assert rules.rule(".env")
    assert rules.rule("public/a.py") == ""
