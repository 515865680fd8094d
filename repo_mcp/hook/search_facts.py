"""Facts about a search of an assistant's own: what it looked for, and what its hits are in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from code_graph.query.names import innermost
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.hook.fact import INDENT, Fact, quoted, span, write_facts
from repo_mcp.hook.stored import StoredIndex
from repo_mcp.hook.symbol_facts import symbol_fact
from repo_mcp.hook.weights import EventLimits, FactLimits

SUBJECT: Final = "about the search above"
# letters behind a backslash stand for a kind of character
_ESCAPE: Final = re.compile(r"\\.")
_NAME: Final = re.compile(r"[^\W\d]\w{2,}(?:(?:\.|::|->|#)[^\W\d]\w*)*")
# a line of output with a path and the number of a line, a line with a path alone, and one behind it
_HIT: Final = re.compile(r"(?:\./)?([^\s:][^:]{0,400}):(\d{1,7})[:-]")
_HEADING: Final = re.compile(r"(?:File: )?(?:\./)?([^\s:]{1,400})")
_BELOW: Final = re.compile(r"L?(\d{1,7}):")


class ShownLine(NamedTuple):
    """A line that a search has shown."""

    path: str
    line: int


def search_facts(
    index: StoredIndex, pattern: str, output: str, budget: Budget
) -> tuple[str, list[Fact]]:
    """The text to say about a search, and the facts in it; empty if it adds nothing."""
    return write_facts(SUBJECT, _facts(index, pattern, output, budget))


def _facts(index: StoredIndex, pattern: str, output: str, budget: Budget) -> Iterator[Fact]:
    hits = [*islice(_hits_in(output), EventLimits.SHOWN_LINES)]
    names = _NAME.findall(_ESCAPE.sub(" ", pattern))
    declared = (fact for name in dict.fromkeys(names) if (fact := symbol_fact(index, name)))
    for fact in islice(declared, FactLimits.NAMES):
        if not _is_seen(fact, hits):
            yield fact
    if not budget.spent and (around := _around(index, hits)):
        yield around


def _is_seen(fact: Fact, hits: Sequence[ShownLine]) -> bool:
    """True if the hits are few, and the declaration is one of them."""
    first = fact.shown[0].partition("-")[0]
    few = len(hits) <= FactLimits.FEW_HITS
    return few and any(span(hit.path, hit.line) == first for hit in hits)


def _hits_in(output: str) -> Iterator[ShownLine]:
    """The lines that the output of a search names: with their paths, or below one of several."""
    path = ""
    for row in output[: EventLimits.OUTPUT].split("\n"):
        if hit := _HIT.match(row):
            yield ShownLine(hit[1], int(hit[2]))
        elif path and (below := _BELOW.match(row)):
            yield ShownLine(path, int(below[1]))
        elif heading := _HEADING.fullmatch(row):
            path = heading[1]


def _around(index: StoredIndex, hits: Sequence[ShownLine]) -> Fact | None:
    """The declarations that the first hits are in, by file."""
    graph = index.graph
    if graph is None:
        return None
    inside: dict[str, list[str]] = {}
    shown = 0
    for path, line in hits:
        symbol = innermost(graph, path, line)
        if symbol is None or path in index.files.outdated([path]).paths:
            continue
        names = inside.setdefault(path, [])
        text = f"{line} in {quoted(symbol.simple_name)}"
        if symbol.start_line != line:
            names.append(text)
            shown += 1
        if shown == FactLimits.AROUND:
            break
    rows = [
        f"{INDENT}{quoted(path)}: {', '.join(names)}" for path, names in inside.items() if names
    ]
    return Fact(["- declarations around hits:", *rows], [*inside]) if rows else None
