"""Conditions and builds in the answers of every face."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.tree_files import write

USES = "#ifdef TLS\nint secure_all(void) { return open_link(1); }\n#endif\n"
FILES: dict[str, str | bytes] = {
    "src/link.c": "int open_link(int kind) { return kind; }\n",
    "src/tls.c": USES,
    "src/dead.c": "#if 0\nint never(void) { return open_link(9); }\n#endif\n",
    "src/main.c": "int main(void) { return open_link(2); }\n",
    "src/windows.c": "int on_windows(void) { return open_link(3); }\n",
    "plain/compile_commands.json": "[]",
    ".gitignore": "build*/\n",
}


def database(folder: str, flags: str) -> str:
    names = "link.c", "tls.c", "dead.c", "main.c"
    rows = [
        {"directory": folder, "file": f"/app/src/{name}", "command": f"cc {flags} -c {name}"}
        for name in names
    ]
    return json.dumps(rows)


BUILDS: dict[str, str | bytes] = {
    "build/compile_commands.json": database("/app/build", "-DTLS"),
    "build-slim/compile_commands.json": database("/app/build-slim", ""),
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("built")
    caller = Linked(write(folder / "root", FILES), folder / "data")
    caller.linked()
    return caller


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("configured")
    caller = Linked(write(folder / "root", {**FILES, **BUILDS}), folder / "data")
    caller.linked()
    return caller


def uses(call: Linked, name: str) -> dict[str, str]:
    """The marks of the uses of a symbol by file, in the order of the answer."""
    rows: list[dict[str, Any]] = call.result("repo.symbol", name=name)["callers"]
    return {row["path"]: row.get("built", "") for row in rows}


def test_uses_carry_their_condition_and_dead_ones_come_last(call: Linked) -> None:
    marks = uses(call, "open_link")
    assert marks["src/tls.c"] == "if defined(TLS)"
    assert marks["src/main.c"] == marks["src/windows.c"] == ""
    assert list(marks.items())[-1] == ("src/dead.c", "not compiled, if 0")
    assert call.result("repo.symbol", name="open_link")["not_compiled"] == 1


def test_builds_that_lie_in_the_tree_are_told_side_by_side(configured: Linked) -> None:
    marks = uses(configured, "open_link")
    assert marks["src/tls.c"] == "not compiled in build-slim, if defined(TLS)"
    assert marks["src/windows.c"] == "not compiled in build, build-slim"
    assert [*marks][:2] == ["src/main.c", "src/tls.c"]
    assert configured.result("repo.symbol", name="open_link")["not_compiled"] == 2


@pytest.mark.parametrize(
    ("build", "mark"),
    [
        ("build:build", "if defined(TLS)"),
        ("build:build-slim", "not compiled in build-slim, if defined(TLS)"),
        ("build:build,build-slim", "not compiled in build-slim, if defined(TLS)"),
        ("build:any", "if defined(TLS)"),
        ("build:linux+TLS", "if defined(TLS)"),
    ],
)
def test_a_question_names_the_builds_that_it_is_about(
    configured: Linked, build: str, mark: str
) -> None:
    assert uses(configured, f"open_link {build}")["src/tls.c"] == mark


def test_a_name_of_no_build_is_told_with_those_that_are(configured: Linked) -> None:
    answer = configured("repo.symbol", name="open_link build:none")
    assert any("build, build-slim" in text for text in answer["warnings"])


def test_lines_of_a_search_have_their_marks(configured: Linked) -> None:
    found = configured.result("repo.search", query="open_link", mode="literal")["files"]
    marks = {file["path"]: file.get("built", "") for file in found}
    assert marks["src/dead.c"] == "2: not compiled in build, build-slim, if 0"
    assert marks["src/main.c"] == ""
    narrowed = configured.result(
        "repo.search", query="open_link", mode="literal", file_glob="src/tls.c build:build"
    )["files"]
    assert [file.get("built") for file in narrowed] == ["2: if defined(TLS)"]


def test_hits_that_no_build_compiles_rank_lower(configured: Linked) -> None:
    hits = configured.result("repo.search", query="open_link return")["hits"]
    marks = [hit.get("built", "") for hit in hits]
    assert any("build-slim, if 0" in mark for mark in marks)
    assert "not compiled in build, build-slim" in marks[-1]


def test_lines_that_no_build_compiles_add_nothing_to_a_list(configured: Linked) -> None:
    answer = configured.result("repo.symbol", name="main")
    assert answer["complete_list"]


def test_a_command_has_the_same_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run = Commands(tmp_path, {**FILES, **BUILDS}, monkeypatch, capfd)
    run("index", "--graph")
    printed = run("callers", "open_link").out
    assert "[not compiled in build, build-slim]" in printed
    assert "[not compiled in build-slim, if defined(TLS)]" in printed


def test_a_configuration_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    files = {**FILES, "build/compile_commands.json": "{"}
    caller = Linked(write(tmp_path / "root", files), tmp_path / "data")
    caller.linked()
    answer = caller("repo.symbol", name="open_link")
    assert any("build/compile_commands.json is no JSON" in text for text in answer["warnings"])
