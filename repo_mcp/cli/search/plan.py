"""The plan of a search, and its answer before it is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.cli.search.pager import PagedOutput
from repo_mcp.cli.search.style import Style
from repo_mcp.model import AnswerWarning, Suggestion

if TYPE_CHECKING:
    from repo_mcp.search import OpenDistributed

# the longest that files are read which could not be indexed
SCAN_SECONDS: Final = 10.0


class Answer(NamedTuple):
    """The result of a search in one snapshot.

    `outdated` are files that changed since they were indexed and may rank differently now.
    """

    found: bool
    complete: bool
    # the objects of the JSON output, each with its type
    records: Callable[[], Iterator[Mapping[str, Any]]]
    # fields of the last object besides the common ones
    facts: Callable[[], Mapping[str, Any]]
    lines: Callable[[Style], Iterator[str]]
    warnings: tuple[str, ...]
    suggestions: tuple[Suggestion, ...] = ()
    # the message before the lines
    notice: str = ""
    outdated: tuple[str, ...] = ()
    # whether it says of a word that it is nowhere
    lacking: bool = False


Ask = Callable[[Snapshot], Answer]


def missing_segments(warnings: Iterable[AnswerWarning]) -> dict[str, tuple[str, ...]]:
    """A field with the segments that no worker of a cluster has searched, if there are some."""
    names = tuple(name for item in warnings for name in item.names)
    return {"missing_segments": names} if names else {}


class SearchPlan(NamedTuple):
    """A search: in an index, and in files that no index has yet."""

    ask: Ask
    scan: Callable[[Iterable[str]], Answer]


class Printing(NamedTuple):
    """The output of a search, its style, and what lets workers of a cluster search."""

    out: PagedOutput
    style: Style
    distributed: OpenDistributed | None


def outdated(answer: Answer) -> tuple[str, ...]:
    """The changed files in an answer."""
    return answer.outdated
