"""The audit page: which tools were called, by which client, when, and what each call has shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.audit.log import AuditEntry, Recent
from repo_mcp.repository import Repository
from repo_mcp.text.cutting import cut
from repo_mcp.web.addresses import Parameters, file_link, link, place_link
from repo_mcp.web.pages.page import Page, failure
from repo_mcp.web.plots import Bar, place_on, quantile, share_bar
from repo_mcp.web.render import View
from repo_mcp.web.tools import Answered, Fields, ToolAnswer, Visit

# calls of a table, along the time, and in all
_MOST: Final = 200
_MOST_MARKS: Final = 1_000
_MOST_READ: Final = 5_000
_MOST_ARGUMENTS: Final = 600
_MOST_NAMES: Final = 12
_UNKNOWN: Final = "unknown"
_PAGE: Final = "audit"


class ShownLines(NamedTuple):
    """Lines that an answer has shown."""

    text: str
    address: str


class AuditRow(NamedTuple):
    """A call as the page shows it."""

    time: str
    tool: str
    client: str
    state: str
    arguments: str
    counts: Sequence[str]
    shown: Sequence[ShownLines]
    milliseconds: float


class NameShare(NamedTuple):
    """A tool, client or file, and how many calls it has."""

    name: str
    number: int
    address: str
    bar: Bar


class ToolTimes(NamedTuple):
    """Durations of a tool's calls: median and 95th percentile, in milliseconds."""

    name: str
    number: int
    middle: float
    slow: float
    bar: Bar


class ClientTimeline(NamedTuple):
    """The calls of one client along the time."""

    client: str
    marks: Sequence[tuple[float, str, str]]


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    def find(_: Repository) -> Answered:
        return log_fields(visit.app.services.audit().recent(given.text("since"), _MOST_READ)), ()

    return visit.answer(find)


def log_fields(found: Recent) -> Fields:
    """Calls as JSON, newest first."""
    return {
        "calls": [entry_fields(entry) for entry in found.entries],
        "skipped_lines": found.skipped,
        "truncated": found.more,
    }


def entry_fields(entry: AuditEntry) -> Fields:
    """A call as JSON."""
    return {
        **entry._asdict(),
        "client": entry.client or _UNKNOWN,
        "arguments": json.dumps(dict(entry.arguments), ensure_ascii=False),
        "milliseconds": round(entry.seconds * 1000, 1),
    }


def _view(given: Parameters, _: Visit, answer: ToolAnswer) -> View:
    if not answer.ok:
        return failure(answer, _PAGE)
    kept = {name: given.text(name) for name in ("client", "tool") if given.text(name)}
    values = {
        **audit_values(answer.result, given, _MOST),
        "since": given.text("since"),
        "kept": kept,
        "json": link("/audit.json", since=given.text("since")),
        "warnings": answer.warnings,
    }
    return View("audit.html", values)


def audit_values(log: Fields, given: Parameters, most: int | None = None) -> dict[str, Any]:
    """The content of the page; its numbers are of all calls, the table has a part of them."""
    wanted = {name: given.text(name) for name in ("client", "tool") if given.text(name)}
    calls: Sequence[Fields] = log["calls"]
    kept = [call for call in calls if all(call[name] == value for name, value in wanted.items())]
    after = given.text("cursor")
    begin = next((at for at, call in enumerate(kept, 1) if call["request_id"] == after), 0)
    shown = kept[begin:] if most is None else kept[begin : begin + most]
    has_more = begin + len(shown) < len(kept)
    return {
        "page": _PAGE,
        "calls": list(map(_call, shown)),
        "total": len(kept),
        "left": len(calls) - len(kept),
        "truncated": log["truncated"],
        "skipped": log["skipped_lines"],
        "begin": begin,
        "clients": list(_shares(kept, "client", given)),
        "more": given.link("/audit", cursor=shown[-1]["request_id"]) if has_more else "",
        "files": list(_files(kept)),
        "times": list(tool_times(kept)),
        "rows": list(_rows(kept[:_MOST_MARKS])),
        "marked": min(len(kept), _MOST_MARKS),
        "first": min((call["time"] for call in kept[:_MOST_MARKS]), default=""),
        "last": max((call["time"] for call in kept), default=""),
        "chosen": [
            ShownLines(f"{name}: {value}", given.link("/audit", **{name: "", "cursor": ""}))
            for name, value in wanted.items()
        ],
    }


def tool_times(calls: Iterable[Fields]) -> Iterator[ToolTimes]:
    """Durations of answered calls, by tool."""
    found: dict[str, list[float]] = {}
    for call in calls:
        if call["ok"]:
            found.setdefault(call["tool"], []).append(call["milliseconds"])
    rows = {name: sorted(times) for name, times in found.items()}
    slowest = max((quantile(times, 0.95) for times in rows.values()), default=0.0)
    for name, times in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        slow = quantile(times, 0.95)
        yield ToolTimes(name, len(times), quantile(times, 0.5), slow, share_bar(slow, slowest))


def _call(call: Fields) -> AuditRow:
    shown = [ShownLines(text, place_link(text)) for text in call["shown"][:_MOST_NAMES]]
    more = max(call["shown_in_all"], len(call["shown"])) - len(shown)
    return AuditRow(
        _clock_text(call["time"]),
        call["tool"],
        call["client"],
        _state(call),
        cut(call["arguments"], _MOST_ARGUMENTS),
        [f"{name} {count}" for name, count in call["counts"].items()],
        [*shown, *([ShownLines(f"and {more} more", "")] if more > 0 else [])],
        call["milliseconds"],
    )


def _state(call: Fields) -> str:
    if call["ok"]:
        return "ok"
    return "blocked" if call["blocked"] else "failed"


def _clock_text(time: str) -> str:
    return time.replace("T", " ")[:19]


def _shares(calls: Sequence[Fields], field: str, given: Parameters) -> Iterator[NameShare]:
    counts = Counter(call[field] for call in calls)
    for name, number in counts.most_common(_MOST_NAMES):
        address = given.link("/audit", **{field: name, "cursor": ""})
        yield NameShare(name, number, address, share_bar(number, max(counts.values())))


def _files(calls: Iterable[Fields]) -> Iterator[NameShare]:
    """The files that most calls have shown."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts.update({text.rpartition(":")[0] for text in call["shown"]} - {""})
    for name, number in counts.most_common(_MOST_NAMES):
        yield NameShare(name, number, file_link(name), share_bar(number, max(counts.values())))


def _rows(calls: Sequence[Fields]) -> Iterator[ClientTimeline]:
    """The times of each client's calls."""
    times = [datetime.fromisoformat(call["time"]).timestamp() for call in calls]
    rows: dict[str, list[tuple[float, str, str]]] = {}
    for call, at in zip(calls, place_on(times), strict=True):
        title = f"{_clock_text(call['time'])} {call['tool']}"
        rows.setdefault(call["client"], []).append((at, _state(call), title))
    for client in sorted(rows):
        yield ClientTimeline(client, rows[client])


def file_values(found: Recent) -> dict[str, Any]:
    """The values of a page that is a file."""
    return {**audit_values(log_fields(found), Parameters(b"")), "since": "", "warnings": ()}


PAGE: Final = Page(_ask, _view)
