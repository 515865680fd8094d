"""Exported tickets are text: title, what is known, body and comments, in lines of their own."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import pytest

from repo_mcp.cli.ripgrep.answering import RipgrepAnswer
from repo_mcp.cli.ripgrep.arguments import LeftToRipgrepError, read_arguments
from repo_mcp.cli.ripgrep.output import AnswerOutput
from repo_mcp.documents import has_text
from repo_mcp.documents.tickets import tickets_as_text
from repo_mcp.search import parse_patterns
from repo_mcp.services import services
from repo_mcp.settings import Options, fix_paths
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import call, serve, text_of

GITHUB = [
    {
        "number": 7,
        "title": "Forklift squeaks",
        "state": "OPEN",
        "labels": [{"name": "bug"}, {"name": "noise"}],
        "author": {"login": "ann"},
        "body": "It squeaks\r\nnear hydraulics.",
        "comments": [{"author": {"login": "bob"}, "createdAt": "2026-01-02", "body": "Oil it."}],
    },
    {"number": 8, "title": "Dock door", "body": "Opens slowly.", "comments": []},
]
SHOWN = """# 7: Forklift squeaks
state: OPEN
labels: bug, noise
author: ann

It squeaks
near hydraulics.

## comment by bob, 2026-01-02
Oil it.

# 8: Dock door

Opens slowly.
"""
WRITTEN = [
    {"type": "paragraph", "content": [{"type": "text", "text": "After lifts."}]},
    {"type": "paragraph", "content": [{"type": "text", "text": "Always."}]},
]
JIRA = {
    "issues": [
        {
            "key": "SHOP-1",
            "fields": {
                "summary": "Crane stops",
                "status": {"name": "Done"},
                "description": {
                    "type": "doc",
                    "content": [
                        {
                            "type": "paragraph",
                            "content": [{"type": "text", "text": "After lifts."}],
                        },
                        {"type": "paragraph", "content": [{"type": "text", "text": "Always."}]},
                    ],
                },
                "comment": {
                    "comments": [{"author": {"displayName": "Cy"}, "body": "Seen.", "created": "x"}]
                },
            },
        }
    ]
}
LINEAR = {
    "data": {
        "issues": {
            "nodes": [
                {
                    "identifier": "LIN-3",
                    "title": "Till",
                    "description": "Totals",
                    "state": {"name": "Todo"},
                    "comments": {"nodes": [{"user": {"name": "Di"}, "body": "Me too"}]},
                }
            ]
        }
    }
}
CSV = (
    "Issue key,Summary,Status,Description,Comment,Comment\n"
    'SHOP-2,"Slow, till",Open,"Totals take\n""long""",01/Jan;eve;first,second\n'
)


def shown(name: str, data: object) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return tickets_as_text(name, text.encode()).decode()


def test_an_export_of_github() -> None:
    assert shown("issues.json", GITHUB) == SHOWN
    assert shown("issues.json", json.dumps(GITHUB, indent=2)) == SHOWN
    assert shown("issues.jsonl", "\n".join(map(json.dumps, GITHUB))) == SHOWN


def test_exports_of_others() -> None:
    jira = shown("tickets.json", JIRA)
    assert jira.startswith("# SHOP-1: Crane stops\nstatus: Done\n\nAfter lifts.\nAlways.\n")
    assert "## comment by Cy, x\nSeen.\n" in jira
    linear = shown("linear-issues.json", LINEAR)
    assert linear == "# LIN-3: Till\nstate: Todo\n\nTotals\n\n## comment by Di\nMe too\n"
    table = shown("jira.issues.csv", CSV)
    assert table.startswith('# SHOP-2: Slow, till\nstatus: Open\n\nTotals take\n"long"\n')
    assert "## comment\n01/Jan;eve;first\n\n## comment\nsecond\n" in table


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{broken",
        "[]",
        "[1, 2]",
        '[{"title": "no body"}]',
        '{"issues": 3}',
        '{"a": [{"title": "t", "body": "b"}]}',
        "[" * 100_000,
        json.dumps([{"body": "b"}] * 3 + [{"title": "t", "body": "b"}]),
    ],
    ids=range(9),
)
def test_what_is_no_export_stays_as_it_is(data: str) -> None:
    assert shown("issues.json", data) == data
    assert tickets_as_text("issues.json", b"\xff\xfe\0") == b"\xff\xfe\0"


@pytest.mark.parametrize("depth", [10, 100, 300])
def test_what_is_deep_in_each_other_ends(depth: int) -> None:
    body: object = "deep"
    comments: object = "deep"
    for _ in range(depth):
        body = {"type": "doc", "content": [body]}
        comments = {"comments": [comments]}
    found = shown("issues.json", [{"title": "t", "body": body, "comments": comments}])
    assert found.startswith("# t\n")


@pytest.mark.parametrize(
    ("path", "is_export"),
    [
        ("tickets.json", True),
        ("a/SHOP-issues.csv", True),
        ("a/linear.tickets.jsonl", True),
        ("src/issues.py", False),
        ("package.json", False),
        ("myissues.json", False),
        ("issues/one.json", False),
    ],
)
def test_exports_are_known_by_their_names(path: str, *, is_export: bool) -> None:
    assert has_text(path) is is_export


@pytest.mark.servers
def test_searching_reading_and_quoting_have_the_same_lines(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"issues.json": json.dumps(GITHUB), "code.py": "x = 1\n"})
    with serve(("repo_root", str(root)), data=tmp_path / "data") as app:
        assert "7: near hydraulics." in text_of(app, "repo.search", query="squeaks hydraulics")
        for mode, query in (("literal", "near hydr"), ("regex", "^near .*s.$")):
            answer = call(app, "repo.search", query=query, mode=mode)
            (hit,) = answer["structuredContent"]["result"]["files"]
            assert (hit["path"], hit["lines"]) == ("issues.json", "7: near hydraulics.")
        assert "7: near hydraulics." in text_of(app, "repo.open_file", path="issues.json")


@pytest.mark.servers
def test_a_tree_with_exports_is_left_to_ripgrep(tmp_path: Path) -> None:
    files = {f"f{number}.py": f"x = {number}\n" for number in range(3)}
    write(tmp_path, {**files, "issues.json": json.dumps(GITHUB), ".git/HEAD": ""})
    found = services(fix_paths(Options(str(tmp_path), str(tmp_path / "data"))))
    found.manager.refresh(found.budget)
    request = read_arguments(["hydraulics"])
    syntax = parse_patterns(request.patterns)
    answer = RipgrepAnswer(found, request, syntax, AnswerOutput(), has_ripgrep=True)
    with chdir(tmp_path), pytest.raises(LeftToRipgrepError, match="exported tickets"):
        answer.run()
