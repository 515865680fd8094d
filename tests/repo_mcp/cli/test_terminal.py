"""Indexing on a terminal: progress is drawn and erased, and Ctrl-C leaves a sound index."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from repo_mcp.cli.state.linking import link_behind
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

COLUMNS = 90
FILES = 800  # enough to be interrupted in
STARTED = re.compile(r"\[#*\.*\] indexing [1-9]\d*/\d+ files, ")
STOPPED = "stopped; the index built so far is kept, and `repo-mcp index` continues from there"


def body(number: int) -> str:
    return "".join(
        f"def f{number}_{at}(a):\n    '''Says {at}.'''\n    return a + word{number % 97}_{at}\n\n"
        for at in range(40)
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files: dict[str, str | bytes] = {f"d{n % 40}/m{n}.py": body(n) for n in range(FILES)}
    return write(tmp_path_factory.mktemp("big"), files)


class Session:
    """A command with a terminal for its errors and progress."""

    def __init__(self, process: subprocess.Popen[str], terminal: int) -> None:
        self.process = process
        self.seen = ""
        self._terminal = terminal

    def look(self) -> bool:
        """Read on; False when no process has the terminal open any more."""
        try:
            data = os.read(self._terminal, 1 << 12)
        except OSError:  # what Linux says of it
            return False
        self.seen += data.decode()
        return bool(data)

    def until(self, wanted: re.Pattern[str]) -> None:
        while not wanted.search(self.seen):
            assert self.look(), self.seen

    def end(self) -> tuple[int, str, str]:
        """Exit code, output, and what the terminal was sent, once all processes are gone."""
        while self.look():
            pass
        out, _ = self.process.communicate(timeout=HANG)
        return self.process.returncode, out, self.seen.replace("\r\n", "\n")


@contextmanager
def running(*given: str) -> Iterator[Session]:
    terminal, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 25, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [*PROGRAM, *given],
        stdout=subprocess.PIPE,
        stderr=inner,
        text=True,
        start_new_session=True,
    )
    os.close(inner)
    with process:
        try:
            yield Session(process, terminal)
        finally:
            process.kill()
            os.close(terminal)


def places(root: Path, data: Path) -> list[str]:
    return ["--repo-root", str(root), "--data-dir", str(data), "--workers", "2"]


def test_progress_is_drawn_in_one_line_and_wiped(root: Path, tmp_path: Path) -> None:
    with running("index", "--no-graph", *places(root, tmp_path / "data")) as session:
        code, out, seen = session.end()
    assert code == 0
    assert f"{FILES} added" in out
    drawn = seen.split("\r")
    assert "\n" not in seen
    assert max(map(len, drawn)) < COLUMNS
    assert drawn[1].startswith("looking for changes")
    bar = rf"\[#+\.*\] indexing \d+/{FILES} files, .* MB \d+%, .*B/s, \d+:\d\d left *"
    assert any(re.fullmatch(bar, line) for line in drawn)
    assert any(f"{FILES}/{FILES} files" in line and "100%" in line for line in drawn)
    assert drawn[-2].strip() == drawn[-1] == ""


def fresh_names(root: Path, data: Path) -> list[str]:
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    return segment_names(manager)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("to_all", [False, True], ids=["the process", "as a terminal sends it"])
def test_ctrl_c_leaves_what_was_published_and_no_process(
    root: Path, tmp_path: Path, *, to_all: bool
) -> None:
    """The terminal's end is seen only when workers, which hold it open too, are gone."""
    few, data = tmp_path / "root", tmp_path / "data"
    write(few, {f"first/{number}.py": body(number) for number in range(30)})
    assert served(few, data).manager.refresh(FOREVER).added == 30
    for folder in sorted(root.iterdir()):
        (few / folder.name).mkdir()
        for file in folder.iterdir():
            (few / folder.name / file.name).write_bytes(file.read_bytes())
    with running("index", "--no-graph", *places(few, data)) as session:
        session.until(STARTED)
        (os.killpg if to_all else os.kill)(session.process.pid, signal.SIGINT)
        code, out, seen = session.end()
    assert (code, out) == (130, "")
    assert seen.endswith(f"repo-mcp: {STOPPED}\n")
    assert to_all or "Traceback" not in seen
    manager = served(few, data).manager
    assert len(indexed(manager)) >= 30
    assert list(manager.stored.check()) == []
    with running("index", "--no-graph", *places(few, data)) as session:
        assert session.end()[0] == 0
    with running("compact", *places(few, data)) as session:
        assert session.end()[0] == 0
    manager = served(few, data).manager
    assert len(indexed(manager)) == FILES + 30
    assert segment_names(manager) == fresh_names(few, tmp_path / "fresh")


HASTY = """
import os, signal, sys

class Impatient:
    def find_spec(self, name, *_):
        if name == {module!r}:
            for _ in range({times}):
                os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Impatient())
from repo_mcp.server import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    "module", ["numpy._core._multiarray_umath", "repo_mcp.indexing.keep.manager"]
)
@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_while_libraries_are_loaded_is_no_riddle(
    tmp_path: Path, module: str, times: int
) -> None:
    root = write(tmp_path / "root", {"a.py": "x = 1\n"})
    code = HASTY.format(module=module, times=times)
    command = [PROGRAM[0], "-P", "-c", code, "index", *places(root, tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert (done.returncode, done.stderr) == (130, f"repo-mcp: {STOPPED}\n")
    assert not (tmp_path / "data").exists()


def test_on_a_terminal_symbols_are_linked_behind_the_index_until_ctrl_c(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manager = served(root, tmp_path / "data").manager

    def stopped(*_: object, **__: object) -> Sequence[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(manager, "link", stopped)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    link_behind(manager, FOREVER)
    said = capsys.readouterr().err
    assert "note: the index is ready to be used" in said
    assert said.endswith("or the next `repo-mcp index`, goes on\n")


def test_where_nobody_watches_the_index_ends_without_the_graph_and_says_how_to_get_it(
    tmp_path: Path,
) -> None:
    few = write(tmp_path / "root", {"a.py": body(1)})
    command = [*PROGRAM, "index", *places(few, tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HANG)
    assert "`repo-mcp index --graph`" in done.stderr
    assert served(few, tmp_path / "data").manager.graph().snapshot is None
    subprocess.run([*command, "--graph"], capture_output=True, check=True, timeout=HANG)
    again = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HANG)
    assert "not linked" not in again.stderr
