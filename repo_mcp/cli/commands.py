"""Runs every command except the server: dispatch, output, exit codes."""

from __future__ import annotations

import io
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TextIO

from index_format.late_import import collect_garbage, import_object
from index_format.tuples import NamedTuple
from repo_mcp.budget import Clock
from repo_mcp.cli.arguments import CommandLine, complain, options
from repo_mcp.cli.command_table import COMMANDS, Command
from repo_mcp.cli.state.new_folder import note_new_folder
from repo_mcp.console import flush, log_place, print_error, print_json
from repo_mcp.errors import Problem
from repo_mcp.settings import Options, root_options

if TYPE_CHECKING:
    from repo_mcp.cli.search.command import SearchCommand
    from repo_mcp.packages import ServedPackages
    from repo_mcp.services import Services

_DONE: Final = 0
_DAMAGED: Final = 1
# the exit code that shells give to a command ended by Ctrl-C
_STOPPED_CODE: Final = 130
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
    "argument_invalid": "See `repo-mcp {command} --help`.",
    "unreadable": "Check the permissions of --repo-root and of the files in it.",
    "not_found": "Check --repo-root.",
    "index_behind": "Index them with `repo-mcp index`.",
    "index_missing": "Build it with `repo-mcp index`.",
    "graph_missing": "No file is in a language with symbols, or `repo-mcp index` has not ended.",
}
# of the modules that run commands
_HERE: Final = "repo_mcp.cli."


class _Call(NamedTuple):
    """A command line, the settings that it gives, and its services."""

    args: CommandLine
    given: Options
    parts: Services
    # where installed packages are asked, too
    packages: ServedPackages | None = None
    notes: Sequence[str] = ()


def run(args: CommandLine, clock: Clock = time.monotonic) -> int:
    """Run a command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _dispatch(args, clock)
        flush()  # here a closed pipe can still be handled
        _flush_errors()
    except BrokenPipeError:  # the reader has what it wanted; but nobody said that all is sound
        _discard_output(sys.stdout, sys.stderr)
        return _DAMAGED if args.command == "check" else _DONE
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(OSError):
            of_graph = COMMANDS[args.command].asks_graph
            _tell(args, "stopped", _STOPPED_GRAPH if of_graph else _STOPPED)
        return _STOPPED_CODE
    return code


def _dispatch(args: CommandLine, clock: Clock) -> int:
    command = COMMANDS[args.command]
    try:
        if not command.needs_index:
            collect_garbage()
            return int(_target_of(command)(args))
        with _uninterrupted():
            from repo_mcp.services import services  # noqa: PLC0415 half of all that is loaded

            given = options(args)
            if given.mounts and command.of_one_root:
                return _for_each_root(args, given, clock)
            if args.command == "search" and args.engine and args.segments:
                given = given._replace(engine=args.engine, segments=args.segments)
            name, args = _revision_of(args)
            call = _Call(args, given, services(given, clock))
        if command.notes_folder:
            note_new_folder(given)
        for note in call.parts.settings.notes:
            complain(f"note: {note}")
        if given.dependencies and command.knows_packages and not name:
            return _with_packages(call, clock)
        return _run_call(_at_revision(call, name, clock) if name else call)
    except Problem as problem:
        return _fail(args, problem)
    except RuntimeError as error:
        log_place(error)
        return _tell(args, "internal", _BUG)


def _revision_of(args: CommandLine) -> tuple[str, CommandLine]:
    """The revision that a command line names, and the rest of it; none for the files as they are.

    A ranked query may name it, too, as `rev:NAME`.
    """
    if not COMMANDS[args.command].at_revisions:
        return "", args
    if args.rev or args.command != "search" or not any("rev:" in word for word in args.words or ()):
        return args.rev or "", args
    from repo_mcp.place.reading import read_place  # noqa: PLC0415 few look into the past

    if _mode_of_lines(args):
        return "", args
    question = read_place({"query": " ".join(args.words)})
    words = question.arguments["query"].split()
    return question.place.revision, args.replaced(words=words)


def _mode_of_lines(args: CommandLine) -> str:
    """The mode of a search that finds lines; empty for a ranked one."""
    from repo_mcp.cli.search.arguments import RANKED  # noqa: PLC0415 few look elsewhere
    from repo_mcp.cli.search.request import mode_of  # noqa: PLC0415 as above

    return mode if (mode := mode_of(args)) != RANKED else ""


def _at_revision(call: _Call, name: str, clock: Clock) -> _Call:
    """The call with the parts of another revision."""
    from repo_mcp.services import services_at  # noqa: PLC0415 few look into the past

    found = services_at(call.parts, name, clock)
    for note in (found.revision.note.text, *found.parts.settings.notes):
        complain(f"note: {note}")
    return call._replace(parts=found.parts)


def _with_packages(call: _Call, clock: Clock) -> int:
    """Run a command about the installed packages that it names, if it names any."""
    from repo_mcp.cli.package_arguments import of_named_packages  # noqa: PLC0415 few look into packages
    from repo_mcp.packages import ServedPackages  # noqa: PLC0415 as above

    args = call.args
    mode = _mode_of_lines(args) if args.command == "search" else ""
    with ServedPackages(call.given, call.parts, clock) as packages:
        args, parts, notes = of_named_packages(args, call.parts, packages, mode)
        for note in () if args.command == "search" else notes:
            complain(f"note: {note}")
        return _run_call(_Call(args, call.given, parts, packages, notes))


def _for_each_root(args: CommandLine, given: Options, clock: Clock) -> int:
    """Run a command about the files of one index for each root; returns the highest exit code."""
    from repo_mcp.services import services  # noqa: PLC0415 as above

    if COMMANDS[args.command].to_one_place or vars(args).get("action") == "export":
        raise Problem("argument_invalid", _name_one(args, given))
    codes = []
    for mount in given.mounts:
        own = root_options(given, mount)
        print_error(f"{mount.name}:")
        codes.append(_run_call(_Call(args, own, services(own, clock))))
    return max(codes)


def _name_one(args: CommandLine, given: Options) -> str:
    """The command line for one of several roots: that of its name, if a file lists them."""
    mount = given.mounts[0]
    which = ["--root", mount.name]
    if given.roots:
        own = root_options(given, mount)
        which = ["--repo-root", mount.path, *(["--data-dir", own.data_dir] if own.data_dir else [])]
    names = ", ".join(mount.name for mount in given.mounts)
    return f"{args.command} is about one root of {names}: name it, as in `{shlex.join(which)}`"


def _fail(args: CommandLine, problem: Problem) -> int:
    """Say what was wrong and what helps; as JSON where the answer would have been JSON."""
    is_argument = problem.code == "argument_invalid"
    reason = (is_argument and problem.detail) or problem.reason
    hint = _HINTS.get(problem.code, problem.hint).replace("{command}", args.command)
    if is_argument and reason.endswith("`"):  # it says what to run
        hint = ""
    if vars(args).get("json"):
        return _tell(args, problem.code, reason, hint)
    end = "" if reason.endswith("?") else "."
    return complain(f"{reason}{end} {hint}" if hint else reason)


def _tell(args: CommandLine, code: str, message: str, hint: str = "") -> int:
    """Print an error, as JSON where the answer would have been JSON; returns the exit code."""
    if not vars(args).get("json"):
        return complain(message)
    print_json({"error": {"code": code, "message": message, "hint": hint}})
    flush()
    return 2


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


@contextmanager
def _loading() -> Iterator[None]:
    """Imports the last that a command needs."""
    with _uninterrupted():
        yield
    collect_garbage()


def _run_call(call: _Call) -> int:
    """Run a command that needs the index."""
    command = COMMANDS[call.args.command]
    if command.takes_call:
        return int(_target_of(command)(call))
    with _loading():
        run_command = _target_of(command)
    return int(run_command(call.args, call.parts))


def _target_of(command: Command) -> Any:  # noqa: ANN401 what it takes, the table says
    """The function that runs a command, whose module is imported now."""
    return import_object(_HERE + command.target)


def _search(call: _Call) -> int:
    with _loading():
        from repo_mcp.cli.search.command import SearchCommand, list_types  # noqa: PLC0415 only this command needs it

        if call.args.type_list:
            return list_types(call.args)
        search = SearchCommand(call.args, call.parts, call.notes, partial(_search_instead, call))
    note_new_folder(call.given)  # a question that makes no sense makes no folder
    return search.run()


def _search_instead(call: _Call) -> SearchCommand | None:
    """The search in the packages that are indexed, where the project has nothing."""
    from repo_mcp.cli.search.command import SearchCommand  # noqa: PLC0415 as above

    args, packages = call.args, call.packages
    if packages is None or call.parts.made_once or args.files:
        return None
    from repo_mcp.cli.package_arguments import of_indexed_packages  # noqa: PLC0415 few look into packages

    found = of_indexed_packages(args, packages)
    return None if found is None else SearchCommand(found.args, found.services, found.notes)


def _rg(args: CommandLine) -> int:
    from repo_mcp.cli.ripgrep.leaving import Leaving  # noqa: PLC0415 only this command needs it
    from repo_mcp.cli.search.environment import WITHIN_RIPGREP  # noqa: PLC0415 as above
    from repo_mcp.processes.start import become  # noqa: PLC0415 as above

    become_ripgrep = partial(become, mark=WITHIN_RIPGREP)
    leaving = Leaving(args.words, lambda: _of_root_here(options(args)), become_ripgrep)
    if leaving.is_quicker:
        return leaving.leave("there are few files", quietly=True)
    with _loading():
        from repo_mcp.cli.ripgrep.command import RipgrepCommand  # noqa: PLC0415 as above

        command = RipgrepCommand(args.words, leaving)
    return command.run()


def _of_root_here(given: Options) -> Options:
    """Of a workspace the options of the root that the current folder is in, as ripgrep's are."""
    if not given.mounts:
        return given
    from code_graph.paths.globs import is_below  # noqa: PLC0415 few have several roots

    here = os.path.realpath(os.curdir)
    around = [mount for mount in given.mounts if is_below(here, mount.real)]
    nearest = max(around, key=lambda mount: len(mount.real), default=given.mounts[0])
    return root_options(given, nearest)


def _bundle(call: _Call) -> int:
    with _loading():
        from repo_mcp.cli.bundle_command import BundleQuery  # noqa: PLC0415 only this command needs it

        query = BundleQuery(call.args, call.parts)
    return query.run()


def _graph(call: _Call) -> int:
    with _loading():
        from repo_mcp.cli.graph.command import run as run_graph_command  # noqa: PLC0415 as above

    return run_graph_command(call.args, call.parts, call.packages)


def _flush_errors() -> None:
    """Write what standard error buffers; that nobody reads progress is no failure of a command."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        _discard_output(sys.stderr)


def _discard_output(*streams: TextIO) -> None:
    """Redirect the streams to nowhere, with what they still buffer: the reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())
