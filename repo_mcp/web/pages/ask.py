"""The page of questions: the answer to one of any kind, with its verdict and the next step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.asked import AUTO, TOUR, WANTS, AskResult
from repo_mcp.web.addresses import Parameters
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.places import RowPiece, link_places
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit

_PAGE: Final = "ask"
_TEMPLATE: Final = "ask.html"
_EMPTY: Final = "empty"
# the ends of a flow, and what lies between them
_ENDS: Final = ("from", "to", "over")
_NAME: Final = re.compile(r"\s*(?:\"[^\"]*\"|[^,]+)")


class PartView(NamedTuple):
    """A part of the answer; one that is alone has the verdict and the step of the whole."""

    title: str
    verdict: str
    next: Sequence[RowPiece]
    rows: Sequence[Sequence[RowPiece]]


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    arguments = {
        "question": given.text("q"),
        "names": _names(given),
        "want": given.choice("want", WANTS),
        **{name: given.text(name) for name in _ENDS},
        "more": _more(given),
        "max_chars": visit.page_chars,
    }
    return visit.ask("repo.ask", arguments, with_tour=False)


def _names(given: Parameters) -> list[str]:
    names = (name.strip() for name in _NAME.findall(given.text("names")))
    return [name for name in names if name]


def _more(given: Parameters) -> list[str]:
    """Further questions, each in a line of its own."""
    return [row for row in given.text("more").splitlines() if row.strip()]


def _blank(given: Parameters) -> View | None:
    asked = "".join(given.text(name) for name in ("q", "more", *_ENDS))
    is_asked = asked.strip() or _names(given) or given.text("want") == TOUR
    return None if is_asked else View(_TEMPLATE, {**_form(given), "state": _EMPTY})


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    values = {**_form(given), "json": given.link("/ask.json"), "warnings": answer.warnings}
    if not answer.ok:
        failed = {**values, "state": "failed", **failure_values(answer)}
        return View(_TEMPLATE, failed, answer.status)
    result: AskResult = answer.result
    has_file = _file_test(visit)
    shown = {
        "state": "shown",
        "verdict": result.verdict,
        "next": _step(result.next, has_file),
        "parts": [*_parts(result, has_file)],
    }
    return View(_TEMPLATE, {**values, **shown})


def _form(given: Parameters) -> dict[str, Any]:
    return {
        "page": _PAGE,
        "q": given.text("q"),
        "names": given.text("names"),
        "more": given.text("more"),
        "ends": {name: given.text(name) for name in _ENDS},
        "want": given.choice("want", WANTS),
        "wants": {name: "by its words" if name == AUTO else name for name in WANTS},
        "warnings": (),
    }


def _file_test(visit: Visit) -> Callable[[str], bool]:
    """A test for paths of indexed files."""
    repository = visit.repository
    snapshot = None if repository is None else repository.current_index().snapshot
    return lambda path: snapshot is not None and snapshot.find(path) is not None


def _parts(result: AskResult, has_file: Callable[[str], bool]) -> Iterator[PartView]:
    is_alone = len(result.parts) == 1
    for part in result.parts:
        rows = (row for text in part.lines for row in text.split("\n"))
        step = () if is_alone or part.next == result.next else _step(part.next, has_file)
        verdict = "" if is_alone else part.verdict
        yield PartView(part.title, verdict, step, [*link_places(rows, has_file)])


def _step(text: str, has_file: Callable[[str], bool]) -> Sequence[RowPiece]:
    """The next step, whose places lead to their lines; empty if there is none."""
    return next(link_places([text], has_file)) if text else ()


PAGE: Final = Page(_ask, _view, _blank)
