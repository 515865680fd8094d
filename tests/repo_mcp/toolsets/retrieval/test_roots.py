"""Configuration of the two roots, and when the toolset is served."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.protocol.offer import NoResourceError, NotOfferedError
from repo_mcp.settings import ConfigError, Options, read_options, retrieval_roots
from repo_mcp.settings.retrieval_roots import RootsError, data_folder, resolve_roots
from repo_mcp.toolsets.retrieval.declarations import TOOLS
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.tree_files import write

NAMES = {tool.name for tool in TOOLS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("docs", "code", "repo"):
        write(tmp_path / name, {"a.md": f"{name} needle\n"})
    return tmp_path


def given(folder: Path, *flags: tuple[str, str], **around: str) -> Options:
    said = [("repo_root", str(folder / "repo")), ("data_dir", str(folder / "data")), *flags]
    return read_options(said, around)


def tools(found: Options) -> set[str]:
    return {tool["name"] for tool in App(found).tools()} & NAMES


@pytest.mark.requirement("RET-FR-008")
def test_the_folders_are_named_by_variables_flags_or_a_file(folder: Path) -> None:
    docs, code = str(folder / "docs"), str(folder / "code")
    write(folder, {"own/mine.toml": f"[retrieval]\ndocs_root = '../docs'\ncode_root = '{code}'\n"})
    own = str(folder / "own" / "mine.toml")
    for found in (
        given(folder, DOCS_ROOT=docs, CODE_ROOT=code),
        given(folder, ("docs_root", docs), ("code_root", code)),
        given(folder, ("config", own)),
        given(folder, REPO_MCP_CONFIG=own),
    ):
        named = os.path.realpath(found.docs_root), os.path.realpath(found.code_root)
        assert named == (os.path.realpath(docs), os.path.realpath(code))
        assert tools(found) == NAMES
    # a variable counts more than the file, a flag more than both
    other = given(folder, ("config", own), DOCS_ROOT=code)
    assert (other.docs_root, other.code_root) == (code, code)
    assert given(folder, ("docs_root", docs), ("config", own), DOCS_ROOT=code).docs_root == docs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[retrieval]\ndoc_root = 'x'\n", "unknown setting retrieval.doc_root: did you mean"),
        ("[server]\nconfig = 'x'\n", "unknown setting server.config"),
        ("[limits]\nmax_open_lines = 0\n", "limits.max_open_lines 0: must be a whole number"),
        ("[retrieval\n", "not valid TOML"),
        ("a" + ".a" * 20_000 + " = 1", "mine.toml: line 1: a key has more than 10 parts: use"),
        ("x = 0x" + "f" * 9000, "mine.toml: line 1: a name or number without quotes"),
        ("#" * 70_000, "mine.toml: the file has more than 65536 bytes"),
        (None, "No such file"),
    ],
)
def test_a_wrong_file_of_the_user_is_refused(folder: Path, text: str | None, said: str) -> None:
    if text is not None:
        write(folder, {"mine.toml": text})
    with pytest.raises(ConfigError, match=said):
        given(folder, ("config", str(folder / "mine.toml")))


def test_the_file_of_the_user_may_say_what_variables_may(folder: Path) -> None:
    text = (
        "[limits]\nmax_open_lines = 9000\n[security]\ndeny_globs = ['x/{a,b}/**']\n"
        "[server]\ntoolsets = ['retrieval']\nwatch = false\n[indexing]\nchunk_overlap = 3\n"
    )
    write(folder, {"mine.toml": text})
    found = given(folder, ("config", str(folder / "mine.toml")))
    assert found.limits == {"max_open_lines": 9000}
    assert (found.deny_globs, found.toolsets) == (("x/{a,b}/**",), ("retrieval",))
    assert (found.watch, found.chunk_overlap) == (False, 3)


def test_a_repository_can_not_name_the_folders(folder: Path) -> None:
    write(folder, {"repo/repo_mcp.toml": f"[retrieval]\ndocs_root = '{folder}'\n"})
    app = App(given(folder))
    warnings = app.call("repo.status", {}, lambda: False)["structuredContent"]["warnings"]
    assert "a repository can't set docs_root: use --docs-root or DOCS_ROOT" in warnings[0]
    assert tools(given(folder)) == set()


@pytest.mark.parametrize(
    ("toolsets", "around", "served"),
    [
        ("", {"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, True),
        ("default", {"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, True),
        ("all", {"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, True),
        ("retrieval", {"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, True),
        ("interrogator", {"DOCS_ROOT": "docs", "CODE_ROOT": "code"}, False),
        ("", {}, False),
        ("all", {}, False),
        ("", {"DOCS_ROOT": "docs"}, False),
        ("", {"DOCS_ROOT": "docs", "CODE_ROOT": "none"}, False),
    ],
)
def test_the_toolset_comes_on_by_itself_where_it_can(
    folder: Path, toolsets: str, around: dict[str, str], *, served: bool
) -> None:
    flags = [("toolsets", toolsets)] if toolsets else []
    around = {name: str(folder / path) for name, path in around.items()}
    found = given(folder, *flags, **around)
    assert tools(found) == (NAMES if served else set())
    assert bool(App(found).note) is (not served and bool(around) and toolsets != "interrogator")


@pytest.mark.requirement("RET-FR-009")
@pytest.mark.parametrize(
    "flags", [("toolsets", "retrieval"), ("toolsets", "all"), ("tools", "search")]
)
def test_asked_for_it_does_not_start_without_both(folder: Path, flags: tuple[str, str]) -> None:
    with pytest.raises(RootsError, match=r"CODE_ROOT .*none does not exist"):
        App(given(folder, flags, DOCS_ROOT=str(folder / "docs"), CODE_ROOT=str(folder / "none")))


def test_a_folder_that_can_not_be_read_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith("code"))
    found = resolve_roots(str(folder / "docs"), str(folder / "code"), str(folder / "data"))
    assert [(item.repo, item.reason) for item in found.faults] == [("code", "unreadable")]


def test_no_data_goes_into_the_folders(folder: Path) -> None:
    docs, code = str(folder / "docs"), str(folder / "code")
    inside = resolve_roots(docs, code, str(folder / "code" / "data"))
    assert [(item.repo, item.reason) for item in inside.faults] == [("code", "holds_data")]
    around = resolve_roots(docs, code, None, {"XDG_CACHE_HOME": str(folder / "docs" / "cache")})
    assert [(item.repo, item.reason) for item in around.faults] == [("docs", "holds_data")]


def test_each_folder_has_data_of_its_own(folder: Path) -> None:
    docs, code = str(folder / "docs"), str(folder / "code")
    found = resolve_roots(docs, code, None, {"XDG_CACHE_HOME": str(folder / "cache")})
    assert found.data == str(folder / "cache" / "repo-mcp" / "retrieval")
    swapped = resolve_roots(code, docs, None, {"XDG_CACHE_HOME": str(folder / "cache")})
    places = {
        data_folder(item, name) for item in (found, swapped) for name in retrieval_roots.NAMES
    }
    assert len(places) == 4
    assert resolve_roots(docs, code, str(folder / "d")).data == str(folder / "d" / "retrieval")


def test_without_a_repository_around_the_code_is_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    docs, code = str(folder / "docs"), str(folder / "code")
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    found = read_options([], {"DOCS_ROOT": docs, "CODE_ROOT": code, **cache})
    assert found.repo_root == code
    assert found.data_dir is not None
    assert found.data_dir.startswith(str(folder / "cache"))
    with pytest.raises(ConfigError, match="ROOT_INVALID: CODE_ROOT is not set"):
        read_options([], {"DOCS_ROOT": docs, **cache})
    with pytest.raises(ConfigError, match="too broad"):
        read_options([], cache)


def test_served_alone_nothing_of_the_repository_is_shown(folder: Path) -> None:
    around = {"DOCS_ROOT": str(folder / "docs"), "CODE_ROOT": str(folder / "code")}
    app = App(given(folder, ("toolsets", "retrieval"), **around))
    assert [*app.resources(), *app.templates(), *app.prompts()] == []
    with pytest.raises(NoResourceError):
        app.read("repo:///a.md")
    with pytest.raises(NotOfferedError):
        app.prompt("investigate_task", {"task": "x"})
    reference = {"type": "ref/resource", "uri": "repo:///{+path}"}
    with pytest.raises(NotOfferedError):
        app.complete(reference, "path", "a")


def started(folder: Path, *flags: str, **around: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "serve", "--repo-root", str(folder / "repo"), *flags]
    environment = {**os.environ, "DOCS_ROOT": "", "CODE_ROOT": "", **around}
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x"}}
    line = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    return subprocess.run(
        command,
        input=json.dumps(line) + "\n",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.servers
@pytest.mark.requirement("RET-FR-009")
def test_the_program_refuses_to_start_and_says_why_twice(folder: Path) -> None:
    done = started(folder, "--toolsets", "retrieval", DOCS_ROOT=str(folder / "docs" / "a.md"))
    assert (done.returncode, done.stdout) == (2, "")
    line, data = done.stderr.splitlines()
    assert line.startswith("repo-mcp: ROOT_INVALID: DOCS_ROOT ")
    error: dict[str, Any] = json.loads(data)["error"]
    reasons = [item["reason"] for item in error["details"]["roots"]]
    assert (error["code"], reasons) == ("ROOT_INVALID", ["not_a_folder", "missing"])


@pytest.mark.servers
def test_the_program_starts_without_the_toolset_where_it_was_not_asked_for(folder: Path) -> None:
    done = started(folder, DOCS_ROOT=str(folder / "none"))
    assert done.returncode == 0
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "repo-mcp"
    assert "the toolset retrieval is left out: DOCS_ROOT" in done.stderr
    assert "retrieval" not in started(folder).stderr
