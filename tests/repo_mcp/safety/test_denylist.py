"""Files that may hold secrets are denied by name, in every spelling of the name."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.safety import denylist
from repo_mcp.safety.denylist import RULES, Denylist, folded, signature

SPECIFIED = [
    ".env",
    "app/.env",
    "server.pem",
    "tls/server.pem",
    ".pem",
    "a.key",
    "a.pub.key",
    "a.pfx",
    "a.p12",
    "id_rsa",
    "id_rsa.pub",
    "id_rsa_work",
    "home/id_rsa",
    "secrets.yaml",
    "secrets.py",
    "deep/er/secrets.json",
    "secrets.",
    "a:b.key",
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/.git/HEAD",
    ".git",
]
RECOMMENDED = [
    ".env.production",
    ".env.local",
    ".envrc",
    "prod.env",
    "docker/database.env",
    "Prod.ENV",
    "prod.env.bak",
    "prod.env/database",
    "env.production",
    "env.local",
    "app.env.staging",
    "env.production.local",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    "putty.ppk",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".htpasswd",
    ".s3cfg",
    ".vault-token",
    "credentials",
    "credentials.json",
    ".aws/credentials",
    ".aws/config",
    ".ssh/known_hosts",
    ".gnupg/pubring.kbx",
    ".kube/config",
    ".docker/config.json",
    "home/.docker/config.json",
    "service-account.json",
    "service-account-prod.json",
    "serviceAccountKey.json",
    "main.tfstate",
    "main.tfstate.backup",
    "prod.tfvars",
    "store.jks",
    "store.keystore",
    "pass.kdbx",
    "mail.asc",
    "office.ovpn",
]
DRESSED = [
    ".ENV",
    "Server.PEM",
    ".Git/config",
    ".g\u200cit/config",
    ".git\u200b/config",
    ".git\u00ad/config",
    ".env.",
    ".env ",
    ".env. . ",
    ".env\u2060. ",
    "GIT~1/config",
    "\ufeff.env",
    "ID_RSA",
    "\u017fecrets.yaml",
    "server.\u212aey",
    ".env::$DATA",
    "server.pem:stream",
    ".git::$INDEX_ALLOCATION/config",
    "Secrets .yaml:x/../a.key",
    ".docker./CONFIG.json",
]
COPIES = [
    *(".env~", "#.env#", "..env.swp", ".server.key.swp", "a.pem.bak", "id_rsa~", ".netrc.old"),
    # the dot that an editor puts before the name is not one of the file
    *(".id_rsa.swp", ".secrets.yaml.swo", ".credentials.json.swp", ".env.prod.swp"),
]
HARMLESS = [
    "main.py",
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".ENV.Example",
    "example.env",
    "app.sample.env",
    "env",
    "env.py",
    "env.c",
    "env.d.ts",
    "app.env.ts",
    "env.example",
    "env.production.ts",
    "vite-env.d.ts",
    "config.local",
    "dotenv",
    "my_env",
    "environment.py",
    ".environment",
    "dotenv.py",
    "keyboard.c",
    "keyboard.key.md",
    "monkey",
    "key",
    "key.py",
    "pem.go",
    "pkey.rs",
    "git/config",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".gitlab-ci.yml",
    "docs/secrets-handling.md",
    "secrets_manager.py",
    "secrets",
    "secret.yaml",
    "mysecrets.yaml",
    "config.json",
    "docker/config.json",
    ".docker/config.yml",
    "rsa.py",
    "my_id_rsa.py",
    "credentials/provider.go",
    "credentials.py",
    "service_accounts.py",
    "service-account.md",
    "terraform.tf",
    "variables.tf.json",
    "main.c~",
    ".main.c.swp",
    "\u0435nv.py",
    "a:b",
]


@pytest.mark.requirement("INT-07.2-denylist")
@pytest.mark.parametrize("path", SPECIFIED)
def test_a_file_named_by_the_specification_is_denied(path: str) -> None:
    assert Denylist().rule(path)


@pytest.mark.parametrize("path", [*RECOMMENDED, *COPIES])
def test_a_file_of_a_kind_that_holds_secrets_is_denied(path: str) -> None:
    assert Denylist().rule(path)


@pytest.mark.requirement("INT-07.2-denylist")
@pytest.mark.parametrize("path", DRESSED)
def test_a_denied_name_is_recognised_in_every_spelling(path: str) -> None:
    assert Denylist().rule(path)


@pytest.mark.parametrize("path", HARMLESS)
def test_other_files_are_not_denied(path: str) -> None:
    assert Denylist().rule(path) == ""


DENIED = st.sampled_from([*SPECIFIED, *RECOMMENDED])
INVISIBLE = st.sampled_from(
    ["", "", "", "\u200b", "\u200d", "\u2066", "\ufeff", "\u00ad", "\ufe0f"]
)


@pytest.mark.requirement("INT-07.2-denylist")
@given(DENIED, st.sampled_from(["", "src/", "a/b.c/"]), st.data())
def test_case_invisible_characters_and_trailing_dots_lift_no_rule(
    path: str, above: str, data: st.DataObject
) -> None:
    names = []
    for name in path.split("/"):
        letters = [
            data.draw(st.sampled_from([letter, letter.upper(), letter.lower()]))
            + data.draw(INVISIBLE)
            for letter in name
        ]
        names.append(
            "".join(letters) + data.draw(st.text("., \u200b".replace(",", ""), max_size=3))
        )
    assert Denylist().rule(above + "/".join(names))


@given(DENIED, st.text("abc./~", min_size=1, max_size=10))
def test_everything_below_a_denied_path_is_denied(path: str, below: str) -> None:
    if path.rpartition("/")[2] in RULES.file_names:
        return
    assert Denylist().rule(f"{path}/{below}")


@pytest.mark.parametrize("depth", [99, 100, 101, 450, 511])
def test_a_path_may_be_deeper_than_the_stack(depth: int) -> None:
    rules = Denylist(["secret/**"])
    assert rules.rule("a/" * depth + "b") == ""
    assert rules.rule("a/" * depth + ".env") == ".env"
    assert rules.rule(".git/" + "a/" * depth + "b") == ".git"
    assert rules.rule("secret/" + "a/" * depth + "b") == "secret/**"


@pytest.mark.parametrize("path", ["a/" * 513 + "b", "a/" * 1_000_000 + "b", "a" * (1 << 20)])
def test_a_path_too_long_to_be_compared_is_denied(path: str) -> None:
    assert "too long" in Denylist(["secret/**"]).rule(path)


def test_a_folder_may_have_a_name_that_is_denied_for_files() -> None:
    rules = Denylist()
    assert rules.rule("src/credentials")
    assert not rules.rule("src/credentials", folder=True)
    assert not rules.rule("src/credentials/provider.go")
    assert rules.rule("src/credentials/.env")


PARTS = st.sampled_from(
    [
        *(*RULES.names, *RULES.file_names, *RULES.prefixes, *RULES.suffixes, *RULES.copies),
        *(*RULES.env_templates, RULES.env_prefix, "service-account", ".json", ".docker"),
        *("config.json", "#", ":", "\u200b", "\u212a", ".", " ", "a", "_"),
    ]
)


@given(st.lists(PARTS, min_size=1, max_size=4), st.booleans(), st.sampled_from(["", ".docker"]))
def test_the_quick_test_never_passes_a_denied_name(
    parts: list[str],
    folder: bool,  # noqa: FBT001 hypothesis passes it by name
    parent: str,
) -> None:
    name = "".join(parts)
    if denylist._is_harmless(name):
        assert not denylist._built_in_rule(parent, name, folder=folder)


def test_the_quick_test_passes_lines_of_a_file_only_where_the_file_passes() -> None:
    assert denylist._is_harmless("http.py:12-40")
    assert not denylist._is_harmless("tls.pem:12-40")


STEPS = st.text("abcCdeE._-~ #", min_size=1, max_size=5)


@given(st.lists(STEPS, min_size=1, max_size=4), st.data())
def test_a_path_is_denied_when_one_of_its_steps_is(names: list[str], data: st.DataObject) -> None:
    rules = Denylist(data.draw(st.lists(st.sampled_from(["a/**", "*.b", "C*/d", "e"]), max_size=2)))
    steps = []
    for count, name in enumerate(names):
        above = "/".join(names[:count])
        steps.append(rules.child_rule(above, name, folder=count + 1 < len(names)))
    assert rules.rule("/".join(names)) == next(filter(None, steps), "")


def test_configured_rules_only_add_to_the_built_in_ones() -> None:
    rules = Denylist(["internal/**", "!.env", "*.Secret", "!**", "private"])
    assert rules.rule("internal/a.py") == "internal/**"
    assert rules.rule("x/NOTES.secret") == "*.Secret"
    assert rules.rule("src/private/a.py") == rules.rule("PRIVATE") == "private"
    assert rules.rule(".env") == ".env"
    assert rules.rule("public/a.py") == ""
    assert rules.rule("internal", folder=True) == ""


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("\u00e4/**", "a\u0308/menu.txt"),
        ("Notes.", "Notes."),
        ("NOTES*", "no\u200btes.txt"),
        ("[A-Z]*.txt", "Read.txt"),
        ("[!a].txt", "A.txt"),
        ("in ternal/*", "IN TERNAL./x. "),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_configured_rules_are_compared_as_written_and_folded(pattern: str, path: str) -> None:
    assert Denylist([pattern]).rule(path) == pattern


def test_folding_a_folded_name_changes_nothing() -> None:
    for name in (*DRESSED, *COPIES, "A\u0308.", "a:b:c"):
        assert folded(folded(name)) == folded(name)


@pytest.mark.parametrize("field", denylist.DenyRules._fields)
def test_another_rule_gives_another_signature(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    before = signature()
    old = getattr(RULES, field)
    new = (*old, "x") if isinstance(old, tuple) else f"{old}x"
    monkeypatch.setattr(denylist, "RULES", RULES._replace(**{field: new}))  # type: ignore[arg-type]
    assert signature() != before


def test_of_a_folder_with_entries_nothing_else_is_seen() -> None:
    denylist = Denylist((), ("requests", "google/cloud/storage", "six.py"))
    for path in ("requests", "requests/api.py", "google", "google/cloud", "six.py"):
        assert not denylist.rule(path), path
    assert not denylist.rule("google/cloud/storage/blob.py")
    for path in ("other", "other/a.py", "requests2", "google/auth", "google/cloud/a.py", "six"):
        assert denylist.rule(path), path
    assert denylist.rule("requests/.env")
