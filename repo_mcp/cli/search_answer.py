"""What a search has to tell, whatever its mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from index_format import Snapshot
from repo_mcp.cli.search_style import Style
from repo_mcp.model import Suggestion


class Answer(NamedTuple):
    """What was found in one snapshot.

    `outdated` are files that would be ranked otherwise if the index knew them as they are now.
    """

    found: bool
    complete: bool
    # what is told of it as JSON, beside what all answers tell
    facts: Callable[[], Mapping[str, Any]]
    lines: Callable[[Style], Iterator[str]]
    warnings: tuple[str, ...]
    suggestions: tuple[Suggestion, ...] = ()
    outdated: tuple[str, ...] = ()


Ask = Callable[[Snapshot], Answer]
