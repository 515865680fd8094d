"""Arguments in the audit log contain no secret, no denied path and no long value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.redaction import DENIED, SUSPECT, looks_secret, redact_arguments

DENYLIST = Denylist(["internal/**"])
# assembled here so that no scanner takes them for real secrets
SECRETS = [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "github_pat_" + "11ABCDEFG0abcdefghijklmnop",
    "glpat-" + "x" * 20,
    "xoxb-" + "123456789012-abcdef",
    "sk-" + "proj-abcdefghijklmnopqrstuvwx",
    "sk_live_" + "abcdefghij0123456789",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    "https://user:" + "hunter22@example.org/x",
    "password = '" + "hunter2-hunter2'",
    "API_KEY: " + "a1b2c3d4e5f6",
    "Authorization: Bearer " + "abcdefghijklmnop1234",
    "Zk3" + "vQ9xT7mB2nL5pR8sW1yC4dF6gH0jK3aE",
]
HARMLESS = [
    "where is the password checked",
    "token = parser.next_token()",
    "self.key = key",
    "password: str",
    "get_api_key(",
    "https://example.org/path?x=1",
    "commit 4a5b6c7d8e9f0a1b2c3d4e5f6a7b8c9d0e1f2a3b",
    "TestHttpServerRequestHandlerWithVeryLongName",
    "drivers/net/ethernet/intel/e1000e/netdev.c",
    "SELECT * FROM tokens WHERE id = 1",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_value_that_looks_like_a_secret_is_withheld_whole(text: str) -> None:
    for value in (text, f"why does {text} fail"):
        assert redact_arguments({"query": value}, DENYLIST) == {"query": SUSPECT}


@pytest.mark.parametrize("text", HARMLESS)
def test_code_and_questions_about_secrets_are_kept(text: str) -> None:
    assert not looks_secret(text)
    assert redact_arguments({"query": text}, DENYLIST) == {"query": text}


@pytest.mark.requirement("INT-07.2-denylist")
@pytest.mark.parametrize(
    "arguments",
    [
        {"path": ".env"},
        {"path": "a/b/id_rsa"},
        {"path": "internal/plan.md"},
        {"file_glob": "**/*.pem"},
        {"file_glob": "src/**, !**/*.pem"},
        {"query": "open config/.env now"},
        {"query": "path:keys/server.key handshake"},
        {"prompt": "read ./deploy/credentials.json, please"},
        {"path": r"deploy\.env"},
    ],
)
def test_denied_paths_are_withheld(arguments: dict[str, str]) -> None:
    assert redact_arguments(arguments, DENYLIST) == dict.fromkeys(arguments, DENIED)


@pytest.mark.parametrize("code", ["path_denied", "path_outside", "path_data", "path_hard_link"])
def test_a_path_that_was_refused_is_not_named(code: str) -> None:
    given_ = {"path": "/home/somebody/notes.txt", "start_line": 3}
    found = redact_arguments(given_, DENYLIST, code)
    assert found == {"path": f"[withheld: {code}]", "start_line": 3}


def test_words_that_are_not_paths_are_kept() -> None:
    text = "foo.key and credentials of a.pem"
    assert redact_arguments({"query": text}, DENYLIST) == {"query": text}


def test_long_values_are_cut_and_marked() -> None:
    found = redact_arguments({"prompt": "word " * 500}, DENYLIST)["prompt"]
    assert len(found) < 240
    assert found.endswith("… (2500 characters)")


def test_cursors_are_not_kept() -> None:
    assert redact_arguments({"cursor": "WyJhIl0"}, DENYLIST) == {"cursor": "[given]"}


def test_names_of_arguments_are_redacted_as_well() -> None:
    assert redact_arguments({SECRETS[0]: 1, "a/.env": 2}, DENYLIST) == {SUSPECT: 1, DENIED: 2}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([*SECRETS, ".env", "a/id_rsa"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), JSON))
def test_nothing_secret_or_long_is_kept_at_any_depth(arguments: dict[str, Any]) -> None:
    text = json.dumps(redact_arguments(arguments, DENYLIST), ensure_ascii=False)
    assert not any(secret in text for secret in SECRETS)
    assert "a/id_rsa" not in text
    text.encode("utf-8")
