"""Exact search reads every file that is text, whatever its name says; binary ones are left out."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo_mcp.search.exact.exact_trees import Engine, made, places, without_compiled

RIPGREP = shutil.which("rg")
NAMES = (
    *("CITATION.cff", "mime.types", "check.mypy-testing", "a.snap", "logo.svg", "rows.csv", "x."),
    *("bundle.js.map", "out.min.js", "yarn.lock", "words.dic", ".hidden", ".config/run", "a.PNG"),
    *("song.mod", "paper.pdf", "d41d8cd98f00b204e9800998ecf8427e", "a.b.c.d", "no_extension"),
    *("notes.log", "é.ü", "space in name.x y", "a.o", "lib.so.1", "x.class", "data.db"),
)
WORDS = ("zebra", "Zebra", "zebra_crossing", "größe", "0x1F", "a-b", "12,5", "{}", "x" * 130)
Found = list[tuple[str, int]]


def odd_tree(seed: int) -> dict[str, bytes]:
    """Files of odd names: text in several encodings, with control characters, and binary ones."""
    chance = random.Random(seed)
    files: dict[str, bytes] = {}
    for number, name in enumerate(NAMES):
        rows = [" ".join(chance.choices(WORDS, k=chance.randrange(6))) for _ in range(20)]
        data = "\n".join(rows).encode()
        kind = (number + seed) % 6
        if kind == 1:
            data = b"\x01\x02zebra \x7f\x1f\n" + data  # control characters are text
        elif kind == 2:
            data = data.replace("größe".encode(), b"gr\xf6e\x90")  # not UTF-8
        elif kind == 3:
            data = b"zebra\0" + data
        elif kind == 4:
            data = data.replace(b"\n", b"\r\n")
        files[f"d{chance.randrange(3)}/{name}"] = data
    return files


def lines_with(files: dict[str, bytes], needle: bytes) -> Found:
    """The lines found by reading every file: a file with a NUL byte is no text."""
    return [
        (path, number)
        for path in sorted(files, key=str.encode)
        if b"\0" not in files[path]
        for number, row in enumerate(files[path].split(b"\n"), 1)
        if needle in row
    ]


def ripgrep(root: Path, word: str) -> Found:
    options = ("--no-config", "--no-ignore", "--hidden", "-n0", "--no-heading", "-F", "-e", word)
    done = subprocess.run([RIPGREP or "", *options], cwd=root, capture_output=True, check=False)
    rows = [row.split(b"\0", 1) for row in done.stdout.splitlines() if b"\0" in row]
    found = [(path.decode(), int(rest.partition(b":")[0])) for path, rest in rows]
    return sorted(found, key=lambda place: (place[0].encode(), place[1]))


@pytest.fixture(scope="module", params=range(6))
def tree(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, bytes], Path, list[Engine]]:
    folder = tmp_path_factory.mktemp("odd")
    files = odd_tree(request.param)
    first = made(folder, files)
    return files, folder / "root", [first, without_compiled(first)]


@pytest.mark.requirement("INT-09.1-files")
@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_found_in_every_text_file(
    tree: tuple[dict[str, bytes], Path, list[Engine]], word: str
) -> None:
    files, _, engines = tree
    for engine in engines:
        assert places(engine.find(word)) == lines_with(files, word.encode())


@pytest.mark.servers
@pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("word", WORDS)
def test_the_lines_are_those_of_ripgrep(
    tree: tuple[dict[str, bytes], Path, list[Engine]], word: str
) -> None:
    _, root, engines = tree
    assert places(engines[0].find(word)) == ripgrep(root, word)
