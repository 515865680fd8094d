"""As many hits are shown as fit on a page: as a plain model says."""

from __future__ import annotations

from random import Random

import pytest

from repo_mcp.answers.records import plain
from repo_mcp.model import SearchHit
from repo_mcp.toolsets.interrogator.search_ranked import as_result, fit_hits
from repo_mcp.toolsets.kit.answers import size

ROWS = [
    "def Parse(header):",
    "}",
    "",
    "  return HEADER",
    "x",
    "ÉTÉ Σ parse",
    "=====",
    "ΟΔΟΣ",
    "a1b",
]


@pytest.mark.parametrize("seed", range(100))
def test_as_many_hits_are_shown_asfit_hits(seed: int) -> None:
    chance = Random(seed)
    hits = [
        SearchHit(f"{at}.py", 1, 2, 1.0, (), "\n".join(chance.choices(ROWS, k=3)), stale=False)
        for at in range(chance.randrange(1, 9))
    ]
    sizes = [size(as_result(hit, rank)) for rank, hit in enumerate(hits)]
    count = chance.randrange(1, len(hits) + 1)
    for room in (sum(sizes[:count]), sum(sizes[:count]) + 1):
        found = fit_hits(hits, room)
        assert plain(found) == plain([as_result(hit, at) for at, hit in enumerate(hits[:count])])
    assert len(fit_hits(hits, sum(sizes) - 1)) == max(len(hits) - 1, 1)
