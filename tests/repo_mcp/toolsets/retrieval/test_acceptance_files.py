"""Points of docs/acceptance.md on files and folders; each test is named by its point."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.repo_mcp.toolsets.retrieval.two_roots import DOCS, Make, TwoRoots
from tests.repo_mcp.tree_files import write


@pytest.mark.requirement("RET-FR-004")
def test_o1_the_whole_file_is_given_with_numbers(make: Make) -> None:
    served = make(code={"long.txt": "".join(f"line {number}\n" for number in range(1, 5001))})
    result = served.result("open_file", repo="code", path="long.txt")
    rows = [f"{number}: line {number}" for number in range(1, 5001)]
    assert result["content"].split("\n") == rows
    assert (result["start_line"], result["end_line"], result["total_lines"]) == (1, 5000, 5000)
    assert result["size"] == (served.code / "long.txt").stat().st_size
    write(served.code, {"none.txt": ""})
    empty = served.result("open_file", repo="code", path="none.txt")
    assert (empty["start_line"], empty["end_line"], empty["content"]) == (0, 0, "")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"eins\r\n\r\nzwei", "utf-8"),
        ("eins\n\nzwei\n".encode("utf-16"), "utf-16"),
        (b"\xef\xbb\xbfeins\n\nzwei\n", "utf-8"),
    ],
)
def test_o2_line_ends_and_encodings_make_no_difference(
    served: TwoRoots, data: bytes, encoding: str
) -> None:
    write(served.docs, {"x.txt": data})
    result = served.result("open_file", repo="docs", path="x.txt")
    assert (result["content"], result["encoding"]) == ("1: eins\n2: \n3: zwei", encoding)


OUTSIDE = [
    "../code/src/call.py",
    "guide/../../code/src/call.py",
    "../nothing",
    "/etc/passwd",
    "/nowhere/at/all",
    "..",
    "guide/..",
    "out.md",
    "away/call.py",
]


def links(served: TwoRoots) -> None:
    (served.docs / "out.md").symlink_to(served.code / "src" / "call.py")
    (served.docs / "away").symlink_to(served.code / "src")


@pytest.mark.requirement("RET-FR-004")
@pytest.mark.parametrize("path", OUTSIDE)
def test_o3_a_path_that_leads_outside_is_refused(served: TwoRoots, path: str) -> None:
    links(served)
    error = served.error("open_file", repo="docs", path=path)
    assert error["code"] == "PATH_OUTSIDE_ROOT"
    assert error["details"]["path"] == path
    assert "retry" not in json.dumps(error)


@pytest.mark.requirement("RET-EDGE")
def test_o4_a_binary_file_is_reported(served: TwoRoots) -> None:
    for name in ("open_file", "get_snippet"):
        span = {"start_line": 1, "end_line": 1} if name == "get_snippet" else {}
        error = served.error(name, repo="docs", path="guide/logo.png", **span)
        assert error["code"] == "FILE_BINARY"
        assert error["details"]["size"] == len(DOCS["guide/logo.png"])


@pytest.mark.parametrize("path", [".env", "keys/id_rsa", ".git/config", "no/such/.env"])
def test_o5_what_may_hold_secrets_is_refused(served: TwoRoots, path: str) -> None:
    answer = served.answer("open_file", repo="code", path=path)
    assert answer["structuredContent"]["error"]["code"] == "PATH_DENIED"
    assert "TOKEN" not in json.dumps(answer)


def test_o6_what_can_not_be_opened_has_a_code_of_its_own(make: Make) -> None:
    served = make(limits={"max_file_bytes": 100})
    write(served.code, {"large.txt": "x" * 101})
    for path, code in [
        ("src/none.py", "PATH_NOT_FOUND"),
        ("src", "NOT_A_FILE"),
        (".", "NOT_A_FILE"),
        ("large.txt", "FILE_TOO_LARGE"),
        ("", "PATH_INVALID"),
        ("a\\b", "PATH_INVALID"),
    ]:
        assert served.error("open_file", repo="code", path=path)["code"] == code


# get_snippet


@pytest.mark.requirement("RET-FR-005")
@pytest.mark.parametrize(("first", "last"), [(1, 1), (2, 3), (1, 4), (4, 4), ("2", "2")])
def test_g1_exactly_the_range_is_given(served: TwoRoots, first: Any, last: Any) -> None:  # noqa: ANN401 a number, or as text
    result = served.result(
        "get_snippet", repo="code", path="src/deep/er/x.py", start_line=first, end_line=last
    )
    rows = ["1: backoff = 1", "2: backoff = 1", "3: backoff = 1", "4: x = retry"]
    assert result["content"] == "\n".join(rows[int(first) - 1 : int(last)])
    assert (result["start_line"], result["end_line"]) == (int(first), int(last))
    assert (result["total_lines"], result["clamped"]) == (4, False)


@pytest.mark.requirement("RET-FR-005")
@pytest.mark.parametrize("last", [5, 1000])
def test_g2_a_range_beyond_the_end_is_clamped(served: TwoRoots, last: int) -> None:
    result = served.result(
        "get_snippet", repo="code", path="src/deep/er/x.py", start_line=4, end_line=last
    )
    assert (result["content"], result["end_line"], result["clamped"]) == ("4: x = retry", 4, True)


@pytest.mark.requirement("RET-FR-005")
@pytest.mark.parametrize(
    ("first", "last", "reason"),
    [
        (0, 3, "counted from 1"),
        (-2, 3, "counted from 1"),
        (1, 0, "counted from 1"),
        (3, 2, "less than start_line"),
        (5, 9, "after the last line"),
    ],
)
def test_g3_a_range_that_is_none_is_refused(
    served: TwoRoots, first: int, last: int, reason: str
) -> None:
    error = served.error(
        "get_snippet", repo="code", path="src/deep/er/x.py", start_line=first, end_line=last
    )
    assert error["code"] == "RANGE_INVALID"
    assert reason in error["details"]["reason"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_g4_paths_are_refused_as_by_open_file(served: TwoRoots, path: str) -> None:
    links(served)
    error = served.error("get_snippet", repo="docs", path=path, start_line=1, end_line=1)
    assert error == served.error("open_file", repo="docs", path=path)


# list_dir


@pytest.mark.requirement("RET-FR-006", "RET-FR-001")
def test_l1_without_a_path_the_top_is_listed(served: TwoRoots) -> None:
    result = served.result("list_dir", repo="docs")
    assert result["path"] == ""
    assert result["entries"] == [
        {"name": "README.md", "path": "README.md", "type": "file", "size": 30},
        {"name": "guide", "path": "guide", "type": "directory"},
    ]
    assert result == served.result("list_dir", repo="docs", path=".")


def test_l2_with_a_path_exactly_that_folder_is_listed(served: TwoRoots) -> None:
    (served.docs / "guide" / "link.md").symlink_to("intro.md")
    for path in ("guide", "guide/", "./guide"):
        result = served.result("list_dir", repo="docs", path=path)
        assert [(item["path"], item["type"]) for item in result["entries"]] == [
            ("guide/intro.md", "file"),
            ("guide/link.md", "link"),
            ("guide/logo.png", "file"),
            ("guide/setup.txt", "file"),
        ]


@pytest.mark.requirement("RET-FR-006")
def test_l3_hidden_ignored_and_denied_entries_are_left_out(served: TwoRoots) -> None:
    write(served.code, {"src/server.pem": "secret", "src/.gitignore": "Z*\n", "own/.git/x": ""})
    names = [item["name"] for item in served.result("list_dir", repo="code")["entries"]]
    assert names == ["keys", "own", "src"]
    names = [item["name"] for item in served.result("list_dir", repo="code", path="src")["entries"]]
    assert names == ["alpha.weird", "call.py", "deep"]
    assert served.result("list_dir", repo="code", path="keys")["entries"] == []
    assert served.result("list_dir", repo="code", path="own")["entries"] == []


def test_l4_what_can_not_be_listed_has_a_code_of_its_own(served: TwoRoots) -> None:
    (served.code / "link").symlink_to("src")
    for path, code in [
        ("build", "PATH_IGNORED"),
        ("node_modules", "PATH_IGNORED"),
        (".hidden", "PATH_IGNORED"),
        ("src/call.py", "NOT_A_DIRECTORY"),
        ("link", "NOT_A_DIRECTORY"),
        ("none", "PATH_NOT_FOUND"),
        ("src/call.py/none", "PATH_NOT_FOUND"),
        (".git", "PATH_DENIED"),
        ("src\x00", "PATH_INVALID"),
    ]:
        assert served.error("list_dir", repo="code", path=path)["code"] == code, path


@pytest.mark.parametrize("path", ["..", "guide/../..", "/", "/etc", "../code"])
def test_l5_a_folder_outside_is_refused(served: TwoRoots, path: str) -> None:
    assert served.error("list_dir", repo="docs", path=path)["code"] == "PATH_OUTSIDE_ROOT"


def test_l6_a_long_folder_comes_in_parts(make: Make) -> None:
    served = make(docs={f"f{number:04}.md": "" for number in range(1001)})
    envelope = served("list_dir", repo="docs")
    assert envelope["meta"]["truncated"] is True
    assert (len(envelope["result"]["entries"]), envelope["result"]["total"]) == (1000, 1001)
    rest = served("list_dir", repo="docs", cursor=envelope["result"]["cursor"])
    assert [item["name"] for item in rest["result"]["entries"]] == ["f1000.md"]
    assert rest["meta"]["truncated"] is False
    assert served.error("list_dir", repo="docs", limit=0)["code"] == "LIMIT_INVALID"
    assert served.error("list_dir", repo="docs", cursor="none")["code"] == "CURSOR_INVALID"
