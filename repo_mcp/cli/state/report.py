"""The state of an index in words and as JSON, and the command `status`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.display import size_text
from repo_mcp.cli.state.html_file import need_pages, write_html
from repo_mcp.console import print_json, print_line
from repo_mcp.model import IndexState, RefreshResult
from repo_mcp.repository import (
    LEFT_OUT,
    FileTotals,
    Survey,
    left_out_paths,
    past_runs,
    survey_files,
)
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted, duration

if TYPE_CHECKING:  # loaded by `status` alone
    from index_format import DiskUse
    from repo_mcp.indexing.keep.keeper import IndexSummary

NO_INDEX: Final = "there is no index for these settings: build it with `repo-mcp index`"
# digits of a hash
_SHOWN: Final = 12
# a walk of a hundred thousand files takes less
_WALK_SECONDS: Final = 10.0
# less is not worth a word
_WORTH_FREEING: Final = 1_000_000


def show_status(args: CommandLine, parts: Services) -> int:
    """Print the state of index and repository; returns the exit code."""
    if args.left_out is not None:
        return _list_left_out(args, parts)
    if args.html:
        need_pages()
    manager = parts.manager
    found = survey_files(manager, parts.budget.within(_WALK_SECONDS))
    state, disk = manager.state(), manager.stored.disk_use()
    if args.html:
        _write_page(args.html, parts, state, found)
        return 0
    if args.json:
        print_json({**state_record(parts, state), **_survey_record(found), "disk": disk._asdict()})
        return 0
    print_state(parts, state)
    if state.status == "missing":
        print_line(NO_INDEX)
    elif state.status == "partial" or state.shallow:
        print_line("run `repo-mcp index` to complete it, unless another process is doing so")
    for line in (*_survey_lines(found), *_disk_lines(disk, parts.settings.index_cache)):
        print_line(line)
    return 0


def _write_page(name: str, parts: Services, state: IndexState, found: Survey) -> None:
    from repo_mcp.web.pages.status import file_values  # noqa: PLC0415 few commands make pages

    write_html(
        name, "status.html", file_values(parts.settings, state, found, past_runs(parts.manager))
    )


def _list_left_out(args: CommandLine, parts: Services) -> int:
    rows = left_out_paths(parts.manager, parts.budget, args.left_out)
    if args.json:
        print_json({"left_out": [{"path": path, "reason": reason} for path, reason in rows]})
        return 0
    reasons = set()
    for path, reason in rows:
        reasons.add(reason)
        print_line(f"{path}: {LEFT_OUT.get(reason, reason)}")
    if not reasons:
        complain("nothing is left out" + (f" for {args.left_out!r}" if args.left_out else ""))
    return 0 if reasons else 1


def print_state(parts: Services, state: IndexState) -> None:
    """Print the state of the index, and where it is."""
    settings = parts.settings
    depth = ", declarations incomplete" if state.shallow else ""
    print_line(
        f"{settings.shown_root}: index {state.status}{depth}, {counted(state.files, 'file')},"
        f" generation {state.generation}"
    )
    if settings.publication:
        commit = f"commit {settings.commit[:_SHOWN]}, " if settings.commit else ""
        print_line(f"  {commit}publication {settings.publication[:_SHOWN]}")
    for name, found in parts.manager.root_states().items():
        print_line(f"  {name}: {found.status}, {counted(found.files, 'file')}")
    for index in parts.manager.stored.summarise(parts.manager.snapshot()):
        print_line(_describe(index))
    print_line(f"last refresh: {state.last_refresh or 'never'}")
    print_line(f"data folder: {settings.data_dir}")


def state_record(parts: Services, state: IndexState) -> dict[str, Any]:
    """The same as a record."""
    return {
        "root": parts.settings.shown_root,
        "data_dir": parts.settings.data_dir,
        "index": {
            "status": state.status,
            "files": state.files,
            "generation": state.generation,
            "last_refresh": state.last_refresh,
            "declarations_complete": not state.shallow,
        },
        **_roots_record(parts),
        "derived": [
            {"title": item.kind.title, "files": item.files, "problem": item.problem}
            for item in parts.manager.stored.summarise(parts.manager.snapshot())
        ],
    }


def _roots_record(parts: Services) -> dict[str, Any]:
    """The roots of a workspace; nothing for a single root."""
    states = parts.manager.root_states()
    rows = [
        {
            "name": name,
            "root": manager.root,
            "status": states[name].status,
            "files": states[name].files,
            "last_refresh": states[name].last_refresh,
        }
        for name, manager in zip(states, parts.manager.parts.values(), strict=False)
    ]
    return {"roots": rows} if rows else {}


def refresh_record(done: RefreshResult) -> dict[str, Any]:
    """The counts of a refresh."""
    return {
        "files": done.files,
        "added": done.added,
        "updated": done.updated,
        "removed": done.removed,
        "seconds": round(done.seconds, 3),
        "left_out": done.left_out,
        "complete": done.complete,
    }


def print_refresh(done: RefreshResult) -> None:
    """The same in words."""
    print_line(f"{counted(done.files, 'file')} indexed in {duration(done.seconds)}")
    print_line(f"{done.added} added, {done.updated} updated, {done.removed} removed")
    print_line(f"left out: {_left_out(done.left_out)}")


def _left_out(counts: Mapping[str, int]) -> str:
    parts = (
        f"{count} {reason} ({LEFT_OUT[reason]})" if reason in LEFT_OUT else f"{count} {reason}"
        for reason, count in counts.items()
    )
    return ", ".join(parts) or "nothing"


def _describe(index: IndexSummary) -> str:
    title = index.kind.title
    if index.snapshot is None:
        return f"{title} damaged: after `repo-mcp check --repair` it is {index.kind.remaking}"
    state = "there" if index.is_current is None else "behind the index"
    state = "ready" if index.is_current else state
    files = counted(index.files, "file")
    return f"{title} {state}, {files}, generation {index.snapshot.generation}"


def _survey_lines(found: Survey) -> Iterator[str]:
    least = "" if found.complete else " (so far: the walk takes long)"
    if found.languages:
        yield f"languages: {_shares(found.languages)}{least}"
        yield f"largest folders: {_shares(found.folders)}"
    more = ": `repo-mcp status --left-out` lists them" if found.left_out else ""
    yield f"left out: {_left_out(found.left_out)}{more}"


def _shares(shares: Iterable[FileTotals]) -> str:
    return ", ".join(
        f"{name} {counted(files, 'file')} ({size_text(size)})" for name, files, size in shares
    )


def _disk_lines(disk: DiskUse, shared_folder: str) -> Iterator[str]:
    if not disk.total:
        return
    freed = disk.superseded + disk.dead
    more = f"; `repo-mcp compact` frees about {size_text(freed)}" if freed > _WORTH_FREEING else ""
    yield f"on disk: {size_text(disk.total)}{more}"
    if disk.shared:
        yield f"shared with other checkouts: {size_text(disk.shared)} in {shared_folder}"


def _survey_record(found: Survey) -> dict[str, Any]:
    return {
        "languages": [share._asdict() for share in found.languages],
        "folders": [share._asdict() for share in found.folders],
        "left_out": found.left_out,
        "walked": found.complete,
    }
