"""The sentence for a question that nothing answers confidently."""

from __future__ import annotations

from collections.abc import Sequence


def doubt(terms: Sequence[str], absent: Sequence[str], nearest: str) -> str:
    """The words that were looked for, those that are nowhere, and the nearest that is shown."""
    lacking = f"nowhere in the index: {', '.join(absent)}" if absent else "not found together"
    return f"no confident answer to {', '.join(terms)} ({lacking}); nearest: {nearest}"
