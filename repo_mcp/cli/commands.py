"""Runs every command but the server: dispatch, output, exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from repo_mcp.app import Services, services
from repo_mcp.budget import Clock
from repo_mcp.cli.arguments import CommandLine, complain, options
from repo_mcp.cli.display import Display
from repo_mcp.errors import Problem
from repo_mcp.log import log_place
from repo_mcp.model import IndexState, RefreshResult

_DONE: Final = 0
_DAMAGED: Final = 1
# the output was closed early: whether all is well is not known
_CLOSED: Final = 1
_STOPPED_CODE: Final = 2
_NO_INDEX: Final = "there is no index for these settings: build it with `repo-mcp index`"
_STOPPED: Final = (
    "stopped; the index built so far is kept, and `repo-mcp index` continues from there"
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
    "unreadable": "Check the permissions of --repo-root and of what lies in it.",
    "not_found": "Check --repo-root.",
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
    """A command line and the services it runs on."""

    asked: CommandLine
    parts: Services


def run(asked: CommandLine, clock: Clock = time.monotonic) -> int:
    """Run a command; gives the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _dispatch(asked, clock)
        print(end="", flush=True)  # noqa: T201 while a closed pipe can still be dealt with
    except BrokenPipeError:
        _discard_output()
        return _CLOSED
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(OSError):
            complain(_STOPPED)
        return _STOPPED_CODE
    return code


def _dispatch(asked: CommandLine, clock: Clock) -> int:
    try:
        if asked.command in _ALONE:
            return _ALONE[asked.command](asked)
        with _uninterrupted():
            call = _Call(asked, services(options(asked), clock))
        for note in call.parts.settings.notes:
            complain(f"note: {note}")
        return _COMMANDS[asked.command](call)
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
    asked: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked:
        raise KeyboardInterrupt


def _index(call: _Call) -> int:
    manager = call.parts.manager
    with Display(sys.stderr) as display:
        display.phase("looking for changes")
        done = manager.refresh(
            call.parts.budget,
            force=call.asked.force,
            deep=not call.asked.words_only,
            tell=display.show,
        )
        if not call.asked.words_only:  # else the next run replaces most of the index
            display.phase("merging")
            fresh = done.added and done.added == done.files
            manager.tidy(call.parts.budget, full=bool(fresh or call.asked.force))
    _say_refreshed(done)
    _say_state(call, manager.state())
    return _DONE


def _search(call: _Call) -> int:
    with _uninterrupted():
        from repo_mcp.cli.search.command import Search  # noqa: PLC0415 other commands do without

        search = Search(call.asked, call.parts)
    return search.run()


def _bundle(call: _Call) -> int:
    with _uninterrupted():
        from repo_mcp.cli.bundle_command import BundleQuery  # noqa: PLC0415 other commands do without

        bundling = BundleQuery(call.asked, call.parts)
    return bundling.run()


def _status(call: _Call) -> int:
    state = call.parts.manager.state()
    _say_state(call, state)
    if state.status == "missing":
        _say(_NO_INDEX)
    elif state.status == "partial" or state.shallow:
        _say("run `repo-mcp index` to complete it, unless another process is doing so")
    return _DONE


def _check(call: _Call) -> int:
    manager = call.parts.manager
    if not call.asked.repair:
        return _checked(call) if _has_index(call) else complain(_NO_INDEX)
    _checked(call)
    with Display(sys.stderr) as display:
        done = manager.repair(call.parts.budget, tell=display.show)
    _say_refreshed(done)
    return _checked(call)


def _checked(call: _Call) -> int:
    """Print the findings."""
    from index_format import IndexFormatError  # noqa: PLC0415 heavy

    try:
        findings = list(call.parts.manager.check())
    except (OSError, IndexFormatError) as error:
        raise Problem("index_unavailable", str(error)) from error
    for finding in findings:
        _say(str(finding))
    errors = sum(finding.severity == "error" for finding in findings)
    if not errors:
        _say("sound")
        if call.parts.manager.state().status == "missing":
            _say(_NO_INDEX)
        return _DONE
    again = "" if call.asked.repair else ": run `repo-mcp check --repair`"
    _say(f"{errors} error(s){again}")
    return _DAMAGED


def _compact(call: _Call) -> int:
    if call.parts.manager.state().status == "missing":
        return complain(_NO_INDEX)
    with Display(sys.stderr) as display:
        display.phase("merging")
        steps = call.parts.manager.tidy(call.parts.budget, full=True)
    _say(f"{steps} merge(s)" if steps else "nothing to merge")
    _say_state(call, call.parts.manager.state())
    return _DONE


def _dump(call: _Call) -> int:
    if not _has_index(call):
        return complain(_NO_INDEX)
    asked = call.asked
    for line in call.parts.manager.dump(asked.name, asked.section, asked.limit):
        _say(line)
    return _DONE


def _config(asked: CommandLine) -> int:
    from repo_mcp.cli.config_command import run  # noqa: PLC0415 other commands do without

    return run(asked)


def _audit(asked: CommandLine) -> int:
    from repo_mcp.cli.audit_command import run  # noqa: PLC0415 other commands do without

    return run(asked)


def _doctor(asked: CommandLine) -> int:
    from repo_mcp.cli.doctor.command import run  # noqa: PLC0415 other commands do without

    return run(asked)


def _install(asked: CommandLine) -> int:
    from repo_mcp.cli.clients.install import run  # noqa: PLC0415 other commands do without

    return run(asked)


# these don't open the index
_ALONE: Final[dict[str, Callable[[CommandLine], int]]] = {
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
    "status": _status,
    "check": _check,
    "compact": _compact,
    "dump": _dump,
}


def _has_index(call: _Call) -> bool:
    """Whether there is any index file, whatever its state."""
    return any(True for _ in call.parts.manager.dump(None, None, 1))


def _say_refreshed(done: RefreshResult) -> None:
    _say(f"{done.files} files indexed in {done.seconds:.2f} s")
    _say(f"{done.added} added, {done.updated} updated, {done.removed} removed")
    _say(f"left out: {', '.join(map(_left_out, done.left_out.items())) or 'nothing'}")


def _left_out(counted: tuple[str, int]) -> str:
    reason, count = counted
    meaning = _REASONS.get(reason)
    return f"{count} {reason} ({meaning})" if meaning else f"{count} {reason}"


def _say_state(call: _Call, state: IndexState) -> None:
    settings = call.parts.settings
    depth = ", declarations still to come" if state.shallow else ""
    _say(
        f"{settings.root}: index {state.status}{depth}, {state.files} files,"
        f" generation {state.generation}"
    )
    _say(f"last refresh: {state.last_refresh or 'never'}")
    _say(f"data folder: {settings.data_dir}")


def _say(line: str) -> None:
    print(line)  # noqa: T201 a command speaks to a person


def _discard_output() -> None:
    """Send what is still buffered nowhere: the reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())
