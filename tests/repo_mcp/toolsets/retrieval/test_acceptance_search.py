"""Points of docs/acceptance.md on search; each test is named by its point."""

from __future__ import annotations

import json

import pytest

from repo_mcp.toolsets.kit.cursors import encode_cursor
from repo_mcp.toolsets.retrieval.declarations import DEFAULT_MATCHES
from tests.repo_mcp.toolsets.retrieval.two_roots import BY_NAME, CODE, Make, TwoRoots
from tests.repo_mcp.tree_files import write


@pytest.mark.requirement("RET-FR-002")
def test_s1_matches_come_by_repo_path_and_line(served: TwoRoots) -> None:
    assert served.found("backoff") == [
        ("docs", "guide/intro.md", 1),
        ("docs", "guide/intro.md", 2),
        ("code", "src/call.py", 2),
        ("code", "src/deep/er/x.py", 1),
        ("code", "src/deep/er/x.py", 2),
        ("code", "src/deep/er/x.py", 3),
    ]
    # paths are compared by their bytes: capitals first
    assert [path for _, path, _ in served.found("needle", repo="code")] == [
        "src/Zeta.py",
        "src/alpha.weird",
        "src/call.py",
    ]


@pytest.mark.requirement("RET-FR-003")
def test_s2_a_match_has_path_line_and_preview(served: TwoRoots) -> None:
    (match,) = served.result("search", query="RETRY(", repo="code")["matches"]
    assert match == {
        "repo": "code",
        "path": "src/call.py",
        "line": 2,
        "preview": "retry(backoff=2)",
    }


def test_s3_letter_case_counts_only_when_asked_for(served: TwoRoots) -> None:
    assert len(served.found("NEEDLE", repo="code")) == 3
    assert served.found("Needle", repo="code", case_sensitive=True) == [
        ("code", "src/alpha.weird", 1)
    ]
    assert served.found("eedl", repo="docs") == [("docs", "guide/setup.txt", 1)]


def test_s4_a_line_must_hold_all_words(served: TwoRoots) -> None:
    result = served.result("search", query="backoff retry")
    assert result["scope"] == "line"
    assert served.found("backoff retry") == [
        ("docs", "guide/intro.md", 1),
        ("code", "src/call.py", 2),
    ]


def test_s5_where_no_line_does_files_with_all_words_are_found(served: TwoRoots) -> None:
    result = served.result("search", query="retry doubles")
    assert result["scope"] == "file"
    assert served.found("retry doubles") == [
        ("docs", "guide/intro.md", 1),
        ("docs", "guide/intro.md", 2),
    ]
    assert served.found("needle call") == [("code", "src/call.py", 1), ("code", "src/call.py", 3)]
    # a line in the other root is better than files in this one
    assert served.found("retry backoff=2") == [("code", "src/call.py", 2)]
    assert served.found("retry nowhere") == []


def test_s6_a_phrase_is_taken_as_it_is_written(served: TwoRoots) -> None:
    assert served.found('"the needle"') == [("docs", "guide/setup.txt", 1)]
    assert served.found('"the  needle"') == []
    assert served.found('"needle the"') == []


def test_s7_repo_narrows_the_search(served: TwoRoots) -> None:
    both = served.found("needle")
    assert both == served.found("needle", repo="both")
    assert both == served.found("needle", repo="docs") + served.found("needle", repo="code")
    assert served("search", query="needle")["meta"]["repo"] == "both"
    assert served("search", query="needle", repo="docs")["meta"]["repo"] == "docs"


@pytest.mark.requirement("RET-FR-013")
@pytest.mark.parametrize(("lines", "truncated"), [(200, False), (201, True)])
def test_s8_two_hundred_matches_unless_told(make: Make, lines: int, truncated: bool) -> None:  # noqa: FBT001 a parameter of the test
    served = make(docs={"a.md": "word\n" * 150}, code={"b.md": "word\n" * (lines - 150)})
    envelope = served("search", query="word")
    assert len(envelope["result"]["matches"]) == min(lines, DEFAULT_MATCHES) == 200
    assert envelope["meta"]["truncated"] is truncated
    assert bool(envelope["result"]["cursor"]) is truncated
    schema = BY_NAME["search"].declaration()["inputSchema"]["properties"]
    assert {name: item["default"] for name, item in schema.items() if "default" in item} == {
        "repo": "both",
        "limit": 200,
        "case_sensitive": False,
    }


@pytest.mark.parametrize("query", ["backoff", "retry doubles", "e"])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_s9_pages_together_are_the_whole_answer(served: TwoRoots, query: str, limit: int) -> None:
    pages = [served("search", query=query, limit=limit)]
    while pages[-1]["meta"]["truncated"]:
        cursor = pages[-1]["result"]["cursor"]
        pages.append(served("search", query=query, limit=limit, cursor=cursor))
    assert all(len(page["result"]["matches"]) == limit for page in pages[:-1])
    whole = served.result("search", query=query)["matches"]
    assert [match for page in pages for match in page["result"]["matches"]] == whole
    assert len(whole) > 1


def test_pages_go_on_after_a_path_of_any_length_and_alphabet(make: Make) -> None:
    deep = "/".join("\u6f22" * 80 for _ in range(16))
    served = make(docs={f"{deep}/a.md": "word\n", f"{deep}/b.md": "word\n"}, code={})
    first = served.result("search", query="word", limit=1)
    rest = served.found("word", limit=1, cursor=first["cursor"])
    assert rest == [("docs", f"{deep}/b.md", 1)]


@pytest.mark.parametrize(
    ("repo", "path", "line", "scope"),
    [
        ("other", "a.md", 1, "line"),
        ("code", "a.md", 1, "line"),
        ("docs", "\ud800", 1, "line"),
        ("docs", ".hidden.md", 1, "line"),
        ("docs", "a.md", 0, "line"),
        ("docs", "a.md", 1, "word"),
    ],
)
def test_a_cursor_that_was_made_up_is_refused(
    served: TwoRoots, repo: str, path: str, line: int, scope: str
) -> None:
    made_up = encode_cursor(["needle", "docs", False, None], 0, [scope, repo, path, line])
    error = served.error("search", query="needle", repo="docs", cursor=made_up)
    assert error["code"] == "CURSOR_INVALID"


@pytest.mark.requirement("RET-EDGE")
def test_s10_what_is_no_text_or_not_meant_is_skipped(served: TwoRoots) -> None:
    for _ in range(2):  # while the index is made, and from it
        assert served.found("needle") == [
            ("docs", "guide/setup.txt", 1),
            ("code", "src/Zeta.py", 1),
            ("code", "src/alpha.weird", 1),
            ("code", "src/call.py", 3),
        ]


@pytest.mark.requirement("RET-EDGE")
def test_s11_a_blank_query_and_a_limit_of_zero_are_refused(served: TwoRoots) -> None:
    for query in ("", "  ", '""'):
        assert served.error("search", query=query)["code"] == "QUERY_INVALID"
    for limit in (0, -1, 2001):
        error = served.error("search", query="x", limit=limit)
        assert error["code"] == "LIMIT_INVALID"
        assert error["details"] == {"argument": "limit", "minimum": 1, "maximum": 2000}


def test_s12_equal_questions_have_equal_answers(make: Make) -> None:
    first, copy = make(), make()
    calls: list[tuple[str, dict[str, object]]] = [
        ("search", {"query": "needle"}),
        ("search", {"query": "retry doubles"}),
    ]
    calls += [("list_dir", {"repo": "code"}), ("open_file", {"repo": "docs", "path": "README.md"})]
    expected = [told(first, name, arguments) for name, arguments in calls]
    for _ in range(100):
        assert [told(first, name, arguments) for name, arguments in calls] == expected
    first.restart()
    for served in (first, copy):
        assert [told(served, name, arguments) for name, arguments in calls] == expected


def told(served: TwoRoots, name: str, arguments: dict[str, object]) -> str:
    """An answer without how long it took; that it keeps its schema is seen elsewhere."""
    envelope = served.app.call(name, arguments, lambda: False)["structuredContent"]
    assert envelope["meta"].pop("duration_ms") >= 0
    return json.dumps(envelope)


def test_s13_files_are_found_as_they_are_now(served: TwoRoots) -> None:
    assert served.found("doubles") == [("docs", "guide/intro.md", 2)]
    write(served.docs, {"guide/intro.md": "one\ntwo\nit doubles\n"})
    assert served.found("doubles") == [("docs", "guide/intro.md", 3)]
    (served.docs / "guide" / "intro.md").unlink()
    assert served.found("doubles") == []
    write(served.code, {"new.py": "doubles = 1\n"})
    served.restart()
    assert served.found("doubles") == [("code", "new.py", 1)]


def test_s14_a_glob_narrows_the_search(served: TwoRoots) -> None:
    assert served.found("needle", glob="*.py") == [
        ("code", "src/Zeta.py", 1),
        ("code", "src/call.py", 3),
    ]
    assert served.found("needle", glob="guide/**") == [("docs", "guide/setup.txt", 1)]
    assert served.error("search", query="x", glob="*" * 99)["code"] == "PATH_INVALID"


def test_the_trees_of_these_tests_hold_what_they_are_about() -> None:
    assert sum(b"needle" in str(data).lower().encode() for data in CODE.values()) > 5
