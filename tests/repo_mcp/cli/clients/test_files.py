"""Clients' files are replaced atomically with a backup, or not changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from repo_mcp.cli.clients.files import BACKUP, EditError, read, replace

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_kept_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    kept = replace(read(path), "new", private=True)
    assert kept == tmp_path / f"a.json{BACKUP}"
    assert (path.read_bytes(), kept.read_bytes()) == (b"new", b"old")
    assert names(tmp_path) == ["a.json", f"a.json{BACKUP}"]


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640])
def test_the_mode_of_a_file_stays_and_its_copy_has_it_too(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    path.chmod(mode)
    kept = replace(read(path), "new", private=False)
    assert kept
    assert path.stat().st_mode & 0o777 == kept.stat().st_mode & 0o777 == mode


@POSIX
def test_a_new_file_of_a_user_is_for_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    assert replace(read(path), "new", private=True) is None
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "data", [b"a\r\nb\r\n", b"a\nb\n", b"\xef\xbb\xbfa\n", b"a", "ä\r\n".encode(), b"a\r\nb\n"]
)
def test_line_ends_and_marks_stay(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    held = read(path)
    replace(held, held.text, private=True)
    assert path.read_bytes() == data


@POSIX
def test_a_link_of_the_user_s_own_is_followed_and_stays(tmp_path: Path) -> None:
    """As programs that keep such files elsewhere make them."""
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "a.json"
    real.write_bytes(b"old")
    (tmp_path / "a.json").symlink_to(real)
    replace(read(tmp_path / "a.json"), "new", private=True)
    assert (tmp_path / "a.json").is_symlink()
    assert real.read_bytes() == b"new"


@POSIX
@pytest.mark.parametrize("link", ["mcp.json", ".vscode"])
def test_a_link_that_leads_out_of_the_project_is_refused(tmp_path: Path, link: str) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    (outside / "mcp.json").write_bytes(b"{}")
    if link == ".vscode":
        project.mkdir()
        (project / ".vscode").symlink_to(outside)
    else:
        (project / ".vscode").mkdir(parents=True)
        (project / ".vscode" / "mcp.json").symlink_to(outside / "mcp.json")
    with pytest.raises(EditError, match="leads out of the project"):
        read(project / ".vscode" / "mcp.json", project)
    assert (outside / "mcp.json").read_bytes() == b"{}"


def test_what_another_program_wrote_meanwhile_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    held = read(path)
    path.write_bytes(b"newer")
    with pytest.raises(EditError, match="another program changed it"):
        replace(held, "mine", private=True)
    assert (path.read_bytes(), names(tmp_path)) == (b"newer", ["a.json"])


def test_a_file_that_appears_meanwhile_is_not_lost(tmp_path: Path) -> None:
    held = read(tmp_path / "a.json")
    (tmp_path / "a.json").write_bytes(b"theirs")
    with pytest.raises(EditError, match="another program"):
        replace(held, "mine", private=True)
    assert (tmp_path / "a.json").read_bytes() == b"theirs"


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_bytes(b"old")
    held = read(tmp_path / "a.json")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EditError, match="can't be written: No space left"):
        replace(held, "new", private=True)
    assert names(tmp_path) == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"old"


@POSIX
@pytest.mark.parametrize("kind", ["folder", "pipe", "binary"])
def test_what_is_no_text_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.json"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"\xff\xfe")
    with pytest.raises(EditError):
        read(path)


def test_a_long_file_of_a_project_is_refused_and_one_of_the_user_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b" " * (1 << 16) + b"{}")
    assert read(path).text.endswith("{}")
    with pytest.raises(EditError, match="it has more than 65536 bytes"):
        read(path, inside=tmp_path)
