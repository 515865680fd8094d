"""The commands: output, settings, exit codes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from repo_mcp.cli import arguments
from repo_mcp.model import RequestLimits, Windows
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import FOREVER, segment_names, served, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

TREE: dict[str, str | bytes] = {
    "a.txt": "def needle():\n    return 1\n",
    "b.txt": "# Words\n\nabout it\n",
    "c.bin": b"\x00",
    ".env": "TOKEN=hidden",
}
COMMANDS = ["index", "status", "check", "compact", "dump"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


@pytest.fixture
def where(root: Path, tmp_path: Path) -> list[str]:
    return ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]


def run(
    *given: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*PROGRAM, *given],
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_same_places_and_limits(command: str) -> None:
    given = ["--repo-root", ".", "--data-dir", "data", "--chunk-lines", "9", "--deny-glob", "x"]
    found = arguments.options(arguments.parse([command, *given]))
    assert (found.repo_root, found.data_dir, found.chunk_lines) == (".", "data", 9)
    assert found.deny_globs == ("x",)


def test_without_a_command_the_server_is_meant() -> None:
    assert arguments.parse([]).command == "serve"
    assert arguments.parse(["--repo-root", "."]).command == "serve"


@pytest.mark.parametrize("below", [".", "src", "src/deep"])
def test_the_repository_is_the_nearest_folder_with_git(tmp_path: Path, below: str) -> None:
    write(
        tmp_path, {"one/.git/HEAD": "x", "one/two/.git": "gitdir: x", "one/two/src/deep/a.txt": ""}
    )
    done = run("status", cwd=tmp_path / "one" / "two" / below)
    assert done.stdout.startswith(f"{tmp_path / 'one' / 'two'}: index missing")


def test_without_git_it_is_the_current_folder(tmp_path: Path) -> None:
    write(tmp_path, {"alone/src/a.txt": ""})
    folder = tmp_path / "alone" / "src"
    done = run("status", cwd=folder)
    assert done.stdout.startswith(f"{folder}: index missing")
    assert f"data folder: {folder / '.repo_mcp'}" in done.stdout


def test_index_says_what_it_did_and_what_it_left_out(where: list[str]) -> None:
    done = run("index", *where)
    assert done.returncode == 0
    said = done.stdout.splitlines()
    assert said[0].startswith("2 files indexed in ")
    assert said[1] == "2 added, 0 updated, 0 removed"
    assert said[2] == ("left out: 1 binary (not text), 1 denied (may contain secrets)")
    assert ": index ready, 2 files, generation " in said[3]
    assert said[4].startswith("last refresh: 2")
    assert "took" in done.stderr


def test_force_makes_all_of_it_anew(where: list[str]) -> None:
    run("index", *where)
    assert "0 added, 0 updated, 0 removed" in run("index", *where).stdout
    assert "0 added, 2 updated, 0 removed" in run("index", *where, "--force").stdout


def many(root: Path) -> Path:
    """More files than are indexed in one go."""
    lines = "".join(f"def f{number}(a):\n    return word{number} + a\n" for number in range(9))
    return write(root, {f"many/m{number}.py": lines for number in range(70)})


def test_words_only_leaves_declarations_to_the_next_run(root: Path, where: list[str]) -> None:
    many(root)
    words = run("index", *where, "--words-only").stdout
    assert ": index ready, declarations incomplete, 72 files" in words
    assert "run `repo-mcp index` to complete it" in run("status", *where).stdout
    run("compact", *where)
    assert "declarations incomplete" in run("status", *where).stdout
    assert ": index ready, 72 files" in run("index", *where).stdout


def test_a_name_that_needs_declarations_is_found_before_nothing_is_said(
    root: Path, where: list[str]
) -> None:
    write(many(root), {"many/enc.py": "class JSONEncoder:\n    pass\n"})
    run("index", *where, "--words-only")
    hasty = run("search", "jsonenc", "--stale-ok", *where)
    assert hasty.returncode == 1
    assert "the declarations of some files are not indexed yet" in hasty.stderr
    found = run("search", "jsonenc", *where)
    assert found.returncode == 0
    assert "many/enc.py" in found.stdout


def test_the_number_of_workers_changes_nothing_in_the_index(tmp_path: Path) -> None:
    root = many(tmp_path / "root")
    held = []
    for workers in ("1", "3"):
        data = tmp_path / workers
        run("index", "--repo-root", str(root), "--data-dir", str(data), "--workers", workers)
        held.append(segment_names(served(root, data).manager))
    assert held[0] == held[1]


def test_status_without_an_index_says_how_to_make_one(where: list[str], tmp_path: Path) -> None:
    done = run("status", *where)
    assert done.returncode == 0
    assert "index missing, 0 files" in done.stdout
    assert "build it with `repo-mcp index`" in done.stdout
    assert not (tmp_path / "data").exists()


def test_a_fresh_build_leaves_nothing_on_the_disk_that_is_not_needed(
    where: list[str], tmp_path: Path
) -> None:
    run("index", *where)
    names = {path.name for path in (tmp_path / "data" / "index").iterdir()}
    assert len([name for name in names if name.startswith("manifest-")]) == 1
    run("compact", *where)
    assert {path.name for path in (tmp_path / "data" / "index").iterdir()} == names


@pytest.mark.parametrize("command", ["check", "compact", "dump"])
def test_what_needs_an_index_says_how_to_make_one(where: list[str], command: str) -> None:
    done = run(command, *where)
    assert (done.returncode, done.stdout) == (2, "")
    assert "build it with `repo-mcp index`" in done.stderr


def test_an_index_of_other_settings_is_not_merged(where: list[str]) -> None:
    """Merging would mark it as made under these."""
    run("index", *where)
    done = run("compact", *where, "--deny-glob", "a.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no index for these settings" in done.stderr


def test_damage_is_found_and_healed(where: list[str], tmp_path: Path) -> None:
    run("index", *where)
    assert run("check", *where).stdout == "sound\n"
    (segment,) = (tmp_path / "data" / "index").glob("seg-*")
    data = bytearray(segment.read_bytes())
    data[100] ^= 255
    segment.write_bytes(data)
    found = run("check", *where)
    assert (found.returncode, segment.name in found.stdout) == (1, True)
    assert re.search(r"^\d+ errors?: run `repo-mcp check --repair`$", found.stdout, re.MULTILINE)
    healed = run("check", *where, "--repair")
    assert (healed.returncode, healed.stdout.splitlines()[-1]) == (0, "sound")
    assert "2 files indexed" in healed.stdout
    assert run("check", *where).returncode == 0


def test_a_repair_without_an_index_makes_one(where: list[str]) -> None:
    assert run("check", *where, "--repair").returncode == 0
    assert "index ready, 2 files" in run("status", *where).stdout


def test_a_name_that_is_no_file_of_the_index_is_refused(where: list[str]) -> None:
    run("index", *where)
    done = run("dump", *where, "../root/.env")
    assert (done.returncode, done.stdout) == (2, "")
    assert "not the name of a file" in done.stderr
    assert "hidden" not in done.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["index", "--data-dir", "a.txt"], "--data-dir"),
        (["index", "--data-dir", "a.txt/b"], "Check that the data folder (--data-dir)"),
        (["index", "--deny-glob", "*" * 61], "at most 60 wildcards"),
        (["index", "--exclude-glob", "*" * 61], "at most 60 wildcards"),
        (["index", "--include-extension", "*.lark"], "extensions like .lark"),
        (["index", "--include-extension", ".tar.gz"], "extensions like .lark"),
        (["index", "--workers", "-1"], "from 0 to 64"),
        (["index", "--workers", "many"], "must be a whole number from 0 to 64"),
        (["dump", "CURRENT", "--limit", "0"], "a whole number above 0"),
        (["status", "--repo-root", "nowhere"], "not a folder"),
        (["status", "more"], "unrecognized arguments"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_line(root: Path, given: list[str], said: str) -> None:
    done = run(*given, cwd=root)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.splitlines()[-1].startswith("repo-mcp")


def test_notes_on_the_settings_do_not_mix_with_what_is_asked_for(
    root: Path, where: list[str]
) -> None:
    write(root, {"repo_mcp.toml": "[limits]\nmax_file_bytes = 99999999\n"})
    done = run("status", *where)
    assert "note: repo_mcp.toml: max_file_bytes can only be lowered" in done.stderr
    assert "note:" not in done.stdout


def test_status_shows_what_is_there_while_another_process_indexes(
    root: Path, tmp_path: Path, where: list[str]
) -> None:
    manager = served(root, tmp_path / "data").manager
    manager.refresh_paths(["a.txt"], FOREVER, deep=True)
    with manager.text.store.lock(0):
        done = run("status", *where)
    assert ": index partial, 1 file, generation 1" in done.stdout
    assert "unless another process is doing so" in done.stdout


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_leaves_early_is_no_error(where: list[str], stream: str) -> None:
    """The pipe is closed before anything is written to it."""
    assert run("index", *where).returncode == 0
    read, write_end = os.pipe()
    os.close(read)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: write_end}
    done = subprocess.run(
        [*PROGRAM, "index" if stream == "stderr" else "dump", *where],
        **streams,  # type: ignore[call-overload]
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        timeout=HANG,
        check=False,
    )
    os.close(write_end)
    if stream == "stderr":
        assert done.returncode == 0
        assert b"2 files indexed" in done.stdout
    else:
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_long_dump_may_be_cut_short(where: list[str], tmp_path: Path) -> None:
    """As `head` does, the reader takes a line and leaves."""
    write(tmp_path / "root", {f"{number}.txt": f"word{number}\n" for number in range(3000)})
    run("index", *where)
    segment = max((tmp_path / "data" / "index").glob("seg-*"), key=lambda path: path.stat().st_size)
    command = [*PROGRAM, "dump", *where, segment.name, "--section", "path", "--limit", "9999999"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith(segment.name.encode())
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_is_no_error(where: list[str], closed: str) -> None:
    program = [PROGRAM[0], *PROGRAM[1:]]
    command = ["/bin/sh", "-c", f'"$@" {closed}', "sh", *program, "index", *where]
    done = subprocess.run(command, capture_output=True, timeout=HANG, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are Unicode there")
@pytest.mark.parametrize("name", ["ä\u20ac".encode(), b"\xff\xfe"], ids=["UTF-8", "no UTF-8"])
@pytest.mark.parametrize(
    "env",
    [{"LC_ALL": "C"}, {"LANG": "C", "LC_ALL": ""}, {"PYTHONIOENCODING": "ascii"}, {}],
    ids=str,
)
def test_names_that_can_not_be_written_are_shown_escaped(
    tmp_path: Path, name: bytes, env: dict[str, str]
) -> None:
    root = tmp_path / os.fsdecode(name)
    root.mkdir()
    given = [*PROGRAM, "status", "--repo-root", str(root)]
    done = subprocess.run(
        given, capture_output=True, env={**os.environ, **env}, timeout=HANG, check=False
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b"index missing" in done.stdout


def test_the_help_shows_the_settings_when_asked_for_them() -> None:
    shown = run("index", "--help").stdout
    assert "--max-file-bytes" not in shown
    assert "--help-all" in shown


def test_the_help_names_the_defaults_that_hold() -> None:
    shown = " ".join(run("index", "--help-all").stdout.split())
    for name, value in asdict(RequestLimits()).items():
        flag = "--" + name.replace("_", "-")
        assert re.search(rf"{flag} N [^-]*\({value}\)", shown), name
    assert f"--chunk-lines N maximum lines of a chunk ({Windows().lines})" in shown
    assert f"unless set outside repo_mcp.toml ({Windows().overlap})" in shown
