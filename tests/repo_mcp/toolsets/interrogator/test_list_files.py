"""`repo.list_files`: files in order of path, in pages, from the index or from a walk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.toolsets.kit.index_warnings import COMPARING
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    ".github/workflows/ci.yml": "on: push\n",
    ".env": "TOKEN=hidden",
    "README.md": "# Title\n",
    "docs/guide.md": "# Guide\n",
    "docs/logo.png": b"\x89PNG\r\n\x1a\n\0",
    "docs/large.md": "x" * 3_000,
    "node_modules/left/pad.js": "x",
    "src/a.py": "a = 1\n",
    "src/b/c.py": "c = 1\n",
    "ignored.log": "x",
    ".gitignore": "*.log\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data", limits={"max_file_bytes": 2_000})


def paths(result: dict[str, Any]) -> list[str]:
    return [item["path"] for item in result["files"]]


@pytest.mark.requirement("INT-11.2-list-files")
@pytest.mark.parametrize("indexed", [False, True])
def test_a_file_has_path_size_and_time(call: Caller, root: Path, *, indexed: bool) -> None:
    os.utime(root / "src" / "a.py", (1_700_000_000, 1_700_000_000))
    if indexed:
        call.result("repo.refresh_index")
    found = call.result("repo.list_files", glob="src/*.py", max_results=1, include_hidden=False)
    assert found["files"] == [{"path": "src/a.py", "size": 6, "mtime": "2023-11-14T22:13:20Z"}]
    assert (found["total"], found["truncated"], found["complete"]) == (1, False, True)
    assert found["scope"] == ("indexed" if indexed else "all")


def test_text_files_are_listed_in_order(call: Caller) -> None:
    call.result("repo.refresh_index")
    found = call.result("repo.list_files")
    assert paths(found) == ["README.md", "docs/guide.md", "src/a.py", "src/b/c.py"]
    assert found["scope"] == "indexed"


def test_an_index_is_compared_before_its_files_are_listed(call: Caller, root: Path) -> None:
    call.result("repo.refresh_index")
    write(root, {"src/new.py": "n = 1\n"})
    found = call("repo.list_files", glob="src/*.py")
    assert paths(found["result"]) == ["src/a.py", "src/new.py"]
    assert COMPARING.text not in found["warnings"]


def test_where_that_takes_long_the_list_says_that_it_may_be_old(call: Caller, root: Path) -> None:
    call.result("repo.refresh_index")
    call.app.services.running().background._worker.walks.seconds = 5.0
    write(root, {"src/new.py": "n = 1\n"})
    assert COMPARING.text in call("repo.list_files", glob="src/*.py")["warnings"]


def test_hidden_files_are_listed_when_they_are_wanted(call: Caller) -> None:
    call.result("repo.refresh_index")
    assert ".gitignore" in paths(call.result("repo.list_files", include_hidden=True))
    assert paths(call.result("repo.list_files", glob=".github/**")) == [".github/workflows/ci.yml"]


@pytest.mark.parametrize("arguments", [{}, {"include_hidden": True}, {"glob": "**"}])
@pytest.mark.parametrize("indexed", [False, True])
def test_denied_ignored_and_foreign_files_are_never_listed(
    call: Caller, arguments: dict[str, object], *, indexed: bool
) -> None:
    if indexed:
        call.result("repo.refresh_index")
    listed = set(paths(call.result("repo.list_files", **arguments)))
    assert not listed & {".env", "ignored.log", "node_modules/left/pad.js"}
    for glob in (".env", "*.log", "node_modules/**", "../**", "/etc/**", ".git/**"):
        assert call.result("repo.list_files", glob=glob)["files"] == []


@pytest.mark.parametrize(
    ("glob", "expected", "scope"),
    [
        ("docs/**", ["docs/guide.md", "docs/large.md", "docs/logo.png"], "all"),
        ("*.png", ["docs/logo.png"], "all"),
        ("**/*.py", ["src/a.py", "src/b/c.py"], "indexed"),
        ("src/**/*.py", ["src/a.py", "src/b/c.py"], "indexed"),
        ("README*", ["README.md"], "indexed"),
        ("no/such/folder/**", [], "all"),
        ("*.md, src/**, !src/b/**", ["README.md", "docs/guide.md", "src/a.py"], "indexed"),
        ("docs/*.png, docs/*.md, !docs/large*", ["docs/guide.md", "docs/logo.png"], "all"),
        ("!*.md, !docs/", ["src/a.py", "src/b/c.py"], "indexed"),
    ],
)
def test_a_folder_or_another_kind_of_file_is_looked_up_where_it_lies(
    call: Caller, glob: str, expected: list[str], scope: str
) -> None:
    call.result("repo.refresh_index")
    found = call.result("repo.list_files", glob=glob)
    assert (paths(found), found["scope"]) == (expected, scope)


def test_a_folder_alone_means_what_is_in_it(call: Caller) -> None:
    found = call("repo.list_files", glob="docs")
    assert paths(found["result"]) == ["docs/guide.md", "docs/large.md", "docs/logo.png"]
    assert "docs is a folder: docs/** is listed" in found["warnings"]
    several = call("repo.list_files", glob="docs, src, !b, !*.png")
    assert paths(several["result"]) == ["docs/guide.md", "docs/large.md", "src/a.py"]


def test_of_a_large_repository_folders_come_first_and_then_all_files(
    call: Caller, root: Path
) -> None:
    names = [f"many/{number % 7}/{number:03}.py" for number in range(230)]
    write(root, dict.fromkeys(names, "x = 1\n"))
    call.result("repo.refresh_index")
    overview, *pages = call.pages("repo.list_files")
    assert overview["folders"] == [
        *("docs/ 1", "many/ 230"),
        *(f"many/{number}/ {33 if number < 6 else 32}" for number in range(7)),
        *("src/ 2", "src/b/ 1"),
    ]
    assert paths(overview) == ["README.md"]
    assert (overview["total"], overview["truncated"]) == (234, True)
    listed = [path for page in pages for path in paths(page)]
    assert listed == sorted(["README.md", "docs/guide.md", *names, "src/a.py", "src/b/c.py"])


def test_a_flat_repository_has_no_folders_to_show_first(tmp_path: Path) -> None:
    names = [f"{number:03}.py" for number in range(150)]
    call = Caller(write(tmp_path / "flat", dict.fromkeys(names, "x\n")), tmp_path / "data")
    call.result("repo.refresh_index")
    pages = call.pages("repo.list_files")
    assert [path for page in pages for path in paths(page)] == names


def test_pages_make_up_the_whole(call: Caller, root: Path) -> None:
    names = [f"many/{number:03}.py" for number in range(230)]
    write(root, dict.fromkeys(names, "x = 1\n"))
    call.result("repo.refresh_index")
    whole = ["README.md", "docs/guide.md", *names, "src/a.py", "src/b/c.py"]
    pages = call.pages("repo.list_files", glob="**", max_results=60)
    assert [path for page in pages for path in paths(page)] == whole
    assert {page["total"] for page in pages} == {234}
    assert pages[0]["folders"] == ["many/ 230", "src/ 2", "./ 1", "docs/ 1"]
    assert [bool(page["folders"]) for page in pages[1:]] == [False] * (len(pages) - 1)


def test_a_page_goes_on_after_a_path_that_is_gone(call: Caller, root: Path) -> None:
    write(root, {f"many/{number}.py": "x = 1\n" for number in range(9)})
    call.result("repo.refresh_index")
    first = call.result("repo.list_files", glob="many/*.py", max_results=3)
    (root / "many" / "2.py").unlink()
    call.result("repo.refresh_index")
    rest = call("repo.list_files", glob="many/*.py", cursor=first["cursor"])
    assert paths(rest["result"]) == [f"many/{number}.py" for number in range(3, 9)]
    assert any("the index has changed" in text for text in rest["warnings"])


def test_a_file_that_is_gone_since_it_was_indexed_is_not_listed(call: Caller, root: Path) -> None:
    call.result("repo.refresh_index")
    call.app.services.running().background._worker.walks.seconds = 5.0
    (root / "src" / "a.py").unlink()
    found = call("repo.list_files", glob="*.py")
    assert paths(found["result"]) == ["src/b/c.py"]
    assert "1 file of the index gone or no longer readable" in found["warnings"]


def test_an_unreasonable_glob_is_refused(call: Caller) -> None:
    assert call.refusal("repo.list_files", glob="*?" * 50)["code"] == "argument_invalid"


@pytest.mark.skipif(os.name == "nt", reason="such names can't be made there")
@pytest.mark.parametrize("indexed", [False, True])
def test_names_that_nobody_can_open_are_not_listed(
    call: Caller, root: Path, *, indexed: bool
) -> None:
    for name in (b"bad\xff.py", b"new\nline.py", b"escape\x1b[31m.py", b"fine\xc3\xa9.py"):
        (root / "src" / os.fsdecode(name)).write_text("x = 1\n")
    if indexed:
        call.result("repo.refresh_index")
    for glob in (None, "src/**", "**/*.py"):
        found = call.answer("repo.list_files", glob=glob)
        listed = paths(found["structuredContent"]["result"])
        assert [path for path in listed if path.startswith("src/")] == [
            "src/a.py",
            "src/b/c.py",
            "src/fine\u00e9.py",
        ]
        assert "\x1b" not in found["content"][0]["text"]


@pytest.mark.parametrize("there", [False, True])
def test_a_glob_for_files_of_secrets_is_told_the_rule_and_not_whether_there_are_any(
    call: Caller, root: Path, *, there: bool
) -> None:
    if there:
        write(root, {"docker/some.env": "TOKEN=hidden", "docker/compose.yml": "x: 1\n"})
    call.result("repo.refresh_index")
    for tool, given in (
        ("repo.list_files", {"glob": "docker/*.env"}),
        ("repo.list_files", {"glob": "src/**, docker/*.env"}),
        ("repo.search", {"query": "TOKEN", "mode": "literal", "file_glob": "docker/*.env"}),
        ("repo.search", {"query": "TOKEN", "file_glob": "docker/*.env"}),
    ):
        warnings = [item for item in call(tool, **given)["warnings"] if "*.env" in item]
        rules = [
            item for item in warnings if "files of the rules *.env, .env may hold secrets" in item
        ]
        assert len(rules) == 1
        assert "some.env" not in str(warnings)


def test_templates_in_the_list_are_not_said_to_be_in_none(call: Caller, root: Path) -> None:
    write(root, {".env.production": "TOKEN=hidden", ".env.production.sample": "TOKEN=\n"})
    found = call("repo.list_files", glob=".env.*", include_hidden=True)
    assert paths(found["result"]) == [".env.production.sample"]
    (warning,) = [text for text in found["warnings"] if "may hold secrets" in text]
    assert "templates of them (.env.example and the like) are shown" in warning


def test_a_list_of_a_whole_folder_says_that_it_is_not_all(call: Caller) -> None:
    call.result("repo.refresh_index")
    assert any(
        "stand for secrets" in item for item in call("repo.list_files", glob="docs/*")["warnings"]
    )
    assert not any("secrets" in item for item in call("repo.list_files")["warnings"])


def test_many_empty_files_of_a_folder_are_one_line(call: Caller, root: Path) -> None:
    made: dict[str, str | bytes] = {f"image/s6/service-{at}/depends/base": "" for at in range(12)}
    made |= {f"image/s6/service-{at}/type": "oneshot\n" for at in range(12)}
    made |= {
        f"image/s6/service-{at}/run": f"exec something --number {at} --and more\n"
        for at in range(9)
    }
    made |= {"image/other/empty": "", "image/Dockerfile": "FROM debian\n"}
    write(root, made)
    call.result("repo.refresh_index")
    pages = call.pages("repo.list_files", glob="image/**", max_results=6)
    assert pages[0]["total"] == 35
    assert pages[0]["tiny"] == [
        "image/s6/ 12 files of 0 bytes each",
        "image/s6/ 12 files of 8 bytes each",
    ]
    assert [page["tiny"] for page in pages[1:]] == [[]] * (len(pages) - 1)
    shown = [path for page in pages for path in paths(page)]
    runs = [f"image/s6/service-{at}/run" for at in range(9)]
    assert shown == ["image/Dockerfile", "image/other/empty", *runs]
    inner = call.result("repo.list_files", glob="image/s6/service-*/depends/*")
    assert (len(inner["files"]), inner["tiny"]) == (12, [])


def test_few_empty_files_are_listed(call: Caller, root: Path) -> None:
    write(root, {**{f"src/p{at}/__init__.py": "" for at in range(9)}, "src/long.py": "x = 1\n" * 9})
    call.result("repo.refresh_index")
    found = call.result("repo.list_files", glob="src/**")
    assert (len(found["files"]), found["tiny"]) == (12, [])


def test_the_smallest_page_has_more_than_one_file(call: Caller) -> None:
    asked = {"glob": "**/*.md", "max_chars": 1}
    answer = call.app.call("repo.list_files", asked, lambda: False)
    assert paths(answer["structuredContent"]["result"]) == [
        "README.md",
        "docs/guide.md",
        "docs/large.md",
    ]
