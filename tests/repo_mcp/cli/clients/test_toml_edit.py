"""TOML is edited in place: one table changes, every other line stays."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, strategies as st

from code_graph.formats.toml import parse_toml
from repo_mcp.cli.clients import toml_edit
from repo_mcp.cli.clients.files import EditError
from repo_mcp.cli.clients.toml_edit import format_table, with_table, without_table

PATH = ("mcp_servers", "repo")
VALUES = {"command": "/bin/repo-mcp", "args": ["serve"]}
ADDED = '[mcp_servers.repo]\ncommand = "/bin/repo-mcp"\nargs = ["serve"]\n'
CONFIG = """# mine
model = "x"  # the best

[mcp_servers.other]
command = "o"
args = [
  "[mcp_servers.fake]",  # no table
]

[mcp_servers.other.env]
A = "b"
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def test_a_table_is_added_at_the_end() -> None:
    assert with_table(CONFIG, PATH, VALUES) == f"{CONFIG}\n{ADDED}"
    assert with_table("", PATH, VALUES) == ADDED
    assert with_table("a = 1", PATH, VALUES) == f"a = 1\n\n{ADDED}"


def test_what_was_added_can_be_taken_out() -> None:
    assert without_table(with_table(CONFIG, PATH, VALUES), PATH) == CONFIG
    assert without_table(ADDED, PATH) == ""


@pytest.mark.parametrize(
    "head", ["[mcp_servers.repo]", '[mcp_servers."repo"]', "[ mcp_servers . repo ]  # mine"]
)
def test_values_are_replaced_in_the_table_and_the_rest_of_it_stays(head: str) -> None:
    text = f"""{head}
# why
command = "old"  # here
args = [
  "serve", # first
]
startup_timeout_sec = 5

[mcp_servers.repo.env]
A = "b"
[z]
args = ["z"]
"""
    assert (
        with_table(text, PATH, VALUES)
        == f"""{head}
# why
command = "/bin/repo-mcp"  # here
args = ["serve"]
startup_timeout_sec = 5

[mcp_servers.repo.env]
A = "b"
[z]
args = ["z"]
"""
    )


def test_a_table_goes_with_all_that_is_below_it() -> None:
    text = f"{ADDED}[mcp_servers.repo.env]\nA = 'b'\n\n[z]\nq = 1\n"
    assert without_table(text, PATH) == "[z]\nq = 1\n"


def test_a_value_that_is_missing_comes_last() -> None:
    assert with_table("[mcp_servers.repo]\nx = 1\n\n[z]\n", PATH, {"command": "c"}) == (
        '[mcp_servers.repo]\nx = 1\ncommand = "c"\n\n[z]\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "x = ",
        "mcp_servers = 3",
        "[[mcp_servers.repo]]\na = 1",
    ],
)
def test_what_can_not_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        with_table(text, PATH, VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "mcp_servers = {other = {command = 'x'}}\n",
            "mcp_servers = {other = {command = 'x'},repo = {command = \"c\"}}\n",
        ),
        ("mcp_servers.repo.command = 'x' # why\n", 'mcp_servers.repo.command = "c"  # why\n'),
        (
            "[mcp_servers]\nrepo = {command = 'x'}\n",
            '[mcp_servers]\nrepo = {command = "c"}\n',
        ),
        (
            'a = """\n[mcp_servers.repo]\ncommand = 1\n"""\n',
            'a = """\n[mcp_servers.repo]\ncommand = 1\n"""\n\n[mcp_servers.repo]\ncommand = "c"\n',
        ),
    ],
    ids=["inline parent", "dotted", "inline", "in a text"],
)
def test_a_table_is_changed_in_the_form_that_it_has(text: str, expected: str) -> None:
    assert with_table(text, PATH, {"command": "c"}) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a" + ".a" * 20_000 + " = 1", "line 1: a key has more than 10 parts"),
        ("#" * (1 << 21), "more than 1048576 characters"),
        ("a = " + "[" * 5000, "line 1: lists or tables are more than 10 deep"),
    ],
    ids=["key", "size", "depth"],
)
def test_a_hostile_file_is_refused(text: str, problem: str) -> None:
    with pytest.raises(EditError, match=problem):
        with_table(text, PATH, VALUES)


@pytest.mark.parametrize(
    ("old", "comment"),
    [
        ("'#'  # '#'", "  # '#'"),
        (f"'{'#' * 30_000}'# here", "  # here"),
        ("[\n'#', # first\n] # all", "  # all"),
        ("'''\n[a]\n'''", ""),
    ],
    ids=["in a string", "very long", "in a list", "several lines"],
)
def test_the_comment_behind_a_replaced_value_stays(old: str, comment: str) -> None:
    text = f"[mcp_servers.repo]\nargs = {old}\nz = 1\n"
    found = with_table(text, PATH, {"args": ["serve"]})
    assert found == f'[mcp_servers.repo]\nargs = ["serve"]{comment}\nz = 1\n'


@given(TEXTS, TEXTS, st.lists(TEXTS), st.booleans(), st.integers(-(2**63), 2**63 - 1))
def test_whatever_is_written_is_read_again(
    name: str,
    text: str,
    texts: list[str],
    flag: bool,  # noqa: FBT001 a value
    number: int,
) -> None:
    values = {"a": text, "b": texts, "c": flag, "d": number, name: "x"}
    found = tomllib.loads(format_table(("mcp_servers", name), values))
    assert found == {"mcp_servers": {name: values}}


@given(st.text(alphabet="[]{}\"=.#\n'a1 ,"))
def test_any_file_is_changed_rightly_or_refused(text: str) -> None:
    try:
        found = with_table(text, PATH, VALUES)
    except EditError:
        return
    held = tomllib.loads(text)
    held.setdefault("mcp_servers", {}).setdefault("repo", {}).update(VALUES)
    assert tomllib.loads(found) == held


def test_other_tables_are_not_parsed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str) -> dict[str, Any]:
        parsed.append(text)
        return parse_toml(text)

    monkeypatch.setattr(toml_edit, "parse_toml", counted)
    others = "".join(f'[projects."/home/p{n}"]\ntrust = "yes"\n\n' for n in range(500))
    added = with_table(others, ["mcp_servers", "repo"], {"command": "x"})
    assert without_table(added, ["mcp_servers", "repo"]).split() == others.split()
    assert len(parsed) < 10
    assert sum(map(len, parsed)) < 5 * len(added)
