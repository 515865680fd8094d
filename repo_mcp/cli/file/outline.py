"""The command `outline`: what a file declares, as it is now."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.cli.search.scope import current_folder, path_in, shown_path
from repo_mcp.cli.search.style import Style, style_of
from repo_mcp.console import flush, print_json
from repo_mcp.errors import Problem
from repo_mcp.languages.facts import (
    FULL,
    PARTIAL,
    DamagedFactsError,
    Declaration,
    Facts,
    decode_declarations,
    in_text_order,
    levels,
)
from repo_mcp.repository import read
from repo_mcp.repository.services import Services
from repo_mcp.stored import FACTS
from repo_mcp.text.files import fingerprint

_FOUND: Final = 0
_NOTHING: Final = 1
_NO_FACTS: Final = Facts("", "unknown")


class _Row(NamedTuple):
    """A declaration and how many others are around it."""

    item: Declaration
    depth: int


def run(args: CommandLine, services: Services) -> int:
    """Print the declarations; returns the exit code."""
    root = services.settings.root
    path = path_in(root, args.file)
    content = read(services.sandbox, path)
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
    rows = _chosen(facts, args.kind, args.depth)
    folder = current_folder(root)
    if args.json:
        print_json(_record(shown_path(path, folder), facts, rows))
    else:
        style = style_of(sys.stdout, args, root, folder)
        print_paged(_lines(rows, style), use=args.pager)
        flush()
        _explain(facts, rows)
    index.tidy()
    return _FOUND if rows else _NOTHING


def _chosen(facts: Facts, kinds: Sequence[str] | None, depth: int | None) -> list[_Row]:
    """The declarations that a parser recognised, of these kinds and levels."""
    if facts.status not in {FULL, PARTIAL}:
        return []
    declared = facts.declarations
    level = levels(declared)
    return [
        _Row(declared[number], level[number] - 1)
        for number in in_text_order(declared, level)
        if (depth is None or level[number] <= depth)
        and (not kinds or declared[number].kind in kinds)
    ]


def _lines(rows: Sequence[_Row], style: Style) -> Iterator[str]:
    wide = max((len(str(row.item.start_line)) for row in rows), default=0)
    for item, depth in rows:
        number = style("line", str(item.start_line).rjust(wide))
        text = item.signature or f"{item.kind} {item.name}"
        yield f"{number}  {'  ' * depth}{style('symbol', text)}"


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
