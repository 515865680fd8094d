"""Routes that a file has by its path: of Razor, Next, Nuxt, Remix, Astro and SvelteKit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.contracts.keys import ANY, METHODS, path_segments
from code_graph.facts import Declaration
from code_graph.model import FILE

# by what a path ends with: what is the route in it
_LAYOUTS: Final = tuple(
    map(
        re.compile,
        (
            r"(?:.*/)?Areas/(?P<area>\w+)/Pages/(?P<route>.+)\.cshtml\.cs",
            r"(?:.*/)?Pages/(?P<route>.+)\.cshtml\.cs",
            r"(?:.*/)?pages/(?P<route>api/.+)\.[jt]sx?",
            r"(?:.*/)?app/(?P<route>(?:.+/)?)route\.[jt]sx?",
            r"(?:.*/)?routes/(?P<route>(?:.+/)?)\+server\.[jt]s",
            r"(?:.*/)?server/routes/(?P<route>.+)\.[jt]s",
            r"(?:.*/)?server/(?P<route>api/.+)\.[jt]s",
            r"(?:.*/)?app/routes/(?P<flat>.+)\.[jt]sx?",
            r"(?:.*/)?src/pages/(?P<route>.+)\.[jt]s",
        ),
    )
)
_ENDINGS: Final = (".cshtml.cs", ".js", ".ts", ".jsx", ".tsx")
_FOLDERS: Final = ("ages/", "app/", "routes/", "server/")
_GROUP: Final = re.compile(r"\(\w+\)/")
_METHOD: Final = re.compile(rf"\.({'|'.join(METHODS)})\Z", re.IGNORECASE)
_HANDLER: Final = re.compile(r"On(Get|Post|Put|Patch|Delete)(?:Async)?")
# of Remix
_BY_NAME: Final = {"loader": ("GET", "HEAD"), "action": ("POST", "PUT", "PATCH", "DELETE")}
# a file of Remix that loads nothing is a page
_PAGES: Final = "app/routes/"
# files in these folders answer by such functions alone
_OF_FUNCTIONS: Final = ("app/routes/", "src/pages/")
_CALLED: Final = frozenset({"function", "method"})


def route_of(path: str) -> str:
    """The path of the requests that a file answers, as keys have it; empty for other files."""
    if not path.endswith(_ENDINGS) or not any(folder in path for folder in _FOLDERS):
        return ""
    for layout in _LAYOUTS:
        found = layout.fullmatch(path)
        if found is not None:
            told = found.groupdict()
            route = told.get("route") or _nested(told.get("flat") or "")
            route = _METHOD.sub("", _GROUP.sub("", route.removesuffix("/")))
            area = told.get("area")
            segments = path_segments(f"{area}/{route}" if area else route)
            if segments is None:
                return ""
            if segments[-1:] == ["index"]:
                segments.pop()
            return f"/{'/'.join(segments)}"
    return ""


def _nested(name: str) -> str:
    """The path of a file of Remix, which has dots for slashes: `items.$id_.edit`, `_auth.login`."""
    parts = [part for part in re.split(r"[./]", name) if part not in {"route", "index"}]
    kept = (part for part in parts if not part.startswith("_"))
    return "/".join(re.sub(r"\A\$.*", "[x]", part.rstrip("_")) for part in kept)


def answering(path: str, rows: Sequence[Declaration], method: str) -> Iterator[int]:
    """The functions of such a file that answer a method; the file if none is named as one."""
    named = {
        number: _named_methods(row.name)
        for number, row in enumerate(rows)
        if row.kind in _CALLED or row.name in METHODS or row.name in _BY_NAME
    }
    methods = {number: names for number, names in named.items() if names}
    found = [number for number, names in methods.items() if method in {*names, ANY}]
    yield from found
    is_page = _PAGES in path and method in {"GET", ANY} and {row.name for row in rows} != {"action"}
    is_whole = not methods and not any(folder in path for folder in _OF_FUNCTIONS)
    if not found and (is_page or is_whole):
        yield FILE


def _named_methods(name: str) -> tuple[str, ...]:
    found = _HANDLER.fullmatch(name)
    if found is not None:
        return (found[1].upper(),)
    return (name,) if name in METHODS else _BY_NAME.get(name, ())
