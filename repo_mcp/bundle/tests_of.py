"""Tests that mention what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.bundle.files import Files
from repo_mcp.bundle.hits import Candidate, gathered
from repo_mcp.bundle.searches import Searches
from repo_mcp.bundle.testing_paths import is_test
from repo_mcp.bundle.types import Excerpt

_MOST_SYMBOLS: Final = 4
_TOP: Final = 20


def tests_of(
    searches: Searches, files: Files, excerpts: Sequence[Excerpt], about: str
) -> list[tuple[Candidate, str]]:
    """Declarations in tests that mention chosen symbols, the best first, and which ones."""
    names = list(
        dict.fromkeys(
            item.symbol.rpartition(".")[2]
            for item in sorted(excerpts, key=lambda item: -item.score)
            if item.symbol and item.role == "match" and not is_test(item.path)
        )
    )[:_MOST_SYMBOLS]
    hits = [
        hit._replace(search=f"tests:{name}")
        for name in names
        for hit in searches.ranked("tests", f"test {name} {about}".strip()[:400], _TOP)
        if is_test(hit.path)
    ]
    found: list[tuple[Candidate, str]] = []
    for item in gathered(hits, files):
        said = _mentioned(files, item, names)
        if said:
            found.append((item, f"tests {', '.join(said)}"))
    return found


def _mentioned(files: Files, item: Candidate, names: Sequence[str]) -> list[str]:
    """Which of the names stand in the lines."""
    source = files.source(item.path)
    text = "" if source is None else "\n".join(source.rows.between(item.first, item.last))
    return [name for name in names if name in text]
