"""Tests of JavaScript and TypeScript are declarations by their titles, and what runs is theirs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

import pytest

from code_graph import Languages
from code_graph.facts import MODULE, Declaration

GROUPS = (
    "describe",
    "describe.only",
    "describe.skip",
    "suite",
    "describe.each([1])",
    "test.describe",
)
RUNNERS = (
    *(
        "it",
        "test",
        "it.only",
        "it.skip",
        "test.concurrent",
        "xit",
        "test.each([[1, ')'], [2, '`']])",
    ),
    *("it.each`a | b\n${1} | ${2}\n`", "test.skipIf(isOld())", "it.failing", "specify"),
)
OTHERS = ("other", "page.it", "attempt", "tester", "re.test", "describes", "it.unknown")
FUNCTIONS = ("() => {{{}}}", "async () => {{{}}}", "function () {{{}}}", "(a, b) => {{{}}}")


def declarations(path: str, text: str) -> Sequence[Declaration]:
    adapter = Languages().adapter_for(path)
    assert adapter is not None
    facts = adapter.facts(path, text)
    assert facts.status == "full"
    return facts.declarations


def quoted(chance: Random, title: str) -> str:
    return chance.choice((json.dumps(title), f"'{title}'", f"`{title}`"))


def made(chance: Random, depth: int, titles: list[str], above: str) -> tuple[str, list[str]]:
    """Source with calls of runners and of other functions, and the chains of its tests' titles."""
    rows, known = [], []
    for _ in range(chance.randrange(1, 4)):
        title = f"{chance.choice(('adds', 'gives 1.5', 'says so: x'))} {len(titles)}"
        titles.append(title)
        called = chance.choice((*GROUPS, *RUNNERS, *OTHERS))
        own = above if called in OTHERS else f"{above}/{title}"
        inner, found = made(chance, depth - 1, titles, own) if depth else ("", [])
        options = chance.choice(("", "{ timeout: 3 }, "))
        function = chance.choice(FUNCTIONS).format(inner)
        rows.append(f"{called}({quoted(chance, title)}, {options}{function});\n")
        known += found if called in OTHERS else [own, *found]
    return "\n".join(rows), known


@pytest.mark.parametrize("extension", ["js", "ts", "tsx"])
@pytest.mark.parametrize("seed", range(12))
def test_the_titles_are_those_that_were_written(extension: str, seed: int) -> None:
    text, known = made(Random(seed), 3, [], "")
    found = declarations(f"a.test.{extension}", text)
    chains = []
    for item in found:
        names, at = [item.name], item.parent
        while at != MODULE:
            names.insert(0, found[at].name)
            at = found[at].parent
        chains.append("/" + "/".join(names))
    assert sorted(chains) == sorted(known)
    assert {item.kind for item in found} <= {"test"}


def test_a_test_has_its_lines_and_a_helper_is_in_its_group() -> None:
    text = (
        "describe('sum', () => {\n  function made() {}\n"
        "  it('adds', async () => {\n    made();\n  });\n});\n"
    )
    group, helper, one = declarations("sum.test.js", text)
    assert (group.name, group.start_line, group.end_line) == ("sum", 1, 6)
    assert (one.name, one.signature) == ("adds", "it('adds', async ()")
    assert (helper.name, helper.kind, helper.parent, one.parent) == ("made", "function", 0, 0)


@pytest.mark.parametrize("title", ['gives ""', "is `x`", "has \\'y\\'"])
def test_quotes_at_the_end_of_a_title_are_of_the_title(title: str) -> None:
    (found,) = declarations("a.test.js", f"it('{title}', () => {{}})")
    assert found.name == title


@pytest.mark.parametrize(
    "text",
    ["it('only a title')", "it(name, () => {})", "test('a', done)", "it('', () => {})", "it()"],
)
def test_what_has_no_title_or_runs_nothing_is_none(text: str) -> None:
    assert declarations("a.test.js", text) == ()
