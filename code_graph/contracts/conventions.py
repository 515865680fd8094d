"""Conventions of frameworks: what the paths of files and the names of methods say of contracts.

A language or a kind of file lists them in its `conventions.toml`:

    [[routes]]
    framework = "Astro"
    path = 'src/pages/(?P<route>.+)'
    endings = ".js .ts"

`path` is an expression for a path without its ending, behind the folders that it may stand in; its
group `route` is the path of the requests, below the group `area` where there is one. `dotted` are
names with dots for slashes. A file answers by its functions with the names of methods, by those
that `functions` matches, an expression with a group `method`, or that `methods` lists. A file in
which there is none answers by itself, unless `otherwise` is "nothing"; if it is "page", the file
answers what is read, unless all that it declares has one of the names of `alone`.

    [folders]
    parts = "src apps"

`parts` are folders that hold parts of a repository and say nothing of one, `pages` those that names
of pages are below; `scripts` are endings of files that a server runs for a request of their path.

    [[settings]]
    name = "Dockerfile"
    word = "dockerfile"
    apart = "docker build"

Files with the word in their names set what holds for the code below their folder. That of a file
with the whole name holds nowhere else, and the folders `apart` have none of the code.

    [members.list]
    GET = "find get"

`members.list` and `members.object` are names of methods of a class that answers requests of a path
for a list, or for one object of it, likeliest first.

    [words]
    receivers = "self cls super"

    [lines]
    reflects = 'newInstance|forName'

`words` are names with a meaning, by what they mean, and `lines` expressions for lines of code.

    [[events]]
    registering = "connect"
    running = "send"
    within = ":signals"

An event is something on which a library runs functions that were registered with it: by calls that
register one, calls that run it, and what one of the names around the second must contain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from code_graph.contracts.keys import ANY, MEMBER, METHODS, path_segments
from code_graph.facts import Declaration
from code_graph.formats.toml import read_toml
from code_graph.language_table import language_named
from code_graph.model import FILE
from index_format.records import Record
from index_format.tuples import NamedTuple

_LANGUAGES: Final = Path(__file__).parents[1] / "languages"
_FILE: Final = "conventions.toml"
# the folder of what says nothing of a single language
GENERAL: Final = "general"
_GROUP: Final = re.compile(r"\(\w+\)/")
_METHOD: Final = re.compile(rf"\.({'|'.join(METHODS)})\Z", re.IGNORECASE)
_NAME: Final = re.compile(r"[a-z_]\w*")
_CALLED: Final = frozenset({"function", "method"})
_READING: Final = frozenset({"GET", ANY})
_NOTHING: Final = "nothing"
_PAGE: Final = "page"


class RouteLayout(Record):
    """The paths of files that answer requests of a path which is their own."""

    path: re.Pattern[str]
    endings: tuple[str, ...]
    functions: re.Pattern[str] | None = None
    methods: Mapping[str, Sequence[str]] = {}
    dotted: bool = False
    otherwise: str = ""
    alone: frozenset[str] = frozenset()

    def match(self, path: str) -> re.Match[str] | None:
        """The parts of a path of this layout."""
        ending = next((end for end in self.endings if path.endswith(end)), "")
        return self.path.fullmatch(path.removesuffix(ending)) if ending else None

    def methods_of(self, name: str) -> Sequence[str]:
        """The methods of requests that a function answers by its name."""
        named = None if self.functions is None else self.functions.fullmatch(name)
        if named is not None:
            return (named["method"].upper(),)
        return (name,) if name in METHODS else self.methods.get(name, ())


class SettingLayout(Record):
    """Files of settings that hold for a part of a tree."""

    name: str
    word: str
    apart: frozenset[str]


class LibraryEvent(NamedTuple):
    """The calls that register functions, those that run them, and what is asked of the second."""

    registering: tuple[str, ...]
    running: tuple[str, ...]
    within: tuple[str, ...]


class Conventions(Record):
    """The conventions of all languages."""

    routes: tuple[RouteLayout, ...]
    # of all these layouts: most paths have none of them
    route_endings: tuple[str, ...]
    settings: tuple[SettingLayout, ...]
    parts: frozenset[str]
    pages: frozenset[str]
    scripts: tuple[str, ...]
    # by the method of a request
    of_list: Mapping[str, Sequence[str]]
    of_object: Mapping[str, Sequence[str]]


@cache
def conventions() -> Conventions:
    """The conventions of all languages."""
    tables = _tables().values()
    folders = [table.get("folders", {}) for table in tables]
    names = {
        part: [name for row in folders for name in row.get(part, "").split()]
        for part in ("parts", "pages", "scripts")
    }
    routes = tuple(_route_layout(row) for table in tables for row in table.get("routes", ()))
    return Conventions(
        routes,
        tuple(sorted({ending for layout in routes for ending in layout.endings})),
        tuple(
            SettingLayout(row["name"], row["word"], frozenset(row["apart"].split()))
            for table in tables
            for row in table.get("settings", ())
        ),
        frozenset(names["parts"]),
        frozenset(names["pages"]),
        tuple(names["scripts"]),
        _member_names(tables, "list"),
        _member_names(tables, "object"),
    )


@cache
def words(kind: str, language: str = "") -> frozenset[str]:
    """The names with a meaning in a language and in general, or else in any language."""
    tables = _tables_of(language) if language else _tables().values()
    return frozenset(
        word for table in tables for word in table.get("words", {}).get(kind, "").split()
    )


@cache
def lines_that(kind: str) -> re.Pattern[str]:
    """The expression for lines of code in any language."""
    expressions = [table.get("lines", {}).get(kind) for table in _tables().values()]
    return re.compile("|".join(filter(None, expressions)), re.MULTILINE)


@cache
def events_of(language: str) -> tuple[LibraryEvent, ...]:
    """The events of the libraries of a language."""
    return tuple(
        LibraryEvent(*(tuple(row[part].split()) for part in ("registering", "running", "within")))
        for table in _tables_of(language)
        for row in table.get("events", ())
    )


def _tables_of(language: str) -> list[Mapping[str, Any]]:
    """The conventions of a language, and those of none."""
    folders = f"{language_named(language).frameworks} {GENERAL}".split()
    return [table for folder, table in _tables().items() if folder in folders]


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    """The files of conventions by their folders."""
    files = sorted(_LANGUAGES.glob(f"*/{_FILE}"))
    return {file.parent.name: read_toml(file.read_bytes()) for file in files}


def _member_names(tables: Iterable[Mapping[str, Any]], kind: str) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for table in tables:
        for method, listed in table.get("members", {}).get(kind, {}).items():
            names.setdefault(method, []).extend(listed.split())
    return names


def _route_layout(row: Mapping[str, Any]) -> RouteLayout:
    return RouteLayout(
        re.compile(rf"(?:.*/)?{row['path']}"),
        tuple(row["endings"].split()),
        re.compile(row["functions"]) if "functions" in row else None,
        {name: methods.split() for name, methods in row.get("methods", {}).items()},
        row.get("dotted", False),
        row.get("otherwise", ""),
        frozenset(row.get("alone", "").split()),
    )


def route_of(path: str) -> str:
    """The path of the requests that a file answers, as keys have it; empty for other files."""
    known = conventions()
    for layout in known.routes if path.endswith(known.route_endings) else ():
        parts = layout.match(path)
        if parts is not None:
            route = _undotted(parts["route"]) if layout.dotted else parts["route"]
            route = _METHOD.sub("", _GROUP.sub("", route.removesuffix("/")))
            area = parts.groupdict().get("area")
            segments = path_segments(f"{area}/{route}" if area else route)
            if segments and segments[-1] == "index":
                segments.pop()
            return "" if segments is None else f"/{'/'.join(segments)}"
    return ""


def _undotted(name: str) -> str:
    """The path of a file with dots for slashes: `items.$id_.edit`, `_auth.login`."""
    parts = [part for part in re.split(r"[./]", name) if part not in {"route", "index"}]
    kept = (part for part in parts if not part.startswith("_"))
    return "/".join(re.sub(r"\A\$.*", "[x]", part.rstrip("_")) for part in kept)


def answering(path: str, rows: Sequence[Declaration], method: str) -> Iterator[int]:
    """The functions of such a file that answer a method; the file if none is named as one."""
    layout = next(each for each in conventions().routes if each.match(path) is not None)
    methods = {
        number: names
        for number, row in enumerate(rows)
        if (row.kind in _CALLED or row.name in METHODS or row.name in layout.methods)
        and (names := layout.methods_of(row.name))
    }
    numbers = [number for number, names in methods.items() if method in {*names, ANY}]
    yield from numbers
    if layout.otherwise == _PAGE:
        is_whole = method in _READING and {row.name for row in rows} != layout.alone
    else:
        is_whole = not methods and layout.otherwise != _NOTHING
    if is_whole and not numbers:
        yield FILE


def member_names(given: str, wanted: str) -> list[str]:
    """The names that a class may have for the method that answers a request, likeliest first.

    `given` is the key of the class's route, and `wanted` that of the request.
    """
    method, _, path = wanted.partition(" ")
    last = path.rpartition("/")[2].replace("-", "_")
    named = [last] if _NAME.fullmatch(last) else []
    if given.endswith(f"/{MEMBER}"):
        return named
    if given.endswith("}"):
        return [*named, *conventions().of_object.get(method, ())]
    return [*conventions().of_list.get(method, ())]
