"""Progress display: redrawn on a terminal, plain lines elsewhere, robust to closed output."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import given, strategies as st

from index_format.records import replace
from repo_mcp.cli.display import Display, progress_text
from repo_mcp.model import Progress
from repo_mcp.text.plurals import duration

SOME = Progress("words", 25, 100, 5_000_000, 20_000_000, 1.0)


class Screen:
    """A terminal's last line, as it looks after what was written; a new line fails."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.cells = [" "] * columns
        self.at = 0

    @property
    def line(self) -> str:
        return "".join(self.cells).rstrip()

    def take(self, text: str) -> None:
        for character in text:
            if character == "\r":
                self.at = 0
                continue
            assert character.isprintable(), text
            self.cells[self.at] = character
            self.at += 1
            assert self.at < self.columns, "the terminal would go to a new line"


class Terminal:
    """Both ends of a pseudo terminal."""

    def __init__(self, columns: int) -> None:
        self.screen = Screen(columns)
        self._read, inner = os.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        self.out: TextIO = os.fdopen(inner, "w")

    def look(self) -> str:
        """The lines that are shown now."""
        os.set_blocking(self._read, False)
        try:
            while data := os.read(self._read, 1 << 16):
                self.screen.take(data.decode())
        except BlockingIOError:
            return self.screen.line
        return self.screen.line

    def close(self) -> None:
        self.out.close()
        os.close(self._read)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=[20, 60, 80, 100, 200])
def terminal(request: pytest.FixtureRequest) -> Iterator[Terminal]:
    found = Terminal(request.param)
    yield found
    found.close()


def plain(*told: Progress) -> list[str]:
    out = io.StringIO()
    with Display(out) as shown:
        for now in told:
            shown.on_progress(now)
    return out.getvalue().splitlines()


def step(files: int, size: int, phase: str = "words") -> Progress:
    return Progress(phase, files, 100, size, 20_000_000, 0.0)


def test_a_line_says_how_far_it_is_how_fast_and_how_long_still() -> None:
    assert progress_text(SOME, 2.0) == "words 25/100 files, 5.0/20.0 MB 25%, 2.5 MB/s, 0:06 left"
    more = replace(SOME, following=10_000_000)
    assert progress_text(more, 2.0).endswith(", 2.5 MB/s, 0:10 left")


def test_at_the_end_it_says_how_long_it_took() -> None:
    done = Progress("words", 3, 3, 20_000, 20_000, 1.0)
    assert progress_text(done, 2.0) == "words 3/3 files, 20.0/20.0 KB 100%, 10.0 KB/s, took 0:02"


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_nothing_is_guessed_before_anything_is_done(seconds: float) -> None:
    assert progress_text(step(0, 0), seconds) == "words 0/100 files, 0.0/20.0 MB 0%"


def test_files_without_bytes_count_as_files() -> None:
    assert progress_text(Progress("words", 1, 4, 0, 0, 0.0), 1.0) == "words 1/4 25%, 0:03 left"


@pytest.mark.parametrize(
    ("size", "written"),
    [(999, "999 B"), (1000, "1.0 KB"), (999_949, "999.9 KB"), (999_960, "1.0 MB"), (5e15, "TB")],
)
def test_sizes_have_the_unit_that_fits(size: float, written: str) -> None:
    assert written in progress_text(Progress("x", 1, 1, int(size), int(size), 0.0), 1.0)


@pytest.mark.parametrize(
    ("seconds", "written"), [(0.4, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_times_are_written_as_on_a_clock(seconds: float, written: str) -> None:
    assert progress_text(Progress("x", 1, 1, 1, 1, 0.0), seconds).endswith(f"took {written}")


def test_a_terminal_shows_one_line_that_is_drawn_over(clock: Clock, terminal: Terminal) -> None:
    with Display(terminal.out, clock) as shown:
        shown.phase("looking for changes")
        assert "looking for changes".startswith(terminal.look())
        shown.on_progress(step(0, 0))
        clock.now += 2
        shown.on_progress(SOME)
        seen = terminal.look()
        full = "words 25/100 files, 5.0/20.0 MB 25%, 2.5 MB/s, 0:06 left"
        assert full in seen or full.startswith(seen)
        assert len(seen) < terminal.screen.columns
        shown.phase("merging")
        assert terminal.look() == "merging"
    assert terminal.look() == ""
    assert terminal.screen.at == 0


@pytest.mark.parametrize("columns", [80, 200])
def test_the_bar_is_filled_as_far_as_the_work_is(clock: Clock, columns: int) -> None:
    terminal = Terminal(columns)
    with Display(terminal.out, clock) as shown:
        for size, share in ((0, 0.0), (10_000_000, 0.5), (20_000_000, 1.0)):
            clock.now += 1
            shown.on_progress(step(size // 200_000, size))
            bar = re.match(r"\[(#*)(\.*)\] words ", terminal.look())
            assert bar
            assert len(bar[1]) == int((len(bar[1]) + len(bar[2])) * share)
    terminal.close()


@given(
    st.integers(0, 250),
    st.lists(
        st.tuples(st.integers(0, 10**7), st.integers(0, 10**14), st.sampled_from(["a", "words"])),
        max_size=6,
    ),
)
def test_no_line_is_longer_than_the_terminal(
    columns: int, told: list[tuple[int, int, str]]
) -> None:
    """A terminal that doesn't say how wide it is counts as one of 80 columns."""
    terminal = Terminal(columns)
    terminal.screen = Screen(max(columns or 80, 2))
    clock = Clock()
    with Display(terminal.out, clock) as shown:
        for files, size, phase in told:
            clock.now += 1
            shown.on_progress(Progress(phase, files, 10**7, size, 10**14, 0.0))
            terminal.look()
    assert terminal.look() == ""
    terminal.close()


def test_a_terminal_is_not_written_to_more_often_than_it_is_seen(clock: Clock) -> None:
    terminal = Terminal(120)
    with Display(terminal.out, clock) as shown:
        shown.on_progress(step(0, 0))
        clock.now += 0.2
        shown.on_progress(step(1, 1000))
        before = terminal.look()
        clock.now += 0.05
        shown.on_progress(step(2, 2000))
        assert terminal.look() == before
        shown.on_progress(step(100, 20_000_000))
        assert "100/100" in terminal.look()
    terminal.close()


def test_elsewhere_there_is_a_line_now_and_then_and_one_at_the_end(clock: Clock) -> None:
    told = []
    out = io.StringIO()
    with Display(out, clock) as shown:
        for second in range(21):
            shown.on_progress(step(second * 5, second * 1_000_000))
            clock.now += 1
        told = out.getvalue().splitlines()
    assert [int(line.split()[1].split("/")[0]) for line in told] == [25, 50, 75, 100]
    assert all(line.isprintable() for line in told)


def test_the_end_of_a_phase_is_said_once() -> None:
    done = step(100, 20_000_000)
    assert len(plain(step(0, 0), done, done, done)) == 1
    assert len(plain(step(0, 0), done, step(0, 0, "symbols"), step(100, 9, "symbols"))) == 2
    assert len(plain(step(0, 0), done, step(0, 0), done)) == 2


def test_nothing_to_do_is_not_worth_a_line() -> None:
    assert plain(Progress("words", 0, 0, 0, 0, 0.0)) == []


def test_a_reader_that_left_does_not_stop_the_work() -> None:
    read, write = os.pipe()
    os.close(read)
    out = os.fdopen(write, "w")
    with Display(out) as shown:
        shown.phase("merging")
        shown.on_progress(step(100, 20_000_000))
    with pytest.raises(BrokenPipeError):
        out.close()


@pytest.mark.parametrize("closed", [True, False])
def test_without_a_stream_nothing_is_said(tmp_path: Path, *, closed: bool) -> None:
    out = (tmp_path / "out").open("w", encoding="utf-8") if closed else None
    with Display(out) as shown:
        if out is not None:
            out.close()
        shown.phase("merging")
        shown.on_progress(step(100, 20_000_000))
    assert not closed or (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "less than 1 ms"), (0.0004, "less than 1 ms"), (0.0042, "4 ms"), (12.345, "12.35 s")],
)
def test_a_short_time_is_told_in_milliseconds(seconds: float, said: str) -> None:
    assert duration(seconds) == said
