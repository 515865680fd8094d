"""The audit page: which tools were called, by which client, when, and what each call has shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from repo_mcp.audit.log import AuditEntry
from repo_mcp.web.addresses import Parameters, file_link, place_link
from repo_mcp.web.pages.page import Page, failure
from repo_mcp.web.plots import Bar, place_on, quantile, share_bar
from repo_mcp.web.render import View
from repo_mcp.web.tools import Fields, ToolAnswer, Visit

_MOST: Final = 200
_MOST_NAMES: Final = 12
_UNKNOWN: Final = "unknown"
_PAGE: Final = "audit"


class Place(NamedTuple):
    """Lines that an answer has shown."""

    text: str
    address: str


class Call(NamedTuple):
    """A call as the page shows it."""

    time: str
    tool: str
    client: str
    state: str
    arguments: str
    counts: Sequence[str]
    shown: Sequence[Place]
    milliseconds: float


class NameShare(NamedTuple):
    """A tool, client or file, and how many calls it has."""

    name: str
    number: int
    address: str
    bar: Bar


class ToolTimes(NamedTuple):
    """How long calls of a tool took: the middle one and one of twenty, in milliseconds."""

    name: str
    number: int
    middle: float
    slow: float
    bar: Bar


class Row(NamedTuple):
    """The calls of one client along the time."""

    client: str
    marks: Sequence[tuple[float, str, str]]


def _ask(given: Parameters, visit: Visit) -> ToolAnswer:
    since, cursor = given.text("since") or None, given.text("cursor") or None
    return visit.ask("repo.audit_log", {"since": since, "limit": _MOST, "cursor": cursor})


def _view(given: Parameters, _: Visit, answer: ToolAnswer) -> View:
    if not answer.ok:
        return failure(answer, _PAGE)
    cursor = answer.result.get("cursor", "")
    values = {
        **audit_values(answer.result.get("calls", ()), given),
        "since": given.text("since"),
        "kept": {name: given.text(name) for name in ("client", "tool") if given.text(name)},
        "skipped": answer.result.get("skipped_lines", 0),
        "more": given.link("/audit", cursor=cursor) if cursor else "",
        "json": given.link("/audit.json"),
        "warnings": answer.warnings,
    }
    return View("audit.html", values)


def audit_values(calls: Sequence[Fields], given: Parameters) -> dict[str, Any]:
    """What the page shows of calls, as the tool lists them; those of a client or tool alone."""
    wanted = {name: given.text(name) for name in ("client", "tool")}
    kept = [
        call
        for call in calls
        if all(not value or _name(call, name) == value for name, value in wanted.items())
    ]
    return {
        "page": _PAGE,
        "calls": [_call(call) for call in kept],
        "left": len(calls) - len(kept),
        "clients": list(_shares(kept, "client", given)),
        "tools": list(_shares(kept, "tool", given)),
        "more": "",
        "files": list(_files(kept)),
        "times": list(tool_times(kept)),
        "rows": list(_rows(kept)),
        "first": min((call["time"] for call in kept), default=""),
        "last": max((call["time"] for call in kept), default=""),
        "chosen": [
            Place(f"{name}: {value}", given.link("/audit", **{name: "", "cursor": ""}))
            for name, value in wanted.items()
            if value
        ],
    }


def tool_times(calls: Iterable[Fields]) -> Iterator[ToolTimes]:
    """How long answered calls took, by tool."""
    found: dict[str, list[float]] = {}
    for call in calls:
        if call.get("ok", True):
            found.setdefault(call["tool"], []).append(call["milliseconds"])
    rows = {name: sorted(times) for name, times in found.items()}
    slowest = max((quantile(times, 0.95) for times in rows.values()), default=0.0)
    for name, times in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        slow = quantile(times, 0.95)
        yield ToolTimes(name, len(times), quantile(times, 0.5), slow, share_bar(slow, slowest))


def _call(call: Fields) -> Call:
    return Call(
        _clock_text(call["time"]),
        call["tool"],
        _name(call, "client"),
        _state(call),
        call["arguments"],
        call.get("counts", ()),
        [Place(text, place_link(text)) for text in call.get("shown", ())],
        call["milliseconds"],
    )


def _state(call: Fields) -> str:
    if call.get("ok", True):
        return "ok"
    return "blocked" if call.get("blocked") else "failed"


def _clock_text(time: str) -> str:
    return time.replace("T", " ")[:19]


def _name(call: Fields, name: str) -> str:
    return call.get(name, "") or _UNKNOWN


def _shares(calls: Sequence[Fields], field: str, given: Parameters) -> Iterator[NameShare]:
    counts = Counter(_name(call, field) for call in calls)
    for name, number in counts.most_common(_MOST_NAMES):
        address = given.link("/audit", **{field: name, "cursor": ""})
        yield NameShare(name, number, address, share_bar(number, max(counts.values())))


def _files(calls: Iterable[Fields]) -> Iterator[NameShare]:
    """The files that most calls have shown."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts.update({text.rpartition(":")[0] for text in call.get("shown", ())} - {""})
    for name, number in counts.most_common(_MOST_NAMES):
        yield NameShare(name, number, file_link(name), share_bar(number, max(counts.values())))


def _rows(calls: Sequence[Fields]) -> Iterator[Row]:
    """When each client called."""
    times = [datetime.fromisoformat(call["time"]).timestamp() for call in calls]
    rows: dict[str, list[tuple[float, str, str]]] = {}
    for call, at in zip(calls, place_on(times), strict=True):
        title = f"{_clock_text(call['time'])} {call['tool']}"
        rows.setdefault(_name(call, "client"), []).append((at, _state(call), title))
    for client in sorted(rows):
        yield Row(client, rows[client])


def entry_fields(entry: AuditEntry) -> Fields:
    """An entry of the log as the tool lists it."""
    return {
        **entry._asdict(),
        "arguments": json.dumps(dict(entry.arguments), ensure_ascii=False),
        "counts": [f"{name} {count}" for name, count in entry.counts.items()],
        "milliseconds": round(entry.seconds * 1000, 1),
    }


def file_values(calls: Sequence[Fields], skipped: int) -> dict[str, Any]:
    """What a page that is a file shows."""
    return {**audit_values(calls, Parameters(b"")), "since": "", "skipped": skipped, "warnings": ()}


PAGE: Final = Page(_ask, _view)
