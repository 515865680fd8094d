"""Facets: files that match by language, folder and kind, with links that narrow to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from code_graph.paths.globs import literal_glob
from repo_mcp.answers.repository import Facets
from repo_mcp.model import AT_LEAST, AT_MOST
from repo_mcp.text.english.plurals import counted
from repo_mcp.web.addresses import Parameters

_MOST: Final = 10
_TOP: Final = "."
# by parameter, the field of an answer and the heading
_FACETS: Final = {
    "lang": ("languages", "Language"),
    "folder": ("folders", "Folder"),
    "kind": ("kinds", "Kind"),
}
# before a number that is not exact
_BOUNDS: Final = {AT_LEAST: "at least ", AT_MOST: "at most "}


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
    return Facet(title, values[:_MOST], chosen, wider)
