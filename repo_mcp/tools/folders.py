"""Where many files lie: how many in which folder, as few folders as say something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

_MOST: Final = 12


def folders_of(paths: Sequence[str]) -> list[dict[str, Any]]:
    """The fullest folders below the one that holds all of these sorted paths.

    Files that lie in that one itself are counted under its own name, "." for the root.
    """
    above = _common(paths[0], paths[-1]) if paths else ""
    begin = len(above)
    counts: Counter[str] = Counter()
    for path in paths:
        slash = path.find("/", begin)
        counts[path[:slash] if slash >= 0 else above.rstrip("/") or "."] += 1
    fullest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST]
    return [{"path": path, "files": count} for path, count in fullest]


def _common(first: str, last: str) -> str:
    """The folder of all paths between two, with its slash; empty for the root."""
    at = 0
    for left, right in zip(first, last, strict=False):
        if left != right:
            break
        at += 1
    return first[: first.rfind("/", 0, at) + 1]
