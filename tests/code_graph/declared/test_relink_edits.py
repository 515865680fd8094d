"""Incremental linking of Java, Go and Kotlin equals linking all, after edits of lines and names."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import pytest

from code_graph import SourceTree
from tests.code_graph.languages.go import test_rules as test_go
from tests.code_graph.languages.java import test_rules as test_java
from tests.code_graph.languages.kotlin import test_rules as test_kotlin
from tests.code_graph.sources import link, relink

_WORD = re.compile(r"[A-Za-z]\w{2,}")


def edited(chance: random.Random, text: str, others: str) -> str | None:
    """A text without a line, with another line twice, or with another word somewhere."""
    rows = text.split("\n")
    at = chance.randrange(len(rows))
    kind = chance.randint(0, 5)
    if kind == 0:
        return None
    if kind == 1:
        del rows[at]
    elif kind == 2:
        rows.insert(chance.randrange(len(rows)), rows[at])
    else:
        words = _WORD.findall(others)
        rows[at] = _WORD.sub(lambda _: chance.choice(words), rows[at], count=1)
    return "\n".join(rows)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "sources",
    [test_java.SOURCES, test_go.SOURCES, test_kotlin.SOURCES],
    ids=["java", "go", "kotlin"],
)
def test_linking_what_asked_about_a_change_equals_linking_all(
    sources: Mapping[str, str], seed: int
) -> None:
    chance = random.Random(seed)
    tree = SourceTree(sources)
    texts = {path: sources[path] for path in tree.paths()}
    linked = link(tree)
    for _ in range(8):
        path = chance.choice(sorted(texts))
        text = edited(chance, texts[path], "\n".join(texts.values()))
        texts[path] = text if text is not None else sources[path]
        tree = tree.edited(path, text)
        linked = relink(linked, tree, path)
        assert linked == link(tree)
