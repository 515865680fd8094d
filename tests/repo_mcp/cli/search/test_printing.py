"""Lines are printed as they are found, in the bytes in which ripgrep prints them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from repo_mcp import dispatch
from repo_mcp.cli.search import pager
from repo_mcp.console import print_styled
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import ExactQuery, build_matcher
from tests.repo_mcp.trees import FOREVER, served, write

RIPGREP = shutil.which("rg")
TREE: dict[str, str | bytes] = {
    "a/one.txt": "cat\ncat dog cat\nnone\n\nlast größe cat",
    "a/two.csv": "dog;cat\nCAT\n",
    "b.py": "def cat():\n    return dog\n\n\n\nconcatenate = 1\n",
    "c.md": "nothing\nof it\n",
}
MANY = 300


class Output(NamedTuple):
    code: int
    out: str
    err: str


Search = Callable[..., Output]


@pytest.fixture
def search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Search:
    """The command, in this process, in a folder with a current index."""
    data = ["--data-dir", str(tmp_path / "data")]

    def call(root: Path, *given: str) -> Output:
        if not (tmp_path / "data").exists():
            served(root, tmp_path / "data").manager.refresh(FOREVER)
        monkeypatch.chdir(root)
        where = ["--repo-root", str(root), *data]
        monkeypatch.setattr("sys.argv", ["repo-mcp", "search", *where, *given])
        try:
            code = dispatch.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
        return Output(code, *capfd.readouterr())

    return call


def test_the_first_line_is_printed_before_most_files_are_read(
    search: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"f{number:04}.txt": f"needle {number}\n" for number in range(MANY)}
    root = write(tmp_path / "root", dict(files))
    search(root, "-e", "nothing")
    read: list[int] = []
    read_at_line: list[int] = []
    scan = Sandbox.scan

    def counting_scan(self: Sandbox, paths: Any, what: Any) -> Any:  # noqa: ANN401 passed on
        read.append(len(paths))
        return scan(self, paths, what)

    def noting_print(line: str, end: str = "\n") -> None:
        read_at_line.append(sum(read))
        print_styled(line, end)

    monkeypatch.setattr(Sandbox, "scan", counting_scan)
    monkeypatch.setattr(pager, "print_styled", noting_print)
    done = search(root, "-e", ".")
    assert done.out.splitlines() == [f"{name}:1:{text.strip()}" for name, text in files.items()]
    assert sum(read) == MANY
    assert read_at_line[0] <= MANY // 20


@pytest.mark.servers
@pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")
@pytest.mark.parametrize(
    "options",
    [
        "-e cat",
        "--column -e cat",
        "--vimgrep -e cat",
        "--vimgrep -o -e cat",
        "-o --column -e cat|dog",
        "-I -e cat",
        "-H -e cat",
        "-0 -e cat",
        "-0 -c -e cat",
        "-0 -l -e cat",
        "-0 --files",
        "-c -I -e cat",
        "-r <$0> -e cat|dog",
        "-r $$${0}! -o -e cat",
        "-r ${0$-$0é$ -e cat",
        "-r x --column -e dog",
        "--passthru -e cat",
        "--passthru --column -i -e cat",
        "--passthru -e zebra",
        "--passthru -c -e cat",
        "-A1 -e cat",
        "-C1 -0 -e größe|return",
        "--sort modified -e cat",
        "--sort modified -l -e cat",
        "-v -e cat",
        "-w -m1 --column -e cat",
        "-F -x -e cat",
        "-e zebra",
    ],
)
def test_the_bytes_are_those_of_ripgrep(search: Search, tmp_path: Path, options: str) -> None:
    root = write(tmp_path / "root", TREE)
    for number, path in enumerate(["b.py", "a/two.csv", "c.md", "a/one.txt"]):
        os.utime(root / path, (number + 1, number + 1))
    given = options.split()
    order = [] if "--sort" in given else ["--sort=path"]
    command = [RIPGREP or "", "--no-config", "--no-heading", "-n", *order, *given]
    wanted = subprocess.run(command, cwd=root, capture_output=True, check=False)
    done = search(root, *given)
    assert (done.out, done.code) == (wanted.stdout.decode(), wanted.returncode)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["-n", "3", "cat"], "-n takes no number: -m 3"),
        (["-e", "cat", "-"], "not standard input"),
        (["-r", "$1", "-e", "(c)at"], "only $0"),
        (["--passthru", "-v", "-e", "cat"], "without -w and -v"),
    ],
)
def test_a_mistake_says_what_to_do(
    search: Search, tmp_path: Path, given: list[str], said: str
) -> None:
    done = search(write(tmp_path / "root", TREE), *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_data_in_a_pipe_is_not_searched_and_that_is_said(
    search: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", TREE)
    readable, writable = os.pipe()
    with os.fdopen(readable) as waiting, os.fdopen(writable, "w") as sender:
        monkeypatch.setattr("sys.stdin", waiting)
        assert "standard input" not in search(root, "-e", "return").err
        sender.write("return of it\n")
        sender.flush()
        done = search(root, "-e", "return")
    assert done.out == "b.py:2:    return dog\n"
    assert "not standard input" in done.err


def test_counts_come_after_the_lines(search: Search, tmp_path: Path) -> None:
    done = search(write(tmp_path / "root", TREE), "--stats", "-e", "return")
    assert done.out.splitlines()[1:4] == ["", "1 matched lines", "1 files contained matches"]


def test_matches_within_a_line_are_looked_for_only_where_they_are_shown() -> None:
    rows = b"a line of text\n" * 50

    def searches(*, columns: bool) -> int:
        query = ExactQuery((".",), regex=True, columns=columns)
        found = build_matcher(query).match_file("a.txt", rows, None)
        assert found.matching == len(found.lines) == 50
        return found.searches

    assert searches(columns=False) == 50
    assert searches(columns=True) > 500


def test_the_lines_of_a_file_are_printed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    monkeypatch.setattr(pager, "print_styled", lambda text, end: printed.append(text + end))
    out = pager.PagedOutput(use=False)
    out.write_all(f"{number}" for number in range(1000))
    out.write_all([])
    out.write_all([""])
    assert printed == ["".join(f"{number}\n" for number in range(1000)), "\n"]
