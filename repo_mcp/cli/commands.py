"""Runs every command except the server: dispatch, output, exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from repo_mcp.app import Services, services
from repo_mcp.budget import Clock
from repo_mcp.cli.arguments import CommandLine, complain, options
from repo_mcp.cli.display import Display
from repo_mcp.cli.graph_arguments import GRAPH_COMMANDS
from repo_mcp.console import flush, print_line
from repo_mcp.errors import Problem
from repo_mcp.log import log_place
from repo_mcp.model import IndexState, RefreshResult

if TYPE_CHECKING:
    from repo_mcp.indexing.fresh.index_health import IndexSummary

_DONE: Final = 0
_DAMAGED: Final = 1
# the output was closed early, so the result is unknown
_CLOSED: Final = 1
_STOPPED_CODE: Final = 2
_NO_INDEX: Final = "there is no index for these settings: build it with `repo-mcp index`"
_STOPPED: Final = (
    "stopped; the index built so far is kept, and `repo-mcp index` continues from there"
)
_STOPPED_GRAPH: Final = (
    "stopped; what is indexed and linked so far is kept, and the next command continues from there"
)
_BUG: Final = "this is a bug in repo-mcp: please report it with the line above"
# hints that differ from those given to users of clients
_HINTS: Final = {
    "index_busy": "Try again when it has finished; `repo-mcp status` shows its progress.",
    "index_unavailable": (
        "Check that the data folder (--data-dir) can be written to and has free space;"
        " `repo-mcp check` reports damage, `repo-mcp check --repair` repairs it."
    ),
    "argument_invalid": "See `repo-mcp COMMAND --help`.",
    "unreadable": "Check the permissions of --repo-root and of the files in it.",
    "not_found": "Check --repo-root.",
    "graph_missing": "No file is in a language with symbols, or `repo-mcp index` has not ended.",
}
_REASONS: Final = {
    "binary": "not text",
    "denied": "may contain secrets",
    "depth": "too deep",
    "excluded": "third-party or excluded",
    "extension": "unknown file type",
    "file_too_large": "larger than max_file_bytes",
    "ignored": ".gitignore",
    "large": "larger than max_file_bytes",
    "link": "links are not followed",
    "mount": "on another file system",
    "name": "not valid Unicode",
    "other": "pipes, devices and the like",
}


@dataclass(frozen=True, slots=True)
class _Call:
    """A command line and its services."""

    args: CommandLine
    parts: Services


def run(args: CommandLine, clock: Clock = time.monotonic) -> int:
    """Run a command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _dispatch(args, clock)
        flush()  # here a closed pipe can still be handled
    except BrokenPipeError:
        _discard_output()
        return _CLOSED
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(OSError):
            complain(_STOPPED_GRAPH if args.command in GRAPH_COMMANDS else _STOPPED)
        return _STOPPED_CODE
    return code


def _dispatch(args: CommandLine, clock: Clock) -> int:
    try:
        if args.command in _WITHOUT_INDEX:
            return _WITHOUT_INDEX[args.command](args)
        with _uninterrupted():
            call = _Call(args, services(options(args), clock))
        for note in call.parts.settings.notes:
            complain(f"note: {note}")
        return _COMMANDS[args.command](call)
    except Problem as problem:
        reason = problem.reason.removeprefix("an argument is not valid: ")
        return complain(f"{reason}. {_HINTS.get(problem.code, problem.hint)}")
    except RuntimeError as error:
        log_place(error)
        return complain(_BUG)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C: a half-imported library would report a broken installation."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    interrupts: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if interrupts:
        raise KeyboardInterrupt


def _index(call: _Call) -> int:
    manager = call.parts.manager
    with Display(sys.stderr) as display:
        display.phase("looking for changes")
        done = manager.refresh(
            call.parts.budget,
            force=call.args.force,
            deep=not call.args.words_only,
            on_progress=display.show,
        )
        if not call.args.words_only:  # otherwise the next run replaces most of the index anyway
            display.phase("merging")
            fresh = done.added and done.added == done.files
            manager.tidy(call.parts.budget, full=bool(fresh or call.args.force))
    _print_notice(call)
    _print_refresh(done)
    _print_state(call, manager.state())
    return _DONE


def _search(call: _Call) -> int:
    with _uninterrupted():
        from repo_mcp.cli.search.command import Search  # noqa: PLC0415 only this command needs it

        search = Search(call.args, call.parts)
    return search.run()


def _bundle(call: _Call) -> int:
    with _uninterrupted():
        from repo_mcp.cli.bundle_command import BundleQuery  # noqa: PLC0415 only this command needs it

        query = BundleQuery(call.args, call.parts)
    return query.run()


def _graph(call: _Call) -> int:
    with _uninterrupted():
        from repo_mcp.cli.graph.command import run as run_graph_command  # noqa: PLC0415 as above

    return run_graph_command(call.args, call.parts)


def _status(call: _Call) -> int:
    state = call.parts.manager.state()
    _print_state(call, state)
    if state.status == "missing":
        print_line(_NO_INDEX)
    elif state.status == "partial" or state.shallow:
        print_line("run `repo-mcp index` to complete it, unless another process is doing so")
    return _DONE


def _check(call: _Call) -> int:
    manager = call.parts.manager
    if not call.args.repair:
        return _print_findings(call) if _has_index(call) else complain(_NO_INDEX)
    _print_findings(call)
    with Display(sys.stderr) as display:
        done = manager.repair(call.parts.budget, on_progress=display.show)
    _print_refresh(done)
    return _print_findings(call)


def _print_findings(call: _Call) -> int:
    """Check the index and print the findings."""
    from index_format import IndexFormatError  # noqa: PLC0415 heavy

    try:
        findings = list(call.parts.manager.check())
    except (OSError, IndexFormatError) as error:
        raise Problem("index_unavailable", str(error)) from error
    for finding in findings:
        print_line(str(finding))
    errors = sum(finding.severity == "error" for finding in findings)
    if not errors:
        print_line("sound")
        if call.parts.manager.state().status == "missing":
            print_line(_NO_INDEX)
        return _DONE
    again = "" if call.args.repair else ": run `repo-mcp check --repair`"
    print_line(f"{errors} error(s){again}")
    return _DAMAGED


def _compact(call: _Call) -> int:
    if call.parts.manager.state().status == "missing":
        return complain(_NO_INDEX)
    with Display(sys.stderr) as display:
        display.phase("merging")
        steps = call.parts.manager.tidy(call.parts.budget, full=True)
    print_line(f"{steps} merge(s)" if steps else "nothing to merge")
    _print_state(call, call.parts.manager.state())
    return _DONE


def _dump(call: _Call) -> int:
    if not _has_index(call):
        return complain(_NO_INDEX)
    args = call.args
    for line in call.parts.manager.dump(args.name, args.section, args.limit):
        print_line(line)
    return _DONE


def _scip(call: _Call) -> int:
    with _uninterrupted():
        from repo_mcp.cli.graph import scip_command  # noqa: PLC0415 only this command needs it

    if call.args.action == "status":
        return scip_command.show_imported(call.parts)
    return scip_command.ScipExport(call.args, call.parts).run()


def _config(args: CommandLine) -> int:
    from repo_mcp.cli.config_command import run  # noqa: PLC0415 only this command needs it

    return run(args)


def _audit(args: CommandLine) -> int:
    from repo_mcp.cli.audit_command import run  # noqa: PLC0415 only this command needs it

    return run(args)


def _doctor(args: CommandLine) -> int:
    from repo_mcp.cli.doctor.command import run  # noqa: PLC0415 only this command needs it

    return run(args)


def _install(args: CommandLine) -> int:
    from repo_mcp.cli.clients.install import run  # noqa: PLC0415 only this command needs it

    return run(args)


# commands that don't open the index
_WITHOUT_INDEX: Final[dict[str, Callable[[CommandLine], int]]] = {
    "config": _config,
    "audit": _audit,
    "doctor": _doctor,
    "install": _install,
    "uninstall": _install,
}
_COMMANDS: Final[dict[str, Callable[[_Call], int]]] = {
    "index": _index,
    "search": _search,
    "bundle": _bundle,
    **dict.fromkeys(GRAPH_COMMANDS, _graph),
    "status": _status,
    "check": _check,
    "compact": _compact,
    "dump": _dump,
    "scip": _scip,
}


def _has_index(call: _Call) -> bool:
    """Whether there is any index file."""
    return any(True for _ in call.parts.manager.dump(None, None, 1))


def _print_notice(call: _Call) -> None:
    notice = call.parts.manager.take_notice()
    if notice is not None:
        print_line(notice.text)


def _print_refresh(done: RefreshResult) -> None:
    print_line(f"{done.files} files indexed in {done.seconds:.2f} s")
    print_line(f"{done.added} added, {done.updated} updated, {done.removed} removed")
    print_line(f"left out: {', '.join(map(_left_out, done.left_out.items())) or 'nothing'}")


def _left_out(counted: tuple[str, int]) -> str:
    reason, count = counted
    meaning = _REASONS.get(reason)
    return f"{count} {reason} ({meaning})" if meaning else f"{count} {reason}"


def _print_state(call: _Call, state: IndexState) -> None:
    settings = call.parts.settings
    depth = ", declarations incomplete" if state.shallow else ""
    print_line(
        f"{settings.root}: index {state.status}{depth}, {state.files} files,"
        f" generation {state.generation}"
    )
    for index in call.parts.manager.derived():
        print_line(_describe(index))
    print_line(f"last refresh: {state.last_refresh or 'never'}")
    print_line(f"data folder: {settings.data_dir}")


def _describe(index: IndexSummary) -> str:
    title = index.kind.title
    if index.snapshot is None:
        return f"{title} damaged: after `repo-mcp check --repair` it is {index.kind.remaking}"
    state = "there" if index.is_current is None else "behind the index"
    state = "ready" if index.is_current else state
    return f"{title} {state}, {index.files} files, generation {index.snapshot.generation}"


def _discard_output() -> None:
    """Redirect the streams to nowhere, with what they still buffer: the reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())
