"""The files that builds read for one answer, and where reading ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.builds import tree_files
from repo_mcp.builds.line_states import states_in
from repo_mcp.builds.tree_files import SandboxFiles, known_directives
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.tree_files import write

TEXT = "#if 0\n1\n#endif\n"
FILES: dict[str, str | bytes] = {
    "a.c": TEXT,
    "b.c": TEXT,
    "secret/.env": "A=1\n",
    "bytes.c": b"#if 0\0",
    "other.c": '#include "a.c"\n',
}


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(str(write(tmp_path / "root", FILES)), Denylist(()), max_file_bytes=1 << 20)


def test_what_a_sandbox_refuses_has_no_text(sandbox: Sandbox) -> None:
    files = SandboxFiles(sandbox, known_directives())
    for path in ("../a.c", "/etc/passwd", "none.c", "secret/.env", "bytes.c"):
        assert files.text(path) is None
        assert files.directives(path) is None
    assert [*files.texts_with(["secret/.env", "other.c", "a.c"], b'.c"')] == [
        ("other.c", '#include "a.c"\n')
    ]
    assert files.names("../..") == ()
    assert not files.is_cut


def test_an_answer_of_too_much_text_says_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_files, "_MOST_TEXT", len(TEXT) - 1)
    states = states_in(sandbox, {}, lambda _: "c")(())
    assert states.at("a.c", 2).is_left_out
    assert not states.warnings
    assert not states.at("b.c", 2).is_left_out
    assert [warning.code for warning in states.warnings] == ["conditions"]
    assert states.at("a.c", 2).is_left_out


def test_included_files_are_followed_so_far(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_files, "_MOST_INCLUDED", 1)
    files = SandboxFiles(sandbox, known_directives())
    assert files.directives("a.c")
    assert files.directives("a.c") is None


def test_a_file_that_changes_has_its_new_conditions(sandbox: Sandbox, tmp_path: Path) -> None:
    """Answers remember directives by the bytes of a file alone."""
    states_of = states_in(sandbox, {}, lambda _: "c")
    assert states_of(()).at("a.c", 2).is_left_out
    write(tmp_path / "root", {"a.c": TEXT.replace("#if 0", "#if 1")})
    assert not states_of(()).at("a.c", 2).is_left_out
    write(tmp_path / "root", {"a.c": TEXT})
    assert states_of(()).at("a.c", 2).is_left_out
