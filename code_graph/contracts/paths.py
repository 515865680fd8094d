"""Routes that a file has by its path: pages of Razor, Next, Nuxt and SvelteKit."""

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
            r"(?:.*/)?server/(?P<route>(?:api|routes)/.+)\.[jt]s",
        ),
    )
)
_ENDINGS: Final = (".cshtml.cs", ".js", ".ts", ".jsx", ".tsx")
_FOLDERS: Final = ("ages/", "app/", "routes/", "server/")
_GROUP: Final = re.compile(r"\(\w+\)/")
_METHOD: Final = re.compile(rf"\.({'|'.join(METHODS)})\Z", re.IGNORECASE)
_HANDLER: Final = re.compile(r"On(Get|Post|Put|Patch|Delete)(?:Async)?")
_CALLED: Final = frozenset({"function", "method"})


def route_of(path: str) -> str:
    """The path of the requests that a file answers, as keys have it; empty for other files."""
    if not path.endswith(_ENDINGS) or not any(folder in path for folder in _FOLDERS):
        return ""
    for layout in _LAYOUTS:
        found = layout.fullmatch(path)
        if found is not None:
            route = _METHOD.sub("", _GROUP.sub("", found["route"].removesuffix("/")))
            area = found.groupdict().get("area")
            segments = path_segments(f"{area}/{route}" if area else route)
            if segments is None:
                return ""
            if segments[-1:] == ["index"]:
                segments.pop()
            return f"/{'/'.join(segments)}"
    return ""


def answering(rows: Sequence[Declaration], method: str) -> Iterator[int]:
    """The functions of such a file that answer a method; the file if none is named as one."""
    named = {
        number: _named_method(row.name)
        for number, row in enumerate(rows)
        if row.kind in _CALLED or row.name in METHODS
    }
    methods = {number: name for number, name in named.items() if name}
    if not methods:
        yield FILE
    for number, name in methods.items():
        if method in {name, ANY}:
            yield number


def _named_method(name: str) -> str:
    found = _HANDLER.fullmatch(name)
    return found[1].upper() if found is not None else name if name in METHODS else ""
