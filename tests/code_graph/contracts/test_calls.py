"""Arguments of calls are read up to a limit of the whole file, however they are written."""

from __future__ import annotations

import re

import pytest

from code_graph.contracts.read.calls import WrittenCall, WrittenText
from code_graph.language_table import language_named

WORD = re.compile(r"[A-Za-z]+")


def calls_of(text: str) -> list[WrittenCall]:
    words = [item.span() for item in WORD.finditer(text)]
    found = WrittenText(text, language_named("csharp"))
    return [*found.calls(words, lambda *_: True)]


@pytest.mark.parametrize("count", [2_000, 4_000])
def test_calls_that_nothing_closes_are_read_a_few_times(count: int) -> None:
    text = '[HttpGet("a"\n' * count
    read = sum(call.end - call.start for call in calls_of(text))
    assert read <= 20 * len(text) + 200_000


def test_calls_in_calls_are_read_whole() -> None:
    text = "get(" * 8 + '"/items"' + ")" * 8
    assert [call.end for call in calls_of(text)] == [len(text) - at for at in range(8)]
