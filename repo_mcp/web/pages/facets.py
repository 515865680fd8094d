"""Facets: how the results of a page spread over languages, folders and kinds of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from repo_mcp.languages import PROSE, Languages
from repo_mcp.text.test_paths import is_test
from repo_mcp.web.addresses import Parameters

_MOST: Final = 10
_OTHER: Final = "other"
TOP: Final = "."
# of file_glob: a folder's name may hold what has a meaning there
_SPECIAL: Final = str.maketrans({mark: f"[{mark}]" for mark in "*?["})
KINDS: Final = ("code", "tests", "documents", "other")


class FacetValue(NamedTuple):
    """A value that results have, their number, and the address that narrows to it."""

    name: str
    number: int
    address: str


class Facet(NamedTuple):
    """One way to divide results; `chosen` is the value that they are narrowed to, if any."""

    title: str
    values: Sequence[FacetValue]
    chosen: str = ""
    # the address without the choice
    wider: str = ""


def facets(given: Parameters, paths: Iterable[str], languages: Languages) -> list[Facet]:
    """The facets of results in these files, a path for each result."""
    listed = list(paths)
    found = {
        "lang": ("Language", Counter(map(languages.language_of, listed))),
        "ext": ("File type", Counter(map(_ending, listed))),
        "folder": ("Folder", Counter(_below(path, given.text("folder")) for path in listed)),
        "kind": ("Kind", Counter(kind_of(path, languages) for path in listed)),
    }
    # words are narrowed by language, lines by what a glob can say
    del found["ext" if given.text("mode") in {"", "words"} else "lang"]
    return [
        _facet(given, name, title, counts)
        for name, (title, counts) in found.items()
        if given.text(name) or len(counts) > 1
    ]


def glob_of(folder: str, ending: str) -> str | None:
    """The glob of the files in a folder, with an ending; None for all files."""
    below = f"{folder.translate(_SPECIAL)}/**" if folder else ""
    if not ending:
        return below or None
    name = f"*{ending.translate(_SPECIAL)}"
    return f"{below}/{name}" if below else name


def kind_of(path: str, languages: Languages) -> str:
    """The kind of a file, by its path."""
    if is_test(path):
        return "tests"
    language = languages.language_of(path)
    if not language:
        return _OTHER
    return "documents" if language in PROSE else "code"


def _facet(given: Parameters, name: str, title: str, counts: Counter[str]) -> Facet:
    chosen = given.text(name)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    values = [
        FacetValue(value, count, given.link("/search", **{name: value, "cursor": ""}))
        for value, count in ranked[:_MOST]
        if value and value not in {chosen, TOP}
    ]
    above = chosen.rpartition("/")[0] if name == "folder" else ""
    return Facet(title, values, chosen, given.link("/search", **{name: above, "cursor": ""}))


def _below(path: str, folder: str) -> str:
    """The folder one level below another that a path is in."""
    rest = path.removeprefix(f"{folder}/") if folder else path
    name, divided, _ = rest.partition("/")
    if not divided:
        return folder or TOP
    return f"{folder}/{name}" if folder else name


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem else ""
