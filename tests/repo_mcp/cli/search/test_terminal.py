"""The command `search` on a terminal: colours, and no control sequences from the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.repo_mcp.cli.search.search_process import (
    OWN_COLOURS,
    on_terminal,
    places,
    search,
    told,
)
from tests.repo_mcp.trees import FOREVER, served, write

pytestmark = pytest.mark.servers

# what commands a terminal, or shows a line in another order: \x9b begins a sequence by itself
EVIL = "\x1b[2J \x1b]0;owned\x07 \x9b31m \u202egnp\u202c \r\x7f \x08"
EVIL_NAME = "e\x9b31mv\u202eil.txt"
COMMANDS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def test_a_terminal_shows_passages_by_file(where: list[str]) -> None:
    seen = on_terminal("page cache", *where, NO_COLOR="1")
    assert "\x1b" not in seen
    blocks = [block.split("\n") for block in seen.removesuffix("\n").split("\n\n")]
    heads = [block[0] for block in blocks if not block[0].startswith(" ")]
    assert "src/cache.py  page_cache_get  4-5" in heads
    block = blocks[heads.index("src/cache.py  page_cache_get  4-5")]
    assert block[1:] == ["4  def page_cache_get(key):", "5      return os.environ[key]"]
    assert len({head.split("  ")[0] for head in heads}) == len(heads)


def test_a_terminal_highlights_words_and_parts_of_words(where: list[str]) -> None:
    seen = on_terminal("page get", *where, "--hyperlinks", "never")
    assert (
        "\x1b[1;35msrc/cache.py\x1b[0m  \x1b[36mpage_cache_get\x1b[0m  \x1b[2m4-5\x1b[0m\n" in seen
    )
    assert "def \x1b[1;31mpage\x1b[0m_cache_\x1b[1;31mget\x1b[0m(key):\n" in seen


def test_a_terminal_highlights_matches_and_counts_them(where: list[str]) -> None:
    seen = on_terminal("age.c", *where, "--mode", "regex")
    assert "def p\x1b[1;31mage_c\x1b[0mache_get(key):\n" in seen
    assert seen.endswith("\n\n3 matching lines in 3 files\n")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colours_can_be_refused(where: list[str], env: dict[str, str]) -> None:
    seen = on_terminal("cache", *where, "--mode", "literal", **env)
    assert "src/cache.py\n4:def page_cache_get(key):\n" in seen
    assert "\x1b" not in seen


def test_a_long_line_is_cut_around_its_match_on_a_terminal_only(
    root: Path, where: list[str]
) -> None:
    line = "a " * 5000 + "needle" + " b" * 5000
    write(root, {"long.txt": line + "\n"})
    where = [*where, "--mode", "literal"]
    assert search("needle", *where, "--refresh").stdout == f"long.txt:1:{line}\n"
    first = on_terminal("needle", *where).split("\n")[1]
    assert "\x1b[1;31mneedle\x1b[0m b b" in first
    assert len(first) < 400
    assert first.count("…") == 2


@pytest.fixture
def hostile(tmp_path: Path) -> list[str]:
    """Where text and names of a repository try to command the terminal."""
    files: dict[str, str | bytes] = {
        EVIL_NAME: f"needle in {EVIL} here\n",
        "heading.md": f"# needle {EVIL.replace(chr(13), '')}\n\nneedle text\n",
        "latin.txt": b"needle \x9b2J \xe9\x85 \x1b[0m\n",
        "crlf.txt": "needle one\rneedle two\r\nneedle three\r\n",
    }
    root, data = write(tmp_path / "hostile", files), tmp_path / "data"
    assert served(root, data).manager.refresh(FOREVER).files == 4
    return places(root, data)


MODES = [
    ["needle", "--explain"],
    ["needle", "--mode", "literal", "--context", "1"],
    ["needle|.", "--mode", "regex"],
    # nothing is found, and the file's name is offered
    ["31mv.txt", "--mode", "literal"],
]


@pytest.mark.parametrize("given", MODES, ids=str)
def test_no_text_of_a_repository_commands_the_terminal(
    hostile: list[str], given: list[str]
) -> None:
    seen = on_terminal(*given, *hostile)
    shown = OWN_COLOURS.sub("", seen).replace("\n", "")
    assert shown
    assert not COMMANDS.search(shown), seen.encode()


@pytest.mark.parametrize("given", MODES, ids=str)
@pytest.mark.parametrize("as_json", [False, True], ids=["plain", "json"])
def test_nor_does_it_behind_a_pipe(hostile: list[str], given: list[str], *, as_json: bool) -> None:
    done = search(*given, *hostile, *(["--json"] if as_json else []))
    for text in (done.stdout, done.stderr):
        assert not COMMANDS.search(text.replace("\n", "")), text.encode()


def test_what_would_command_it_is_shown_as_what_it_is(hostile: list[str]) -> None:
    shown = search("needle in", *hostile, "--mode", "literal").stdout
    assert shown == (
        "e\\x9b31mv\\u202eil.txt:1:needle in \\x1b[2J \\x1b]0;owned\\x07 \\x9b31m"
        " \\u202egnp\\u202c \\x0d\\x7f \\x08 here\n"
    )
    offered = search("31mv.txt", *hostile, "--mode", "literal").stderr
    assert "did you mean the file 'e\\x9b31mv\\u202eil.txt'?" in offered
    found = told("needle in", *hostile, "--mode", "literal")["matches"][0]
    assert (found["path"], found["text"]) == (EVIL_NAME, f"needle in {EVIL} here")
