"""`list_directory`: names, types and sizes of one folder, sorted, without hidden entries."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from repo_mcp.toolsets.codeagent.declarations import MOST_BYTES
from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    ".env": "TOKEN=hidden",
    ".github/ci.yml": "on: push\n",
    ".gitignore": "*.log\nbuild/\n/only-top\n",
    "README.md": "# Title\n",
    "build/out.txt": "x",
    "logo.png": b"\x89PNG\r\n\x1a\n\0",
    "only-top": "x",
    "src/.gitignore": "!kept.log\nlocal.*\n",
    "src/a.py": "a = 1\n",
    "src/b/c.py": "",
    "src/kept.log": "x",
    "src/local.toml": "x",
    "src/only-top": "xyz",
    "trace.log": "x",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


@pytest.mark.requirement("CAE-list_directory")
@pytest.mark.parametrize("arguments", [{}, {"path": ""}, {"path": "."}, {"path": None}])
def test_the_root_is_listed_unless_told_otherwise(
    call: Caller, arguments: dict[str, object]
) -> None:
    assert call("list_directory", **arguments) == {
        "entries": [
            {"name": ".github", "type": "directory"},
            {"name": ".gitignore", "type": "file", "size": len(FILES[".gitignore"])},
            {"name": "README.md", "type": "file", "size": 8},
            {"name": "logo.png", "type": "file", "size": 9},
            {"name": "src", "type": "directory"},
        ]
    }


@pytest.mark.requirement("CAE-list_directory")
@pytest.mark.parametrize(
    "path", ["src", "src/", "./src", "src/.", "src/b/..", "b/../src", "/{root}/src"]
)
def test_a_folder_is_named_by_any_path_that_leads_to_it(
    call: Caller, root: Path, path: str
) -> None:
    found = call("list_directory", path=path.replace("/{root}", root.as_posix()))
    assert [(item["name"], item.get("size")) for item in found["entries"]] == [
        (".gitignore", len(FILES["src/.gitignore"])),
        ("a.py", 6),
        ("b", None),
        ("kept.log", 1),
        ("only-top", 3),
    ]


def test_a_folder_that_is_ignored_shows_nothing_and_says_why(call: Caller) -> None:
    found = call("list_directory", path="build")
    assert found["entries"] == []
    assert ".gitignore" in found["warnings"][0]


def test_an_empty_folder_has_no_entries(call: Caller, root: Path) -> None:
    (root / "empty").mkdir()
    assert call("list_directory", path="empty") == {"entries": []}


def test_a_repository_in_the_repository_begins_anew_with_rules(call: Caller, root: Path) -> None:
    write(root, {"inner/.git/HEAD": "x", "inner/a.log": "", "inner/.gitignore": "b.txt"})
    write(root, {"inner/b.txt": ""})
    assert call.names("inner") == [".gitignore", "a.log"]


def test_rules_that_hide_everything_are_those_of_another_place(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {".gitignore": "*\n*.log\n", "a.py": "", "b.log": ""})
    assert Caller(root, tmp_path / "data").names() == [".gitignore", "a.py"]


@pytest.mark.requirement("CAE-list_directory")
@pytest.mark.parametrize("path", ["..", "../root", "src/../..", "/", "/etc", "src/../../outside"])
def test_a_path_that_leads_out_is_refused(call: Caller, path: str) -> None:
    assert call.code("list_directory", path=path) == "path_escape"


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("none", "not_found", "no such file"),
        ("src/none/deep", "not_found", "no such file"),
        ("README.md", "invalid_parameter", "not a folder"),
        ("README.md/deep", "invalid_parameter", "not a folder"),
        ("src/\nb", "invalid_parameter", "control characters"),
        ("s" * 300, "invalid_parameter", "255 bytes"),
        ("s/" * 3000, "invalid_parameter", "4096"),
        (7, "not_found", "no such file"),
        (["src"], "invalid_parameter", "path is ['src'], not a string"),
    ],
)
def test_what_can_not_be_listed(call: Caller, path: object, code: str, said: str) -> None:
    error = call.error("list_directory", path=path)
    assert (error["code"], said in error["message"]) == (code, True)


@pytest.mark.parametrize("path", [".git", ".git/hooks", "src/.ssh", "none/.ssh", ".ENV"])
def test_a_denied_folder_is_refused_alike_whether_or_not_it_is_there(
    call: Caller, root: Path, path: str
) -> None:
    absent = call.error("list_directory", path=path)
    write(root, {f"{path}/file" if path != ".ENV" else path: "x"})
    assert call.error("list_directory", path=path) == absent
    assert absent["code"] == "not_found"
    assert absent["message"].startswith("blocked: ")


def test_the_data_folder_is_not_shown(root: Path) -> None:
    call = Caller(root, root / "here")
    call("index_files", paths=["src/a.py"])
    assert "here" not in call.names()
    assert call.code("list_directory", path="here") == "not_found"


@pytest.mark.requirement("CAE-list_directory")
@pytest.mark.skipif(os.name == "nt", reason="links")
def test_links_are_shown_only_where_they_lead_to_a_file_inside(
    call: Caller, root: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"outside/there.txt": "secret"})
    links = {
        "in": "a.py",
        "up": "../README.md",
        "env": "../.env",
        "out": "../../outside/there.txt",
        "absent": "../../outside/absent.txt",
        "folder": "b",
        "folder-out": "../../outside",
        "loop": "loop",
    }
    for name, target in links.items():
        (root / "src" / name).symlink_to(target)
    found = call("list_directory", path="src")
    shown = {item["name"]: item.get("size") for item in found["entries"]}
    assert shown.keys() & links.keys() == {"in", "up"}
    assert (shown["in"], shown["up"]) == (6, 8)
    assert found["warnings"] == ["left out: 6 links (not followed)"]
    for name in ("folder", "folder-out", "folder-out/deep", "loop", "out"):
        assert call.code("list_directory", path=f"src/{name}") == "invalid_parameter"


@pytest.mark.skipif(os.name == "nt", reason="pipes and such names")
def test_what_no_call_can_name_or_open_is_counted(call: Caller, root: Path) -> None:
    os.mkfifo(root / "src" / "b" / "pipe")
    for name in (b"line\nfeed", b"back\\slash", b"\xff\xfe", b"pipe.log\n"):
        (root / "src" / "b" / os.fsdecode(name)).write_text("")
    found = call("list_directory", path="src/b")
    assert [item["name"] for item in found["entries"]] == ["c.py"]
    assert found["warnings"] == [
        "left out: 4 file names (that no call can name), 1 special file (pipes, sockets, devices)"
    ]


@pytest.mark.skipif(os.name == "nt", reason="such names")
def test_odd_names_are_shown_in_the_order_of_their_bytes(call: Caller, root: Path) -> None:
    names = ["\u202ertl", "é", "e\u0301", "名前", " lead", "trail ", "quote'\"", '"quoted"', "😀"]
    names += ["a)", "… (truncated)", "[br]", "%41", "-dash", "x" * 255, "{}", "$(touch x)", "~1"]
    write(root, {f"odd/{name}": "" for name in names})
    assert call.names("odd") == sorted(names, key=str.encode)


def test_a_listing_that_is_too_long_is_cut_and_says_so(call: Caller, root: Path) -> None:
    names = [f"{number:05}-{'n' * 230}" for number in range(2500)]
    folder = root / "many"
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    found = call("list_directory", path="many")
    count = len(found["entries"])
    assert found["truncated"] is True
    assert [item["name"] for item in found["entries"]] == names[:count]
    written = json.dumps(found["entries"], separators=(",", ":"))
    assert MOST_BYTES - 1000 < len(written) <= MOST_BYTES + 1
    assert found["warnings"][0].startswith(f"cut after {count} of at most 2500")
