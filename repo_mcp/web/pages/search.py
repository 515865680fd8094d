"""The search page: passages or lines by file, with marks, facets and suggestions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from code_graph.paths.globs import literal_glob
from index_format.tuples import NamedTuple
from repo_mcp.answers.repository import Facets, SearchResult
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AT_LEAST, AT_MOST, FILE_KINDS
from repo_mcp.search import ExactQuery, build_matcher, is_small
from repo_mcp.text.marking import term_spans
from repo_mcp.text.plurals import counted
from repo_mcp.web.addresses import Parameters, file_link
from repo_mcp.web.highlight import SECONDS
from repo_mcp.web.lines import Marks, NumberedLine, dress, no_marks, page_lines
from repo_mcp.web.pages.page import Page, failure
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit

WORDS: Final = "words"
_STRUCTURE: Final = "structure"
_MODES: Final = (WORDS, "literal", "regex", _STRUCTURE)
_MODE_NAMES: Final = {
    WORDS: "Words",
    "literal": "Exact text",
    "regex": "Regular expression",
    _STRUCTURE: "Shape of code",
}
_PART: Final = "results"
# passages of a page: more take longer to find and to colour than a person takes to look at them
_PASSAGES: Final = 30
_LINES: Final = 50
# fields that a form hands on beside its own
_KEPT: Final = ("folder", "lang", "kind", "rev")
# values of a facet
_MOST_VALUES: Final = 10
_TOP: Final = "."
# by parameter, the field of an answer and the heading
_FACETS: Final = {
    "lang": ("languages", "Language"),
    "folder": ("folders", "Folder"),
    "kind": ("kinds", "Kind"),
}
# before a number that is not exact
_BOUNDS: Final = {AT_LEAST: "at least ", AT_MOST: "at most "}


class LineGroup(NamedTuple):
    """Lines of a file that belong together."""

    address: str
    symbol: str
    lines: Sequence[NumberedLine]
    notes: Sequence[str] = ()


class FileResults(NamedTuple):
    """The results in one file; its address is that of the first, which the file opens at."""

    path: str
    address: str
    passages: Sequence[LineGroup]


def _arguments(given: Parameters, visit: Visit) -> dict[str, Any]:
    limits = visit.limits
    mode, query, most = given.choice("mode", _MODES), given.text("q"), limits.max_search_hits
    arguments: dict[str, Any] = {
        "query": query,
        "file_glob": folder_glob(given.text("folder")),
        "language": given.text("lang") or None,
        "kind": given.choice("kind", ("", *FILE_KINDS)) or None,
        "top_k": min(_PASSAGES if mode == WORDS else _LINES, most),
        "cursor": given.text("cursor") or None,
        "max_chars": visit.page_chars,
    }
    if mode == WORDS:
        return arguments
    sensitive = bool(given.text("case")) or mode == _STRUCTURE
    return {
        **arguments,
        "mode": mode,
        "smart_case": not sensitive,
        "whole_word": bool(given.text("word")) and mode != _STRUCTURE,
        "context_lines": 1,
        "show": "symbols",
    }


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    template = _template(given)
    given = Parameters.of({key: value for key, value in given.given.items() if key != "part"})
    if not answer.ok:
        failed = failure(answer, "search")
        return failed._replace(
            template=template,
            values={**form_values(given), **failed.values, "is_asked": True, "is_failed": True},
        )
    budget = visit.budget(SECONDS)
    words = given.choice("mode", _MODES) == WORDS
    found = list(
        _passages(answer.result, budget) if words else _lines(given, answer.result, budget)
    )
    matching = answer.result.facets
    values = {
        **form_values(given),
        "is_asked": True,
        "is_failed": False,
        "summary": _summary(answer.result, found, words=words),
        "files": found,
        "facets": facet_links(given, matching),
        "bound": bound_text(matching),
        "nowhere": answer.result.nowhere,
        "suggestions": list(_suggestions(given, answer.result)),
        "warnings": answer.warnings,
        "more": given.link("/search", cursor=answer.result.cursor),
        "has_more": bool(answer.result.cursor),
        "json": given.link("/search.json"),
    }
    return View(template, values)


def _blank(given: Parameters) -> View | None:
    """The form alone, before there is a query."""
    if given.text("q").strip():
        return None
    return View(_template(given), {**form_values(given), "is_asked": False, "warnings": []})


def _template(given: Parameters) -> str:
    return "results.html" if given.text("part") == _PART else "search.html"


def form_values(given: Parameters) -> dict[str, Any]:
    """The fields of the form as they were sent."""
    return {
        "page": "search",
        "query": given.text("q"),
        "mode": given.choice("mode", _MODES),
        "modes": _MODE_NAMES,
        "case": bool(given.text("case")),
        "word": bool(given.text("word")),
        "kept": {name: given.text(name) for name in _KEPT if given.text(name)},
    }


def _summary(result: SearchResult, found: Sequence[FileResults], *, words: bool) -> str:
    everywhere = files_text(result.facets)
    if words:
        shown = counted(sum(len(item.passages) for item in found), "passage")
        more = ", and there are more" if result.truncated else ""
        some = f"{shown} in {counted(len(found), 'file')}{more}"
        return f"{some}; words of it are in {everywhere}" if more and everywhere else some
    total = result.matching_lines
    if total is None:
        return f"further lines, in {counted(len(found), 'file')}"
    if result.counted_all:
        return f"{counted(total, 'matching line')} in {counted(result.matching_files or 0, 'file')}"
    lines = f"at least {counted(total, 'matching line')}"
    return f"{lines} in {everywhere}" if everywhere else lines


def _passages(result: SearchResult, budget: Budget) -> Iterator[FileResults]:
    """The hits by file, files by their best hit."""
    groups: dict[str, list[LineGroup]] = {}
    for hit in result.hits or ():
        path, marks = hit.path, partial(term_spans, terms=frozenset(hit.matched_terms))
        lines = dress(list(page_lines(hit.snippet)), path, marks, budget)
        notes = ["changed since it was indexed"] if hit.stale else []
        notes += ["parts of the name only"] if hit.parts_only else []
        address = file_link(path, hit.start_line, hit.end_line)
        groups.setdefault(path, []).append(LineGroup(address, hit.symbol, lines, notes))
    for path, passages in groups.items():
        yield FileResults(path, passages[0].address, passages)


def _lines(given: Parameters, result: SearchResult, budget: Budget) -> Iterator[FileResults]:
    """The matching lines by file, in runs."""
    marks = _exact_marks(given)
    for item in result.files:
        path = item.path
        lines = dress(list(page_lines(item.lines)), path, marks, budget)
        passages = [
            LineGroup(file_link(path, _first_match(run)), run[0].heading, run)
            for run in _runs(lines)
        ]
        yield FileResults(path, passages[0].address if passages else file_link(path), passages)


def _first_match(run: Sequence[NumberedLine]) -> int:
    """The number of the first line that matches, not of one around it."""
    return next((line.number for line in run if not line.around), run[0].number)


def _runs(lines: Iterable[NumberedLine]) -> Iterator[list[NumberedLine]]:
    run: list[NumberedLine] = []
    for line in lines:
        if run and (line.apart or line.heading):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _exact_marks(given: Parameters) -> Marks:
    """Marks what the exact search has matched in a line."""
    mode = given.choice("mode", _MODES)
    query, regex = given.text("q"), mode == "regex"
    if mode == _STRUCTURE:
        return no_marks
    try:
        matcher = build_matcher(
            ExactQuery(
                (query,),
                regex=regex,
                ignore_case=not given.text("case") and is_small(query, regex=regex),
                whole_word=bool(given.text("word")),
            )
        )
    except Problem:
        return no_marks

    return matcher.columns_of


def _suggestions(given: Parameters, result: SearchResult) -> Iterator[tuple[str, str, str]]:
    """Text, address and reason of what to try instead."""
    for item in result.suggestions:
        text = item.text
        is_path = item.kind == "path"
        address = file_link(text) if is_path else given.link("/search", q=text, cursor="")
        yield text, address, item.why


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    return visit.ask("repo.search", _arguments(given, visit), facets_below=given.text("folder"))


PAGE: Final = Page(_ask, _view, _blank)


class FacetLink(NamedTuple):
    """A value, the number of its files, and the address that narrows to it."""

    name: str
    number: int
    address: str


class Facet(NamedTuple):
    """One way to divide files; `chosen` is the value that they are narrowed to, if any."""

    title: str
    values: Sequence[FacetLink]
    chosen: str = ""
    # the address without the choice
    wider: str = ""


def facet_links(given: Parameters, facets: Facets | None) -> list[Facet]:
    """The facets of an answer that have a choice; those that are chosen, always."""
    found = (_facet(given, name, facets) for name in _FACETS)
    return [facet for facet in found if facet.chosen or len(facet.values) > 1]


def files_text(facets: Facets | None) -> str:
    """The number of matching files as text; empty where that was not counted."""
    if facets is None:
        return ""
    return f"{bound_text(facets)}{counted(facets.files, 'file')}"


def bound_text(facets: Facets | None) -> str:
    """The text before the numbers of facets."""
    return "" if facets is None else _BOUNDS.get(facets.bound, "")


def folder_glob(folder: str) -> str | None:
    """The glob of the files in a folder; None for all files."""
    return f"{literal_glob(folder)}/**" if folder else None


def _facet(given: Parameters, name: str, facets: Facets | None) -> Facet:
    chosen, (field, title) = given.text(name), _FACETS[name]
    values = [
        FacetLink(item.name, item.files, given.link("/search", **{name: item.name, "cursor": ""}))
        for item in (() if facets is None else getattr(facets, field))
        if item.name not in {chosen, _TOP}
    ]
    above = chosen.rpartition("/")[0] if name == "folder" else ""
    wider = given.link("/search", **{name: above, "cursor": ""})
    return Facet(title, values[:_MOST_VALUES], chosen, wider)
