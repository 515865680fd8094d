"""An answer that is not complete says when it will be, and never just to ask again."""

from __future__ import annotations

import pytest

from repo_mcp.model import Progress
from repo_mcp.toolsets.kit.index_warnings import COMPARING, seconds_left


@pytest.mark.parametrize(
    ("files", "seconds", "left"),
    [(0, 3.0, None), (10, 0.0, None), (10, 1.0, 9), (99, 1.0, 1), (100, 5.0, 1), (1, 2.5, 248)],
)
def test_what_is_left_takes_as_long_as_what_is_done(
    files: int, seconds: float, left: int | None
) -> None:
    assert seconds_left(Progress("words", files, 100, 0, 0, seconds)) == left


def test_no_warning_asks_for_the_same_call_at_once() -> None:
    assert "call again" not in COMPARING.text
