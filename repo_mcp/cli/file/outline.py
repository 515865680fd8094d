"""The command `outline`: declarations of a file, or of the files in a folder, as they are now."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.facts import (
    FULL,
    PARTIAL,
    DamagedFactsError,
    Declaration,
    Facts,
    decode_declarations,
    levels,
)
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.ask import OutlineFilter, qualified_names, reliable_declarations
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.cli.search.scope import current_folder, path_in, shown_path
from repo_mcp.cli.search.style import Style, style_of
from repo_mcp.console import flush, print_json
from repo_mcp.errors import Problem
from repo_mcp.repository import (
    FileOutline,
    FolderListing,
    OutdatedFiles,
    SourceFiles,
    folder_of_path,
    list_folder,
    outline_file,
    read,
)
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

_FOUND: Final = 0
_NOTHING: Final = 1
_NO_FACTS: Final = Facts("", "unknown")


class _Row(NamedTuple):
    """A declaration and how many others are around it."""

    item: Declaration
    depth: int


def run(args: CommandLine, services: Services) -> int:
    """Print the declarations; returns the exit code."""
    roots = services.roots
    path = path_in(roots, args.file)
    try:
        content = read(services.sandbox, path or ".")
    except Problem as problem:
        return _run_folder(args, services, folder_of_path(services.sandbox, path or ".", problem))
    if content.text is None:
        raise Problem("binary_file")
    current = fingerprint(content.data)

    def ask(snapshot: Snapshot) -> tuple[Facts, bool]:
        record = snapshot.file(path)
        data = snapshot.attachment(path, FACTS) if record is not None else b""
        try:
            facts = decode_declarations(data) if data else _NO_FACTS
        except DamagedFactsError:
            facts = _NO_FACTS
        return facts, record is not None and record.fingerprint == current

    # the file alone is indexed anew if it has changed
    index = CommandIndex(services, refresh=False, stale_ok=True)
    facts, _ = index.answer(ask, lambda found: () if found[1] else (path,))
    rows = _chosen(facts, OutlineFilter(frozenset(args.kind or ()), args.depth or 0))
    folder = current_folder(roots)
    if args.json:
        print_json(_record(shown_path(path, folder), facts, rows))
    else:
        style = style_of(sys.stdout, args, roots, folder)
        print_paged(_lines(rows, style), use=args.pager)
        flush()
        _explain(facts, rows)
    index.tidy()
    return _FOUND if rows else _NOTHING


def _chosen(facts: Facts, wanted: OutlineFilter) -> list[_Row]:
    """The declarations that a parser recognised, and that are asked for."""
    declared = reliable_declarations(facts)
    level = levels(declared)
    numbers = wanted.numbers(declared, qualified_names(declared))
    return [_Row(declared[number], level[number] - 1) for number in numbers]


def _lines(rows: Sequence[_Row], style: Style) -> Iterator[str]:
    wide = max((len(_span(row.item)) for row in rows), default=0)
    for item, depth in rows:
        number = style("line", _span(item).rjust(wide))
        text = item.signature or f"{item.kind} {item.name}"
        yield f"{number}  {'  ' * depth}{style('symbol', text)}"


def _span(item: Declaration) -> str:
    """The first and the last line."""
    is_long = item.end_line > item.start_line
    return f"{item.start_line}-{item.end_line}" if is_long else f"{item.start_line}"


def _run_folder(args: CommandLine, services: Services, path: str) -> int:
    """Print the folders in a folder, and its files with their main declarations."""

    def ask(snapshot: Snapshot) -> tuple[FolderListing, list[FileOutline], OutdatedFiles]:
        listing = list_folder(snapshot, path)
        files = SourceFiles(services.sandbox, snapshot)
        rows = [outline_file(snapshot, name) for name in listing.files]
        return listing, rows, files.outdated(listing.files)

    index = CommandIndex(services, refresh=False)
    listing, rows, _ = index.answer(ask, lambda found: found[2].paths)
    folder = current_folder(services.roots)
    counts = [(shown_path(name, folder), count) for name, count in listing.folders]
    if args.json:
        print_json(
            {
                "path": shown_path(path or ".", folder),
                "folders": [{"path": name, "files": count} for name, count in counts],
                "files": [
                    {
                        "path": shown_path(row.path, folder),
                        "language": row.language,
                        "declarations": row.total,
                        "names": [*row.names],
                    }
                    for row in rows
                ],
            }
        )
    else:
        lines = [f"{name}/ {counted(count, 'file')}" for name, count in counts]
        lines += [row.as_line(shown_path(row.path, folder)) for row in rows]
        style = style_of(sys.stdout, args, services.roots, folder)
        print_paged((style("plain", line) for line in lines), use=args.pager)
        flush()
        for text in index.warnings:
            complain(f"warning: {text}")
        if not lines:
            complain("no file in this folder is indexed")
    index.tidy()
    return _FOUND if listing.folders or rows else _NOTHING


def _explain(facts: Facts, rows: Sequence[_Row]) -> None:
    if facts.status == PARTIAL:
        complain("warning: parts of the file can't be parsed: declarations may be missing")
    elif facts.status not in {FULL, PARTIAL}:
        complain(f"the file has no outline: its language is unknown, or parsing it {facts.status}")
    elif not rows:
        complain("nothing found")


def _record(path: str, facts: Facts, rows: Sequence[_Row]) -> dict[str, object]:
    return {
        "path": path,
        "language": facts.language,
        "status": facts.status,
        "symbols": [
            {
                "kind": item.kind,
                "name": item.name,
                "start_line": item.start_line,
                "end_line": item.end_line,
                "depth": depth,
                "signature": item.signature,
            }
            for item, depth in rows
        ],
    }
