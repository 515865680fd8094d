"""Raises files that a report names, by their path or as a frame of a trace."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.question.report import FileMention
from repo_mcp.search.ranked.passage_table import NAMED, PassageTable


def raise_named(table: PassageTable, mentions: Sequence[FileMention]) -> None:
    """Raise each file that is named; of frames the innermost one of the repository counts most.

    What a mention adds is shared by the files that it may mean.
    """
    raised: dict[str, float] = {}
    frames = 0
    for mention in sorted(mentions, key=lambda item: item.depth):
        meant = [path for path in table.paths if _means(mention.path, path)]
        for path in meant:
            raised[path] = max(raised.get(path, 1.0), 1 + 1 / (len(meant) * (1 + frames)))
        frames += bool(meant and mention.is_frame)
    if raised:
        table.multiply_files(NAMED, raised)


def _means(written: str, path: str) -> bool:
    """True if one of two paths ends with the other, at a folder; or without its ending."""
    stem, _, ending = path.rpartition(".")
    if f"/{path}".endswith(f"/{written}") or f"/{written}".endswith(f"/{path}"):
        return True
    return "/" not in ending and f"/{stem}".endswith(f"/{written}")
