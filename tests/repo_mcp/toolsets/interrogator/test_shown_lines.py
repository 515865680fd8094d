"""Which lines of a passage are shown, and how many hits: as a plain model says."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from repo_mcp.model import SearchHit
from repo_mcp.toolsets.interrogator.search_ranked import _as_result, _fit, _snippet
from repo_mcp.toolsets.kit.answers import size
from repo_mcp.toolsets.kit.records import plain

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
TERMS = ["parse", "header", "été", "οδος", "οδοσ", "nowhere", "a"]


def shown_rows(rows: Sequence[str], terms: Sequence[str], most: int) -> list[int]:
    """The first row that says something, those with most terms, then the first; blank ones last."""

    def says_something(at: int) -> bool:
        return sum(character.isalnum() for character in rows[at][:160]) >= 3

    def held(at: int) -> int:
        return sum(term.lower() in rows[at].lower() for term in terms)

    first = next(filter(says_something, range(len(rows))), 0)
    others = [at for at in range(len(rows)) if at != first]
    others.sort(key=lambda at: (not says_something(at), -held(at) if says_something(at) else 0, at))
    return sorted([first, *others[: most - 1]])


@pytest.mark.parametrize("seed", range(300))
def test_lines_with_most_terms_are_shown(seed: int) -> None:
    chance = Random(seed)
    rows = chance.choices(ROWS, k=chance.choice([1, 4, 5, 8, 9, 30]))
    terms = chance.sample(TERMS, chance.randrange(4))
    rank = chance.choice([0, 2, 3])
    most = 8 if rank < 3 else 4
    kept = shown_rows(rows, terms, most) if len(rows) > most else range(len(rows))
    expected = "\n".join(f"{7 + at}: {rows[at]}" for at in kept)
    assert _snippet("\n".join(rows), 7, terms, rank) == expected


@pytest.mark.parametrize("seed", range(100))
def test_as_many_hits_are_shown_as_fit(seed: int) -> None:
    chance = Random(seed)
    hits = [
        SearchHit(f"{at}.py", 1, 2, 1.0, (), "\n".join(chance.choices(ROWS, k=3)), stale=False)
        for at in range(chance.randrange(1, 9))
    ]
    sizes = [size(_as_result(hit, (), rank)) for rank, hit in enumerate(hits)]
    count = chance.randrange(1, len(hits) + 1)
    for room in (sum(sizes[:count]), sum(sizes[:count]) + 1):
        found = _fit(hits, (), room)
        assert plain(found) == plain(
            [_as_result(hit, (), at) for at, hit in enumerate(hits[:count])]
        )
    assert len(_fit(hits, (), sum(sizes) - 1)) == max(len(hits) - 1, 1)
