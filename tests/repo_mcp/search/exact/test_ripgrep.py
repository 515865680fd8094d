"""Exact search finds the same lines as ripgrep."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from repo_mcp.search.regex.tree import is_word
from tests.repo_mcp.search.exact.exact_trees import WORDS, Engine, hard_tree, made, without_compiled
from tests.repo_mcp.search.exact.test_exact import EXPRESSIONS, literals
from tests.repo_mcp.search.regex.expression_samples import ASCII_LETTERS, expressions

RIPGREP = shutil.which("rg")

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed"),
]

Found = list[tuple[str, int, tuple[tuple[int, int], ...]]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def engines(home: Path) -> list[Engine]:
    tree = hard_tree(seed=2, for_ripgrep=True)
    first = made(home, tree)
    return [first, without_compiled(first)]


@pytest.fixture(scope="module")
def root(home: Path, engines: list[Engine]) -> Path:
    assert engines
    return home / "root"


def ripgrep(root: Path, pattern: str, *options: str) -> Found | None:
    """Ripgrep's matches in path order; None if it refuses the expression."""
    command = [RIPGREP or "", "--json", "--no-config", "--no-ignore", *options, "-e", pattern, "."]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode > 1:
        return None
    found: Found = []
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event["type"] == "match":
            data = event["data"]
            text = data["lines"]["text"]
            found.append(
                (
                    data["path"]["text"].removeprefix("./"),
                    data["line_number"],
                    _columns(text, data["submatches"]),
                )
            )
    return sorted(found, key=lambda item: (item[0].encode(), item[1]))


def _columns(text: str, matches: list[dict[str, int]]) -> tuple[tuple[int, int], ...]:
    """Columns in characters, without empty matches, which may be within a character."""
    data = text.encode()
    return tuple(
        (len(data[: match["start"]].decode()), len(data[: match["end"]].decode()))
        for match in matches
        if match["start"] < match["end"]
    )


def is_sound(pattern: str) -> bool:
    """Ripgrep does not match an empty line by `$` before `^`."""
    return "(?:^)" not in pattern.partition("(?:$)")[2]


def agree(
    engines: list[Engine], root: Path, pattern: str, *, columns: bool, **options: bool
) -> None:
    words = {"ignore_case": "-i", "whole_word": "-w", "inverted": "-v"}
    given_ = [word for name, word in words.items() if options.get(name)]
    wanted = ripgrep(root, pattern, *given_, *([] if options.get("regex") else ["-F"]))
    assert wanted is not None, pattern
    for engine in engines:
        answer = engine.find(pattern, **options)
        found = [(match.path, match.line, match.columns) for match in answer.matches]
        assert [place[:2] for place in found] == [place[:2] for place in wanted], pattern
        if columns:
            assert found == [(path, line, spans[:100]) for path, line, spans in wanted], pattern


@pytest.mark.parametrize("seed", range(5))
def test_literals(engines: list[Engine], root: Path, seed: int) -> None:
    for text in literals(random.Random(seed), 30):
        agree(engines, root, text, columns=True)


@pytest.mark.parametrize("seed", range(3))
def test_literals_in_any_case(engines: list[Engine], root: Path, seed: int) -> None:
    for text in literals(random.Random(seed), 30):
        agree(engines, root, text, columns=True, ignore_case=True)


@pytest.mark.parametrize("seed", range(3))
def test_whole_words(engines: list[Engine], root: Path, seed: int) -> None:
    for text in literals(random.Random(seed), 30):
        agree(engines, root, text, columns=False, whole_word=True)


@pytest.mark.parametrize("seed", range(2))
def test_the_other_lines(engines: list[Engine], root: Path, seed: int) -> None:
    for text in literals(random.Random(seed), 15):
        agree(engines, root, text, columns=False, inverted=True)


SOME = settings(
    max_examples=settings().max_examples // 4,
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
)


@SOME
@given(EXPRESSIONS.filter(is_sound))
def test_expressions(engines: list[Engine], root: Path, pattern: str) -> None:
    agree(engines, root, pattern, columns=False, regex=True)


@SOME
@given(expressions(ASCII_LETTERS).filter(is_sound))
def test_expressions_in_any_case(engines: list[Engine], root: Path, pattern: str) -> None:
    agree(engines, root, pattern, columns=False, regex=True, ignore_case=True)


@pytest.mark.parametrize("word", [word for word in WORDS if is_word(word[0]) and is_word(word[-1])])
def test_the_edges_of_words_are_those_of_unicode(
    engines: list[Engine], root: Path, word: str
) -> None:
    agree(engines, root, rf"\b{word}\b", columns=True, regex=True)
