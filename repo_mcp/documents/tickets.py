"""Exported tickets as text: of each its title, what is known of it, its body and its comments.

What GitHub, GitLab, Jira and Linear write as JSON or CSV is often one long line, or has a text's
line ends as escapes. Records are known by what their fields are called. A file that is something
else stays as it is.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.text.files import decode


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MOST_TICKETS: Final = 100_000
_MOST_CHARACTERS: Final = 32 << 20
_MOST_DEPTH: Final = 40
_LONGEST_FACT: Final = 300
_KEYS: Final = ("identifier", "key", "issuekey", "number", "iid", "id", "issueid")
_TITLES: Final = ("title", "summary", "subject")
_BODIES: Final = _words("body description content")
_COMMENTS: Final = ("comments", "comment", "notes")
_FACTS: Final = (
    *("state", "status", "type", "issuetype", "priority", "labels", "assignee", "assignees"),
    *("author", "user", "creator", "reporter", "milestone", "project", "url", "htmlurl", "weburl"),
    *("created", "createdat", "updated", "updatedat", "closedat", "resolved", "resolution"),
)
_NAMES: Final = _words("login displayname name username title value")
_TEXTS: Final = _words("body text content description")
_TIMES: Final = ("createdat", "created", "date")
_WRITERS: Final = ("author", "user", "creator")
_INNER: Final = ("fields", "attributes")
_LISTS: Final = frozenset({"comments", "nodes", "edges", "items", "issues", "tickets", "data"})
_OTHER: Final = re.compile(r"[^a-z0-9]+")

Ticket = Mapping[str, Sequence[Any]]


def tickets_as_text(path: str, data: bytes) -> bytes:
    """The tickets of an export in UTF-8; the same bytes for a file that is none."""
    found = decode(data)
    if found is None:
        return data
    try:
        records = list(_records(path.rpartition(".")[2].lower(), found.content))
    except (ValueError, RecursionError, csv.Error):
        return data
    tickets = [_ticket(record) for record in records[:_MOST_TICKETS]]
    told = [ticket for ticket in tickets if _is_ticket(ticket)]
    if not told or 2 * len(told) < len(tickets):
        return data
    pieces: list[str] = []
    left = _MOST_CHARACTERS
    for ticket in told:
        text = "\n".join(_lines(ticket)) + "\n"
        left -= len(text)
        if left < 0:
            break
        pieces.append(text)
    plain = "\n".join(pieces).replace("\0", " ")
    return plain.encode("utf-8", "replace")


# records


def _records(ending: str, text: str) -> Iterator[Iterable[tuple[str, Any]]]:
    """The records of an export, as pairs of names and values: names may be there twice."""
    if ending in {"csv", "tsv"}:
        rows = csv.reader(io.StringIO(text), delimiter="\t" if ending == "tsv" else ",")
        head = next(rows, [])
        for row in rows:
            yield list(zip(head, row, strict=False))
    elif ending in {"jsonl", "ndjson"}:
        for line in filter(str.strip, text.split("\n")):
            yield from _objects(json.loads(line))
    else:
        yield from _objects(json.loads(text))


def _objects(value: object, depth: int = 0) -> Iterator[Iterable[tuple[str, Any]]]:
    """The objects of a list, which may be inside of what an interface answers."""
    if isinstance(value, list):
        for item in value:
            inner = item.get("node") if isinstance(item, dict) else None
            row = inner if isinstance(inner, dict) else item
            if isinstance(row, dict):
                yield row.items()
    elif isinstance(value, dict):
        lists = [inner for name, inner in value.items() if _plain(name) in _LISTS]
        if any(_plain(name) in _TITLES for name in value) or depth > 3 or not lists:
            yield value.items()
        else:
            for inner in lists:
                yield from _objects(inner, depth + 1)


def _ticket(record: Iterable[tuple[str, Any]]) -> Ticket:
    """The values of a record by plain names; those of what holds most fields are its own."""
    found: dict[str, list[Any]] = {}
    for name, value in record:
        if _plain(name) in _INNER and isinstance(value, dict):
            for inner, one in value.items():
                found.setdefault(_plain(inner), []).append(one)
        elif value not in (None, "", [], {}):
            found.setdefault(_plain(name), []).append(value)
    return found


def _is_ticket(ticket: Ticket) -> bool:
    has_more = any(name in ticket for name in (*_BODIES, *_COMMENTS))
    return has_more and bool(_first(ticket, _TITLES))


def _plain(name: object) -> str:
    return _OTHER.sub("", str(name).lower())


# text


def _lines(ticket: Ticket) -> Iterator[str]:
    key, title = _first(ticket, _KEYS), _first(ticket, _TITLES)
    yield f"# {key}: {title}" if key else f"# {title}"
    for name in _FACTS:
        told = [fact for value in ticket.get(name, ()) if (fact := _fact(value))]
        if told:
            yield f"{name}: {', '.join(told)}"[:_LONGEST_FACT]
    for name in _BODIES:
        for value in ticket.get(name, ()):
            yield from ("", *_text(value).split("\n"))
    for name in _COMMENTS:
        for value in ticket.get(name, ()):
            yield from _comments(value)


def _comments(value: object, depth: int = 0) -> Iterator[str]:
    """The comments of a ticket, each below a heading."""
    if isinstance(value, list):
        for item in value:
            yield from _comments(item, depth + 1) if depth < _MOST_DEPTH else ()
    elif isinstance(value, dict):
        plain = {_plain(name): one for name, one in value.items()}
        body = next((plain[name] for name in _TEXTS if plain.get(name)), None)
        if body is None or isinstance(body, list):
            inner = [one for name, one in plain.items() if name in _LISTS or name == "node"]
            yield from _comments(inner, depth + 1) if depth < _MOST_DEPTH and inner else ()
            return
        writer = next((_fact(plain[name]) for name in _WRITERS if plain.get(name)), "")
        time = next((_fact(plain[name]) for name in _TIMES if plain.get(name)), "")
        by = f" by {writer}" if writer else ""
        yield from ("", f"## comment{by}{', ' if time else ''}{time}", *_text(body).split("\n"))
    elif isinstance(value, str) and value.strip():
        yield from ("", "## comment", *_text(value).split("\n"))


def _first(ticket: Ticket, names: Sequence[str]) -> str:
    """The first value under one of these names, in one line."""
    for name in names:
        for value in ticket.get(name, ()):
            if isinstance(value, str | int) and not isinstance(value, bool):
                return " ".join(str(value).split())
    return ""


def _fact(value: object) -> str:
    """A short value in one line: of an object what it is called."""
    if isinstance(value, dict):
        plain = {_plain(name): one for name, one in value.items()}
        if isinstance(plain.get("nodes"), list):
            return _fact(plain["nodes"])
        named = (plain[name] for name in _NAMES if isinstance(plain.get(name), str))
        return " ".join(next(named, "").split())
    if isinstance(value, list):
        return ", ".join(filter(None, map(_fact, value[:_MOST_DEPTH])))
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _text(value: object) -> str:
    """A text with its lines; one of Jira's editor has its parts in each other."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return "\n".join(_parts(value, 0))


def _parts(value: object, depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _parts(item, depth + 1)
    elif isinstance(value, dict):
        content = value.get("content")
        if isinstance(value.get("text"), str):
            yield value["text"]
        elif isinstance(content, list):
            inner = [*_parts(content, depth + 1)]
            is_line = value.get("type") in {"paragraph", "heading"}
            yield from [" ".join(inner)] if is_line else inner
