"""Facts about places: files that a prompt names, frames of traces, and texts that code has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.facts import MODULE
from code_graph.paths.path_kinds import rank_path
from code_graph.query.names import innermost
from code_graph.whole_word import whole_word
from index_format.tuples import NamedTuple
from repo_mcp import search
from repo_mcp.budget import Budget
from repo_mcp.hook.fact import INDENT, Fact, quoted, quoted_line, quoted_place, span
from repo_mcp.hook.stored import StoredIndex
from repo_mcp.hook.weights import FactLimits
from repo_mcp.question.keywords import Keyword
from repo_mcp.text.plurals import counted

_ROUTE: Final = re.compile(r"(?<![\w/.:])/[\w{}<>:$.*-]+(?:/[\w{}<>:$.*-]+)*")
_VARIES: Final = re.compile(r"[{<:$*]")


class TextPlace(NamedTuple):
    """A line that has a text."""

    path: str
    line: int
    text: str


def files_named(index: StoredIndex, written: str) -> list[str]:
    """The files that a written path may mean: one of its end, else those that end as it does.

    Of several names at least two have to agree, as a path of nothing may be one to be made; of the
    path of a whole machine, a file of the root may be the last one.
    """
    plain = written.replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in {"", ".", ".."}]
    tails = ["/".join(parts[begin:]) for begin in range(max(len(parts) - 1, 1))]
    whole = parts[-1:] if plain.startswith("/") or ":/" in plain else []
    own = next((tail for tail in [*tails, *whole] if index.text.file(tail) is not None), "")
    if own or not parts or not parts[-1].isascii():
        return [own] if own else []
    alike = index.text.paths_named([parts[-1].lower()])
    ending = ([path for path in alike if f"/{path}".endswith(f"/{tail}")] for tail in tails)
    return next(filter(None, ending), [])


def file_fact(index: StoredIndex, written: str) -> Fact | None:
    """The fact about a file that is named by its path: its length and what it declares."""
    paths = files_named(index, written)
    if not paths or len(paths) > FactLimits.ALIKE:
        return None
    lines: list[str] = []
    for path in paths:
        rows = index.files.text(path).split("\n")
        if rows == [""]:
            continue
        declared = [*_declared_in(index, path)]
        more = len(declared) - FactLimits.DECLARED
        names = ", ".join(declared[: FactLimits.DECLARED]) + (
            f" and {more} more" if more > 0 else ""
        )
        shown = f"; declares {names}" if declared else ""
        lines.append(f"- {quoted(path)}: {counted(len(rows), 'line')}{shown}")
    return Fact(lines, paths) if lines else None


def _declared_in(index: StoredIndex, path: str) -> Iterator[str]:
    """The declarations at the top of a file, as name:line."""
    rows = () if index.graph is None else index.graph.outline(path)
    for symbol, declared in rows:
        if declared is not None and declared.parent == MODULE:
            yield f"{quoted(symbol.simple_name)}:{declared.name_line}"


def frame_facts(index: StoredIndex, frames: Sequence[Keyword]) -> Iterator[Fact]:
    """The facts about frames of traces with a line: that line as it is now, and what it is in."""
    for frame in frames:
        paths = files_named(index, frame.text) if frame.line else []
        if len(paths) == 1 and (text := index.files.line(paths[0], frame.line)):
            place = quoted_place(paths[0], frame.line)
            around = _function_around(index, paths[0], frame.line)
            inside = f" in {around}" if around else ""
            head = f"- {place}{inside}: {quoted_line(text)}"
            moved = frame.function and around and frame.function not in around
            more = [f"{INDENT}the trace names {quoted(frame.function)} there"] if moved else []
            yield Fact([head, *more], [span(paths[0], frame.line)])


def _function_around(index: StoredIndex, path: str, line: int) -> str:
    symbol = None if index.graph is None else innermost(index.graph, path, line)
    if symbol is None or path in index.files.outdated([path]).paths:
        return ""
    return f"{quoted(symbol.simple_name)} ({symbol.start_line}-{symbol.end_line})"


def routes_in(text: str) -> list[str]:
    """The first paths of requests in a text, each once; one of a file has an ending."""
    written = (match[0].rstrip("/.") for match in _ROUTE.finditer(text))
    routes = dict.fromkeys(path for path in written if "." not in path.rpartition("/")[2])
    return [*routes][: FactLimits.TEXTS]


def text_fact(index: StoredIndex, texts: Sequence[str], budget: Budget) -> Fact | None:
    """The fact about the first of some texts that code has: the lines with it, code first."""
    for text in texts:
        places = lines_with(index, text, budget)
        if places:
            head = f"- {quoted(text)!r} is written in"
            rows = [_row(index, place) for place in places[: FactLimits.PLACES]]
            more = len(places) - FactLimits.PLACES
            rows += [f"{INDENT}and {counted(more, 'more line')}"] if more > 0 else []
            shown = [span(place.path, place.line) for place in places[: FactLimits.PLACES]]
            return Fact([head, *rows], shown)
    return None


def _row(index: StoredIndex, place: TextPlace) -> str:
    around = _function_around(index, place.path, place.line)
    inside = f" in {around}" if around else ""
    return f"{INDENT}{quoted_place(place.path, place.line)}{inside}: {quoted_line(place.text)}"


def lines_with(index: StoredIndex, text: str, budget: Budget) -> list[TextPlace]:
    """The lines with a text, code first; none if many have it."""
    places = first_lines_with(index, text, budget)
    return places if len(places) <= FactLimits.LINES_WITH_TEXT else []


def first_lines_with(index: StoredIndex, text: str, budget: Budget) -> list[TextPlace]:
    """As many lines as are looked at that have a text of whole words, code first."""
    # most prompts quote nothing, and to load the exact search takes as long as all else
    query = search.ExactQuery(
        (text,), limit=FactLimits.LINES_WITH_TEXT + 1, counted=False, columns=False
    )
    answer = search.ExactEngine(index.sandbox).find(index.text, query, budget)
    has_text = whole_word(text).search
    places = [
        TextPlace(line.path, line.line, line.text.strip())
        for line in answer.matches
        if has_text(line.text)
    ]
    return sorted(places, key=lambda place: (rank_path(place.path), place))


def forms_of_route(route: str) -> list[str]:
    """The texts by which code may have a route: itself, then without what is mounted before it."""
    parts = route.strip("/").split("/")
    tails = ("/".join(parts[begin:]) for begin in range(len(parts)))
    plain = [tail for tail in tails if "/" in tail and not _VARIES.search(tail)]
    fixed = [
        "/".join(
            parts[: next((at for at, part in enumerate(parts) if _VARIES.search(part)), len(parts))]
        )
    ]
    return [*dict.fromkeys([route, *plain, *(text for text in fixed if "/" in text)])]
