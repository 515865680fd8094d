"""Files are chosen by the score of the last one that is wanted, however scores are spread."""

from __future__ import annotations

from random import Random

import pytest

from repo_mcp.native import NATIVE
from tests.index_format.native.fuzz_ranking import check_choice

pytestmark = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")


@pytest.mark.parametrize("seed", range(200))
def test_files_that_reach_the_last_score_are_chosen(seed: int) -> None:
    assert NATIVE is not None
    check_choice(NATIVE, Random(seed))
