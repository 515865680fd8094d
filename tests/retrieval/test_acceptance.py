"""The checklist of docs/acceptance.md: each test runs the point that its name begins with."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.config_roots import RootsError
from repo_mcp.tools.retrieval import DEFAULT_MATCHES
from tests.repo_mcp.tree_files import write
from tests.retrieval.two_roots import BY_NAME, CODE, DOCS, TwoRoots

ROOT = Path(__file__).parents[2]
POINT = re.compile(r"^- ([A-Z]\d+): ", re.MULTILINE)

Make = Callable[..., TwoRoots]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[TwoRoots] = []

    def new(**more: Any) -> TwoRoots:  # noqa: ANN401 any option
        made.append(TwoRoots(tmp_path / f"t{len(made)}", **more))
        return made[-1]

    yield new
    for served in made:
        served.close()


@pytest.fixture
def served(make: Make) -> TwoRoots:
    return make()


@pytest.mark.requirement("RET-FR-015")
def test_every_point_of_the_checklist_is_run_and_no_other() -> None:
    points = POINT.findall((ROOT / "docs" / "acceptance.md").read_text("utf-8"))
    assert len(points) == len(set(points)) > 20
    names = [name.split("_")[1].upper() for name in globals() if re.match(r"test_[a-z]\d+_", name)]
    assert sorted(set(names)) == sorted(points)
    for tool in BY_NAME:
        assert f"\n## {tool}\n" in (ROOT / "docs" / "acceptance.md").read_text("utf-8")


# search


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
    calls = [("search", {"query": "needle"}), ("search", {"query": "retry doubles"})]
    calls += [("list_dir", {"repo": "code"}), ("open_file", {"repo": "docs", "path": "README.md"})]
    expected = [told(first, name, arguments) for name, arguments in calls]
    for _ in range(100):
        assert [told(first, name, arguments) for name, arguments in calls] == expected
    first.restart()
    for served in (first, copy):
        assert [told(served, name, arguments) for name, arguments in calls] == expected


def told(served: TwoRoots, name: str, arguments: dict[str, object]) -> str:
    """An answer without how long it took."""
    envelope = served(name, **arguments)
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


# open_file


@pytest.mark.requirement("RET-FR-004")
def test_o1_the_whole_file_is_given_with_numbers(make: Make) -> None:
    served = make(code={"long.txt": "".join(f"line {number}\n" for number in range(1, 5001))})
    result = served.result("open_file", repo="code", path="long.txt")
    rows = [f"{number}\tline {number}" for number in range(1, 5001)]
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
    assert (result["content"], result["encoding"]) == ("1\teins\n2\t\n3\tzwei", encoding)


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
    rows = ["1\tbackoff = 1", "2\tbackoff = 1", "3\tbackoff = 1", "4\tx = retry"]
    assert result["content"] == "\n".join(rows[int(first) - 1 : int(last)])
    assert (result["start_line"], result["end_line"]) == (int(first), int(last))
    assert (result["total_lines"], result["clamped"]) == (4, False)


@pytest.mark.requirement("RET-FR-005")
@pytest.mark.parametrize("last", [5, 1000])
def test_g2_a_range_beyond_the_end_is_clamped(served: TwoRoots, last: int) -> None:
    result = served.result(
        "get_snippet", repo="code", path="src/deep/er/x.py", start_line=4, end_line=last
    )
    assert (result["content"], result["end_line"], result["clamped"]) == ("4\tx = retry", 4, True)


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


# all tools

EVERY: list[tuple[str, dict[str, object]]] = [
    ("search", {"query": "needle"}),
    ("open_file", {"repo": "docs", "path": "README.md"}),
    ("get_snippet", {"repo": "code", "path": "src/call.py", "start_line": 1, "end_line": 2}),
    ("list_dir", {"repo": "docs"}),
]


@pytest.mark.requirement("RET-FR-007")
def test_a1_inputs_and_outputs_have_schemas(served: TwoRoots) -> None:
    assert [name for name, _ in EVERY] == list(BY_NAME)
    for name, arguments in EVERY:
        declared = BY_NAME[name].declaration()
        assert declared["inputSchema"]["type"] == declared["outputSchema"]["type"] == "object"
        assert set(arguments) <= set(declared["inputSchema"]["properties"])
        served.answer(name, **arguments)  # which validates it
        missing = served.error(name)
        assert missing["code"] in {"ARGUMENT_INVALID", "REPO_INVALID"}
        unknown = served.error(name, **arguments, depth=3)
        assert unknown["code"] == "ARGUMENT_INVALID"
        assert "depth" in unknown["details"]["reason"]


@pytest.mark.requirement("RET-FR-007")
def test_a2_every_answer_has_the_envelope(served: TwoRoots) -> None:
    for name, arguments in EVERY:
        envelope = served(name, **arguments)
        assert set(envelope) == {"result", "meta"}
        assert type(envelope["meta"]["duration_ms"]) is int
        failed = served(name, **{**arguments, "repo": "other"})
        assert set(failed) == {"error", "meta"}
        assert failed["meta"]["repo"] == ""
        assert failed["error"]["message"]


@pytest.mark.requirement("RET-EDGE")
@pytest.mark.parametrize("repo", ["other", "Docs", "", "both ", "../docs", 7])
def test_a3_a_repo_that_is_not_served_is_refused(served: TwoRoots, repo: object) -> None:
    for name, arguments in EVERY:
        error = served.error(name, **{**arguments, "repo": repo})
        assert error["code"] == "REPO_INVALID"
        assert error["details"]["allowed"][:2] == ["docs", "code"]
    for name in ("open_file", "list_dir"):
        assert served.error(name, repo="both", path="x")["code"] == "REPO_INVALID"


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that can be seen of a tree from outside, but for when it was read."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        kept = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        about = (kept.st_mode, kept.st_ino, kept.st_nlink, kept.st_mtime_ns, kept.st_ctime_ns)
        found[str(path)] = (*about, kept.st_uid, data)
    return found


WATCHED = """
import json, os, sys
roots = tuple(json.loads(sys.argv[1]))
changing = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod"}
changing |= {"os.chown", "os.truncate", "os.utime", "os.setxattr", "os.removexattr", "shutil.move"}
bad = []
def inside(name):
    try:
        text = os.path.realpath(os.path.abspath(os.fsdecode(name)))
    except (TypeError, ValueError):
        return False
    return any(text == root or text.startswith(root + os.sep) for root in roots)
def watch(event, arguments):
    if event == "open" and inside(arguments[0]):
        flags = arguments[2] or 0
        mode = arguments[1] or ""
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) or set(mode) & set("wax+"):
            bad.append([event, str(arguments[0])])
    elif event in changing and any(inside(item) for item in arguments[:2] if item is not None):
        bad.append([event, str(arguments)])
    elif event.startswith("socket."):
        bad.append([event, ""])
from tests.retrieval.test_acceptance import EVERY
from tests.retrieval.two_roots import TwoRoots
from pathlib import Path
served = TwoRoots(Path(sys.argv[2]), docs={}, code={})
sys.addaudithook(watch)
for _ in range(3):
    for name, arguments in EVERY:
        served.result(name, **arguments)
served.error("open_file", repo="docs", path="../x")
served.close()
print(json.dumps(bad))
"""


def watched(served: TwoRoots) -> list[list[str]]:
    """What a process that answers calls does to the roots, or to the network."""
    roots = json.dumps([str(served.docs.resolve()), str(served.code.resolve())])
    command = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"]
    command[-1] += WATCHED
    command += [roots, str(served.docs.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("RET-FR-010")
def test_a4_nothing_in_the_roots_is_changed(served: TwoRoots) -> None:
    before = state(served.docs), state(served.code)
    assert [item for item in watched(served) if not item[0].startswith("socket.")] == []
    for name, arguments in EVERY * 2:
        served.result(name, **arguments)
    served.restart()
    served.found("needle")
    assert (state(served.docs), state(served.code)) == before


@pytest.mark.requirement("RET-LOG")
def test_a5_calls_are_logged_without_what_files_hold(
    served: TwoRoots, capfd: pytest.CaptureFixture[str]
) -> None:
    write(served.docs, {"secret.md": "hush_hush_content needle\n"})
    served.found("needle", repo="docs")
    served.result("open_file", repo="docs", path="secret.md")
    served.error("open_file", repo="code", path="../../x")
    served.error("list_dir", repo="nowhere")
    told = capfd.readouterr().err.splitlines()
    expected = [
        ("search", "docs", "OK"),
        ("open_file", "docs", "OK"),
        ("open_file", "code", "PATH_OUTSIDE_ROOT"),
        ("list_dir", "-", "REPO_INVALID"),
    ]
    for line, (tool, repo, code) in zip(told, expected, strict=True):
        assert re.fullmatch(rf"repo-mcp: {tool} repo={repo} duration_ms=\d+ code={code}", line)
    log = served.log()
    assert [(line["tool"], line["arguments"]["repo"], line["code"]) for line in log] == [
        ("retrieval/search", "docs", ""),
        ("retrieval/open_file", "docs", ""),
        ("retrieval/open_file", "code", "PATH_OUTSIDE_ROOT"),
        ("retrieval/list_dir", "", "REPO_INVALID"),
    ]
    assert all(line["milliseconds"] >= 0 for line in log)
    assert "hush_hush" not in json.dumps(log) + "".join(told)
    assert "../" not in json.dumps(log)


@pytest.mark.requirement("RET-FR-012")
def test_a6_no_network_is_used(served: TwoRoots) -> None:
    assert [item for item in watched(served) if item[0].startswith("socket.")] == []


def test_a7_a_root_that_goes_away_is_reported(served: TwoRoots) -> None:
    assert served.found("doubles")
    shutil.move(served.docs, served.docs.with_name("moved"))
    for name, arguments in EVERY:
        error = served.error(name, **{**arguments, "repo": "docs"})
        assert error["code"] == "ROOT_INVALID"
        assert error["details"]["reason"] == "not_found"
    assert served.found("retry", repo="code")
    write(served.docs, {"back.md": "it doubles again\n"})
    assert served.found("doubles") == [("docs", "back.md", 1)]


@pytest.mark.requirement("RET-FR-009")
@pytest.mark.parametrize(
    ("docs", "reason"), [("", "missing"), ("none", "not_found"), ("file", "not_a_folder")]
)
@pytest.mark.parametrize("asked", [{"toolsets": ("retrieval",)}, {"tools": ("list_dir",)}])
def test_a8_without_its_roots_the_toolset_is_not_served(
    served: TwoRoots, docs: str, reason: str, asked: dict[str, tuple[str, ...]]
) -> None:
    write(served.docs.parent, {"file": ""})
    named = str(served.docs.parent / docs) if docs else ""
    options = served.options._replace(docs_root=named, **{"toolsets": (), **asked})
    with pytest.raises(RootsError) as refused:
        App(options)
    line, data = str(refused.value).splitlines()
    assert line.startswith("ROOT_INVALID: DOCS_ROOT ")
    error = json.loads(data)["error"]
    assert error["code"] == "ROOT_INVALID"
    assert error["details"]["roots"] == [
        {"repo": "docs", "variable": "DOCS_ROOT", "path": named, "reason": reason}
    ]


def test_the_trees_of_these_tests_hold_what_they_are_about() -> None:
    assert sum(b"needle" in str(data).lower().encode() for data in CODE.values()) > 5
