"""Lines and constants of ranked search are counted as its bench says."""

from __future__ import annotations

import pytest

from bench.ranking import size

_MODULE = '''"""A docstring counts."""

# a comment does not
from typing import Final

_MOST: Final = 12
_SHARES: Final = (0.5, -1 / 3)
_NAME: Final = "12"
_IS_ON: Final = True
_FEWEST, LEAST = 1, 2
_SUM: Final = _MOST + 1


class Weights(Record):

    k1: float = 2.5
    name: str = "b"


class Other(Record):
    most: int = 3
'''


def test_lines_that_are_blank_or_comments_do_not_count() -> None:
    assert size.count_lines(_MODULE) == 13


def test_names_that_are_given_numbers_alone_are_constants_and_fields_of_weights_too() -> None:
    assert list(size.constants(_MODULE)) == ["_MOST", "_SHARES", "_FEWEST", "LEAST", "k1"]


def test_the_command_prints_both(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["size"])
    size.main()
    lines, numbers = (row.split(": ") for row in capsys.readouterr().out.splitlines())
    assert (lines[0], numbers[0]) == ("lines", "constants")
    assert int(lines[1]) > int(numbers[1]) > 0
