"""The status page: the state of the index, and a picture of what the repository holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from index_format.records import values_of
from index_format.tuples import NamedTuple
from repo_mcp import __version__
from repo_mcp.answers.repository import StatusResult
from repo_mcp.indexing.keep.runs import IndexRun
from repo_mcp.model import IndexState, Settings
from repo_mcp.repository import LEFT_OUT, Cell, Survey, past_runs, survey_files
from repo_mcp.text.plurals import size_text
from repo_mcp.web.addresses import Parameters, link
from repo_mcp.web.pages.audit import entry_fields, tool_times
from repo_mcp.web.pages.page import Page, failure
from repo_mcp.web.plots import series
from repo_mcp.web.render import View
from repo_mcp.web.tools import ToolAnswer, Visit, folder_name
from repo_mcp.web.treemap import Rectangle, squarify

# seconds that the page waits for the walk
_WALK_SECONDS: Final = 2.0
_PICTURE: Final = Rectangle(0, 0, 960, 300)
_HEADING: Final = 18
_BORDER: Final = 2
_MOST_FOLDERS: Final = 24
_COLOURS: Final = 8
# about the width of a character, and the least room for a text
_CHARACTER: Final = 7.2
_LEAST: Final = 3
# calls whose times are shown, and runs that are listed
_MOST_CALLS: Final = 200
_MOST_RUNS: Final = 10
_TOP: Final = "."
_OTHER_FOLDERS: Final = "other folders"
_TITLES: Final = {_TOP: "(top)"}


class Tile(NamedTuple):
    """A rectangle of the picture: a language in a folder."""

    box: Rectangle
    colour: int
    title: str


class Group(NamedTuple):
    """A folder of the picture."""

    box: Rectangle
    label: str
    address: str
    title: str
    tiles: Sequence[Tile]


def _view(_: Parameters, visit: Visit, answer: ToolAnswer) -> View:
    if not answer.ok:
        return failure(answer, "status")
    values = {**_values(answer.result), "warnings": answer.warnings}
    repository = visit.repository
    if repository is not None:
        found = survey_files(repository.manager, visit.budget(_WALK_SECONDS))
        calls = visit.app.services.audit().recent(limit=_MOST_CALLS).entries
        values |= _survey_values(found)
        values |= _growth_values(past_runs(repository.manager))
        values["times"] = list(tool_times(map(entry_fields, calls)))
    return View("status.html", values)


def file_values(
    settings: Settings, state: IndexState, found: Survey, runs: Sequence[IndexRun]
) -> dict[str, Any]:
    """The values of a page that is a file."""
    shown = StatusResult(
        repo_root=settings.shown_root,
        index_status=state.status,
        last_refresh=state.last_refresh,
        indexed_files=state.files,
        generation=state.generation,
        declarations_complete=state.status == "ready" and not state.shallow,
        refreshing=state.progress is not None or state.elsewhere,
        progress="",
        watching=False,
        enabled_adapters=[],
        limits=values_of(settings.limits),
        version=__version__,
    )
    return {**_values(shown), **_survey_values(found), **_growth_values(runs)}


def _growth_values(runs: Sequence[IndexRun]) -> dict[str, Any]:
    """The files that were indexed, run by run, and how long the runs took."""
    times = [datetime.fromisoformat(run.time).timestamp() for run in runs]
    return {
        "runs": list(reversed(runs[-_MOST_RUNS:])),
        "growth": series(times, [run.files for run in runs]) if len(runs) > 1 else None,
        "most_files": max((run.files for run in runs), default=0),
        "first_run": runs[0].time if runs else "",
        "last_run": runs[-1].time if runs else "",
    }


def _values(state: StatusResult) -> dict[str, Any]:
    return {
        "page": "status",
        "state": state,
        "limits": state.limits,
        "warnings": (),
        "name": folder_name(state.repo_root),
        "survey": None,
        "runs": (),
        "growth": None,
        "times": (),
        "json": "/status.json",
    }


def _survey_values(found: Survey) -> dict[str, Any]:
    ranks = {share.name: rank for rank, share in enumerate(found.languages)}
    reasons = sorted(found.left_out.items(), key=lambda item: (-item[1], item[0]))
    return {
        "survey": found,
        "reasons": [(count, reason, LEFT_OUT.get(reason, "")) for reason, count in reasons],
        "groups": list(picture(found.cells, ranks)),
        "picture": _PICTURE,
        "colours": _COLOURS,
    }


def picture(cells: Sequence[Cell], ranks: Mapping[str, int]) -> Iterator[Group]:
    """The treemap: folders, in each its languages; colours are ranks of languages."""
    folders: dict[str, dict[str, int]] = {}
    for cell in cells:
        if cell.size:
            folders.setdefault(cell.folder, {})[cell.language] = cell.size
    ordered: list[tuple[str, Mapping[str, int]]] = sorted(
        folders.items(), key=lambda item: (-sum(item[1].values()), item[0])
    )
    shown = ordered[:_MOST_FOLDERS]
    rest: Counter[str] = Counter()
    for _, languages in ordered[_MOST_FOLDERS:]:
        rest.update(languages)
    if rest:
        shown.append((_OTHER_FOLDERS, rest))
    boxes = squarify([sum(languages.values()) for _, languages in shown], _PICTURE)
    for (name, languages), box in zip(shown, boxes, strict=True):
        yield _group(name, languages, box, ranks)


def _group(
    name: str, languages: Mapping[str, int], box: Rectangle, ranks: Mapping[str, int]
) -> Group:
    ordered = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
    title = _TITLES.get(name, name)
    inner = box.inner(_HEADING if box.height > 2 * _HEADING else _BORDER, _BORDER)
    boxes = squarify([size for _, size in ordered], inner)
    tiles = [
        Tile(
            at,
            min(ranks.get(language, _COLOURS), _COLOURS),
            f"{title}: {language}, {size_text(size)}",
        )
        for (language, size), at in zip(ordered, boxes, strict=True)
    ]
    is_folder = name not in {_TOP, _OTHER_FOLDERS}
    return Group(
        box,
        _label(title, box) if box.height > 2 * _HEADING else "",
        link("/search", folder=name) if is_folder else "",
        f"{title}, {size_text(sum(languages.values()))}",
        tiles,
    )


def _label(name: str, box: Rectangle) -> str:
    """A name, cut to fit."""
    room = int((box.width - 2 * _BORDER) / _CHARACTER)
    if len(name) <= room:
        return name
    return f"{name[: room - 1]}…" if room > _LEAST else ""


PAGE: Final = Page(lambda _, visit: visit.ask("repo.status", {}), _view)
