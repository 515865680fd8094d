"""Reads the command line, and starts the server or runs a command."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
import time

from index_format import lean_numpy
from index_format.annotations import TYPE_CHECKING, Final
from index_format.late_import import collect_garbage, how_to_install
from repo_mcp.cli import arguments
from repo_mcp.cli.command_line import HOOK, SERVE, WEB, CommandLine
from repo_mcp.cli.state.new_folder import note_new_folder
from repo_mcp.settings import ConfigError, Options, http_token

if TYPE_CHECKING:
    from repo_mcp.app import App
    from repo_mcp.budget import Clock
    from repo_mcp.protocol.core import Core
    from repo_mcp.protocol.http.server import Cores

# after so long a thread that computes gives way to others, 5 ms by default: where indexing computes
# beside it, an answer waits for that whenever it has read something
_SWITCH_SECONDS: Final = 0.0002


def main(event: bytes | None = None) -> int:
    """Run the command line, a hook for an event; returns only where something still runs."""
    gc.disable()  # until all is loaded that the command, or a server's first call, needs
    code = run(event=event)
    if threading.active_count() == 1:
        _leave(code)
    return code


def _leave(code: int) -> None:
    """End the process without taking every module apart, which takes a fifth of a search.

    What others have registered for the end is done, as `sys.exit` does it.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 there is no public name for it
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return  # the interpreter reports a stream that can't be written
    os._exit(code)


def run(clock: Clock = time.monotonic, event: bytes | None = None) -> int:
    """Run the command line, a hook for an event; all durations are measured with `clock`."""
    # else numpy starts threads for linear algebra, which is not used here, in each process
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    lean_numpy.install()
    parsed = arguments.parse(sys.argv[1:])
    try:
        if parsed.command == HOOK:
            from repo_mcp.cli import hook_command  # noqa: PLC0415 as below

            return hook_command.run(parsed, event)
        if parsed.command not in {SERVE, WEB}:
            from repo_mcp.cli import commands  # noqa: PLC0415 not needed by the server

            return commands.run(parsed, clock)
        options = arguments.options(parsed)
        sys.setswitchinterval(_SWITCH_SECONDS)
    except ConfigError as error:
        return arguments.fail(parsed, error.lines)
    except KeyboardInterrupt:
        arguments.complain("stopped")
        return 130
    if parsed.command == WEB:
        return _serve_pages(parsed, options, clock)
    return _serve(options, clock)


def _serve(options: Options, clock: Clock) -> int:
    """Serve clients, over standard input and output or over HTTP."""
    from repo_mcp.app import App  # noqa: PLC0415 not needed by commands
    from repo_mcp.protocol.core import Core  # noqa: PLC0415 as above

    try:
        app = App(options, clock)
        core = Core(app)
        if options.http:
            return _serve_http(app, core, options, clock)
    except ConfigError as error:
        return arguments.complain(*error.lines)
    _begin(app, options)
    from repo_mcp.protocol.stdio import serve  # noqa: PLC0415 not needed by HTTP

    if sys.stdin is not None and sys.stdin.isatty():
        hint = "serving MCP on standard input, for a client: `repo-mcp install` sets one up"
        arguments.complain(f"{hint}, `repo-mcp --help` lists commands for people")
    return serve(core, clock, options.idle_hours)


def _begin(app: App, options: Options) -> None:
    """Tell what a server begins with."""
    if app.note:
        arguments.complain(f"note: {app.note}")
    if app.has_repository and not options.root_refusal:
        note_new_folder(options)


def _serve_http(app: App, core: Core, options: Options, clock: Clock) -> int:
    """Serve over HTTP; without a token in the environment, a random one is printed."""
    collect_garbage()
    try:
        from repo_mcp.answering.processes import core_of, processes_for  # noqa: PLC0415 as above
        from repo_mcp.protocol.http.guard import is_loopback  # noqa: PLC0415 as above
        from repo_mcp.protocol.http.listener import Address  # noqa: PLC0415 as above
        from repo_mcp.protocol.http.server import SingleCore, serve  # noqa: PLC0415 not needed by stdio
    except ImportError:
        return arguments.complain(f"--http needs more packages: {how_to_install('http')}")
    cores: Cores
    processes = processes_for(options)
    if options.http_tokens:
        from repo_mcp.granted_cores import GrantedCores  # noqa: PLC0415 few have several users

        cores = GrantedCores(options, clock, processes)
    else:
        token = http_token(options)
        if not token:
            token = os.urandom(24).hex()
            arguments.complain(f"the token is {token}")
        cores = SingleCore(core if processes is None else core_of(options, clock, processes), token)
    _begin(app, options)
    if not is_loopback(options.http_host):
        arguments.complain("other machines can connect, and traffic is not encrypted")
    return serve(cores, Address(options.http_host, options.http_port), clock)


def _serve_pages(parsed: CommandLine, options: Options, clock: Clock) -> int:
    """Serve the pages; the link to them is printed."""
    collect_garbage()
    try:
        from repo_mcp.web.server import serve  # noqa: PLC0415 not needed by clients
    except ImportError:
        return arguments.fail(parsed, [f"pages need more packages: {how_to_install('web')}"])
    note_new_folder(options)
    return serve(options, parsed.port, clock, as_json=parsed.json)
