"""The commands of published indexes, `publish`, `pull`, `audit-index` and `keygen`, and copying."""

from __future__ import annotations

import secrets
import sys
from collections import Counter
from collections.abc import Callable
from typing import Final, TypeVar

from repo_mcp.budget import Budget
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display, size_text
from repo_mcp.cli.state.report import print_refresh, print_state, refresh_record, state_record
from repo_mcp.console import log_call, print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.remote import (
    PublishOptions,
    audit_segments,
    create_key,
    publish_index,
    pull_index,
)
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

# the bound of a seed: short enough to be typed again
_SEEDS: Final = 1_000_000

T = TypeVar("T")


def publish(args: CommandLine, parts: Services) -> int:
    """Bring index and graph up to date, and publish them; returns the exit code."""
    _need_checkout(parts)
    manager, budget = parts.manager.single, parts.budget
    with Display(sys.stderr) as display:
        display.phase("looking for changes")
        done = manager.refresh(budget, display, wait_for_writer=True)
        display.phase("merging")
        full = bool(done.added and done.added == done.files)
        _when_free(lambda: manager.tidy(budget, full=full))
        if args.graph:
            display.phase("linking")
            _when_free(lambda: manager.link(budget, display))
        display.phase("publishing")
        report = publish_index(
            parts.settings,
            manager,
            args.url,
            budget,
            PublishOptions(args.label, args.pin, args.sign_key or "", args.keep, args.texts),
            display.on_progress,
        )
    if args.json:
        print_json({"label": args.label, **report._asdict()})
        return 0
    print_line(
        f"published {report.publication[:12]}: {counted(report.segments, 'segment')},"
        f" {size_text(report.size)}; uploaded {report.uploaded},"
        f" {size_text(report.uploaded_size)}"
    )
    if report.texts:
        print_line(
            f"texts of files: {counted(report.texts, 'object')}, {size_text(report.texts_size)};"
            f" uploaded {report.texts_uploaded}, {size_text(report.texts_uploaded_size)}"
        )
    state = "moved" if report.moved else "unchanged"
    print_line(f"label {args.label} {state}" + (", pinned" if args.pin else ""))
    if args.keep is not None:
        print_line(f"removed {counted(report.removed, 'old object')}")
    return 0


def pull(args: CommandLine, parts: Services) -> int:
    """Take over a published index, and index what differs here; returns the exit code."""
    _need_checkout(parts)
    manager, budget = parts.manager.single, parts.budget
    url = args.url or parts.settings.index_from
    if not url:
        raise Problem("argument_invalid", "name an address, here or in the setting index.from")
    with Display(sys.stderr) as display:
        display.phase("pulling")
        report = _when_free(
            lambda: pull_index(
                parts.settings, manager, url, args.label, budget, display.on_progress
            )
        )
        display.phase("looking for changes")
        done = manager.refresh(budget, display, wait_for_writer=True)
        _when_free(lambda: manager.tidy(budget, free=True))
    state = manager.state()
    if args.json:
        record = {**state_record(parts, state), "refresh": refresh_record(done)}
        print_json({**record, "pull": report._asdict()})
        return 0
    where = f"of commit {report.commit[:12]}" if report.ancestor else f"of label {args.label}"
    print_line(
        f"pulled {report.publication[:12]} {where}: {counted(report.segments, 'segment')},"
        f" {size_text(report.size)}; fetched {report.fetched}, {size_text(report.fetched_size)}"
    )
    if report.signed_by:
        print_line(f"signed by {report.signed_by}")
    print_refresh(done)
    print_state(parts, state)
    return 0


def _need_checkout(parts: Services) -> None:
    """Raise a `Problem` for a root that is served without a checkout."""
    if parts.settings.publication:
        raise Problem("argument_invalid", "what is published has no checkout: name a folder")


def _when_free(step: Callable[[], T]) -> T:
    """The result of a step that is repeated while another process is writing.

    Each attempt waits for the write lock for some seconds.
    """
    while True:
        try:
            return step()
        except Problem as problem:
            if problem.code != "index_busy":
                raise


def keygen(args: CommandLine) -> int:
    """Make a pair of keys: the private one in a file, the public one on standard output."""
    public = create_key(args.file)
    if args.json:
        print_json({"file": args.file, "public_key": public})
        return 0
    print_line(public)
    return 0


def audit_index(args: CommandLine, parts: Services) -> int:
    """Rebuild some segments from the files; 1 if one is altered, or none could be judged."""
    seed = secrets.randbelow(_SEEDS) if args.seed is None else args.seed
    rows = []
    manager, budget = parts.manager.single, parts.budget
    with Display(sys.stderr) as display:
        display.phase("rebuilding")
        found = audit_segments(parts.settings, manager, parts.sandbox, args.sample, seed, budget)
        for row in found:
            rows.append(row)
            if not args.json:
                print_line(
                    f"{row.verdict:8} {row.kind}/{row.segment}:"
                    f" {row.compared} of {counted(row.files, 'file')} compared"
                )
    verdicts = Counter(row.verdict for row in rows)
    sound = bool(verdicts["right"]) and not verdicts["altered"]
    if args.json:
        print_json({"seed": seed, "sound": sound, "segments": [row._asdict() for row in rows]})
        return 0 if sound else 1
    print_line(
        f"{verdicts['right']} right, {verdicts['altered']} altered,"
        f" {verdicts['unjudged']} not judged (their files have changed); seed {seed}"
    )
    if verdicts["altered"]:
        print_line("build the index from the files: `repo-mcp index --force`")
    return 0 if sound else 1


def copy_rest(manager: Indexes, budget: Budget, display: Display) -> None:
    """Copy what of a published index is still read at its address; says why if that fails."""
    if not manager.copies:
        return
    sys.stdout.flush()  # an answer is shown before
    try:
        manager.copy(budget, display.on_progress)
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        log_call(f"the published index is still read at its address: {problem.reason}")
