"""Expressions that match across lines give the lines that Python's engine and ripgrep give."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search.exact.query import ExactQuery, is_small
from repo_mcp.search.regex import program
from repo_mcp.search.regex.parser import BLANKS
from tests.repo_mcp.search.exact.exact_trees import Engine, made, places, without_compiled

PIECES = ["foo", "bar", "Foo", "_", " ", "  ", "\n", "\n", "{", "}", ";", "x1", "\u00e9", "\n\n"]
EXPRESSIONS = [
    r"foo\nbar",
    r"foo\n+\s*bar",
    r"(?s)foo.*?bar",
    r"(?s)\{.*\}",
    r"(?s)\{[^}]*\}",
    r"(?s:foo.bar)|x1\s+;",
    r"^foo$\n^bar",
    r"[\n;]foo",
    r"\bfoo\n\W+bar\b",
    r"(?i)FOO\n\n",
    r"foo[^x]*\nbar",
    r"(?s)(?:bar|foo_).{1,4}x1",
    r"\D\n\S",
    r"(?is)foo.(?-s).bar",
    r"\n\n\n",
]


def files(seed: int) -> dict[str, bytes]:
    chance = random.Random(seed)
    return {
        f"{number}.txt": "".join(chance.choices(PIECES, k=chance.choice([3, 30, 200]))).encode()
        for number in range(40)
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return made(tmp_path_factory.mktemp("tree"), files(5))


def touched(text: str, expression: str) -> Iterator[int]:
    """The numbers of the lines that matches touch."""
    for match in re.finditer(expression, text, re.MULTILINE):
        if match.end() > match.start():
            first = text.count("\n", 0, match.start())
            yield from range(first, text.count("\n", 0, match.end() - 1) + 1)


def wanted(expression: str) -> list[tuple[str, int]]:
    # Python allows a change of flags only in a group
    spelled = expression.replace(".(?-s).bar", ".(?-s:.bar)")
    found: list[tuple[str, int]] = []
    for path, data in sorted(files(5).items()):
        text = data.decode()
        text += "" if text.endswith("\n") or not text else "\n"
        found += [(path, line + 1) for line in sorted({*touched(text, spelled)})]
    return found


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_lines_are_those_of_pythons_engine(tree: Engine, expression: str) -> None:
    expected = wanted(expression)
    assert places(tree.find(expression, regex=True)) == expected
    assert places(without_compiled(tree).find(expression, regex=True)) == expected
    assert not {*places(tree.find(expression, regex=True, inverted=True))} & {*expected}


def test_most_expressions_are_found_somewhere() -> None:
    assert sum(bool(wanted(expression)) for expression in EXPRESSIONS) > 12


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("rg") is None, reason="no ripgrep")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_lines_are_those_of_ripgrep(tree: Engine, expression: str, tmp_path: Path) -> None:
    for name, data in files(5).items():
        (tmp_path / name).write_bytes(data)
    command = ["rg", "-nU", "--no-heading", "--sort", "path", "-e", expression, "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    rows = [row.split(":", 2) for row in done.stdout.decode().splitlines()]
    found = places(tree.find(expression, regex=True))
    assert found == sorted((path.removeprefix("./"), int(line)) for path, line, _ in rows)


def test_a_dot_and_a_class_stay_within_a_line_otherwise(tree: Engine) -> None:
    for expression in (r"foo.*bar", r"foo[^x]*bar", r"foo\s+bar"):
        expected = [
            (path, number)
            for path, data in sorted(files(5).items())
            for number, row in enumerate(data.decode().split("\n"), 1)
            if re.search(expression, row)
        ]
        assert places(tree.find(expression, regex=True)) == expected


def test_several_patterns_do_not_go_across_lines(tree: Engine) -> None:
    query = ExactQuery((r"foo\nbar", "x"), regex=True)
    with pytest.raises(Problem, match="several lines"):
        tree.exact.find(tree.snapshot, query, Budget())


@pytest.mark.parametrize(
    ("pattern", "regex", "small"),
    [
        ("foo", False, True),
        ("Foo", False, False),
        (r"\S", False, False),
        (r"\S+\W\pL\p{Lu}\x{4A}foo", True, True),
        (r"(?P<Name>foo)", True, True),
        (r"foo\.Bar", True, False),
        ("[A-Z]", True, False),
        ("\u00c9t\u00e9", False, False),
    ],
)
def test_smart_case_looks_for_capital_letters(pattern: str, *, regex: bool, small: bool) -> None:
    assert is_small(pattern, regex=regex) == small


@pytest.mark.parametrize(
    "expression", [r"foo\s*bar", r"[\s;]+x1", r"foo\s+(?:bar|\{)", r"x1[\s\S]?foo"]
)
def test_blanks_that_may_be_line_ends_give_the_matches_of_pythons_engine(
    tree: Engine, expression: str
) -> None:
    found = tree.find(expression, regex=True, whole_matches=True, line_ends=BLANKS)
    begun: set[tuple[str, int]] = set()
    for path, data in files(5).items():
        text = data.decode() + "\n"
        for match in re.finditer(expression, text):
            blanks = len(match[0]) - len(match[0].lstrip())
            if "\n" in match[0].strip():
                begun.add((path, text.count("\n", 0, match.start() + blanks) + 1))
    assert begun
    assert {(match.path, match.line) for match in found.matches} == begun
    assert all(tree_.end_line > match.line for match in found.matches for tree_ in match.trees)


def test_files_with_lines_that_are_skipped_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_MAX_STEPS", 10_000)
    texts = {"a.txt": "foo\nbar\n", "b.txt": f"{'x' * 2_000}\nfoo\nbar\n", "c.txt": "foo\n" * 600}
    # no other test has this expression: compiled ones are kept
    engine = made(tmp_path, {name: text.encode() for name, text in texts.items()})
    found = engine.find(r"fo{2}\n+bar", regex=True)
    assert places(found) == [("a.txt", 1), ("a.txt", 2), ("b.txt", 2), ("b.txt", 3)]
    warnings = {item.code: item.text for item in found.warnings}
    assert warnings["long_lines"].endswith(": b.txt")
    assert warnings["in_parts"].endswith(" in b.txt, c.txt")
    assert not found.complete
