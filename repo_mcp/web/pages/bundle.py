"""The bundle page: the excerpts that a prompt gets, why each of them, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import AnswerLine, NumberedLines
from repo_mcp.answers.records import Failure, ToolReply
from repo_mcp.budget import Budget
from repo_mcp.text.cutting import read_numbered
from repo_mcp.web.addresses import Parameters, file_link, place_link
from repo_mcp.web.highlight import SECONDS
from repo_mcp.web.lines import NumberedLine, dress, no_marks, page_lines
from repo_mcp.web.pages.page import Page, failure_values
from repo_mcp.web.plots import COLOURS, Bar, share_bar, stack
from repo_mcp.web.render import View
from repo_mcp.web.tools import Fields, ToolAnswer, Visit

_TOOL: Final = "repo.build_context_bundle"
_LAST: Final = "repo-mcp://bundle/last.json"
_TEMPLATE: Final = "bundle.html"
_PAGE: Final = "bundle"
_LIMITS: Final = ("max_files", "max_total_lines", "max_tokens")


class BundlePassage(NamedTuple):
    """Lines of one declaration, and why they were chosen."""

    address: str
    symbol: str
    citation: str
    reasons: Sequence[str]
    score: float
    notes: Sequence[str]
    lines: Sequence[NumberedLine]


class BundleFile(NamedTuple):
    """A file of the bundle, and what it takes."""

    path: str
    address: str
    lines: int
    tokens: int
    colour: int
    bar: Bar
    reason: str
    passages: Sequence[BundlePassage]


class Spent(NamedTuple):
    """A limit of the bundle, and how much of it is used."""

    name: str
    used: int
    most: int
    bar: Bar


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    if not _prompt(given):
        return _last(visit)
    budget = {name: given.number(name, 0) for name in _LIMITS}
    arguments = {
        "prompt": _prompt(given),
        "budget": {name: value for name, value in budget.items() if value},
        "include_tests": bool(given.text("tests")),
        "max_chars": visit.page_chars,
    }
    return visit.ask(_TOOL, arguments, with_record=True)


def _last(visit: Visit) -> ToolAnswer:
    """The last bundle that any client was given, as it is kept."""
    kept = visit.read(_LAST)
    if not kept:
        return ToolAnswer(ToolReply(Failure(code="not_found", reason="no bundle yet"), ok=False))
    return ToolAnswer(ToolReply(json.loads(kept)))


def _view(given: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    values: dict[str, Any] = {**_form(given), "json": given.link("/bundle.json")}
    if not answer.ok:
        if not _prompt(given):
            return View(_TEMPLATE, {**values, "state": "empty"})
        return View(
            _TEMPLATE, {**values, "state": "failed", **failure_values(answer)}, answer.status
        )
    record = answer.result
    if _prompt(given):
        record = {**record.record, "warnings": answer.warnings}
    return View(_TEMPLATE, {**values, **bundle_values(record, visit.budget(SECONDS))})


def bundle_values(record: Fields, budget: Budget) -> dict[str, Any]:
    """The page's values of a bundle, as it is kept in the data folder."""
    files = list(_files(record, budget))
    audit = record["audit"]
    heaviest = max((item["weight"] for item in audit["keywords"]), default=1.0)
    return {
        "page": _PAGE,
        "state": "shown",
        "asked": record["prompt"],
        "bundle_id": record["bundle_id"],
        "used": record["used"],
        "spent": list(_spent(record)),
        "files": files,
        "stack": stack([item.tokens for item in files]),
        "keywords": [
            {**item, "bar": share_bar(item["weight"], heaviest)} for item in audit["keywords"]
        ],
        # bundles that older releases have kept have none
        "places": [
            {"citation": item, "address": place_link(item)} for item in record.get("places", ())
        ],
        "searches": audit["searches"],
        "left_out": [
            {**item, "address": file_link(item["path"], item["start_line"], item["end_line"])}
            for item in audit["left_out"]
        ],
        "audit": audit,
        "warnings": record.get("warnings", ()),
    }


def _form(given: Parameters) -> dict[str, Any]:
    limits = {name: given.text(name) for name in _LIMITS}
    tests = bool(given.text("tests"))
    return {
        "page": _PAGE,
        "prompt": _prompt(given),
        "limits": limits,
        "tests": tests,
        "warnings": (),
    }


def _prompt(given: Parameters) -> str:
    return given.text("prompt").strip()


def _spent(record: Fields) -> Iterator[Spent]:
    used, limits = record["used"], record["budget"]
    pairs = (("files", "max_files"), ("lines", "max_total_lines"), ("tokens", "max_tokens"))
    for name, limit in pairs:
        most = limits[limit]
        yield Spent(name, used[name], most, share_bar(used[name], most or used[name]))


def _files(record: Fields, budget: Budget) -> Iterator[BundleFile]:
    """The files in the order of the bundle; tokens are the share of its own estimate."""
    excerpts: dict[str, list[Mapping[str, Any]]] = {}
    for item in record["excerpts"]:
        excerpts.setdefault(item["path"], []).append(item)
    sizes = {path: sum(map(_size, items)) for path, items in excerpts.items()}
    total, tokens = sum(sizes.values()) or 1, record["used"]["tokens"]
    reasons = {item["path"]: item["rationale"] for item in record["files"]}
    lines = {item["path"]: item["lines"] for item in record["files"]}
    for rank, (path, items) in enumerate(excerpts.items()):
        passages = [_passage(item, budget) for item in items]
        yield BundleFile(
            path,
            passages[0].address or file_link(path),
            lines.get(path, 0),
            round(tokens * sizes[path] / total),
            min(rank, COLOURS),
            share_bar(sizes[path], max(sizes.values())),
            reasons.get(path, ""),
            passages,
        )


def _size(item: Mapping[str, Any]) -> int:
    return sum(len(item[name].encode("utf-8", "replace")) for name in ("text", "rationale"))


def _passage(item: Mapping[str, Any], budget: Budget) -> BundlePassage:
    rows = page_lines(NumberedLines(AnswerLine(*row) for row in read_numbered(item["text"])))
    notes = ["test"] if item["role"] == "test" else []
    notes += ["changed since it was indexed"] if item.get("stale") else []
    return BundlePassage(
        place_link(item["citation"]),
        item.get("symbol", ""),
        item["citation"],
        item["rationale"].split("; "),
        item["score"],
        notes,
        dress(list(rows), item["path"], no_marks, budget),
    )


PAGE: Final = Page(_ask, _view)
